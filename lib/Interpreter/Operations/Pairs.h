//===- Elements that stand at the same place -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_PAIRS_H
#define DYN_LIB_INTERPRETER_PAIRS_H

#include "../Models.h"
#include "../Strides.h"
#include <array>

namespace dyn::reference {

/// Applies `function` to broadcast pairs.
template <typename L, typename R, typename Out, typename Function>
void mapPairs(const ReferenceTensor &lhs, const ReferenceTensor &rhs, ReferenceTensor &result, Function &&function) {
  const L *left = lhs.getElements<L>().data();
  const R *right = rhs.getElements<R>().data();
  Out *out = result.getMutableElements<Out>();
  std::array<Dims, 2> strides = {getBroadcastStrides(lhs.getDims(), result.getDims()),
                                 getBroadcastStrides(rhs.getDims(), result.getDims())};
  forEachRun<2>(result.getDims(), strides, [&](int64_t count, auto offsets, auto steps) {
    const L *l = left + offsets[0];
    const R *r = right + offsets[1];
    for (int64_t i = 0; i < count; ++i)
      *out++ = function(l[i * steps[0]], r[i * steps[1]]);
  });
}

inline Result allocateBroadcast(mlir::Operation *op, Operands operands) {
  mlir::FailureOr<Dims> dims = broadcast(op, {operands[0].getDims(), operands[1].getDims()});
  if (mlir::failed(dims))
    return mlir::failure();
  return allocate(op, getResultElementType(op), *dims);
}

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_PAIRS_H

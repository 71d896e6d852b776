//===- Reductions that choose one of the elements ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_SELECTIONS_H
#define DYN_CONVERSION_KERNELCODE_SELECTIONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace dyn::codegen {

/// A reduction of the form `out_i = select(take, x_i, out_i)`, where no `x_i` depends on an output: of all elements,
/// the outputs keep what belongs to one. Examples: the largest element and its index; the last index where a condition
/// holds.
///
/// `take` either depends on no output, so that the last element stays for which it holds, or is made of comparisons
/// between `x_k` and `out_k` that rank all values, so that one with the highest rank stays: the first or the last of
/// them, as `take` says of values that are equal. Hence what stays of several parts of the elements is the choice, by
/// the same rule, among what stays of each. Why that needs a ranking: were NaN to replace every number and every number
/// NaN, the last element would matter that follows a NaN, wherever the others stand.
struct Selection {
  mlir::Value take;
  /// The number k of the output that is compared; none if `take` depends on no output.
  std::optional<unsigned> ranked;
  /// x_k
  mlir::Value candidate;

  /// Whether `later` takes the place of `earlier`, both values of output k.
  mlir::Value emitTake(mlir::OpBuilder &builder, mlir::Value later, mlir::Value earlier) const;
};

/// All outputs of a linalg op with this body as such a reduction.
std::optional<Selection> matchSelection(mlir::Block &body, unsigned numInputs);

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_SELECTIONS_H

//===- Places that moved elements come from -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_DIMTABLES_H
#define DYN_LIB_INTERPRETER_DIMTABLES_H

#include "Elements.h"
#include "Models.h"

namespace dyn::reference {

/// For each place of the result along one dim, the place of the operand, or -1 for the fill value.
using Table = llvm::SmallVector<int64_t>;

/// Consecutive places from `offset` on, `step` apart.
Table getRun(int64_t offset, int64_t count, int64_t step = 1);

/// As allocate, for a result whose tables are made next: an error at the op if its dims are longer than tables. A
/// result without elements needs none.
Result allocateBeforeTables(mlir::Operation *op, mlir::Type elementType, llvm::ArrayRef<int64_t> dims);

/// An element without its type: enough to move it.
template <typename Function>
void dispatchWidth(int64_t bytes, Function &&function) {
  switch (bytes) {
  case 1:
    return function(uint8_t());
  case 2:
    return function(uint16_t());
  case 4:
    return function(uint32_t());
  default:
    return function(uint64_t());
  }
}

/// result[i, j, ...] = operand[tables[0][i], tables[1][j], ...]. Without `fill`, -1 gives zero.
Result select(mlir::Operation *op, const ReferenceTensor &operand, llvm::ArrayRef<Table> tables,
              const ReferenceTensor *fill = nullptr);

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_DIMTABLES_H

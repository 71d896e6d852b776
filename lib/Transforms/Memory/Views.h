//===- Buffers and what shows them in another form ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_MEMORY_VIEWS_H
#define DYN_LIB_TRANSFORMS_MEMORY_VIEWS_H

#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace dyn {

/// The same elements in another shape; null is none.
inline bool isReshape(mlir::Operation *op) {
  return llvm::isa_and_nonnull<mlir::memref::CollapseShapeOp, mlir::memref::ExpandShapeOp>(op);
}

/// All or a part of the elements of another buffer; null is none.
inline bool isView(mlir::Operation *op) { return isReshape(op) || llvm::isa_and_nonnull<shape::PartOp>(op); }

/// The value that a chain of reshapes begins with; it has the same elements.
inline mlir::Value skipReshapes(mlir::Value value) {
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The value that a chain of views begins with. Before memory is planned, different ones never overlap, but for inputs,
/// which are only read.
inline mlir::Value skipViews(mlir::Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_VIEWS_H

//===- Sizes of tensors as values that are there already ---------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_SIZEFINDER_H
#define DYN_LIB_TRANSFORMS_KERNELS_SIZEFINDER_H

#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {

/// Below the waterline two sizes are equal when they are the same value; this finds the value.
class SizeFinder {
public:
  explicit SizeFinder(mlir::func::FuncOp function);

  /// The size of a dim: an attribute if static; null where no value is known to be it.
  mlir::OpFoldResult find(mlir::Value tensor, int64_t dim);
  /// All sizes; what can't be found is computed.
  llvm::SmallVector<mlir::OpFoldResult> materialize(mlir::OpBuilder &b, mlir::Value tensor);

private:
  mlir::func::FuncOp function;
  llvm::DenseMap<mlir::Attribute, mlir::Value> known;
};

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_SIZEFINDER_H

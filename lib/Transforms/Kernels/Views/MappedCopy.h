//===- Copies of tensors at other indices -------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_VIEWS_MAPPEDCOPY_H
#define DYN_LIB_TRANSFORMS_KERNELS_VIEWS_MAPPEDCOPY_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace dyn {

/// A tensor of these sizes whose element at `i` is that of `tensor` at `map(i)`.
mlir::Value createMappedCopy(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor, mlir::AffineMap map,
                             llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_VIEWS_MAPPEDCOPY_H

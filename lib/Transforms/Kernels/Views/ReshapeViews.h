//===- Views that split dims ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_VIEWS_RESHAPEVIEWS_H
#define DYN_LIB_TRANSFORMS_KERNELS_VIEWS_RESHAPEVIEWS_H

#include "../SizeFinder.h"

namespace dyn {

using Sizes = llvm::SmallVector<mlir::OpFoldResult, 4>;

/// The sizes of those dims of `group` that are not 1 for sure; none if no value is known to be one of them.
std::optional<Sizes> getLargeSizes(SizeFinder &sizes, mlir::Value tensor, llvm::ArrayRef<int64_t> group);

/// The tensor with each dim divided into dims of the given sizes, of which there is one for a dim that stays. What
/// a view has joined is not divided again, but not joined.
mlir::Value createSplit(mlir::OpBuilder &b, SizeFinder &sizes, mlir::Value tensor, llvm::ArrayRef<Sizes> dims);

/// Views of views become one view, or none, as far as known sizes show that they do.
void simplifyViews(mlir::Block &block, SizeFinder &sizes);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_VIEWS_RESHAPEVIEWS_H

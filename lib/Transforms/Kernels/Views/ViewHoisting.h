//===- Ops on single elements move before views -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_VIEWS_VIEWHOISTING_H
#define DYN_LIB_TRANSFORMS_KERNELS_VIEWS_VIEWHOISTING_H

namespace mlir {
class Block;
} // namespace mlir

namespace dyn {

/// What computes each element from one other, and is read by products only, is computed before the views and
/// transposes that lead to it: products see through these, and what made the tensor can be one kernel with it.
void computeBeforeViews(mlir::Block &block);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_VIEWS_VIEWHOISTING_H

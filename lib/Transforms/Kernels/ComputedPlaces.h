//===- Reads at computed places --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_COMPUTEDPLACES_H
#define DYN_LIB_TRANSFORMS_KERNELS_COMPUTEDPLACES_H

namespace mlir {
class Block;
} // namespace mlir

namespace dyn {

/// Where a body reads a tensor at a place that it computes, lets it read what the tensor was copied from, or compute
/// the element: through views, transposes, broadcasts, the pieces of concats, and what depends on places alone.
void readBehindCopies(mlir::Block &block);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_COMPUTEDPLACES_H

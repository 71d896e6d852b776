//===- Loops over one point go away -----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_UNITLOOPS_H
#define DYN_LIB_TRANSFORMS_KERNELS_UNITLOOPS_H

namespace mlir {
class Block;
} // namespace mlir

namespace dyn {

/// Rewrites generics without their parallel loops of static size 1, and reads operands without the dims of size 1 that
/// views gave them, so that `[B, S, 1]` and `[B, S]` don't keep ops apart. Views of the results keep the types.
void dropUnitLoops(mlir::Block &block);

/// Reads the input of each copy that changes nothing, such as the transpose of a dim of size 1.
void dropIdentities(mlir::Block &block);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_UNITLOOPS_H

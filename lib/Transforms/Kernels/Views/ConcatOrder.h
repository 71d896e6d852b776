//===- Concats in the order in which they are read ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_VIEWS_CONCATORDER_H
#define DYN_LIB_TRANSFORMS_KERNELS_VIEWS_CONCATORDER_H

namespace mlir {
class Block;
} // namespace mlir

namespace dyn {

/// Puts pieces one behind the other as a transpose of the whole has them, so that the transpose is what is put
/// together: where each piece is computed for the concat, and can be computed in the other order, and where all that
/// reads the concat besides, products and copies, can read it by other maps. Gives whether there was such a concat.
bool turnConcats(mlir::Block &block);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_VIEWS_CONCATORDER_H

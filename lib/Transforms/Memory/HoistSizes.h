//===- Sizes before buffers --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_MEMORY_HOISTSIZES_H
#define DYN_LIB_TRANSFORMS_MEMORY_HOISTSIZES_H

#include "mlir/IR/Block.h"

namespace dyn {

/// Moves everything that computes or checks sizes before all other ops: nothing may run before a check has passed, and
/// offsets are computed from sizes before anything uses them. Returns the first of the other ops, the place for more
/// sizes.
mlir::Operation *hoistSizes(mlir::Block &block);

/// Leaves one `dyn_shape.apply` for each expression, the first.
void mergeEqualSizes(mlir::Block &block);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_HOISTSIZES_H

//===- Ops that compute the same ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_EARLIERTWIN_H
#define DYN_LIB_ANALYSIS_EARLIERTWIN_H

#include "dyn/Dialect/Dyn/IR/DynOps.h"

namespace dyn {

/// The first op in front of `op`, in its block, that counts these elements: those of the same value, or of what pure
/// ops compute alike; null where none is found. A mask that picks from two tensors is counted by an op for each of
/// them, as exporters write it: both counts are one size.
NonZeroOp findEarlierCount(mlir::Value counted, mlir::Operation *op);

} // namespace dyn

#endif // DYN_LIB_ANALYSIS_EARLIERTWIN_H

//===- The trips of one loop ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_SHAPES_UNROLLLOOP_H
#define DYN_TRANSFORMS_SHAPES_UNROLLLOOP_H

#include "dyn/Dialect/Dyn/IR/DynOps.h"

namespace dyn {

/// Is a loop of so many trips, in which no sizes were inferred yet, at most `maxOps` ops without it? Of no trips at all
/// only if it stacks nothing.
bool mayUnrollLoop(LoopOp op, int64_t trips, int64_t maxOps);

/// Writes the trips one behind the other, in place of the loop, which is erased. Gives what stands for its results.
llvm::SmallVector<mlir::Value> unrollLoop(LoopOp op, int64_t trips);

} // namespace dyn

#endif // DYN_TRANSFORMS_SHAPES_UNROLLLOOP_H

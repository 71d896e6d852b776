//===- Bodies of producers move into consumers ------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Our own counterpart of upstream's elementwise fusion: it may duplicate a
// producer, folds copies into contractions, and decides by the cost of
// recomputation.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_PRODUCERINLINING_H
#define DYN_LIB_TRANSFORMS_KERNELS_PRODUCERINLINING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dyn {

/// Does the body only hand its one input on? Transposes and broadcasts do.
bool isCopy(mlir::linalg::GenericOp generic);

/// Is it a pointwise op whose elements cost no more to compute again than to read? Copies, slices, places.
bool isFreeToRepeat(mlir::linalg::GenericOp generic);

/// Can the result of `producer` be computed in the body of `consumer`, at each of its operands that reads it?
bool canInline(mlir::linalg::GenericOp producer, mlir::linalg::GenericOp consumer);
/// Does each point of `consumer` that is not a repetition along a dim of size 1 compute another point of `producer`?
bool isInlinedOncePerPoint(mlir::linalg::GenericOp producer, mlir::linalg::GenericOp consumer);
/// Does it; the new consumer stands in the place of the old one, which is gone.
mlir::linalg::GenericOp inlineProducer(mlir::linalg::GenericOp producer, mlir::linalg::GenericOp consumer);

/// Reads through transposes, broadcasts and slices instead of storing what they give, wherever consumers can.
void inlineCopies(mlir::Block &block);
/// Inlines what only one op reads, unless it would be computed again and again.
void inlineSingleUses(mlir::Block &block);
/// Computes what is equal along a loop once, where readers can repeat it themselves.
void computeOnce(mlir::Block &block);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_PRODUCERINLINING_H

//===- Attention among linalg ops -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_ATTENTION_H
#define DYN_ANALYSIS_ATTENTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace dyn {

/// softmax(f(queries . keys)) . values, whatever f is at each point: generics that read each other's results point by
/// point or along the last dim of the scores, and are read by nobody else. Sums, softmax and what f gives are all of
/// f32 or all of f64; queries, keys, values and weights as well, or of 16-bit floats that the sums of products widen.
/// What is f32 up to the weights may also be rounded to 16-bit floats.
struct Attention {
  /// Sums products of queries and keys.
  mlir::linalg::GenericOp scores;
  /// Scale, mask and the like; may be null. Reads the sums with the identity.
  mlir::linalg::GenericOp scoresEpilogue;
  /// Maximum, exponential, sum, quotient.
  llvm::SmallVector<mlir::linalg::GenericOp, 4> softmax;
  /// Sums products of the weights and the values.
  mlir::linalg::GenericOp values;
  /// Reads the result of `values` with the identity; may be null.
  mlir::linalg::GenericOp valuesEpilogue;
  /// Whether weights that are no numbers, which is where a row's scores are all -inf or one is no number, become 0.
  bool nanBecomesZero = false;
  /// Whether softmax reads or computes 16-bit floats before its quotient.
  bool hasRoundedSteps = false;

  /// Numbers of operands of `scores` and `values`.
  unsigned keyOperand, valueOperand;
  /// Loops of `scores`: along a row of scores, along what is summed, down the rows of one matrix, and the others in the
  /// order of the dims of the scores. Without a query loop there is one row.
  unsigned keyLoop, depthLoop;
  std::optional<unsigned> queryLoop;
  llvm::SmallVector<unsigned> outerLoops;
  /// The loop of `scores` for each dim of the scores as softmax reads them.
  llvm::SmallVector<unsigned> loopOfScoreDim;
  /// The loop of `values` that scores have not, and for each other one that of `scores`.
  unsigned columnLoop;
  llvm::SmallVector<unsigned> scoresLoopOf;

  /// f32 or f64.
  mlir::Type getSumType() { return getElementTypeOrSelf(scores->getResult(0).getType()); }
  /// The tensor that softmax reads.
  mlir::Value getScores() { return scoresEpilogue ? scoresEpilogue->getResult(0) : scores->getResult(0); }
  llvm::SmallVector<mlir::linalg::GenericOp> getOps();
};

/// The attention that ends with `values`, a sum of products, and `epilogue`, if not null. `mayJoin` says whether an
/// op may be part of it. Inputs of the sums of products may be read at quotients of outer loops.
std::optional<Attention> matchAttention(mlir::linalg::GenericOp values, mlir::linalg::GenericOp epilogue,
                                        llvm::function_ref<bool(mlir::linalg::GenericOp)> mayJoin);

} // namespace dyn

#endif // DYN_ANALYSIS_ATTENTION_H

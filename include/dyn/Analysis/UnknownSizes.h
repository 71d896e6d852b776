//===- Why sizes are not known before the run --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_UNKNOWNSIZES_H
#define DYN_ANALYSIS_UNKNOWNSIZES_H

#include "dyn/Analysis/ShapeRelations.h"

namespace dyn {

/// What the dims of an op's results depend on that is not known before the run, and what a person can do about it:
/// "depends on the elements of operand 1, which node '/Cast' (dyn.cast) computes from the data of input 'x'; ...".
std::string explainUnknownSize(mlir::Operation *op, ShapeRelations &relations);

/// The same of the rank of a result, beginning with the text behind "can't be found before the run".
std::string explainUnknownRank(mlir::Operation *op, unsigned result);

/// Between what a size lies that data determine; null where nothing is known of that.
struct SizeLimits {
  symbolic::Expr lower, upper;
};

/// The limits of a dim of an op's results.
SizeLimits findSizeLimits(mlir::Operation *op, unsigned dim, ShapeRelations &relations);

} // namespace dyn

#endif // DYN_ANALYSIS_UNKNOWNSIZES_H

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

/// What a dim of an op's results, whose value data determine, is at most; null where nothing is known of that.
symbolic::Expr findUpperLimit(mlir::Operation *op, unsigned dim, ShapeRelations &relations);

} // namespace dyn

#endif // DYN_ANALYSIS_UNKNOWNSIZES_H

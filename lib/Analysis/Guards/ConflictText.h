//===- What a refused fact is about -----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_GUARDS_CONFLICTTEXT_H
#define DYN_LIB_ANALYSIS_GUARDS_CONFLICTTEXT_H

#include "dyn/Analysis/ShapeRelations.h"

namespace dyn {

/// The dims of operands that should be equal and are not, `dim 1 of input 'x' [N, 3], dim 1 of 'w' [4]`, where these
/// can be told; else all operands with their dims, or their elements if they are few: `input 'x' [N, 8], 'k' = [9]`.
std::string describeOperands(mlir::Operation *op, const symbolic::Predicate &refused, ShapeRelations &relations);

} // namespace dyn

#endif // DYN_LIB_ANALYSIS_GUARDS_CONFLICTTEXT_H

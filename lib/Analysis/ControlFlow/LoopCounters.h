//===- Loops that count ---------------------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_CONTROLFLOW_LOOPCOUNTERS_H
#define DYN_LIB_ANALYSIS_CONTROLFLOW_LOOPCOUNTERS_H

#include "dyn/Analysis/ShapeRelations.h"
#include <array>

namespace dyn {

/// An integer that is the same in each trip; null where it is not known before the loop.
symbolic::Expr getInvariant(mlir::Value value, ShapeRelations &relations);

/// -`limit` <= `value`, and `value` <= `limit`.
std::array<symbolic::Predicate, 2> getHeldBounds(symbolic::Expr value, int64_t limit);
/// That integers of this width hold the value.
std::array<symbolic::Predicate, 2> getBoundsOfWidth(symbolic::Expr value, unsigned width);

} // namespace dyn

#endif // DYN_LIB_ANALYSIS_CONTROLFLOW_LOOPCOUNTERS_H

//===- Loops that count ---------------------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_CONTROLFLOW_LOOPCOUNTERS_H
#define DYN_LIB_ANALYSIS_CONTROLFLOW_LOOPCOUNTERS_H

#include "dyn/Analysis/ShapeRelations.h"

namespace dyn {

/// An integer that is the same in each trip; null where it is not known before the loop.
symbolic::Expr getInvariant(mlir::Value value, ShapeRelations &relations);

} // namespace dyn

#endif // DYN_LIB_ANALYSIS_CONTROLFLOW_LOOPCOUNTERS_H

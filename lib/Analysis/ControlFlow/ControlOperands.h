//===- What decides branches and loops ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_CONTROLFLOW_CONTROLOPERANDS_H
#define DYN_LIB_ANALYSIS_CONTROLFLOW_CONTROLOPERANDS_H

#include "dyn/Analysis/ShapeRelations.h"

namespace dyn {

/// Requires that a value, which may be null, has one element. `what` names it for people.
mlir::LogicalResult requireOneElement(ShapeRelations &relations, mlir::Value value, const llvm::Twine &what);

/// What is known of a condition, which has one element.
ElementValue getCondition(ShapeRelations &relations, mlir::Value condition);

} // namespace dyn

#endif // DYN_LIB_ANALYSIS_CONTROLFLOW_CONTROLOPERANDS_H

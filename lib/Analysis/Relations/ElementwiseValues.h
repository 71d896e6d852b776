//===- Elements and intervals through elementwise ops ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_RELATIONS_ELEMENTWISEVALUES_H
#define DYN_LIB_ANALYSIS_RELATIONS_ELEMENTWISEVALUES_H

#include "dyn/Analysis/ShapeRelations.h"

namespace dyn::relations {

/// States what is known of the elements of an elementwise op's result, whose dims are stated already.
void relateValues(mlir::Operation *op, ShapeRelations &relations);

} // namespace dyn::relations

#endif // DYN_LIB_ANALYSIS_RELATIONS_ELEMENTWISEVALUES_H

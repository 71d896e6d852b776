//===- Elements and intervals through elementwise ops ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_RELATIONS_ELEMENTWISEVALUES_H
#define DYN_LIB_ANALYSIS_RELATIONS_ELEMENTWISEVALUES_H

#include "dyn/Analysis/ShapeRelations.h"

namespace dyn::relations {

/// States what is known of the elements of an elementwise op's result, whose dims are stated already. Requires that
/// numbers fit into elements of 32 bits.
mlir::LogicalResult relateElements(mlir::Operation *op, ShapeRelations &relations);

/// States the elements of an op's result, row-major, that are these integers where nothing wraps around. Requires that
/// elements of 32 bits hold them; those that may wrap around are unknown.
mlir::LogicalResult setIntegers(mlir::Operation *op, llvm::ArrayRef<symbolic::Expr> integers,
                                ShapeRelations &relations);

/// Bounds of what integers give before they are brought into `type`: nothing where they may wrap around there.
/// Bounds are claims about the numbers that the machine has, and decide whether it checks indices.
Bounds getUnwrapped(ShapeRelations &relations, Bounds bounds, mlir::Type type);

} // namespace dyn::relations

#endif // DYN_LIB_ANALYSIS_RELATIONS_ELEMENTWISEVALUES_H

//===- The dyn_shape dialect ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYNSHAPE_IR_DYNSHAPEOPS_H
#define DYN_DIALECT_DYNSHAPE_IR_DYNSHAPEOPS_H

#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

#include "dyn/Dialect/DynShape/IR/DynShapeDialect.h.inc"

#define GET_OP_CLASSES
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h.inc"

namespace dyn::shape {

/// Launches that may run at the same time: one that is not `concurrent`, and those behind it that are.
using LaunchGroup = llvm::SmallVector<LaunchOp, 1>;

/// As many as hosts start together.
inline constexpr unsigned kMaxLaunchGroup = 8;

/// All launches of a block, in their order.
llvm::SmallVector<LaunchGroup> getLaunchGroups(mlir::Block &block);

} // namespace dyn::shape

#endif // DYN_DIALECT_DYNSHAPE_IR_DYNSHAPEOPS_H

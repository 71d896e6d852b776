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

/// A launch begins only when all launches that are so many or more before it have ended.
inline constexpr unsigned kLaunchWindow = 16;

} // namespace dyn::shape

#endif // DYN_DIALECT_DYNSHAPE_IR_DYNSHAPEOPS_H

//===- The op that chooses a plan of memory ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYNSHAPE_IR_PLANOP_H
#define DYN_DIALECT_DYNSHAPE_IR_PLANOP_H

#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"

#define GET_OP_CLASSES
#include "dyn/Dialect/DynShape/IR/PlanOp.h.inc"

namespace dyn::shape {

/// Attribute of a `dyn_shape.arena`: the bytes that no arena can do with less of, a `#dyn.expr`.
inline constexpr llvm::StringLiteral kLiveAttrName{"dyn_shape.live"};

} // namespace dyn::shape

#endif // DYN_DIALECT_DYNSHAPE_IR_PLANOP_H

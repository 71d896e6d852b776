//===- All ops of the dyn dialect, by category -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNOPS_TD
#define DYN_DIALECT_DYN_IR_DYNOPS_TD

include "dyn/Dialect/Dyn/IR/DynContractionOps.td"
include "dyn/Dialect/Dyn/IR/DynControlFlowOps.td"
include "dyn/Dialect/Dyn/IR/DynDataMovementOps.td"
include "dyn/Dialect/Dyn/IR/DynElementwiseOps.td"
include "dyn/Dialect/Dyn/IR/DynFactOps.td"
include "dyn/Dialect/Dyn/IR/DynIndexingOps.td"
include "dyn/Dialect/Dyn/IR/DynReductionOps.td"
include "dyn/Dialect/Dyn/IR/DynWindowOps.td"

#endif // DYN_DIALECT_DYN_IR_DYNOPS_TD

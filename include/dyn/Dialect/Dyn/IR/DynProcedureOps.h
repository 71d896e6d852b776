//===- Procedures of the dyn dialect ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Ops whose steps follow one another, so that no composition of other ops says
// them. Apart from the others, because few passes know any of them by name.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNPROCEDUREOPS_H
#define DYN_DIALECT_DYN_IR_DYNPROCEDUREOPS_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dyn/Dialect/Dyn/IR/DynProcedureEnums.h.inc"

#define GET_OP_CLASSES
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h.inc"

#endif // DYN_DIALECT_DYN_IR_DYNPROCEDUREOPS_H

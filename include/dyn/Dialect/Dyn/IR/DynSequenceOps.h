//===- Sequences, optionals and strings of the dyn dialect ------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What the importer could not take apart: it is interpreted, not compiled. Apart
// from the other ops, because few passes know any of these by name.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNSEQUENCEOPS_H
#define DYN_DIALECT_DYN_IR_DYNSEQUENCEOPS_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_TYPEDEF_CLASSES
#include "dyn/Dialect/Dyn/IR/DynSequenceTypes.h.inc"

#define GET_OP_CLASSES
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h.inc"

namespace dyn {

/// The element type of the tensors in a sequence or an optional; of a tensor its own; null for other types.
mlir::Type getTensorElementType(mlir::Type type);

/// The type of what is in an optional; any other type as it is.
mlir::Type unwrapOptional(mlir::Type type);

/// The type of what can be in an optional beside this one: tensors without their rank, sequences as they are.
mlir::Type getOptionalElement(mlir::Type type);

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_DYNSEQUENCEOPS_H

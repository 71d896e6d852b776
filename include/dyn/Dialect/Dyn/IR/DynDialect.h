//===- The dyn dialect and its attributes -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNDIALECT_H
#define DYN_DIALECT_DYN_IR_DYNDIALECT_H

#include "dyn/Symbolic/Facts.h"
#include "dyn/Symbolic/Predicate.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"

#include "dyn/Dialect/Dyn/IR/DynDialect.h.inc"

#include "dyn/Dialect/Dyn/IR/DynEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/Dyn/IR/DynAttributes.h.inc"

#endif // DYN_DIALECT_DYN_IR_DYNDIALECT_H

//===- Registration of the dyn dialect ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;

#include "dyn/Dialect/Dyn/IR/DynDialect.cpp.inc"
#include "dyn/Dialect/Dyn/IR/DynEnums.cpp.inc"

void DynDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dyn/Dialect/Dyn/IR/DynOps.cpp.inc"
      >();
}

LogicalResult DynDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) { return success(); }

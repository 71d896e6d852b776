//===- The dyn_shape dialect --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::shape;

#include "dyn/Dialect/DynShape/IR/DynShapeDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dyn/Dialect/DynShape/IR/DynShapeOps.cpp.inc"

void DynShapeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dyn/Dialect/DynShape/IR/DynShapeOps.cpp.inc"
      >();
}

ParseResult ApplyOp::parse(OpAsmParser &parser, OperationState &result) { return failure(); }
void ApplyOp::print(OpAsmPrinter &printer) {}
ParseResult CheckOp::parse(OpAsmParser &parser, OperationState &result) { return failure(); }
void CheckOp::print(OpAsmPrinter &printer) {}
void LaunchOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {}

//===- Assembly of guards and calls -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dyn;

ParseResult RequireOp::parse(OpAsmParser &parser, OperationState &result) { return failure(); }
void RequireOp::print(OpAsmPrinter &printer) {}
ParseResult CallOp::parse(OpAsmParser &parser, OperationState &result) { return failure(); }
void CallOp::print(OpAsmPrinter &printer) {}
ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) { return failure(); }
void ConstantOp::print(OpAsmPrinter &printer) {}

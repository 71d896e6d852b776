//===- What kernels call ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RunContext.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <cstddef>

using namespace mlir;
using namespace dyn::cpu;

static Value memberAt(OpBuilder &b, Location loc, Value pointer, int64_t offset) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value dyn::cpu::callScratch(Code &code, Value context, Value bytes) {
  OpBuilder &b = code.builder;
  Value member = memberAt(b, code.loc, context, offsetof(DynRunContext, scratch));
  Value function = LLVM::LoadOp::create(b, code.loc, context.getType(), member);
  auto type = LLVM::LLVMFunctionType::get(context.getType(), {context.getType(), b.getI64Type()});
  return LLVM::CallOp::create(b, code.loc, type, ValueRange{function, context, bytes}).getResult();
}

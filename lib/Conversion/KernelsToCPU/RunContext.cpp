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

static constexpr char recordErrorName[] = "dyn.record_error";

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

/// The function that fills in the error record: `(context, guard, number of values, value, value)`.
static LLVM::LLVMFuncOp getRecordError(ModuleOp module) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(recordErrorName))
    return function;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64, i64, i64});
  auto function = LLVM::LLVMFuncOp::create(b, loc, recordErrorName, type, LLVM::Linkage::Internal);
  function.setNoInline(true);

  Block *entry = function.addEntryBlock(b);
  Block *write = b.createBlock(&function.getBody());
  Block *done = b.createBlock(&function.getBody());
  b.setInsertionPointToStart(entry);
  Value context = entry->getArgument(0);
  Value free = arith::ConstantIntOp::create(b, loc, 0, 32), taken = arith::ConstantIntOp::create(b, loc, 1, 32);
  Value exchange =
      LLVM::AtomicCmpXchgOp::create(b, loc, memberAt(b, loc, context, offsetof(DynRunContext, errorState)), free, taken,
                                    LLVM::AtomicOrdering::acq_rel, LLVM::AtomicOrdering::monotonic);
  Value isFirst = LLVM::ExtractValueOp::create(b, loc, exchange, ArrayRef<int64_t>{1});
  LLVM::CondBrOp::create(b, loc, isFirst, write, done);

  b.setInsertionPointToStart(write);
  int64_t error = offsetof(DynRunContext, error);
  int64_t offsets[] = {
      error + int64_t(offsetof(DynErrorRecord, guard)), error + int64_t(offsetof(DynErrorRecord, numValues)),
      error + int64_t(offsetof(DynErrorRecord, values)), error + int64_t(offsetof(DynErrorRecord, values)) + 8};
  for (auto [i, offset] : llvm::enumerate(offsets))
    LLVM::StoreOp::create(b, loc, entry->getArgument(i + 1), memberAt(b, loc, context, offset));
  LLVM::BrOp::create(b, loc, done);
  b.setInsertionPointToStart(done);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return function;
}

void dyn::cpu::callRecordError(Code &code, ModuleOp module, Value context, Value guard, ValueRange values) {
  OpBuilder &b = code.builder;
  SmallVector<Value> arguments{context, guard, arith::ConstantIntOp::create(b, code.loc, values.size(), 64)};
  llvm::append_range(arguments, values);
  while (arguments.size() < 5)
    arguments.push_back(arith::ConstantIntOp::create(b, code.loc, 0, 64));
  LLVM::CallOp::create(b, code.loc, getRecordError(module), arguments);
}

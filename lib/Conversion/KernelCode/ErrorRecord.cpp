//===- Errors of a run that kernels record --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/ErrorRecord.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <cstddef>

using namespace mlir;
using namespace dyn::codegen;

static constexpr char recordErrorName[] = "dyn.record_error";

static Value memberAt(OpBuilder &b, Location loc, Value pointer, int64_t offset) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

/// The function that fills in the error record: `(context, guard, number of values, value, value)`.
static LLVM::LLVMFuncOp getRecordError(Operation *module, ErrorPlace place) {
  if (Operation *function = SymbolTable::lookupSymbolIn(module, recordErrorName))
    return cast<LLVM::LLVMFuncOp>(function);
  OpBuilder b = OpBuilder::atBlockEnd(&module->getRegion(0).front());
  Location loc = module->getLoc();
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
  Value exchange = LLVM::AtomicCmpXchgOp::create(b, loc, memberAt(b, loc, context, place.state), free, taken,
                                                 LLVM::AtomicOrdering::acq_rel, LLVM::AtomicOrdering::monotonic);
  Value isFirst = LLVM::ExtractValueOp::create(b, loc, exchange, ArrayRef<int64_t>{1});
  LLVM::CondBrOp::create(b, loc, isFirst, write, done);

  b.setInsertionPointToStart(write);
  int64_t error = place.record;
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

void dyn::codegen::callRecordError(Code &code, Operation *module, ErrorPlace place, Value memory, Value guard,
                                   ValueRange values) {
  OpBuilder &b = code.builder;
  SmallVector<Value> arguments{memory, guard, arith::ConstantIntOp::create(b, code.loc, values.size(), 64)};
  llvm::append_range(arguments, values);
  while (arguments.size() < 5)
    arguments.push_back(arith::ConstantIntOp::create(b, code.loc, 0, 64));
  LLVM::CallOp::create(b, code.loc, getRecordError(module, place), arguments);
}

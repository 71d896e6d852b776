//===- Emitting host code -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::host;

func::FuncOp HostCode::createFunction(llvm::StringRef name, TypeRange inputs, TypeRange results) {
  auto function = func::FuncOp::create(*this, name, getFunctionType(inputs, results));
  function.setPrivate();
  setInsertionPointToStart(function.addEntryBlock());
  return function;
}

Type HostCode::getPointerType() { return LLVM::LLVMPointerType::get(getContext()); }

Value HostCode::integer(int64_t value, unsigned bits) { return arith::ConstantIntOp::create(*this, value, bits); }

Value HostCode::nullPointer() { return LLVM::ZeroOp::create(*this, getPointerType()); }

Value HostCode::load(Type type, Value pointer, int64_t offset) {
  return LLVM::LoadOp::create(*this, type, addOffset(pointer, offset));
}

void HostCode::store(Value value, Value pointer, int64_t offset) {
  LLVM::StoreOp::create(*this, value, addOffset(pointer, offset));
}

Value HostCode::addOffset(Value pointer, int64_t offset) {
  if (offset == 0)
    return pointer;
  // A constant that does not fit in an index of a GEP in the IR would be cut off there.
  if (!llvm::isInt<31>(offset))
    return addOffset(pointer, integer(offset));
  return LLVM::GEPOp::create(*this, getPointerType(), getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

Value HostCode::addOffset(Value pointer, Value offset) {
  return LLVM::GEPOp::create(*this, getPointerType(), getI8Type(), pointer, ValueRange{offset});
}

Value HostCode::isNull(Value pointer) {
  return LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::eq, pointer, nullPointer());
}

Value HostCode::toInteger(Value index) {
  // What is asked for twice stays one value.
  if (auto cast = index.getDefiningOp<arith::IndexCastOp>(); cast && cast.getIn().getType() == getI64Type())
    return cast.getIn();
  return createOrFold<arith::IndexCastOp>(getI64Type(), index);
}

Value HostCode::toIndex(Value integer) { return createOrFold<arith::IndexCastOp>(getIndexType(), integer); }

void HostCode::emitIf(Value condition, llvm::function_ref<void()> body) {
  Block *before = getInsertionBlock();
  Region *region = before->getParent();
  Block *inside = createBlock(region, region->end());
  Block *after = createBlock(region, region->end());
  setInsertionPointToEnd(before);
  cf::CondBranchOp::create(*this, condition, inside, after);
  setInsertionPointToEnd(inside);
  body();
  cf::BranchOp::create(*this, after);
  setInsertionPointToEnd(after);
}

void HostCode::emitUnless(Value condition, llvm::function_ref<void()> body) {
  Block *before = getInsertionBlock();
  Region *region = before->getParent();
  Block *inside = createBlock(region, region->end());
  Block *after = createBlock(region, region->end());
  setInsertionPointToEnd(before);
  cf::CondBranchOp::create(*this, condition, after, inside);
  setInsertionPointToEnd(inside);
  body();
  setInsertionPointToEnd(after);
}

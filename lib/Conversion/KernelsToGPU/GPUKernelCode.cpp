//===- A GPU kernel while it is built -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelCode.h"
#include "dyn/Conversion/KernelCode/ErrorRecord.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <cstddef>

using namespace mlir;
using namespace dyn::gpu;

/// The arguments of `function` that stand for the kernel's, sizes as index values.
static SmallVector<Value> beginBody(mlir::gpu::GPUFuncOp function, func::FuncOp kernel, OpBuilder &builder) {
  builder.setInsertionPointToStart(&function.getBody().front());
  SmallVector<Value> arguments;
  for (auto [argument, type] :
       llvm::zip_equal(function.getArguments().drop_front(), dyn::codegen::lowerArgumentTypes(kernel)))
    arguments.push_back(type.isIndex() ? Value(arith::IndexCastOp::create(builder, kernel.getLoc(), type, argument))
                                       : Value(argument));
  return arguments;
}

GPUKernelCode::GPUKernelCode(func::FuncOp kernel, mlir::gpu::GPUFuncOp function, OpBuilder &builder, int64_t threads,
                             unsigned rows)
    : KernelCode(kernel, beginBody(function, kernel, builder), builder, /*vectorBits=*/0, rows), function(function),
      threads(threads), errors(function.getArgument(0)) {
  auto x = mlir::gpu::Dimension::x;
  thread = mlir::gpu::ThreadIdOp::create(builder, code.loc, x);
  block = mlir::gpu::BlockIdOp::create(builder, code.loc, x);
  blocks = mlir::gpu::GridDimOp::create(builder, code.loc, x);
}

SmallVector<Value> GPUKernelCode::forStrided(Value lower, Value upper, Value step, ValueRange init,
                                             Code::LoopBody body) {
  OpBuilder &b = code.builder;
  auto loop = scf::ForOp::create(b, code.loc, lower, upper, step, init);
  OpBuilder::InsertionGuard guard(b);
  // With nothing to carry, the builder has already put a terminator into the block.
  if (init.empty()) {
    b.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar(), {});
    return {};
  }
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, code.loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// A loop body that carries nothing.
static auto carryNothing(function_ref<void(Value)> body) {
  return [body](Value index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  };
}

void GPUKernelCode::forEachInGrid(Value count, function_ref<void(Value)> body) {
  Value size = code.index(threads);
  forStrided(code.add(code.mul(block, size), thread), count, code.mul(blocks, size), {}, carryNothing(body));
}

void GPUKernelCode::forEachBlock(Value count, function_ref<void(Value)> body) {
  forStrided(block, count, blocks, {}, carryNothing(body));
}

SmallVector<Value> GPUKernelCode::forEachInBlock(Value count, ValueRange init, Code::LoopBody body) {
  return forStrided(thread, count, code.index(threads), init, body);
}

void GPUKernelCode::forEachInBlock(Value count, function_ref<void(Value)> body) {
  forStrided(thread, count, code.index(threads), {}, carryNothing(body));
}

/// How many elements a thread has under way.
static constexpr int64_t elementsAtATime = 4;

SmallVector<Value> GPUKernelCode::reduceInBlock(Value count, ValueRange init, Code::LoopBody body, Combine combine) {
  size_t size = init.size();
  SmallVector<Value> carried;
  for (int64_t part = 0; part < elementsAtATime; ++part)
    llvm::append_range(carried, init);
  carried.push_back(thread);
  // As long as each of the elements is one; then one by one from where that ends.
  Value last = code.sub(count, code.index((elementsAtATime - 1) * threads));
  carried =
      forStrided(thread, last, code.index(elementsAtATime * threads), carried, [&](Value first, ValueRange values) {
        SmallVector<Value> next;
        for (int64_t part = 0; part < elementsAtATime; ++part)
          llvm::append_range(next, body(code.add(first, code.index(part * threads)), values.slice(part * size, size)));
        next.push_back(code.add(first, code.index(elementsAtATime * threads)));
        return next;
      });
  ValueRange parts(carried);
  SmallVector<Value> sum(parts.take_front(size));
  for (int64_t part = 1; part < elementsAtATime; ++part)
    sum = combine(sum, parts.slice(part * size, size));
  return forStrided(carried.back(), count, code.index(threads), sum, body);
}

void GPUKernelCode::divideIntoWarps() {
  Value size = code.index(warpSize), warps = code.index(threads / warpSize);
  block = code.add(code.mul(block, warps), code.div(thread, size));
  blocks = code.mul(blocks, warps);
  thread = code.rem(thread, size);
  threads = warpSize;
}

Value GPUKernelCode::allocateShared(ArrayRef<int64_t> shape, Type elementType) {
  auto space = mlir::gpu::AddressSpaceAttr::get(code.builder.getContext(), mlir::gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get(shape, getStoredType(elementType), MemRefLayoutAttrInterface(), space);
  Value memory = function.addWorkgroupAttribution(type, code.loc);
  // As much as any access has. Without that, LLVM reads neighbours at once as if they were aligned so, but declares the
  // memory with the alignment of one element.
  function.setWorkgroupAttributionAttr(function.getNumWorkgroupAttributions() - 1,
                                       LLVM::LLVMDialect::getAlignAttrName(), code.builder.getI64IntegerAttr(16));
  return memory;
}

Value GPUKernelCode::allocateSharedBytes(int64_t bytes) {
  OpBuilder &b = code.builder;
  Value memory = allocateShared({int64_t(llvm::divideCeil(bytes, 8))}, b.getI64Type());
  auto type = cast<MemRefType>(memory.getType());
  auto generic = MemRefType::get(type.getShape(), type.getElementType());
  Value cast = memref::MemorySpaceCastOp::create(b, code.loc, generic, memory);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, code.loc, cast);
  return LLVM::IntToPtrOp::create(b, code.loc, errors.getType(), code.toInt64(address));
}

void GPUKernelCode::barrier() { mlir::gpu::BarrierOp::create(code.builder, code.loc); }

/// The value of the thread whose number differs by `distance` in its bits.
Value GPUKernelCode::shuffle(Value value, int32_t distance) {
  OpBuilder &b = code.builder;
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto shuffleWord = [&](Value word) -> Value {
    return mlir::gpu::ShuffleOp::create(b, code.loc, word, distance, warpSize, mlir::gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (type.isF32() || type.isInteger(32))
    return shuffleWord(value);
  Type bits = b.getIntegerType(width), word = b.getI32Type();
  if (type != bits)
    value = arith::BitcastOp::create(b, code.loc, bits, value);
  if (width < 32) {
    value = shuffleWord(arith::ExtUIOp::create(b, code.loc, word, value));
    value = arith::TruncIOp::create(b, code.loc, bits, value);
  } else {
    // Hardware exchanges words of 32 bits.
    Value half = arith::ConstantIntOp::create(b, code.loc, 32, 64);
    Value low = shuffleWord(arith::TruncIOp::create(b, code.loc, word, value));
    Value high = arith::ShRUIOp::create(b, code.loc, value, half);
    high = shuffleWord(arith::TruncIOp::create(b, code.loc, word, high));
    high = arith::ShLIOp::create(b, code.loc, arith::ExtUIOp::create(b, code.loc, bits, high), half);
    value = arith::OrIOp::create(b, code.loc, arith::ExtUIOp::create(b, code.loc, bits, low), high);
  }
  return type == bits ? value : Value(arith::BitcastOp::create(b, code.loc, type, value));
}

SmallVector<Value> GPUKernelCode::reduceOverBlock(ValueRange values, Combine combine) {
  SmallVector<Value> own(values);
  for (int32_t distance = warpSize / 2; distance > 0; distance /= 2)
    own = combine(own, llvm::map_to_vector(own, [&](Value value) { return shuffle(value, distance); }));
  if (threads == warpSize)
    return own;

  OpBuilder &b = code.builder;
  llvm::DenseMap<Type, unsigned> taken;
  SmallVector<Value> memories = llvm::map_to_vector(own, [&](Value value) {
    SmallVector<Value> &ofType = exchange[value.getType()];
    unsigned number = taken[value.getType()]++;
    if (number == ofType.size())
      ofType.push_back(allocateShared({threads / warpSize}, value.getType()));
    return ofType[number];
  });
  Value lane = code.rem(thread, code.index(warpSize)), warp = code.div(thread, code.index(warpSize));
  Value isFirst = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::eq, lane, code.index(0));
  code.ifThen(isFirst, [&] {
    for (auto [value, memory] : llvm::zip_equal(own, memories)) {
      Type stored = cast<MemRefType>(memory.getType()).getElementType();
      Value word = value.getType() == stored ? value : Value(arith::ExtUIOp::create(b, code.loc, stored, value));
      memref::StoreOp::create(b, code.loc, word, memory, warp);
    }
  });
  barrier();
  SmallVector<Value> result;
  for (int64_t w = 0; w < threads / warpSize; ++w) {
    SmallVector<Value> part;
    for (auto [value, memory] : llvm::zip_equal(own, memories)) {
      part.push_back(memref::LoadOp::create(b, code.loc, memory, code.index(w)));
      if (part.back().getType() != value.getType())
        part.back() = arith::TruncIOp::create(b, code.loc, value.getType(), part.back());
    }
    result = w ? combine(result, part) : part;
  }
  // Nobody writes the next values before all have read these.
  barrier();
  return result;
}

void GPUKernelCode::recordError(Value guard, ValueRange values) {
  ErrorPlace place{offsetof(DynDeviceErrors, errorState), offsetof(DynDeviceErrors, error)};
  callRecordError(code, function->getParentOp(), place, errors, guard, values);
}

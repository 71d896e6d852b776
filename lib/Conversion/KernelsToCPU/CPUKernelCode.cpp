//===- A CPU kernel while its functions are built ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CPUKernelCode.h"
#include "RunContext.h"
#include "dyn/Conversion/KernelCode/ErrorRecord.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <cstddef>

using namespace mlir;
using namespace dyn::cpu;

/// Temporaries of at most this many bytes live on the stack.
static constexpr int64_t maxStackBytes = 16 * 1024;
/// A tensor of so many times the second-level cache is taken to find no place in the last one, of which a core has some
/// part.
static constexpr int64_t largeShare = 8;
static constexpr int64_t scratchAlignment = 64;

/// The arguments of `function`, whose body begins here, that stand for the kernel's.
static ValueRange beginBody(func::FuncOp function, OpBuilder &builder, CPUKernelCode::Role role) {
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  return ValueRange(entry->getArguments()).drop_front(role == CPUKernelCode::Role::Run ? 3 : 0);
}

CPUKernelCode::CPUKernelCode(func::FuncOp kernel, func::FuncOp function, OpBuilder &builder, Role role, CPUModel cpu,
                             unsigned rows)
    : KernelCode(kernel, beginBody(function, builder, role), builder, cpu.vectorBits, rows), cpu(cpu) {
  if (role == Role::Count)
    return;
  context = function.getArgument(0);
  begin = function.getArgument(1);
  end = function.getArgument(2);
  findLargeOutputs();
}

void CPUKernelCode::findLargeOutputs() {
  Operation *end = kernel.getBody().front().getTerminator();
  for (auto [output, result] :
       llvm::zip_equal(kernel.getArguments().take_back(kernel.getNumResults()), end->getOperands())) {
    // What the kernel itself reads again is needed in the caches.
    if (!result.hasOneUse())
      continue;
    TensorMemory &memory = memoryOf(output);
    Value bytes = code.mul(code.product(memory.dims), code.index(getStoredBytes(memory.elementType)));
    Value isLarge = code.isLess(code.index(cpu.l2Bytes * largeShare - 1), bytes);
    if (!isConstant(isLarge, 0))
      memory.isLarge = isLarge;
  }
}

void CPUKernelCode::emitFence() {
  if (!writesPastCaches)
    return;
  for (BlockArgument output : kernel.getArguments().take_back(kernel.getNumResults()))
    if (Value isLarge = memoryOf(output).isLarge)
      code.ifThen(isLarge, [&] {
        LLVM::FenceOp::create(code.builder, code.loc, LLVM::AtomicOrdering::seq_cst, /*syncscope=*/StringRef());
      });
}

/// Where temporaries lie in memory that begins at any place.
struct CPUKernelCode::Layout {
  Value bytes;
  SmallVector<std::pair<TensorMemory *, Value>> offsets;
  Value extraOffset;

  bool isEmpty() const { return offsets.empty() && !extraOffset; }
  /// The number of bytes, if it is known and not too many for the stack.
  std::optional<int64_t> getStackBytes() const {
    std::optional<int64_t> known = constantOf(bytes);
    return known && *known <= maxStackBytes ? known : std::nullopt;
  }
};

CPUKernelCode::Layout CPUKernelCode::layOut(ArrayRef<tensor::EmptyOp> temporaries) {
  Layout layout{code.index(0), {}, {}};
  auto reserve = [&](Value size) {
    Value offset = layout.bytes;
    layout.bytes = code.add(offset, code.mul(code.ceilDiv(size, scratchAlignment), code.index(scratchAlignment)));
    return offset;
  };
  for (tensor::EmptyOp temporary : temporaries) {
    TensorMemory &memory = memoryOf(temporary.getResult());
    if (rows > 0 && memory.dims.size() <= rows) {
      memory.isScalar = true;
      continue;
    }
    Value elements = code.product(ArrayRef(memory.dims).drop_front(rows));
    Value size = code.mul(elements, code.index(getStoredBytes(memory.elementType)));
    layout.offsets.emplace_back(&memory, reserve(size));
  }
  if (extraScratchBytes)
    layout.extraOffset = reserve(extraScratchBytes);
  return layout;
}

Value CPUKernelCode::emitScratchBytes(ArrayRef<tensor::EmptyOp> temporaries) {
  Layout layout = layOut(temporaries);
  return layout.isEmpty() || layout.getStackBytes() ? code.index(0) : code.max(layout.bytes, code.index(1));
}

void CPUKernelCode::withTemporaries(ArrayRef<tensor::EmptyOp> temporaries, function_ref<void()> body) {
  Layout layout = layOut(temporaries);
  if (layout.isEmpty())
    return body();

  OpBuilder &b = code.builder;
  Type byte = b.getI8Type();
  auto place = [&](Value scratch) {
    for (auto [memory, offset] : layout.offsets)
      memory->base = addressOf(code, scratch, byte, offset);
    if (layout.extraOffset)
      extraScratch = addressOf(code, scratch, byte, layout.extraOffset);
    body();
  };
  if (std::optional<int64_t> known = layout.getStackBytes()) {
    place(emitStackMemory(std::max<int64_t>(*known, 1)));
    return;
  }
  Value size = code.toInt64(code.max(layout.bytes, code.index(1)));
  Value scratch = callScratch(code, context, size);
  Value null = LLVM::ZeroOp::create(b, code.loc, scratch.getType());
  Value isThere = LLVM::ICmpOp::create(b, code.loc, LLVM::ICmpPredicate::ne, scratch, null);
  auto branch = scf::IfOp::create(b, code.loc, isThere, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  recordError(arith::ConstantIntOp::create(b, code.loc, -1, 64), size);
  b.setInsertionPointToStart(branch.thenBlock());
  place(scratch);
}

Value CPUKernelCode::emitStackMemory(int64_t bytes) {
  OpBuilder &b = code.builder;
  OpBuilder::InsertionGuard guard(b);
  // Elsewhere the stack would grow each time.
  Block *block = b.getInsertionBlock();
  while (!isa<func::FuncOp>(block->getParentOp()))
    block = block->getParentOp()->getBlock();
  b.setInsertionPointToStart(block);
  Value count = arith::ConstantIntOp::create(b, code.loc, bytes, 64);
  return LLVM::AllocaOp::create(b, code.loc, context.getType(), b.getI8Type(), count, scratchAlignment);
}

void CPUKernelCode::recordError(Value guard, ValueRange values) {
  ErrorPlace place{offsetof(DynRunContext, errorState), offsetof(DynRunContext, error)};
  callRecordError(code, kernel->getParentOfType<ModuleOp>(), place, context, guard, values);
}

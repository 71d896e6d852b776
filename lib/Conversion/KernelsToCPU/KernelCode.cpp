//===- A kernel while its functions are built ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelCode.h"
#include "RunContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn::cpu;

/// Temporaries of at most this many bytes live on the stack.
static constexpr int64_t maxStackBytes = 16 * 1024;
static constexpr int64_t scratchAlignment = 64;

SmallVector<Type> dyn::cpu::lowerArgumentTypes(func::FuncOp kernel) {
  SmallVector<Type> types;
  Builder builder(kernel.getContext());
  for (Type type : kernel.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    types.push_back(tensor ? LLVM::LLVMPointerType::get(kernel.getContext()) : type);
    if (tensor)
      types.append(tensor.getNumDynamicDims(), builder.getIndexType());
  }
  return types;
}

KernelCode::KernelCode(func::FuncOp kernel, func::FuncOp function, OpBuilder &builder, Role role, unsigned vectorBits,
                       unsigned rows)
    : kernel(kernel), code(builder, kernel.getLoc()), vectorBits(vectorBits), rows(rows) {
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  auto next = entry->args_begin();
  if (role == Role::Run) {
    context = *next++;
    begin = *next++;
    end = *next++;
  }
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type) {
      scalars.map(argument, *next++);
      continue;
    }
    Value base = *next++;
    SmallVector<Value> dims;
    for (int64_t size : type.getShape())
      dims.push_back(ShapedType::isDynamic(size) ? Value(*next++) : code.index(size));
    describe(argument, base, dims, /*heldRows=*/0);
  }
  mapIndexArithmetic();
}

TensorMemory &KernelCode::describe(Value tensor, Value base, ValueRange dims, unsigned heldRows) {
  auto memory = std::make_unique<TensorMemory>();
  memory->base = base;
  memory->elementType = cast<RankedTensorType>(tensor.getType()).getElementType();
  memory->dims = llvm::to_vector(dims);
  memory->strides = rowMajorStrides(code, dims, heldRows);
  return *(memories[tensor] = std::move(memory));
}

void KernelCode::mapIndexArithmetic() {
  for (Operation &op : kernel.getBody().front()) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      SmallVector<Value> dims;
      unsigned dynamic = 0;
      for (int64_t size : empty.getType().getShape())
        dims.push_back(ShapedType::isDynamic(size) ? scalars.lookup(empty.getDynamicSizes()[dynamic++])
                                                   : code.index(size));
      describe(empty, Value(), dims, rows);
      continue;
    }
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      if (std::optional<int64_t> place = dim.getConstantIndex())
        scalars.map(dim.getResult(), memoryOf(dim.getSource()).dims[*place]);
      continue;
    }
    bool isScalar = op.getNumRegions() == 0 && op.getNumResults() > 0 && isMemoryEffectFree(&op) &&
                    llvm::none_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>) &&
                    llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
    if (isScalar)
      code.builder.clone(op, scalars);
  }
}

TensorMemory &KernelCode::memoryOf(Value tensor) {
  if (auto known = memories.find(tensor); known != memories.end())
    return *known->second;
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return memoryOf(loop.getTiedLoopInit(argument)->get());
  }
  Operation *op = tensor.getDefiningOp();
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return memoryOf(linalgOp.getDpsInitOperand(number)->get());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return memoryOf(loop.getInitArgs()[number]);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return memoryOf(branch.thenYield().getOperand(number));
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return memoryOf(insert.getDest());
  return memoryOf(cast<tensor::InsertSliceOp>(op).getDest());
}

void KernelCode::withTemporaries(ArrayRef<tensor::EmptyOp> temporaries, function_ref<void()> body) {
  Value bytes = code.index(0);
  SmallVector<std::pair<TensorMemory *, Value>> offsets;
  auto reserve = [&](Value size) {
    Value offset = bytes;
    bytes = code.add(bytes, code.mul(code.ceilDiv(size, scratchAlignment), code.index(scratchAlignment)));
    return offset;
  };
  for (tensor::EmptyOp temporary : temporaries) {
    TensorMemory &memory = memoryOf(temporary.getResult());
    if (rows > 0 && memory.dims.size() <= rows) {
      memory.isScalar = true;
      continue;
    }
    Value elements = code.product(ArrayRef(memory.dims).drop_front(rows));
    offsets.emplace_back(&memory, reserve(code.mul(elements, code.index(getStoredBytes(memory.elementType)))));
  }
  Value extraOffset = extraScratchBytes ? reserve(extraScratchBytes) : Value();
  if (offsets.empty() && !extraOffset)
    return body();

  OpBuilder &b = code.builder;
  Type byte = b.getI8Type();
  auto place = [&](Value scratch) {
    for (auto [memory, offset] : offsets)
      memory->base = addressOf(code, scratch, byte, offset);
    if (extraOffset)
      extraScratch = addressOf(code, scratch, byte, extraOffset);
    body();
  };
  std::optional<int64_t> known = constantOf(bytes);
  if (known && *known <= maxStackBytes) {
    place(emitStackMemory(std::max<int64_t>(*known, 1)));
    return;
  }
  Value size = code.toInt64(code.max(bytes, code.index(1)));
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

Value KernelCode::emitStackMemory(int64_t bytes) {
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

void KernelCode::recordError(Value guard, ValueRange values) {
  callRecordError(code, kernel->getParentOfType<ModuleOp>(), context, guard, values);
}

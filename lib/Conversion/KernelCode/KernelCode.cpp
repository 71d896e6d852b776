//===- A kernel while its functions are built ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/KernelCode.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace dyn::codegen;

SmallVector<Type> dyn::codegen::lowerArgumentTypes(func::FuncOp kernel) {
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

KernelCode::KernelCode(func::FuncOp kernel, ValueRange arguments, OpBuilder &builder, unsigned vectorBits,
                       unsigned rows)
    : kernel(kernel), code(builder, kernel.getLoc()), vectorBits(vectorBits), rows(rows) {
  auto next = arguments.begin();
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
    TensorMemory &memory = describe(argument, base, dims, /*heldRows=*/0);
    memory.isArgument = true;
    auto layout = kernel.getArgAttrOfType<AffineMapAttr>(argument.getArgNumber(), DynDialect::kLayoutAttrName);
    if ((memory.panels = layout ? PanelLayout::fromMap(layout.getValue()) : std::nullopt))
      memory.strides = panelStrides(code, dims, *memory.panels);
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

Value KernelCode::valueOf(OpFoldResult size) {
  std::optional<int64_t> constant = getConstantIntValue(size);
  return constant ? code.index(*constant) : scalars.lookup(cast<Value>(size));
}

void KernelCode::describeSlice(tensor::ExtractSliceOp slice) {
  const TensorMemory &source = memoryOf(slice.getSource());
  TensorMemory memory = source;
  memory.repeated.resize(source.dims.size());
  for (auto [dim, size, stride] : llvm::enumerate(slice.getMixedSizes(), slice.getMixedStrides())) {
    memory.dims[dim] = valueOf(size);
    if (isConstantIntValue(stride, 1))
      continue;
    memory.strides[dim] = code.mul(source.strides[dim], valueOf(stride));
    memory.repeated.set(dim);
  }
  memories[slice.getResult()] = std::make_unique<TensorMemory>(std::move(memory));
}

void KernelCode::describeView(Operation *view) {
  const TensorMemory &source = memoryOf(view->getOperand(0));
  SmallVector<Value> dims;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
    for (OpFoldResult size : expand.getMixedOutputShape())
      dims.push_back(valueOf(size));
  } else {
    for (const ReassociationIndices &group : cast<tensor::CollapseShapeOp>(view).getReassociationIndices()) {
      dims.push_back(code.index(1));
      for (int64_t dim : group)
        dims.back() = code.mul(dims.back(), source.dims[dim]);
    }
  }
  describe(view->getResult(0), source.base, dims, /*heldRows=*/0);
}

bool dyn::codegen::isScalar(Operation &op) {
  return op.getNumRegions() == 0 && op.getNumResults() > 0 && isMemoryEffectFree(&op) &&
         llvm::none_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>) &&
         llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
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
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      describeSlice(slice);
      continue;
    }
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      if (std::optional<int64_t> place = dim.getConstantIndex())
        scalars.map(dim.getResult(), memoryOf(dim.getSource()).dims[*place]);
      continue;
    }
    if (isScalar(op))
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

//===- Kernels that run in program order ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/ProgramOrder.h"
#include "dyn/Conversion/KernelCode/Nest.h"
#include "dyn/Conversion/KernelCode/SliceCopy.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn::codegen;

namespace {

class OrderedEmitter {
public:
  explicit OrderedEmitter(KernelCode &kernel) : kernel(kernel), code(kernel.code) {}

  void emitBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      emit(&op);
  }

  Value offsetOf(TensorMemory &memory, ValueRange indices) {
    Value offset = code.index(0);
    for (auto [index, stride] : llvm::zip_equal(indices, memory.strides))
      offset = code.add(offset, code.mul(kernel.scalars.lookup(index), stride));
    return offset;
  }

  void emit(Operation *op) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (!isReductionStart(linalgOp))
        Nest(kernel, FusedOps{{}, linalgOp, {}}).emitAll({});
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      SliceCopy copy(kernel, insert, std::nullopt);
      copy.emitItems(code.index(0), copy.emitItemCount());
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      TensorMemory &memory = kernel.memoryOf(extract.getTensor());
      Lanes offset = Lanes::uniform(offsetOf(memory, extract.getIndices()));
      kernel.scalars.map(extract.getResult(), load(code, memory, offset, Points()).first);
    } else if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
      TensorMemory &memory = kernel.memoryOf(insert.getDest());
      Lanes offset = Lanes::uniform(offsetOf(memory, insert.getIndices()));
      store(code, memory, offset, Lanes::uniform(kernel.scalars.lookup(insert.getScalar())), Points());
    } else if (isa<dyn::shape::BoundOp>(op)) {
      Lanes index = Lanes::uniform(kernel.scalars.lookup(op->getOperand(0)));
      Lanes limit = Lanes::uniform(kernel.scalars.lookup(op->getOperand(1)));
      kernel.scalars.map(op->getResult(0), emitBound(kernel, op, index, limit, Points()).first);
    } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      kernel.scalars.map(dim.getResult(), kernel.memoryOf(dim.getSource()).dims[*dim.getConstantIndex()]);
    } else if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
      kernel.describeView(op);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      emitLoop(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      emitBranch(branch);
    } else if (!isa<tensor::EmptyOp>(op) && !kernel.scalars.contains(op->getResult(0))) {
      // What is not in the entry block has not been cloned yet.
      code.builder.clone(*op, kernel.scalars);
    }
  }

private:
  static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

  /// The mapped values of those of `values` that are no tensors.
  SmallVector<Value> mapScalars(ValueRange values) {
    SmallVector<Value> mapped;
    for (Value value : values)
      if (!isTensor(value))
        mapped.push_back(kernel.scalars.lookup(value));
    return mapped;
  }

  void defineScalars(ValueRange values, ValueRange mapped) {
    unsigned next = 0;
    for (Value value : values)
      if (!isTensor(value))
        kernel.scalars.map(value, mapped[next++]);
  }

  void emitLoop(scf::ForOp loop) {
    auto bound = [&](Value value) { return kernel.scalars.lookup(value); };
    OpBuilder &b = code.builder;
    SmallVector<Value> init = mapScalars(loop.getInitArgs());
    auto copy = scf::ForOp::create(b, loop.getLoc(), bound(loop.getLowerBound()), bound(loop.getUpperBound()),
                                   bound(loop.getStep()), init);
    OpBuilder::InsertionGuard guard(b);
    if (init.empty())
      b.setInsertionPoint(copy.getBody()->getTerminator());
    else
      b.setInsertionPointToEnd(copy.getBody());
    kernel.scalars.map(loop.getInductionVar(), copy.getInductionVar());
    defineScalars(loop.getRegionIterArgs(), copy.getRegionIterArgs());
    emitBlock(*loop.getBody());
    if (!init.empty())
      scf::YieldOp::create(b, loop.getLoc(), mapScalars(loop.getYieldedValues()));
    defineScalars(loop.getResults(), copy.getResults());
  }

  void emitBranch(scf::IfOp branch) {
    OpBuilder &b = code.builder;
    SmallVector<Type> types;
    for (Value result : branch.getResults())
      if (!isTensor(result))
        types.push_back(result.getType());
    auto copy = scf::IfOp::create(b, branch.getLoc(), types, kernel.scalars.lookup(branch.getCondition()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/bool(branch.elseBlock()));
    auto fill = [&](Block *from, Block *to) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(to);
      emitBlock(*from);
      scf::YieldOp::create(b, branch.getLoc(), mapScalars(from->getTerminator()->getOperands()));
    };
    fill(branch.thenBlock(), copy.thenBlock());
    if (branch.elseBlock())
      fill(branch.elseBlock(), copy.elseBlock());
    defineScalars(branch.getResults(), copy.getResults());
  }

  KernelCode &kernel;
  Code &code;
};

} // namespace

LogicalResult dyn::codegen::verifySequential(Block &block) {
  for (Operation &op : block.without_terminator()) {
    auto insert = dyn_cast<tensor::InsertSliceOp>(op);
    bool isView = isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) && isa<scf::ForOp>(op.getParentOp());
    bool isTemporary = isa<tensor::EmptyOp>(op) && isa<func::FuncOp>(op.getParentOp());
    if (isScalar(op) || isTemporary || isView || (insert && insert.hasUnitStride()) ||
        isa<linalg::GenericOp, linalg::FillOp, tensor::ExtractOp, tensor::InsertOp, tensor::DimOp, dyn::shape::BoundOp>(
            op))
      continue;
    if (!isa<scf::ForOp, scf::IfOp>(op))
      return op.emitOpError("has no lowering in a sequential kernel");
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(verifySequential(inner)))
          return failure();
  }
  return success();
}

void dyn::codegen::emitInOrder(KernelCode &kernel) {
  OrderedEmitter(kernel).emitBlock(kernel.kernel.getBody().front());
}

Value dyn::codegen::emitIsWork(KernelCode &kernel) {
  Code &code = kernel.code;
  Value most = code.index(0);
  for (Value output : kernel.kernel.getBody().front().getTerminator()->getOperands())
    most = code.max(most, code.product(kernel.memoryOf(output).dims));
  return code.min(most, code.index(1));
}

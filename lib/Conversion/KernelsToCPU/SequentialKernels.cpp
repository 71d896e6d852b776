//===- Kernels that run in program order, and concatenations ------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelForm.h"
#include "Nest.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn::cpu;

namespace {

/// `tensor.insert_slice` of a whole source with unit strides: copies rows, the longest contiguous pieces.
class SliceCopy {
public:
  /// `axis`: the only dim in which the source may be shorter than the destination; none if that is not known.
  SliceCopy(KernelCode &kernel, tensor::InsertSliceOp op, std::optional<unsigned> axis)
      : kernel(kernel), code(kernel.code), source(kernel.memoryOf(op.getSource())),
        target(kernel.memoryOf(op.getDest())) {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    unsigned sourceDim = 0;
    base = code.index(0);
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    for (unsigned d = 0; d < target.dims.size(); ++d) {
      Value offset = valueOf(offsets[d]);
      base = code.add(base, code.mul(offset, target.strides[d]));
      if (dropped.test(d))
        continue;
      // Behind the axis all is contiguous in both.
      bool joins = axis && d > *axis && !extents.empty();
      Value extent = source.dims[sourceDim++];
      if (joins) {
        extents.back() = code.mul(extents.back(), extent);
        strides.back() = target.strides[d];
      } else {
        extents.push_back(extent);
        strides.push_back(target.strides[d]);
      }
    }
  }

  static constexpr int64_t blockSize = 16384;

  Value emitItemCount() {
    if (extents.empty())
      return code.index(1);
    Value blocks = code.ceilDiv(extents.back(), blockSize);
    return code.mul(code.product(ArrayRef(extents).drop_back()), blocks);
  }

  void emitItems(Value begin, Value end) {
    code.forLoop(begin, end, [&](Value item) {
      if (extents.empty())
        return copy(code.index(0), base, code.index(1));
      Value blocks = code.ceilDiv(extents.back(), blockSize);
      Value from = code.mul(code.rem(item, blocks), code.index(blockSize));
      Value length = code.min(code.sub(extents.back(), from), code.index(blockSize));
      Value row = code.div(item, blocks);
      Value to = code.add(base, from);
      SmallVector<Value> indices = code.delinearize(row, ArrayRef(extents).drop_back());
      for (auto [index, stride] : llvm::zip_equal(indices, ArrayRef(strides).drop_back()))
        to = code.add(to, code.mul(index, stride));
      copy(code.add(code.mul(row, extents.back()), from), to, length);
    });
  }

private:
  Value valueOf(OpFoldResult value) {
    if (auto constant = getConstantIntValue(value))
      return code.index(*constant);
    return kernel.scalars.lookup(cast<Value>(value));
  }

  void copy(Value from, Value to, Value length) {
    unsigned lanes = kernel.vectorBits / 8 / getStoredBytes(source.elementType);
    auto move = [&](Value i, const Points &points) {
      Lanes value = load(code, source, Lanes::linear(code.add(from, i), code.index(1)), points);
      store(code, target, Lanes::linear(code.add(to, i), code.index(1)), value, points);
    };
    Value full = code.sub(length, code.rem(length, code.index(lanes)));
    code.forLoop(code.index(0), full, lanes, {}, [&](Value i, ValueRange) {
      move(i, Points{lanes, {}});
      return SmallVector<Value>();
    });
    code.ifThen(code.isLess(full, length),
                [&] { move(full, Points{lanes, code.maskOf(code.sub(length, full), lanes)}); });
  }

  KernelCode &kernel;
  Code &code;
  TensorMemory &source, &target;
  /// Loops over the source, and the strides of the target.
  SmallVector<Value> extents, strides;
  Value base;
};

/// The items of the pieces, one piece after the other.
class ConcatKernel : public KernelForm {
public:
  ConcatKernel(ArrayRef<tensor::InsertSliceOp> pieces, std::optional<unsigned> axis) : pieces(pieces), axis(axis) {}

  void emitRun(KernelCode &kernel) override {
    Code &code = kernel.code;
    Value start = code.index(0);
    for (tensor::InsertSliceOp piece : pieces) {
      SliceCopy copy(kernel, piece, axis);
      Value count = copy.emitItemCount();
      Value lower = code.max(code.sub(kernel.begin, start), code.index(0));
      Value upper = code.min(code.sub(kernel.end, start), count);
      copy.emitItems(lower, upper);
      start = code.add(start, count);
    }
  }

  Value emitCount(KernelCode &kernel) override {
    Value count = kernel.code.index(0);
    for (tensor::InsertSliceOp piece : pieces)
      count = kernel.code.add(count, SliceCopy(kernel, piece, axis).emitItemCount());
    return count;
  }

  Value emitItemCost(KernelCode &kernel) override {
    // Of an average item.
    Code &code = kernel.code;
    TensorMemory &target = kernel.memoryOf(pieces.front().getDest());
    Value elements = code.product(target.dims);
    return code.div(elements, code.max(emitCount(kernel), code.index(1)));
  }

private:
  SmallVector<tensor::InsertSliceOp> pieces;
  std::optional<unsigned> axis;
};

/// One item that runs the kernel's ops in their order.
class SequentialKernel : public KernelForm {
public:
  explicit SequentialKernel(func::FuncOp function) : function(function) {}

  void emitRun(KernelCode &kernel) override {
    auto temporaries = llvm::to_vector(function.getBody().front().getOps<tensor::EmptyOp>());
    Value isMine = kernel.code.isLess(kernel.begin, kernel.end);
    kernel.code.ifThen(
        isMine, [&] { kernel.withTemporaries(temporaries, [&] { emitBlock(kernel, function.getBody().front()); }); });
  }

  Value emitCount(KernelCode &kernel) override {
    // There is nothing to do where everything that is written is empty.
    Code &code = kernel.code;
    Value most = code.index(0);
    for (Value output : function.getBody().front().getTerminator()->getOperands())
      most = code.max(most, code.product(kernel.memoryOf(output).dims));
    return code.min(most, code.index(1));
  }

  Value emitItemCost(KernelCode &kernel) override { return kernel.code.index(1); }

private:
  void emitBlock(KernelCode &kernel, Block &block) {
    for (Operation &op : block.without_terminator())
      emit(kernel, &op);
  }

  Value offsetOf(KernelCode &kernel, TensorMemory &memory, ValueRange indices) {
    Code &code = kernel.code;
    Value offset = code.index(0);
    for (auto [index, stride] : llvm::zip_equal(indices, memory.strides))
      offset = code.add(offset, code.mul(kernel.scalars.lookup(index), stride));
    return offset;
  }

  void emit(KernelCode &kernel, Operation *op) {
    Code &code = kernel.code;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (!isReductionStart(linalgOp))
        Nest(kernel, FusedOps{{}, linalgOp, {}}).emitAll({});
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      SliceCopy copy(kernel, insert, std::nullopt);
      copy.emitItems(code.index(0), copy.emitItemCount());
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      TensorMemory &memory = kernel.memoryOf(extract.getTensor());
      Lanes offset = Lanes::uniform(offsetOf(kernel, memory, extract.getIndices()));
      kernel.scalars.map(extract.getResult(), load(code, memory, offset, Points()).first);
    } else if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
      TensorMemory &memory = kernel.memoryOf(insert.getDest());
      Lanes offset = Lanes::uniform(offsetOf(kernel, memory, insert.getIndices()));
      store(code, memory, offset, Lanes::uniform(kernel.scalars.lookup(insert.getScalar())), Points());
    } else if (isa<dyn::shape::BoundOp>(op)) {
      Lanes index = Lanes::uniform(kernel.scalars.lookup(op->getOperand(0)));
      Lanes limit = Lanes::uniform(kernel.scalars.lookup(op->getOperand(1)));
      kernel.scalars.map(op->getResult(0), emitBound(kernel, op, index, limit, Points()).first);
    } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      kernel.scalars.map(dim.getResult(), kernel.memoryOf(dim.getSource()).dims[*dim.getConstantIndex()]);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      emitLoop(kernel, loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      emitBranch(kernel, branch);
    } else if (!isa<tensor::EmptyOp>(op) && !kernel.scalars.contains(op->getResult(0))) {
      // What is not in the entry block has not been cloned yet.
      code.builder.clone(*op, kernel.scalars);
    }
  }

  static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

  /// The mapped values of those of `values` that are no tensors.
  static SmallVector<Value> mapScalars(KernelCode &kernel, ValueRange values) {
    SmallVector<Value> mapped;
    for (Value value : values)
      if (!isTensor(value))
        mapped.push_back(kernel.scalars.lookup(value));
    return mapped;
  }

  static void defineScalars(KernelCode &kernel, ValueRange values, ValueRange mapped) {
    unsigned next = 0;
    for (Value value : values)
      if (!isTensor(value))
        kernel.scalars.map(value, mapped[next++]);
  }

  void emitLoop(KernelCode &kernel, scf::ForOp loop) {
    auto bound = [&](Value value) { return kernel.scalars.lookup(value); };
    OpBuilder &b = kernel.code.builder;
    SmallVector<Value> init = mapScalars(kernel, loop.getInitArgs());
    auto copy = scf::ForOp::create(b, loop.getLoc(), bound(loop.getLowerBound()), bound(loop.getUpperBound()),
                                   bound(loop.getStep()), init);
    OpBuilder::InsertionGuard guard(b);
    if (init.empty())
      b.setInsertionPoint(copy.getBody()->getTerminator());
    else
      b.setInsertionPointToEnd(copy.getBody());
    kernel.scalars.map(loop.getInductionVar(), copy.getInductionVar());
    defineScalars(kernel, loop.getRegionIterArgs(), copy.getRegionIterArgs());
    emitBlock(kernel, *loop.getBody());
    if (!init.empty())
      scf::YieldOp::create(b, loop.getLoc(), mapScalars(kernel, loop.getYieldedValues()));
    defineScalars(kernel, loop.getResults(), copy.getResults());
  }

  void emitBranch(KernelCode &kernel, scf::IfOp branch) {
    OpBuilder &b = kernel.code.builder;
    SmallVector<Type> types;
    for (Value result : branch.getResults())
      if (!isTensor(result))
        types.push_back(result.getType());
    auto copy = scf::IfOp::create(b, branch.getLoc(), types, kernel.scalars.lookup(branch.getCondition()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/bool(branch.elseBlock()));
    auto fill = [&](Block *from, Block *to) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(to);
      emitBlock(kernel, *from);
      scf::YieldOp::create(b, branch.getLoc(), mapScalars(kernel, from->getTerminator()->getOperands()));
    };
    fill(branch.thenBlock(), copy.thenBlock());
    if (branch.elseBlock())
      fill(branch.elseBlock(), copy.elseBlock());
    defineScalars(kernel, branch.getResults(), copy.getResults());
  }

  func::FuncOp function;
};

} // namespace

std::unique_ptr<KernelForm> dyn::cpu::matchConcatKernel(func::FuncOp kernel) {
  auto pieces = llvm::to_vector(kernel.getBody().front().getOps<tensor::InsertSliceOp>());
  if (pieces.empty())
    return nullptr;
  std::optional<unsigned> axis;
  bool isAxisKnown = true;
  for (tensor::InsertSliceOp piece : pieces) {
    if (!isa<BlockArgument>(piece.getSource()) || !piece.hasUnitStride())
      return nullptr;
    isAxisKnown &= piece.getSourceType().getRank() == piece.getDestType().getRank();
    for (auto [d, offset] : llvm::enumerate(piece.getMixedOffsets())) {
      if (isConstantIntValue(offset, 0))
        continue;
      isAxisKnown &= !axis || *axis == d;
      axis = d;
    }
  }
  if (!axis && pieces.size() == 1)
    axis = 0;
  return std::make_unique<ConcatKernel>(pieces, isAxisKnown ? axis : std::nullopt);
}

/// Whether every op is one that `SequentialKernel` knows; says which is not.
static LogicalResult verifySequential(Block &block) {
  for (Operation &op : block.without_terminator()) {
    bool isScalar = op.getNumRegions() == 0 && op.getNumResults() > 0 && isMemoryEffectFree(&op) &&
                    llvm::none_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>) &&
                    llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
    auto insert = dyn_cast<tensor::InsertSliceOp>(op);
    bool isTemporary = isa<tensor::EmptyOp>(op) && isa<func::FuncOp>(op.getParentOp());
    if (isScalar || isTemporary || (insert && insert.hasUnitStride()) ||
        isa<linalg::GenericOp, linalg::FillOp, tensor::ExtractOp, tensor::InsertOp, tensor::DimOp, dyn::shape::BoundOp>(
            op))
      continue;
    if (!isa<scf::ForOp, scf::IfOp>(op))
      return op.emitOpError("has no CPU lowering in a sequential kernel");
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(verifySequential(inner)))
          return failure();
  }
  return success();
}

std::unique_ptr<KernelForm> dyn::cpu::matchSequentialKernel(func::FuncOp kernel) {
  if (failed(verifySequential(kernel.getBody().front())))
    return nullptr;
  return std::make_unique<SequentialKernel>(kernel);
}

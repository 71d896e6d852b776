//===- The ops of a row, computed by a block ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RowStages.h"
#include "dyn/Conversion/KernelCode/Body.h"
#include "dyn/Conversion/KernelCode/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn::gpu;

std::optional<int64_t> RowStages::getRowSize(ArrayRef<linalg::LinalgOp> stages, unsigned rows) {
  int64_t most = 1;
  for (linalg::LinalgOp stage : stages) {
    int64_t size = 1;
    for (int64_t extent : ArrayRef(stage.getStaticLoopRanges()).drop_front(rows)) {
      if (ShapedType::isDynamic(extent))
        return std::nullopt;
      size *= std::max<int64_t>(extent, 1);
      if (size > (int64_t(1) << 31))
        return std::nullopt;
    }
    most = std::max(most, size);
  }
  return most;
}

SmallVector<Value> RowStages::getExtents(KernelCode &kernel, linalg::LinalgOp op) {
  Values extents(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [result, dim] : llvm::zip_equal(map.getResults(), kernel.memoryOf(operand.get()).dims))
      if (auto loop = dyn_cast<AffineDimExpr>(result)) {
        Value &extent = extents[loop.getPosition()];
        if (!extent || (!constantOf(extent) && constantOf(dim)))
          extent = dim;
      }
  }
  return extents;
}

Value RowStages::emitRowSize(KernelCode &kernel, ArrayRef<linalg::LinalgOp> stages, unsigned rows) {
  Value most = kernel.code.index(1);
  for (linalg::LinalgOp stage : stages)
    most = kernel.code.max(most, kernel.code.product(ArrayRef(getExtents(kernel, stage)).drop_front(rows)));
  return most;
}

/// The value of an indexing expression: a sum of loops times constants.
static Value emitIndex(Code &code, AffineExpr expr, ArrayRef<Value> loops) {
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return loops[loop.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return code.index(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = emitIndex(code, binary.getLHS(), loops), rhs = emitIndex(code, binary.getRHS(), loops);
  return binary.getKind() == AffineExprKind::Add ? code.add(lhs, rhs) : code.mul(lhs, rhs);
}

/// `outer * extent + index`; what `delinearize` made of one number becomes that again, without the division.
static Value linearize(Code &code, Value outer, Value extent, Value index) {
  auto isSame = [](Value a, Value b) { return a == b || (constantOf(a) && constantOf(a) == constantOf(b)); };
  Value rows, last = outer;
  if (auto sum = outer.getDefiningOp<arith::AddIOp>()) {
    rows = sum.getLhs();
    last = sum.getRhs();
  }
  auto quotient = last.getDefiningOp<arith::DivUIOp>();
  auto remainder = index.getDefiningOp<arith::RemUIOp>();
  if (!quotient || !remainder || quotient.getLhs() != remainder.getLhs() || !isSame(quotient.getRhs(), extent) ||
      !isSame(remainder.getRhs(), extent))
    return code.add(code.mul(outer, extent), index);
  return rows ? code.add(code.mul(rows, extent), quotient.getLhs()) : quotient.getLhs();
}

Value RowStages::readElement(Value tensor, ArrayRef<Value> indices) {
  if (Value known = ofRow.lookup(tensor))
    return known;
  if (isa<BlockArgument>(tensor)) {
    TensorMemory &memory = kernel.memoryOf(tensor);
    Value offset = code.index(0);
    if (memory.panels || memory.gapBefore || memory.repeated.any())
      for (auto [index, stride] : llvm::zip_equal(indices, memory.strides))
        offset = code.add(offset, code.mul(index, stride));
    else
      for (auto [index, dim] : llvm::zip_equal(indices, memory.dims))
        offset = linearize(code, offset, dim, index);
    return load(code, memory, Lanes::uniform(offset), Points()).first;
  }
  auto producer = cast<linalg::LinalgOp>(tensor.getDefiningOp());
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  AffineMap map = producer.getMatchingIndexingMap(producer.getDpsInitOperand(number));
  Values loops(producer.getNumLoops());
  for (auto [result, index] : llvm::zip_equal(map.getResults(), indices))
    loops[cast<AffineDimExpr>(result).getPosition()] = index;
  return compute(producer, loops)[number];
}

Value RowStages::readOperand(linalg::LinalgOp op, OpOperand &operand, ArrayRef<Value> loops) {
  if (!isa<RankedTensorType>(operand.get().getType()))
    return kernel.scalars.lookup(operand.get());
  Values indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    indices.push_back(emitIndex(code, expr, loops));
  return readElement(operand.get(), indices);
}

RowStages::Values RowStages::evaluate(linalg::LinalgOp op, ArrayRef<Value> loops, ValueRange outputs) {
  SmallVector<Lanes> arguments, indices;
  for (OpOperand *input : op.getDpsInputOperands())
    arguments.push_back(Lanes::uniform(readOperand(op, *input, loops)));
  for (Value output : outputs)
    arguments.push_back(Lanes::uniform(output));
  // Without reductions nothing reads old values.
  arguments.resize(op.getBlock()->getNumArguments());
  for (Value loop : loops)
    indices.push_back(Lanes::uniform(loop));
  return llvm::map_to_vector(emitBody(kernel, *op.getBlock(), arguments, indices, Points()),
                             [](const Lanes &value) { return value.first; });
}

RowStages::Values RowStages::readStarts(linalg::LinalgOp op, ArrayRef<Value> loops) {
  Values starts;
  for (OpOperand &init : op.getDpsInitsMutable())
    starts.push_back(readOperand(op, init, loops));
  return starts;
}

RowStages::Values RowStages::compute(linalg::LinalgOp op, ArrayRef<Value> loops) {
  if (op.getNumReductionLoops() == 0)
    return evaluate(op, loops, {});
  return runReductions(op, op.getNumParallelLoops(), loops, getExtents(kernel, op), readStarts(op, loops));
}

RowStages::Values RowStages::runReductions(linalg::LinalgOp op, unsigned next, ArrayRef<Value> loops,
                                           ArrayRef<Value> extents, ValueRange carried) {
  if (next == op.getNumLoops())
    return evaluate(op, loops, carried);
  return code.forLoop(code.index(0), extents[next], 1, carried, [&](Value index, ValueRange values) {
    Values inner(loops);
    inner[next] = index;
    return runReductions(op, next + 1, inner, extents, values);
  });
}

RowStages::Values RowStages::reduceRow(linalg::LinalgOp op, ArrayRef<Value> row) {
  OpBuilder &b = code.builder;
  SmallVector<Reduction> reductions;
  for (unsigned output = 0; output < op.getNumDpsInits(); ++output)
    if (auto reduction = matchReduction(*op.getBlock(), op.getNumDpsInputs(), output))
      reductions.push_back(*reduction);
  Values loops(row);
  loops.resize(op.getNumLoops());
  // Parts of a reduction of another kind cannot be combined: each thread runs all of it.
  if (static_cast<int64_t>(reductions.size()) != op.getNumDpsInits()) {
    std::optional<Selection> selection = matchSelection(*op.getBlock(), op.getNumDpsInputs());
    return selection ? selectInRow(op, row, *selection) : compute(op, loops);
  }

  Values extents = getExtents(kernel, op), identities;
  ArrayRef<Value> reduced = ArrayRef(extents).drop_front(rows);
  for (const Reduction &reduction : reductions)
    identities.push_back(arith::ConstantOp::create(b, code.loc, reduction.identity));
  auto combine = [&](ValueRange lhs, ValueRange rhs) {
    Values results;
    for (auto [reduction, left, right] : llvm::zip_equal(reductions, lhs, rhs)) {
      Operation *copy = reduction.combiner->clone();
      copy->setOperands({left, right});
      results.push_back(b.insert(copy)->getResult(0));
    }
    return results;
  };
  auto evaluateItem = [&](Value item, ValueRange carried) {
    Values inner(row);
    llvm::append_range(inner, code.delinearize(item, reduced));
    return evaluate(op, inner, carried);
  };
  Value count = code.product(reduced);
  Values parts = isLight() ? kernel.reduceInBlock(count, identities, evaluateItem, combine)
                           : kernel.forEachInBlock(count, identities, evaluateItem);
  return combine(kernel.reduceOverBlock(parts, combine), readStarts(op, loops));
}

/// Whether what computes an element may stand in a kernel several times.
bool RowStages::isLight() const {
  int64_t cost = 0;
  for (linalg::LinalgOp stage : stages)
    cost += estimateCost(*stage.getBlock());
  return cost <= 100;
}

RowStages::Values RowStages::selectInRow(linalg::LinalgOp op, ArrayRef<Value> row, const Selection &selection) {
  OpBuilder &b = code.builder;
  Values loops(row), extents = getExtents(kernel, op);
  loops.resize(op.getNumLoops());
  ArrayRef<Value> reduced = ArrayRef(extents).drop_front(rows);
  // Each thread starts as the row does, and knows where the element that it keeps stands: equal ones are told apart by
  // that, whichever threads have them.
  Values starts = readStarts(op, loops);
  starts.push_back(arith::ConstantIntOp::create(b, code.loc, -1, 64));
  // The same op, which also yields whether an element is taken.
  Operation *copy = op->clone();
  auto withTake = cast<linalg::LinalgOp>(copy);
  Operation *yield = withTake.getBlock()->getTerminator();
  yield->insertOperands(yield->getNumOperands(), yield->getOperand(0).getDefiningOp<arith::SelectOp>().getCondition());
  Values parts = kernel.forEachInBlock(code.product(reduced), starts, [&](Value item, ValueRange carried) {
    Values inner(row);
    llvm::append_range(inner, code.delinearize(item, reduced));
    Values next = evaluate(withTake, inner, carried.drop_back());
    next.back() = arith::SelectOp::create(b, code.loc, next.back(), code.toInt64(item), carried.back());
    return next;
  });
  copy->erase();
  Values results = kernel.reduceOverBlock(parts, [&](ValueRange lhs, ValueRange rhs) -> Values {
    Value isInOrder = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::sle, lhs.back(), rhs.back());
    Values earlier, later;
    for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
      earlier.push_back(arith::SelectOp::create(b, code.loc, isInOrder, left, right));
      later.push_back(arith::SelectOp::create(b, code.loc, isInOrder, right, left));
    }
    // Without ranks the later one stays; if it is none, both are.
    if (!selection.ranked)
      return later;
    Value take = selection.emitTake(b, later[*selection.ranked], earlier[*selection.ranked]);
    return llvm::map_to_vector(llvm::zip_equal(later, earlier), [&](auto pair) -> Value {
      return arith::SelectOp::create(b, code.loc, take, std::get<0>(pair), std::get<1>(pair));
    });
  });
  results.pop_back();
  return results;
}

bool RowStages::isReturned(Value result) {
  return llvm::is_contained(kernel.kernel.getBody().front().getTerminator()->getOperands(), result);
}

void RowStages::store(linalg::LinalgOp op, ArrayRef<Value> loops, ValueRange values) {
  for (auto [result, init, value] : llvm::zip_equal(op->getResults(), op.getDpsInitsMutable(), values)) {
    if (!isReturned(result))
      continue;
    TensorMemory &memory = kernel.memoryOf(result);
    Value offset = code.index(0);
    for (auto [expr, stride] : llvm::zip_equal(op.getMatchingIndexingMap(&init).getResults(), memory.strides))
      offset = code.add(offset, code.mul(emitIndex(code, expr, loops), stride));
    codegen::store(code, memory, Lanes::uniform(offset), Lanes::uniform(value), Points());
  }
}

void RowStages::emitRow(ArrayRef<Value> row) {
  ofRow.clear();
  for (linalg::LinalgOp op : stages) {
    bool isStored = llvm::any_of(op->getResults(), [&](Value result) { return isReturned(result); });
    if (op.getNumParallelLoops() == rows) {
      auto isFirst = [&] {
        return arith::CmpIOp::create(code.builder, code.loc, arith::CmpIPredicate::eq, kernel.thread, code.index(0));
      };
      // What nobody reads may be in the place of an operand: then only the thread that writes it reads that.
      if (!op.getNumReductionLoops() && llvm::all_of(op->getUsers(), llvm::IsaPred<func::ReturnOp>)) {
        code.ifThen(isFirst(), [&] { store(op, row, evaluate(op, row, {})); });
        continue;
      }
      Values values = op.getNumReductionLoops() ? reduceRow(op, row) : evaluate(op, row, {});
      for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
        ofRow[result] = value;
      if (isStored)
        code.ifThen(isFirst(), [&] { store(op, row, values); });
      continue;
    }
    if (!isStored)
      continue;
    Values extents = getExtents(kernel, op);
    ArrayRef<Value> inner = ArrayRef(extents).slice(rows, op.getNumParallelLoops() - rows);
    kernel.forEachInBlock(code.product(inner), [&](Value item) {
      Values loops(row);
      llvm::append_range(loops, code.delinearize(item, inner));
      loops.resize(op.getNumLoops());
      store(op, loops, compute(op, loops));
    });
  }
}

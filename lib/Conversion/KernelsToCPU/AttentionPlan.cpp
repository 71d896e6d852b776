//===- How an attention is divided and what it keeps --------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AttentionPlan.h"

using namespace mlir;
using namespace dyn::cpu;
using linalg::GenericOp;

AttentionPlan::AttentionPlan(CPUKernelCode &kernel, Attention &attention)
    : kernel(kernel), code(kernel.code), attention(attention),
      scoreTiles(kernel, attention.scores, 1 - attention.keyOperand, attention.keyOperand, /*isFlat=*/false,
                 TileFunctions::Operands::Widened),
      valueTiles(kernel, attention.values, 1 - attention.valueOperand, attention.valueOperand, /*isFlat=*/false,
                 TileFunctions::Operands::Widened),
      plainValueTiles(kernel, attention.values, 1 - attention.valueOperand, attention.valueOperand, /*isFlat=*/false,
                      TileFunctions::Operands::LeftWidened),
      queries(operandOf(attention.scores, *attention.scores.getDpsInputOperand(1 - attention.keyOperand))),
      keys(operandOf(attention.scores, *attention.scores.getDpsInputOperand(attention.keyOperand))),
      values(operandOf(attention.values, *attention.values.getDpsInputOperand(attention.valueOperand))) {
  auto extentOf = [](const Operand &operand, unsigned loop) {
    for (auto [dim, expr] : llvm::enumerate(operand.map.getResults()))
      if (auto index = dyn_cast<AffineDimExpr>(expr); index && index.getPosition() == loop)
        return operand.memory->dims[dim];
    return Value();
  };
  ArrayRef<Value> scoreDims = kernel.memoryOf(attention.getScores()).dims;
  rowCount = code.index(1);
  for (auto [dim, loop] : llvm::enumerate(attention.loopOfScoreDim)) {
    if (loop == attention.queryLoop)
      rowCount = scoreDims[dim];
    else if (loop != attention.keyLoop)
      outerExtents.push_back(scoreDims[dim]);
  }
  keyCount = extentOf(keys, attention.keyLoop);
  depth = extentOf(keys, attention.depthLoop);
  columnCount = extentOf(values, attention.columnLoop);
  rowBlocks = code.ceilDiv(rowCount, maxItemRows);
  panels = code.ceilDiv(columnCount, valueTiles.columns());
}

Value AttentionPlan::emitCost() {
  Value rows = code.min(rowCount, code.index(maxItemRows));
  Value perKey = code.add(code.ceilDiv(code.add(depth, columnCount), scoreTiles.lanes), code.index(4));
  return code.mul(rows, code.mul(keyCount, perKey));
}

AttentionPlan::Operand AttentionPlan::operandOf(GenericOp op, OpOperand &operand) {
  return {&kernel.memoryOf(operand.get()), op.getMatchingIndexingMap(&operand)};
}

Lanes AttentionPlan::offsetOf(const Operand &operand, ArrayRef<Lanes> loops, const Points &points) {
  Lanes offset = Lanes::uniform(code.index(0));
  auto indexOf = [&](AffineExpr expr) -> Lanes {
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      return loops[loop.getPosition()];
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return Lanes::uniform(code.index(constant.getValue()));
    auto quotient = cast<AffineBinaryOpExpr>(expr);
    return Lanes::uniform(code.div(loops[cast<AffineDimExpr>(quotient.getLHS()).getPosition()].first,
                                   code.index(cast<AffineConstantExpr>(quotient.getRHS()).getValue())));
  };
  for (auto [expr, stride] : llvm::zip_equal(operand.map.getResults(), operand.memory->strides))
    offset = code.add(offset, code.mul(indexOf(expr), stride, points), points);
  return offset;
}

Value AttentionPlan::strideOf(const Operand &operand, unsigned loop) {
  for (auto [expr, stride] : llvm::zip_equal(operand.map.getResults(), operand.memory->strides))
    if (auto index = dyn_cast<AffineDimExpr>(expr); index && index.getPosition() == loop)
      return stride;
  return code.index(0);
}

SmallVector<Lanes> AttentionPlan::loopsOfValues(ArrayRef<Lanes> at, Value first, const Lanes &column) {
  SmallVector<Lanes> loops;
  for (unsigned loop : attention.scoresLoopOf)
    loops.push_back(loop == ~0u ? column : loop == attention.keyLoop ? Lanes::uniform(first) : at[loop]);
  return loops;
}

Value AttentionPlan::addressAt(const Operand &operand, ArrayRef<Lanes> loops) {
  return addressOf(code, operand.memory->base, operand.memory->elementType, offsetOf(operand, loops, Points()).first);
}

Lanes AttentionPlan::evaluate(GenericOp op, GenericOp producer, const Lanes &computed, ArrayRef<Lanes> loops,
                              const Points &points) {
  SmallVector<Lanes> arguments;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (input->get() == producer->getResult(0))
      arguments.push_back(computed);
    else if (!isa<RankedTensorType>(input->get().getType()))
      arguments.push_back(Lanes::uniform(kernel.scalars.lookup(input->get())));
    else {
      Operand operand = operandOf(op, *input);
      arguments.push_back(load(code, *operand.memory, offsetOf(operand, loops, points), points));
    }
  }
  // A generic without reductions does not read what was there.
  arguments.resize(op.getBlock()->getNumArguments());
  return emitBody(kernel, *op.getBlock(), arguments, loops, points).front();
}

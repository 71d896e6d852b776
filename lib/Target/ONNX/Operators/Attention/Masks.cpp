//===- What decides how far places count in attention ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Masks.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "AttentionParts.h"
#include "dyn/Analysis/ForwardShapes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

void Masks::addBias(size_t operand, Value asking, Value length) {
  if (!node.hasOperand(operand))
    return;
  Value bias = node.getOperand(operand);
  holdSizes(node, getDims(node, bias, 2, 4), node.concat(0, {asking, length}),
            "places of `" + node.node.inputs[operand] + "` and of queries and keys", 2);
  add(bias);
}

LogicalResult Masks::addMask(size_t operand, Value asking, Value length) {
  if (!node.hasOperand(operand))
    return success();
  Value mask = node.getOperand(operand);
  int64_t rank = node.requireRank(operand);
  if (node.hasFailed())
    return failure();
  if (rank == 2 || rank == 3) {
    Value batch = getDims(node, q, 0, 1);
    holdSizes(node, node.shapeOf(mask),
              node.concat(0, rank == 2 ? SmallVector<Value>{batch, length} : SmallVector<Value>{batch, asking, length}),
              "dims of `" + node.node.inputs[operand] + "` and the batch and places", rank);
    Value stays = node.compare(CompareDirection::GT, mask, node.scalar(0, mask));
    addWhereNot(rank == 2 ? node.unsqueeze(stays, {1, 2}) : node.unsqueeze(stays, 1), filter);
    return success();
  }
  if (rank != 1)
    return node.error("a mask of rank " + Twine(rank) + " is not supported");
  // Where the places that count end.
  addLengths(node.cast(mask, node.builder.getI64Type()), length, filter);
  return success();
}

bool Masks::isProved(Value size, Value other) {
  Value equal = node.compare(CompareDirection::EQ, asScalar(node, size), asScalar(node, other));
  return node.graphs.getShapes().findTruth(equal).value_or(false);
}

LogicalResult Masks::addIndex(size_t operand, Value asking, Value length) {
  if (!node.hasOperand(operand))
    return success();
  Value mask = node.getOperand(operand), batch = getDims(node, q, 0, 1);
  int64_t rank = node.requireRank(operand);
  if (node.hasFailed())
    return failure();
  // What pruning leaves of a mask: onnxruntime takes it as none, whatever is in it.
  if (rank == 2 && isProved(getDims(node, mask, 1, 2), node.i64Vector({1}))) {
    Value column = fill(node, node.concat(0, {batch, node.i64Vector({1})}), 2, 0, node.builder.getI1Type());
    if (Value held = node.expandLike(mask, column); held != mask)
      explainGuards(node, held,
                    node.node.opType + ": rows of `" + node.node.inputs[operand] + "`, one or the batch of `" +
                        node.node.inputs[0] + "`");
    return success();
  }
  Value twice = node.mul(batch, node.i64Vector({2}));
  if (rank != 1 || isProved(getDims(node, mask, 0, 1), batch) || !isProved(getDims(node, mask, 0, 1), twice))
    return addMask(operand, asking, length);
  Value halves =
      node.reshapeTo(node.cast(mask, node.builder.getI64Type()), node.concat(0, {node.i64Vector({2}), batch}),
                     /*allowZero=*/true);
  Value places = countTo(node, asScalar(node, length));
  auto compare = [&](CompareDirection direction, int64_t half) {
    Value bounds = node.gather(halves, node.i64Scalar(half), 0);
    return node.compare(direction, places, node.unsqueeze(bounds, {1, 2, 3}));
  };
  addWhereNot(node.binary<AndOp>(compare(CompareDirection::LT, 0), compare(CompareDirection::GE, 1)), filter);
  return success();
}

double Masks::getLeast() const {
  return -APFloat::getLargest(cast<FloatType>(type).getFloatSemantics()).convertToDouble();
}

void Masks::addLengths(Value ends, Value length, std::optional<double> otherwise) {
  Value places = countTo(node, asScalar(node, length));
  Value stays = node.compare(CompareDirection::LT, places, node.unsqueeze(fitToAxis(node, ends, q, 0), {1, 2, 3}));
  addWhereNot(stays, otherwise.value_or(getLeast()));
}

void Masks::addCausal(Value asking, Value asked, Value past) {
  Value rows = node.unsqueeze(node.add(countTo(node, asScalar(node, asking)), asScalar(node, past)), 1);
  addWhereNot(node.compare(CompareDirection::LE, countTo(node, asScalar(node, asked)), rows), getLeast());
}

Value onnx::attend(NodeImport &node, Value q, Value k, Value v, Value mask, Value *scores) {
  Value sums = node.matmul(q, node.transposeLast(k, 4));
  sums = node.cast(node.mul(sums, getScale(node, q)), getComputeType(q));
  if (mask)
    sums = node.add(sums, node.expandLike(mask, sums));
  if (scores)
    *scores = sums;
  return node.matmul(node.cast(emitSoftmax(node, sums, {-1}), NodeImport::getElementType(v)), v);
}

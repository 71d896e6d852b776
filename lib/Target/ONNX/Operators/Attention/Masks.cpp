//===- What decides how far places count in attention ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Masks.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "AttentionParts.h"

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
  // Where the places that count end; with twice as many entries the second half says where they begin.
  Value bounds = node.cast(mask, node.builder.getI64Type()), begins;
  std::optional<SmallVector<int64_t>> size = NodeImport::getConstantInts(getDims(node, q, 0, 1));
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(mask);
  int64_t entries = dims && dims->size() == 1 ? dims->front() : ShapedType::kDynamic;
  if (size && !ShapedType::isDynamic(entries) && entries != size->front()) {
    if (entries != 2 * size->front())
      return node.error("a mask of " + Twine(entries) + " entries for " + Twine(size->front()) +
                        " sequences is not supported");
    begins = node.slice(bounds, size->front(), entries, 0);
    bounds = node.slice(bounds, 0, size->front(), 0);
  }
  if (!begins) {
    addLengths(bounds, length, filter);
    return success();
  }
  Value places = countTo(node, asScalar(node, length));
  Value isBefore = node.compare(CompareDirection::LT, places, node.unsqueeze(fitToAxis(node, bounds, q, 0), {1, 2, 3}));
  Value isBehind = node.compare(CompareDirection::GE, places, node.unsqueeze(begins, {1, 2, 3}));
  addWhereNot(node.binary<AndOp>(isBefore, isBehind), filter);
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

void Masks::addCausal(Value asking, Value asked) {
  Value past = asScalar(node, node.sub(asked, asking));
  Value rows = node.unsqueeze(node.add(countTo(node, asScalar(node, asking)), past), 1);
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

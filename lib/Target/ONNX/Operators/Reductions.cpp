//===- Import of reductions ------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Formulas.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// Which axes a Reduce* node reduces. `none`: the node combines nothing, but still transforms elements.
struct Reduction {
  std::optional<SmallVector<int64_t>> axes;
  bool keepDims;
  bool none = false;
  /// Axes that are not known at import.
  Value given;
};

} // namespace

/// `opset` is the one since which axes are an operand: 13 for ReduceSum, 18 for the others.
static Reduction getReduction(NodeImport &node, int64_t opset) {
  Reduction reduction;
  if (node.getVersion() < opset)
    reduction.axes = node.getInts("axes");
  else if (node.hasOperand(1) && !(reduction.axes = NodeImport::getConstantInts(node.getOperand(1))))
    reduction.given = node.getOperand(1);
  reduction.keepDims = node.getInt("keepdims", 1) != 0;
  if (reduction.axes && reduction.axes->empty())
    reduction.axes.reset();
  // An empty list of axes that is given at run time means the same as none.
  if (reduction.given && NodeImport::getDims(reduction.given) == std::optional(ArrayRef<int64_t>(0)))
    reduction.given = Value();
  if (!reduction.axes)
    reduction.none = node.getInt("noop_with_empty_axes", 0) != 0;
  std::optional<int64_t> rank = NodeImport::getRank(node.getOperand(0));
  if (reduction.axes && rank)
    for (int64_t axis : *reduction.axes)
      (void)node.normalizeAxis(axis, rank);
  return reduction;
}

static Value reduce(NodeImport &node, ReduceKind kind, Value x, const Reduction &reduction) {
  if (reduction.given) {
    std::optional<int64_t> rank = reduction.keepDims ? NodeImport::getRank(x) : std::nullopt;
    Type type = NodeImport::makeDynamicType(rank, NodeImport::getElementType(x));
    return ReduceToOp::create(node.builder, node.loc, type, kind, x, reduction.given, reduction.keepDims,
                              reduction.none);
  }
  if (reduction.none)
    return x;
  return node.reduce(kind, x, reduction.axes ? std::optional<ArrayRef<int64_t>>(*reduction.axes) : std::nullopt,
                     reduction.keepDims);
}

template <ReduceKind kind, int64_t opset>
static LogicalResult importReduce(NodeImport &node) {
  Reduction reduction = getReduction(node, opset);
  Value x = node.getOperand(0);
  // Extremes of booleans are logic: the greatest is true when one is.
  bool isBool = NodeImport::getElementType(x).isInteger(1);
  if (isBool)
    x = node.cast(x, node.builder.getIntegerType(8, /*isSigned=*/false));
  Value result = reduce(node, kind, x, reduction);
  return node.finish(isBool ? node.cast(result, node.builder.getI1Type()) : result);
}

static LogicalResult importReduceL1(NodeImport &node) {
  Reduction reduction = getReduction(node, 18);
  return node.finish(reduce(node, ReduceKind::Sum, node.abs(node.getOperand(0)), reduction));
}

static Value sumOfSquares(NodeImport &node, Value x) {
  Reduction reduction = getReduction(node, 18);
  return reduce(node, ReduceKind::Sum, node.mul(x, x), reduction);
}

/// For roots and logarithms, which 16 bits hold where they do not hold sums and squares: floats, of integers those of
/// 64 bits.
static Value getNumbers(NodeImport &node) {
  Value x = node.getOperand(0);
  return node.cast(x, NodeImport::isFloat(x) ? getComputeType(x) : Type(node.builder.getF64Type()));
}

/// In the type of the operand; of numbers for integers the whole part.
static LogicalResult finishNumbers(NodeImport &node, Value result) {
  return node.finish(node.cast(result, NodeImport::getElementType(node.getOperand(0))));
}

static LogicalResult importReduceL2(NodeImport &node) {
  return finishNumbers(node, node.sqrt(sumOfSquares(node, getNumbers(node))));
}
static LogicalResult importReduceSumSquare(NodeImport &node) {
  return node.finish(sumOfSquares(node, node.getOperand(0)));
}

static LogicalResult importReduceLogSum(NodeImport &node) {
  Reduction reduction = getReduction(node, 18);
  return finishNumbers(node, node.log(reduce(node, ReduceKind::Sum, getNumbers(node), reduction)));
}

/// log(sum(exp(x - m))) + m with m the greatest element, or 0 where that is infinite.
static LogicalResult importReduceLogSumExp(NodeImport &node) {
  Reduction reduction = getReduction(node, 18);
  Value x = getNumbers(node);
  if (reduction.none && !reduction.given)
    return finishNumbers(node, node.log(node.exp(x)));
  Reduction kept = reduction;
  kept.keepDims = true;
  Value greatest = reduce(node, ReduceKind::Max, x, kept);
  Type boolType = NodeImport::makeTypeLike(greatest, node.builder.getI1Type());
  Value infinite = IsInfOp::create(node.builder, node.loc, boolType, greatest, true, true);
  Value offset = node.select(infinite, node.scalar(0, greatest), greatest);
  Value sum = reduce(node, ReduceKind::Sum, node.exp(node.sub(x, offset)), kept);
  Value result = node.add(node.log(sum), offset);
  if (reduction.keepDims)
    return finishNumbers(node, result);
  // Reduced over dims of size 1, so that the axes need no second treatment.
  return finishNumbers(node, reduce(node, ReduceKind::Sum, result, reduction));
}

template <ReduceKind kind>
static LogicalResult importArgReduce(NodeImport &node) {
  Value x = node.getOperand(0);
  std::optional<int64_t> rank = NodeImport::getRank(x);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), rank);
  if (node.hasFailed())
    return failure();
  bool keepDims = node.getInt("keepdims", 1) != 0, last = node.getInt("select_last_index", 0) != 0;
  if (rank && !keepDims)
    rank = *rank - 1;
  Type type = NodeImport::makeDynamicType(rank, node.builder.getI64Type());
  return node.finish(
      ArgReduceOp::create(node.builder, node.loc, type, kind, x, static_cast<uint64_t>(axis), keepDims, last));
}

static Value accumulate(NodeImport &node, Value x, int64_t axis, bool product) {
  bool exclusive = node.getInt("exclusive", 0) != 0, reverse = node.getInt("reverse", 0) != 0;
  return CumSumOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x), x, static_cast<uint64_t>(axis),
                          exclusive, reverse, product);
}

template <bool product>
static LogicalResult importCumulative(NodeImport &node) {
  Value x = node.getOperand(0);
  if (std::optional<SmallVector<int64_t>> axis = NodeImport::getConstantInts(node.getOperand(1))) {
    if (axis->size() != 1)
      return node.error("operand 1 (axis) must have one element");
    int64_t normalized = node.normalizeAxis(axis->front(), NodeImport::getRank(x));
    return node.finish(accumulate(node, x, normalized, product));
  }
  // One of the axes; which of them is seen when it runs.
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  Value axis = asScalar(node, node.cast(node.getOperand(1), node.builder.getI64Type()));
  // Looked up, so that it is in range and counted from the front.
  axis = node.gather(node.i64Vector(llvm::to_vector(llvm::seq<int64_t>(0, rank))), axis, 0);
  Value result = x;
  for (int64_t dim = 0; dim < rank; ++dim)
    result = node.select(node.compare(CompareDirection::EQ, axis, node.i64Scalar(dim)),
                         accumulate(node, x, dim, product), result);
  return node.finish(result);
}

void onnx::registerReductions(OperatorRegistry &registry) {
  registry.add("ReduceSum", 1, 2, importReduce<ReduceKind::Sum, 13>);
  registry.add("ReduceMean", 1, 2, importReduce<ReduceKind::Mean, 18>);
  registry.add("ReduceMax", 1, 2, importReduce<ReduceKind::Max, 18>);
  registry.add("ReduceMin", 1, 2, importReduce<ReduceKind::Min, 18>);
  registry.add("ReduceProd", 1, 2, importReduce<ReduceKind::Prod, 18>);
  registry.add("ReduceL1", 1, 2, importReduceL1);
  registry.add("ReduceL2", 1, 2, importReduceL2);
  registry.add("ReduceSumSquare", 1, 2, importReduceSumSquare);
  registry.add("ReduceLogSum", 1, 2, importReduceLogSum);
  registry.add("ReduceLogSumExp", 1, 2, importReduceLogSumExp);
  registry.add("ArgMax", 1, 1, importArgReduce<ReduceKind::Max>);
  registry.add("ArgMin", 1, 1, importArgReduce<ReduceKind::Min>);
  registry.add("CumSum", 2, 2, importCumulative<false>);
  registry.add("CumProd", 2, 2, importCumulative<true>);
}

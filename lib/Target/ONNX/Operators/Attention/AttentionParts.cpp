//===- What imports of attention share ----------------------------------- ===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AttentionParts.h"
#include "../Formulas.h"
#include "../Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

Value onnx::splitHeads(NodeImport &node, Value x, int64_t heads) {
  Value count = node.i64Vector({heads});
  Value dims = node.concat(0, {getDims(node, x, 0, 2), count, node.div(getDims(node, x, 2, 3), count)});
  constexpr int64_t order[] = {0, 2, 1, 3};
  return node.transpose(node.reshapeTo(x, dims, /*allowZero=*/true), ArrayRef<int64_t>(order));
}

Value onnx::mergeHeads(NodeImport &node, Value x) {
  constexpr int64_t order[] = {0, 2, 1, 3};
  Value placed = node.transpose(x, ArrayRef<int64_t>(order));
  Value width = node.mul(getDims(node, placed, 2, 3), getDims(node, placed, 3, 4));
  return node.reshapeTo(placed, node.concat(0, {getDims(node, placed, 0, 2), width}), /*allowZero=*/true);
}

Value onnx::repeatHeads(NodeImport &node, Value shared, Value heads) {
  Value groups = getDims(node, shared, 1, 2);
  std::optional<SmallVector<int64_t>> known = NodeImport::getConstantInts(heads);
  if (known && known == NodeImport::getConstantInts(groups))
    return shared;
  Value batch = getDims(node, shared, 0, 1), rest = getDims(node, shared, 2, 4);
  Value repeated =
      expand(node, node.unsqueeze(shared, 2), node.concat(0, {batch, groups, node.div(heads, groups), rest}), 5);
  return node.reshapeTo(repeated, node.concat(0, {batch, heads, rest}), /*allowZero=*/true);
}

Heads onnx::readGroupedOperands(NodeImport &node, int64_t heads, int64_t groups) {
  Value query = node.getOperand(0);
  if (node.hasOperand(1))
    return {splitHeads(node, query, heads), splitHeads(node, node.getOperand(1), groups),
            splitHeads(node, node.getOperand(2), groups)};
  Value all = splitHeads(node, query, heads + 2 * groups);
  auto take = [&](int64_t begin, int64_t count) {
    return sliceTo(node, all, node.i64Vector({begin}), node.i64Vector({begin + count}), 1);
  };
  return {take(0, heads), take(heads, groups), take(heads + groups, groups)};
}

void onnx::holdHeads(NodeImport &node, const Heads &heads) {
  holdDims(node, heads.k, heads.q, ArrayRef<int64_t>(0), "batch of keys and queries");
  holdDims(node, heads.v, heads.k, {0, 1, 2}, "batch, heads and places of values and keys");
}

void onnx::holdBias(NodeImport &node, Value bias, const Heads &heads) {
  auto getWidth = [&](Value x) { return node.mul(getDims(node, x, 1, 2), getDims(node, x, 3, 4)); };
  Value width = node.mul(getWidth(heads.q), node.i64Vector({2}));
  holdSizes(node, node.shapeOf(bias), node.add(width, getWidth(heads.v)),
            "elements of `bias` and of a query, a key and a value");
}

Value onnx::getScale(NodeImport &node, Value q) {
  Type type = NodeImport::getElementType(q);
  if (double given = node.getFloat("scale", 0); given != 0)
    return node.scalar(given, type);
  return node.reciprocal(node.sqrt(node.cast(asScalar(node, getDims(node, q, 3, 4)), type)));
}

int64_t onnx::getHeads(NodeImport &node, StringRef name) {
  int64_t heads = node.getRequiredInt(name);
  if (!node.hasFailed() && heads < 1)
    (void)node.error("attribute '" + name + "' is " + Twine(heads));
  return heads;
}

LogicalResult onnx::requireEqualGroups(NodeImport &node, int64_t heads, int64_t groups) {
  if (groups == 0 || heads % groups != 0)
    return node.error(Twine(heads) + " heads can't share " + Twine(groups));
  return success();
}

LogicalResult onnx::readSharedHeads(NodeImport &node, StringRef name, int64_t &heads, int64_t &groups) {
  heads = getHeads(node, name);
  groups = getHeads(node, "kv_num_heads");
  return node.hasFailed() ? failure() : requireEqualGroups(node, heads, groups);
}

LogicalResult onnx::refuse(NodeImport &node, ArrayRef<size_t> operands, ArrayRef<StringRef> attributes) {
  for (size_t operand : operands)
    if (node.hasOperand(operand))
      return node.error("operand " + Twine(operand) + ", " + quoteName(node.node.inputs[operand]) +
                        ", is not supported");
  for (StringRef name : attributes)
    if (node.getInt(name, 0) != 0)
      return node.error("attribute '" + name + "' is not supported");
  return success();
}

Value onnx::rotate(NodeImport &node, Value x, Value cos, Value sin, bool interleaved) {
  Value half = getDims(node, cos, 2, 3), whole = node.mul(half, node.i64Vector({2}));
  Value zero = node.i64Vector({0}), end = node.i64Vector({kEnd});
  requireAtMost(node, whole, getDims(node, x, 3, 4), "pairs of cosines must fit a head");
  cos = node.unsqueeze(cos, 1);
  sin = node.unsqueeze(sin, 1);
  Value first, second, turned = sliceTo(node, x, zero, whole, 3);
  if (interleaved) {
    Value pairs =
        node.reshapeTo(turned, node.concat(0, {getDims(node, x, 0, 3), half, node.i64Vector({2})}), /*allowZero=*/true);
    first = node.gather(pairs, node.i64Scalar(0), 4);
    second = node.gather(pairs, node.i64Scalar(1), 4);
  } else {
    first = sliceTo(node, x, zero, half, 3);
    second = sliceTo(node, x, half, whole, 3);
  }
  Value real = node.sub(node.mul(first, cos), node.mul(second, sin));
  Value imaginary = node.add(node.mul(first, sin), node.mul(second, cos));
  if (interleaved) {
    Value pairs = node.concat(4, {node.unsqueeze(real, 4), node.unsqueeze(imaginary, 4)});
    turned = node.reshapeTo(pairs, node.concat(0, {getDims(node, x, 0, 3), whole}), /*allowZero=*/true);
  } else {
    turned = node.concat(3, {real, imaginary});
  }
  return node.concat(3, {turned, sliceTo(node, x, whole, end, 3)});
}

//===- Subgraphs that several operators are made of -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "Guards.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

Value onnx::getDim(NodeImport &node, Value x, int64_t axis) {
  if (axis < 0)
    if (std::optional<int64_t> rank = NodeImport::getRank(x))
      axis += *rank;
  return node.gather(node.shapeOf(x), node.i64Scalar(axis), 0);
}

Value onnx::getDims(NodeImport &node, Value x, int64_t begin, int64_t end) {
  return node.slice(node.shapeOf(x), begin, end, 0);
}

Value onnx::asVector(NodeImport &node, Value scalar) {
  if (NodeImport::getRank(scalar) == 0)
    return node.unsqueeze(scalar, 0);
  return node.reshapeTo(scalar, node.i64Vector({1}), /*allowZero=*/false);
}

Value onnx::asScalar(NodeImport &node, Value value) {
  if (NodeImport::getRank(value) == 0)
    return value;
  return node.reshapeTo(value, node.i64Vector({}), /*allowZero=*/false);
}

Value onnx::countTo(NodeImport &node, Value limit) {
  Type type = RankedTensorType::get(ShapedType::kDynamic, NodeImport::getElementType(limit));
  return RangeOp::create(node.builder, node.loc, type, node.scalar(0, limit), limit, node.scalar(1, limit));
}

Value onnx::requireSize(NodeImport &node, Value size, const Twine &what) {
  std::optional<SmallVector<int64_t>> known = NodeImport::getConstantInts(size);
  if (known && !known->empty() && known->front() >= 0)
    return size;
  Value filled = fill(node, asVector(node, size), 1, 0, node.builder.getI1Type());
  explainGuards(node, filled, node.node.opType + ": " + what + " must be at least 0");
  return getDim(node, filled, 0);
}

Value onnx::requirePositive(NodeImport &node, Value count, const Twine &what) {
  std::optional<SmallVector<int64_t>> known = NodeImport::getConstantInts(count);
  if (known && !known->empty() && known->front() >= 1)
    return count;
  // What is left beside one is a size.
  Value others = fill(node, asVector(node, node.sub(count, node.i64Scalar(1))), 1, 0, node.builder.getI1Type());
  explainGuards(node, others, node.node.opType + ": " + what + " must be at least 1");
  return node.add(getDim(node, others, 0), node.i64Scalar(1));
}

Value onnx::spread(NodeImport &node, Value vector, int64_t axis, int64_t rank) {
  if (axis < 0)
    axis += rank;
  SmallVector<int64_t> axes;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      axes.push_back(dim);
  return axes.empty() ? vector : node.unsqueeze(vector, axes);
}

Value onnx::fitToAxis(NodeImport &node, Value vector, Value like, int64_t axis) {
  std::optional<ArrayRef<int64_t>> own = NodeImport::getDims(vector), dims = NodeImport::getDims(like);
  // Optimizers leave dims of 1 in front of what they fold into a node.
  if (own && (own->empty() || llvm::any_of(own->drop_back(), [](int64_t dim) { return dim != 1; }))) {
    (void)node.error("what holds for each entry of axis " + Twine(axis) + " must have rank 1, not " +
                     Twine(own->size()));
    return vector;
  }
  int64_t index = dims && axis < 0 ? axis + static_cast<int64_t>(dims->size()) : axis;
  bool isInRange = dims && index >= 0 && index < static_cast<int64_t>(dims->size());
  bool isVector = own && own->size() == 1 && !ShapedType::isDynamic(own->front());
  if (isVector && isInRange && own->front() == (*dims)[static_cast<size_t>(index)])
    return vector;
  return node.reshapeTo(vector, node.unsqueeze(getDim(node, like, axis), 0), /*allowZero=*/true);
}

Value onnx::holdToAxis(NodeImport &node, Value vector, Value like, int64_t axis, const Twine &what) {
  Value fitted = fitToAxis(node, vector, like, axis);
  if (fitted != vector)
    explainGuards(node, fitted, node.node.opType + ": " + what);
  return fitted;
}

Value onnx::requireNoRest(NodeImport &node, int64_t axis, Value divisor, StringRef divisorName, unsigned operand) {
  Value x = node.getOperand(operand);
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(x);
  std::optional<SmallVector<int64_t>> known = NodeImport::getConstantInts(divisor);
  if (auto place = static_cast<size_t>(axis); dims && place < dims->size() && known && known->front() > 0)
    if (int64_t size = (*dims)[place]; !ShapedType::isDynamic(size)) {
      if (size % known->front() != 0)
        (void)node.contradiction("dim " + Twine(axis) + " of operand " + Twine(operand) + " is " + Twine(size) +
                                 ", which is not a multiple of " + Twine(known->front()) + " (" + divisorName + ")");
      return node.i64Vector({});
    }
  // As many elements as the rest says are to make a vector without any.
  Value dim = getDims(node, x, axis, axis + 1);
  Value rest = fill(node, node.binary<ModOp>(dim, divisor), 1, 0, node.builder.getI64Type());
  rest = node.reshapeTo(rest, node.i64Vector({0}), /*allowZero=*/true);
  explainGuards(node, rest,
                node.node.opType + ": dim " + Twine(axis) + " of `" + node.node.inputs[operand] +
                    "` is a multiple of " + divisorName);
  return rest;
}

Value onnx::requireMultiple(NodeImport &node, int64_t axis, Value divisor, StringRef divisorName) {
  Value rest = requireNoRest(node, axis, divisor, divisorName);
  Value quotient = node.div(getDims(node, node.getOperand(0), axis, axis + 1), divisor);
  return NodeImport::getConstantInts(rest) ? quotient : node.concat(0, {quotient, rest});
}

/// Ops for the sake of their guards alone: nothing reads what they give, which has no elements.
void onnx::holdSizes(NodeImport &node, Value sizes, Value wanted, const Twine &what, int64_t count) {
  std::optional<SmallVector<int64_t>> known = NodeImport::getConstantInts(sizes);
  std::optional<SmallVector<int64_t>> other = NodeImport::getConstantInts(wanted);
  if (known && other) {
    for (auto [size, like] : llvm::zip(*known, *other))
      if (size != like)
        (void)node.contradiction(what + " must be of the same size, not " + Twine(size) + " and " + Twine(like));
    return;
  }
  // A concat broadcasts none of the dims beside its own one.
  auto makeEmpty = [&](Value dims) {
    return fill(node, node.concat(0, {dims, node.i64Vector({0})}), count + 1, 0, node.builder.getI1Type());
  };
  explainGuards(node, node.concat(count, {makeEmpty(sizes), makeEmpty(wanted)}), node.node.opType + ": " + what);
}

void onnx::holdDimPairs(NodeImport &node, Value value, Value like, ArrayRef<std::pair<int64_t, int64_t>> axes,
                        const Twine &what) {
  SmallVector<int64_t> own, others;
  auto normalize = [](int64_t axis, std::optional<int64_t> rank) { return axis < 0 && rank ? axis + *rank : axis; };
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(value), wanted = NodeImport::getDims(like);
  for (auto [axis, other] : axes) {
    axis = normalize(axis, NodeImport::getRank(value));
    other = normalize(other, NodeImport::getRank(like));
    auto lacks = [](auto known, int64_t at) { return known && (at < 0 || at >= static_cast<int64_t>(known->size())); };
    if (lacks(dims, axis) || lacks(wanted, other))
      return (void)node.error(what + " can't be compared: there is no dim " + Twine(lacks(dims, axis) ? axis : other));
    if (dims && wanted) {
      int64_t size = (*dims)[axis], expected = (*wanted)[other];
      if (!ShapedType::isDynamic(size) && size == expected)
        continue;
      if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(expected))
        return (void)node.contradiction(what + " must be of the same size, not " + Twine(size) + " (dim " +
                                        Twine(axis) + ") and " + Twine(expected) + " (dim " + Twine(other) + ")");
    }
    own.push_back(axis);
    others.push_back(other);
  }
  auto getSizes = [&](Value of, ArrayRef<int64_t> at) { return node.gather(node.shapeOf(of), node.i64Vector(at), 0); };
  if (!own.empty())
    holdSizes(node, getSizes(value, own), getSizes(like, others), what, static_cast<int64_t>(own.size()));
}

void onnx::holdDims(NodeImport &node, Value value, Value like, ArrayRef<int64_t> axes, const Twine &what) {
  using Pair = std::pair<int64_t, int64_t>;
  holdDimPairs(node, value, like, llvm::map_to_vector(axes, [](int64_t axis) { return Pair(axis, axis); }), what);
}

Value onnx::holdShape(NodeImport &node, Value value, Value like, const Twine &what) {
  std::optional<int64_t> rank = NodeImport::getRank(value), wanted = NodeImport::getRank(like);
  if (!rank && !wanted)
    return node.expandLike(value, like);
  if (rank && wanted && *rank != *wanted)
    (void)node.contradiction(what + " must be of the same rank, not " + Twine(*rank) + " and " + Twine(*wanted));
  else
    holdDims(node, value, like, llvm::to_vector(llvm::seq<int64_t>(0, rank ? *rank : *wanted)), what);
  return value;
}

void onnx::holdDim(NodeImport &node, Value value, int64_t axis, int64_t size, const Twine &what) {
  holdSizes(node, asVector(node, getDim(node, value, axis)), node.i64Vector({size}), what);
}

void onnx::requireAtMost(NodeImport &node, Value sizes, Value limits, const Twine &what, int64_t count) {
  std::optional<SmallVector<int64_t>> known = NodeImport::getConstantInts(sizes);
  std::optional<SmallVector<int64_t>> most = NodeImport::getConstantInts(limits);
  if (known && most) {
    for (auto [size, limit] : llvm::zip(*known, *most))
      if (size > limit)
        (void)node.contradiction(what + ", not " + Twine(size) + " where at most " + Twine(limit) + " fit");
    return;
  }
  // What is left of each limit is a size, which is not negative; beside a 0 there are no elements.
  Value others = node.concat(0, {node.sub(limits, sizes), node.i64Vector({0})});
  explainGuards(node, fill(node, others, count + 1, 0, node.builder.getI1Type()), node.node.opType + ": " + what);
}

void onnx::explainGuards(NodeImport &node, Value value, const Twine &reason) {
  GuardReason whole;
  whole.whole = reason.str();
  whole.set(value.getDefiningOp());
}

Value onnx::expand(NodeImport &node, Value x, Value shape, int64_t rank) {
  Type type = NodeImport::makeDynamicType(rank, NodeImport::getElementType(x));
  return ExpandToOp::create(node.builder, node.loc, type, x, shape);
}

Value onnx::fill(NodeImport &node, Value shape, int64_t rank, double value, Type elementType) {
  TypedAttr attribute;
  if (auto type = dyn_cast<FloatType>(elementType))
    attribute = FloatAttr::get(type, value);
  else
    attribute = IntegerAttr::get(elementType, APInt(elementType.getIntOrFloatBitWidth(), static_cast<int64_t>(value),
                                                    /*isSigned=*/true, /*implicitTrunc=*/true));
  return FullToOp::create(node.builder, node.loc, NodeImport::makeDynamicType(rank, elementType), shape, attribute);
}

Value onnx::sliceTo(NodeImport &node, Value x, Value starts, Value ends, ArrayRef<int64_t> axes, Value steps) {
  Type type = NodeImport::makeDynamicType(NodeImport::getRank(x), NodeImport::getElementType(x));
  return SliceToOp::create(node.builder, node.loc, type, x, starts, ends, node.i64Vector(axes), steps);
}

Value onnx::flip(NodeImport &node, Value x, int64_t axis) {
  return sliceTo(node, x, node.i64Vector({-1}), node.i64Vector({std::numeric_limits<int64_t>::min()}), axis,
                 node.i64Vector({-1}));
}

/// Floats of 32 bits rounded to powers of two by what they have behind the leading bit.
static Value roundToPower(NodeImport &node, Value x) {
  std::string mode = node.getString("round_mode", "up");
  Type i32 = node.builder.getI32Type(), type = NodeImport::getElementType(x);
  int64_t added = mode == "up" ? 0x7FFFFF : mode == "nearest" ? 0x400000 : 0;
  if (mode != "up" && mode != "nearest" && mode != "down")
    (void)node.error("round_mode " + quoteName(mode) + " is not supported");
  Value bits = BitCastOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x, i32), x);
  bits = node.binary<AndOp>(node.add(bits, node.scalar(static_cast<double>(added), i32)), node.scalar(0x7F800000, i32));
  return BitCastOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x, type), bits);
}

Value onnx::castSaturating(NodeImport &node, Value x, Type type) {
  Type from = NodeImport::getElementType(x), f32 = node.builder.getF32Type();
  auto floating = dyn_cast<FloatType>(type);
  if (from == type || !floating || floating.getWidth() > 8)
    return node.cast(x, type);
  Value number = from.isF64() ? x : node.cast(x, f32);
  if (isa<Float8E8M0FNUType>(type)) {
    if (!node.getInt("saturate", 1))
      (void)node.error("a cast to float8e8m0 that does not saturate is not supported");
    number = node.cast(number, f32);
    Value isNumber = node.compare(CompareDirection::LT, node.abs(number),
                                  node.scalar(std::numeric_limits<double>::infinity(), number));
    return node.cast(node.select(isNumber, roundToPower(node, number), number), type);
  }
  if (node.getInt("saturate", 1)) {
    APFloat largest = APFloat::getLargest(floating.getFloatSemantics());
    double limit = largest.convertToDouble();
    number = node.max(node.min(number, node.scalar(limit, number)), node.scalar(-limit, number));
  }
  return node.cast(number, type);
}

Value onnx::moveChannels(NodeImport &node, Value x, int64_t rank, bool last) {
  if (rank < 2) {
    (void)node.contradiction("operands of rank " + Twine(rank) + " have no channels");
    return x;
  }
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::rotate(order.begin() + 1, last ? order.begin() + 2 : order.end() - 1, order.end());
  return node.transpose(x, ArrayRef<int64_t>(order));
}

Value onnx::padZeros(NodeImport &node, Value x, Value pads) {
  Type type = NodeImport::makeDynamicType(NodeImport::getRank(x), NodeImport::getElementType(x));
  return PadToOp::create(node.builder, node.loc, type, PadMode::Constant, x, pads, /*value=*/Value(), /*axes=*/Value());
}

Value onnx::gatherElements(NodeImport &node, Value data, Value indices, int64_t axis) {
  Type type = NodeImport::makeTypeLike(indices, NodeImport::getElementType(data));
  return GatherElementsOp::create(node.builder, node.loc, type, data, indices, static_cast<uint64_t>(axis));
}

Value onnx::gatherND(NodeImport &node, Value data, Value indices, int64_t batchDims, int64_t tuple) {
  std::optional<int64_t> rank = NodeImport::getRank(data), places = NodeImport::getRank(indices);
  if (rank && places)
    rank = *rank + *places - 1 - tuple - batchDims;
  Type type = NodeImport::makeDynamicType(places ? rank : std::nullopt, NodeImport::getElementType(data));
  return GatherNDOp::create(node.builder, node.loc, type, data, indices, static_cast<uint64_t>(batchDims));
}

Value onnx::scatterND(NodeImport &node, Value data, Value indices, Value updates, std::optional<ReduceKind> reduction) {
  ReduceKindAttr kind = reduction ? ReduceKindAttr::get(node.builder.getContext(), *reduction) : ReduceKindAttr();
  return ScatterNDOp::create(node.builder, node.loc, NodeImport::makeTypeLike(data), data, indices, updates, kind);
}

Value onnx::quantize(NodeImport &node, Value x, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer) {
    (void)node.error("a result of type " + getElementTypeName(getElementType(type)) + " is not supported");
    return x;
  }
  unsigned width = integer.getWidth();
  double low = integer.isUnsigned() ? 0 : -std::ldexp(1.0, static_cast<int>(width) - 1);
  double high = std::ldexp(1.0, static_cast<int>(integer.isUnsigned() ? width : width - 1)) - 1;
  Value rounded = node.unary<RoundOp>(x);
  return node.cast(node.min(node.max(rounded, node.scalar(low, x)), node.scalar(high, x)), type);
}

Value onnx::log1p(NodeImport &node, Value x) {
  // What rounding 1 + x loses is made up for by the quotient.
  Value one = node.scalar(1, x), sum = node.add(x, one);
  Value isTiny = node.compare(CompareDirection::EQ, sum, one);
  Value rounded = node.sub(sum, one);
  Value isInfinite = node.compare(CompareDirection::EQ, sum, x);
  Value corrected = node.mul(node.log(sum), node.div(x, node.select(isTiny, one, rounded)));
  return node.select(isTiny, x, node.select(isInfinite, node.log(x), corrected));
}

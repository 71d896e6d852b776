//===- Relations of ops that make tensors from little --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MovedValues.h"
#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

double relations::roundTo(FloatType type, double value) {
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

/// The value of an integer; nothing where 64 signed bits do not hold it.
static std::optional<int64_t> getInt64(const APInt &value, bool isUnsigned) {
  if (isUnsigned)
    return value.getActiveBits() < 64 ? std::optional<int64_t>(value.getZExtValue()) : std::nullopt;
  return value.getSignificantBits() <= 64 ? std::optional<int64_t>(value.getSExtValue()) : std::nullopt;
}

static ElementValue getElement(const APFloat &number) {
  return ElementValue::getNumber(FloatAttr::getValueAsDouble(number));
}

static ElementValue getElement(ShapeRelations &relations, const APInt &integer, Type type) {
  if (type.isInteger(1))
    return ElementValue::getBoolean(!integer.isZero());
  if (std::optional<int64_t> constant = getInt64(integer, type.isUnsignedInteger()))
    return ElementValue::getInteger(relations.getConstant(*constant));
  return {};
}

static ElementValue getElement(ShapeRelations &relations, TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return getElement(number.getValue());
  auto integer = dyn_cast<IntegerAttr>(value);
  return integer ? getElement(relations, integer.getValue(), value.getType()) : ElementValue();
}

/// The elements of dense integers, booleans or floats.
static ElementValues getElements(ShapeRelations &relations, DenseElementsAttr elements) {
  Type type = elements.getElementType();
  ElementValues values;
  if (isa<FloatType>(type))
    for (const APFloat &number : elements.getValues<APFloat>())
      values.push_back(getElement(number));
  else
    for (const APInt &integer : elements.getValues<APInt>())
      values.push_back(getElement(relations, integer, type));
  return values;
}

/// The smallest and the largest of integers; nothing where some of them are none.
template <typename Integers>
static Bounds scan(ShapeRelations &relations, const Integers &integers) {
  std::optional<int64_t> first, last, lower, upper;
  for (std::optional<int64_t> integer : integers) {
    last = integer;
    if (!last)
      return {};
    first = first.value_or(*last);
    lower = std::min(lower.value_or(*last), *last);
    upper = std::max(upper.value_or(*last), *last);
  }
  if (!last)
    return {};
  auto getPlace = [&](std::optional<int64_t> end) {
    return end == first ? EndPlace::First : end == last ? EndPlace::Last : EndPlace::Somewhere;
  };
  return {relations.getConstant(*lower), relations.getConstant(*upper), getPlace(lower), getPlace(upper)};
}

/// The same of dense integers or booleans.
static Bounds scan(ShapeRelations &relations, DenseIntElementsAttr elements) {
  bool isUnsigned = elements.getElementType().isUnsignedInteger() || elements.getElementType().isInteger(1);
  auto get = [&](const APInt &element) { return getInt64(element, isUnsigned); };
  if (elements.empty())
    return {};
  if (elements.isSplat())
    return scan(relations, ArrayRef(get(elements.getSplatValue<APInt>())));
  return scan(relations, llvm::map_range(elements.getValues<APInt>(), get));
}

static LogicalResult relateConstant(ConstantOp op, ShapeRelations &relations) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return success();
  Type type = elements.getElementType();
  bool isSmall = elements.getNumElements() <= ShapeRelations::kMaxElements;
  // Sizes, of which some models have a constant for each, and floats can be read where they stand.
  if (isSmall && type.isSignlessInteger(64)) {
    auto integers = elements.getValues<int64_t>();
    relations.setElements(op.getResult(), llvm::map_to_vector<4>(integers, [&](int64_t integer) {
                            return ElementValue::getInteger(relations.getConstant(integer));
                          }));
    relations.setBounds(op.getResult(), scan(relations, integers));
    return success();
  }
  if (isSmall && type.isF32())
    relations.setElements(op.getResult(), llvm::map_to_vector<4>(elements.getValues<float>(), [](float number) {
                            return ElementValue::getNumber(number);
                          }));
  else if (isSmall && type.isIntOrFloat())
    relations.setElements(op.getResult(), getElements(relations, elements));
  if (isa<IntegerType>(type))
    relations.setBounds(op.getResult(), scan(relations, cast<DenseIntElementsAttr>(elements)));
  return success();
}

//===----------------------------------------------------------------------===//
// Dims as data
//===----------------------------------------------------------------------===//

/// States the elements of a tensor of rank 1 or of a static one, and what bounds them.
static void setIntegers(ShapeRelations &relations, Value result, ArrayRef<Expr> integers) {
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(result);
  if (!dims || llvm::product_of(*dims) != static_cast<int64_t>(integers.size()))
    return;
  ElementValues elements =
      llvm::map_to_vector<4>(integers, [](Expr integer) { return ElementValue::getInteger(integer); });
  relations.setElements(result, std::move(elements));
  if (integers.empty())
    return;
  Bounds bounds{integers.front(), integers.front()};
  for (Expr integer : integers.drop_front())
    bounds = join(relations, bounds, {integer, integer});
  // Each end is one of them.
  bounds.lowerAt = bounds.upperAt = EndPlace::Somewhere;
  relations.setBounds(result, bounds);
}

static LogicalResult relateShapeOf(ShapeOfOp op, ShapeRelations &relations) {
  if (failed(relateLength(relations, op.getResult(), op.getOperand())))
    return failure();
  if (std::optional<Dims> dims = relations.getDims(op.getOperand())) {
    if (failed(relations.setDims(op.getResult(), {relations.getConstant(dims->size())})))
      return failure();
    setIntegers(relations, op.getResult(), *dims);
  }
  relations.setBounds(op.getResult(), {relations.getConstant(0), {}});
  return success();
}

static LogicalResult relateDimValues(DimValuesOp op, ShapeRelations &relations) {
  setIntegers(relations, op.getResult(), op.getValues().getExprs(relations.getContext()));
  return success();
}

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

static void fill(ShapeRelations &relations, Value result, TypedAttr value) {
  ElementValue element = getElement(relations, value);
  Expr integer = element.getInteger();
  if (std::optional<bool> truth = relations.getTruth(element))
    integer = relations.getConstant(*truth);
  relations.setBounds(result, {integer, integer});
  if (std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(result))
    relations.setElements(result, ElementValues(llvm::product_of(*dims), element));
}

static LogicalResult relateFull(FullOp op, ShapeRelations &relations) {
  fill(relations, op.getResult(), op.getValue());
  return success();
}

static LogicalResult relateFullTo(FullToOp op, ShapeRelations &relations) {
  if (failed(relateLength(relations, op.getShape(), op.getResult())))
    return failure();
  if (std::optional<int64_t> rank = relations.getRank(op.getResult()))
    if (std::optional<Dims> dims = getListOf(relations, op.getShape(), *rank)) {
      for (Expr dim : *dims)
        if (failed(requireSize(relations, dim, "a size from data")))
          return failure();
      if (failed(relations.setDims(op.getResult(), *dims)))
        return failure();
    }
  fill(relations, op.getResult(), op.getValue());
  return success();
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// 1 or -1 where the sign of a step is known, else 0.
static int getSign(ShapeRelations &relations, Expr step) {
  Expr one = relations.getConstant(1), minusOne = relations.getConstant(-1);
  return relations.isKnownLessEqual(one, step) ? 1 : relations.isKnownLessEqual(step, minusOne) ? -1 : 0;
}

/// Bounds of start, start + delta, ..., `count` numbers unless there is none.
static void setSequenceBounds(ShapeRelations &relations, Value result, Expr start, Expr delta, Expr count) {
  // Numbers of fewer bits may wrap around.
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(result));
  if (!type || type.getWidth() < 32)
    return;
  Expr last = start + (count - 1) * delta;
  if (int sign = getSign(relations, delta))
    relations.setBounds(result, sign > 0 ? Bounds{start, last, EndPlace::First, EndPlace::Last}
                                         : Bounds{last, start, EndPlace::Last, EndPlace::First});
}

/// The number that the only element of a float tensor is.
static std::optional<double> getNumber(ShapeRelations &relations, Value value) {
  std::optional<ElementValues> elements = relations.getElements(value);
  if (!elements || elements->size() != 1 || elements->front().kind != ElementValue::Kind::Number)
    return std::nullopt;
  return elements->front().number;
}

/// States the elements of a small sequence whose dim is a constant.
static void setSequence(ShapeRelations &relations, Value result, Value start, Value delta) {
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(result);
  if (!dims)
    return;
  int64_t count = llvm::product_of(*dims);
  ElementValues elements;
  if (auto type = dyn_cast<FloatType>(getElementTypeOrSelf(result))) {
    std::optional<double> first = getNumber(relations, start), step = getNumber(relations, delta);
    if (!first || !step)
      return;
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(ElementValue::getNumber(roundTo(type, *first + static_cast<double>(i) * *step)));
  } else {
    Expr first = relations.getScalar(start), step = relations.getScalar(delta);
    if (!first || !step || getElementTypeOrSelf(result).getIntOrFloatBitWidth() < 32)
      return;
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(ElementValue::getInteger(first + step * i));
  }
  relations.setElements(result, std::move(elements));
}

/// The only element of a tensor as an integer, also where its type is a float that holds the integer exactly; null
/// where it is not known. What the type must hold for that is required.
static FailureOr<Expr> getIntegralScalar(ShapeRelations &relations, Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value));
  if (!type)
    return relations.getScalar(value);
  std::optional<ElementValues> elements = relations.getElements(value);
  if (!elements || elements->size() != 1)
    return Expr();
  const ElementValue &element = elements->front();
  // Differences of two such numbers are exact, too.
  int64_t limit = int64_t(1) << (std::min(type.getFPMantissaWidth(), 53u) - 1);
  if (element.kind == ElementValue::Kind::Number)
    return element.number == std::trunc(element.number) && std::fabs(element.number) <= static_cast<double>(limit)
               ? relations.getConstant(static_cast<int64_t>(element.number))
               : Expr();
  // One that was cast to several types is an integer that each of them holds.
  bool isCast = element.kind == ElementValue::Kind::Quotient && element.getDivisor() == 1 && element.isExact;
  Expr integer = isCast ? element.integer : element.getInteger();
  if (!integer)
    return integer;
  SmallVector<std::pair<Expr, int64_t>> magnitudes{{integer, limit}};
  if (isCast)
    llvm::append_range(magnitudes, element.getMagnitudes());
  for (auto [magnitude, most] : magnitudes)
    for (const Predicate &comparison : getComparisons(magnitude, {-most, most}))
      if (failed(relations.require(comparison, "an integer that the float type holds")))
        return failure();
  return integer;
}

static LogicalResult relateNumberRange(RangeOp op, ShapeRelations &relations, double start, double limit,
                                       double delta) {
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getResult()));
  double count = std::ceil(roundTo(type, limit - start) / delta);
  if (delta == 0 || !(count < 0x1p62))
    return op.emitOpError() << "has no finite number of elements: start " << start << ", limit " << limit << ", delta "
                            << delta;
  return relations.setDims(op.getResult(), {relations.getConstant(count > 0 ? static_cast<int64_t>(count) : 0)});
}

static LogicalResult relateIntegerRange(RangeOp op, ShapeRelations &relations) {
  SmallVector<Expr, 3> bounds;
  for (Value value : {op.getStart(), op.getLimit(), op.getDelta()}) {
    FailureOr<Expr> bound = getIntegralScalar(relations, value);
    if (failed(bound))
      return failure();
    bounds.push_back(*bound);
  }
  Expr start = bounds[0], limit = bounds[1], delta = bounds[2], zero = relations.getConstant(0);
  if (delta && delta.isConstant(0))
    return op.emitOpError() << "has the delta 0";
  if (!start || !limit || !delta)
    return success();
  Expr distance = limit - start, stride = delta;
  if (int sign = getSign(relations, delta); sign < 0) {
    distance = -distance;
    stride = -delta;
  } else if (sign == 0) {
    if (failed(relations.require(Predicate::notEqual(delta, zero), "a delta of 0")))
      return failure();
    // 1 where it is negative, else 0.
    Expr isNegative = min({max({-delta, zero}), relations.getConstant(1)});
    distance = distance - distance * isNegative * 2;
    // Abbreviations have values before guards are asked, of which one refuses 0.
    stride = max({delta, -delta, relations.getConstant(1)});
  }
  Expr count = ceilDiv(distance, stride);
  if (!count)
    return success();
  if (isa<IntegerType>(getElementTypeOrSelf(op.getResult())))
    setSequenceBounds(relations, op.getResult(), start, delta, count);
  Expr size = relations.isKnownLessEqual(zero, count) ? count : max({count, zero});
  // Either way that it may go makes a long formula, which guards of what is computed of it would repeat.
  if (size)
    size = getSign(relations, delta) == 0 ? relations.defineSymbol(size) : relations.getSolver().simplify(size);
  return relations.setDims(op.getResult(), {size});
}

static LogicalResult relateRange(RangeOp op, ShapeRelations &relations) {
  if (failed(relations.setRank(op.getResult(), 1)))
    return failure();
  std::optional<double> start = getNumber(relations, op.getStart()), limit = getNumber(relations, op.getLimit()),
                        delta = getNumber(relations, op.getDelta());
  if (failed(start && limit && delta ? relateNumberRange(op, relations, *start, *limit, *delta)
                                     : relateIntegerRange(op, relations)))
    return failure();
  setSequence(relations, op.getResult(), op.getStart(), op.getDelta());
  return success();
}

static LogicalResult relateIota(IotaOp op, ShapeRelations &relations) {
  if (failed(relations.setRank(op.getResult(), 1)))
    return failure();
  Expr start = relations.getScalar(op.getStart()), delta = relations.getScalar(op.getDelta());
  Expr count = relations.getDims(op.getResult())->front();
  if (start && delta && count)
    if (isa<IntegerType>(getElementTypeOrSelf(op.getResult())))
      setSequenceBounds(relations, op.getResult(), start, delta, count);
  setSequence(relations, op.getResult(), op.getStart(), op.getDelta());
  return success();
}

//===----------------------------------------------------------------------===//
// Triangles
//===----------------------------------------------------------------------===//

static LogicalResult relateTrilu(TriluOp op, ShapeRelations &relations) {
  Value operand = op.getOperand(), result = op.getResult();
  for (auto [from, to] : {std::pair(operand, result), std::pair(result, operand)})
    if (std::optional<Dims> dims = relations.getDims(from); dims && failed(relations.setDims(to, *dims)))
      return failure();
  if (std::optional<int64_t> rank = relations.getRank(operand); rank && *rank < 2)
    return op.emitOpError() << "operand has rank " << *rank << ", expected at least 2";
  ElementValue zero = getZero(relations, getElementTypeOrSelf(result));
  relations.setBounds(result, join(relations, relations.getBounds(operand), {zero.getInteger(), zero.getInteger()}));
  std::optional<int64_t> diagonal = 0;
  if (op.getDiagonal()) {
    Expr scalar = relations.getScalar(op.getDiagonal());
    diagonal = scalar ? scalar.getConstant() : std::nullopt;
  }
  if (!diagonal)
    return success();
  moveElements(
      relations, operand, result,
      [&](ArrayRef<int64_t> position) -> SmallVector<int64_t> {
        int64_t above = position.back() - position[position.size() - 2];
        bool stays = op.getUpper() ? above >= *diagonal : above <= *diagonal;
        return stays ? SmallVector<int64_t>(position) : SmallVector<int64_t>(position.size(), -1);
      },
      zero);
  return success();
}

void relations::attachGeneratorRelations(MLIRContext *context) {
  attach<ConstantOp, relateConstant>(context);
  attach<DimValuesOp, relateDimValues>(context);
  attach<FullOp, relateFull>(context);
  attach<FullToOp, relateFullTo, 0>(context);
  attach<IotaOp, relateIota>(context);
  attach<RangeOp, relateRange, 0, 1, 2>(context);
  attach<ShapeOfOp, relateShapeOf>(context);
  attach<TriluOp, relateTrilu>(context);
}

//===- dyn ops with result types filled in ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "ConstantFolding.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static constexpr int64_t kDynamic = ShapedType::kDynamic;

std::optional<int64_t> Emitter::getRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? std::optional(type.getRank()) : std::nullopt;
}

void Emitter::setRank(Value value, int64_t rank) {
  auto isFree = [](Operation *op) {
    return op && isa_and_present<DynDialect>(op->getDialect()) && op->getNumRegions() == 0;
  };
  if (isa<UnrankedTensorType>(value.getType()) && isFree(value.getDefiningOp()) &&
      llvm::all_of(value.getUsers(), isFree))
    value.setType(makeDynamicType(rank, getElementType(value)));
}

std::optional<ArrayRef<int64_t>> Emitter::getDims(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? std::optional(type.getShape()) : std::nullopt;
}

Type Emitter::makeType(std::optional<ArrayRef<int64_t>> dims, Type elementType) {
  if (dims)
    return RankedTensorType::get(*dims, elementType);
  return UnrankedTensorType::get(elementType);
}

/// The type of the value, if it is one of such elements without encoding; else null.
static Type findPlainType(Value value, Type elementType) {
  auto type = cast<TensorType>(value.getType());
  auto ranked = dyn_cast<RankedTensorType>(type);
  bool isPlain = type.getElementType() == elementType && !(ranked && ranked.getEncoding());
  return isPlain ? Type(type) : Type();
}

Type Emitter::makeTypeLike(Value value, Type elementType) {
  if (!elementType)
    elementType = getElementType(value);
  Type plain = findPlainType(value, elementType);
  return plain ? plain : makeType(getDims(value), elementType);
}

Type Emitter::makeDynamicType(std::optional<int64_t> rank, Type elementType) {
  if (!rank || *rank > kMostDims)
    return UnrankedTensorType::get(elementType);
  return RankedTensorType::get(SmallVector<int64_t>(static_cast<size_t>(*rank), kDynamic), elementType);
}

/// The size that two sizes give when broadcast. Where they don't fit, inference will say so.
static int64_t broadcastSizes(int64_t lhs, int64_t rhs) {
  if (lhs == rhs || rhs == 1)
    return lhs;
  if (lhs == 1)
    return rhs;
  if (ShapedType::isDynamic(lhs) && rhs > 1)
    return rhs;
  if (ShapedType::isDynamic(rhs) && lhs > 1)
    return lhs;
  return kDynamic;
}

Type Emitter::makeBroadcastType(ValueRange values, Type elementType) {
  // Most operands are of one type, which is that of the result.
  if (!values.empty() && llvm::all_equal(values.getTypes()))
    if (Type type = findPlainType(values.front(), elementType))
      return type;
  SmallVector<int64_t> result;
  for (Value value : values) {
    std::optional<ArrayRef<int64_t>> dims = getDims(value);
    if (!dims)
      return UnrankedTensorType::get(elementType);
    if (dims->size() > result.size())
      result.insert(result.begin(), dims->size() - result.size(), 1);
    size_t offset = result.size() - dims->size();
    for (auto [index, dim] : llvm::enumerate(*dims))
      result[offset + index] = broadcastSizes(result[offset + index], dim);
  }
  return RankedTensorType::get(result, elementType);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Emitter::constant(ElementsAttr elements) { return constants.getShared(loc, elements); }

Value Emitter::scalar(double value, Type elementType) { return constants.getScalar(loc, value, elementType); }

Value Emitter::scalar(double value, Value like) { return scalar(value, getElementType(like)); }

Value Emitter::i64Scalar(int64_t value) {
  return constant(DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), ArrayRef<int64_t>(value)));
}

Value Emitter::i64Vector(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), builder.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value Emitter::compare(CompareDirection direction, Value lhs, Value rhs) {
  Type type = makeBroadcastType({lhs, rhs}, builder.getI1Type());
  return CompareOp::create(builder, loc, type, direction, lhs, rhs);
}

Value Emitter::select(Value condition, Value onTrue, Value onFalse) {
  Type type = makeBroadcastType({condition, onTrue, onFalse}, getElementType(onTrue));
  return SelectOp::create(builder, loc, type, condition, onTrue, onFalse);
}

Value Emitter::cast(Value operand, Type elementType) {
  if (getElementType(operand) == elementType)
    return operand;
  if (elementType.isInteger(1)) {
    // Numbers of less than 8 bits, and floats of 8, are converted and nothing else.
    Type from = getElementType(operand);
    if (isa<FloatType>(from) && from.getIntOrFloatBitWidth() <= 8)
      operand = cast(operand, builder.getF32Type());
    else if (from.isIntOrFloat() && from.getIntOrFloatBitWidth() < 8)
      operand = cast(operand, builder.getI32Type());
    return compare(CompareDirection::NE, operand, scalar(0, operand));
  }
  return CastOp::create(builder, loc, makeTypeLike(operand, elementType), operand);
}

//===----------------------------------------------------------------------===//
// Contraction and reduction
//===----------------------------------------------------------------------===//

Value Emitter::matmul(Value lhs, Value rhs) {
  Type elementType = getElementType(lhs);
  std::optional<ArrayRef<int64_t>> left = getDims(lhs), right = getDims(rhs);
  Type type = UnrankedTensorType::get(elementType);
  if (left && right && !left->empty() && !right->empty()) {
    SmallVector<int64_t> dims(std::max<size_t>({left->size(), right->size(), 2}) - 2, kDynamic);
    if (left->size() > 1)
      dims.push_back((*left)[left->size() - 2]);
    if (right->size() > 1)
      dims.push_back(right->back());
    type = RankedTensorType::get(dims, elementType);
  }
  return MatMulOp::create(builder, loc, type, lhs, rhs);
}

/// Axes counted from the front, sorted; nothing if one is out of range or stands twice.
static std::optional<SmallVector<int64_t>> normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank)
      return std::nullopt;
    result.push_back(axis < 0 ? axis + rank : axis);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    return std::nullopt;
  return result;
}

Value Emitter::reduce(ReduceKind kind, Value operand, std::optional<ArrayRef<int64_t>> axes, bool keepDims) {
  Type elementType = getElementType(operand);
  Type type = UnrankedTensorType::get(elementType);
  DenseI64ArrayAttr axesAttr = axes ? builder.getDenseI64ArrayAttr(*axes) : DenseI64ArrayAttr();
  if (std::optional<ArrayRef<int64_t>> dims = getDims(operand)) {
    auto rank = static_cast<int64_t>(dims->size());
    std::optional<SmallVector<int64_t>> reduced =
        axes ? normalizeAxes(*axes, rank) : llvm::to_vector(llvm::seq<int64_t>(0, rank));
    SmallVector<int64_t> result;
    if (reduced) {
      for (int64_t axis = 0; axis < rank; ++axis) {
        if (!llvm::is_contained(*reduced, axis))
          result.push_back((*dims)[static_cast<size_t>(axis)]);
        else if (keepDims)
          result.push_back(1);
      }
      type = RankedTensorType::get(result, elementType);
    }
  } else if (!axes && !keepDims) {
    type = RankedTensorType::get({}, elementType);
  }
  return ReduceOp::create(builder, loc, type, kind, operand, axesAttr, keepDims);
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

Value Emitter::shapeOf(Value operand) {
  int64_t length = getRank(operand).value_or(kDynamic);
  return ShapeOfOp::create(builder, loc, RankedTensorType::get(length, builder.getI64Type()), operand);
}

/// The length of a vector of sizes, which is the rank of what it describes.
static std::optional<int64_t> getLength(Value vector) {
  auto type = dyn_cast<RankedTensorType>(vector.getType());
  if (!type || type.getRank() != 1 || type.isDynamicDim(0))
    return std::nullopt;
  return type.getDimSize(0);
}

static std::optional<int64_t> countElements(ArrayRef<int64_t> dims) {
  std::optional<int64_t> count = 1;
  for (int64_t dim : dims)
    count = count ? llvm::checkedMul(*count, dim) : std::nullopt;
  return count;
}

Value Emitter::reshapeTo(Value operand, Value shape, bool allowZero) {
  std::optional<int64_t> rank = getLength(shape);
  Type type = makeDynamicType(rank, getElementType(operand));
  // Vectors of sizes are put together of such.
  std::optional<ArrayRef<int64_t>> dims = getDims(operand);
  if (std::optional<SmallVector<int64_t>> sizes = rank == 1 ? getConstantInts(shape) : std::nullopt) {
    std::optional<int64_t> count = sizes->front() > 0 ? std::optional(sizes->front()) : std::nullopt;
    if (sizes->front() == -1 && dims && llvm::none_of(*dims, ShapedType::isDynamic))
      count = countElements(*dims);
    if (count)
      type = RankedTensorType::get(*count, getElementType(operand));
  }
  return ReshapeToOp::create(builder, loc, type, operand, shape, allowZero);
}

Value Emitter::unsqueeze(Value operand, ArrayRef<int64_t> axes) {
  Type type = UnrankedTensorType::get(getElementType(operand));
  if (std::optional<ArrayRef<int64_t>> dims = getDims(operand)) {
    auto rank = static_cast<int64_t>(dims->size() + axes.size());
    if (std::optional<SmallVector<int64_t>> places = normalizeAxes(axes, rank)) {
      SmallVector<int64_t> result(*dims);
      for (int64_t place : *places)
        result.insert(result.begin() + place, 1);
      type = RankedTensorType::get(result, getElementType(operand));
    }
  }
  return UnsqueezeOp::create(builder, loc, type, operand, builder.getDenseI64ArrayAttr(axes));
}

Value Emitter::squeeze(Value operand, std::optional<ArrayRef<int64_t>> axes) {
  Type type = UnrankedTensorType::get(getElementType(operand));
  std::optional<ArrayRef<int64_t>> dims = getDims(operand);
  if (dims && axes) {
    if (auto places = normalizeAxes(*axes, static_cast<int64_t>(dims->size()))) {
      SmallVector<int64_t> result(*dims);
      for (int64_t place : llvm::reverse(*places))
        result.erase(result.begin() + place);
      type = RankedTensorType::get(result, getElementType(operand));
    }
  } else if (dims && llvm::none_of(*dims, ShapedType::isDynamic)) {
    SmallVector<int64_t> result(*dims);
    llvm::erase(result, 1);
    type = RankedTensorType::get(result, getElementType(operand));
  }
  DenseI64ArrayAttr axesAttr = axes ? builder.getDenseI64ArrayAttr(*axes) : DenseI64ArrayAttr();
  return SqueezeOp::create(builder, loc, type, operand, axesAttr);
}

Value Emitter::transpose(Value operand, std::optional<ArrayRef<int64_t>> perm) {
  std::optional<ArrayRef<int64_t>> dims = getDims(operand);
  Type type = makeDynamicType(dims   ? std::optional(static_cast<int64_t>(dims->size()))
                              : perm ? std::optional(static_cast<int64_t>(perm->size()))
                                     : std::nullopt,
                              getElementType(operand));
  if (dims) {
    SmallVector<int64_t> result;
    for (size_t i = 0; i < dims->size(); ++i) {
      size_t from = dims->size() - 1 - i;
      if (perm && perm->size() == dims->size())
        from = static_cast<size_t>((*perm)[i]);
      result.push_back(from < dims->size() ? (*dims)[from] : kDynamic);
    }
    type = RankedTensorType::get(result, getElementType(operand));
  }
  DenseI64ArrayAttr permAttr = perm ? builder.getDenseI64ArrayAttr(*perm) : DenseI64ArrayAttr();
  return TransposeOp::create(builder, loc, type, operand, permAttr);
}

Value Emitter::transposeLast(Value operand, int64_t rank) {
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return transpose(operand, ArrayRef<int64_t>(perm));
}

Value Emitter::concat(int64_t axis, ValueRange operands) {
  Type elementType = getElementType(operands.front());
  std::optional<int64_t> rank;
  for (Value operand : operands)
    if (!rank)
      rank = getRank(operand);
  Type type = makeDynamicType(rank, elementType);
  // The lengths of vectors of sizes, and of tuples of places, are ranks, which decompositions ask for.
  int64_t place = rank && axis < 0 ? axis + *rank : axis;
  if (rank && place >= 0 && place < *rank) {
    std::optional<int64_t> sum = 0;
    for (Value operand : operands) {
      std::optional<ArrayRef<int64_t>> dims = getDims(operand);
      bool isKnown = dims && static_cast<int64_t>(dims->size()) == *rank && !ShapedType::isDynamic((*dims)[place]);
      sum = sum && isKnown ? llvm::checkedAdd(*sum, (*dims)[place]) : std::nullopt;
    }
    SmallVector<int64_t> dims(*rank, kDynamic);
    dims[place] = sum.value_or(kDynamic);
    type = RankedTensorType::get(dims, elementType);
  }
  return ConcatOp::create(builder, loc, type, axis, operands);
}

/// Each dim of the operand is 1 or that of `like`, as far as types say.
static bool fitsTo(std::optional<ArrayRef<int64_t>> from, std::optional<ArrayRef<int64_t>> to) {
  if (!from || !to || from->size() > to->size())
    return false;
  return llvm::all_of(llvm::zip_equal(*from, to->take_back(from->size())), [](auto pair) {
    auto [dim, target] = pair;
    return dim == 1 || (dim == target && !ShapedType::isDynamic(dim));
  });
}

Value Emitter::expandLike(Value operand, Value like) {
  // Elementwise ops repeat by themselves.
  if (fitsTo(getDims(operand), getDims(like)))
    return operand;
  return ExpandLikeOp::create(builder, loc, makeTypeLike(like, getElementType(operand)), operand, like);
}

Value Emitter::flatten(Value operand, int64_t axis) {
  return FlattenOp::create(builder, loc, makeDynamicType(2, getElementType(operand)), operand, axis);
}

Value Emitter::slice(Value operand, int64_t start, int64_t end, int64_t axis) {
  Type type = makeDynamicType(getRank(operand), getElementType(operand));
  if (std::optional<int64_t> length = getLength(operand)) {
    auto clamp = [&](int64_t bound) { return std::clamp<int64_t>(bound < 0 ? bound + *length : bound, 0, *length); };
    type = RankedTensorType::get(std::max<int64_t>(clamp(end) - clamp(start), 0), getElementType(operand));
  }
  return SliceToOp::create(builder, loc, type, operand, i64Vector(start), i64Vector(end), i64Vector(axis),
                           /*steps=*/Value());
}

Value Emitter::gather(Value data, Value indices, int64_t axis) {
  Type elementType = getElementType(data);
  std::optional<ArrayRef<int64_t>> dims = getDims(data), places = getDims(indices);
  Type type = UnrankedTensorType::get(elementType);
  if (dims && places) {
    if (auto from = normalizeAxes(axis, static_cast<int64_t>(dims->size()))) {
      SmallVector<int64_t> result(*dims);
      auto at = result.erase(result.begin() + from->front());
      result.insert(at, places->begin(), places->end());
      type = RankedTensorType::get(result, elementType);
    }
  }
  return GatherOp::create(builder, loc, type, data, indices, axis);
}

//===----------------------------------------------------------------------===//
// Values known at import
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> Emitter::getConstantInts(Value value) {
  DenseElementsAttr elements = foldToConstant(value);
  if (!elements || !isa<IntegerType>(elements.getElementType()))
    return std::nullopt;
  return llvm::map_to_vector(elements.getValues<APInt>(), [](const APInt &element) { return element.getSExtValue(); });
}

std::optional<double> Emitter::getConstantNumber(Value value) {
  DenseElementsAttr elements = foldToConstant(value);
  if (!elements || elements.getNumElements() != 1 || !elements.getElementType().isIntOrFloat())
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType()))
    return (*elements.getValues<APFloat>().begin()).convertToDouble();
  return (*elements.getValues<APInt>().begin()).roundToDouble(!elements.getElementType().isInteger(1));
}

std::optional<SmallVector<double>> Emitter::getConstantNumbers(Value value) {
  DenseElementsAttr elements = foldToConstant(value);
  if (!elements || !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return llvm::map_to_vector(elements.getValues<APFloat>(),
                             [](const APFloat &element) { return element.convertToDouble(); });
}

//===- Data movement ops --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  Attribute value;
  SMLoc loc;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.getCurrentLocation(&loc) ||
      parser.parseAttribute(value))
    return failure();
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || !isa<ElementsAttr, WeightAttr>(value))
    return parser.emitError(loc, "expected elements or '#dyn.weight', with a type");
  result.addTypes(typed.getType());
  result.getOrAddProperties<Properties>().setValue(value);
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {getValueAttrName()});
  printer << ' ' << getValue();
}

LogicalResult ConstantOp::verify() {
  Type type = cast<TypedAttr>(getValue()).getType();
  if (type != getType())
    return Constraint(*this, 1).emitError() << "has the type " << getType() << " but its value is " << type;
  auto weight = dyn_cast<WeightAttr>(getValue());
  if (!weight)
    return success();
  auto shaped = dyn_cast<RankedTensorType>(type);
  auto complex = shaped ? dyn_cast<ComplexType>(shaped.getElementType()) : ComplexType();
  Type part = complex ? complex.getElementType() : shaped ? shaped.getElementType() : Type();
  if (!shaped || !shaped.hasStaticShape() || !part.isIntOrFloat())
    return Constraint(*this, 2).emitError() << "data in a file need a static tensor type of numbers, not " << type;
  unsigned numParts = complex ? 2 : 1;
  uint64_t bytes = numParts * llvm::divideCeil(part.getIntOrFloatBitWidth(), 8) * shaped.getNumElements();
  if (bytes != weight.getLength())
    return Constraint(*this, 2).emitError()
           << type << " takes " << bytes << " bytes but '" << weight.getFile() << "' gives " << weight.getLength();
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// Values made of dims
//===----------------------------------------------------------------------===//

LogicalResult ShapeOfOp::verify() {
  if (failed(Constraint(*this, 1).isRank("result", getResult(), 1)) ||
      failed(Constraint(*this, 2).isDim("result", getResult(), 0, getKnownRank(getOperand()))))
    return failure();
  Type elementType = getElementTypeOrSelf(getType());
  if (!elementType.isSignlessInteger(64))
    return Constraint(*this, 3).emitError() << "element type of the result is " << elementType << ", expected i64";
  return success();
}

LogicalResult DimValuesOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return Constraint(*this, 1).emitError() << "result type " << getType() << " is not static";
  if (failed(Constraint(*this, 2).isCount("values", getValues().getDims().size(), type.getNumElements())))
    return failure();
  if (!isa<IntegerType>(type.getElementType()))
    return Constraint(*this, 3).emitError() << "element type is " << type.getElementType() << ", expected an integer";
  return success();
}

LogicalResult FullToOp::verify() {
  Constraint dims(*this, 1);
  if (failed(dims.isRank("shape", getShape(), 1)) ||
      failed(dims.isDim("shape", getShape(), 0, getKnownRank(getResult()))))
    return failure();
  if (getValue().getType() != getElementTypeOrSelf(getType()))
    return Constraint(*this, 2).emitError() << "value is " << getValue() << " for the result " << getType();
  return success();
}

LogicalResult FullOp::verify() {
  if (failed(Constraint(*this, 1).hasRank("result", getResult())))
    return failure();
  if (getValue().getType() != getElementTypeOrSelf(getType()))
    return Constraint(*this, 2).emitError() << "value is " << getValue() << " for the result " << getType();
  return success();
}

LogicalResult RangeOp::verify() {
  Constraint scalars(*this, 1);
  if (failed(scalars.hasOneElement("start", getStart())) || failed(scalars.hasOneElement("limit", getLimit())) ||
      failed(scalars.hasOneElement("delta", getDelta())))
    return failure();
  return Constraint(*this, 2).isRank("result", getResult(), 1);
}

LogicalResult IotaOp::verify() {
  Constraint scalars(*this, 1);
  if (failed(scalars.hasOneElement("start", getStart())) || failed(scalars.hasOneElement("delta", getDelta())))
    return failure();
  return Constraint(*this, 2).isRank("result", getResult(), 1);
}

//===----------------------------------------------------------------------===//
// The same elements under other dims
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  if (failed(Constraint(*this, 1).hasRank("result", getResult())))
    return failure();
  auto from = dyn_cast<RankedTensorType>(getOperand().getType()), to = cast<RankedTensorType>(getType());
  if (from && from.hasStaticShape() && to.hasStaticShape() && from.getNumElements() != to.getNumElements())
    return Constraint(*this, 2).emitError()
           << "operand has " << from.getNumElements() << " elements but the result " << to.getNumElements();
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) { return getOperand().getType() == getType() ? getOperand() : Value(); }

/// reshape(reshape(x)) is one reshape.
LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
  if (!inner)
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getOperandMutable().assign(inner.getOperand()); });
  return success();
}

LogicalResult ReshapeToOp::verify() {
  Constraint dims(*this, 1);
  if (failed(dims.isRank("shape", getShape(), 1)))
    return failure();
  return dims.isDim("shape", getShape(), 0, getKnownRank(getResult()));
}

LogicalResult SqueezeOp::verify() {
  if (!getAxes())
    return success();
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (failed(Constraint(*this, 1).areAxes(*getAxes(), rank)))
    return failure();
  if (rank)
    *rank -= getAxes()->size();
  return Constraint(*this, 2).isRank("result", getResult(), rank);
}

LogicalResult UnsqueezeOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (rank)
    *rank += getAxes().size();
  if (failed(Constraint(*this, 1).isRank("result", getResult(), rank)))
    return failure();
  return Constraint(*this, 2).areAxes(getAxes(), rank ? rank : getKnownRank(getResult()));
}

LogicalResult FlattenOp::verify() {
  if (failed(Constraint(*this, 1).isRank("result", getResult(), 2)))
    return failure();
  std::optional<int64_t> rank = getKnownRank(getOperand());
  int64_t axis = getAxis();
  if (rank && (axis < -*rank || axis > *rank))
    return Constraint(*this, 2).emitError() << "axis " << axis << " is out of range for rank " << *rank;
  return success();
}

//===----------------------------------------------------------------------===//
// Order, parts and wholes
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (failed(Constraint(*this, 1).isRank("result", getResult(), rank)))
    return failure();
  if (!getPerm())
    return success();
  Constraint permutation(*this, 2);
  if (failed(permutation.isCount("perm", getPerm()->size(), rank ? rank : getKnownRank(getResult()))))
    return failure();
  if (!isPermutationVector(*getPerm()))
    return permutation.emitError() << "'perm' is no permutation of " << getPerm()->size() << " dims";
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  bool keepsOrder = getPerm() ? llvm::equal(*getPerm(), llvm::seq<int64_t>(0, getPerm()->size()))
                              : getKnownRank(getOperand()).value_or(2) <= 1;
  return keepsOrder && getOperand().getType() == getType() ? getOperand() : Value();
}

/// transpose(transpose(x, inner), outer) is transpose(x, inner[outer[i]]).
LogicalResult TransposeOp::canonicalize(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<TransposeOp>();
  if (!inner || !inner.getPerm() || !op.getPerm())
    return failure();
  auto composed = llvm::map_to_vector(*op.getPerm(), [&](int64_t dim) { return (*inner.getPerm())[dim]; });
  rewriter.modifyOpInPlace(op, [&] {
    op.getOperandMutable().assign(inner.getOperand());
    op.setPerm(composed);
  });
  return success();
}

LogicalResult ConcatOp::verify() {
  if (getOperands().empty())
    return Constraint(*this, 1).emitError() << "has no operands";
  std::optional<int64_t> rank = getKnownRank(getResult());
  for (auto [index, operand] : llvm::enumerate(getOperands())) {
    if (getElementTypeOrSelf(operand) != getElementTypeOrSelf(getType()))
      return Constraint(*this, 2).emitError()
             << "operand " << index << " is " << operand.getType() << " but the result " << getType();
    if (failed(Constraint(*this, 3).isRank("operand " + std::to_string(index), operand, rank)))
      return failure();
    if (!rank)
      rank = getKnownRank(operand);
  }
  return Constraint(*this, 4).isAxis(getAxis(), rank);
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getOperands().size() == 1 && getOperands().front().getType() == getType() ? getOperands().front() : Value();
}

LogicalResult SplitOp::verify() {
  if (getParts().empty())
    return Constraint(*this, 1).emitError() << "has no results";
  std::optional<int64_t> rank = getKnownRank(getOperand());
  for (auto [index, part] : llvm::enumerate(getParts())) {
    if (getElementTypeOrSelf(part) != getElementTypeOrSelf(getOperand()))
      return Constraint(*this, 2).emitError()
             << "result " << index << " is " << part.getType() << " but the operand " << getOperand().getType();
    if (failed(Constraint(*this, 3).isRank("result " + std::to_string(index), part, rank)))
      return failure();
  }
  if (failed(Constraint(*this, 4).isAxis(getAxis(), rank)))
    return failure();
  if (!getSizes())
    return success();
  Constraint counts(*this, 5);
  if (failed(counts.isRank("sizes", getSizes(), 1)))
    return failure();
  return counts.isDim("sizes", getSizes(), 0, getParts().size());
}

LogicalResult SliceToOp::verify() {
  Constraint bounds(*this, 1);
  std::optional<int64_t> count;
  for (auto [name, value] : {std::pair("starts", getStarts()), std::pair("ends", getEnds()),
                             std::pair("axes", getAxes()), std::pair("steps", getSteps())}) {
    if (!value)
      continue;
    if (failed(bounds.isRank(name, value, 1)) || failed(bounds.isDim(name, value, 0, count)))
      return failure();
    if (!count)
      count = getKnownDim(value, 0);
  }
  return Constraint(*this, 2).isRank("result", getResult(), getKnownRank(getOperand()));
}

LogicalResult SliceOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getResult());
  if (failed(Constraint(*this, 3).hasRank("result", getResult())) ||
      failed(Constraint(*this, 3).isRank("operand", getOperand(), rank)) ||
      failed(Constraint(*this, 1).isCount("offsets", getOffsets().getDims().size(), rank)) ||
      failed(Constraint(*this, 1).isCount("steps", getSteps().size(), rank)))
    return failure();
  if (llvm::is_contained(getSteps(), 0))
    return Constraint(*this, 2).emitError() << "a step is 0";
  return success();
}

//===----------------------------------------------------------------------===//
// Repetition and borders
//===----------------------------------------------------------------------===//

/// The rank of the result is known to be less than that of the operand.
static bool losesRank(Value operand, Value result) {
  std::optional<int64_t> from = getKnownRank(operand), to = getKnownRank(result);
  return from && to && *to < *from;
}

LogicalResult ExpandToOp::verify() {
  if (failed(Constraint(*this, 1).isRank("shape", getShape(), 1)))
    return failure();
  if (losesRank(getOperand(), getResult()))
    return Constraint(*this, 2).emitError() << "result " << getType() << " has a lower rank than the operand";
  return success();
}

LogicalResult ExpandLikeOp::verify() {
  if (failed(Constraint(*this, 1).isRank("result", getResult(), getKnownRank(getLike()))))
    return failure();
  if (losesRank(getOperand(), getResult()))
    return Constraint(*this, 2).emitError() << "result " << getType() << " has a lower rank than the operand";
  return success();
}

LogicalResult BroadcastOp::verify() {
  if (failed(Constraint(*this, 1).hasRank("result", getResult())))
    return failure();
  if (losesRank(getOperand(), getResult()))
    return Constraint(*this, 1).emitError() << "result " << getType() << " has a lower rank than the operand";
  std::optional<int64_t> rank = getKnownRank(getOperand());
  int64_t skipped = *getKnownRank(getResult()) - rank.value_or(0);
  for (int64_t dim = 0; dim < rank.value_or(0); ++dim) {
    std::optional<int64_t> from = getKnownDim(getOperand(), dim), to = getKnownDim(getResult(), skipped + dim);
    if (from && to && *from != *to && *from != 1)
      return Constraint(*this, 2).emitError()
             << "dim " << dim << " of the operand is " << *from << ", that of the result " << *to;
  }
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) { return getOperand().getType() == getType() ? getOperand() : Value(); }

/// broadcast(broadcast(x)) is one broadcast.
LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
  if (!inner)
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getOperandMutable().assign(inner.getOperand()); });
  return success();
}

LogicalResult TileToOp::verify() {
  Constraint repeats(*this, 1);
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (failed(repeats.isRank("repeats", getRepeats(), 1)) || failed(repeats.isDim("repeats", getRepeats(), 0, rank)))
    return failure();
  return Constraint(*this, 2).isRank("result", getResult(), rank);
}

LogicalResult TileOp::verify() {
  Constraint ranks(*this, 1);
  if (failed(ranks.hasRank("result", getResult())) ||
      failed(ranks.isRank("operand", getOperand(), getKnownRank(getResult()))))
    return failure();
  for (int64_t dim = 0; dim < *getKnownRank(getResult()); ++dim) {
    std::optional<int64_t> from = getKnownDim(getOperand(), dim), to = getKnownDim(getResult(), dim);
    if (from && to && (*from == 0 ? *to != 0 : *to % *from != 0))
      return Constraint(*this, 2).emitError()
             << "dim " << dim << " of the result is " << *to << ", no multiple of " << *from;
  }
  return success();
}

/// The value that pads: one element of the operand's type.
static LogicalResult verifyPadValue(const Constraint &constraint, Value operand, Value value) {
  if (!value)
    return success();
  if (getElementTypeOrSelf(value) != getElementTypeOrSelf(operand))
    return constraint.emitError() << "'value' is " << value.getType() << " for the operand " << operand.getType();
  return constraint.hasOneElement("value", value);
}

LogicalResult PadToOp::verify() {
  Constraint lists(*this, 1);
  if (failed(lists.isRank("pads", getPads(), 1)) || (getAxes() && failed(lists.isRank("axes", getAxes(), 1))) ||
      failed(Constraint(*this, 2).isRank("result", getResult(), getKnownRank(getOperand()))))
    return failure();
  return verifyPadValue(Constraint(*this, 3), getOperand(), getValue());
}

LogicalResult PadOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getResult());
  if (failed(Constraint(*this, 1).hasRank("result", getResult())) ||
      failed(Constraint(*this, 1).isRank("operand", getOperand(), rank)) ||
      failed(Constraint(*this, 2).isCount("low", getLow().getDims().size(), rank)))
    return failure();
  return verifyPadValue(Constraint(*this, 3), getOperand(), getValue());
}

LogicalResult TriluOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (rank && *rank < 2)
    return Constraint(*this, 1).emitError() << "operand has rank " << *rank << ", expected at least 2";
  if (failed(Constraint(*this, 2).isRank("result", getResult(), rank)))
    return failure();
  return getDiagonal() ? Constraint(*this, 3).hasOneElement("diagonal", getDiagonal()) : success();
}

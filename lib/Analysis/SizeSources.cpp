//===- Elements that sizes are ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SizeSources.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;

/// Ops behind each other that move an element.
static constexpr unsigned kMaxDepth = 16;

static std::optional<int64_t> getStaticLength(Value vector) {
  auto type = dyn_cast<RankedTensorType>(vector.getType());
  return type && type.getRank() == 1 && type.hasStaticShape() ? std::optional(type.getDimSize(0)) : std::nullopt;
}

static bool hasOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

static bool isInteger(Value value) { return isa<IntegerType>(getElementTypeOrSelf(value.getType())); }

/// Is an integer left what it is by a cast?
static bool isWidened(Operation *cast) {
  auto from = dyn_cast<IntegerType>(getElementTypeOrSelf(cast->getOperand(0).getType()));
  auto to = dyn_cast<IntegerType>(getElementTypeOrSelf(cast->getResult(0).getType()));
  return from && to && from.isUnsigned() == to.isUnsigned() && from.getWidth() <= to.getWidth();
}

/// Of the operands of a concat of vectors the one that the element stands in; nothing where a length in front of it is
/// not known.
static std::optional<Element> findPart(ConcatOp op, int64_t place) {
  for (Value part : op.getOperands()) {
    std::optional<int64_t> length = getStaticLength(part);
    if (!length)
      return std::nullopt;
    if (place < *length)
      return Element{part, place};
    place -= *length;
  }
  return std::nullopt;
}

static std::optional<Element> moveBack(Element element) {
  Operation *op = element.first.getDefiningOp();
  if (!op)
    return std::nullopt;
  // All of their elements keep their places.
  if (isa<SqueezeOp, UnsqueezeOp, ReshapeToOp>(op))
    return Element{op->getOperand(0), element.second};
  if (isa<CastOp>(op) && isWidened(op))
    return Element{op->getOperand(0), element.second};
  if (auto concat = dyn_cast<ConcatOp>(op))
    return findPart(concat, element.second);
  return std::nullopt;
}

static Element findSource(Element element) {
  for (unsigned depth = 0; depth < kMaxDepth; ++depth) {
    std::optional<Element> before = moveBack(element);
    if (!before)
      break;
    element = *before;
  }
  return element;
}

/// `range(0, n, 1)` has n elements.
static bool counts(RangeOp op) {
  return isInteger(op.getLimit()) && matchPattern(op.getStart(), m_Zero()) && matchPattern(op.getDelta(), m_One());
}

std::optional<Element> dyn::findSizeSource(Operation *op, unsigned dim) {
  if (isa<FullToOp>(op))
    return findSource({op->getOperand(0), dim});
  if (auto range = dyn_cast<RangeOp>(op); range && counts(range) && hasOneElement(range.getLimit()))
    return findSource({range.getLimit(), 0});
  return std::nullopt;
}

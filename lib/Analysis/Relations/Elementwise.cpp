//===- Relations of elementwise ops -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseValues.h"
#include "MovedValues.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

Bounds relations::getUnwrapped(ShapeRelations &relations, Bounds bounds, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  // An end that is not known may be anywhere, so the other one holds nothing once it wraps around.
  if (!integer || integer.getWidth() > 64 || !bounds.lower || !bounds.upper)
    return {};
  Solver &solver = relations.getSolver();
  Range low = solver.getRange(bounds.lower), high = solver.getRange(bounds.upper);
  unsigned width = integer.getWidth();
  if (width == 64) {
    // Sizes, and what indices make of them, are far from this limit; constants that stand for infinity are not.
    constexpr int64_t kLimit = int64_t(1) << 62;
    bool isFar = (low.upper && *low.upper < -kLimit) || (high.lower && *high.lower > kLimit);
    if (isFar || (integer.isUnsigned() && !relations.isKnownLessEqual(relations.getConstant(0), bounds.lower)))
      return {};
    return bounds;
  }
  int64_t least = integer.isUnsigned() ? 0 : llvm::minIntN(width);
  int64_t most = integer.isUnsigned() ? static_cast<int64_t>(llvm::maxUIntN(width)) : llvm::maxIntN(width);
  bool fits = low.lower && *low.lower >= least && high.upper && *high.upper <= most;
  return fits ? bounds : Bounds();
}

namespace {

/// Computes the interval of an elementwise op's result.
class IntervalEvaluator {
public:
  IntervalEvaluator(Operation *op, ShapeRelations &relations)
      : op(op), relations(relations), type(getElementTypeOrSelf(op->getResult(0))) {}

  Bounds evaluate() {
    return llvm::TypeSwitch<Operation *, Bounds>(op)
        .Case<AddOp>([&](auto) {
          Bounds lhs = get(0), rhs = get(1);
          return unwrapped({lhs.lower + rhs.lower, lhs.upper + rhs.upper});
        })
        .Case<SubOp>([&](auto) {
          Bounds lhs = get(0), rhs = get(1);
          return unwrapped({lhs.lower - rhs.upper, lhs.upper - rhs.lower});
        })
        .Case<MulOp>([&](auto) { return unwrapped(multiply(get(0), get(1))); })
        .Case<NegOp>([&](auto) { return unwrapped(scale(get(0), -1)); })
        .Case<AbsOp>([&](auto) { return getMagnitude(get(0)); })
        .Case<SignOp>([&](auto) { return Bounds{constant(type.isUnsignedInteger() ? 0 : -1), constant(1)}; })
        .Case<DivOp>([&](auto) { return divide(get(0), get(1)); })
        .Case<ModOp>([&](ModOp mod) { return getRemainder(get(0), get(1), mod.getFmod()); })
        .Case<MinOp>([&](auto) { return getLesser(get(0), get(1)); })
        .Case<MaxOp>([&](auto) { return getGreater(get(0), get(1)); })
        .Case<SelectOp>([&](auto) { return join(relations, get(1), get(2)); })
        .Case<CastOp>([&](auto) { return cast(get(0), getElementTypeOrSelf(op->getOperand(0))); })
        .Default([](Operation *) { return Bounds(); });
  }

private:
  Expr constant(int64_t value) { return relations.getConstant(value); }
  bool isAtLeast(Expr expr, int64_t lower) { return relations.isKnownLessEqual(constant(lower), expr); }
  Bounds unwrapped(Bounds bounds) { return getUnwrapped(relations, bounds, type); }

  Bounds get(unsigned index) {
    Value operand = op->getOperand(index);
    Expr scalar = relations.getScalar(operand);
    return scalar ? Bounds{scalar, scalar} : relations.getBounds(operand);
  }

  static Bounds scale(Bounds bounds, int64_t factor) {
    if (factor < 0)
      std::swap(bounds.lower, bounds.upper);
    return {bounds.lower * factor, bounds.upper * factor};
  }

  Bounds multiply(Bounds lhs, Bounds rhs) {
    auto getFactor = [](const Bounds &bounds) {
      return bounds.lower && bounds.lower == bounds.upper ? bounds.lower.getConstant() : std::nullopt;
    };
    if (std::optional<int64_t> factor = getFactor(rhs))
      return scale(lhs, *factor);
    if (std::optional<int64_t> factor = getFactor(lhs))
      return scale(rhs, *factor);
    if (isAtLeast(lhs.lower, 0) && isAtLeast(rhs.lower, 0))
      return {lhs.lower * rhs.lower, lhs.upper * rhs.upper};
    return {};
  }

  Bounds getMagnitude(Bounds bounds) {
    if (isAtLeast(bounds.lower, 0))
      return bounds;
    return unwrapped({constant(0), symbolic::max({bounds.upper, -bounds.lower})});
  }

  Bounds divide(Bounds lhs, Bounds rhs) {
    // Rounding towards zero and downwards agree where neither side is negative.
    if (!isAtLeast(lhs.lower, 0) || !isAtLeast(rhs.lower, 1))
      return {};
    return {rhs.upper ? floorDiv(lhs.lower, rhs.upper) : constant(0), floorDiv(lhs.upper, rhs.lower)};
  }

  Bounds getRemainder(Bounds lhs, Bounds rhs, bool hasSignOfDividend) {
    if (!isAtLeast(rhs.lower, 1))
      return {};
    Expr most = rhs.upper - 1;
    return {hasSignOfDividend && !isAtLeast(lhs.lower, 0) ? -most : constant(0), most};
  }

  /// The greater of two is at least each lower bound; either one will do.
  Bounds getGreater(Bounds lhs, Bounds rhs) {
    Expr lower = !lhs.lower ? rhs.lower : !rhs.lower ? lhs.lower : symbolic::max({lhs.lower, rhs.lower});
    return {lower, join(relations, lhs, rhs).upper};
  }

  Bounds getLesser(Bounds lhs, Bounds rhs) {
    Expr upper = !lhs.upper ? rhs.upper : !rhs.upper ? lhs.upper : symbolic::min({lhs.upper, rhs.upper});
    return {join(relations, lhs, rhs).lower, upper};
  }

  Bounds cast(Bounds bounds, Type from) {
    auto source = dyn_cast<IntegerType>(from), target = dyn_cast<IntegerType>(type);
    if (!source || !target)
      return {};
    if (source.getWidth() == 1)
      return {constant(0), constant(1)};
    bool sameSign = source.isUnsigned() == target.isUnsigned();
    bool holdsAll = sameSign ? target.getWidth() >= source.getWidth()
                             : source.isUnsigned() && target.getWidth() > source.getWidth();
    return holdsAll ? bounds : unwrapped(bounds);
  }

  Operation *op;
  ShapeRelations &relations;
  Type type;
};

} // namespace

static void relateBounds(Operation *op, ShapeRelations &relations) {
  // Indices have at least 32 bits.
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(op->getResult(0)));
  if (!type || type.getWidth() < 32)
    return;
  Bounds bounds = IntervalEvaluator(op, relations).evaluate();
  for (Expr *end : {&bounds.lower, &bounds.upper})
    if (*end && !end->isWithinBudget())
      *end = Expr();
  relations.setBounds(op->getResult(0), bounds);
}

//===----------------------------------------------------------------------===//
// Dims
//===----------------------------------------------------------------------===//

/// The result has the dims that all operands broadcast to.
static LogicalResult relateElementwise(Operation *op, ShapeRelations &relations) {
  std::optional<Dims> dims;
  for (Value operand : op->getOperands()) {
    std::optional<Dims> other = relations.getDims(operand);
    if (!other)
      return success();
    FailureOr<Dims> joined = dims ? relations.broadcast(*dims, *other, op->getName().stripDialect()) : *other;
    if (failed(joined))
      return failure();
    dims = std::move(*joined);
  }
  if (failed(relations.setDims(op->getResult(0), *dims)))
    return failure();
  if (failed(relateElements(op, relations)))
    return failure();
  relateBounds(op, relations);
  return success();
}

namespace {
template <typename Op>
struct ElementwiseModel : ShapeRelationsOpInterface::ExternalModel<ElementwiseModel<Op>, Op> {
  LogicalResult relateShapes(Operation *op, ShapeRelations &relations) const {
    return relateElementwise(op, relations);
  }
};
} // namespace

template <typename... Ops>
static void attachAll(MLIRContext *context) {
  (Ops::template attachInterface<ElementwiseModel<Ops>>(*context), ...);
}

void relations::attachElementwiseRelations(MLIRContext *context) {
  attachAll<AbsOp, NegOp, SignOp, ExpOp, LogOp, SqrtOp, ReciprocalOp, ErfOp, TanhOp, SigmoidOp, SinOp, CosOp, FloorOp,
            CeilOp, RoundOp, NotOp, IsNanOp, IsInfOp, AddOp, SubOp, MulOp, DivOp, ModOp, PowOp, MinOp, MaxOp, AndOp,
            OrOp, XorOp, CompareOp, SelectOp, CastOp, BitCastOp>(context);
}

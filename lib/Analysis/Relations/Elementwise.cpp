//===- Relations of elementwise ops -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Elements/ElementwiseValues.h"
#include "Elements/FloatIntervals.h"
#include "MovedValues.h"
#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Symbolic/Numbers.h"
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
  auto getRanges = [&] { return std::pair(solver.getRange(bounds.lower), solver.getRange(bounds.upper)); };
  unsigned width = integer.getWidth();
  if (width == 64) {
    // Sizes, and what indices make of them, are far from this limit; constants that stand for infinity are not.
    constexpr int64_t kLimit = int64_t(1) << 62, kLargeNumber = int64_t(1) << 31;
    auto isFar = [&] {
      if (std::max(getLargestNumber(bounds.lower), getLargestNumber(bounds.upper)) < kLargeNumber)
        return false;
      auto [low, high] = getRanges();
      return (low.upper && *low.upper < -kLimit) || (high.lower && *high.lower > kLimit);
    };
    if (isFar() || (integer.isUnsigned() && !relations.isKnownLessEqual(relations.getConstant(0), bounds.lower)))
      return {};
    return bounds;
  }
  auto [low, high] = getRanges();
  Range held = getElementRange(integer);
  bool fits = low.lower && *low.lower >= *held.lower && high.upper && *high.upper <= *held.upper;
  return fits ? bounds : Bounds();
}

namespace {

/// Computes the interval of an elementwise op's result; of booleans as of 0 and 1.
class IntervalEvaluator {
public:
  IntervalEvaluator(Operation *op, ShapeRelations &relations)
      : op(op), relations(relations), type(getElementTypeOrSelf(op->getResult(0))) {}

  Bounds evaluate() {
    if (type.isInteger(1))
      return evaluateBoolean();
    return llvm::TypeSwitch<Operation *, Bounds>(op)
        .Case<AddOp>([&](auto) {
          Bounds lhs = get(0), rhs = get(1);
          return unwrapped({lhs.lower + rhs.lower, lhs.upper + rhs.upper, meet(lhs.lowerAt, rhs.lowerAt),
                            meet(lhs.upperAt, rhs.upperAt)});
        })
        .Case<SubOp>([&](auto) {
          Bounds lhs = get(0), rhs = get(1);
          return unwrapped({lhs.lower - rhs.upper, lhs.upper - rhs.lower, meet(lhs.lowerAt, rhs.upperAt),
                            meet(lhs.upperAt, rhs.lowerAt)});
        })
        .Case<MulOp>([&](auto) { return unwrapped(multiply(get(0), get(1))); })
        .Case<NegOp>([&](auto) { return unwrapped(scale(get(0), -1)); })
        .Case<AbsOp>([&](auto) { return getMagnitude(get(0)); })
        .Case<SignOp>([&](auto) { return Bounds{constant(type.isUnsignedInteger() ? 0 : -1), constant(1)}; })
        .Case<DivOp>([&](auto) { return divide(get(0), get(1)); })
        .Case<ModOp>([&](ModOp mod) { return getRemainder(get(0), get(1), mod.getFmod()); })
        .Case<MinOp>([&](auto) { return getLesser(get(0), get(1)); })
        .Case<MaxOp>([&](auto) { return getGreater(get(0), get(1)); })
        .Case<SelectOp>([&](auto) { return select(); })
        .Case<CastOp>([&](auto) { return cast(get(0), getElementTypeOrSelf(op->getOperand(0))); })
        .Case<StringCountOp>([&](StringCountOp count) {
          auto maxSplits = static_cast<int64_t>(count.getMaxSplits());
          return Bounds{constant(0), maxSplits < 0 ? Expr() : constant(maxSplits) + 1};
        })
        .Default([](Operation *) { return Bounds(); });
  }

private:
  Expr constant(int64_t value) { return relations.getConstant(value); }
  bool isAtLeast(Expr expr, int64_t lower) { return relations.isKnownLessEqual(constant(lower), expr); }
  Bounds unwrapped(Bounds bounds) { return getUnwrapped(relations, bounds, type); }

  /// All elements are `value`.
  static Bounds getUniform(Expr value) { return {value, value, EndPlace::Everywhere, EndPlace::Everywhere}; }

  Bounds get(unsigned index) {
    Value operand = op->getOperand(index);
    Expr scalar = relations.getScalar(operand);
    return scalar ? getUniform(scalar) : relations.getBounds(operand);
  }

  //===--- Places ---===//

  /// Do the two operands of the op vary along different dims, so that each element of one meets each of the other?
  bool varyApart() {
    std::optional<Dims> lhs = relations.getDims(op->getOperand(0)), rhs = relations.getDims(op->getOperand(1));
    if (!lhs || !rhs)
      return false;
    Expr one = constant(1);
    for (auto [left, right] : llvm::zip(llvm::reverse(*lhs), llvm::reverse(*rhs)))
      if (!relations.isKnownEqual(left, one) && !relations.isKnownEqual(right, one))
        return false;
    return true;
  }

  /// Where an element at one place of the first operand meets one at a place of the second.
  EndPlace meet(EndPlace lhs, EndPlace rhs) {
    if (lhs == EndPlace::Unknown || rhs == EndPlace::Unknown)
      return EndPlace::Unknown;
    if (lhs == EndPlace::Everywhere || rhs == EndPlace::Everywhere)
      return lhs == EndPlace::Everywhere ? rhs : lhs;
    if (lhs == rhs && lhs != EndPlace::Somewhere)
      return lhs;
    return varyApart() ? EndPlace::Somewhere : EndPlace::Unknown;
  }

  //===--- Numbers ---===//

  static Bounds scale(Bounds bounds, int64_t factor) {
    if (factor < 0) {
      std::swap(bounds.lower, bounds.upper);
      std::swap(bounds.lowerAt, bounds.upperAt);
    }
    return {bounds.lower * factor, bounds.upper * factor, bounds.lowerAt, bounds.upperAt};
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
      return {lhs.lower * rhs.lower, lhs.upper * rhs.upper, meet(lhs.lowerAt, rhs.lowerAt),
              meet(lhs.upperAt, rhs.upperAt)};
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
    Bounds result{constant(0), floorDiv(lhs.upper, rhs.lower), EndPlace::Unknown, meet(lhs.upperAt, rhs.lowerAt)};
    if (rhs.upper) {
      result.lower = floorDiv(lhs.lower, rhs.upper);
      result.lowerAt = meet(lhs.lowerAt, rhs.upperAt);
    }
    return result;
  }

  Bounds getRemainder(Bounds lhs, Bounds rhs, bool hasSignOfDividend) {
    if (!isAtLeast(rhs.lower, 1))
      return {};
    Expr most = rhs.upper - 1;
    return {hasSignOfDividend && !isAtLeast(lhs.lower, 0) ? -most : constant(0), most};
  }

  /// The greater of two is at least each lower bound; either one will do.
  Bounds getGreater(Bounds lhs, Bounds rhs) {
    Bounds result{!lhs.lower ? rhs.lower : lhs.lower, join(relations, lhs, rhs).upper};
    if (lhs.lower && rhs.lower) {
      result.lower = symbolic::max({lhs.lower, rhs.lower});
      result.lowerAt = meet(lhs.lowerAt, rhs.lowerAt);
    }
    // No element of the other one is greater.
    if (result.upper)
      result.upperAt = result.upper == lhs.upper ? lhs.upperAt : rhs.upperAt;
    return result;
  }

  /// The negative of the greater one of the negatives.
  Bounds getLesser(Bounds lhs, Bounds rhs) { return scale(getGreater(scale(lhs, -1), scale(rhs, -1)), -1); }

  Bounds cast(Bounds bounds, Type from) {
    auto source = dyn_cast<IntegerType>(from), target = dyn_cast<IntegerType>(type);
    if (isa<FloatType>(from) && target && !target.isUnsigned())
      return getBoundsOfTruncated(relations, op->getOperand(0));
    if (!source || !target)
      return {};
    if (source.getWidth() == 1)
      return bounds.lower && bounds.upper ? bounds : Bounds{constant(0), constant(1)};
    bool sameSign = source.isUnsigned() == target.isUnsigned();
    bool holdsAll = sameSign ? target.getWidth() >= source.getWidth()
                             : source.isUnsigned() && target.getWidth() > source.getWidth();
    return holdsAll ? bounds : unwrapped(bounds);
  }

  //===--- Truth ---===//

  /// What all elements of a boolean operand are.
  std::optional<bool> getTruth(unsigned index) {
    if (std::optional<ElementValues> elements = relations.getElements(op->getOperand(index));
        elements && elements->size() == 1)
      if (std::optional<bool> truth = relations.getTruth(elements->front()))
        return truth;
    Bounds bounds = relations.getBounds(op->getOperand(index));
    std::optional<int64_t> value =
        bounds.lower && bounds.lower == bounds.upper ? bounds.lower.getConstant() : std::nullopt;
    return value ? std::optional<bool>(*value != 0) : std::nullopt;
  }

  Bounds select() {
    // What is chosen everywhere is repeated as a whole.
    if (std::optional<bool> truth = getTruth(0))
      return get(*truth ? 1 : 2);
    return join(relations, get(1), get(2));
  }

  std::optional<bool> compare(CompareDirection direction) {
    if (!isa<IntegerType>(getElementTypeOrSelf(op->getOperand(0))))
      return std::nullopt;
    Bounds lhs = get(0), rhs = get(1);
    auto isLess = [&](const Bounds &a, const Bounds &b) {
      return a.upper && b.lower && relations.getSolver().isLess(a.upper, b.lower) == Verdict::Yes;
    };
    auto isAtMost = [&](const Bounds &a, const Bounds &b) { return relations.isKnownLessEqual(a.upper, b.lower); };
    auto decide = [](bool yes, bool no) { return yes || no ? std::optional<bool>(yes) : std::nullopt; };
    switch (direction) {
    case CompareDirection::EQ:
    case CompareDirection::NE: {
      bool isEqual = isAtMost(lhs, rhs) && isAtMost(rhs, lhs), differs = isLess(lhs, rhs) || isLess(rhs, lhs);
      return direction == CompareDirection::EQ ? decide(isEqual, differs) : decide(differs, isEqual);
    }
    case CompareDirection::LT:
      return decide(isLess(lhs, rhs), isAtMost(rhs, lhs));
    case CompareDirection::LE:
      return decide(isAtMost(lhs, rhs), isLess(rhs, lhs));
    case CompareDirection::GT:
      return decide(isLess(rhs, lhs), isAtMost(lhs, rhs));
    case CompareDirection::GE:
      return decide(isAtMost(rhs, lhs), isLess(lhs, rhs));
    }
    llvm_unreachable("all directions are covered");
  }

  Bounds evaluateBoolean() {
    auto known = [&](std::optional<bool> truth) { return truth ? getUniform(constant(*truth)) : Bounds(); };
    return llvm::TypeSwitch<Operation *, Bounds>(op)
        .Case<CompareOp>([&](CompareOp typed) { return known(compare(typed.getDirection())); })
        .Case<NotOp>([&](auto) {
          std::optional<bool> truth = getTruth(0);
          return known(truth ? std::optional<bool>(!*truth) : std::nullopt);
        })
        .Case<AndOp, OrOp>([&](auto) {
          std::optional<bool> lhs = getTruth(0), rhs = getTruth(1);
          bool decisive = isa<OrOp>(op);
          if (lhs == decisive || rhs == decisive)
            return known(decisive);
          return known(lhs && rhs ? std::optional<bool>(!decisive) : std::nullopt);
        })
        .Case<SelectOp>([&](auto) {
          std::optional<bool> condition = getTruth(0), onTrue = getTruth(1), onFalse = getTruth(2);
          if (condition)
            return known(*condition ? onTrue : onFalse);
          return known(onTrue == onFalse ? onTrue : std::nullopt);
        })
        .Case<CastOp>([&](auto) {
          if (getElementTypeOrSelf(op->getOperand(0)).isInteger(1))
            return known(getTruth(0));
          if (!isa<IntegerType>(getElementTypeOrSelf(op->getOperand(0))))
            return Bounds();
          Bounds bounds = get(0);
          bool isZero = isAtLeast(bounds.lower, 0) && relations.isKnownLessEqual(bounds.upper, constant(0));
          bool isNone = isAtLeast(bounds.lower, 1) || relations.isKnownLessEqual(bounds.upper, constant(-1));
          return known(isZero || isNone ? std::optional<bool>(isNone) : std::nullopt);
        })
        .Default([](Operation *) { return Bounds(); });
  }

  Operation *op;
  ShapeRelations &relations;
  Type type;
};

} // namespace

static void relateBounds(Operation *op, ShapeRelations &relations) {
  // Indices have at least 32 bits; conditions have one.
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(op->getResult(0)));
  if (!type || (type.getWidth() < 32 && type.getWidth() != 1))
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

/// The dim of a constant that stands `fromEnd` dims before the last, unless it fits all others. Messages tell where the
/// values of symbols come from; where a number does has to be said.
static std::string describeConstantDim(Operation *op, size_t fromEnd, ShapeRelations &relations) {
  for (Value operand : op->getOperands()) {
    auto constant = operand.getDefiningOp<ConstantOp>();
    const Dims *dims = constant ? relations.findDims(operand) : nullptr;
    if (!dims || fromEnd >= dims->size() || getNodeName(constant.getLoc()).empty())
      continue;
    size_t dim = dims->size() - 1 - fromEnd;
    if ((*dims)[dim] && !(*dims)[dim].isConstant(1))
      return describeDim(operand, static_cast<int64_t>(dim));
  }
  return "";
}

/// The result has the dims that all operands broadcast to.
static LogicalResult relateElementwise(Operation *op, ShapeRelations &relations) {
  std::optional<Dims> dims;
  auto because = [&](size_t fromEnd) { return describeConstantDim(op, fromEnd, relations); };
  for (Value operand : op->getOperands()) {
    const Dims *other = relations.findDims(operand);
    if (!other)
      return success();
    // Most are of what is the same.
    if (dims && *dims == *other)
      continue;
    FailureOr<Dims> joined = dims ? relations.broadcast(*dims, Dims(*other), because) : FailureOr<Dims>(*other);
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
            OrOp, XorOp, CompareOp, SelectOp, CastOp, BitCastOp, StringConcatOp, StringCaseOp, StringMatchOp,
            StringCountOp, StringPartOp>(context);
}

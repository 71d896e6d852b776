//===- What sizes on the way through floats lie between -----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Interval arithmetic over doubles (Moore, 1966). What an op gives is taken for off by
// up to a part of 2^20 of its magnitude, which is more than f32 rounds.
//
//===----------------------------------------------------------------------===//

#include "FloatIntervals.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;
using Kind = ElementValue::Kind;

namespace {
struct FloatInterval {
  double lower, upper;
};
using Found = std::optional<FloatInterval>;

/// Walks from a value to the sizes that it is made of. Each value is looked at once.
class FloatIntervals {
public:
  explicit FloatIntervals(ShapeRelations &relations) : relations(relations) {}

  Found get(Value value) {
    constexpr size_t maximalValues = 64;
    if (auto known = intervals.find(value); known != intervals.end())
      return known->second;
    // Nothing, until it is known: no value is made of itself.
    intervals[value] = std::nullopt;
    if (intervals.size() > maximalValues)
      return std::nullopt;
    Found found = getOfElements(value);
    if (!found && value.getDefiningOp())
      found = getOfResult(value.getDefiningOp());
    return intervals[value] = found;
  }

private:
  static Found join(Found lhs, Found rhs) {
    if (!lhs || !rhs)
      return std::nullopt;
    return FloatInterval{std::min(lhs->lower, rhs->lower), std::max(lhs->upper, rhs->upper)};
  }

  /// Also where the element is rounded.
  static Found widen(double lower, double upper) {
    constexpr double part = 1.0 / (1 << 20);
    FloatInterval wide{lower - std::fabs(lower) * part, upper + std::fabs(upper) * part};
    return std::isfinite(wide.lower) && std::isfinite(wide.upper) ? Found(wide) : std::nullopt;
  }

  Found getRange(Expr expr) {
    Range range = expr ? relations.getSolver().getRange(expr) : Range();
    if (!range.lower || !range.upper)
      return std::nullopt;
    return widen(static_cast<double>(*range.lower), static_cast<double>(*range.upper));
  }

  Found getOfElement(const ElementValue &element) {
    if (element.kind == Kind::Number)
      return widen(element.number, element.number);
    if (element.kind != Kind::Integer && element.kind != Kind::Quotient)
      return std::nullopt;
    Found range = getRange(element.integer);
    auto divisor = static_cast<double>(element.kind == Kind::Quotient ? element.getDivisor() : 1);
    return range ? widen(range->lower / divisor, range->upper / divisor) : range;
  }

  Found getOfElements(Value value) {
    const ElementValues *elements = relations.findElements(value);
    if (!elements || elements->empty())
      return std::nullopt;
    Found found = getOfElement(elements->front());
    for (const ElementValue &element : llvm::drop_begin(*elements))
      found = join(found, getOfElement(element));
    return found;
  }

  Found getOfIntegers(Value value) {
    if (Found found = getOfElements(value))
      return found;
    Bounds bounds = relations.getBounds(value);
    return bounds.lower && bounds.upper ? join(getRange(bounds.lower), getRange(bounds.upper)) : std::nullopt;
  }

  Found getOfResult(Operation *op) {
    Type type = getElementTypeOrSelf(op->getResult(0));
    if (!type.isF32() && !type.isF64())
      return std::nullopt;
    if (isa<CastOp>(op) && isa<IntegerType>(getElementTypeOrSelf(op->getOperand(0))))
      return getOfIntegers(op->getOperand(0));
    if (isa<CastOp, ReshapeOp, ReshapeToOp, SqueezeOp, UnsqueezeOp, TransposeOp, SliceOp, SliceToOp, ExpandToOp,
            BroadcastOp, GatherOp>(op))
      return getOfMoved(op->getOperand(0));
    if (isa<ConcatOp>(op)) {
      Found found = get(op->getOperand(0));
      for (Value operand : llvm::drop_begin(op->getOperands()))
        found = join(found, get(operand));
      return found;
    }
    Found lhs = op->getNumOperands() > 0 ? get(op->getOperand(0)) : std::nullopt;
    if (!lhs)
      return std::nullopt;
    if (op->getNumOperands() == 1)
      return getOfUnary(op, *lhs);
    Found rhs = op->getNumOperands() == 2 ? get(op->getOperand(1)) : std::nullopt;
    return rhs ? getOfBinary(op, *lhs, *rhs) : std::nullopt;
  }

  Found getOfMoved(Value operand) {
    Found found = get(operand);
    return found ? widen(found->lower, found->upper) : found;
  }

  static Found getOfUnary(Operation *op, FloatInterval x) {
    return llvm::TypeSwitch<Operation *, Found>(op)
        .Case<NegOp>([&](auto) { return widen(-x.upper, -x.lower); })
        .Case<FloorOp>([&](auto) { return widen(std::floor(x.lower), std::floor(x.upper)); })
        .Case<CeilOp>([&](auto) { return widen(std::ceil(x.lower), std::ceil(x.upper)); })
        .Case<RoundOp>([&](auto) { return widen(std::floor(x.lower), std::ceil(x.upper)); })
        .Case<AbsOp>([&](auto) {
          double least = x.lower <= 0 && x.upper >= 0 ? 0 : std::min(std::fabs(x.lower), std::fabs(x.upper));
          return widen(least, std::max(std::fabs(x.lower), std::fabs(x.upper)));
        })
        .Case<SqrtOp>([&](auto) { return x.lower >= 0 ? widen(std::sqrt(x.lower), std::sqrt(x.upper)) : Found(); })
        .Case<ReciprocalOp>([&](auto) { return divide({1, 1}, x); })
        .Default([](Operation *) { return Found(); });
  }

  static Found multiply(FloatInterval x, FloatInterval y) {
    auto [least, most] = std::minmax({x.lower * y.lower, x.lower * y.upper, x.upper * y.lower, x.upper * y.upper});
    return widen(least, most);
  }

  static Found divide(FloatInterval x, FloatInterval y) {
    if (y.lower <= 0 && y.upper >= 0)
      return std::nullopt;
    return multiply(x, {1 / y.upper, 1 / y.lower});
  }

  static Found getOfBinary(Operation *op, FloatInterval x, FloatInterval y) {
    return llvm::TypeSwitch<Operation *, Found>(op)
        .Case<AddOp>([&](auto) { return widenSum(x, y); })
        .Case<SubOp>([&](auto) { return widenSum(x, {-y.upper, -y.lower}); })
        .Case<MulOp>([&](auto) { return multiply(x, y); })
        .Case<DivOp>([&](auto) { return divide(x, y); })
        .Case<MinOp>([&](auto) { return widen(std::min(x.lower, y.lower), std::min(x.upper, y.upper)); })
        .Case<MaxOp>([&](auto) { return widen(std::max(x.lower, y.lower), std::max(x.upper, y.upper)); })
        .Default([](Operation *) { return Found(); });
  }

  static Found widenSum(FloatInterval x, FloatInterval y) { return widen(x.lower + y.lower, x.upper + y.upper); }

  ShapeRelations &relations;
  llvm::DenseMap<Value, Found> intervals;
};
} // namespace

Bounds relations::getBoundsOfTruncated(ShapeRelations &relations, Value floats) {
  // What an integer of 32 bits holds, however it was computed.
  constexpr double most = 2'000'000'000;
  Found found = FloatIntervals(relations).get(floats);
  if (!found || found->lower < -most || found->upper > most)
    return {};
  return {relations.getConstant(static_cast<int64_t>(found->lower)),
          relations.getConstant(static_cast<int64_t>(found->upper))};
}

//===- Comparisons, choices and conversions of known elements ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../Choices.h"
#include "ElementEvaluator.h"
#include "dyn/Dialect/Dyn/IR/Compare.h"
#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;
using Kind = ElementValue::Kind;

static Predicate compareIntegers(CompareDirection direction, Expr lhs, Expr rhs) {
  switch (direction) {
  case CompareDirection::EQ:
    return Predicate::equal(lhs, rhs);
  case CompareDirection::NE:
    return Predicate::notEqual(lhs, rhs);
  case CompareDirection::LT:
    return Predicate::less(lhs, rhs);
  case CompareDirection::LE:
    return Predicate::lessEqual(lhs, rhs);
  case CompareDirection::GT:
    return Predicate::less(rhs, lhs);
  case CompareDirection::GE:
    return Predicate::lessEqual(rhs, lhs);
  }
  llvm_unreachable("all directions are covered");
}

static unsigned countPredicates(const Predicate &predicate) {
  unsigned count = 1;
  for (const Predicate &operand : predicate.operands)
    count += countPredicates(operand);
  return count;
}

/// `condition ? onTrue : onFalse`; nothing where that is long, because the condition stands in it twice.
static ElementValue chooseTruth(const Predicate &condition, const Predicate &onTrue, const Predicate &onFalse) {
  constexpr unsigned kMost = 100;
  if (countPredicates(condition) + countPredicates(onTrue) + countPredicates(onFalse) > kMost)
    return {};
  return ElementValue::getBoolean(
      Predicate::disjunction({Predicate::conjunction({condition, onTrue}),
                              Predicate::conjunction({Predicate::negation(condition), onFalse})}));
}

ElementValue ElementEvaluator::compareTruths(CompareDirection direction, const Predicate &lhs, const Predicate &rhs) {
  std::optional<bool> l = relations.getTruth(ElementValue::getBoolean(lhs)),
                      r = relations.getTruth(ElementValue::getBoolean(rhs));
  if (l && r)
    return ElementValue::getBoolean(dyn::compare(direction, *l, *r));
  if (direction != CompareDirection::EQ && direction != CompareDirection::NE)
    return {};
  bool isEqual = direction == CompareDirection::EQ;
  if (l || r) {
    const Predicate &open = l ? rhs : lhs;
    return ElementValue::getBoolean((l ? *l : *r) == isEqual ? open : Predicate::negation(open));
  }
  return isEqual ? chooseTruth(lhs, rhs, Predicate::negation(rhs)) : chooseTruth(lhs, Predicate::negation(rhs), rhs);
}

/// Rounding keeps the order, and an integer that the type holds as it is: what is above or below it stays there. Of two
/// that may be rounded, both must be within the limit, which the greater one shows of the other.
ElementValue ElementEvaluator::compareRounded(CompareDirection direction, const ElementValue &lhs,
                                              const ElementValue &rhs) {
  std::optional<int64_t> limit = getExactLimit(getElementTypeOrSelf(op->getOperand(0)));
  Expr l = getWhole(lhs, limit.value_or(0), relations), r = getWhole(rhs, limit.value_or(0), relations);
  if (!limit || !l || !r)
    return {};
  auto isExactConstant = [&](Expr side) {
    std::optional<int64_t> value = side.getConstant();
    return value && *value >= -*limit && *value <= *limit;
  };
  if (isExactConstant(l) || isExactConstant(r))
    return ElementValue::getBoolean(compareIntegers(direction, l, r));
  bool isLeftFirst = !relations.isKnownLessEqual(l, r);
  Expr greater = isLeftFirst ? l : r, less = isLeftFirst ? r : l;
  for (Expr side : {greater, less}) {
    bool isBelow = relations.isKnownLessEqual(side, constant(*limit)) ||
                   (side == less && relations.isKnownLessEqual(less, greater));
    if (isBelow && isAtLeast(side, -*limit))
      continue;
    if (!relations.decidesSizes(op->getResult(0)) || !relations.areKnownAtEntry(side))
      return {};
    magnitudes.emplace_back(side, *limit);
  }
  return ElementValue::getBoolean(compareIntegers(direction, l, r));
}

ElementValue ElementEvaluator::compare(CompareDirection direction, const ElementValue &lhs, const ElementValue &rhs) {
  if (isa<FloatType>(getElementTypeOrSelf(op->getOperand(0))) && (lhs.isInteger() || rhs.isInteger()))
    return compareRounded(direction, lhs, rhs);
  if (lhs.isInteger() && rhs.isInteger())
    return ElementValue::getBoolean(compareIntegers(direction, lhs.integer, rhs.integer));
  if (lhs.kind == Kind::Number && rhs.kind == Kind::Number)
    return ElementValue::getBoolean(dyn::compare(direction, lhs.number, rhs.number));
  if (lhs.kind == Kind::Boolean && rhs.kind == Kind::Boolean)
    return compareTruths(direction, lhs.getPredicate(), rhs.getPredicate());
  std::optional<bool> l = relations.getTruth(lhs), r = relations.getTruth(rhs);
  return l && r ? ElementValue::getBoolean(dyn::compare(direction, *l, *r)) : ElementValue();
}

bool ElementEvaluator::isSame(const ElementValue &lhs, const ElementValue &rhs) {
  if (lhs.kind != rhs.kind)
    return false;
  switch (lhs.kind) {
  case Kind::Unknown:
  case Kind::Quotient:
  case Kind::Ratio:
  case Kind::Near:
    return false;
  case Kind::Integer:
    return relations.isKnownEqual(lhs.integer, rhs.integer);
  case Kind::Boolean:
    return lhs.getPredicate() == rhs.getPredicate();
  case Kind::Number:
    return lhs.number == rhs.number && std::signbit(lhs.number) == std::signbit(rhs.number);
  }
  llvm_unreachable("all kinds are covered");
}

ElementValue ElementEvaluator::select(const ElementValue &condition, const ElementValue &onTrue,
                                      const ElementValue &onFalse) {
  if (std::optional<bool> truth = relations.getTruth(condition))
    return *truth ? onTrue : onFalse;
  if (isSame(onTrue, onFalse))
    return onTrue;
  if (condition.kind == Kind::Boolean && onTrue.kind == Kind::Boolean && onFalse.kind == Kind::Boolean)
    return chooseTruth(condition.getPredicate(), onTrue.getPredicate(), onFalse.getPredicate());
  if (condition.kind != Kind::Boolean || !onTrue.isInteger() || !onFalse.isInteger())
    return {};
  // Rounded to a float type, too, it is one of the two.
  return integerOrRounded(choose(condition.getPredicate(), onTrue.integer, onFalse.integer, relations.getSolver()));
}

ElementValue ElementEvaluator::cast(const ElementValue &operand) {
  Type from = getElementTypeOrSelf(op->getOperand(0));
  bool toBoolean = elementType.isInteger(1), toInteger = isa<IntegerType>(elementType) && !toBoolean;
  switch (operand.kind) {
  case Kind::Unknown:
    return {};
  case Kind::Integer: {
    if (toBoolean)
      return ElementValue::getBoolean(Predicate::notEqual(operand.integer, constant(0)));
    if (toInteger)
      return isa<FloatType>(from) ? truncate(getQuotient(operand, from)) : integer(operand.integer);
    if (!getExactLimit(elementType))
      return {};
    if (isa<FloatType>(from) && from != elementType && !isExact(operand.integer, from))
      return castFloat(operand, from);
    // A double holds it, so that it is rounded once.
    if (std::optional<int64_t> value = operand.getConstant(); value && *value >= -kMostWhole && *value <= kMostWhole)
      if (ElementValue rounded = number(static_cast<double>(*value)); !rounded.isUnknown())
        return rounded;
    return operand;
  }
  case Kind::Boolean:
    if (toBoolean)
      return operand;
    if (std::optional<bool> truth = relations.getTruth(operand))
      return toInteger ? integer(constant(*truth)) : number(*truth);
    return toInteger ? integer(choose(operand.getPredicate(), constant(1), constant(0), relations.getSolver()))
                     : ElementValue();
  case Kind::Quotient:
    if (toInteger)
      return truncate(operand);
    return toBoolean ? ElementValue() : castFloat(operand, from);
  case Kind::Ratio:
    return {};
  case Kind::Near:
    return isa<FloatType>(from) && elementType.isInteger(64) ? operand : ElementValue();
  case Kind::Number:
    if (toBoolean)
      return ElementValue::getBoolean(operand.number != 0);
    if (!toInteger)
      return round(operand.number);
    // What does not fit (and NaN, infinities) is not defined by ONNX.
    return std::fabs(operand.number) < 9.0e18 ? integer(constant(static_cast<int64_t>(operand.number)))
                                              : ElementValue();
  }
  llvm_unreachable("all kinds are covered");
}

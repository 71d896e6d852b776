//===- Elements and intervals through elementwise ops ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseValues.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;
using Kind = ElementValue::Kind;

namespace {

/// Evaluates one elementwise op on elements of its operands, which are unknown where they must be.
class Evaluator {
public:
  Evaluator(Operation *op, ShapeRelations &relations)
      : op(op), relations(relations), elementType(getElementTypeOrSelf(op->getResult(0))) {}

  ElementValue evaluate(ArrayRef<ElementValue> operands);

private:
  ElementValue integer(Expr value) { return ElementValue::getInteger(value); }
  /// A float of the result's type; of types wider than it is computed in, nothing is known.
  ElementValue number(double value) {
    if (elementType.isF32())
      return ElementValue::getNumber(static_cast<float>(value));
    return elementType.isF64() ? ElementValue::getNumber(value) : ElementValue();
  }
  bool isAtLeast(Expr expr, int64_t lower) { return relations.isKnownLessEqual(relations.getConstant(lower), expr); }
  /// The largest power of 2 up to which the elements of the operands hold every integer exactly.
  std::optional<int64_t> getExactLimit(Type type) const {
    return type.isF64()   ? std::optional(int64_t(1) << 53)
           : type.isF32() ? std::optional(int64_t(1) << 24)
                          : std::nullopt;
  }
  /// Is an integer that a float tensor holds, rounded, exact?
  bool isExact(Expr value, int64_t limit) {
    return relations.isKnownLessEqual(relations.getConstant(-limit), value) &&
           relations.isKnownLessEqual(value, relations.getConstant(limit));
  }
  ElementValue evaluateBinary(ElementValue lhs, ElementValue rhs);
  ElementValue evaluateRounded(const ElementValue &lhs, const ElementValue &rhs);
  ElementValue evaluateUnary(const ElementValue &operand);
  ElementValue evaluateNumbers(double lhs, double rhs);
  ElementValue evaluateLogic(const ElementValue &lhs, const ElementValue &rhs);
  ElementValue compare(CompareDirection direction, const ElementValue &lhs, const ElementValue &rhs);
  ElementValue select(const ElementValue &condition, const ElementValue &onTrue, const ElementValue &onFalse);
  ElementValue cast(const ElementValue &operand);

  Operation *op;
  ShapeRelations &relations;
  Type elementType;
};

} // namespace

static bool isSame(const ElementValue &lhs, const ElementValue &rhs) {
  if (lhs.kind != rhs.kind)
    return false;
  switch (lhs.kind) {
  case Kind::Unknown:
    return false;
  case Kind::Integer:
    return lhs.integer == rhs.integer;
  case Kind::Boolean:
    return lhs.predicate == rhs.predicate;
  case Kind::Number:
    return lhs.number == rhs.number;
  }
  llvm_unreachable("all kinds are covered");
}

ElementValue Evaluator::evaluateNumbers(double lhs, double rhs) {
  return llvm::TypeSwitch<Operation *, ElementValue>(op)
      .Case<AddOp>([&](auto) { return number(lhs + rhs); })
      .Case<SubOp>([&](auto) { return number(lhs - rhs); })
      .Case<MulOp>([&](auto) { return number(lhs * rhs); })
      .Case<DivOp>([&](auto) { return rhs == 0 ? ElementValue() : number(lhs / rhs); })
      .Default([](Operation *) { return ElementValue(); });
}

/// An Integer in a float tensor is rounded to the type. Rounding keeps the order, so that min and max are exact
/// whatever they are given; sums and products are where neither operands nor result are rounded.
ElementValue Evaluator::evaluateRounded(const ElementValue &lhs, const ElementValue &rhs) {
  std::optional<int64_t> limit = getExactLimit(elementType);
  if (!limit)
    return {};
  auto getInteger = [&](const ElementValue &element) {
    bool isInteger = element.kind == Kind::Number && std::fabs(element.number) <= double(*limit) &&
                     element.number == std::floor(element.number);
    return isInteger ? relations.getConstant(int64_t(element.number)) : element.getInteger();
  };
  Expr l = getInteger(lhs), r = getInteger(rhs);
  if (!l || !r)
    return {};
  if (isa<MinOp>(op))
    return integer(symbolic::min({l, r}));
  if (isa<MaxOp>(op))
    return integer(symbolic::max({l, r}));
  Expr result = isa<AddOp>(op) ? l + r : isa<SubOp>(op) ? l - r : isa<MulOp>(op) ? l * r : Expr();
  return result && isExact(l, *limit) && isExact(r, *limit) && isExact(result, *limit) ? integer(result)
                                                                                       : ElementValue();
}

ElementValue Evaluator::evaluateBinary(ElementValue lhs, ElementValue rhs) {
  if (lhs.kind == Kind::Number && rhs.kind == Kind::Number)
    return evaluateNumbers(lhs.number, rhs.number);
  if (isa<FloatType>(elementType))
    return evaluateRounded(lhs, rhs);
  if (lhs.kind == Kind::Boolean && rhs.kind == Kind::Boolean)
    return evaluateLogic(lhs, rhs);
  Expr l = lhs.getInteger(), r = rhs.getInteger();
  if (!l || !r)
    return {};
  return llvm::TypeSwitch<Operation *, ElementValue>(op)
      .Case<AddOp>([&](auto) { return integer(l + r); })
      .Case<SubOp>([&](auto) { return integer(l - r); })
      .Case<MulOp>([&](auto) { return integer(l * r); })
      // Rounding towards zero and downwards agree where neither side is negative.
      .Case<DivOp>([&](auto) { return isAtLeast(l, 0) && isAtLeast(r, 1) ? integer(floorDiv(l, r)) : ElementValue(); })
      .Case<ModOp>([&](ModOp mod) {
        bool agrees = isAtLeast(r, 1) && (!mod.getFmod() || isAtLeast(l, 0));
        return agrees ? integer(symbolic::mod(l, r)) : ElementValue();
      })
      .Case<MinOp>([&](auto) { return integer(symbolic::min({l, r})); })
      .Case<MaxOp>([&](auto) { return integer(symbolic::max({l, r})); })
      .Default([](Operation *) { return ElementValue(); });
}

ElementValue Evaluator::evaluateLogic(const ElementValue &lhs, const ElementValue &rhs) {
  const Predicate &l = lhs.predicate, &r = rhs.predicate;
  return llvm::TypeSwitch<Operation *, ElementValue>(op)
      .Case<AndOp, MinOp, MulOp>([&](auto) { return ElementValue::getBoolean(Predicate::conjunction({l, r})); })
      .Case<OrOp, MaxOp>([&](auto) { return ElementValue::getBoolean(Predicate::disjunction({l, r})); })
      .Default([](Operation *) { return ElementValue(); });
}

ElementValue Evaluator::evaluateUnary(const ElementValue &operand) {
  if (isa<FloatType>(elementType) && operand.isInteger())
    return isa<FloorOp, CeilOp, RoundOp>(op) ? operand : ElementValue();
  if (Expr value = operand.getInteger())
    return llvm::TypeSwitch<Operation *, ElementValue>(op)
        .Case<NegOp>([&](auto) { return integer(-value); })
        .Case<AbsOp>([&](auto) { return integer(symbolic::max({value, -value})); })
        .Default([](Operation *) { return ElementValue(); });
  if (operand.kind == Kind::Boolean)
    return isa<NotOp>(op) ? ElementValue::getBoolean(Predicate::negation(operand.predicate)) : ElementValue();
  if (operand.kind != Kind::Number)
    return {};
  double value = operand.number;
  return llvm::TypeSwitch<Operation *, ElementValue>(op)
      .Case<NegOp>([&](auto) { return number(-value); })
      .Case<AbsOp>([&](auto) { return number(std::fabs(value)); })
      .Case<FloorOp>([&](auto) { return number(std::floor(value)); })
      .Case<CeilOp>([&](auto) { return number(std::ceil(value)); })
      .Case<SqrtOp>([&](auto) { return value < 0 ? ElementValue() : number(std::sqrt(value)); })
      .Default([](Operation *) { return ElementValue(); });
}

ElementValue Evaluator::compare(CompareDirection direction, const ElementValue &lhs, const ElementValue &rhs) {
  Expr l = lhs.getInteger(), r = rhs.getInteger();
  if (!l || !r || !isa<IntegerType>(getElementTypeOrSelf(op->getOperand(0))))
    return {};
  switch (direction) {
  case CompareDirection::EQ:
    return ElementValue::getBoolean(Predicate::equal(l, r));
  case CompareDirection::NE:
    return ElementValue::getBoolean(Predicate::notEqual(l, r));
  case CompareDirection::LT:
    return ElementValue::getBoolean(Predicate::less(l, r));
  case CompareDirection::LE:
    return ElementValue::getBoolean(Predicate::lessEqual(l, r));
  case CompareDirection::GT:
    return ElementValue::getBoolean(Predicate::less(r, l));
  case CompareDirection::GE:
    return ElementValue::getBoolean(Predicate::lessEqual(r, l));
  }
  llvm_unreachable("all directions are covered");
}

ElementValue Evaluator::select(const ElementValue &condition, const ElementValue &onTrue, const ElementValue &onFalse) {
  if (std::optional<bool> truth = relations.getTruth(condition))
    return *truth ? onTrue : onFalse;
  return isSame(onTrue, onFalse) ? onTrue : ElementValue();
}

ElementValue Evaluator::cast(const ElementValue &operand) {
  Type from = getElementTypeOrSelf(op->getOperand(0));
  bool toBoolean = elementType.isInteger(1), toInteger = isa<IntegerType>(elementType) && !toBoolean;
  switch (operand.kind) {
  case Kind::Unknown:
    return {};
  case Kind::Integer: {
    if (toBoolean)
      return ElementValue::getBoolean(Predicate::notEqual(operand.integer, relations.getConstant(0)));
    std::optional<int64_t> value = operand.getConstant();
    if (!toInteger)
      return !getExactLimit(elementType)                                ? ElementValue()
             : value && std::abs(*value) <= *getExactLimit(elementType) ? number(static_cast<double>(*value))
                                                                        : operand;
    if (std::optional<int64_t> limit = getExactLimit(from); limit && !isExact(operand.integer, *limit))
      return {};
    // Sizes fit into what models keep them in; constants are checked, because masks are made of extreme ones.
    unsigned width = elementType.getIntOrFloatBitWidth();
    if (value && width < 64 && !llvm::isIntN(width - 1, *value))
      return {};
    return width >= 32 ? operand : value ? operand : ElementValue();
  }
  case Kind::Boolean:
    if (toBoolean)
      return operand;
    if (std::optional<bool> truth = relations.getTruth(operand))
      return toInteger ? integer(relations.getConstant(*truth)) : number(*truth);
    return {};
  case Kind::Number:
    if (toInteger && std::fabs(operand.number) <= 2147483647.0)
      return integer(relations.getConstant(static_cast<int64_t>(operand.number)));
    return isa<FloatType>(elementType) ? number(operand.number) : ElementValue();
  }
  llvm_unreachable("all kinds are covered");
}

ElementValue Evaluator::evaluate(ArrayRef<ElementValue> operands) {
  if (auto typed = dyn_cast<CompareOp>(op))
    return compare(typed.getDirection(), operands[0], operands[1]);
  if (isa<SelectOp>(op))
    return select(operands[0], operands[1], operands[2]);
  if (isa<CastOp>(op))
    return cast(operands[0]);
  return operands.size() == 1 ? evaluateUnary(operands[0]) : evaluateBinary(operands[0], operands[1]);
}

/// The place in an operand of dims `dims` of the element that place `index` of the result reads.
static int64_t getPlace(int64_t index, ArrayRef<int64_t> result, ArrayRef<int64_t> dims) {
  int64_t place = 0, stride = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    size_t fromEnd = i + 1;
    int64_t size = result[result.size() - fromEnd], own = dims[dims.size() - fromEnd];
    place += own == 1 ? 0 : (index % size) * stride;
    stride *= own;
    index /= size;
  }
  return place;
}

static void relateElements(Operation *op, ShapeRelations &relations) {
  std::optional<SmallVector<int64_t>> result = relations.getSmallDims(op->getResult(0));
  if (!result)
    return;
  SmallVector<SmallVector<int64_t>, 3> dims;
  SmallVector<ElementValues, 3> elements;
  for (Value operand : op->getOperands()) {
    std::optional<SmallVector<int64_t>> operandDims = relations.getSmallDims(operand);
    if (!operandDims)
      return;
    int64_t count = 1;
    for (int64_t dim : *operandDims)
      count *= dim;
    elements.push_back(relations.getElements(operand).value_or(ElementValues(count)));
    dims.push_back(std::move(*operandDims));
  }
  int64_t count = 1;
  for (int64_t dim : *result)
    count *= dim;
  Evaluator evaluator(op, relations);
  ElementValues values;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<ElementValue, 3> operands;
    for (size_t operand = 0; operand < dims.size(); ++operand)
      operands.push_back(elements[operand][getPlace(i, *result, dims[operand])]);
    values.push_back(evaluator.evaluate(operands));
  }
  relations.setElements(op->getResult(0), std::move(values));
}

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

/// Interval of the product with a constant.
static Bounds scale(Bounds bounds, int64_t factor) {
  if (factor < 0)
    std::swap(bounds.lower, bounds.upper);
  return {bounds.lower * factor, bounds.upper * factor};
}

static Bounds multiply(const Bounds &lhs, const Bounds &rhs, ShapeRelations &relations) {
  auto getFactor = [](const Bounds &bounds) {
    return bounds.lower && bounds.lower == bounds.upper ? bounds.lower.getConstant() : std::nullopt;
  };
  if (std::optional<int64_t> factor = getFactor(rhs))
    return scale(lhs, *factor);
  if (std::optional<int64_t> factor = getFactor(lhs))
    return scale(rhs, *factor);
  Expr zero = relations.getConstant(0);
  if (relations.isKnownLessEqual(zero, lhs.lower) && relations.isKnownLessEqual(zero, rhs.lower))
    return {lhs.lower * rhs.lower, lhs.upper * rhs.upper};
  return {};
}

/// The interval that holds both.
static Bounds join(const Bounds &lhs, const Bounds &rhs, ShapeRelations &relations) {
  auto pick = [&](Expr l, Expr r) {
    return relations.isKnownLessEqual(l, r) ? l : relations.isKnownLessEqual(r, l) ? r : Expr();
  };
  Expr lower = pick(lhs.lower, rhs.lower), upper = pick(lhs.upper, rhs.upper);
  return {lower, upper == lhs.upper ? rhs.upper : upper ? lhs.upper : Expr()};
}

static void relateBounds(Operation *op, ShapeRelations &relations) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(op->getResult(0)));
  if (!type || type.getWidth() < 32)
    return;
  auto get = [&](unsigned index) {
    Value operand = op->getOperand(index);
    Bounds bounds = relations.getBounds(operand);
    if (Expr scalar = relations.getScalar(operand))
      bounds = {scalar, scalar};
    return bounds;
  };
  Bounds result = llvm::TypeSwitch<Operation *, Bounds>(op)
                      .Case<AddOp>([&](auto) {
                        Bounds lhs = get(0), rhs = get(1);
                        return Bounds{lhs.lower + rhs.lower, lhs.upper + rhs.upper};
                      })
                      .Case<SubOp>([&](auto) {
                        Bounds lhs = get(0), rhs = get(1);
                        return Bounds{lhs.lower - rhs.upper, lhs.upper - rhs.lower};
                      })
                      .Case<MulOp>([&](auto) { return multiply(get(0), get(1), relations); })
                      .Case<NegOp>([&](auto) { return scale(get(0), -1); })
                      .Case<SelectOp>([&](auto) { return join(get(1), get(2), relations); })
                      .Case<CastOp>([&](auto) {
                        Type from = getElementTypeOrSelf(op->getOperand(0));
                        if (from.isInteger(1))
                          return Bounds{relations.getConstant(0), relations.getConstant(1)};
                        return isa<IntegerType>(from) ? get(0) : Bounds();
                      })
                      // The greater of two is at least each lower bound; either one will do.
                      .Case<MaxOp>([&](auto) {
                        Bounds lhs = get(0), rhs = get(1), both = join(lhs, rhs, relations);
                        return Bounds{lhs.lower && rhs.lower ? symbolic::max({lhs.lower, rhs.lower})
                                      : lhs.lower            ? lhs.lower
                                                             : rhs.lower,
                                      both.upper};
                      })
                      .Case<MinOp>([&](auto) {
                        Bounds lhs = get(0), rhs = get(1), both = join(lhs, rhs, relations);
                        return Bounds{both.lower, lhs.upper && rhs.upper ? symbolic::min({lhs.upper, rhs.upper})
                                                  : lhs.upper            ? lhs.upper
                                                                         : rhs.upper};
                      })
                      .Default([](Operation *) { return Bounds(); });
  if (result.lower || result.upper)
    relations.setBounds(op->getResult(0), result);
}

void relations::relateValues(Operation *op, ShapeRelations &relations) {
  relateElements(op, relations);
  relateBounds(op, relations);
}

//===- Elements of the results of elementwise ops ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseValues.h"
#include "ElementEvaluator.h"
#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;
using Kind = ElementValue::Kind;

std::optional<int64_t> relations::getExactLimit(Type type) {
  auto floating = dyn_cast<FloatType>(type);
  // Narrower ones hold few sizes, and some have no infinity.
  if (!floating || floating.getWidth() < 16 || floating.getWidth() > 64)
    return std::nullopt;
  return int64_t(1) << floating.getFPMantissaWidth();
}

SmallVector<Predicate, 2> relations::getComparisons(Expr value, const Range &range) {
  SmallVector<Predicate, 2> comparisons;
  SymbolicContext &context = value.getContext();
  if (range.lower)
    comparisons.push_back(Predicate::lessEqual(context.getConstant(*range.lower), value));
  if (range.upper)
    comparisons.push_back(Predicate::lessEqual(value, context.getConstant(*range.upper)));
  return comparisons;
}

Verdict relations::isWithin(Expr value, const Range &range, ShapeRelations &relations) {
  if (!value)
    return Verdict::Unknown;
  // Elements of constants are many.
  if (std::optional<int64_t> constant = value.getConstant()) {
    bool isInside = (!range.lower || *range.lower <= *constant) && (!range.upper || *constant <= *range.upper);
    return isInside ? Verdict::Yes : Verdict::No;
  }
  Verdict isInside = Verdict::Yes;
  for (const Predicate &comparison : getComparisons(value, range)) {
    Verdict verdict = relations.getSolver().implies(comparison);
    if (verdict == Verdict::No)
      return verdict;
    if (verdict == Verdict::Unknown)
      isInside = verdict;
  }
  return isInside;
}

ElementValue ElementEvaluator::integer(Expr value) {
  auto type = dyn_cast<IntegerType>(elementType);
  if (!value || !type || type.getWidth() == 1)
    return {};
  // What narrower ones make of sizes is not followed.
  if (!value.getConstant() && (type.getWidth() < 32 || (type.isUnsigned() && !isAtLeast(value, 0))))
    return {};
  Verdict isHeld = isWithin(value, getElementRange(type), relations);
  // What surely wraps around is no error of a run, and no reason to take a branch for one that is never run.
  if (isHeld == Verdict::No || (isHeld == Verdict::Unknown && !mayRequire(value)))
    return {};
  if (isHeld == Verdict::Unknown)
    narrow.push_back(value);
  return ElementValue::getInteger(value);
}

bool ElementEvaluator::mayRequire(Expr value) { return !relations.isInRegion() || relations.areKnownAtEntry(value); }

LogicalResult ElementEvaluator::requireValid() {
  auto requireWithin = [&](Expr value, const Range &range, StringRef because) {
    return llvm::all_of(getComparisons(value, range), [&](const Predicate &comparison) {
      return succeeded(relations.requireAtEntry(comparison, because, ReasonPlace::Alone));
    });
  };
  for (Expr value : narrow)
    if (!requireWithin(value, getElementRange(llvm::cast<IntegerType>(elementType)), "an element of 32 bits"))
      return failure();
  // The lowest limits first: they imply others.
  llvm::stable_sort(magnitudes, llvm::less_second());
  for (const auto &[value, limit] : magnitudes)
    if (!requireWithin(value, {-limit, limit}, "a size computed with floats"))
      return failure();
  for (Expr divisor : divisors)
    if (failed(relations.require(Predicate::lessEqual(constant(1), divisor), "divisor", ReasonPlace::Alone)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

ElementValue ElementEvaluator::evaluateUnary(double value) {
  return llvm::TypeSwitch<Operation *, ElementValue>(op)
      .Case<NegOp>([&](auto) { return number(-value); })
      .Case<AbsOp>([&](auto) { return number(std::fabs(value)); })
      .Case<SignOp>([&](auto) {
        return number(value > 0 ? 1 : value < 0 ? -1 : value);
      })
      .Case<FloorOp>([&](auto) { return number(std::floor(value)); })
      .Case<CeilOp>([&](auto) { return number(std::ceil(value)); })
      .Case<RoundOp>([&](auto) {
        // Halves to even, whatever the rounding mode is.
        double down = std::floor(value), rest = value - down;
        bool goesUp = rest > 0.5 || (rest == 0.5 && std::fmod(down, 2) != 0);
        return number(std::copysign(goesUp ? down + 1 : down, value));
      })
      .Case<SqrtOp>([&](auto) { return value < 0 ? ElementValue() : number(std::sqrt(value)); })
      .Case<ReciprocalOp>([&](auto) { return value == 0 ? ElementValue() : number(1 / value); })
      .Case<IsNanOp>([&](auto) { return ElementValue::getBoolean(std::isnan(value)); })
      .Case<IsInfOp>([&](IsInfOp isInf) {
        return ElementValue::getBoolean(std::isinf(value) &&
                                        (value > 0 ? isInf.getDetectPositive() : isInf.getDetectNegative()));
      })
      .Default([](Operation *) { return ElementValue(); });
}

ElementValue ElementEvaluator::evaluateUnary(Expr value) {
  bool isNegative = relations.isKnownLessEqual(value, constant(-1));
  return llvm::TypeSwitch<Operation *, ElementValue>(op)
      .Case<NegOp>([&](auto) { return integer(-value); })
      .Case<AbsOp>([&](auto) {
        return integer(isAtLeast(value, 0) ? value : isNegative ? -value : symbolic::max({value, -value}));
      })
      .Case<SignOp>([&](auto) {
        if (isNegative || isAtLeast(value, 1))
          return integer(constant(isNegative ? -1 : 1));
        Expr sign = symbolic::min({value, constant(1)});
        return integer(isAtLeast(value, 0) ? sign : symbolic::max({sign, constant(-1)}));
      })
      .Case<NotOp>([&](auto) { return elementType.isUnsignedInteger() ? ElementValue() : integer(-value - 1); })
      .Default([](Operation *) { return ElementValue(); });
}

ElementValue ElementEvaluator::evaluateUnary(const ElementValue &operand) {
  switch (operand.kind) {
  case Kind::Unknown:
    return {};
  case Kind::Integer:
    if (isa<FloatType>(elementType))
      return isa<FloorOp, CeilOp, RoundOp>(op) ? operand : evaluateQuotient(getQuotient(operand, elementType));
    return evaluateUnary(operand.integer);
  case Kind::Boolean:
    return isa<NotOp>(op) ? ElementValue::getBoolean(Predicate::negation(operand.getPredicate())) : ElementValue();
  case Kind::Number:
    return evaluateUnary(operand.number);
  case Kind::Quotient:
    return evaluateQuotient(operand);
  case Kind::Near:
    return evaluateNear(operand);
  case Kind::Ratio:
    return {};
  }
  llvm_unreachable("all kinds are covered");
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

ElementValue ElementEvaluator::evaluateNumbers(double lhs, double rhs) {
  bool isOrdered = !std::isnan(lhs) && !std::isnan(rhs);
  return llvm::TypeSwitch<Operation *, ElementValue>(op)
      .Case<AddOp>([&](auto) { return number(lhs + rhs); })
      .Case<SubOp>([&](auto) { return number(lhs - rhs); })
      .Case<MulOp>([&](auto) { return number(lhs * rhs); })
      .Case<DivOp>([&](auto) { return rhs == 0 ? ElementValue() : number(lhs / rhs); })
      .Case<MinOp>([&](auto) { return isOrdered ? number(std::min(lhs, rhs)) : ElementValue(); })
      .Case<MaxOp>([&](auto) { return isOrdered ? number(std::max(lhs, rhs)) : ElementValue(); })
      .Default([](Operation *) { return ElementValue(); });
}

ElementValue ElementEvaluator::evaluateLogic(const Predicate &lhs, const Predicate &rhs) {
  // Of two conditions, one may say all: `r < 0` beside `r != 0`, as remainders are spelt.
  auto implies = [&](const Predicate &premise, const Predicate &conclusion) {
    return relations.getSolver().implies(Predicate::disjunction({Predicate::negation(premise), conclusion})) ==
           Verdict::Yes;
  };
  if (isa<AndOp, OrOp>(op)) {
    bool isAnd = isa<AndOp>(op);
    if (implies(lhs, rhs))
      return ElementValue::getBoolean(isAnd ? lhs : rhs);
    if (implies(rhs, lhs))
      return ElementValue::getBoolean(isAnd ? rhs : lhs);
  }
  return llvm::TypeSwitch<Operation *, ElementValue>(op)
      .Case<AndOp, MinOp, MulOp>([&](auto) { return ElementValue::getBoolean(Predicate::conjunction({lhs, rhs})); })
      .Case<OrOp, MaxOp>([&](auto) { return ElementValue::getBoolean(Predicate::disjunction({lhs, rhs})); })
      .Case<XorOp>([&](auto) {
        return ElementValue::getBoolean(
            Predicate::disjunction({Predicate::conjunction({lhs, Predicate::negation(rhs)}),
                                    Predicate::conjunction({Predicate::negation(lhs), rhs})}));
      })
      .Default([](Operation *) { return ElementValue(); });
}

ElementValue ElementEvaluator::power(const ElementValue &base, const ElementValue &exponent) {
  std::optional<int64_t> integral = exponent.getConstant();
  if (exponent.kind == Kind::Number && std::fabs(exponent.number) <= 64 &&
      exponent.number == std::trunc(exponent.number))
    integral = static_cast<int64_t>(exponent.number);
  constexpr int64_t kMostFactors = 8;
  if (base.isInteger()) {
    if (!integral || *integral < 0 || *integral > kMostFactors)
      return {};
    Expr product = constant(1);
    for (int64_t i = 0; i < *integral; ++i)
      product = product * base.integer;
    // Beyond a cube it is what doubles hold.
    if (*integral > 3 && (!product || !isExact(product, Float64Type::get(op->getContext()))))
      return {};
    return integer(product);
  }
  if (base.kind != Kind::Number)
    return {};
  // Only results that every correct implementation of the power gives.
  if (exponent.kind == Kind::Number && exponent.number == 0.5 && base.number > 0)
    return number(std::sqrt(base.number));
  if (!integral || *integral < 0 || *integral > 64)
    return {};
  double value = std::pow(base.number, *integral);
  bool isExact = *integral <= 2 || (std::fabs(value) <= 16777216.0 && value == std::trunc(value) &&
                                    base.number == std::trunc(base.number));
  return isExact ? number(value) : ElementValue();
}

Expr relations::getWhole(const ElementValue &element, int64_t limit, ShapeRelations &relations) {
  bool isWhole = element.kind == ElementValue::Kind::Number && element.number == std::trunc(element.number) &&
                 std::fabs(element.number) <= static_cast<double>(limit);
  return isWhole ? relations.getConstant(static_cast<int64_t>(element.number)) : element.getInteger();
}

/// Rounding keeps the order, so that min and max of rounded integers are the rounded min and max; sums and products
/// are those of the integers where nothing is rounded.
ElementValue ElementEvaluator::evaluateRounded(const ElementValue &lhs, const ElementValue &rhs) {
  bool isOrder = isa<MinOp, MaxOp>(op);
  std::optional<int64_t> limit = getExactLimit(elementType);
  Expr l = getWhole(lhs, isOrder ? kMostWhole : limit.value_or(0), relations);
  Expr r = getWhole(rhs, isOrder ? kMostWhole : limit.value_or(0), relations);
  if (!l || !r || !limit)
    return {};
  if (isOrder) {
    if (relations.isKnownLessEqual(l, r))
      return isa<MinOp>(op) ? lhs : rhs;
    if (relations.isKnownLessEqual(r, l))
      return isa<MinOp>(op) ? rhs : lhs;
    Expr chosen = isa<MinOp>(op) ? symbolic::min({l, r}) : symbolic::max({l, r});
    // A number beyond the limit is what it is, and so is what is chosen where the other one is not rounded.
    for (auto [side, other] : {std::pair(&lhs, r), std::pair(&rhs, l)})
      if (side->kind == Kind::Number && std::fabs(side->number) > static_cast<double>(*limit)) {
        ElementValue quotient = getQuotient(ElementValue::getInteger(other), elementType);
        quotient.integer = chosen;
        return quotient;
      }
    return ElementValue::getInteger(chosen);
  }
  Expr result = isa<AddOp>(op) ? l + r : isa<SubOp>(op) ? l - r : isa<MulOp>(op) ? l * r : Expr();
  bool holds = result && isExact(l, elementType) && isExact(r, elementType) && isExact(result, elementType);
  return holds ? ElementValue::getInteger(result) : ElementValue();
}

ElementValue ElementEvaluator::evaluateBinary(const ElementValue &lhs, const ElementValue &rhs) {
  if (isa<PowOp>(op))
    return power(lhs, rhs);
  if (lhs.kind == Kind::Number && rhs.kind == Kind::Number)
    return evaluateNumbers(lhs.number, rhs.number);
  if (lhs.kind == Kind::Boolean && rhs.kind == Kind::Boolean)
    return evaluateLogic(lhs.getPredicate(), rhs.getPredicate());
  // One operand may decide, whatever the other one is.
  if (elementType.isInteger(1) && isa<AndOp, OrOp>(op))
    for (const ElementValue *operand : {&lhs, &rhs})
      if (std::optional<bool> truth = relations.getTruth(*operand); truth && *truth == isa<OrOp>(op))
        return ElementValue::getBoolean(*truth);
  if (lhs.isUnknown() || rhs.isUnknown())
    return {};
  if (isa<FloatType>(elementType)) {
    ElementValue value = evaluateRounded(lhs, rhs);
    if (value.isUnknown())
      value = evaluateQuotients(lhs, rhs);
    return value.isUnknown() ? evaluateRatios(lhs, rhs) : value;
  }
  return lhs.isInteger() && rhs.isInteger() ? evaluateIntegers(lhs.integer, rhs.integer) : ElementValue();
}

//===----------------------------------------------------------------------===//
// Operands of any number
//===----------------------------------------------------------------------===//

ElementValue ElementEvaluator::evaluate(ArrayRef<ElementValue> operands) {
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

LogicalResult relations::relateElements(Operation *op, ShapeRelations &relations) {
  std::optional<SmallVector<int64_t>> result = relations.getSmallDims(op->getResult(0));
  if (!result)
    return success();
  SmallVector<SmallVector<int64_t>, 3> dims;
  SmallVector<const ElementValues *, 3> elements; // null where none is known
  for (Value operand : op->getOperands()) {
    std::optional<SmallVector<int64_t>> operandDims = relations.getSmallDims(operand);
    if (!operandDims)
      return success();
    elements.push_back(relations.findElements(operand));
    dims.push_back(std::move(*operandDims));
  }
  int64_t count = llvm::product_of(*result);
  // Of elements that are not known, no op says anything.
  if (count != 0 && llvm::all_of(elements, [](const ElementValues *known) { return !known; }))
    return success();
  ElementEvaluator evaluator(op, relations);
  ElementValues values;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<ElementValue, 3> operands(dims.size());
    for (size_t operand = 0; operand < dims.size(); ++operand)
      if (elements[operand])
        operands[operand] = (*elements[operand])[getPlace(i, *result, dims[operand])];
    values.push_back(evaluator.evaluate(operands));
  }
  if (failed(evaluator.requireValid()))
    return failure();
  relations.setElements(op->getResult(0), std::move(values));
  return success();
}

LogicalResult relations::setIntegers(Operation *op, ArrayRef<Expr> integers, ShapeRelations &relations) {
  ElementEvaluator evaluator(op, relations);
  ElementValues elements;
  for (Expr integer : integers)
    elements.push_back(evaluator.integerOrRounded(integer));
  if (failed(evaluator.requireValid()))
    return failure();
  relations.setElements(op->getResult(0), std::move(elements));
  return success();
}

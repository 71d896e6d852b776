//===- Facts that are evaluated at many points -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/PointFacts.h"
#include "Expressions/Comparison.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

PointFacts::PointFacts(SymbolicContext::Impl &context, llvm::ArrayRef<const Atom *> order, bool factsHaveValues)
    : context(context), levels(order.size()), factsHaveValues(factsHaveValues) {
  for (auto [level, symbol] : llvm::enumerate(order)) {
    levels[level].symbol = symbol;
    places[symbol] = level;
    levelOfPlace.push_back(level);
  }
  numbers.resize(order.size());
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

unsigned PointFacts::getPlace(const Atom *atom) {
  auto known = places.find(atom);
  if (known != places.end())
    return known->second;
  Operation operation{atom->kind, 0, {}};
  unsigned level = 0, parts = 1;
  for (Expr operand : atom->operands) {
    operation.operands.push_back(compile(operand));
    level = std::max(level, operation.operands.back().level);
    parts += operation.operands.back().parts;
  }
  operation.place = places[atom] = numbers.size();
  numbers.emplace_back();
  levelOfPlace.push_back(level);
  levels[level].parts += parts;
  levels[level].operations.push_back(std::move(operation));
  return numbers.size() - 1;
}

PointFacts::Sum PointFacts::compile(Expr expr) {
  Sum sum;
  for (const Term &term : getTerms(expr))
    for (const Power &power : term.monomial->getPowers()) {
      sum.level = std::max(sum.level, levelOfPlace[getPlace(power.atom)]);
      sum.parts += power.exponent;
    }
  sum.begin = products.size();
  for (const Term &term : getTerms(expr)) {
    unsigned begin = factors.size();
    for (const Power &power : term.monomial->getPowers())
      factors.insert(factors.end(), power.exponent, getPlace(power.atom));
    products.push_back({term.coefficient, begin, static_cast<unsigned>(factors.size())});
  }
  sum.end = products.size();
  sum.parts += sum.end - sum.begin;
  return sum;
}

PointFacts::Condition PointFacts::compile(const Predicate &predicate) {
  Condition condition;
  condition.kind = predicate.kind;
  condition.isComplete = isComplete(predicate);
  if (predicate.lhs && predicate.rhs) {
    condition.lhs = compile(predicate.lhs);
    condition.rhs = compile(predicate.rhs);
    condition.level = std::max(condition.lhs.level, condition.rhs.level);
    condition.parts += condition.lhs.parts + condition.rhs.parts;
  }
  for (const Predicate &operand : predicate.operands) {
    condition.operands.push_back(compile(operand));
    condition.level = std::max(condition.level, condition.operands.back().level);
    condition.parts += condition.operands.back().parts;
  }
  return condition;
}

void PointFacts::add(Condition condition) {
  Level &level = levels[condition.level];
  level.parts += condition.parts;
  level.conditions.push_back(std::move(condition));
}

/// Nothing where the symbol is in other atoms too, or has a power.
static std::optional<LinearSplit> splitAlone(SymbolicContext::Impl &context, Expr difference, const Atom *symbol) {
  std::optional<LinearSplit> split = splitLinear(context, getTerms(difference), symbol);
  bool isAlone =
      split && !split->coefficient.empty() && !mentions(split->coefficient, symbol) && !mentions(split->rest, symbol);
  return isAlone ? split : std::nullopt;
}

bool PointFacts::isLinear(SymbolicContext::Impl &context, Expr expr, const Atom *symbol) {
  return expr && splitAlone(context, expr, symbol).has_value();
}

/// Where a side has no value, the difference may have one.
static bool isTotalEquation(const Predicate &fact) {
  return fact.kind == Predicate::Kind::Equal && isComplete(fact) && isTotal(fact);
}

bool PointFacts::isLinear(SymbolicContext::Impl &context, const Predicate &fact, const Atom *symbol) {
  return isTotalEquation(fact) && isLinear(context, fact.lhs - fact.rhs, symbol);
}

void PointFacts::addEquation(Expr difference, unsigned level) {
  std::optional<LinearSplit> split = difference ? splitAlone(context, difference, levels[level].symbol) : std::nullopt;
  if (split)
    levels[level].equations.push_back(
        {compile(context.getExpr(split->coefficient)), compile(context.getExpr(split->rest))});
}

void PointFacts::add(const Predicate &predicate) {
  Condition condition = compile(predicate);
  if (isTotalEquation(predicate))
    addEquation(predicate.lhs - predicate.rhs, condition.level);
  add(std::move(condition));
}

void PointFacts::addQuestion(const Predicate &question) {
  Condition condition = compile(question);
  condition.isQuestion = true;
  add(std::move(condition));
}

void PointFacts::add(Kind kind, Expr expr) {
  Sum sum = compile(expr);
  unsigned level = sum.level, parts = sum.parts + 1;
  using Comparison = Predicate::Kind;
  switch (kind) {
  case Zero:
    addEquation(expr, level);
    return add(Condition{Comparison::Equal, true, std::move(sum), {}, {}, level, parts});
  case NonNegative:
    return add(Condition{Comparison::LessEqual, true, {}, std::move(sum), {}, level, parts});
  case NonZero:
    return add(Condition{Comparison::NotEqual, true, std::move(sum), {}, {}, level, parts});
  }
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

PointFacts::Number PointFacts::evaluate(const Sum &sum) const {
  Number result;
  bool overflown = false;
  for (const Product &product : llvm::ArrayRef(products).slice(sum.begin, sum.end - sum.begin)) {
    int64_t value = product.coefficient;
    for (unsigned place : llvm::ArrayRef(factors).slice(product.begin, product.end - product.begin)) {
      const Number &number = numbers[place];
      result.state |= number.state;
      overflown |= __builtin_mul_overflow(value, number.value, &value);
    }
    overflown |= __builtin_add_overflow(result.value, value, &result.value);
  }
  result.state |= overflown ? Overflown : Known;
  return result;
}

PointFacts::Number PointFacts::evaluate(const Operation &operation) const {
  Number result = evaluate(operation.operands.front());
  if (operation.kind == AtomKind::Max) {
    for (const Sum &operand : llvm::drop_begin(operation.operands)) {
      Number other = evaluate(operand);
      result.value = std::max(result.value, other.value);
      result.state |= other.state;
    }
    return result;
  }
  llvm::SmallVector<int64_t, 8> values = {result.value};
  for (const Sum &operand : llvm::drop_begin(operation.operands)) {
    Number other = evaluate(operand);
    values.push_back(other.value);
    result.state |= other.state;
  }
  // The one quotient that leaves 64 bits.
  if (operation.kind != AtomKind::Bcast && values[0] == INT64_MIN && values[1] == -1)
    result.state |= Overflown;
  if (result.state != Known)
    return result;
  std::optional<int64_t> value = dyn::symbolic::evaluate(operation.kind, values);
  if (!value)
    result.state |= operation.kind == AtomKind::FloorDiv ? Undefined | Divided : Undefined;
  result.value = value.value_or(0);
  return result;
}

PointFacts::Truth PointFacts::evaluate(const Condition &condition, bool isQuestion) const {
  using Comparison = Predicate::Kind;
  auto toTruth = [](bool truth) { return truth ? Truth::True : Truth::False; };
  switch (condition.kind) {
  case Comparison::True:
    return Truth::True;
  case Comparison::False:
    return Truth::False;
  case Comparison::Not: {
    Truth truth = evaluate(condition.operands.front(), isQuestion);
    return truth == Truth::True ? Truth::False : truth == Truth::False ? Truth::True : truth;
  }
  case Comparison::And:
  case Comparison::Or: {
    // By one operand that decides, or else by what is left open.
    Truth deciding = toTruth(condition.kind == Comparison::Or), result = toTruth(condition.kind == Comparison::And);
    for (const Condition &operand : condition.operands) {
      Truth truth = evaluate(operand, isQuestion);
      if (truth == deciding)
        return deciding;
      if (truth == Truth::Overflown || (truth == Truth::Undefined && result != Truth::Overflown))
        result = truth;
    }
    return result;
  }
  case Comparison::Equal:
  case Comparison::NotEqual:
  case Comparison::LessEqual:
  case Comparison::Less:
    break;
  }
  if (!condition.isComplete)
    return Truth::Overflown;
  Number lhs = evaluate(condition.lhs), rhs = evaluate(condition.rhs);
  // Of two sizes of which one divides by 0 neither stands for the other.
  bool isLeft = (lhs.state & Divided) != 0, isRight = (rhs.state & Divided) != 0;
  bool isOneSide = isLeft != isRight && !((isLeft ? rhs : lhs).state & Undefined);
  if (isQuestion && isOneSide && (condition.kind == Comparison::Equal || condition.kind == Comparison::NotEqual))
    return toTruth(condition.kind == Comparison::NotEqual);
  // What has no value has none, whatever the rest comes to.
  if (uint8_t state = lhs.state | rhs.state)
    return state & Undefined ? Truth::Undefined : Truth::Overflown;
  switch (condition.kind) {
  case Comparison::Equal:
    return toTruth(lhs.value == rhs.value);
  case Comparison::NotEqual:
    return toTruth(lhs.value != rhs.value);
  case Comparison::LessEqual:
    return toTruth(lhs.value <= rhs.value);
  default:
    return toTruth(lhs.value < rhs.value);
  }
}

void PointFacts::narrow(size_t level, int64_t &lower, int64_t &upper) const {
  for (const Equation &equation : levels[level].equations) {
    context.spend(1);
    Number coefficient = evaluate(equation.coefficient), rest = evaluate(equation.rest);
    if (coefficient.state != Known || rest.state != Known || rest.value == INT64_MIN)
      continue;
    if (coefficient.value == 0 ? rest.value != 0 : rest.value % coefficient.value != 0)
      lower = 1, upper = 0;
    else if (coefficient.value != 0)
      lower = std::max(lower, -rest.value / coefficient.value),
      upper = std::min(upper, -rest.value / coefficient.value);
  }
}

bool PointFacts::mayHold(size_t level, int64_t value) {
  numbers[level] = {value, Known};
  for (const Operation &operation : levels[level].operations)
    numbers[operation.place] = evaluate(operation);
  return llvm::all_of(levels[level].conditions, [&](const Condition &condition) {
    Truth truth = evaluate(condition, condition.isQuestion);
    if (truth == Truth::Overflown)
      return overflown = true;
    if (truth == Truth::Undefined && !condition.isQuestion)
      return !factsHaveValues;
    return truth == (condition.isQuestion ? Truth::False : Truth::True);
  });
}

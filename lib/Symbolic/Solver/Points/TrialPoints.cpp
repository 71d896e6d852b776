//===- A few points that facts allow, chosen before any question ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Points/TrialPoints.h"
#include "Expressions/Polynomial.h"
#include "dyn/Symbolic/LinearForms.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TrialPoints::Values &TrialPoints::getValues(llvm::StringRef symbol) {
  auto [entry, isNew] = values.try_emplace(symbol);
  // All equal or none, small or large, with many divisors or few.
  auto ordinal = static_cast<int64_t>(values.size());
  if (isNew)
    *entry = {1, 0, 1 + ordinal, 64, (int64_t(1) << 33) - 1009 * ordinal};
  return *entry;
}

int64_t TrialPoints::getValue(llvm::StringRef symbol, unsigned point) {
  const Values *known = values.find(symbol);
  return (known ? *known : getValues(symbol))[point];
}

bool TrialPoints::allows(llvm::StringRef symbol, int64_t value) const {
  const auto *declared = declarations.find(symbol);
  auto isAllowed = [&](const SymbolFacts &facts) { return symbolic::allows(facts, value); };
  return value >= 0 && (!declared || llvm::all_of(*declared, isAllowed));
}

std::optional<int64_t> TrialPoints::evaluate(Expr expr, unsigned point) {
  return symbolic::evaluate(expr, [&](llvm::StringRef symbol) { return std::optional(getValue(symbol, point)); });
}

std::optional<bool> TrialPoints::evaluate(const Predicate &predicate, unsigned point) {
  return symbolic::evaluate(predicate, [&](llvm::StringRef symbol) { return std::optional(getValue(symbol, point)); });
}

bool TrialPoints::holdsAll(unsigned point) {
  return llvm::all_of(facts, [&](const Predicate &fact) { return evaluate(fact, point) == true; });
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The value, or one near it that is likely to be allowed.
static int64_t getNear(const SymbolFacts &facts, int64_t value) {
  value = std::max(value, facts.range.lower.value_or(value));
  value = std::min(value, facts.range.upper.value_or(value));
  if (facts.modulus <= 1)
    return value;
  int64_t step = floorMod(facts.remainder - floorMod(value, facts.modulus), facts.modulus);
  std::optional<int64_t> above = checkedAdd(value, step);
  return above && *above <= facts.range.upper.value_or(*above) ? *above : value - (facts.modulus - step);
}

void TrialPoints::declare(Expr symbol, const SymbolFacts &given) {
  llvm::StringRef name = symbol.getSymbolName();
  declarations[name].push_back(given);
  Values &places = getValues(name);
  for (unsigned point = 0; point < count; ++point) {
    if (isLost[point] || allows(name, places[point]))
      continue;
    places[point] = getNear(given, places[point]);
    isLost[point] = !allows(name, places[point]) || !holdsAll(point);
  }
}

bool TrialPoints::moveSymbol(Expr symbol, std::optional<int64_t> value, unsigned point) {
  if (!symbol.isSymbol() || !value || !allows(symbol.getSymbolName(), *value))
    return false;
  int64_t &place = getValues(symbol.getSymbolName())[point];
  int64_t old = std::exchange(place, *value);
  if (holdsAll(point))
    return true;
  place = old;
  return false;
}

bool TrialPoints::moveTo(const Predicate &fact, unsigned point) {
  using Kind = Predicate::Kind;
  switch (fact.kind) {
  case Kind::Or:
    return llvm::any_of(fact.operands, [&](const Predicate &operand) { return moveTo(operand, point); });
  case Kind::Equal:
  case Kind::LessEqual:
    return moveSymbol(fact.lhs, evaluate(fact.rhs, point), point) ||
           moveSymbol(fact.rhs, evaluate(fact.lhs, point), point);
  default:
    return false;
  }
}

bool TrialPoints::moveBeside(const Predicate &fact, unsigned other, unsigned point) {
  llvm::SmallVector<Expr, 4> moved = fact.getSymbols();
  llvm::SmallVector<int64_t, 4> old;
  for (Expr symbol : moved) {
    Values &places = getValues(symbol.getSymbolName());
    old.push_back(std::exchange(places[point], places[other]));
  }
  auto isAllowed = [&](Expr symbol) { return allows(symbol.getSymbolName(), getValue(symbol.getSymbolName(), point)); };
  if (llvm::all_of(moved, isAllowed) && holdsAll(point))
    return true;
  for (auto [symbol, value] : llvm::zip_equal(moved, old))
    getValues(symbol.getSymbolName())[point] = value;
  return false;
}

void TrialPoints::add(const Predicate &fact) {
  facts.push_back(fact);
  for (unsigned point = 0; point < count; ++point) {
    if (isLost[point] || evaluate(fact, point) == true)
      continue;
    isLost[point] = true;
    if (movesLeft == 0)
      continue;
    --movesLeft;
    isLost[point] = !moveTo(fact, point);
    // Behind this one, points have not been asked yet.
    for (unsigned other = 0; other < count && isLost[point]; ++other)
      if (other != point && !isLost[other] && evaluate(fact, other) == true)
        isLost[point] = !moveBeside(fact, other, point);
  }
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool TrialPoints::leaveOpen(const Predicate &predicate) {
  bool isTrue = false, isFalse = false;
  for (unsigned point = 0; point < count && !(isTrue && isFalse); ++point) {
    std::optional<bool> truth = isLost[point] ? std::nullopt : evaluate(predicate, point);
    isTrue |= truth == true;
    isFalse |= truth == false;
  }
  return isTrue && isFalse;
}

bool TrialPoints::refute(const Predicate &predicate) {
  for (unsigned point = 0; point < count; ++point)
    if (!isLost[point] && evaluate(predicate, point) == false)
      return true;
  return false;
}

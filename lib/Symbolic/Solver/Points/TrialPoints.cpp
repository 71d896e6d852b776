//===- A few points that facts allow, chosen before any question ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Points/TrialPoints.h"
#include "Expressions/Polynomial.h"
#include "dyn/Symbolic/LinearForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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

int64_t TrialPoints::setValue(Expr symbol, int64_t value, unsigned point) {
  return std::exchange(getValues(symbol.getSymbolName())[point], value);
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

std::optional<int64_t> TrialPoints::findValue(const Predicate &comparison, Expr symbol, unsigned point) {
  using Kind = Predicate::Kind;
  int64_t old = getValue(symbol.getSymbolName(), point);
  if (old == INT64_MAX)
    return std::nullopt;
  if (comparison.kind == Kind::NotEqual)
    return old + 1;
  // By how much the left side is too large.
  auto getExcess = [&]() -> std::optional<int64_t> {
    std::optional<int64_t> lhs = evaluate(comparison.lhs, point), rhs = evaluate(comparison.rhs, point);
    std::optional<int64_t> excess = lhs && rhs ? checkedSub(*lhs, *rhs) : std::nullopt;
    return excess && comparison.kind == Kind::Less ? checkedAdd(*excess, 1) : excess;
  };
  std::optional<int64_t> excess = getExcess();
  setValue(symbol, old + 1, point);
  std::optional<int64_t> beside = getExcess();
  setValue(symbol, old, point);
  std::optional<int64_t> slope = excess && beside ? checkedSub(*beside, *excess) : std::nullopt;
  if (!slope || *slope == 0 || *slope == INT64_MIN || *excess == INT64_MIN)
    return std::nullopt;
  int64_t sign = *slope < 0 ? -1 : 1;
  return checkedSub(old, sign * llvm::divideCeilSigned(*excess, *slope * sign));
}

unsigned TrialPoints::countBroken(const Predicate &but, unsigned most, unsigned point) {
  unsigned broken = 0;
  for (const Predicate &fact : facts)
    if (broken < most && &fact != &but && evaluate(fact, point) != true)
      ++broken;
  return broken;
}

std::optional<TrialPoints::Move> TrialPoints::findMove(const Predicate &broken, llvm::ArrayRef<Move> made,
                                                       unsigned point) {
  std::optional<Move> best;
  auto isMoved = [&](Expr symbol) {
    return llvm::any_of(made, [&](const Move &move) { return move.symbol == symbol; });
  };
  auto tryComparison = [&](const Predicate &comparison) {
    // Little else is known yet of symbols that came last.
    llvm::SmallVector<Expr, 4> symbols = comparison.getSymbols();
    for (Expr symbol : llvm::reverse(symbols)) {
      std::optional<int64_t> value = isMoved(symbol) || (best && best->broken == 0) || movesLeft == 0
                                         ? std::nullopt
                                         : findValue(comparison, symbol, point);
      if (!value || !allows(symbol.getSymbolName(), *value))
        continue;
      --movesLeft;
      int64_t old = setValue(symbol, *value, point);
      if (evaluate(broken, point) == true) {
        unsigned most = best ? best->broken : UINT_MAX, count = countBroken(broken, most, point);
        if (count < most)
          best = {symbol, *value, count};
      }
      setValue(symbol, old, point);
    }
  };
  auto tryParts = [&](const Predicate &part, auto &self) -> void {
    if (part.lhs && part.rhs)
      tryComparison(part);
    for (const Predicate &operand : part.operands)
      if (evaluate(operand, point) != true)
        self(operand, self);
  };
  tryParts(broken, tryParts);
  return best;
}

bool TrialPoints::repair(unsigned point) {
  constexpr size_t mostMoves = 8;
  llvm::SmallVector<Move, 8> made;
  llvm::SmallVector<int64_t, 8> old;
  const Predicate *broken = &facts.back();
  while (made.size() <= mostMoves) {
    std::optional<Move> move = findMove(*broken, made, point);
    if (!move)
      break;
    old.push_back(setValue(move->symbol, move->value, point));
    made.push_back(*move);
    if (move->broken == 0)
      return true;
    broken = llvm::find_if(facts, [&](const Predicate &fact) { return evaluate(fact, point) != true; });
  }
  for (auto [move, value] : llvm::zip_equal(made, old))
    setValue(move.symbol, value, point);
  return false;
}

bool TrialPoints::moveBeside(const Predicate &fact, unsigned other, unsigned point) {
  llvm::SmallVector<Expr, 4> moved = fact.getSymbols();
  llvm::SmallVector<int64_t, 4> old;
  for (Expr symbol : moved) {
    old.push_back(setValue(symbol, getValue(symbol.getSymbolName(), other), point));
  }
  --movesLeft;
  auto isAllowed = [&](Expr symbol) { return allows(symbol.getSymbolName(), getValue(symbol.getSymbolName(), point)); };
  if (llvm::all_of(moved, isAllowed) && holdsAll(point))
    return true;
  for (auto [symbol, value] : llvm::zip_equal(moved, old))
    setValue(symbol, value, point);
  return false;
}

void TrialPoints::add(const Predicate &fact) {
  facts.push_back(fact);
  for (unsigned point = 0; point < count; ++point) {
    if (isLost[point] || evaluate(fact, point) == true)
      continue;
    isLost[point] = !repair(point);
    // Behind this one, points have not been asked yet.
    for (unsigned other = 0; other < count && isLost[point] && movesLeft > 0; ++other)
      if (other != point && !isLost[other] && evaluate(fact, other) == true)
        isLost[point] = !moveBeside(fact, other, point);
  }
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

SeenTruths TrialPoints::look(const Predicate &predicate) {
  SeenTruths seen;
  for (unsigned point = 0; point < count && !seen.areBoth(); ++point) {
    std::optional<bool> truth = isLost[point] ? std::nullopt : evaluate(predicate, point);
    seen.isTrue |= truth == true;
    seen.isFalse |= truth == false;
  }
  return seen;
}

bool TrialPoints::refute(const Predicate &predicate) {
  for (unsigned point = 0; point < count; ++point)
    if (!isLost[point] && evaluate(predicate, point) == false)
      return true;
  return false;
}

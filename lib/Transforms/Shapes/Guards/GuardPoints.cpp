//===- Sizes at which guards are looked at ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GuardPoints.h"
#include "GuardForms.h"
#include "dyn/Symbolic/LinearForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include <functional>

using namespace dyn;
using namespace dyn::symbolic;
using llvm::SmallVector;

std::optional<bool> GuardPoints::evaluateAt(const Predicate &predicate, llvm::ArrayRef<int64_t> point) const {
  return evaluate(predicate, [&](llvm::StringRef name) -> std::optional<int64_t> {
    for (auto [symbol, value] : llvm::zip(symbols, point))
      if (symbol.getSymbolName() == name)
        return value;
    return std::nullopt;
  });
}

bool GuardPoints::holdsAt(const Predicate &predicate, llvm::ArrayRef<int64_t> point) {
  std::optional<bool> holds = evaluateAt(predicate, point);
  auto fails = [&](const Predicate &obligation) { return evaluateAt(obligation, point) == false; };
  if (!holds && llvm::none_of(getObligations(predicate), fails))
    end.reset();
  return holds == true;
}

static void collectNumbers(const ExprTree &tree, llvm::SmallSet<int64_t, 8> &numbers) {
  if (tree.kind == ExprTree::Kind::Constant && tree.value != INT64_MIN)
    numbers.insert(tree.value < 0 ? -tree.value : tree.value);
  for (const auto &operand : tree.operands)
    collectNumbers(*operand, numbers);
}

void GuardPoints::collectNumbers(const Predicate &predicate) {
  constexpr int64_t largest = 1 << 20;
  llvm::SmallSet<int64_t, 8> found;
  std::function<void(const Predicate &)> visit = [&](const Predicate &part) {
    for (const Predicate &operand : part.operands)
      visit(operand);
    for (Expr side : {part.lhs, part.rhs})
      if (side)
        ::collectNumbers(*getTree(side), found);
  };
  visit(predicate);
  for (int64_t number : found)
    if (number > 1 && number < largest)
      numbers.push_back(number);
  llvm::sort(numbers);
}

/// The least value to look at: of data that may be negative without a small bound, some below 0.
int64_t GuardPoints::getLeast(Expr symbol) const {
  constexpr int64_t belowZero = -8;
  std::optional<int64_t> lower = facts.getFacts(symbol).range.lower;
  return lower && *lower >= belowZero ? *lower : belowZero;
}

GuardPoints::GuardPoints(const Predicate &guard, Solver &facts, llvm::ArrayRef<Predicate> known)
    : symbols(guard.getSymbols()), facts(facts) {
  collectNumbers(guard);
  if (!choosePoints(known))
    return;
  allowed.resize(points.size());
  for (auto [index, at] : llvm::enumerate(points))
    if (holdsAt(guard, at))
      allowed.set(index);
}

bool GuardPoints::choosePoints(llvm::ArrayRef<Predicate> known) {
  // Of one symbol, of each of two, and so on.
  static constexpr size_t mostValues[] = {150, 20, 8}, mostNumbers[] = {8, 3, 1};
  static_assert(std::size(mostValues) == kMaxSymbolsOfForms && std::size(mostNumbers) == kMaxSymbolsOfForms);
  assert(!symbols.empty() && symbols.size() <= kMaxSymbolsOfForms && "what has other numbers of symbols is not asked");
  constexpr size_t maxPoints = 700;
  // So that 64 bits hold sums of them.
  constexpr int64_t mostLower = int64_t(1) << 32, mostModulus = int64_t(1) << 16;
  size_t last = symbols.size() - 1;
  std::vector<SmallVector<int64_t>> values;
  for (Expr symbol : symbols) {
    SymbolFacts declared = facts.getFacts(symbol);
    int64_t lower = getLeast(symbol), modulus = std::max<int64_t>(declared.modulus, 1);
    if (lower > mostLower || modulus > mostModulus)
      return false;
    auto isAllowed = [&](int64_t value) { return value >= lower && allows(declared, value); };
    SmallVector<int64_t> &own = values.emplace_back();
    int64_t value = lower, end = value + static_cast<int64_t>(mostValues[last]) * modulus;
    if (symbols.size() == 1 && declared.range.lower == lower)
      this->end = end;
    for (; value < end; ++value)
      if (isAllowed(value))
        own.push_back(value);
    for (int64_t number : llvm::ArrayRef(numbers).take_back(mostNumbers[last]))
      for (int64_t near : {number - 1, number, number + 1})
        if (near >= end && isAllowed(near) && !llvm::is_contained(own, near))
          own.push_back(near);
  }
  std::vector<const Predicate *> telling;
  for (const Predicate &fact : known)
    if (llvm::all_of(fact.getSymbols(), [&](Expr symbol) { return llvm::is_contained(symbols, symbol); }))
      telling.push_back(&fact);
  SmallVector<int64_t, kMaxSymbolsOfForms> point(symbols.size());
  std::function<void(size_t)> enumerate = [&](size_t place) {
    if (place < symbols.size()) {
      for (int64_t value : values[place]) {
        point[place] = value;
        enumerate(place + 1);
      }
      return;
    }
    if (points.size() < maxPoints &&
        llvm::all_of(telling, [&](const Predicate *fact) { return holdsAt(*fact, point); }))
      points.push_back(point);
  };
  enumerate(0);
  return true;
}

//===- A point that a store allows, one value after the other ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Symbols that some fact ties to others.
static uint64_t getTiedSymbols(const FactStore &store) {
  uint64_t mask = 0;
  for (const std::vector<Expr> &list : store.getOpenExprs())
    for (Expr expr : list)
      mask |= expr.getNode()->symbolMask;
  return mask;
}

std::optional<Point> FactStore::pickPoint(llvm::ArrayRef<const Atom *> wanted,
                                          llvm::function_ref<int64_t(Interval, unsigned)> choose) {
  // One alternative of each disjunction.
  constexpr unsigned maximalChoices = 32, maximalValues = 256;
  for (unsigned choice = 0; !disjunctions.empty(); ++choice) {
    if (choice == maximalChoices || context.fuel == 0)
      return std::nullopt;
    bool taken = false;
    std::vector<Predicate> alternatives = disjunctions.front().predicate->operands;
    for (const Predicate &alternative : alternatives) {
      FactStore attempt = makeHypothesis();
      taken = attempt.assertTrue(alternative);
      if (taken) {
        *this = attempt;
        break;
      }
    }
    if (!taken)
      return std::nullopt;
  }
  // The symbols that are left, one after the other. Those that no fact ties to others need no deduction.
  Point free;
  unsigned ordinal = 0;
  auto valueOf = [&](llvm::StringRef name) -> std::optional<int64_t> {
    auto found = free.find(name);
    return found == free.end() ? std::nullopt : std::optional(found->second);
  };
  Point point;
  for (const Atom *symbol : wanted) {
    Expr expr = context.getExpr(symbol);
    while (true) {
      Expr inner = context.fuel > 0 ? getInner(expr) : Expr();
      if (!inner)
        return std::nullopt;
      context.spend(inner.getNode()->nodeCount);
      const Atom *next = nullptr;
      for (Expr other : inner.getSymbols())
        if (const Atom *atom = getSymbolAtom(other); !free.count(atom->name) && (!next || atom->name < next->name))
          next = atom;
      if (!next)
        break;
      // A value may fail to be taken, where deduction has been cut short.
      if (ordinal == maximalValues || context.fuel == 0)
        return std::nullopt;
      const Symbol &info = look(next);
      int64_t value = choose(info.range, ordinal++);
      while (llvm::is_contained(info.notEqual, value) && value < info.range.upper)
        ++value;
      if (!(getTiedSymbols(*this) & next->symbolMask))
        free[next->name] = value;
      else if (!assertTrue(Predicate::equal(context.getExpr(next), context.getConstant(value))))
        return std::nullopt;
    }
  }
  for (const Atom *symbol : wanted) {
    std::optional<int64_t> value = evaluate(getInner(context.getExpr(symbol)), valueOf);
    if (!value)
      return std::nullopt;
    point[symbol->name] = *value;
  }
  return point;
}

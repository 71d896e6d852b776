//===- Points at which all facts hold --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Witnesses.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Older points give way to newer ones.
static constexpr size_t maximalPoints = 24;
/// A point needs a value for every symbol, and has to pass every fact.
static constexpr size_t maximalFacts = 256;

static std::optional<int64_t> lookUp(const Point &point, llvm::StringRef name) {
  auto found = point.find(name);
  return found == point.end() ? std::nullopt : std::optional(found->second);
}

std::optional<bool> dyn::symbolic::evaluateAt(const Predicate &predicate, const Point &point) {
  return evaluate(predicate, [&](llvm::StringRef name) { return lookUp(point, name); });
}

static bool isAllowed(const SymbolFacts &facts, int64_t value) {
  return (!facts.range.lower || value >= *facts.range.lower) && (!facts.range.upper || value <= *facts.range.upper) &&
         (facts.modulus <= 1 || floorMod(value, facts.modulus) == facts.remainder) &&
         !llvm::is_contained(facts.notEqual, value);
}

static const Atom *getSymbolAtom(Expr symbol) { return getTerms(symbol)[0].monomial->getAtom(); }

void Witnesses::declare(const Atom *symbol, const SymbolFacts &facts) {
  symbols.insert(symbol);
  declared[symbol] = facts;
  // Earlier declarations of the symbol hold too, which the points have passed.
  auto excludes = [&](const Point &point) {
    auto found = point.find(symbol->name);
    return found == point.end() || !isAllowed(facts, found->second);
  };
  points.erase(std::remove_if(points.begin(), points.end(), excludes), points.end());
}

void Witnesses::add(const Predicate &predicate) {
  for (Expr symbol : predicate.getSymbols())
    symbols.insert(getSymbolAtom(symbol));
  facts.push_back(predicate);
  auto excludes = [&](const Point &point) { return evaluateAt(predicate, point) != true; };
  points.erase(std::remove_if(points.begin(), points.end(), excludes), points.end());
}

std::optional<bool> Witnesses::evaluate(const Predicate &predicate, const Point &point) {
  if (effort == 0)
    return std::nullopt;
  return dyn::symbolic::evaluate(predicate, [&](llvm::StringRef name) {
    effort -= effort > 0;
    return lookUp(point, name);
  });
}

Witnesses::Seen Witnesses::look(const Predicate &predicate) {
  Seen seen;
  for (const Point &point : points) {
    std::optional<bool> truth = evaluate(predicate, point);
    seen.isTrue |= truth == true;
    seen.isFalse |= truth == false;
    if (seen.isTrue && seen.isFalse)
      break;
  }
  return seen;
}

bool Witnesses::holds(const Point &point) {
  for (const Atom *symbol : symbols) {
    auto value = point.find(symbol->name);
    if (value == point.end() || !isAllowed(declared.lookup(symbol), value->second))
      return false;
  }
  return llvm::all_of(facts, [&](const Predicate &fact) { return evaluate(fact, point) == true; });
}

void Witnesses::keep(Point point) {
  points.push_front(std::move(point));
  if (points.size() > maximalPoints)
    points.pop_back();
}

/// The value, or one near it that is allowed, if there is such.
static int64_t getAllowed(const SymbolFacts &facts, int64_t value) {
  value = std::max(value, facts.range.lower.value_or(value));
  value = std::min(value, facts.range.upper.value_or(value));
  int64_t step = std::max<int64_t>(facts.modulus, 1);
  std::optional<int64_t> next =
      checkedAdd(value, facts.modulus > 1 ? floorMod(facts.remainder - floorMod(value, step), step) : 0);
  while (next && llvm::is_contained(facts.notEqual, *next))
    next = checkedAdd(*next, step);
  return next.value_or(value);
}

/// Numbers in an expression, without their signs: what a question is about tells its truth apart near them.
static void collectNumbers(Expr expr, llvm::SmallVectorImpl<int64_t> &numbers) {
  constexpr size_t maximalNumbers = 6;
  if (!expr)
    return;
  for (const Term &term : getTerms(expr)) {
    int64_t number = term.coefficient == INT64_MIN ? INT64_MAX : std::abs(term.coefficient);
    if (number > 3 && numbers.size() < maximalNumbers && !llvm::is_contained(numbers, number))
      numbers.push_back(number);
    for (const Power &power : term.monomial->getPowers())
      for (Expr operand : power.atom->operands)
        collectNumbers(operand, numbers);
  }
}

static void collectNumbers(const Predicate &predicate, llvm::SmallVectorImpl<int64_t> &numbers) {
  collectNumbers(predicate.lhs, numbers);
  collectNumbers(predicate.rhs, numbers);
  for (const Predicate &operand : predicate.operands)
    collectNumbers(operand, numbers);
}

/// Values for a symbol beside the smallest: those above its least, those near the numbers, and a few that are large.
static llvm::SmallVector<int64_t, 32> listValues(int64_t least, llvm::ArrayRef<int64_t> numbers) {
  llvm::SmallVector<int64_t, 32> values;
  auto add = [&](std::optional<int64_t> value) {
    if (value && *value > 3 && !llvm::is_contained(values, *value))
      values.push_back(*value);
  };
  for (int64_t step : {0, 1, 2, 3})
    add(checkedAdd(least, step));
  for (int64_t number : numbers) {
    for (int64_t step : {1, 0, -1})
      add(checkedAdd(number, step));
    add(checkedAdd(least, number));
  }
  for (int64_t step : {4, 16, 1030})
    add(checkedAdd(least, step));
  add(int64_t(1) << 31 | 11);
  return values;
}

/// What is declared of a symbol, within the bounds that have been learnt.
SymbolFacts Witnesses::getKnown(const FactStore &store, const Atom *symbol) const {
  SymbolFacts known = declared.lookup(symbol);
  Interval range = store.getOwnRange(symbol);
  if (range.hasLower() && range.lower > known.range.lower.value_or(range.lower - 1))
    known.range.lower = range.lower;
  if (range.hasUpper() && range.upper < known.range.upper.value_or(range.upper + 1))
    known.range.upper = range.upper;
  return known;
}

void Witnesses::vary(FactStore &store, const Predicate &predicate, Seen &seen) {
  if (facts.size() > maximalFacts)
    return;
  // Steps next to points, and points of which all facts are asked in vain.
  unsigned steps = 512, attempts = 12;
  auto isDone = [&] { return (seen.isTrue && seen.isFalse) || steps == 0 || attempts == 0 || effort == 0; };
  auto visit = [&](const Point &point) {
    std::optional<bool> truth = evaluate(predicate, point);
    if (!truth || (*truth ? seen.isTrue : seen.isFalse))
      return;
    if (!holds(point)) {
      --attempts;
      return;
    }
    (*truth ? seen.isTrue : seen.isFalse) = true;
    keep(point);
  };
  if (isDone())
    return;
  // Symbols that the facts tell in terms of others.
  llvm::SmallVector<std::pair<const Atom *, Expr>> told;
  llvm::SmallVector<const Atom *> varied;
  auto addSymbol = [&](const Atom *symbol) {
    Expr inner = store.getInner(store.getContext().getExpr(symbol));
    if (inner && inner != store.getContext().getExpr(symbol))
      told.emplace_back(symbol, inner);
  };
  for (const Atom *symbol : symbols)
    addSymbol(symbol);
  // The last ones first: the fewest facts are about them.
  llvm::SmallVector<Expr, 4> mentioned = predicate.getSymbols();
  for (Expr symbol : llvm::reverse(mentioned)) {
    const Atom *atom = getSymbolAtom(symbol);
    if (!symbols.contains(atom))
      addSymbol(atom);
    if (!llvm::is_contained(varied, atom))
      varied.push_back(atom);
  }
  for (size_t index = 0, count = varied.size(); index < count; ++index)
    for (const auto &[symbol, inner] : told)
      if (symbol == varied[index])
        for (Expr other : inner.getSymbols())
          if (const Atom *atom = getSymbolAtom(other); symbols.contains(atom) && !llvm::is_contained(varied, atom))
            varied.push_back(atom);
  auto tell = [&](Point &point, const Atom *changed) {
    for (const auto &[symbol, inner] : told)
      if (!changed || (inner.getNode()->symbolMask & changed->symbolMask)) {
        std::optional<int64_t> value = dyn::symbolic::evaluate(inner, [&](llvm::StringRef name) {
          effort -= effort > 0;
          return lookUp(point, name);
        });
        if (value)
          point[symbol->name] = *value;
      }
  };
  llvm::SmallVector<Point> bases;
  auto addBase = [&](int64_t value) {
    Point &base = bases.emplace_back();
    for (const Atom *symbol : llvm::concat<const Atom *const>(symbols, varied)) {
      SymbolFacts known = getKnown(store, symbol);
      int64_t least = std::max<int64_t>(known.range.lower.value_or(0), 0);
      base[symbol->name] = getAllowed(known, checkedAdd(least, value).value_or(least));
    }
    tell(base, /*changed=*/nullptr);
  };
  for (int64_t value : {1, 2, 0})
    addBase(value);
  constexpr size_t maximalNear = 3;
  for (const Point &point : llvm::make_range(points.begin(), points.begin() + std::min(points.size(), maximalNear))) {
    bases.push_back(point);
    for (const Atom *symbol : varied)
      bases.back().try_emplace(symbol->name, getAllowed(declared.lookup(symbol), 1));
  }
  addBase(512);
  for (const Point &base : bases)
    if (!isDone())
      visit(base);
  auto tryValues = [&](llvm::MutableArrayRef<Point> near, auto list) {
    for (Point &base : near)
      for (const Atom *symbol : varied) {
        SymbolFacts known = getKnown(store, symbol);
        Point old = base;
        for (int64_t other : list(std::max<int64_t>(known.range.lower.value_or(0), 0))) {
          if (other == old.lookup(symbol->name) || !isAllowed(known, other))
            continue;
          if (isDone())
            return;
          --steps;
          base[symbol->name] = other;
          tell(base, symbol);
          visit(base);
        }
        base = std::move(old);
      }
  };
  tryValues(bases, [](int64_t) { return std::array<int64_t, 4>{0, 1, 2, 3}; });
  if (isDone())
    return;
  llvm::SmallVector<int64_t, 6> numbers;
  collectNumbers(predicate, numbers);
  // Two suffice: the large one, and a known one if there is such.
  tryValues(llvm::MutableArrayRef(bases).take_back(2), [&](int64_t least) { return listValues(least, numbers); });
}

/// A value that is likely to make no two expressions equal, or the smallest.
static int64_t chooseValue(Interval range, bool smallest, unsigned ordinal) {
  if (!range.hasLower())
    return std::min<int64_t>(range.upper, 0);
  if (smallest)
    return range.lower;
  std::optional<int64_t> value = checkedAdd(range.lower, 2 + 3 * (ordinal % 7) + ordinal / 7);
  return std::min(value.value_or(range.upper), range.upper);
}

bool Witnesses::find(const FactStore &store, llvm::ArrayRef<Expr> more,
                     llvm::function_ref<bool(const Point &)> accept) {
  if (facts.size() > maximalFacts)
    return false;
  llvm::SmallVector<const Atom *> wanted(symbols.begin(), symbols.end());
  for (Expr symbol : more)
    if (!llvm::is_contained(wanted, getSymbolAtom(symbol)))
      wanted.push_back(getSymbolAtom(symbol));
  // Whatever came first: the effort is taken from that of the question.
  llvm::sort(wanted, [](const Atom *a, const Atom *b) { return a->name < b->name; });
  for (bool smallest : {false, true}) {
    if (store.getContext().fuel == 0)
      return false;
    FactStore guess = store.makeHypothesis();
    std::optional<Point> point = guess.pickPoint(
        wanted, [&](Interval range, unsigned ordinal) { return chooseValue(range, smallest, ordinal); });
    if (!point || !accept(*point) || !holds(*point))
      continue;
    keep(std::move(*point));
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// FactStore
//===----------------------------------------------------------------------===//

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
  auto valueOf = [&](llvm::StringRef name) { return lookUp(free, name); };
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
        if (const Atom *atom = getTerms(other)[0].monomial->getAtom();
            !free.count(atom->name) && (!next || atom->name < next->name))
          next = atom;
      if (!next)
        break;
      // A value may fail to be taken, where deduction has been cut short.
      if (ordinal == maximalValues || context.fuel == 0)
        return std::nullopt;
      const Symbol &info = look(next);
      int64_t value = choose(info.range, ordinal++);
      while (llvm::is_contained(info.notEqual, value) && info.range.contains(value + 1))
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

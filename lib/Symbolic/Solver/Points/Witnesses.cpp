//===- Points at which all facts hold --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Points/Witnesses.h"
#include "dyn/Symbolic/LinearForms.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Of one question, and of all before it.
static constexpr size_t maximalPoints = 24;
/// A point needs a value for every symbol, and has to pass every fact.
static constexpr size_t maximalFacts = 256, maximalSymbols = 1024;

static std::optional<int64_t> lookUp(const Point &point, llvm::StringRef name) {
  auto found = point.find(name);
  return found == point.end() ? std::nullopt : std::optional(found->second);
}

std::optional<bool> dyn::symbolic::evaluateAt(const Predicate &predicate, const Point &point) {
  return evaluate(predicate, [&](llvm::StringRef name) { return lookUp(point, name); });
}

static std::optional<int64_t> lookUp(const PointProgram::Values &point, unsigned place) {
  return place < point.size() ? point[place] : std::nullopt;
}

static void set(PointProgram::Values &point, unsigned place, int64_t value) {
  if (place >= point.size())
    point.resize(place + 1);
  point[place] = value;
}

void Witnesses::drop(llvm::function_ref<bool(const Values &point)> isExcluded) {
  for (std::list<Values> *known : {&points, &earlier})
    known->remove_if(isExcluded);
}

void Witnesses::declare(const Atom *symbol, const SymbolFacts &facts) {
  declared[symbol].push_back(facts);
  if (points.empty() && earlier.empty())
    return;
  // Earlier declarations of the symbol hold too, which the points have passed.
  unsigned place = places.get(symbol);
  auto excludes = [&](const Values &point) {
    std::optional<int64_t> value = lookUp(point, place);
    return value && !allows(facts, *value);
  };
  drop(excludes);
}

void Witnesses::forgetFacts() {
  PagedMap<const Atom *, Declarations> known = std::move(declared);
  *this = Witnesses();
  declared = std::move(known);
}

void Witnesses::add(const Predicate &predicate) {
  if (areMany)
    return;
  for (Expr symbol : predicate.getSymbols())
    symbols.insert(getSymbolAtom(symbol));
  if (facts.size() == maximalFacts || symbols.size() > maximalSymbols) {
    forgetFacts();
    areMany = true;
    return;
  }
  facts.push_back(predicate);
  if (points.empty() && earlier.empty())
    return;
  PointProgram fact;
  PointProgram::Index index = fact.add(predicate, places);
  auto excludes = [&](const Values &point) {
    unsigned unlimited = UINT_MAX;
    fact.visit(point, unlimited);
    return fact.evaluatePredicate(index) != true;
  };
  drop(excludes);
}

std::optional<bool> Witnesses::evaluate(PointProgram &program, PointProgram::Index predicate, const Values &point) {
  if (effort == 0)
    return std::nullopt;
  program.visit(point, effort);
  return program.evaluatePredicate(predicate);
}

Witnesses::Seen Witnesses::look(const Predicate &predicate, const std::list<Values> &among) {
  Seen seen;
  if (among.empty())
    return seen;
  PointProgram question;
  PointProgram::Index asked = question.add(predicate, places);
  for (const Values &point : among) {
    std::optional<bool> truth = evaluate(question, asked, point);
    seen.isTrue |= truth == true;
    seen.isFalse |= truth == false;
    if (seen.areBoth())
      break;
  }
  return seen;
}

Witnesses::Seen Witnesses::lookAtEarlier(const Predicate &predicate) {
  unsigned left = std::exchange(effort, effortOfQuestion);
  Seen seen = look(predicate, earlier);
  effort = left;
  return seen;
}

void Witnesses::startQuestion(unsigned share) {
  effort = effortOfQuestion / share;
  earlier.splice(earlier.begin(), points);
  // Older points give way to newer ones.
  if (earlier.size() > maximalPoints)
    earlier.resize(maximalPoints);
}

bool Witnesses::holds(const Values &point, llvm::ArrayRef<const Atom *> others) {
  for (const Atom *symbol : llvm::concat<const Atom *const>(symbols, others)) {
    std::optional<int64_t> value = lookUp(point, places.get(symbol));
    const Declarations *known = declared.find(symbol);
    // What is not declared is a size.
    if (!value || (known ? !llvm::all_of(*known, [&](const SymbolFacts &facts) { return allows(facts, *value); })
                         : !allows(SymbolFacts(), *value)))
      return false;
  }
  while (compiled.size() < facts.size())
    compiled.push_back(program.add(facts[compiled.size()], places));
  program.visit(point, effort);
  return llvm::all_of(compiled,
                      [&](PointProgram::Index fact) { return effort > 0 && program.evaluatePredicate(fact) == true; });
}

void Witnesses::keep(Values point) {
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

/// The last declaration of a symbol.
SymbolFacts Witnesses::getDeclared(const Atom *symbol) const {
  const Declarations *known = declared.find(symbol);
  return known ? known->back() : SymbolFacts();
}

/// What is declared of a symbol, within the bounds that have been learnt.
SymbolFacts Witnesses::getKnown(const FactStore &store, const Atom *symbol) const {
  SymbolFacts known = getDeclared(symbol);
  Interval range = store.getOwnRange(symbol);
  if (range.hasLower() && range.lower > known.range.lower.value_or(range.lower - 1))
    known.range.lower = range.lower;
  if (range.hasUpper() && range.upper < known.range.upper.value_or(range.upper + 1))
    known.range.upper = range.upper;
  return known;
}

void Witnesses::vary(FactStore &store, const Predicate &predicate, Seen &seen) {
  if (areMany)
    return;
  // Steps next to points, and points of which all facts are asked in vain.
  unsigned steps = 512, attempts = 12;
  auto isDone = [&] { return seen.areBoth() || steps == 0 || attempts == 0 || effort == 0; };
  llvm::SmallVector<const Atom *> varied;
  PointProgram question;
  PointProgram::Index asked = question.add(predicate, places);
  auto visit = [&](const Values &point) {
    std::optional<bool> truth = evaluate(question, asked, point);
    if (!truth || (*truth ? seen.isTrue : seen.isFalse))
      return;
    if (!holds(point, varied)) {
      --attempts;
      return;
    }
    (*truth ? seen.isTrue : seen.isFalse) = true;
    keep(point);
  };
  if (isDone())
    return;
  // Symbols that the facts tell in terms of others.
  struct Told {
    const Atom *symbol;
    unsigned place;
    Expr inner;
    PointProgram::Index value;
  };
  llvm::SmallVector<Told> told;
  auto addSymbol = [&](const Atom *symbol) {
    Expr inner = store.getInner(store.getContext().getExpr(symbol));
    if (inner && inner != store.getContext().getExpr(symbol))
      told.push_back({symbol, places.get(symbol), inner, question.add(inner, places)});
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
    for (const Told &other : told)
      if (other.symbol == varied[index])
        for (Expr other : other.inner.getSymbols())
          if (const Atom *atom = getSymbolAtom(other); symbols.contains(atom) && !llvm::is_contained(varied, atom))
            varied.push_back(atom);
  auto tell = [&](Values &point, const Atom *changed) {
    question.visit(point, effort);
    for (const Told &each : told)
      if (!changed || (each.inner.getNode()->symbolMask & changed->symbolMask))
        if (std::optional<int64_t> value = question.evaluateExpr(each.value))
          set(point, each.place, *value);
  };
  // Of the symbols of facts, then of those that are varied.
  std::vector<std::pair<unsigned, SymbolFacts>> known;
  for (const Atom *symbol : llvm::concat<const Atom *const>(symbols, varied))
    known.emplace_back(places.get(symbol), getKnown(store, symbol));
  auto getLeast = [](const SymbolFacts &facts) { return std::max<int64_t>(facts.range.lower.value_or(0), 0); };
  llvm::SmallVector<Values, 8> bases;
  auto addBase = [&](int64_t value) {
    Values &base = bases.emplace_back();
    for (const auto &[place, facts] : known)
      set(base, place, getAllowed(facts, checkedAdd(getLeast(facts), value).value_or(getLeast(facts))));
    tell(base, /*changed=*/nullptr);
  };
  for (int64_t value : {1, 2, 0})
    addBase(value);
  constexpr size_t maximalNear = 3;
  for (const Values &point :
       llvm::make_range(points.begin(), std::next(points.begin(), std::min(points.size(), maximalNear)))) {
    bases.push_back(point);
    for (const Atom *symbol : varied)
      if (unsigned place = places.get(symbol); !lookUp(point, place))
        set(bases.back(), place, getAllowed(getDeclared(symbol), 1));
  }
  addBase(512);
  for (const Values &base : bases)
    if (!isDone())
      visit(base);
  auto tryValues = [&](llvm::MutableArrayRef<Values> near, auto list) {
    for (Values &base : near)
      for (size_t index = 0; index < varied.size(); ++index) {
        const auto &[place, facts] = known[symbols.size() + index];
        Values old = base;
        for (int64_t other : list(getLeast(facts))) {
          if (other == lookUp(old, place) || !allows(facts, other))
            continue;
          if (isDone())
            return;
          --steps;
          set(base, place, other);
          tell(base, varied[index]);
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
  tryValues(llvm::MutableArrayRef<Values>(bases).take_back(2),
            [&](int64_t least) { return listValues(least, numbers); });
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
  if (areMany)
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
    if (!point || !accept(*point))
      continue;
    Values values;
    for (const Atom *symbol : wanted)
      set(values, places.get(symbol), point->lookup(symbol->name));
    if (!holds(values, wanted))
      continue;
    keep(std::move(values));
    return true;
  }
  return false;
}

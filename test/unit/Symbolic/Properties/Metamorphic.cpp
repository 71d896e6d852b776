//===- The same facts told in other ways ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SmallSystem.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

std::string dyn::symbolic::test::checkMetamorphic(uint64_t seed, bool isAmongMany, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  SmallSystem system(random, random.pick(1, 4));
  if (system.allowed.empty())
    return "";
  llvm::SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, system.facts.size()));
  SymbolicContext context, shuffledContext, joinedContext;
  Solver solver(context), shuffled(shuffledContext), repeated(context), joined(joinedContext);
  bool consistent = true;
  if (isAmongMany)
    for (Solver *each : {&solver, &shuffled, &repeated, &joined})
      consistent &= addUnrelatedFacts(*each);
  consistent &= system.teach(solver, order) && system.teach(repeated, order) && system.teach(repeated, order);
  std::shuffle(order.begin(), order.end(), random.engine);
  consistent &= system.teach(shuffled, order);
  std::vector<Predicate> conjunction;
  for (const Relation &fact : system.facts)
    conjunction.push_back(fact.build(joinedContext));
  consistent &= system.teach(joined, {}) &&
                joined.addPredicate(Predicate::conjunction(std::move(conjunction)), joined.addReason({"given", "", 0}));
  if (!consistent)
    return "seed " + std::to_string(seed) + ": refused: " + system.str();
  for (int i = 0; i < 6; ++i) {
    Relation query = SmallSystem::pickRelation(random);
    // What has a value nowhere is true and false.
    if (llvm::none_of(system.allowed, [&](const Point &point) { return query.evaluate(point).has_value(); }))
      continue;
    Verdict verdict = solver.implies(query.build(context));
    std::optional<Range> range;
    if (Expr expr = query.lhs.build(context))
      range = solver.getRange(expr);
    auto compare = [&](Verdict other, const char *how) -> std::string {
      ++count.decidable;
      count.decided += verdict == other;
      if (verdict == other)
        return "";
      return "seed " + std::to_string(seed) + ": " + getName(verdict) + ", and " + how + " " + getName(other) +
             " for " + query.str() + " given " + system.str();
    };
    for (auto [other, how] :
         {std::pair(&shuffled, "in another order"), std::pair(&repeated, "told twice"), std::pair(&joined, "in one")}) {
      SymbolicContext &there = other->getContext();
      std::string violation = compare(other->implies(query.build(there)), how);
      if (!violation.empty())
        return violation;
      if (range && !(other->getRange(query.lhs.build(there)) == *range))
        return "seed " + std::to_string(seed) + ": another range " + how + " of " + query.lhs.str() + " given " +
               system.str();
    }
  }
  return "";
}

std::string dyn::symbolic::test::checkContradictions(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  SmallSystem system(random, random.pick(2, 6));
  if (!system.allowed.empty())
    return "";
  llvm::SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, system.facts.size()));
  std::optional<bool> isRefused;
  for (int attempt = 0; attempt < 4; ++attempt) {
    SymbolicContext context, otherContext;
    Solver solver(context), other(otherContext);
    bool isRefusedNow = !system.teach(solver, order);
    if (isRefused.value_or(isRefusedNow) != isRefusedNow)
      return "seed " + std::to_string(seed) + ": refused in one order only: " + system.str();
    isRefused = isRefusedNow;
    std::shuffle(order.begin(), order.end(), random.engine);
    if (!isRefusedNow || attempt > 0)
      continue;
    // Without the domains of other symbols, they may be refused in one order only.
    auto isTold = [&](const ExplainStep &step) { return step.isDerived || tell(other, step.fact); };
    count.empty += llvm::all_of(solver.getConflict()->chain, isTold);
  }
  ++count.decidable;
  count.decided += *isRefused;
  return "";
}

std::string dyn::symbolic::test::checkConsequences(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  SmallSystem system(random, random.pick(1, 4)), more(system);
  if (system.allowed.empty())
    return "";
  auto teach = [](Solver &solver, const SmallSystem &system) {
    return system.teach(solver, llvm::to_vector(llvm::seq<unsigned>(0, system.facts.size())));
  };
  auto describe = [&](auto... parts) { return "seed " + std::to_string(seed) + ": " + (... + std::string(parts)); };
  SymbolicContext context, moreContext;
  Solver solver(context), taught(moreContext);
  if (!teach(solver, system))
    return describe("refused: ", system.str());
  std::vector<Relation> queries;
  std::vector<Verdict> verdicts;
  size_t given = system.facts.size();
  for (int i = 0; i < 6; ++i) {
    Relation query = SmallSystem::pickRelation(random);
    Verdict verdict = solver.implies(query.build(context));
    auto hasValue = [&](const Point &point) { return query.evaluate(point).has_value(); };
    // What has a value nowhere is true and false, and what is told has one everywhere.
    if (verdict == Verdict::Yes && llvm::all_of(system.allowed, hasValue))
      more.facts.push_back(query);
    if (llvm::none_of(system.allowed, hasValue))
      continue;
    queries.push_back(std::move(query));
    verdicts.push_back(verdict);
  }
  if (!teach(taught, more))
    return describe("refused with what follows: ", more.str());
  for (auto told = more.facts.begin() + given; told != more.facts.end(); ++told)
    if (taught.implies(told->build(moreContext)) != Verdict::Yes)
      return describe(told->str(), " does not follow from itself given ", more.str());
  if (more.facts.size() == given)
    return "";
  for (auto [query, verdict] : llvm::zip_equal(queries, verdicts)) {
    Verdict other = taught.implies(query.build(moreContext));
    ++count.decidable;
    count.decided += verdict == other;
    if (verdict != other && verdict != Verdict::Unknown && other != Verdict::Unknown)
      return describe(getName(verdict), ", and ", getName(other), " with what follows, for ", query.str(), " given ",
                      more.str());
  }
  return "";
}

/// Of a size, and of symbols with that number that nothing else mentions, for some values of which it holds.
static std::string pickIdleFact(RandomSource &random, const std::string &size, unsigned number) {
  std::string own = "idle" + std::to_string(number), other = "other" + std::to_string(number);
  switch (random.pick(0, 6)) {
  case 0:
    return size + " <= " + own;
  case 1:
    return own + " <= " + size;
  case 2:
    return own + " == " + size + " + " + other;
  case 3:
    return own + " == " + size + " * " + other;
  case 4:
    return own + " == " + size + " ceildiv 3";
  case 5:
    return own + " == max(" + size + ", " + other + ")";
  default:
    return own + " != " + size;
  }
}

std::string dyn::symbolic::test::checkIdleFacts(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  SmallSystem system(random, random.pick(1, 4));
  if (system.allowed.empty())
    return "";
  auto describe = [&](auto... parts) { return "seed " + std::to_string(seed) + ": " + (... + std::string(parts)); };
  SymbolicContext context, moreContext;
  Solver solver(context), taught(moreContext);
  llvm::SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, system.facts.size()));
  if (!system.teach(solver, order) || !system.teach(taught, order))
    return describe("refused: ", system.str());
  std::string idle;
  for (unsigned number = 0, last = random.pick(1, 3); number < last; ++number) {
    const auto &[name, facts] = system.declarations[random.pick(0, system.declarations.size() - 1)];
    std::string fact = pickIdleFact(random, name, number);
    if (*facts.range.lower >= 0 && !tell(taught, fact))
      return describe("refused ", fact, " beside ", system.str());
    idle += "; " + fact;
  }
  for (int i = 0; i < 6; ++i) {
    Relation query = SmallSystem::pickRelation(random);
    // What has a value nowhere is true and false.
    if (llvm::none_of(system.allowed, [&](const Point &point) { return query.evaluate(point).has_value(); }))
      continue;
    Verdict verdict = solver.implies(query.build(context)), other = taught.implies(query.build(moreContext));
    if (verdict == Verdict::Unknown)
      continue;
    ++count.decidable;
    count.decided += verdict == other;
    if (verdict != other && other != Verdict::Unknown)
      return describe(getName(verdict), ", and ", getName(other), " for ", query.str(), " given ", system.str(), idle);
  }
  return "";
}

std::string dyn::symbolic::test::checkRenaming(uint64_t seed, bool isAmongMany, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  SmallSystem system(random, random.pick(0, 4));
  if (system.allowed.empty())
    return "";
  // Symbols that nothing is known of, but what the facts say, are told apart by these and by the question.
  auto isUnknown = [&](const auto &) { return random.chance(seed % 3 == 0 ? 100 : seed % 3 == 1 ? 50 : 0); };
  llvm::erase_if(system.declarations, isUnknown);
  // A symbol that is not declared is a size, whatever its domain was.
  auto isPossible = [&](const Point &point) {
    return llvm::all_of(point, [&](const auto &entry) {
      return entry.second >= 0 || llvm::is_contained(llvm::make_first_range(system.declarations), entry.first);
    });
  };
  // The other way round in the order of names.
  static const Names names = {{"a", "z"}, {"s", "y"}, {"t", "x"}};
  SmallSystem renamedSystem = system.rename(names);
  SymbolicContext context, renamedContext;
  Solver solver(context), renamed(renamedContext);
  llvm::SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, system.facts.size()));
  bool consistent = !isAmongMany || (addUnrelatedFacts(solver) && addUnrelatedFacts(renamed));
  consistent &= system.teach(solver, order);
  std::shuffle(order.begin(), order.end(), random.engine);
  consistent &= renamedSystem.teach(renamed, order);
  // Without their domains, symbols may have no values left.
  if (!consistent)
    return "";
  for (int i = 0; i < 6; ++i) {
    Relation query = SmallSystem::pickRelation(random), renamedQuery = renameSymbols(query, names);
    // What has a value nowhere is true and false.
    if (llvm::none_of(system.allowed,
                      [&](const Point &point) { return isPossible(point) && query.evaluate(point).has_value(); }))
      continue;
    auto report = [&](auto... parts) {
      return "seed " + std::to_string(seed) + ": " + (... + (parts + std::string(" "))) +
             "with other names: " + query.str() + " given " + system.str();
    };
    Verdict verdict = solver.implies(query.build(context)), other = renamed.implies(renamedQuery.build(renamedContext));
    ++count.decidable;
    count.decided += verdict == other;
    if (verdict != other)
      return report(std::string(getName(verdict)), std::string("and"), std::string(getName(other)));
    Expr expr = query.lhs.build(context), renamedExpr = renamedQuery.lhs.build(renamedContext);
    if (!expr || !renamedExpr)
      continue;
    if (!(solver.getRange(expr) == renamed.getRange(renamedExpr)))
      return report(std::string("another range of the left side"));
  }
  return "";
}

std::string dyn::symbolic::test::checkConnected(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed, {});
  for (int64_t i = random.pick(6, 40); i > 0; --i)
    random.names.push_back("s" + std::to_string(i));
  Point point;
  for (const std::string &name : random.names)
    point[name] = random.pick(0, 9);
  std::vector<Relation> facts;
  for (size_t wanted = random.pick(33, 120); facts.size() < wanted;) {
    Relation fact = SmallSystem::pickRelation(random);
    // Few of what differs says much.
    if (fact.evaluate(point) == true && (fact.kind != Relation::NotEqual || random.chance(30)))
      facts.push_back(std::move(fact));
  }
  auto describe = [&](llvm::StringRef what, const Relation &relation) {
    return "seed " + std::to_string(seed) + ": " + what.str() + ": " + relation.str();
  };
  auto teach = [&](Solver &solver) -> std::string {
    ReasonId reason = solver.addReason({"given", "", 0});
    for (const std::string &name : random.names) {
      SymbolFacts size;
      if (name.back() % 2 == 0)
        size.range.upper = 40;
      if (name.back() % 3 != 0)
        solver.declare(solver.getContext().getSymbol(name), size, SymbolClass::Declared, reason);
    }
    for (const Relation &fact : facts)
      if (!solver.addPredicate(fact.build(solver.getContext()), reason))
        return describe("refused", fact);
    return "";
  };
  SymbolicContext context, shuffledContext;
  Solver solver(context), shuffled(shuffledContext);
  if (std::string violation = teach(solver); !violation.empty())
    return violation;
  std::shuffle(facts.begin(), facts.end(), random.engine);
  if (std::string violation = teach(shuffled); !violation.empty())
    return violation;
  for (int i = 0; i < 12; ++i) {
    Relation query = SmallSystem::pickRelation(random);
    std::optional<bool> truth = query.evaluate(point);
    if (!truth)
      continue;
    Verdict verdict = solver.implies(query.build(context)), other = shuffled.implies(query.build(shuffledContext));
    if (verdict == (*truth ? Verdict::No : Verdict::Yes))
      return describe("wrong", query);
    ++count.decidable;
    count.decided += verdict == other;
  }
  return "";
}

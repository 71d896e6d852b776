//===- Verdicts against every point of small domains ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Facts and queries are trees with a meaning of their own (RandomExpr.h). Over
// domains of a few values each, all points are looked at: they say what the facts
// imply, and the engine may say less, never anything else.
//
//===----------------------------------------------------------------------===//

#include "SmallSystem.h"
#include "Solver/Differences/DifferenceGraph.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {

struct Truth {
  bool always = true, never = true, defined = true;
};

Truth getTruth(const SmallSystem &system, const Relation &query, EnumerationCount &count) {
  Truth truth;
  for (const Point &point : system.allowed) {
    std::optional<bool> value = query.evaluate(point);
    ++count.evaluations;
    if (!value) {
      truth.defined = false;
      continue;
    }
    truth.always &= *value;
    truth.never &= !*value;
  }
  return truth;
}

} // namespace

std::string dyn::symbolic::test::checkEnumeration(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  SmallSystem system(random, random.pick(0, 3));
  count.evaluations += system.points.size() * (system.facts.size() + 1);
  SymbolicContext context;
  Solver solver(context);
  llvm::SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, system.facts.size()));
  if (seed % 2 == 0)
    addUnrelatedFacts(solver);
  if (!system.teach(solver, order))
    return system.allowed.empty() ? "" : "seed " + std::to_string(seed) + ": refused: " + system.str();
  // The engine need not find every contradiction; what follows from one is anything.
  if (system.allowed.empty())
    return "";
  for (int i = 0; i < 8; ++i) {
    Relation query = SmallSystem::pickRelation(random);
    Truth truth = getTruth(system, query, count);
    Verdict verdict = solver.implies(query.build(context));
    bool wrong = (verdict == Verdict::Yes && !truth.always) || (verdict == Verdict::No && !truth.never);
    if (wrong)
      return "seed " + std::to_string(seed) + ": " + getName(verdict) + " for " + query.str() + " given " +
             system.str();
    bool isDecidable = truth.defined && (truth.always || truth.never);
    count.decidable += isDecidable;
    count.decided += isDecidable && verdict != Verdict::Unknown;

    RandomTree tree = random.pickTree(2);
    Expr expr = tree.build(context);
    if (!expr)
      continue;
    Range range = solver.getRange(expr);
    auto [modulus, remainder] = solver.getCongruence(expr);
    Expr simple = solver.simplify(expr);
    for (const Point &point : system.allowed) {
      std::optional<int64_t> value = tree.evaluate(point);
      count.evaluations += 2;
      if (!value)
        continue;
      bool inside = (!range.lower || *value >= *range.lower) && (!range.upper || *value <= *range.upper) &&
                    (modulus == 0 ? *value == remainder : (*value - remainder) % modulus == 0);
      if (!inside || evaluate(simple, lookup(point)) != value)
        return "seed " + std::to_string(seed) + ": wrong range, congruence or form " + simple.str() + " of " +
               tree.str() + " given " + system.str();
    }
  }
  return "";
}

std::string dyn::symbolic::test::checkWalks(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  SmallSystem system(random, random.pick(1, 3));
  if (system.allowed.empty())
    return "";
  SymbolicContext context;
  DifferenceGraph graph(context.getImpl());
  unsigned told = 0;
  for (const auto &[name, facts] : system.declarations)
    graph.declare(getTerms(context.getSymbol(name))[0].monomial->getAtom(), facts, told++);
  for (const Relation &fact : system.facts) {
    Predicate predicate = fact.build(context);
    if (graph.refutes(predicate))
      return "seed " + std::to_string(seed) + ": refused: " + system.str();
    graph.add(predicate, told++);
  }
  for (int i = 0; i < 8; ++i) {
    Relation query = SmallSystem::pickRelation(random);
    Truth truth = getTruth(system, query, count);
    Predicate question = query.build(context);
    Verdict verdict = graph.decide(question);
    if ((verdict == Verdict::Yes && !truth.always) || (verdict == Verdict::No && !truth.never))
      return "seed " + std::to_string(seed) + ": " + getName(verdict) + " for " + query.str() + " given " +
             system.str();
    bool isDecidable = truth.defined && (truth.always || truth.never);
    count.decidable += isDecidable;
    count.decided += isDecidable && verdict != Verdict::Unknown;
  }
  return "";
}

std::string dyn::symbolic::test::checkExplanations(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  if (seed % 3 == 0)
    random.constantDivisors = 25;
  SmallSystem system(random, random.pick(1, 3));
  SymbolicContext context;
  Solver solver(context);
  if (system.allowed.empty() || !system.teach(solver, llvm::to_vector(llvm::seq<unsigned>(0, system.facts.size()))))
    return "";
  for (int i = 0; i < 6; ++i) {
    Relation query = SmallSystem::pickRelation(random);
    Predicate question = query.build(context);
    Verdict verdict = solver.implies(question);
    // What has a value nowhere is true and false.
    bool hasValue = llvm::any_of(system.allowed, [&](const Point &point) { return query.evaluate(point).has_value(); });
    if (verdict == Verdict::Unknown || !hasValue)
      continue;
    SymbolicContext ownContext;
    Solver own(ownContext);
    std::string chain;
    std::vector<std::string> given;
    for (const ExplainStep &step : solver.explain(question)) {
      chain += step.fact + "; ";
      if (!step.isDerived)
        given.push_back(step.fact);
    }
    // Symbols are declared in the order in which they were, and before facts; those that are no sizes in any case.
    bool isTold = true;
    for (const auto &[name, facts] : system.declarations) {
      auto isOfSymbol = [&, &name = name](llvm::StringRef fact) { return fact.starts_with(name + ":"); };
      auto fact = llvm::find_if(given, isOfSymbol);
      if (fact != given.end())
        isTold &= tell(own, *fact);
      else if (facts.range.lower < 0)
        isTold &= tell(own, name + ": int");
      llvm::erase_if(given, isOfSymbol);
    }
    if (!isTold || !llvm::all_of(given, [&](const std::string &fact) { return tell(own, fact); }))
      return "seed " + std::to_string(seed) + ": contradictory or unreadable: " + chain;
    ++count.decidable;
    Verdict other = own.implies(query.build(ownContext));
    count.decided += other == verdict;
    if (other != verdict)
      return "seed " + std::to_string(seed) + ": " + getName(verdict) + " for " + query.str() + ", but " +
             getName(other) + " by " + chain + " given " + system.str();
  }
  return "";
}

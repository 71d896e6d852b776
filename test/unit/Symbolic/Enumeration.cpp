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

#include "Properties.h"
#include "Solver/Differences/DifferenceGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <set>

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {

/// A comparison of two trees.
struct Relation {
  enum Kind { Equal, NotEqual, LessEqual, Less, Broadcastable } kind;
  RandomTree lhs, rhs;

  std::optional<bool> evaluate(const Point &point) const {
    std::optional<int64_t> left = lhs.evaluate(point), right = rhs.evaluate(point);
    if (!left || !right)
      return std::nullopt;
    switch (kind) {
    case Equal:
      return *left == *right;
    case NotEqual:
      return *left != *right;
    case LessEqual:
      return *left <= *right;
    case Less:
      return *left < *right;
    case Broadcastable:
      return *left == *right || *left == 1 || *right == 1;
    }
    return std::nullopt;
  }

  Predicate build(SymbolicContext &context) const {
    Expr left = lhs.build(context), right = rhs.build(context);
    switch (kind) {
    case Equal:
      return Predicate::equal(left, right);
    case NotEqual:
      return Predicate::notEqual(left, right);
    case LessEqual:
      return Predicate::lessEqual(left, right);
    case Less:
      return Predicate::less(left, right);
    case Broadcastable:
      return Predicate::broadcastable(left, right);
    }
    return {};
  }

  std::string str() const {
    static constexpr std::array<const char *, 5> names = {"==", "!=", "<=", "<", "~"};
    return lhs.str() + " " + names[kind] + " " + rhs.str();
  }
};

using Names = std::map<std::string, std::string>;

RandomTree renameSymbols(RandomTree tree, const Names &names) {
  if (tree.kind == RandomTree::Symbol)
    tree.name = names.at(tree.name);
  for (RandomTree &operand : tree.operands)
    operand = renameSymbols(operand, names);
  return tree;
}
Relation renameSymbols(const Relation &relation, const Names &names) {
  return {relation.kind, renameSymbols(relation.lhs, names), renameSymbols(relation.rhs, names)};
}

/// Symbols with small domains, facts about them, and the points at which all facts hold.
struct SmallSystem {
  std::vector<std::pair<std::string, SymbolFacts>> declarations;
  std::set<std::string> undeclared; ///< sizes whose domains are told as facts
  std::vector<Relation> facts;
  std::vector<Point> points, allowed;

  SmallSystem(RandomSource &random, unsigned factCount) {
    for (const std::string &name : random.names) {
      SymbolFacts &facts = declarations.emplace_back(name, SymbolFacts()).second;
      facts.range.lower = random.chance(70) ? 0 : random.chance(50) ? 1 : random.pick(-3, 3);
      facts.range.upper = *facts.range.lower + random.pick(1, 6);
      if (random.chance(20)) {
        facts.modulus = random.pick(2, 4);
        facts.remainder = random.pick(0, facts.modulus - 1);
      }
      if (facts.range.lower >= 0 && random.chance(15))
        undeclared.insert(name);
    }
    for (unsigned i = 0; i < factCount; ++i)
      facts.push_back(pickRelation(random));
    enumerate(Point(), declarations.begin());
    for (const Point &point : points)
      if (llvm::all_of(facts, [&](const Relation &fact) { return fact.evaluate(point) == true; }))
        allowed.push_back(point);
  }

  static Relation pickRelation(RandomSource &random) {
    static constexpr std::array<Relation::Kind, 8> kinds = {
        Relation::Equal,     Relation::Equal,     Relation::Equal, Relation::NotEqual,
        Relation::LessEqual, Relation::LessEqual, Relation::Less,  Relation::Broadcastable};
    Relation relation;
    relation.kind = kinds[random.pick(0, kinds.size() - 1)];
    relation.lhs = random.pickTree(random.pick(0, 2));
    relation.rhs = random.pickTree(random.pick(0, 2));
    return relation;
  }

  /// False if declarations or facts are refused.
  bool teach(Solver &solver, llvm::ArrayRef<unsigned> order) const {
    SymbolicContext &context = solver.getContext();
    ReasonId reason = solver.addReason({"given", "", 0});
    for (const auto &[name, facts] : declarations) {
      Expr symbol = context.getSymbol(name);
      bool holds = true;
      if (!undeclared.count(name)) {
        holds = solver.declare(symbol, facts, SymbolClass::Declared, reason);
      } else {
        Expr remainder = mod(symbol, context.getConstant(facts.modulus));
        holds = solver.addLessEqual(context.getConstant(*facts.range.lower), symbol, reason) &&
                solver.addLessEqual(symbol, context.getConstant(*facts.range.upper), reason) &&
                solver.addEqual(remainder, context.getConstant(facts.remainder), reason);
      }
      if (!holds)
        return false;
    }
    return llvm::all_of(order,
                        [&](unsigned index) { return solver.addPredicate(facts[index].build(context), reason); });
  }
  SmallSystem rename(const Names &names) const {
    SmallSystem renamed(*this);
    for (auto &[name, facts] : renamed.declarations)
      name = names.at(name);
    renamed.undeclared.clear();
    for (const std::string &name : undeclared)
      renamed.undeclared.insert(names.at(name));
    for (Relation &fact : renamed.facts)
      fact = renameSymbols(fact, names);
    return renamed;
  }

  std::string str() const {
    std::string text;
    for (const auto &[name, facts] : declarations) {
      SymbolDeclaration declaration;
      declaration.name = name;
      declaration.facts = facts;
      text += printSymbolDeclarations(declaration) + "; ";
    }
    for (const Relation &fact : facts)
      text += fact.str() + "; ";
    return text;
  }

private:
  using Declarations = std::vector<std::pair<std::string, SymbolFacts>>;
  void enumerate(Point point, Declarations::const_iterator next) {
    if (next == declarations.end()) {
      points.push_back(std::move(point));
      return;
    }
    const SymbolFacts &facts = next->second;
    for (int64_t value = *facts.range.lower; value <= *facts.range.upper; ++value)
      if (((value - facts.remainder) % facts.modulus) == 0) {
        point[next->first] = value;
        enumerate(point, std::next(next));
      }
  }
};

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

const char *print(Verdict verdict) {
  return verdict == Verdict::Yes ? "yes" : verdict == Verdict::No ? "no" : "unknown";
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
      return "seed " + std::to_string(seed) + ": " + print(verdict) + " for " + query.str() + " given " + system.str();
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
      return "seed " + std::to_string(seed) + ": " + print(verdict) + " for " + query.str() + " given " + system.str();
    bool isDecidable = truth.defined && (truth.always || truth.never);
    count.decidable += isDecidable;
    count.decided += isDecidable && verdict != Verdict::Unknown;
  }
  return "";
}

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
      return "seed " + std::to_string(seed) + ": " + print(verdict) + ", and " + how + " " + print(other) + " for " +
             query.str() + " given " + system.str();
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
      return report(std::string(print(verdict)), std::string("and"), std::string(print(other)));
    Expr expr = query.lhs.build(context), renamedExpr = renamedQuery.lhs.build(renamedContext);
    if (!expr || !renamedExpr)
      continue;
    if (!(solver.getRange(expr) == renamed.getRange(renamedExpr)))
      return report(std::string("another range of the left side"));
  }
  return "";
}

//===- Declarations, facts and questions in any order --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A client asks while it learns. What holds of the points that are left at a moment
// may no longer hold later, since a symbol that is not declared is a size and one that
// is declared may be any number.
//
//===----------------------------------------------------------------------===//

#include "SmallSystem.h"
#include <functional>

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {

/// A solver, and the points that what it was told leaves.
class Conversation {
public:
  Conversation(RandomSource &random, EnumerationCount &count) : random(random), count(count) {
    for (const std::string &name : random.names) {
      int64_t lower = random.chance(50) ? random.pick(-4, 0) : random.pick(0, 2);
      domains[name].range = {lower, std::max<int64_t>(lower, 0) + random.pick(1, 3)};
      // All facts hold there, and it is allowed at any time.
      kept[name] = random.pick(std::max<int64_t>(lower, 0), *domains[name].range.upper);
    }
    enumerate(Point(), random.names.begin());
  }

  /// An empty text unless something is wrong.
  std::string step();
  bool isOver() const { return isContradictory; }
  std::string describe() const { return log; }

private:
  void enumerate(Point point, std::vector<std::string>::const_iterator next) {
    if (next == random.names.end()) {
      points.push_back(std::move(point));
      return;
    }
    for (int64_t value = -4; value <= 5; ++value) {
      point[*next] = value;
      enumerate(point, std::next(next));
    }
  }

  /// Could the symbols have these values, as far as is told?
  bool isAllowed(const Point &point) const {
    auto isInside = [&](const auto &entry) {
      const SymbolFacts &known = domains.at(entry.first);
      if (!declared.count(entry.first))
        return entry.second >= 0;
      return *known.range.lower <= entry.second && entry.second <= *known.range.upper &&
             (entry.second - known.remainder) % known.modulus == 0;
    };
    return llvm::all_of(point, isInside) &&
           llvm::all_of(facts, [&](const Relation &fact) { return fact.evaluate(point) == true; });
  }
  std::vector<Point> getAllowed() {
    std::vector<Point> allowed;
    for (const Point &point : points)
      if (isAllowed(point))
        allowed.push_back(point);
    count.evaluations += points.size();
    return allowed;
  }

  std::string declare();
  bool contradict();
  std::string tellAll(std::function<bool(Solver &)> step);
  std::string tell();
  /// With a solver that was told the same and asked nothing before.
  void compareWithFresh(llvm::function_ref<bool(Solver &fresh)> isSame);
  std::string ask();
  std::string askOfTree();

  RandomSource &random;
  EnumerationCount &count;
  SymbolicContext context;
  std::unique_ptr<Solver> solver = std::make_unique<Solver>(context);
  std::map<std::string, SymbolFacts> domains;
  bool isContradictory = false; ///< so that anything follows
  std::set<std::string> declared;
  std::vector<Relation> facts;
  std::vector<std::function<bool(Solver &)>> told; ///< what was not refused
  std::vector<Point> points;
  Point kept;
  std::string log;
  unsigned rows = 0;
};

std::string Conversation::declare() {
  const std::string &name = random.names[random.pick(0, random.names.size() - 1)];
  SymbolFacts &known = domains[name];
  // Again: narrower.
  if (!declared.insert(name).second) {
    known.range.lower = random.pick(*known.range.lower, kept[name]);
    known.range.upper = random.pick(kept[name], *known.range.upper);
    if (known.modulus == 1 && random.chance(15)) {
      known.modulus = random.pick(2, 3);
      known.remainder = kept[name] % known.modulus;
    }
  }
  SymbolDeclaration declaration;
  declaration.name = name;
  declaration.facts = known;
  log += printSymbolDeclarations(declaration) + "; ";
  SymbolClass symbolClass = random.chance(70) ? SymbolClass::Declared : SymbolClass::Internal;
  return tellAll([=](Solver &solver) {
    return solver.declare(solver.getContext().getSymbol(name), declaration.facts, symbolClass,
                          solver.addReason({"declared", "", 0}));
  });
}

/// A fact that leaves no point is refused, which changes nothing, or it is not seen.
bool Conversation::contradict() {
  Relation fact = SmallSystem::pickRelation(random);
  std::vector<Point> allowed = getAllowed();
  auto holds = [&](const Point &point) { return fact.evaluate(point) == true; };
  // Beyond the points that are looked at, it may hold of sizes.
  bool areAllDeclared = declared.size() == random.names.size();
  if (!areAllDeclared || llvm::any_of(allowed, holds))
    return false;
  log += "not " + fact.str() + "; ";
  return solver->addPredicate(fact.build(context), solver->addReason({"told", "", 0}));
}

std::string Conversation::tellAll(std::function<bool(Solver &)> step) {
  told.push_back(step);
  return step(*solver) ? "" : "refused";
}

std::string Conversation::tell() {
  if (random.chance(30)) {
    // A row of other sizes, which only walks follow, above one of the symbols. Each point has such sizes.
    std::string above = random.names[random.pick(0, random.names.size() - 1)];
    log += "row above " + above + "; ";
    return tellAll([above, row = rows++](Solver &solver) {
      Expr last = solver.getContext().getSymbol(above);
      for (int i = 0; i < 12; ++i) {
        Expr next = solver.getContext().getSymbol("r" + std::to_string(row) + "_" + std::to_string(i));
        if (!solver.addLessEqual(last, next, solver.addReason({"told", "", 0})))
          return false;
        last = next;
      }
      return true;
    });
  }
  Relation fact = SmallSystem::pickRelation(random);
  // Mostly such as leave many points.
  bool isWeak = random.chance(70);
  if (fact.evaluate(kept) != true)
    return "";
  if (isWeak) {
    std::vector<Point> allowed = getAllowed();
    auto holds = [&](const Point &point) { return fact.evaluate(point) == true; };
    if (static_cast<size_t>(llvm::count_if(allowed, holds)) * 4 < allowed.size() * 3)
      return "";
  }
  Predicate predicate = fact.build(context);
  if (predicate.kind == Predicate::Kind::False || (!predicate.lhs != !predicate.rhs))
    return "";
  facts.push_back(fact);
  log += fact.str() + "; ";
  return tellAll(
      [predicate](Solver &solver) { return solver.addPredicate(predicate, solver.addReason({"told", "", 0})); });
}

void Conversation::compareWithFresh(llvm::function_ref<bool(Solver &fresh)> isSame) {
  Solver fresh(context);
  for (const std::function<bool(Solver &)> &step : told)
    step(fresh);
  ++count.decidable;
  count.decided += isSame(fresh);
}

std::string Conversation::ask() {
  Relation question = SmallSystem::pickRelation(random);
  Verdict verdict = solver->implies(question.build(context));
  log += "(" + question.str() + ")? ";
  if (random.chance(8))
    compareWithFresh([&](Solver &fresh) { return fresh.implies(question.build(context)) == verdict; });
  if (verdict == Verdict::Unknown)
    return "";
  for (const Point &point : getAllowed())
    if (std::optional<bool> holds = question.evaluate(point); holds && *holds != (verdict == Verdict::Yes))
      return "wrong";
  return "";
}

std::string Conversation::askOfTree() {
  RandomTree tree = random.pickTree(random.pick(0, 2));
  Expr expr = tree.build(context);
  if (!expr)
    return "";
  log += "[" + tree.str() + "] ";
  Range range = solver->getRange(expr);
  Expr simple = solver->simplify(expr);
  if (random.chance(8))
    compareWithFresh([&](Solver &fresh) { return fresh.simplify(expr) == simple; });
  auto [modulus, remainder] = solver->getCongruence(expr);
  for (const Point &point : getAllowed()) {
    std::optional<int64_t> value = tree.evaluate(point);
    if (!value)
      continue;
    if ((range.lower && *value < *range.lower) || (range.upper && *value > *range.upper))
      return "wrong range";
    if (modulus == 0 ? *value != remainder : (*value - remainder) % modulus != 0)
      return "wrong congruence";
    if (evaluate(simple, lookup(point)) != value)
      return "wrong form " + simple.str();
  }
  return "";
}

std::string Conversation::step() {
  switch (random.pick(0, 9)) {
  case 0:
    return declare();
  case 1:
    log += "fork; ";
    *solver = solver->fork();
    return "";
  case 2:
    isContradictory |= contradict();
    return "";
  case 3:
  case 4:
  case 5:
    return tell();
  case 6:
    return askOfTree();
  default:
    return ask();
  }
}

} // namespace

std::string dyn::symbolic::test::checkInterleaved(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed, {"a", "s", "t"});
  Conversation conversation(random, count);
  for (int i = 0; i < 60 && !conversation.isOver(); ++i)
    if (std::string violation = conversation.step(); !violation.empty())
      return "seed " + std::to_string(seed) + ": " + violation + " after " + conversation.describe();
  return "";
}

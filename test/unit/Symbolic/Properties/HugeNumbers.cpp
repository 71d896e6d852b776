//===- Numbers at the ends of 64 bits ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SmallSystem.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {

/// What is true at a point decides each relation; where a value leaves 64 bits on the way, nothing does.
std::optional<bool> evaluateExactly(const Relation &relation, const Point &point) {
  return relation.evaluate(point, INT64_MAX);
}

int64_t pickHugeValue(RandomSource &random) {
  int64_t power = int64_t(1) << random.pick(0, 62);
  switch (random.pick(0, 5)) {
  case 0:
    return random.chance(50) ? INT64_MIN : INT64_MAX;
  case 1:
    return random.chance(50) ? power : -power;
  case 2:
    return power - 1;
  default:
    return random.pick(0, 9);
  }
}

SymbolFacts pickDeclaration(RandomSource &random, int64_t value) {
  SymbolFacts facts;
  facts.range.lower.reset();
  if (random.chance(70))
    facts.range.lower = random.chance(40) ? value : std::min(value, value >= 0 ? int64_t(0) : INT64_MIN);
  if (random.chance(50))
    facts.range.upper = random.chance(40) ? value : std::max(value, pickHugeValue(random));
  return facts;
}

} // namespace

std::string dyn::symbolic::test::checkHugeNumbers(uint64_t seed) {
  RandomSource random(seed, {"a", "s", "t"});
  random.constants = {
      INT64_MIN,     INT64_MIN + 1, INT64_MIN / 2, -1, -1, 0, 1, 1, 2, 3, 8, int64_t(1) << 31, (int64_t(1) << 32) + 1,
      INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};
  SymbolicContext context;
  Solver solver(context);
  ReasonId reason = solver.addReason({"given", "", 0});
  std::string given;
  Point point;
  auto violation = [&](const std::string &text) {
    for (const auto &[name, value] : point)
      given += name + " = " + std::to_string(value) + "; ";
    return "seed " + std::to_string(seed) + ": " + text + " given " + given;
  };
  for (const std::string &name : random.names) {
    int64_t value = point[name] = pickHugeValue(random);
    SymbolDeclaration declaration;
    declaration.name = name;
    declaration.facts = pickDeclaration(random, value);
    given += printSymbolDeclarations(declaration) + "; ";
    if (!solver.declare(context.getSymbol(name), declaration.facts, SymbolClass::Declared, reason))
      return violation("refused");
  }
  for (int attempt = 0; attempt < 6; ++attempt) {
    Relation fact = SmallSystem::pickRelation(random);
    std::optional<bool> truth = evaluateExactly(fact, point);
    if (!truth)
      continue;
    Predicate predicate = fact.build(context);
    given += (*truth ? "" : "not ") + fact.str() + "; ";
    if (!solver.addPredicate(*truth ? predicate : Predicate::negation(predicate), reason))
      return violation("refused");
  }
  for (int i = 0; i < 6; ++i) {
    Relation query = SmallSystem::pickRelation(random);
    std::optional<bool> truth = evaluateExactly(query, point);
    Verdict verdict = solver.implies(query.build(context));
    if (truth && verdict != Verdict::Unknown && (verdict == Verdict::Yes) != *truth)
      return violation(std::string(getName(verdict)) + " for " + query.str());
    RandomTree tree = random.pickTree(2);
    std::optional<int64_t> value = tree.evaluate(point, INT64_MAX);
    Expr expr = tree.build(context);
    if (!value || !expr)
      continue;
    Range range = solver.getRange(expr);
    auto [modulus, remainder] = solver.getCongruence(expr);
    std::optional<int64_t> simplified = evaluate(solver.simplify(expr), lookup(point));
    bool inside = (!range.lower || *value >= *range.lower) && (!range.upper || *value <= *range.upper);
    bool congruent = modulus == 0 ? *value == remainder : (__int128(*value) - remainder) % modulus == 0;
    if (!inside || !congruent || (simplified && simplified != value))
      return violation("wrong range, congruence or form of " + tree.str());
  }
  return "";
}

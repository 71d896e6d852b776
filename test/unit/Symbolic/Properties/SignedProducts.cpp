//===- Products with factors that may be negative --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Most symbols are sizes, so that what is wrong only for numbers below 0 hides well:
// k*max(s, t) is max(k*s, k*t) for no other k.
//
//===----------------------------------------------------------------------===//

#include "SmallSystem.h"

namespace dyn::symbolic::test {
namespace {

constexpr size_t pointCount = 200;

/// Numbers between ends of which one may be open.
struct Numbers {
  int64_t low, high;
  SymbolFacts facts;

  explicit Numbers(RandomSource &random) {
    low = random.chance(60) ? random.pick(-4, 0) : random.pick(0, 2);
    high = low + (random.chance(70) ? random.pick(0, 5) : random.pick(5, 40));
    facts.range = {low, high};
    if (random.chance(20))
      facts.range.upper.reset();
    if (low < 0 && random.chance(20))
      facts.range.lower.reset();
  }
  int64_t pick(RandomSource &random) const {
    if (random.chance(30))
      return random.chance(50) ? low : high;
    return random.pick(low, std::min(high, low + 8));
  }
};

RandomTree combine(RandomTree::Kind kind, RandomTree lhs, RandomTree rhs) {
  return {kind, 0, "", {std::move(lhs), std::move(rhs)}};
}

/// Products of one factor, and that factor times what the others come to, or one of them.
Relation pickQuestion(RandomSource &random) {
  static constexpr std::array<Relation::Kind, 3> kinds = {Relation::Equal, Relation::LessEqual, Relation::Less};
  Relation::Kind kind = kinds[random.pick(0, kinds.size() - 1)];
  if (random.chance(40)) {
    RandomTree tree = random.pickTree(3);
    bool isPart = random.chance(40) && !tree.operands.empty();
    RandomTree other = isPart ? tree.operands.front() : random.pickTree(random.pick(0, 2));
    return {kind, std::move(tree), std::move(other)};
  }
  RandomTree factor = random.pickTree(0), x = random.pickTree(1), y = random.pickTree(1);
  RandomTree::Kind choice = random.chance(50) ? RandomTree::Max : RandomTree::Min;
  RandomTree outer = combine(choice, combine(RandomTree::Mul, factor, x), combine(RandomTree::Mul, factor, y));
  RandomTree inner =
      random.chance(50) ? combine(RandomTree::Mul, factor, combine(choice, x, y)) : outer.operands[random.pick(0, 1)];
  return {kind, std::move(outer), std::move(inner)};
}
} // namespace

std::string checkSignedProducts(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed);
  random.constantDivisors = 70;
  SymbolicContext context;
  Solver solver(context);
  ReasonId reason = solver.addReason({"given", "", 0});
  std::string given;
  std::vector<Point> points(pointCount);
  for (const std::string &name : random.names) {
    Numbers numbers(random);
    solver.declare(context.getSymbol(name), numbers.facts, SymbolClass::Declared, reason);
    given += name + ": [" + std::to_string(numbers.low) + ", " + std::to_string(numbers.high) + "]; ";
    for (Point &point : points)
      point[name] = numbers.pick(random);
  }
  auto describe = [&](llvm::StringRef what, const Relation &relation, const Point &point) {
    std::string at;
    for (const auto &[name, value] : point)
      at += " " + name + " = " + std::to_string(value);
    return "seed " + std::to_string(seed) + ": " + what.str() + ": " + relation.str() + " at" + at + " given " + given;
  };
  for (int64_t i = random.pick(0, 2); i > 0; --i) {
    Relation fact = SmallSystem::pickRelation(random);
    std::vector<Point> left;
    llvm::copy_if(points, std::back_inserter(left), [&](const Point &point) { return fact.evaluate(point) == true; });
    if (left.empty())
      continue;
    if (!solver.addPredicate(fact.build(context), reason))
      return describe("refused", fact, left.front());
    points = std::move(left);
    given += fact.str() + "; ";
  }
  for (int i = 0; i < 4; ++i) {
    Relation question = pickQuestion(random);
    Predicate predicate = question.build(context);
    if (!predicate.lhs || !predicate.rhs)
      continue;
    Verdict verdict = solver.implies(predicate);
    bool isTrue = false, isFalse = false;
    for (const Point &point : points)
      if (std::optional<bool> truth = question.evaluate(point)) {
        (*truth ? isTrue : isFalse) = true;
        ++count.evaluations;
        if (verdict == (*truth ? Verdict::No : Verdict::Yes))
          return describe(getName(verdict), question, point);
      }
    // Points may miss what decides otherwise, so that more seem decidable than are.
    count.decidable += isTrue != isFalse;
    count.decided += isTrue != isFalse && verdict != Verdict::Unknown;
  }
  return "";
}

} // namespace dyn::symbolic::test

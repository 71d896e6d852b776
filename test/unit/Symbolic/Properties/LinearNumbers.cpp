//===- Linear facts about numbers of either sign ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SmallSystem.h"

namespace dyn::symbolic::test {
namespace {

constexpr unsigned symbolCount = 4;
constexpr int64_t farthest = 6;
using Values = std::array<int64_t, symbolCount>;

struct LinearSum {
  Values coefficients = {};
  int64_t constant = 0;

  explicit LinearSum(RandomSource &random) : constant(random.pick(-3, 3)) {
    for (int64_t i = random.pick(0, 2); i > 0; --i)
      coefficients[random.pick(0, symbolCount - 1)] = random.pick(-3, 3);
  }
  int64_t evaluate(const Values &values) const {
    int64_t sum = constant;
    for (unsigned i = 0; i < symbolCount; ++i)
      sum += coefficients[i] * values[i];
    return sum;
  }
  Expr build(SymbolicContext &context, llvm::ArrayRef<std::string> names) const {
    Expr sum = context.getConstant(constant);
    for (unsigned i = 0; i < symbolCount; ++i)
      sum = sum + context.getSymbol(names[i]) * coefficients[i];
    return sum;
  }
};

struct LinearComparison {
  Relation::Kind kind;
  LinearSum lhs, rhs;

  LinearComparison(RandomSource &random, bool isEquation)
      : kind(isEquation || random.chance(30) ? Relation::Equal
             : random.chance(60)             ? Relation::LessEqual
                                             : Relation::NotEqual),
        lhs(random), rhs(random) {}
  bool holdsAt(const Values &values) const {
    int64_t left = lhs.evaluate(values), right = rhs.evaluate(values);
    return kind == Relation::Equal ? left == right : kind == Relation::LessEqual ? left <= right : left != right;
  }
  Predicate build(SymbolicContext &context, llvm::ArrayRef<std::string> names) const {
    Expr left = lhs.build(context, names), right = rhs.build(context, names);
    return kind == Relation::Equal       ? Predicate::equal(left, right)
           : kind == Relation::LessEqual ? Predicate::lessEqual(left, right)
                                         : Predicate::notEqual(left, right);
  }
};

/// All points whose values have an end at most so far from 0.
std::vector<Values> listPoints(const std::array<std::pair<int64_t, int64_t>, symbolCount> &ranges) {
  std::vector<Values> points = {Values{}};
  for (unsigned i = 0; i < symbolCount; ++i) {
    std::vector<Values> longer;
    for (Values point : points)
      for (point[i] = ranges[i].first; point[i] <= ranges[i].second; ++point[i])
        longer.push_back(point);
    points = std::move(longer);
  }
  return points;
}
} // namespace

std::string checkLinearNumbers(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed);
  SymbolicContext context;
  Solver solver(context);
  ReasonId reason = solver.addReason({"given", "", 0});
  std::string given;
  std::array<std::pair<int64_t, int64_t>, symbolCount> ranges;
  std::shuffle(random.names.begin(), random.names.end(), random.engine);
  for (unsigned i = 0; i < symbolCount; ++i) {
    // Sizes that are not declared, numbers, and some with ends.
    int64_t kind = random.pick(0, 3), low = random.pick(-3, 1);
    ranges[i] = {kind == 0 ? 0 : kind == 3 ? low : -farthest, farthest};
    SymbolFacts facts;
    facts.range = {};
    if (kind == 3)
      facts.range.lower = low;
    if (kind != 0)
      solver.declare(context.getSymbol(random.names[i]), facts, SymbolClass::Declared, reason);
    given += random.names[i] + (kind == 0 ? "" : kind == 3 ? ": [" + std::to_string(low) + ", ?]" : ": int") + "; ";
  }
  if (seed % 2 == 0 && !addUnrelatedFacts(solver))
    return "seed " + std::to_string(seed) + ": unrelated facts are refused";
  std::vector<Values> points = listPoints(ranges);
  for (int64_t i = random.pick(1, 4); i > 0; --i) {
    LinearComparison fact(random, /*isEquation=*/random.chance(70));
    std::vector<Values> left;
    llvm::copy_if(points, std::back_inserter(left), [&](const Values &point) { return fact.holdsAt(point); });
    if (left.empty() || left.size() == points.size())
      continue;
    Predicate predicate = fact.build(context, random.names);
    if (!solver.addPredicate(predicate, reason))
      return "seed " + std::to_string(seed) + ": refused: " + predicate.str() + " given " + given;
    points = std::move(left);
    given += predicate.str() + "; ";
  }
  for (unsigned i = 0; i < symbolCount; ++i) {
    Range range = solver.getRange(context.getSymbol(random.names[i]));
    for (const Values &point : points)
      if ((range.lower && point[i] < *range.lower) || (range.upper && point[i] > *range.upper))
        return "seed " + std::to_string(seed) + ": the range of " + random.names[i] + " is without " +
               std::to_string(point[i]) + " given " + given;
  }
  for (int i = 0; i < 6; ++i) {
    LinearComparison question(random, /*isEquation=*/false);
    Predicate predicate = question.build(context, random.names);
    Verdict verdict = solver.implies(predicate);
    size_t holding = llvm::count_if(points, [&](const Values &point) { return question.holdsAt(point); });
    bool isDecided = holding == 0 || holding == points.size();
    if (verdict != Verdict::Unknown && holding != (verdict == Verdict::Yes ? points.size() : 0))
      return "seed " + std::to_string(seed) + ": " + getName(verdict) + ": " + predicate.str() + " given " + given;
    // Points farther away may decide otherwise.
    count.evaluations += points.size();
    count.decidable += isDecided;
    count.decided += isDecided && verdict != Verdict::Unknown;
  }
  return "";
}

} // namespace dyn::symbolic::test

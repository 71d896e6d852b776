//===- Places in rows, over small domains ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Rows of w, of w + 1, of 2*w or of w*y, with columns that are inside of them, or just
// not, or below 0.
//
//===----------------------------------------------------------------------===//

#include "Properties.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {

class Rows {
public:
  Rows(RandomSource &random) : random(random) {
    static constexpr std::array<const char *, 6> lengths = {"w", "w", "(w + 1)", "(w - 1)", "(2*w)", "(w*y)"};
    length = lengths[random.pick(0, lengths.size() - 1)];
  }

  std::string pickFact() {
    if (random.chance(40))
      return symbol() + pickOrder() + length + pickShift();
    if (random.chance(20))
      return symbol() + " >= " + std::to_string(random.pick(0, 1));
    return random.chance(15) ? "w == " + symbol() + pickShift() : compare();
  }
  std::string pickQuestion() {
    if (random.chance(20))
      return part() + (random.chance(50) ? " and " : " or ") + part();
    return part();
  }

  /// Of a place that has the name p.
  std::string pickPart() {
    std::string operation = random.chance(50) ? " floordiv " : " mod ";
    return "(p" + operation + length + ")" + pickComparison() + symbol() + pickShift();
  }
  std::string place() {
    std::string row = symbol();
    if (random.chance(20))
      row = "(" + row + "*" + symbol() + " + " + symbol() + ")";
    return row + "*" + length + (random.chance(85) ? " + " + symbol() : "");
  }

private:
  std::string symbol() { return random.names[random.pick(0, random.names.size() - 1)]; }
  std::string pickShift() {
    static constexpr std::array<const char *, 6> shifts = {"", "", "", " + 1", " - 1", " + 2"};
    return shifts[random.pick(0, shifts.size() - 1)];
  }
  std::string pickOrder() { return random.chance(60) ? " < " : " <= "; }
  std::string pickComparison() { return random.chance(40) ? " == " : random.chance(15) ? " != " : pickOrder(); }
  std::string compare() { return place() + pickComparison() + place() + pickShift(); }
  std::string part() { return random.chance(60) ? symbol() + pickComparison() + symbol() + pickShift() : compare(); }

  RandomSource &random;
  std::string length;
};

} // namespace

std::string dyn::symbolic::test::checkDigits(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed, {"v", "w", "x", "y", "z"});
  SymbolicContext context;
  Solver solver(context);
  ReasonId reason = solver.addReason({"given", "", 0});
  std::vector<Point> points = {Point()};
  std::vector<std::string> texts;
  for (const std::string &name : random.names) {
    SymbolFacts facts;
    facts.range.lower = random.chance(80) ? 0 : -1;
    facts.range.upper = 3;
    solver.declare(context.getSymbol(name), facts, SymbolClass::Declared, reason);
    texts.push_back(name + ": [" + std::to_string(*facts.range.lower) + ", 3]");
    std::vector<Point> longer;
    for (Point &point : points)
      for (int64_t value = *facts.range.lower; value <= 3; ++value) {
        point[name] = value;
        longer.push_back(point);
      }
    points = std::move(longer);
  }
  auto read = [&](llvm::StringRef text) {
    ParseError error;
    return parsePredicate(text, context, error).value();
  };
  auto describe = [&](auto... parts) {
    return "seed " + std::to_string(seed) + ": " + (... + std::string(parts)) + " given " + llvm::join(texts, "; ");
  };
  Rows rows(random);
  for (int64_t left = random.pick(2, 5); left > 0; --left) {
    texts.push_back(rows.pickFact());
    Predicate fact = read(texts.back());
    count.evaluations += points.size();
    llvm::erase_if(points, [&](const Point &point) { return evaluate(fact, lookup(point)) != true; });
    if (points.empty())
      return "";
    if (!solver.addPredicate(fact, reason))
      return describe("refused");
  }
  bool hasName = random.chance(40);
  if (hasName) {
    texts.push_back("p == " + rows.place());
    Predicate fact = read(texts.back());
    // A symbol that is not declared is a size.
    llvm::erase_if(points, [&](Point &point) {
      point["p"] = evaluate(fact.rhs == context.getSymbol("p") ? fact.lhs : fact.rhs, lookup(point)).value();
      return point["p"] < 0;
    });
    if (points.empty())
      return "";
    if (!solver.addPredicate(fact, reason))
      return describe("refused");
  }
  for (int i = 0; i < 4; ++i) {
    std::string text = hasName && random.chance(70) ? rows.pickPart() : rows.pickQuestion();
    Predicate question = read(text);
    Verdict verdict = solver.implies(question);
    count.evaluations += points.size();
    size_t holds = 0, fails = 0;
    for (const Point &point : points)
      if (std::optional<bool> truth = evaluate(question, lookup(point)))
        ++(*truth ? holds : fails);
    bool isYes = fails == 0, isNo = holds == 0;
    if ((verdict == Verdict::Yes && !isYes) || (verdict == Verdict::No && !isNo))
      return describe("wrong ", getName(verdict), " for ", text);
    count.decidable += isYes || isNo;
    count.decided += verdict != Verdict::Unknown;
  }
  return "";
}

//===- Questions one after another, and in other words -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Of places in rows, blocks and rounded sizes, where much effort is spent: what one
// question leaves behind could pay for the next one.
//
//===----------------------------------------------------------------------===//

#include "Properties.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {

constexpr std::array<const char *, 26> factTexts = {"x < w",
                                                    "x <= w",
                                                    "z < w",
                                                    "z <= w",
                                                    "y*w + x == v*w + z",
                                                    "b*w <= a*w + x",
                                                    "b*w < a*w + x",
                                                    "a*w*w - b*w > x",
                                                    "a <= b",
                                                    "a < b",
                                                    "y < 8*m",
                                                    "b < m",
                                                    "x <= v floordiv w",
                                                    "v mod w == 0",
                                                    "v floordiv w == y floordiv w",
                                                    "x >= 1",
                                                    "z >= 1",
                                                    "w >= 1",
                                                    "v >= 1",
                                                    "c == x",
                                                    "c == a + 1",
                                                    "d == z",
                                                    "d + 1 == w",
                                                    "c <= d ceildiv 2",
                                                    "x == 1 or x == w",
                                                    "d == max(a, b)"};

/// Without a quotient whose divisor may be 0, so that all of them can be written in other words.
constexpr std::array<const char *, 16> questionTexts = {"y == v",
                                                        "x == z",
                                                        "y <= v",
                                                        "b <= a",
                                                        "a*w >= b",
                                                        "a*w <= b*w",
                                                        "x*w < w*w",
                                                        "(y floordiv 8)*x + b < m*x",
                                                        "c <= w",
                                                        "c == d",
                                                        "d < w",
                                                        "a < c",
                                                        "x*d <= w*w",
                                                        "max(a, b) <= w",
                                                        "2*(c floordiv 2) == c",
                                                        "x*y + a <= z*y + b"};

/// A question, with sides of which the same is true.
std::string respell(RandomSource &random, llvm::StringRef question) {
  for (llvm::StringRef comparison : {" == ", " <= ", " >= ", " < "}) {
    auto [lhs, rhs] = question.split(comparison);
    if (rhs.empty())
      continue;
    std::string factor = std::to_string(random.pick(1, 3)),
                term = random.names[random.pick(0, random.names.size() - 1)];
    auto spell = [&](llvm::StringRef side) { return factor + "*(" + side.str() + ") + " + term; };
    bool isPlain = !question.contains("max") && !question.contains("floordiv");
    if (isPlain && random.chance(40))
      return "0" + comparison.str() + spell(rhs) + " - (" + spell(lhs) + ")";
    if (isPlain && comparison == " == ")
      return spell(rhs) + comparison.str() + spell(lhs);
    return spell(lhs) + comparison.str() + spell(rhs);
  }
  return question.str();
}

/// What is true where the question is not.
std::string oppose(llvm::StringRef question) {
  for (auto [comparison, opposite] :
       {std::pair(" == ", " != "), std::pair(" <= ", " > "), std::pair(" >= ", " < "), std::pair(" < ", " >= ")})
    if (auto [lhs, rhs] = question.split(comparison); !rhs.empty())
      return (lhs + opposite + rhs).str();
  return "not (" + question.str() + ")";
}

} // namespace

std::string dyn::symbolic::test::checkQuestions(uint64_t seed, bool isAmongMany, EnumerationCount &count) {
  RandomSource random(seed, {"a", "b", "c", "d", "m", "v", "w", "x", "y", "z"});
  Point point;
  for (const std::string &name : random.names)
    point[name] = random.pick(0, 9);
  // So that more facts hold.
  for (auto [name, other] : {std::pair("y", "v"), std::pair("x", "z"), std::pair("c", "x"), std::pair("d", "z")})
    if (random.chance(60))
      point[name] = point[other];
  if (random.chance(70))
    point["w"] = std::max(point["x"], point["z"]) + random.pick(0, 2);
  SymbolicContext scratch;
  auto read = [](llvm::StringRef text, SymbolicContext &context) {
    ParseError error;
    return parsePredicate(text, context, error).value_or(Predicate());
  };
  std::vector<std::string> facts;
  int percent = random.pick(30, 90);
  for (const char *text : factTexts)
    if (random.chance(percent) && evaluate(read(text, scratch), lookup(point)) == true)
      facts.push_back(text);
  auto describe = [&](auto... parts) {
    return "seed " + std::to_string(seed) + ": " + (... + std::string(parts)) + " given " + llvm::join(facts, "; ");
  };
  auto teach = [&](Solver &solver) {
    return (!isAmongMany || addUnrelatedFacts(solver)) && llvm::all_of(facts, [&](const std::string &text) {
             return solver.addPredicate(read(text, solver.getContext()), solver.addReason({"given", "", 0}));
           });
  };
  std::vector<std::string> questions;
  std::vector<Verdict> verdicts;
  auto askFresh = [&](const std::string &text) {
    SymbolicContext context;
    Solver solver(context);
    questions.push_back(text);
    verdicts.push_back(teach(solver) ? solver.implies(read(text, context)) : Verdict::Unknown);
    return verdicts.back();
  };
  for (int i = 0; i < 5; ++i) {
    std::string text = questionTexts[random.pick(0, questionTexts.size() - 1)], other = respell(random, text);
    Verdict verdict = askFresh(text), respelled = askFresh(other);
    if (verdict != respelled)
      return describe(getName(verdict), " for ", text, " and ", getName(respelled), " for ", other);
    std::string opposite = oppose(text);
    // Among many facts no points are at hand that tell which of the two may hold.
    Verdict opposed = isAmongMany ? verdict : askFresh(opposite);
    bool isUnknown = verdict == Verdict::Unknown;
    if (!isAmongMany && (isUnknown != (opposed == Verdict::Unknown) || (!isUnknown && verdict == opposed)))
      return describe(getName(verdict), " for ", text, " and ", getName(opposed), " for ", opposite);
    bool truth = evaluate(read(text, scratch), lookup(point)).value();
    if (verdict == (truth ? Verdict::No : Verdict::Yes))
      return describe("wrong ", getName(verdict), " for ", text);
  }
  SymbolicContext context;
  Solver solver(context);
  if (!teach(solver))
    return describe("refused");
  llvm::SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, questions.size()));
  std::shuffle(order.begin(), order.end(), random.engine);
  std::string before;
  for (size_t index : order) {
    Verdict verdict = solver.implies(read(questions[index], context));
    ++count.decidable;
    count.decided += verdict != Verdict::Unknown;
    if (verdict != verdicts[index])
      return describe(getName(verdict), " after ", before, ", and ", getName(verdicts[index]), " alone, for ",
                      questions[index]);
    before += questions[index] + "; ";
  }
  return "";
}

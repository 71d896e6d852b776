//===- What statements promise, and where they say nothing -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Statements.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace dyn::symbolic;

namespace {
struct StatementsTest : testing::Test {
  /// The verdict, the error, or that nothing is said.
  std::string answer(llvm::StringRef question, llvm::ArrayRef<llvm::StringRef> facts = {}) {
    SymbolicContext context;
    Solver solver(context);
    ParseError error;
    for (llvm::StringRef text : facts) {
      std::optional<Statement> fact = parseStatement(text, context, error);
      if (!fact || !addStatement(solver, *fact, solver.addReason({"given", "", 0})))
        return fact ? "contradiction" : error.message;
    }
    std::optional<Statement> statement = parseStatement(question, context, error);
    if (!statement)
      return std::to_string(error.column) + ": " + error.message;
    Answer answer = ask(solver, *statement);
    if (answer.saysNothing)
      return "nothing";
    std::string text = answer.verdict == Verdict::Yes ? "yes" : answer.verdict == Verdict::No ? "no" : "unknown";
    for (const ExplainStep &step : explain(solver, *statement))
      text += "; " + step.fact + " " + step.reason.text;
    return text;
  }

  /// The verdict among facts that are learnt together, or that they contradict each other.
  static std::string answerAmong(llvm::StringRef question, llvm::ArrayRef<llvm::StringRef> texts) {
    SymbolicContext context;
    Solver solver(context);
    ParseError error;
    createSymbols(texts, context);
    std::vector<Statement> facts;
    for (llvm::StringRef text : texts)
      facts.push_back(*parseStatement(text, context, error));
    std::vector<ReasonId> reasons(facts.size(), solver.addReason({"given", "", 0}));
    if (addStatements(solver, facts, reasons))
      return "contradiction";
    Verdict verdict = ask(solver, *parseStatement(question, context, error)).verdict;
    return verdict == Verdict::Yes ? "yes" : verdict == Verdict::No ? "no" : "unknown";
  }
};
} // namespace

TEST_F(StatementsTest, TheOrderOfFactsMakesNoDifference) {
  // In some orders a contradiction among the first ones was seen, or a point that they leave, in others it was not.
  struct Case {
    llvm::StringRef question;
    std::vector<llvm::StringRef> facts;
  };
  const Case cases[] = {
      {"(2*a + c) < 3*b", {"min(a, 4*d) <= 6", "(b floordiv d) == 9 and d mod 3 == 0", "b == a", "a*c - d == 1"}},
      {"9 <= d*b", {"a in (1, 4)", "min(a, d) == d", "3 <= b and c == b*a", "c + d + d <= (b floordiv a) + c"}},
      {"b <= a", {"b == a + (a floordiv b)", "a >= 3", "b == b - a*b"}},
      {"c <= 2*d", {"c != 2", "2*c floordiv 4 < c", "4*a <= a", "b*c == c - d", "c < d*d"}},
      {"3*a == a", {"max(c floordiv 4, a) == a", "b in (1, 3)", "b == c*b floordiv 8", "bc_ok(a, c)"}},
      {"c == b", {"a in (0, 4)", "bc_ok(c, a)", "c >= 2", "b == 2 or a == (c floordiv a) floordiv 8"}},
      {"b*c == 1", {"d < b - c", "a*d == 6", "c == d + b mod 3", "a mod 4 == 1"}},
  };
  for (const Case &each : cases) {
    std::vector<llvm::StringRef> facts = each.facts;
    std::string first = answerAmong(each.question, facts);
    for (llvm::sort(facts); std::next_permutation(facts.begin(), facts.end());)
      EXPECT_EQ(answerAmong(each.question, facts), first)
          << each.question.str() << " given " << llvm::join(facts, "; ");
    std::vector<llvm::StringRef> parts;
    for (llvm::StringRef fact : facts)
      for (auto rest = fact.split(" and "); !rest.first.empty(); rest = rest.second.split(" and "))
        parts.push_back(rest.first);
    EXPECT_EQ(answerAmong(each.question, parts), first) << each.question.str();
  }
}

TEST_F(StatementsTest, TheFactIsToldThatContradictsThoseBeforeIt) {
  SymbolicContext context;
  Solver solver(context);
  ParseError error;
  std::vector<Statement> facts;
  for (llvm::StringRef text : {"s + t == 9", "s >= 6 and s >= 1", "t >= 4"})
    facts.push_back(*parseStatement(text, context, error));
  std::vector<ReasonId> reasons = {solver.addReason({"a", "", 0}), solver.addReason({"b", "", 0}),
                                   solver.addReason({"c", "", 0})};
  EXPECT_EQ(addStatements(solver, facts, reasons), 0u);
  EXPECT_EQ(addStatements(solver, llvm::ArrayRef(facts).take_back(2), reasons), std::nullopt);
}

TEST_F(StatementsTest, ExactQuotientsMultiplyBackWhateverTheyDivideBy) {
  EXPECT_EQ(answer("exactdiv(s, t) * t == s"), "yes");
  EXPECT_EQ(answer("exactdiv(s, 2) * 2 == s"), "yes; s mod 2 == 0 promised");
  EXPECT_EQ(answer("s/2 + s/2 == s"), "yes");
  EXPECT_EQ(answer("exactdiv(s + 1, 2) * 2 == s").substr(0, 2), "no");
  EXPECT_EQ(answer("s floordiv 2 * 2 == s"), "unknown");
  EXPECT_EQ(answer("s == 6", {"exactdiv(s, 2) == 3"}), "yes; s floordiv 2 == 3 and s mod 2 == 0 given");
  EXPECT_EQ(answer("s == 6", {"exactdiv(s, t) == 3", "t == 2"}).substr(0, 3), "yes");
}

TEST_F(StatementsTest, NothingIsAskedWhereAPromiseIsBroken) {
  EXPECT_EQ(answer("exactdiv(s, 2) == 3", {"s == 7"}), "nothing");
  EXPECT_EQ(answer("exactdiv(s, t) * t == s", {"t == 0"}), "nothing");
  EXPECT_EQ(answer("bcast(s, t) == 3", {"s == 2", "t == 3"}), "nothing");
  EXPECT_EQ(answer("exactdiv(s, 2) == 3", {"s == 6"}).substr(0, 3), "yes");
  // Facts are what holds, so what they promise does.
  EXPECT_EQ(answer("s == 7", {"exactdiv(s, 2) == 3", "s == 7"}), "contradiction");
  // Of alternatives each may be false.
  EXPECT_EQ(answer("s == 7", {"exactdiv(s, 2) == 4 or s == 7", "s != 8"}), "unknown");
}

TEST_F(StatementsTest, WhatHasAValueNowhereIsAnError) {
  EXPECT_EQ(answer("b mod 0 == b"), "7: division by zero");
  EXPECT_EQ(answer("s != s % (t - t)"), "10: division by zero");
  EXPECT_EQ(answer("floordiv(s, 0) <= 1"), "13: division by zero");
  EXPECT_EQ(answer("s ceildiv 0 == s ceildiv 0"), "11: division by zero");
  EXPECT_EQ(answer("0*exactdiv(s, 0) == 0"), "15: division by zero");
  EXPECT_EQ(answer("tdiv(s, 0) == 0"), "9: division by zero");
  EXPECT_EQ(answer("exactdiv(7, 2) == 3"), "1: 2 does not divide 7");
  EXPECT_EQ(answer("7/2 == s"), "1: 7/2 is no integer");
  EXPECT_EQ(answer("exactdiv(2*s + 1, 2) == s"), "1: 2 does not divide 2 * s + 1");
  EXPECT_EQ(answer("(2*s + 1)/2 == t"), "1: (2 * s + 1)/2 is no integer");
  EXPECT_EQ(answer("bcast(2, s, 3) == 3"), "1: 2 and 3 do not broadcast");
  EXPECT_EQ(answer("s == 1", {"t == 5/2"}), "5/2 is no integer");
}

TEST_F(StatementsTest, ADivisionThatCancelsStillNeedsItsDivisor) {
  for (llvm::StringRef text :
       {"0*(s floordiv t) == 0", "0 floordiv t == 0", "0 mod t == 0", "s floordiv t - s floordiv t == 0",
        "(0*(s mod t) + 5) floordiv 2 == 2", "floor(0*s/t) == 0", "1 in {0*(s floordiv t) + 1}",
        "bc_ok(0*(s floordiv t), 0)", "u mod u == 0", "s*t floordiv t == s", "floor(1/(t/s)/s)*0 == 0"}) {
    EXPECT_EQ(answer(text), "unknown") << text.str();
    EXPECT_EQ(answer(text, {"t >= 1", "s >= 1", "u >= 1"}).substr(0, 3), "yes") << text.str();
  }
  // Both sides have values at the same points.
  EXPECT_EQ(answer("0*(s floordiv t) == 0*(u floordiv t)"), "yes");
  EXPECT_EQ(answer("0*(s floordiv (2*t)) + u floordiv (-t) == u floordiv (-t)"), "yes");
  EXPECT_EQ(answer("s floordiv t == s floordiv t", {"t == 0"}), "yes");
  // What tells apart does so of the points at which both have values.
  EXPECT_EQ(answer("0*(s floordiv t) != 1"), "yes");
  EXPECT_EQ(answer("0*(s floordiv t) != 1", {"t == 0"}), "unknown");
  // A divisor that is not 0 needs no mention.
  EXPECT_EQ(answer("0*(s floordiv max(t, 1)) == 0"), "yes");
}

/// Each two of its operands promise something, unless they are the same.
TEST_F(StatementsTest, ABroadcastOfManyEqualSizesIsThatSize) {
  std::string many = "bcast(a";
  for (unsigned i = 1; i < 16000; ++i)
    many += ", a";
  EXPECT_EQ(answer(many + ") == a"), "yes");
  EXPECT_EQ(answer("bcast(2, a, 3) == 1"), "1: 2 and 3 do not broadcast");
}

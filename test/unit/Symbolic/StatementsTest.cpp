//===- What statements promise, and where they say nothing -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Statements.h"
#include "gtest/gtest.h"

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
};
} // namespace

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

//===- Points at which all facts hold --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Witnesses.h"
#include "dyn/Symbolic/Facts.h"
#include "gtest/gtest.h"

using namespace dyn::symbolic;

namespace {

class WitnessesTest : public testing::Test {
protected:
  Expr declare(const std::string &name, const SymbolFacts &facts = SymbolFacts()) {
    Expr symbol = context.getSymbol(name);
    witnesses.declare(getTerms(symbol)[0].monomial->getAtom(), facts);
    return symbol;
  }

  static SymbolFacts between(int64_t lower, int64_t upper) {
    SymbolFacts facts;
    facts.range = {lower, upper};
    return facts;
  }

  Witnesses::Seen vary(const Predicate &predicate) {
    Witnesses::Seen seen;
    witnesses.startQuestion();
    witnesses.vary(predicate, seen);
    return seen;
  }

  SymbolicContext context;
  Witnesses witnesses;
};

TEST_F(WitnessesTest, ManyBroadcastsLeaveQuestionsOpen) {
  Expr all = declare("d0");
  for (unsigned i = 1; i < 60; ++i) {
    Expr next = declare("d" + std::to_string(i));
    for (const Predicate &question : {Predicate::equal(all, next), Predicate::equal(next, context.getConstant(1)),
                                      Predicate::broadcastable(all, next)}) {
      Witnesses::Seen seen = vary(question);
      EXPECT_TRUE(seen.isTrue && seen.isFalse) << question.str();
    }
    witnesses.add(Predicate::broadcastable(all, next));
    all = bcast({all, next});
  }
}

TEST_F(WitnessesTest, WhatIsImpliedIsNowhereFalse) {
  Expr a = declare("a"), b = declare("b", between(2, 9)), c = declare("c");
  witnesses.add(Predicate::equal(a, b + c));
  EXPECT_FALSE(vary(Predicate::lessEqual(c, a)).isFalse);
  EXPECT_FALSE(vary(Predicate::equal(a, context.getConstant(1))).isTrue);
  EXPECT_TRUE(vary(Predicate::equal(c, context.getConstant(0))).isTrue);
}

TEST_F(WitnessesTest, PointsKeepToWhatIsDeclared) {
  SymbolFacts facts = between(3, 40);
  facts.modulus = 8;
  facts.remainder = 5;
  facts.notEqual = {5, 13};
  Expr size = declare("size", facts);
  EXPECT_FALSE(vary(Predicate::lessEqual(size, context.getConstant(20))).isTrue);
  EXPECT_TRUE(vary(Predicate::lessEqual(size, context.getConstant(30))).isTrue);
}

} // namespace

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
    store.declare(getTerms(symbol)[0].monomial->getAtom(), facts, SymbolClass::Declared);
    return symbol;
  }

  void add(const Predicate &fact) {
    witnesses.add(fact);
    store.getContext().refuel();
    store.assertTrue(fact);
  }

  static SymbolFacts between(int64_t lower, int64_t upper) {
    SymbolFacts facts;
    facts.range = {lower, upper};
    return facts;
  }

  Expr times(int64_t factor, Expr size) { return context.getConstant(factor) * size; }

  Witnesses::Seen vary(const Predicate &predicate) {
    Witnesses::Seen seen;
    witnesses.startQuestion();
    store.getContext().refuel();
    witnesses.vary(store, predicate, seen);
    return seen;
  }

  SymbolicContext context;
  Witnesses witnesses;
  FactStore store{context.getImpl()};
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
    add(Predicate::broadcastable(all, next));
    all = bcast({all, next});
  }
}

TEST_F(WitnessesTest, WhatIsImpliedIsNowhereFalse) {
  Expr a = declare("a"), b = declare("b", between(2, 9)), c = declare("c");
  add(Predicate::equal(a, b + c));
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

TEST_F(WitnessesTest, BoundsOfQuotientsLeaveQuestionsOpen) {
  Expr batch = declare("batch"), height = declare("height");
  add(Predicate::lessEqual(context.getConstant(8), ceilDiv(height, context.getConstant(4))));
  for (const Predicate &question :
       {Predicate::lessEqual(batch, context.getConstant(6)), Predicate::lessEqual(context.getConstant(64), batch),
        Predicate::lessEqual(ceilDiv(height, context.getConstant(8)), context.getConstant(16777216)),
        Predicate::equal(mod(height + context.getConstant(31), context.getConstant(32)), context.getConstant(0))}) {
    Witnesses::Seen seen = vary(question);
    EXPECT_TRUE(seen.isTrue && seen.isFalse) << question.str();
  }
  EXPECT_FALSE(vary(Predicate::lessEqual(height, context.getConstant(28))).isTrue);
}

TEST_F(WitnessesTest, WhatFactsTellInTermsOfOthersFollowsThese) {
  Expr past = declare("past"), seq = declare("seq"), total = declare("total"), heads = declare("heads");
  add(Predicate::equal(total, past + seq));
  add(Predicate::equal(heads, times(12, total)));
  for (const Predicate &question :
       {Predicate::lessEqual(total, context.getConstant(17)), Predicate::equal(total, seq),
        Predicate::lessEqual(heads, context.getConstant(1000)), Predicate::lessEqual(heads, times(36, seq))}) {
    Witnesses::Seen seen = vary(question);
    EXPECT_TRUE(seen.isTrue && seen.isFalse) << question.str();
  }
  EXPECT_FALSE(vary(Predicate::less(heads, times(12, seq))).isTrue);
}

TEST_F(WitnessesTest, ValuesThatFactsFixAreTaken) {
  Expr rank = declare("rank"), boxes = declare("boxes"), kept = declare("kept"), limit = context.getConstant(300);
  add(Predicate::equal(rank, context.getConstant(3)));
  add(Predicate::lessEqual(kept, boxes));
  for (const Predicate &question : {Predicate::lessEqual(boxes, kept), Predicate::lessEqual(limit, kept),
                                    Predicate::equal(max({kept, limit}), kept)}) {
    Witnesses::Seen seen = vary(question);
    EXPECT_TRUE(seen.isTrue && seen.isFalse) << question.str();
  }
  EXPECT_FALSE(vary(Predicate::less(boxes, kept)).isTrue);
}

} // namespace

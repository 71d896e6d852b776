//===- Points at which all facts hold --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Points/Witnesses.h"
#include "Properties/RandomExpr.h"
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
      EXPECT_TRUE(seen.areBoth()) << question.str();
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
    EXPECT_TRUE(seen.areBoth()) << question.str();
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
    EXPECT_TRUE(seen.areBoth()) << question.str();
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
    EXPECT_TRUE(seen.areBoth()) << question.str();
  }
  EXPECT_FALSE(vary(Predicate::less(boxes, kept)).isTrue);
}

/// A program gives what a walk along the expressions gives, where values are missing and where they leave 64 bits too.
TEST_F(WitnessesTest, ProgramsEvaluateAsExpressionsDo) {
  test::RandomSource random(11);
  unsigned withValue = 0, withoutValue = 0;
  for (unsigned round = 0; round < 200; ++round) {
    SymbolPlaces places;
    PointProgram program;
    Expr lhs = random.pickTree(3).build(context), rhs = random.pickTree(3).build(context);
    if (!lhs || !rhs)
      continue;
    Predicate sides = Predicate::less(lhs, rhs);
    Predicate either = Predicate::disjunction({sides, Predicate::negation(Predicate::broadcastable(lhs, rhs))});
    PointProgram::Index sum = program.add(lhs, places), comparison = program.add(sides, places),
                        joined = program.add(either, places);
    for (int64_t scale : {int64_t(0), int64_t(1), int64_t(7), int64_t(1) << 40}) {
      Point point;
      PointProgram::Values values;
      for (size_t i = 0; i + 1 < random.names.size(); ++i) {
        int64_t value = scale * random.pick(-3, 5) + random.pick(0, 2);
        point[random.names[i]] = value;
        Expr symbol = context.getSymbol(random.names[i]);
        unsigned place = places.get(getTerms(symbol)[0].monomial->getAtom());
        values.resize(std::max<size_t>(values.size(), place + 1));
        values[place] = value;
      }
      auto valueOf = [&](llvm::StringRef name) {
        auto found = point.find(name);
        return found == point.end() ? std::nullopt : std::optional(found->second);
      };
      unsigned effort = UINT_MAX;
      program.visit(values, effort);
      EXPECT_EQ(program.evaluateExpr(sum), evaluate(lhs, valueOf)) << lhs.str();
      EXPECT_EQ(program.evaluatePredicate(comparison), evaluateAt(sides, point)) << sides.str();
      EXPECT_EQ(program.evaluatePredicate(joined), evaluateAt(either, point)) << either.str();
      ++(evaluate(lhs, valueOf) ? withValue : withoutValue);
    }
  }
  EXPECT_GT(withValue, 100u);
  EXPECT_GT(withoutValue, 100u);
}

/// Ranges that copies of a store share are forgotten by the one that learns more of a symbol.
TEST_F(WitnessesTest, RangesOfACopyAreItsOwn) {
  Expr x = declare("x"), y = declare("y");
  auto third = [&](Expr expr) { return floorDiv(expr, context.getConstant(3)); };
  store.getRange(third(y));
  FactStore copy = store;
  EXPECT_TRUE(copy.assertTrue(Predicate::lessEqual(x, context.getConstant(8))));
  EXPECT_EQ(copy.getRange(third(x)).upper, 2);
  EXPECT_FALSE(store.getRange(third(x)).hasUpper());
  EXPECT_FALSE(copy.getRange(third(y)).hasUpper());
}

/// How far a proof comes depends on the points that are known.
TEST_F(WitnessesTest, PointsOfEarlierQuestionsAreLookedAtOnly) {
  Expr size = declare("s");
  Predicate question = Predicate::equal(size, context.getConstant(1));
  EXPECT_TRUE(vary(question).areBoth());
  EXPECT_TRUE(witnesses.look(question).areBoth());
  EXPECT_FALSE(witnesses.lookAtEarlier(question).areBoth());
  witnesses.startQuestion();
  EXPECT_FALSE(witnesses.look(question).isTrue || witnesses.look(question).isFalse);
  EXPECT_TRUE(witnesses.lookAtEarlier(question).areBoth());
  // What is learnt excludes them too.
  add(Predicate::notEqual(size, context.getConstant(1)));
  EXPECT_FALSE(witnesses.lookAtEarlier(question).isTrue);
}

} // namespace

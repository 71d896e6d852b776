//===- What symbols stand for -------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace dyn::symbolic;

namespace {
/// Of declared symbols an equation takes away the one that was declared last.
class ValuesTest : public testing::Test {
protected:
  Expr get(const std::string &name) { return context.getSymbol(name); }
  Expr declare(const std::string &name) {
    SymbolFacts anything;
    anything.range = {};
    refuel();
    EXPECT_TRUE(store.declare(getTerms(get(name))[0].monomial->getAtom(), anything, SymbolClass::Declared));
    return get(name);
  }
  bool add(Expr lhs, Expr rhs) {
    refuel();
    return store.assertTrue(Predicate::equal(lhs, rhs));
  }
  Verdict isEqual(Expr lhs, Expr rhs) {
    refuel();
    return store.decide(Predicate::equal(lhs, rhs));
  }
  /// The sum of as many symbols as a value may have, but for a few.
  Expr declareTerms() {
    constexpr int count = 297;
    Expr sum = context.getConstant(0);
    for (int i = 0; i < count; ++i)
      sum = sum + declare("t" + std::to_string(i));
    return sum;
  }
  /// In so many values that they change late.
  void mentionOften(Expr symbol, const std::string &users) {
    constexpr int manyUsers = 20;
    for (int i = 0; i < manyUsers; ++i)
      ASSERT_TRUE(add(declare(users + std::to_string(i)), symbol + get("p") * (i + 2)));
  }
  void refuel() {
    store.forgetAnswers();
    store.getContext().refuel(200'000);
  }

  SymbolicContext context;
  FactStore store{context.getImpl()};
};
} // namespace

TEST_F(ValuesTest, SumsAreBroughtUpToDateInLongRows) {
  constexpr int64_t count = 80;
  std::vector<Expr> sizes;
  for (int64_t i = 0; i <= count; ++i)
    sizes.push_back(declare("s" + std::to_string(i)));
  Expr step = get("p") * 8;
  for (int64_t i = count - 1; i >= 0; --i)
    ASSERT_TRUE(add(sizes[i], sizes[i + 1] + step));
  for (int64_t i : {1, 17, 40, 79, 80}) {
    EXPECT_EQ(isEqual(sizes[0], sizes[i] + step * i), Verdict::Yes) << i;
    EXPECT_EQ(isEqual(sizes[0], sizes[i] + step * i + 1), Verdict::No) << i;
  }
  FactStore fork = store;
  ASSERT_TRUE(add(get("p"), context.getConstant(3)));
  ASSERT_TRUE(add(sizes[80], context.getConstant(5)));
  for (int64_t i : {0, 17, 40, 79})
    EXPECT_EQ(isEqual(sizes[i], context.getConstant(5 + 24 * (80 - i))), Verdict::Yes) << i;
  fork.forgetAnswers();
  EXPECT_EQ(fork.decide(Predicate::equal(sizes[17], context.getConstant(5 + 24 * 63))), Verdict::Unknown);
}

/// A sum of as many symbols as fit mentions one that gets a value, which gets longer later.
TEST_F(ValuesTest, WhatIsTooLargeToBeBroughtUpToDateIsLost) {
  for (const char *name : {"w2", "q2", "w", "x"})
    declare(name);
  Expr sum = declareTerms();
  Expr y = declare("y"), x = get("x"), w = get("w"), q = get("q");
  mentionOften(y, "u");
  Expr z = declare("z");
  ASSERT_TRUE(add(z, y + sum));
  ASSERT_TRUE(add(y, x + get("t0")));
  ASSERT_TRUE(add(x, w + q * 2));
  ASSERT_TRUE(add(w, get("w2") + get("q2")));
  EXPECT_EQ(store.getInner(z), z);
  EXPECT_TRUE(add(q, z));
  EXPECT_NE(isEqual(q, z + 1), Verdict::Yes);
  EXPECT_EQ(isEqual(y, get("w2") + get("q2") + q * 2 + get("t0")), Verdict::Yes);
}

/// What mentions such a symbol is brought up to date all the same, and no value comes to mention itself.
TEST_F(ValuesTest, WhatMentionsALostValueIsNot) {
  for (const char *name : {"p", "w2", "q2", "w", "x"})
    declare(name);
  Expr sum = declareTerms(), p = get("p"), q = get("q"), w = get("w"), x = get("x");
  Expr y2 = declare("y2"), y1 = declare("y1"), y = declare("y"), z = declare("z");
  mentionOften(y, "v");
  ASSERT_TRUE(add(z, y + p));
  ASSERT_TRUE(add(y, y1 + p));
  mentionOften(y2, "u");
  ASSERT_TRUE(add(y1, y2 + sum));
  ASSERT_TRUE(add(y2, x + get("t0")));
  ASSERT_TRUE(add(x, w + q * 2));
  Expr some = (get("t1") + get("t2") + get("t3") + get("t4")) * 2;
  ASSERT_TRUE(add(w, get("w2") + get("q2") - some));
  EXPECT_EQ(isEqual(z, y + p), Verdict::Yes);
  EXPECT_TRUE(add(q, z));
  Expr value = store.getInner(y2);
  ASSERT_TRUE(value);
  EXPECT_FALSE(llvm::is_contained(value.getSymbols(), y2));
  EXPECT_EQ(isEqual(z, y + p), Verdict::Yes);
}

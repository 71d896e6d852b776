//===- Tables whose copies share what neither changes ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/PagedTable.h"
#include "dyn/Symbolic/Solver.h"
#include "gtest/gtest.h"
#include <map>

using namespace dyn::symbolic;

TEST(PagedTableTest, CopiesDoNotSeeEachOther) {
  PagedTable<int> table;
  for (int i = 0; i < 5000; i += 7)
    table.get(i) = i;
  PagedTable<int> copy = table;
  copy.get(7) = -1;
  table.get(14) = -2;
  table.get(20000) = 3;
  EXPECT_EQ(table.look(7), 7);
  EXPECT_EQ(copy.look(7), -1);
  EXPECT_EQ(copy.look(14), 14);
  EXPECT_EQ(copy.look(20000), 0);
  for (int i = 21; i < 5000; i += 7)
    EXPECT_TRUE(table.look(i) == i && copy.look(i) == i);
  EXPECT_EQ(table.look(8), 0);
}

TEST(PagedTableTest, AMapIsTheSameAsAnyOther) {
  PagedMap<unsigned, unsigned> map;
  std::map<unsigned, unsigned> expected;
  PagedMap<unsigned, unsigned> before;
  std::map<unsigned, unsigned> expectedBefore;
  for (unsigned i = 0; i < 20000; ++i) {
    unsigned key = i * 7919 % 5003 * 64, isNew = !expected.count(key);
    if (i % 3 == 2) {
      map.erase(key);
      expected.erase(key);
      continue;
    }
    EXPECT_EQ(map.try_emplace(key, i).second, isNew);
    expected.try_emplace(key, i);
    if (i == 9000) {
      before = map;
      expectedBefore = expected;
    }
  }
  auto check = [](const PagedMap<unsigned, unsigned> &found, const std::map<unsigned, unsigned> &expected) {
    EXPECT_EQ(found.size(), expected.size());
    for (unsigned key = 0; key < 5003 * 64; key += 32) {
      auto known = expected.find(key);
      const unsigned *value = found.find(key);
      ASSERT_EQ(value != nullptr, known != expected.end());
      if (value)
        EXPECT_EQ(*value, known->second);
    }
  };
  check(map, expected);
  check(before, expectedBefore);
}

/// A solver and its fork learn different facts. Each knows what a solver knows that was told no others.
TEST(PagedTableTest, ForksAmongManyFactsKnowTheirOwnOnly) {
  constexpr int64_t count = 240;
  SymbolicContext context;
  auto get = [&](const char *name, int64_t number) { return context.getSymbol(name + std::to_string(number)); };
  auto tell = [&](Solver &solver, int64_t from, int64_t to, const char *own) {
    ReasonId reason = solver.addReason({own, "", 0});
    for (int64_t i = from; i < to; ++i) {
      solver.addLessEqual(get("s", i) + 1, get("s", i + 1), reason);
      solver.addEqual(get(own, i), i % 3 == 0 ? max({get("s", i), get(own, i + 1)}) : get("s", i) + get("t", i),
                      reason);
      SymbolFacts facts;
      facts.range = {2, 100 + i};
      solver.declare(get(own, i), facts, SymbolClass::Declared, reason);
    }
  };
  Solver first(context);
  tell(first, 0, count, "a");
  Solver second = first.fork();
  tell(first, count, 2 * count, "b");
  tell(second, count, 2 * count, "c");
  Solver third = second.fork();
  tell(third, 2 * count, 2 * count + 5, "d");
  Solver firstAlone(context), secondAlone(context);
  tell(firstAlone, 0, count, "a");
  tell(firstAlone, count, 2 * count, "b");
  tell(secondAlone, 0, count, "a");
  tell(secondAlone, count, 2 * count, "c");
  for (int64_t i = 0; i < 2 * count; i += 5)
    for (const char *name : {"a", "b", "c", "d", "s"}) {
      Expr size = get(name, i), other = get("s", (3 * i + 1) % (2 * count));
      for (auto [known, expected] : {std::pair(&first, &firstAlone), {&second, &secondAlone}}) {
        EXPECT_EQ(known->isLessEqual(other, size), expected->isLessEqual(other, size)) << size.str() << other.str();
        EXPECT_EQ(known->getRange(size), expected->getRange(size)) << size.str();
        EXPECT_EQ(known->simplify(size + other), expected->simplify(size + other)) << size.str();
      }
    }
  EXPECT_EQ(first.isLessEqual(get("b", count + 1), get("t", 0) + 100 + count + 1), Verdict::Yes);
  EXPECT_EQ(second.isLessEqual(get("b", count + 1), get("t", 0) + 100 + count + 1), Verdict::Unknown);
}

//===- Nodes by their content -------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/InternTable.h"
#include "gtest/gtest.h"
#include <deque>

using namespace dyn::symbolic;

namespace {
struct Number {
  uint32_t value, hash;
};

/// Numbers, with whatever hashes.
struct NumberTraits {
  using Node = Number;
  using Key = Number;
  static Key getKey(const Node *node) { return *node; }
  static uint32_t hash(const Key &key) { return key.hash; }
};
bool operator==(const Number &a, const Number &b) { return a.value == b.value; }

class InternTableTest : public testing::Test {
protected:
  /// Each number is put in once, and found at the same place ever after.
  void check(uint32_t count, uint32_t (*hash)(uint32_t value)) {
    auto get = [&](uint32_t value) {
      Number key{value, hash(value)};
      return table.get(key, [&] { return &made.emplace_back(key); });
    };
    std::vector<const Number *> nodes;
    for (uint32_t value = 0; value < count; ++value) {
      EXPECT_FALSE(table.contains({value, hash(value)}));
      nodes.push_back(get(value));
      EXPECT_EQ(get(value / 2), nodes[value / 2]);
    }
    for (uint32_t value = 0; value < count; ++value)
      EXPECT_EQ(get(value), nodes[value]);
    EXPECT_EQ(made.size(), count);
    EXPECT_EQ(table.size(), count);
  }

  std::deque<Number> made;
  InternTable<NumberTraits> table;
};
} // namespace

TEST_F(InternTableTest, ManyNodesAreFound) {
  check(200'000, [](uint32_t value) { return value * 0x9E3779B9u; });
}

TEST_F(InternTableTest, NodesWithLikeHashesAreFound) {
  check(9'000, [](uint32_t value) { return value; });
}

TEST_F(InternTableTest, NodesWithOneHashAreFound) {
  check(5'000, [](uint32_t) { return 0u; });
}

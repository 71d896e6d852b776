//===- Many facts that hang together ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Properties/RandomExpr.h"
#include "Solver/Naming/FactIndex.h"
#include "SolverFixture.h"
#include <algorithm>
#include <numeric>

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {
/// Facts about a row of sizes, each about neighbours, that hold where each size has its value.
class RowOfSizes {
public:
  RowOfSizes(RandomSource &random, unsigned count) : random(random) {
    for (unsigned i = 0; i < count; ++i)
      values.push_back(random.pick(1, 40));
  }

  unsigned getCount() const { return values.size(); }
  /// A predicate with `#place.` for each size. One that may be false is off by a little.
  std::string pick(bool mayBeFalse);

private:
  RandomSource &random;
  std::vector<int64_t> values;
};

std::string RowOfSizes::pick(bool mayBeFalse) {
  unsigned first = random.pick(0, getCount() - 1);
  auto pickNear = [&] { return (first + random.pick(1, 4)) % getCount(); };
  unsigned second = pickNear(), third = pickNear();
  auto name = [](unsigned place) { return "#" + std::to_string(place) + "."; };
  std::string x = name(first), y = name(second), z = name(third);
  int64_t a = values[first], b = values[second], c = values[third], error = mayBeFalse ? random.pick(-2, 1) : 0;
  int64_t divisor = random.pick(2, 6);
  auto number = [&](int64_t value) { return "(" + std::to_string(value + error) + ")"; };
  switch (random.pick(0, 7)) {
  case 0:
    return x + " - " + y + " <= " + number(a - b + random.pick(0, 2));
  case 1:
    return x + " == " + y + " + " + number(a - b);
  case 2:
    return "max(" + x + ", " + y + ") - " + z + " <= " + number(std::max(a, b) - c);
  case 3:
    return x + " mod " + std::to_string(divisor) + " == " + number(a % divisor);
  case 4:
    return "floordiv(" + x + ", " + std::to_string(divisor) + ") - " + y + " <= " + number(a / divisor - b);
  case 5:
    return x + " == " + std::to_string(a) + " or " + y + " <= " + number(b);
  case 6:
    return x + " <= " + number(a + random.pick(0, 9));
  default:
    return x + " >= " + number(a - random.pick(0, 5));
  }
}

/// What a solver answers under names that start with `prefix`, by the place of each size among the names.
std::vector<Verdict> answer(llvm::ArrayRef<std::string> facts, llvm::ArrayRef<std::string> questions,
                            llvm::ArrayRef<unsigned> names, llvm::StringRef prefix) {
  SymbolicContext context;
  Solver solver(context);
  auto read = [&](llvm::StringRef text) {
    std::string named;
    while (!text.empty()) {
      auto [before, rest] = text.split('#');
      auto [place, after] = rest.split('.');
      named += before;
      if (!place.empty())
        named += prefix.str() + std::to_string(names[std::stoul(place.str())]);
      text = after;
    }
    ParseError error;
    std::optional<Predicate> result = parsePredicate(named, context, error);
    EXPECT_TRUE(result) << named << ": " << error.message;
    return result.value_or(Predicate());
  };
  for (const std::string &fact : facts)
    EXPECT_TRUE(solver.addPredicate(read(fact), solver.addReason({"given", "", 0}))) << fact;
  std::vector<Verdict> verdicts;
  for (const std::string &question : questions)
    verdicts.push_back(solver.implies(read(question)));
  return verdicts;
}
} // namespace

/// Also where more facts hang together with a question than it is asked of.
TEST(ManyFactsTest, OrdersAndNamesDoNotMatter) {
  unsigned asked = 0, decided = 0;
  for (auto [count, seeds] : {std::pair(33u, 6u), {60u, 4u}, {250u, 3u}, {1000u, 2u}, {5000u, 1u}})
    for (unsigned seed = 0; seed < seeds; ++seed) {
      RandomSource random(count + 7919 * seed);
      RowOfSizes row(random, count * 3 / 4);
      std::vector<std::string> facts, questions;
      for (unsigned i = 0; i < count; ++i)
        facts.push_back(row.pick(/*mayBeFalse=*/false));
      for (unsigned i = 0; i < 20; ++i)
        questions.push_back(row.pick(/*mayBeFalse=*/true));
      std::vector<unsigned> names(row.getCount());
      std::iota(names.begin(), names.end(), 0);
      std::vector<Verdict> verdicts = answer(facts, questions, names, "s");
      std::shuffle(facts.begin(), facts.end(), random.engine);
      std::vector<Verdict> shuffled = answer(facts, questions, names, "s");
      std::shuffle(names.begin(), names.end(), random.engine);
      std::vector<Verdict> renamed = answer(facts, questions, names, "z");
      for (size_t i = 0; i < questions.size(); ++i)
        for (Verdict other : {shuffled[i], renamed[i]}) {
          EXPECT_EQ(verdicts[i], other) << questions[i];
          ++asked;
          decided += other != Verdict::Unknown;
        }
    }
  // Else there would be nothing to compare.
  EXPECT_GE(decided * 10, asked) << decided << " of " << asked;
}

//===----------------------------------------------------------------------===//
// FactIndex
//===----------------------------------------------------------------------===//

namespace {
struct FactIndexTest : SolverFixture {
  FactIndex index{context.getImpl()};
  void tell(llvm::StringRef text) { index.add(predicate(text)); }
  /// The nearest facts, in the order of their texts.
  std::vector<std::string> getNear(llvm::ArrayRef<const char *> names, bool isComplete) {
    llvm::SmallVector<Expr> symbols;
    for (const char *name : names)
      symbols.push_back(context.getSymbol(name));
    FactIndex::Near near = index.findNear(symbols);
    EXPECT_EQ(near.isComplete, isComplete);
    std::vector<std::string> facts;
    for (unsigned place : near.facts)
      facts.push_back(index.getFact(place).str());
    llvm::sort(facts);
    return facts;
  }
};
} // namespace

TEST_F(FactIndexTest, FactsThatHangTogetherAreNearEachOther) {
  tell("a <= b and b <= c");
  tell("x <= y");
  tell("c == 7 or d == 8");
  tell("b - a >= 0");
  EXPECT_EQ(getNear({"a"}, true).size(), 3u);
  EXPECT_EQ(getNear({"x"}, true), std::vector<std::string>{"0 <= y - x"});
  EXPECT_EQ(getNear({"d", "y"}, true).size(), 4u);
  EXPECT_TRUE(getNear({"q"}, true).empty());
}

TEST_F(FactIndexTest, WhatNothingTellsApartIsTakenAllOrNone) {
  for (int i = 0; i < 40; ++i)
    tell("hub <= n" + std::to_string(i));
  tell("hub >= 3");
  EXPECT_EQ(getNear({"hub"}, false), std::vector<std::string>{"0 <= hub - 3"});
  // Between the two it is the only one.
  std::vector<std::string> between = getNear({"hub", "n7"}, false);
  EXPECT_TRUE(llvm::is_contained(between, "0 <= n7 - hub"));
  EXPECT_EQ(between.size(), 2u);
  index.declare(getTerms(context.getSymbol("n5"))[0].monomial->getAtom(), SymbolFacts(), SymbolClass::Declared);
  EXPECT_TRUE(llvm::is_contained(getNear({"hub"}, false), "0 <= n5 - hub"));
}

TEST_F(FactIndexTest, LargeFactsAreFewerThanSmallOnes) {
  // Maxima of products, some sixty nodes, about sizes that all others are about.
  auto makeFact = [](int i) {
    std::string last = "p" + std::to_string(i), next = "p" + std::to_string(i + 1);
    std::string largest = "max(a*b*" + last + ", c*d*" + next + ", a*d*" + next + ", b*c*" + last + ")";
    return "floordiv(" + largest + " + a*b + c*" + last + " + d, 7) + floordiv(b*" + largest + " + " + next +
           ", 5) <= a*b*" + next;
  };
  for (int i = 0; i < 31; ++i)
    tell(makeFact(i));
  auto countNear = [&](bool isComplete) { return getNear({"a", "b", "c", "d", "p3", "p4"}, isComplete).size(); };
  size_t some = countNear(false);
  EXPECT_GT(some, 0u);
  EXPECT_LT(some, 12u);
  // As many small ones are few.
  for (int i = 0; i < 31; ++i)
    tell("small <= x" + std::to_string(i));
  EXPECT_EQ(getNear({"small"}, true).size(), 31u);
}

TEST_F(FactIndexTest, WhatEquationsRemoveIsContracted) {
  auto declare = [&](const char *name) {
    index.declare(getTerms(context.getSymbol(name))[0].monomial->getAtom(), SymbolFacts(), SymbolClass::Declared);
  };
  declare("P");
  declare("S");
  tell("x <= 9");
  for (int i = 0; i < 40; ++i)
    tell("y" + std::to_string(i) + " == P + S");
  EXPECT_TRUE(getNear({"P", "S"}, true).empty());
  // Facts that came before are about what is left too.
  tell("x == y7");
  EXPECT_EQ(getNear({"P"}, true), std::vector<std::string>{"0 <= 9 - P - S"});
  EXPECT_TRUE(getNear({"x"}, true).empty());
  // That a symbol is a size may say something of its value.
  tell("z == P - S");
  EXPECT_EQ(getNear({"S"}, true), (std::vector<std::string>{"0 <= 9 - P - S", "0 <= P - S"}));
}

/// Which symbol is left of several that are equal, or a constant or a multiple of another one apart, goes by the order
/// of equations. What stands for them does not.
TEST_F(FactIndexTest, WhatStandsForASymbolDependsOnNoOrder) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomSource random(seed);
    std::mt19937_64 engine(seed);
    std::vector<std::string> names = {"P", "S", "T", "a", "b", "c", "d", "e", "f", "g", "h", "i", "k"}, facts;
    constexpr size_t declared = 3;
    // Each symbol but the first is told in terms of one before it, or of none.
    std::shuffle(names.begin() + declared, names.end(), engine);
    for (size_t i = declared; i < names.size(); ++i) {
      std::string other = names[random.pick(0, i - 1)];
      std::string apart =
          random.chance(25) ? std::to_string(random.pick(-1, 1)) + "*q" : std::to_string(random.pick(-1, 2));
      if (random.chance(85))
        facts.push_back(names[i] + " == " + other + " + " + (random.chance(50) ? "0" : apart));
      if (random.chance(30))
        facts.push_back(names[i] + " <= " + std::to_string(random.pick(5, 9)));
    }
    std::vector<std::string> expected;
    for (int order = 0; order < 4; ++order) {
      FactIndex index(context.getImpl());
      // Before all facts, then here and there among them.
      size_t told = 0;
      for (size_t i = 0; i < declared; ++i) {
        for (; order > 0 && told < facts.size() && random.chance(60); ++told)
          index.add(predicate(facts[told]));
        index.declare(getTerms(context.getSymbol(names[i]))[0].monomial->getAtom(), SymbolFacts(),
                      SymbolClass::Declared);
      }
      for (; told < facts.size(); ++told)
        index.add(predicate(facts[told]));
      std::vector<std::string> found;
      for (const char *name : {"P", "S", "T", "a", "b", "c", "d", "e", "f", "g", "h", "i", "k"})
        found.push_back(std::string(name) + ": " + index.getEquations().contract(context.getSymbol(name)).str());
      llvm::SmallVector<Expr> symbols;
      for (const std::string &name : names)
        symbols.push_back(index.getEquations().contract(context.getSymbol(name)));
      size_t contracted = found.size();
      for (unsigned place : index.findNear(symbols).facts)
        if (Predicate fact = index.getFact(place); fact.kind == Predicate::Kind::LessEqual)
          found.push_back(fact.str());
      std::sort(found.begin() + contracted, found.end());
      if (order == 0)
        expected = found;
      EXPECT_EQ(found, expected) << "seed " << seed;
      std::shuffle(facts.begin(), facts.end(), engine);
    }
  }
}

namespace {
/// A row of declared sizes, each of which is larger than the next.
struct RowOfDeclaredSizes : FactIndexTest {
  static const Atom *getAtom(Expr symbol) { return getTerms(symbol)[0].monomial->getAtom(); }
  void declare(llvm::StringRef name, Range range) {
    SymbolFacts facts;
    facts.range = range;
    index.declare(getAtom(context.getSymbol(name)), facts, SymbolClass::Declared);
  }
  void tellRow(int count, const std::string &difference) {
    for (int i = 0; i <= count; ++i)
      declare("s" + std::to_string(i), {0, 1000});
    for (int i = count; i-- > 0;)
      tell("s" + std::to_string(i) + " == s" + std::to_string(i + 1) + " + " + difference);
  }
};
} // namespace

TEST_F(RowOfDeclaredSizes, OfTheirBoundsTheStrongestStays) {
  tellRow(40, "1");
  EXPECT_EQ(getNear({"s0"}, true), std::vector<std::string>{"0 <= s0 - 40"});
  // A bound that comes later may be stronger, or no stronger.
  declare("s20", {0, 100});
  EXPECT_EQ(getNear({"s0"}, true), (std::vector<std::string>{"0 <= 120 - s0", "0 <= s0 - 40"}));
  declare("s30", {0, 99});
  EXPECT_EQ(getNear({"s0"}, true), (std::vector<std::string>{"0 <= 120 - s0", "0 <= s0 - 40"}));
}

TEST_F(RowOfDeclaredSizes, WhatFollowsOnlyForSizesStays) {
  declare("p", {0, 50});
  tellRow(8, "8*p");
  EXPECT_EQ(getNear({"s0"}, true), std::vector<std::string>{"0 <= s0 - 64 * p"});
  index = FactIndex(context.getImpl());
  declare("p", {-5, 50});
  tellRow(8, "8*p");
  EXPECT_EQ(getNear({"s0"}, true).size(), 16u);
}

/// The bound of one symbol makes that of another one weaker only as long as it says something itself.
TEST_F(RowOfDeclaredSizes, NoBoundGoesBecauseOfItself) {
  for (bool sumsComeFirst : {true, false}) {
    index = FactIndex(context.getImpl());
    for (const char *name : {"u", "v", "s", "w"})
      declare(name, {0, std::nullopt});
    for (bool isSum : {sumsComeFirst, !sumsComeFirst})
      tell(isSum ? "w == u - v - s" : "s == u - v");
    EXPECT_EQ(getNear({"u", "v"}, true), std::vector<std::string>{"0 <= u - v"}) << sumsComeFirst;
  }
}

TEST_F(RowOfDeclaredSizes, BoundsOfFewerSymbolsStay) {
  for (const char *name : {"y", "s", "a", "b"})
    declare(name, {0, std::nullopt});
  tell("a == 2*y - 7");
  tell("b == 2*y - s - 7");
  EXPECT_TRUE(llvm::is_contained(getNear({"y"}, true), "0 <= y - 4"));
}

TEST_F(FactIndexTest, WhatIsNoMultipleOfAnotherIsContractedToOneThatHasTheSameValue) {
  tell("3*a == 2*b");
  tell("c == a");
  tell("c <= 7");
  EXPECT_EQ(getNear({"a"}, true).size(), 2u);
  EXPECT_TRUE(getNear({"c"}, true).empty());
}

using AmongManyFacts = SolverFixture;

TEST_F(AmongManyFacts, AnswersFromAPartHaveReasons) {
  for (int i = 0; i < 50; ++i)
    add("u" + std::to_string(i) + " <= u" + std::to_string(i + 1));
  add("min(s, 12) == t");
  add("t == 5 or t == 6");
  add("s != 6");
  expectYes("s == 5");
  std::vector<ExplainStep> steps = solver.explain(predicate("s == 5"));
  EXPECT_EQ(steps.size(), 3u);
  EXPECT_EQ(solver.getRange(expr("t")), (Range{5, 5}));
}

TEST_F(AmongManyFacts, WhatAForkFindsOutIsKnownToNeither) {
  for (const char *fact :
       {"y0 == a - 2 + b + b", "b == 5 - a", "c <= a*c", "not (min(a, b) + y0 + 4 == -2 or c == a)", "y1 == y0"})
    ASSERT_TRUE(add(fact));
  declare("a: [-1, 3]");
  declare("a: [0, ?]");
  for (const char *fact : {"y1 <= y2", "b + b <= y3", "y2*a < 4 + y0"})
    ASSERT_TRUE(add(fact));
  Verdict verdict = solver.fork().implies(predicate("y2 - 3 == a"));
  EXPECT_EQ(solver.implies(predicate("y2 - 3 == a")), verdict);
  Solver live = solver.fork();
  EXPECT_EQ(live.implies(predicate("y2 - 3 == a")), verdict);
}

TEST_F(AmongManyFacts, GuardsThatEquationsImplyAreNotNeeded) {
  for (int i = 0; i < 40; ++i)
    ASSERT_TRUE(add("p" + std::to_string(i) + " + q" + std::to_string(i) + " <= r" + std::to_string(i)));
  declare("x: [0, ?], y: [0, ?], z: [0, ?], u: [0, ?], v: [0, ?]");
  ASSERT_TRUE(add("x == y + z"));
  ASSERT_TRUE(add("u + v <= y"));
  EXPECT_TRUE(solver.minimizeGuards({predicate("x == y + z")}).empty());
  EXPECT_TRUE(solver.minimizeGuards({predicate("x >= y")}).empty());
  EXPECT_EQ(solver.minimizeGuards({predicate("y + z >= 5"), predicate("x >= 5")}).size(), 1u);
}

/// Each step of a chain needs a deduction of its own, which all that is told together does not pay for.
class Chains : public SolverFixture {
protected:
  /// `#` is a place in the chain, `##` the one before it.
  void addSteps(unsigned count, std::string step) {
    for (unsigned place = 1; place <= count; ++place)
      add(replaceAll(replaceAll(step, "##", std::to_string(place - 1)), "#", std::to_string(place)));
  }

private:
  static std::string replaceAll(std::string text, llvm::StringRef from, const std::string &to) {
    for (size_t at = text.find(from.str()); at != std::string::npos; at = text.find(from.str(), at + to.size()))
      text.replace(at, from.size(), to);
    return text;
  }
};

TEST_F(Chains, SumsKeepTheirRemainders) {
  add("x0 mod 8 == 3");
  addSteps(30, "x# == x## + 8*y# + 2");
  expectYes("x30 mod 8 == 7");
  expectNo("x30 mod 4 == 2");
  expectUnknown("x30 mod 16 == 7");
  EXPECT_EQ(solver.explain(predicate("x30 mod 8 == 7")).size(), 31u);
}

TEST_F(Chains, RemaindersAreUnknownsLikeOthers) {
  addSteps(30, "x# mod 3 == x## mod 3");
  expectYes("x0 mod 3 == x30 mod 3");
  expectUnknown("x0 == x30");
}

TEST_F(Chains, SizesOtherThanOneThatBroadcastAreEqual) {
  addSteps(15, "bc_ok(x##, x#)");
  for (unsigned place = 0; place <= 15; ++place)
    add("x" + std::to_string(place) + " >= " + std::to_string(place == 7 ? 0 : 2));
  expectYes("x0 == x6");
  expectYes("x8 == x15");
  expectUnknown("x0 == x15");
}

TEST_F(Chains, EqualOperandsMakeTheNextSizeEqual) {
  addSteps(30, "d# == bcast(d##, d0)");
  expectYes("d30 == d0");
  addSteps(30, "e# == max(d#, e##)");
  expectUnknown("e30 == e0");
}

TEST_F(Chains, EqualOperandsMakeTheNextSizeEqualAmongMany) {
  addSteps(300, "d# == bcast(d##, d0)");
  expectYes("d300 == d0");
  // From the last one to the first.
  for (unsigned place = 300; place > 0; --place)
    add("e" + std::to_string(place) + " == max(e" + std::to_string(place - 1) + ", e0)");
  expectYes("e300 == e0");
  expectYes("max(e7, d9) == max(d0, e0)");
  expectUnknown("e300 == d300");
}

TEST_F(Chains, ProductsWithFactorsOtherThanZeroGrow) {
  addSteps(14, "p# == p##*q#");
  addSteps(13, "q# >= 1");
  expectYes("p13 >= p0");
  expectUnknown("p14 >= p0");
  addSteps(300, "r# == r##*t#");
  addSteps(299, "t# >= 1");
  expectYes("r299 >= r0");
  expectUnknown("r299 > r0");
  expectUnknown("r300 >= r0");
  auto isGiven = [](const ExplainStep &step) { return !step.isDerived; };
  EXPECT_EQ(llvm::count_if(solver.explain(predicate("r5 >= r0")), isGiven), 10);
}

TEST_F(Chains, FactorsOtherThanZeroAreDividedBy) {
  addSteps(15, "a##*h# == a#*h#");
  addSteps(15, "h# >= 1");
  expectYes("a0 == a15");
}

TEST_F(Chains, FactorsThatMayBeZeroAreNot) {
  addSteps(15, "a##*h# == a#*h#");
  addSteps(14, "h# >= 1");
  expectYes("a0 == a14");
  expectUnknown("a0 == a15");
}

/// What the range says is kept there alone: each of thousands of facts would look at all before it.
TEST_F(Chains, ExcludedValuesBelowTheRangeAreNotKept) {
  for (int value = 0; value < 20; ++value)
    ASSERT_TRUE(add("s != " + std::to_string(value)));
  ASSERT_TRUE(add("s != 300"));
  SymbolFacts facts = solver.getFacts(expr("s"));
  EXPECT_EQ(facts.range.lower, 20);
  EXPECT_EQ(facts.notEqual, llvm::ArrayRef<int64_t>({300}));
}

/// `t` is `2*s - 2*a` first and `a` then: that both are the same is left to say.
TEST_F(Chains, EquationsThatGaveAValueAreKnownWhereAnotherOneDoes) {
  for (int i = 0; i < 40; ++i)
    ASSERT_TRUE(add("unrelated" + std::to_string(i) + " == " + std::to_string(i)));
  declare("a: [0, 4], s: [1, 7] mod 3, t: [-1, 3]");
  for (const char *fact : {"2*s - 2*a == t", "a == t"})
    ASSERT_TRUE(add(fact));
  expectYes("s == 3");
  expectYes("a == 2");
}

//===- Names of symbols make no difference ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Properties/RandomExpr.h"
#include "Solver/Naming/SymbolOrder.h"
#include "Solver/SolverImpl.h"
#include "SolverFixture.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {
/// Facts and a question about W, X, Y and Z, under names of its own.
struct Renamed {
  SymbolicContext context;
  NamedFacts named{context.getImpl()};
  std::string names; ///< of the four, in that order

  Predicate predicate(llvm::StringRef text) {
    std::string renamed = text.str();
    for (char &letter : renamed)
      if (size_t place = llvm::StringRef("WXYZ").find(letter); place != llvm::StringRef::npos)
        letter = names[place];
    ParseError error;
    std::optional<Predicate> result = parsePredicate(renamed, context, error);
    EXPECT_TRUE(result) << renamed << ": " << error.message;
    return result.value_or(Predicate());
  }
};

/// What the question is inside, for each of the ways to name the symbols.
std::vector<std::string> getQuestions(llvm::ArrayRef<const char *> facts, const char *question) {
  std::vector<std::string> questions;
  std::string names = "WXYZ";
  do {
    Renamed renamed;
    renamed.names = names;
    for (const char *fact : facts)
      renamed.named.add(renamed.predicate(fact));
    EXPECT_NE(renamed.named.update(), nullptr);
    Predicate asked = renamed.predicate(question);
    questions.push_back(renamed.named.getNames(asked)(asked).str());
  } while (std::next_permutation(names.begin(), names.end()));
  return questions;
}

void expectOneForm(llvm::ArrayRef<const char *> facts, const char *question) {
  std::vector<std::string> questions = getQuestions(facts, question);
  EXPECT_EQ(questions.size(), 24u);
  for (const std::string &form : questions)
    EXPECT_EQ(form, questions.front()) << question;
}
} // namespace

/// What is quick because a form is canonical already gives what the rules give.
TEST(NamingTest, FormsUnderOtherNamesAreThoseThatRulesMake) {
  std::vector<std::string> names = {"W", "X", "Y", "Z"};
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    RandomSource random(seed, names);
    SymbolicContext context, other;
    Expr expr = random.pickTree(4).build(context);
    // What an exact division leaves goes by the leading term, which is another one under other names.
    if (!expr.isWithinBudget() || hasAtom(expr, AtomKind::ExactDiv))
      continue;
    Renaming quick(other.getImpl(), /*areCanonical=*/true), slow(other.getImpl());
    std::vector<std::string> others = names;
    std::shuffle(others.begin(), others.end(), std::mt19937_64(seed));
    for (auto [name, otherName] : llvm::zip_equal(names, others))
      for (Renaming *renaming : {&quick, &slow})
        renaming->add(getSymbolAtom(context.getSymbol(name)), other.getSymbol(otherName));
    ASSERT_EQ(quick(expr).str(), slow(expr).str()) << "seed " << seed << ": " << expr.str();
  }
}

TEST(NamingTest, FactsTellSymbolsApart) {
  expectOneForm({"W <= X", "X <= Y", "Y <= Z"}, "W <= Z");
  expectOneForm({"W * X == 12", "W + Y <= 5"}, "W + X + Y == Z");
  expectOneForm({"max(W, 3 * X) <= Y"}, "X <= Y and W <= Y + Z");
  expectOneForm({"W floordiv X == Y", "exactdiv(Y, Z) <= 9"}, "W == X");
  expectOneForm({"exactdiv(max(W, -1), 12 * X) <= Y - X"}, "X + Y != Z");
  expectOneForm({"X + 2 == W + Y"}, "1 <= (X + 2) floordiv X");
  expectOneForm({"exactdiv(3 * W, W + X) <= Y - X"}, "W + Y != Z");
}

TEST(NamingTest, QuestionsTellApartWhatFactsDoNot) {
  expectOneForm({}, "W * X <= Y * Y + 2 * Z");
  expectOneForm({"W == X or W == 1 or X == 1"}, "W <= X");
  expectOneForm({"W <= Y", "X <= Y"}, "W + 2 * X <= Z");
  expectOneForm({"W + X <= 5", "Y + Z <= 5"}, "W <= Z");
  expectOneForm({"W + X <= 5", "Y + Z <= 5"}, "W + X <= 2 * Z");
  // All in a ring.
  expectOneForm({"W * X == 6", "X * Y == 6", "Y * Z == 6", "Z * W == 6"}, "W == Y");
  expectOneForm({"W * X == 6", "X * Y == 6", "Y * Z == 6", "Z * W == 6"}, "W == X");
}

TEST(NamingTest, DeclaredSymbolsHaveTheOrderOfTheirDeclaration) {
  for (bool isSwapped : {false, true}) {
    Renamed renamed;
    renamed.names = isSwapped ? "ZYXW" : "WXYZ";
    for (char name : renamed.names)
      renamed.named.declare(getTerms(renamed.context.getSymbol(std::string(1, name)))[0].monomial->getAtom(),
                            SymbolFacts(), SymbolClass::Declared);
    renamed.named.add(renamed.predicate("W + X == Y + Z"));
    ASSERT_NE(renamed.named.update(), nullptr);
    EXPECT_EQ(renamed.named.getFixed(renamed.predicate("W <= Z").lhs).str(), "d0000000");
    EXPECT_EQ(renamed.named.getFixed(renamed.predicate("W <= Z").rhs).str(), "d0000003");
  }
}

/// Many that play one part are set apart one after the other, none with the colour of another.
TEST(NamingTest, SymbolsThatAreSetApartAreTiedNoMore) {
  Renamed renamed;
  renamed.names = "WXYZ";
  std::vector<Predicate> facts;
  for (const char *fact : {"W <= 5", "X <= 5", "Y <= 5", "Z <= 5"})
    facts.push_back(renamed.predicate(fact));
  SymbolColours colours(facts, [](const Atom *) { return std::nullopt; });
  for (unsigned left = 4; left > 1; --left) {
    llvm::SmallVector<const Atom *, 8> tied = colours.getTied();
    ASSERT_EQ(tied.size(), left);
    colours.setApart(tied.front());
    EXPECT_FALSE(colours.isTied(tied.front()));
  }
  EXPECT_TRUE(colours.getTied().empty());
}

/// Sizes of a broadcast are told apart where one of them is 1: elsewhere most broadcasts have no value.
TEST(NamingTest, SizesOfBroadcastsAreToldApart) {
  SymbolicContext context;
  ParseError error;
  SortedFacts facts;
  facts.add(*parsePredicate("t == min(s, bcast(s, t))", context, error));
  SymbolColours colours(facts.get(), [](const Atom *) { return std::nullopt; });
  EXPECT_TRUE(colours.getTied().empty());
}

/// Names that are exchanged for a question must leave the facts as they are.
TEST(NamingTest, TheStoreKnowsTheFactsUnderTheNamesOfEachQuestion) {
  const char *const facts[] = {"W + X <= 5", "Y + Z <= 5", "W != 2 or X != 2", "Y != 2 or Z != 2"};
  for (const char *question : {"W <= Z", "Z <= W", "X + Y <= 8", "W + Y == 1"}) {
    Renamed renamed;
    renamed.names = "WXYZ";
    for (const char *fact : facts)
      renamed.named.add(renamed.predicate(fact));
    FactStore *store = renamed.named.update();
    ASSERT_NE(store, nullptr);
    // Each fact, which is told as well, holds under the names of the question.
    std::vector<Predicate> all = {renamed.predicate(question)};
    for (const char *fact : facts)
      all.push_back(renamed.predicate(fact));
    Renaming names = renamed.named.getNames(all);
    for (const char *fact : facts)
      EXPECT_EQ(decideWithSplits(*store, names(renamed.predicate(fact))), Verdict::Yes) << fact;
  }
}

using NamesTest = SolverFixture;

TEST_F(NamesTest, EqualSizesHaveOneFormWhicheverIsAskedFor) {
  add("s == t");
  add("u * v == v * u + w - w");
  EXPECT_EQ(simplify("s"), simplify("t"));
  EXPECT_EQ(simplify("max(s, 3) + u"), simplify("max(t, 3) + u"));
}

TEST_F(NamesTest, ADefinitionThatComesLaterIsKnown) {
  declare("s: [1, 64]");
  add("s <= 10");
  expectYes("s <= 12");
  add("n == 4 * s");
  expectYes("n <= 40");
  EXPECT_EQ(simplify("n + s"), "5 * s");
  add("n >= 36");
  expectYes("s >= 9");
  declare("n: [1, 37] mod 4");
  expectYes("s == 9");
}

TEST_F(NamesTest, WhatOnlyNamesASizeIsAskedAboutByItsMeaning) {
  declare("b: [1, 64], p: [0, ?]");
  ASSERT_TRUE(add("y == b + 2*p"));
  ASSERT_TRUE(add("z == b + 2*p"));
  expectYes("y == z");
  EXPECT_EQ(simplify("y + 1 - z"), "1");
  EXPECT_EQ(solver.getRange(expr("y")).lower, 1);
  // Others mention it now, or it is declared itself.
  ASSERT_TRUE(add("y mod 2 == 0"));
  expectYes("b mod 2 == 0");
  declare("z: [0, 9]");
  expectYes("p <= 3");
  expectYes("y == z");
  // It is no size by itself.
  ASSERT_TRUE(add("d == b - p"));
  expectYes("p <= b");
}

TEST_F(NamesTest, WhatANameMeansMayBeDeclaredLater) {
  ASSERT_TRUE(add("y == b + 2"));
  expectYes("2 <= y");
  declare("b: [5, 64]");
  expectYes("7 <= y");
  ASSERT_TRUE(add("y == b + 2"));
  ASSERT_TRUE(add("y == c + 1"));
  expectYes("c == b + 1");
}

/// Which of two exact quotients comes first is up to the names in them.
TEST_F(NamesTest, EqualExactQuotientsAreBothMultipliedOut) {
  ASSERT_TRUE(add("exactdiv(t * 7, s) == exactdiv(a mod 5, min(-8, t, s))"));
  for (const char *question : {"a mod 5 == 0", "t == 0", "exactdiv(t * 7, s) == 0"})
    expectYes(question);
  SymbolicContext otherContext;
  Solver other(otherContext);
  ParseError error;
  ASSERT_TRUE(
      other.addPredicate(*parsePredicate("exactdiv(x * 7, y) == exactdiv(z mod 5, min(-8, x, y))", otherContext, error),
                         other.addReason({"given", "", 0})));
  for (const char *question : {"z mod 5 == 0", "x == 0", "exactdiv(x * 7, y) == 0"})
    EXPECT_EQ(other.implies(*parsePredicate(question, otherContext, error)), Verdict::Yes) << question;
}

/// Inside of a maximum too: a parameter is known to its store only, and another one has its own under that name.
TEST(NamingTest, FormsAreOfNamedSizesWhereParametersDependOnEachOther) {
  for (unsigned count : {3, 30, 34}) {
    SymbolicContext context;
    Solver solver(context);
    ParseError error;
    std::map<std::string, int64_t> point = {{"e", 3}, {"g", 2},  {"a", 5},    {"f", 1},
                                            {"h", 0}, {"k", 16}, {"u0", 100}, {"v0", 50}};
    SymbolFacts number;
    number.range = {};
    solver.declare(context.getSymbol("f"), number, SymbolClass::DataDependent, 0);
    solver.declare(context.getSymbol("k"), number, SymbolClass::Declared, 0);
    solver.declare(context.getSymbol("a"), {}, SymbolClass::DataDependent, 0);
    solver.declare(context.getSymbol("u0"), {}, SymbolClass::Declared, 0);
    std::vector<std::string> facts = {"u0 == 2*v0", "a == 2*e - f", "k == 4*max(h, e) + 4*f", "2*e == 3*g"};
    for (unsigned i = 0; i < count; ++i) {
      point["m" + std::to_string(i)] = 0;
      facts.push_back("m" + std::to_string(i) + " <= " + (i ? "m" + std::to_string(i - 1) : "g") + " + 1");
    }
    for (const std::string &fact : facts)
      ASSERT_TRUE(solver.addPredicate(*parsePredicate(fact, context, error), 0)) << fact;
    for (const char *size : {"a", "e", "g", "k"}) {
      Expr form = solver.simplify(context.getSymbol(size));
      std::optional<int64_t> value = evaluate(form, [&](llvm::StringRef name) -> std::optional<int64_t> {
        auto known = point.find(name.str());
        return known == point.end() ? std::nullopt : std::optional(known->second);
      });
      EXPECT_EQ(value, point[size]) << size << " is " << form.str();
    }
  }
}

TEST_F(NamesTest, NamedSizesOfAChainAreOneDivision) {
  std::string last = "h";
  for (int i = 1; i <= 7; ++i) {
    std::string name = "h" + std::to_string(i);
    ASSERT_TRUE(add(name + " == " + last + " ceildiv 2"));
    last = name;
  }
  expectYes("h7 == h ceildiv 128");
  expectYes("2*h5 >= h4 and h7 <= h");
  expectUnknown("h7 == (h + 126) floordiv 128");
}

TEST_F(NamesTest, ProductsOfNamedSizesAreThoseOfTheirDivisions) {
  ASSERT_TRUE(add("h1 == h ceildiv 2 and h2 == h1 ceildiv 2"));
  ASSERT_TRUE(add("w1 == (w - 3) floordiv 2 + 1 and w2 == (w1 - 3) floordiv 2 + 1"));
  expectYes("h2*w2 == (h ceildiv 4)*((w - 7) floordiv 4 + 1)");
  ASSERT_TRUE(add("n == h2*b"));
  expectYes("n == (h ceildiv 4)*b");
  expectUnknown("n == (h floordiv 4)*b");
}

/// Whose sides are found to be the same when they are joined.
TEST_F(NamesTest, EquationsThatHoldAnywaySayNothing) {
  EXPECT_TRUE(add("h - h floordiv 2 - (h + 1) floordiv 4 == h ceildiv 4"));
  EXPECT_TRUE(add("h1 == h ceildiv 2 and h1 - (h + 1) floordiv 4 == h ceildiv 4"));
  EXPECT_TRUE(add("bc_ok(a, b) and y == bcast(a, b) and y == max(a, b)*min(a, b, 1)"));
  EXPECT_TRUE(add("bcast(a, b) == max(a, b)*min(a, b, 1)"));
  expectUnknown("h == 3");
  EXPECT_FALSE(add("h - h floordiv 2 - (h + 1) floordiv 4 == h ceildiv 4 + 1"));
}

/// Whatever the other sizes are, there is one for which such a fact holds.
TEST_F(NamesTest, FactsThatSayNothingOfOthersTakeNoEffort) {
  ASSERT_TRUE(add("t <= x"));
  expectYes("(t ceildiv s) ceildiv t == (1 ceildiv s) ceildiv t");
  ASSERT_TRUE(add("y == t ceildiv 3 and z == s*w"));
  expectYes("(t ceildiv s) ceildiv t == (1 ceildiv s) ceildiv t");
  // These say something of t and of s.
  ASSERT_TRUE(add("v == t - 5 and 2*u == s"));
  expectYes("t >= 5 and s mod 2 == 0");
}

/// Where t is at least 1, there is always a size below it.
TEST_F(NamesTest, FactsThatHoldWithinBoundsOfOthersTakeNoEffort) {
  ASSERT_TRUE(add("t >= 1 and n mod t >= 1"));
  ASSERT_TRUE(add("x1 < t and x2 < x1 + t and x3 < x2 + t and x4 < x3 + x1 + t"));
  expectYes("t*(n ceildiv t) != n");
  ASSERT_TRUE(add("a < b and b >= 1"));
  ASSERT_TRUE(add("y1 < b and y2 < y1 + b and y3 < y2 + b"));
  expectYes("(a*a) floordiv b < b");
}

/// However many they are, and whether they hang together with the question or not.
TEST_F(NamesTest, FactsThatAreAChainOfOtherSizesTakeNoEffort) {
  ASSERT_TRUE(add("c >= 1 and c <= n") && add("i < (h - k) floordiv s + 1") && add("j < k and k <= h and s >= 1"));
  ASSERT_TRUE(add("z0 == n ceildiv 2") && add("w0 == h ceildiv 2"));
  for (int i = 0; i < 30; ++i) {
    for (const char *chain : {"z", "w"})
      ASSERT_TRUE(add(chain + std::to_string(i + 1) + " == " + chain + std::to_string(i) + " ceildiv 2"));
    expectYes("(c*m) floordiv n <= m");
    expectYes("(n*m) ceildiv c >= m");
    expectYes("i*s + j < h");
    expectUnknown("i*s + j + 1 < h");
  }
}

/// How many values x has is not asked for long.
TEST_F(NamesTest, SizesWithoutEndLeaveTheFactorsOfANumber) {
  ASSERT_TRUE(add("s*t == 7 and s <= x"));
  expectYes("s == 1 or s == 7");
  expectUnknown("s == 7");
}

/// Each size of a chain of convolutions is told by the one before it, in the form in which it was told.
TEST_F(NamesTest, StepsOfAChainAreAskedOfTheFactsNextToThem) {
  for (int i = 0; i < 40; ++i) {
    std::string last = "s" + std::to_string(i), padding = "t" + std::to_string(i), next = "s" + std::to_string(i + 1);
    for (const std::string &name : {last, padding})
      if (i % 2 == 0)
        ASSERT_TRUE(add(name + " <= 4096"));
    ASSERT_TRUE(add(next + " == (" + last + " + 2*" + padding + " - 3) floordiv 2 + 1"));
    expectYes(next + " <= " + last + " + " + padding);
    expectUnknown(next + " <= " + last);
  }
}

/// The congruence puts x in terms of another size, and its definition in terms of that.
TEST_F(NamesTest, WhatASizeIsIsKnownBesideItsCongruence) {
  ASSERT_TRUE(add("w >= 1 and x == p mod w and x mod 2 == 0"));
  expectYes("x < w");
  expectUnknown("x < w - 1");
  ASSERT_TRUE(add("t >= 1 and y == t*(n floordiv t) and y mod 8 == 0"));
  expectYes("y <= n");
  // Where v is 0, z is not told.
  ASSERT_TRUE(add("z == q mod v and z mod 2 == 0"));
  expectUnknown("z < v");
}

//===- Effort is bounded, and does not grow with what is known ------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Work is counted, not time: about the terms of polynomials that are touched.
// The benchmarks of test/benchmarks/Symbolic show that time follows it.
//
//===----------------------------------------------------------------------===//

#include "Adversaries.h"
#include "Expressions/Node.h"
#include "dyn/Symbolic/Parser.h"
#include "gtest/gtest.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

static double countWork(SymbolicContext &context) { return context.getImpl().work; }

/// What no question and no fact of a family takes more of.
static constexpr double workOfQuestion = 30'000, workOfFact = 110'000;

namespace {
struct Family {
  const char *name;
  Step step;
  friend void PrintTo(const Family &family, std::ostream *os) { *os << family.name; }
};
class GrowthTest : public testing::TestWithParam<Family> {};
} // namespace

/// A step among twice as many facts takes the same, but for a logarithm: no
/// quadratic growth, which would be twice as much. The first facts are less, as
/// long as walks along all of them are quick and points are sought for them.
TEST_P(GrowthTest, AStepAmongManyFactsTakesNoMoreThanAmongHalfAsMany) {
  constexpr int64_t count = 1200;
  Adversary adversary(countWork);
  double spent[3] = {0, 0, 0};
  for (int64_t i = 0; i < count; ++i) {
    if (i == count / 4 || i == count / 2)
      spent[i / (count / 4) - 1] = adversary.facts.total + adversary.questions.total;
    GetParam().step(adversary, i, count);
  }
  spent[2] = adversary.facts.total + adversary.questions.total;
  double earlier = (spent[1] - spent[0]) / (count / 4), later = (spent[2] - spent[1]) / (count / 2);
  EXPECT_LE(later, 1.4 * earlier);
  EXPECT_LE(adversary.questions.worst, workOfQuestion);
  EXPECT_LE(adversary.facts.worst, workOfFact);
}

INSTANTIATE_TEST_SUITE_P(
    Families, GrowthTest,
    testing::Values(
        Family{"ChainOfInequalities", chainOfInequalities}, Family{"ChainOfEqualities", chainOfEqualities},
        Family{"EqualitiesFromTheEnd", equalitiesFromTheEnd}, Family{"OffsetsFromTheEnd", offsetsFromTheEnd},
        Family{"MultiplesFromTheEnd", multiplesFromTheEnd}, Family{"MaximaInCircles", maximaInCircles},
        Family{"Declarations", declarations}, Family{"Forks", forks}, Family{"NestedForks", nestedForks},
        Family{"NarrowedRange", narrowedRange}, Family{"Signs", signs}, Family{"BroadcastFacts", broadcastFacts},
        Family{"BoundsOfOne", boundsOfOne}, Family{"Products", products}, Family{"GrowingMaxima", growingMaxima},
        Family{"MaximaFromTheEnd", maximaFromTheEnd}, Family{"EqualMaxima", equalMaxima},
        Family{"SumsOfMaxima", sumsOfMaxima}, Family{"AlternatingBounds", alternatingBounds},
        Family{"NestedQuotients", nestedQuotients}, Family{"MixedInequalities", mixedInequalities},
        Family{"RowOfRemainders", rowOfRemainders}, Family{"RowOfCongruences", rowOfCongruences},
        Family{"RowOfDivisors", rowOfDivisors}, Family{"SumsWithOne", sumsWithOne},
        Family{"Convolutions", convolutions}, Family{"RemaindersOfDeclared", amongDeclared<rowOfRemainders>},
        Family{"SumsOfDeclaredWithOne", amongDeclared<sumsWithOne>},
        Family{"ConvolutionsOfDeclared", amongDeclared<convolutions>}, Family{"ExcludedValues", excludedValues},
        Family{"BroadcastsOfOne", broadcastsOfOne}, Family{"ChainOfDeclared", amongDeclared<chainOfInequalities>},
        Family{"EqualDeclaredFromTheEnd", amongDeclared<equalitiesFromTheEnd>},
        Family{"OffsetDeclaredFromTheEnd", amongDeclared<offsetsFromTheEnd>},
        Family{"MultiplesOfDeclaredFromTheEnd", amongDeclared<multiplesFromTheEnd>},
        Family{"GrowingDeclaredMaxima", amongDeclared<growingMaxima>},
        Family{"DeclaredMaximaInCircles", amongDeclared<maximaInCircles>},
        Family{"SumsOfDeclaredMaxima", amongDeclared<sumsOfMaxima>}),
    [](const auto &info) { return info.param.name; });

/// Where effort ends, and so what is found, is to be the same in every run. Two contexts lie at different addresses.
TEST(EffortTest, WorkDoesNotDependOnAddresses) {
  constexpr int64_t count = 250;
  for (Family family : {Family{"MaximaInCircles", maximaInCircles}, Family{"MixedInequalities", mixedInequalities},
                        Family{"NestedQuotients", nestedQuotients}, Family{"BroadcastFacts", broadcastFacts}}) {
    Adversary first(countWork), second(countWork);
    for (int64_t i = 0; i < count; ++i) {
      family.step(first, i, count);
      family.step(second, i, count);
    }
    EXPECT_EQ(first.facts.each, second.facts.each) << family.name;
    EXPECT_EQ(first.questions.each, second.questions.each) << family.name;
  }
}

/// Facts that are told again for a question find nothing of what was computed while only some of them were known:
/// that took none of their effort.
TEST(EffortTest, FactsThatAreToldAgainTakeTheSameEffortInWhicheverOrderTheyCame) {
  std::vector<std::string> facts = {"not (b + 28 == b*t + 2*b or b + 28 == 1 or b*t + 2*b == 1)",
                                    "b mod 8 != 2*t",
                                    "not (-2 == t or -2 == 1 or t == 1)",
                                    "s != min(t, 2) floordiv 16",
                                    "b floordiv 2 - b - 1 == -1",
                                    "not (b mod 3 + min(s, 4) <= (-a) floordiv (t ceildiv 3))"};
  auto decide = [&] {
    SymbolicContext context;
    Solver solver(context);
    ParseError error;
    auto declarations = parseSymbolDeclarations("a: [?, 36] mod 8 rem 3 ne {1}, b: [0, 1] ne {1}, s: [-7, ?]", error);
    for (const SymbolDeclaration &declaration : *declarations)
      solver.declare(context.getSymbol(declaration.name), declaration.facts, SymbolClass::Declared,
                     solver.addReason({"declared", "", 0}));
    for (const std::string &fact : facts)
      EXPECT_TRUE(solver.addPredicate(*parsePredicate(fact, context, error), solver.addReason({"given", "", 0})));
    return solver.implies(*parsePredicate("b == s*t or b == 1 or s*t == 1", context, error));
  };
  Verdict verdict = decide();
  for (size_t i = 0; i < facts.size(); ++i) {
    std::rotate(facts.begin(), facts.begin() + 1, facts.end());
    EXPECT_EQ(decide(), verdict) << "rotated " << i;
    std::reverse(facts.begin(), facts.end());
    EXPECT_EQ(decide(), verdict) << "reversed " << i;
    std::reverse(facts.begin(), facts.end());
  }
}

/// A point that an earlier question led to made another one cheaper, and left effort for a shorter form.
TEST(EffortTest, SimplifiedFormsTakeTheSameEffortAfterOtherQuestions) {
  auto simplify = [](bool isAskedBefore) {
    SymbolicContext context;
    Solver solver(context);
    ParseError error;
    for (const auto &[name, upper] : {std::pair("b", 0), std::pair("s", 0), std::pair("t", -2)}) {
      SymbolFacts facts;
      facts.range = {};
      if (upper < 0)
        facts.range.upper = upper;
      solver.declare(context.getSymbol(name), facts, SymbolClass::Declared, solver.addReason({}));
    }
    for (const char *fact : {"t == b or 4*b <= a or s == a", "-2*t != -5", "t <= b*t - 485"})
      solver.addPredicate(*parsePredicate(fact, context, error), solver.addReason({}));
    if (isAskedBefore)
      solver.simplify(parseExpr("max(min(0, a, -1), max(b, t))", context, error));
    return solver.simplify(parseExpr("(b mod (-8)) mod min(a, b)", context, error)).str();
  };
  EXPECT_EQ(simplify(false), simplify(true));
}

/// And what is asked beside it takes no more than beside a small one.
TEST(EffortTest, ALongDisjunctionTakesWhatItsAlternativesTake) {
  double facts[2];
  for (auto [place, count] : {std::pair(0, 1000), {1, 4000}}) {
    Adversary adversary(countWork);
    longDisjunction(adversary, 0, count);
    facts[place] = adversary.facts.total;
    EXPECT_LE(adversary.questions.worst, workOfQuestion) << count;
  }
  EXPECT_LE(facts[1], 4.4 * facts[0]);
}

/// Questions that the facts answer, however many of these there are between
/// both sides.
TEST(EffortTest, OrdersAlongManyFactsAreSeen) {
  constexpr int64_t count = 300;
  for (Family family :
       {Family{"ChainOfInequalities", chainOfInequalities}, Family{"BoundsOfOne", boundsOfOne},
        Family{"GrowingMaxima", growingMaxima}, Family{"MaximaFromTheEnd", maximaFromTheEnd},
        Family{"EqualMaxima", equalMaxima}, Family{"SumsOfMaxima", sumsOfMaxima}, Family{"Products", products},
        Family{"MultiplesOfDeclaredFromTheEnd", amongDeclared<multiplesFromTheEnd>},
        Family{"SumsOfDeclaredMaxima", amongDeclared<sumsOfMaxima>}, Family{"ExcludedValues", excludedValues}}) {
    Adversary adversary(countWork);
    for (int64_t i = 0; i < count; ++i)
      family.step(adversary, i, count);
    EXPECT_EQ(adversary.answered, count) << family.name;
  }
}

/// The first question after a fact tells all of them again, up to 32, and each
/// of these facts leads to many. Among them are facts that contradict the
/// others: these are told again only as far as that is a few thousand units.
/// Among the questions are those of two parts, which take hardly more than others.
TEST(EffortTest, ProductsMaximaAndQuotientsAtOnceStayWithinTheEffortOfAQuestion) {
  for (auto [facts, limit] : {std::pair(0, 26'500), {2, 35'000}, {8, 35'500}, {30, 35'500}})
    for (unsigned depth : {2, 3, 4})
      for (uint64_t seed : {0, 1, 2, 3, 7, 10, 14}) {
        Adversary adversary(countWork);
        mixedQuestions(adversary, seed, depth, facts);
        EXPECT_LE(adversary.questions.worst, limit)
            << "seed " << seed << ", depth " << depth << ", " << facts << " facts";
        // Each of the first few is held against the others, in case they contradict each other.
        EXPECT_LE(adversary.facts.worst, 75'000) << "seed " << seed << ", depth " << depth << ", " << facts << " facts";
      }
}

/// Asked as a whole and, since divisors may be 0, by its parts; and a product of which several pairs of factors look
/// alike at one point.
TEST(EffortTest, PartsOfAQuestionAreNoQuestionsOfTheirOwn) {
  for (auto [facts, depth, seed, limit] :
       {std::tuple(0, 4, 43, 33'000), {8, 3, 15, 39'500}, {30, 3, 12, 35'000}, {30, 3, 43, 35'000}}) {
    Adversary adversary(countWork);
    mixedQuestions(adversary, seed, depth, facts);
    EXPECT_LE(adversary.questions.worst, limit) << "seed " << seed;
  }
}

/// Of as many operands as the text of a question may have. They are compared with each other, and in a minimum each is
/// a sum of nearly all.
TEST(EffortTest, OperandsWithoutNumberAreRefusedAtOnce) {
  for (size_t count : {32, 33, 256, 257, 100'000}) {
    SymbolicContext context;
    std::vector<Expr> sizes;
    for (size_t i = 0; i < count; ++i)
      sizes.push_back(context.getSymbol("s" + std::to_string(i)));
    double before = countWork(context);
    EXPECT_EQ(bool(max(sizes)), count <= 32) << count;
    EXPECT_EQ(bool(min(sizes)), count <= 32) << count;
    EXPECT_EQ(bool(bcast(sizes)), count <= 256) << count;
    EXPECT_LE(countWork(context) - before, 2 * workOfQuestion) << count;
    // However often each is repeated.
    std::vector<Expr> repeated(count, sizes.front());
    EXPECT_EQ(max(repeated), sizes.front());
    EXPECT_EQ(min(repeated), sizes.front());
    EXPECT_EQ(bcast(repeated), sizes.front());
  }
}

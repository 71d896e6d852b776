//===- Normal form ----------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Factors.h"
#include "dyn/Symbolic/Numbers.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Symbolic/Solver.h"
#include "gtest/gtest.h"
#include <thread>

using namespace dyn::symbolic;

namespace {
struct ExprTest : testing::Test {
  Expr parse(llvm::StringRef text) {
    ParseError error;
    Expr expr = parseExpr(text, context, error);
    EXPECT_TRUE(expr) << text.str() << ": " << error.message;
    return expr;
  }
  void expectSame(llvm::StringRef lhs, llvm::StringRef rhs) {
    EXPECT_EQ(parse(lhs).str(), parse(rhs).str());
    EXPECT_TRUE(parse(lhs) == parse(rhs)) << lhs.str() << " against " << rhs.str();
  }
  void expectDifferent(llvm::StringRef lhs, llvm::StringRef rhs) {
    EXPECT_FALSE(parse(lhs) == parse(rhs)) << lhs.str() << " against " << rhs.str();
  }
  SymbolicContext context;
};
} // namespace

TEST_F(ExprTest, SumsAndProductsFollowTheRingLaws) {
  expectSame("S + P - P", "S");
  expectSame("(a + b)*(a - b)", "a*a - b*b");
  expectSame("a*(b + c) - a*b", "c*a");
  expectSame("S*12*64", "768*S");
  expectSame("2*(S + 3) - 2*S", "6");
}

TEST_F(ExprTest, LargestNumbersAreThoseOfOperandsToo) {
  EXPECT_EQ(getLargestNumber(parse("s")), 1);
  EXPECT_EQ(getLargestNumber(parse("max(2*s, 3) - 7*t")), 7);
  EXPECT_EQ(getLargestNumber(parse("t + (s + 3) floordiv 99")), 99);
  EXPECT_EQ(getLargestNumber(context.getConstant(0)), 0);
  EXPECT_EQ(getLargestNumber(context.getConstant(INT64_MIN)), INT64_MAX);
  EXPECT_EQ(getLargestNumber(Expr()), 0);
}

TEST_F(ExprTest, RemaindersOfSumsReadAsSuch) {
  auto expectText = [&](llvm::StringRef text) { EXPECT_EQ(parse(text).str(), text); };
  expectText("n mod (t + u)");
  expectText("(3 * t) mod (t - 5)");
  expectText("15 mod (t - u - 5)");
  expectText("2 * (n mod (2 * t + 3)) + 1");
  // Not of a part of the sum.
  expectText("n - t * (n floordiv (t + u))");
  expectText("n mod (t + u) - u * (n floordiv (t + u))");
  // Of sums of five terms, they are written out.
  EXPECT_EQ(parse("n mod (a + b + s + t + u)"), parse(parse("n mod (a + b + s + t + u)").str()));
}

TEST_F(ExprTest, ProductsOfHalvesAndMinimaReadAsSuch) {
  auto expectText = [&](llvm::StringRef text) { EXPECT_EQ(parse(text).str(), text); };
  expectText("(s ceildiv 2) * (t ceildiv 2)");
  expectText("3 * b * (s ceildiv 2) * (t ceildiv 2)");
  EXPECT_EQ(parse("(s ceildiv 2) * (t ceildiv 2) * (u ceildiv 2)").str(),
            "(t ceildiv 2) * (u ceildiv 2) * (s ceildiv 2)");
  expectText("(s ceildiv 2) * (s ceildiv 2)");
  expectText("b * (s ceildiv 2)");
  expectText("b * min(s, 1)");
  expectText("4 * b * b * min(s, t)");
  expectText("s + max(n, 0) * min(s, 1)");
  expectText("2 * a + 3 * b * min(s, t) + 1");
  // Sums of more are not factored.
  expectText("b * s + b + s + 1");
  expectText("b * max(s, 1) + b");
}

TEST_F(ExprTest, FloorDivTakesMultiplesOut) {
  expectSame("(8*x + 5*y + 17) floordiv 8", "x + 2 + (5*y + 1) floordiv 8");
  expectSame("(768*S) floordiv 64", "12*S");
  expectSame("(6*x + 9) floordiv 12", "(2*x + 3) floordiv 4");
  expectSame("-(x floordiv 8)", "(-x) ceildiv 8");
  expectSame("x floordiv -3", "(-x) floordiv 3");
  expectSame("x floordiv 2 + (x + 1) floordiv 2", "x");
}

TEST_F(ExprTest, NestedFloorDivsFlatten) {
  expectSame("((x floordiv 2) + 3) floordiv 5", "(x + 6) floordiv 10");
  expectSame("(y - x floordiv 2) floordiv 5", "-((x - 2*y + 8) floordiv 10)");
  // Not with a negative outer divisor, nor with a symbolic one of unknown sign.
  expectDifferent("(x floordiv 2) floordiv -3", "x floordiv -6");
  expectDifferent("(x floordiv 2) floordiv t", "x floordiv (2*t)");
}

TEST_F(ExprTest, ModIsWhatFloorDivLeaves) {
  expectSame("8*(x floordiv 8) + x mod 8", "x");
  expectSame("(x mod 8) mod 4", "x mod 4");
  expectSame("(x mod 4) mod 8", "x mod 4");
  expectSame("(4*x) mod 8", "4*(x mod 2)");
  expectSame("x + (-x) mod 7", "7*(x ceildiv 7)");
  expectSame("(4*x + y mod 4) floordiv 8", "x floordiv 2");
}

TEST_F(ExprTest, MinAndMaxAreOneForm) {
  expectSame("min(a, b) + max(a, b)", "a + b");
  expectSame("max(a, max(b, c))", "max(max(a, b), c)");
  expectSame("min(a, min(b, c), a)", "min(c, b, a)");
  expectSame("max(a, b) - b", "max(a - b, 0)");
  expectSame("min(a, max(a, b))", "a");
  expectSame("max(4*s, 8) floordiv 4", "max(s, 2)");
  expectSame("max(-a, -b)", "-min(a, b)");
  expectSame("max(s, s + 3)", "s + 3");
  expectDifferent("max(s, 0)", "s");
}

TEST_F(ExprTest, BroadcastIsNeitherMaxNorTheLargerSum) {
  expectSame("bcast(a, bcast(b, 1), a)", "bcast(b, a)");
  expectSame("bcast(7, a)", "7");
  expectSame("bcast(0, a)", "0");
  expectDifferent("bcast(a, b)", "max(a, b)");
  expectDifferent("bcast(a, a + 1)", "a + 1");
}

TEST_F(ExprTest, ZeroDivisorsAreNotCancelled) {
  expectDifferent("(s*t) floordiv t", "s");
  expectDifferent("s floordiv s", "1");
  // The caller of exactdiv promises that the divisor is not zero.
  expectSame("exactdiv(B*S*768, B*S*12)", "64");
  expectSame("exactdiv(B*(S + P)*64, S + P)", "64*B");
  expectSame("exactdiv(a, t)*t", "a");
  expectSame("exactdiv(a, t)**2*t", "a*exactdiv(a, t)");
  expectSame("exactdiv(a*bcast(s, t), s)", "a*exactdiv(bcast(s, t), s)");
  expectSame("exactdiv(a*bcast(s, t), s*t)", "exactdiv(a*exactdiv(bcast(s, t), s), t)");
  expectSame("exactdiv(a*bcast(s + 1, t)**2, (s + 1)**2)", "a*exactdiv(bcast(s + 1, t), s + 1)**2");
  expectSame("(a*bcast(max(s, 1), t)) mod max(s, 1)", "0");
}

TEST_F(ExprTest, ChainsOfStridedWindowsCollapse) {
  expectSame("((((32*h - 1) floordiv 2 + 1 - 1) floordiv 2 + 1 - 1) floordiv 2 + 1)", "4*h");
  expectSame("(h + 2 - 3) floordiv 2 + 1", "(h + 1) floordiv 2");
}

TEST_F(ExprTest, OverflowGivesNoExpression) {
  Expr large = context.getConstant(INT64_MAX), symbol = context.getSymbol("s");
  EXPECT_FALSE(large + 1);
  EXPECT_FALSE(symbol * INT64_MAX * 2);
  EXPECT_FALSE(-context.getConstant(INT64_MIN));
  EXPECT_FALSE((large + 1) * symbol) << "null operands give null";
  EXPECT_TRUE(floorDiv(context.getConstant(INT64_MIN), 2).isConstant(INT64_MIN / 2));
  EXPECT_FALSE(floorDiv(context.getConstant(INT64_MIN), -1));
  Expr power = symbol;
  for (int i = 0; i < 10; ++i)
    power = power * power;
  EXPECT_FALSE(power) << "the degree is limited";
}

/// Where an expression of extreme constants has a value, it is that of 128 bits.
TEST_F(ExprTest, ExtremeConstantsDoNotTrap) {
  using Wide = __int128;
  auto floorOf = [](Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  const auto extremes = {INT64_MIN, INT64_MIN + 1, int64_t(-1), int64_t(0), int64_t(1), INT64_MAX};
  Expr s = context.getSymbol("s");
  auto expectAt = [&](Expr expr, int64_t at, bool isDefined, Wide value) {
    std::optional<int64_t> found =
        expr ? evaluate(expr, [&](llvm::StringRef) { return std::optional(at); }) : std::nullopt;
    if (found)
      EXPECT_TRUE(isDefined && *found == value) << expr.str() << " at " << at << " is " << *found;
  };
  for (int64_t a : extremes)
    for (int64_t b : extremes)
      for (int64_t at : extremes) {
        Expr x = s * a + b, constant = context.getConstant(b);
        Wide value = Wide(at) * a + b, safeA = a ? a : 1, safeB = b ? b : 1;
        expectAt(x, at, true, value);
        expectAt(floorDiv(x, a), at, a != 0, floorOf(value, safeA));
        expectAt(floorDiv(x, b), at, b != 0, floorOf(value, safeB));
        expectAt(ceilDiv(x, b), at, b != 0, -floorOf(-value, safeB));
        expectAt(mod(x, constant), at, b != 0, value - safeB * floorOf(value, safeB));
        expectAt(max({x, constant}), at, true, std::max<Wide>(value, b));
        expectAt(min({s, context.getConstant(a)}), at, true, std::min(at, a));
        // Whoever asks for them promises that sizes broadcast, and that it divides.
        if (at == b || at == 1 || b == 1)
          expectAt(bcast({s, constant}), at, true, at == 1 ? b : at);
        if (a != 0 && value % a == 0)
          expectAt(exactDiv(x, context.getConstant(a)), at, true, value / a);
      }
}

TEST_F(ExprTest, SubstitutionNormalisesAgain) {
  Substitution map;
  map[parse("S").getNode()] = parse("8*k + 3");
  EXPECT_EQ(substitute(parse("S floordiv 8 + max(S, 3)"), map).str(), parse("k + max(8*k, 0) + 3").str());
}

TEST_F(ExprTest, ImportKeepsTheOrderOfNames) {
  SymbolicContext other;
  other.getSymbol("z");
  Expr expr = parse("z*a + max(a, z) + (b + a) floordiv 3");
  Expr copy = importExpr(expr, other);
  EXPECT_EQ(copy.str(), expr.str());
  EXPECT_TRUE(importExpr(copy, context) == expr);
}

TEST_F(ExprTest, ValuesAreUndefinedWhereAPartIs) {
  auto at = [](int64_t value) { return [=](llvm::StringRef) -> std::optional<int64_t> { return value; }; };
  EXPECT_EQ(evaluate(parse("(a + 5) floordiv b"), at(-3)), -1);
  EXPECT_EQ(evaluate(parse("a floordiv b"), at(0)), std::nullopt);
  EXPECT_EQ(evaluate(parse("exactdiv(a, b + 2)"), at(3)), std::nullopt);
  EXPECT_EQ(evaluate(parse("bcast(a, b + 1)"), at(3)), std::nullopt);
  EXPECT_EQ(evaluate(parse("bcast(a, b + 1)"), at(1)), 2);
  EXPECT_EQ(evaluate(parse("a*a*a"), at(int64_t(1) << 40)), std::nullopt);
  EXPECT_EQ(evaluate(parse("a"), [](llvm::StringRef) { return std::optional<int64_t>(); }), std::nullopt);
}

/// Among more symbols than masks tell apart, large atoms list those inside; one of them has more than are listed.
TEST_F(ExprTest, SymbolsOfLargeExpressionsAreFoundAmongMany) {
  auto get = [&](unsigned number) { return context.getSymbol("s" + std::to_string(number)); };
  auto check = [&](Expr expr, unsigned first, unsigned count) {
    llvm::SmallVector<Expr, 4> symbols = expr.getSymbols();
    ASSERT_EQ(symbols.size(), count);
    for (unsigned i = 0; i < count; ++i)
      EXPECT_EQ(symbols[i], get(first + i));
    EXPECT_EQ(Predicate::less(Expr(), expr).getSymbols(), symbols);
    Predicate joined = Predicate::disjunction({Predicate::equal(expr, get(first)), Predicate::less(get(first), expr)});
    EXPECT_EQ(joined.getSymbols(), symbols);
  };
  // Made while masks still tell all symbols apart.
  Expr early = floorDiv(max({get(0) + get(1), get(2) * get(3)}) + max({get(4), get(5)}) * 3 + get(6) + get(7), get(8));
  for (unsigned number = 0; number < 200; ++number)
    get(number);
  check(early, 0, 9);
  for (unsigned count : {10, 63, 64, 65, 90}) {
    for (unsigned first : {0, 60, 100}) {
      Expr sum = get(first);
      for (unsigned number = first + 1; number < first + count; ++number)
        sum = sum + get(number) * int64_t(number);
      Expr nested = floorDiv(sum, get(first) + 1);
      check(nested, first, count);
      check(floorDiv(nested + get(first + 3), get(first + 1)) + get(first + 2), first, count);
    }
  }
}

TEST_F(ExprTest, SymbolsComeInTheirOrderOfDeclaration) {
  context.getSymbol("S"), context.getSymbol("B");
  llvm::SmallVector<Expr, 4> symbols = parse("B + max(A, S) + S floordiv 4").getSymbols();
  ASSERT_EQ(symbols.size(), 3u);
  EXPECT_EQ(symbols[0].getSymbolName(), "S");
  EXPECT_EQ(symbols[1].getSymbolName(), "B");
  EXPECT_EQ(symbols[2].getSymbolName(), "A");
}

TEST_F(ExprTest, CreatedSymbolsAreNew) {
  context.getSymbol("u0");
  EXPECT_EQ(context.createSymbol("u").getSymbolName(), "u1");
  EXPECT_EQ(context.createSymbol("u").getSymbolName(), "u2");
}

TEST_F(ExprTest, TreesShareEqualParts) {
  std::shared_ptr<const ExprTree> tree = getTree(parse("(x floordiv 3) * (y + (x floordiv 3) * z)"));
  const ExprTree *first = nullptr;
  unsigned found = 0;
  std::function<void(const ExprTree &)> visit = [&](const ExprTree &node) {
    if (node.kind == ExprTree::Kind::FloorDiv) {
      first = first ? first : &node;
      EXPECT_EQ(first, &node);
      ++found;
    }
    for (const auto &operand : node.operands)
      visit(*operand);
  };
  visit(*tree);
  EXPECT_GE(found, 2u);
}

TEST_F(ExprTest, BudgetCountsTermsDepthAndNodes) {
  EXPECT_TRUE(parse("a + b*c floordiv 4").isWithinBudget());
  Expr deep = parse("a");
  for (int i = 0; i < 7; ++i)
    deep = max({floorDiv(deep * context.getSymbol("b"), 3), context.getSymbol("c")});
  EXPECT_FALSE(deep.isWithinBudget());
  Expr wide = context.getConstant(0);
  for (int i = 0; i < 33; ++i)
    wide = wide + context.createSymbol("w");
  EXPECT_FALSE(wide.isWithinBudget());
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static void runOnThreads(llvm::function_ref<void()> body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([=] { body(); });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(ThreadsTest, EachHasAContextOfItsOwn) {
  runOnThreads([] {
    for (int round = 0; round < 20; ++round) {
      SymbolicContext context;
      Solver solver(context);
      Expr s = context.getSymbol("s"), t = context.getSymbol("t");
      EXPECT_TRUE(solver.addPredicate(Predicate::equal(s * s, t * t), solver.addReason({"squares", "", 0})));
      EXPECT_EQ(solver.isEqual(s, t), Verdict::Yes);
      EXPECT_EQ(solver.simplify(max({s, t}) + 1).str(), solver.simplify(s + 1).str());
      EXPECT_FALSE(solver.explain(Predicate::equal(s, t)).empty());
    }
  });
}

TEST(ThreadsTest, OneThatNobodyAddsToIsRead) {
  SymbolicContext context;
  Expr s = context.getSymbol("s"), t = context.getSymbol("t");
  Expr expr = max({s * t, floorDiv(s + 3, context.getConstant(4))}) + mod(t, context.getConstant(5));
  std::string text = expr.str();
  runOnThreads([&] {
    for (int64_t value = 0; value < 200; ++value) {
      EXPECT_EQ(expr.str(), text);
      EXPECT_EQ(expr.getSymbols().size(), 2u);
      EXPECT_TRUE(expr != s && expr.isWithinBudget());
      EXPECT_EQ(evaluate(expr, [&](llvm::StringRef) { return std::optional(value); }),
                std::max(value * value, (value + 3) / 4) + value % 5);
    }
  });
}

/// However many there are to spread, and where one leaves 64 bits.
TEST_F(ExprTest, TheOrderOfOperandsOfNestedMaximaDoesNotMatter) {
  expectSame("max(max(a, b), max(c, d), e, f, g, h, i)", "max(i, h, max(d, c), g, f, e, max(b, a))");
  Expr large = parse("max(9223372036854775807*max(a, 3), max(a*a, s))");
  EXPECT_EQ(parse(large.str()), large);
  EXPECT_EQ(parse("max(max(a*a, s), 9223372036854775807*max(a, 3))"), large);
}

TEST_F(ExprTest, FactorsGiveTheirProduct) {
  auto expectFactors = [&](llvm::StringRef product, std::vector<std::string> expected) {
    std::vector<std::string> found;
    Expr of = context.getConstant(1);
    for (Expr factor : getFactors(parse(product))) {
      found.push_back(factor.str());
      of = of * factor;
    }
    EXPECT_EQ(of, parse(product)) << product.str();
    EXPECT_EQ(found, expected) << product.str();
  };
  expectFactors("(s - u)*(t - 1)*s", {"s", "t - 1", "s - u"});
  expectFactors("6*s*s", {"s", "s", "6"});
  expectFactors("s*t", {"s", "t"});
  expectFactors("s*t + s", {"s", "t + 1"});
  expectFactors("s*t + u", {"s * t + u"});
  expectFactors("(s - 1)*(t - 1) - 1", {"s * t - s - t"});
  expectFactors("4*(s floordiv 2)*(s + t)", {"s floordiv 2", "4 * s + 4 * t"});
  expectFactors("3", {"3"});
  expectFactors("0", {"0"});
  EXPECT_EQ(getFactors(Expr()), (llvm::SmallVector<Expr, 4>{Expr()}));
}

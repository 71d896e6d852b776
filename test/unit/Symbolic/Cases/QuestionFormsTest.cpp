//===- Questions that another form answers ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

using namespace dyn::symbolic;

namespace {
class QuestionFormsTest : public test::SolverFixture {
protected:
  void know(llvm::StringRef text) {
    facts.push_back(predicate(text));
    EXPECT_TRUE(add(text)) << text.str();
  }

  /// The answer is yes, and is right at each point.
  void expectTrue(llvm::StringRef text) {
    expectYes(text);
    Counts counts = count(text);
    EXPECT_TRUE(counts.ofTrue > 0 && counts.ofOthers == 0) << text.str();
  }
  /// There is no answer, and none is right: the points differ.
  void expectOpen(llvm::StringRef text) {
    expectUnknown(text);
    Counts counts = count(text);
    EXPECT_TRUE(counts.ofTrue > 0 && counts.ofOthers > 0) << text.str();
  }

private:
  struct Counts {
    unsigned ofTrue = 0, ofOthers = 0; ///< where it is false or has no value
  };
  /// Of the points at which symbols have values up to a small one, and facts hold.
  Counts count(llvm::StringRef text) {
    constexpr int64_t largest = 13;
    Predicate question = predicate(text);
    llvm::SmallVector<Expr, 4> symbols = question.getSymbols();
    for (const Predicate &fact : facts)
      for (Expr symbol : fact.getSymbols())
        if (!llvm::is_contained(symbols, symbol))
          symbols.push_back(symbol);
    llvm::StringMap<int64_t> values;
    auto valueOf = [&](llvm::StringRef name) -> std::optional<int64_t> { return values.lookup(name); };
    Counts counts;
    std::function<void(size_t)> visit = [&](size_t place) {
      if (place < symbols.size()) {
        for (int64_t &value = values[symbols[place].getSymbolName()] = 0; value <= largest; ++value)
          visit(place + 1);
        return;
      }
      if (llvm::all_of(facts, [&](const Predicate &fact) { return evaluate(fact, valueOf) == true; }))
        ++(evaluate(question, valueOf) == true ? counts.ofTrue : counts.ofOthers);
    };
    visit(0);
    return counts;
  }

  std::vector<Predicate> facts;
};
} // namespace

TEST_F(QuestionFormsTest, QuotientsAreTakenIntoMaxima) {
  expectYes("min(s//2, t//2)//2 == min(s, t)//4");
  expectYes("min(s//2, t//2) mod 5 == (min(s, t)//2) mod 5");
  expectYes("ceildiv(min(s//2, t//2), 5) == ceildiv(min(s, t)//2, 5)");
  expectYes("ceildiv(max(s - 0, 0), 4) + ceildiv(max(s - 1, 0), 4) + ceildiv(max(s - 2, 0), 4) + "
            "ceildiv(max(s - 3, 0), 4) == s");
  expectYes("min(s//2, t//2)//2 <= min(s, t)//4 and min(s//2, t//2)//2 != min(s, t)//4 + 1");
  expectUnknown("min(s//2, t//2)//2 == min(s + 1, t)//4");
  expectUnknown("min(s//2, t//2)//2 < min(s, t + 1)//4");
  expectUnknown("ceildiv(max(s, 0), 4) + ceildiv(max(s - 1, 0), 4) + ceildiv(max(s - 3, 0), 4) == s");
}

TEST_F(QuestionFormsTest, HalvesAddUpInProducts) {
  std::string height = "(h floordiv 4 + (h + 2) floordiv 4)", width = "(w floordiv 6 + (w + 3) floordiv 6)";
  expectYes("n*(h floordiv 2) == n*" + height);
  expectYes("n*(h floordiv 2)*(w floordiv 3) == n*" + height + "*" + width);
  expectYes("(h floordiv 2)*(h floordiv 2)*c == " + height + "*(h floordiv 2)*c");
  expectUnknown("n*(h floordiv 2) == n*(h floordiv 4 + (h + 1) floordiv 4)");
}

TEST_F(QuestionFormsTest, HalvesOfMaximaAreTakenIntoThem) {
  expectYes("min((h - 1)//2 + 1, (w - 1)//2 + 1)//2 == (min(h, w) + 1)//4");
  expectUnknown("min((h - 1)//2 + 1, (w - 1)//2 + 1)//2 == (min(h, w) + 2)//4");
}

TEST_F(QuestionFormsTest, MaximaHaveCoefficients) {
  expectTrue("max((2*s + 3)//4, (2*t + 3)//4) == (2*max(s, t) + 3)//4");
  expectOpen("max((2*s + 3)//4, (2*t + 3)//4) == (2*max(s, t) + 4)//4");
  // One that is negative makes a minimum of the maximum.
  expectTrue("min((7 - 2*s)//3, (7 - 2*t)//3) == (7 - 2*max(s, t))//3");
  expectOpen("max((7 - 2*s)//3, (7 - 2*t)//3) == (7 - 2*max(s, t))//3");
  expectTrue("max((s + r)//5, (s + u)//5, (t + r)//5, (t + u)//5) == (max(s, t) + max(r, u))//5");
  expectOpen("max((s + r)//5, (s + u)//5, (t + r)//5) == (max(s, t) + max(r, u))//5");
  // The quotient may have one too.
  expectTrue("3*(max(s, t)//2) - 2*(min(s, t)//2) == 3*max(s//2, t//2) - 2*min(s//2, t//2)");
  expectOpen("3*(max(s, t)//2) - 2*(min(s, t)//2) == 3*max(s//2, t//2) - 3*min(s//2, t//2)");
}

TEST_F(QuestionFormsTest, HalvesOfMultiplesOfMaximaAreTakenIntoThem) {
  expectTrue("max(s, t) - (2*max(s, t) + 3)//4 == max(s//2, t//2)");
  expectTrue("max(s, t) - (3*max(s, t) + 1)//6 == max((3*s + 4)//6, (3*t + 4)//6)");
  expectOpen("max(s, t) - (2*max(s, t) + 3)//4 == max((s + 1)//2, (t + 1)//2)");
  expectOpen("max(s, t) - (3*max(s, t) + 1)//6 == max((3*s + 2)//6, (3*t + 2)//6)");
}

TEST_F(QuestionFormsTest, DivisorsMayBeSymbols) {
  know("q >= 1");
  expectTrue("max(s//q, t//q) == max(s, t)//q");
  expectTrue("min(s ceildiv q, t ceildiv q) == min(s, t) ceildiv q");
  expectTrue("max(s//q, t//q) + 1 == (max(s, t) + q)//q");
  expectTrue("min((q - s)//q, (q - t)//q) == (q - max(s, t))//q");
  expectOpen("max(s//q, t//q) == max(s, t + 1)//q");
  expectOpen("max(s//q, t//q)//q == max(s, t)//q");
  // It may be 0.
  expectOpen("max(s//p, t//p) == max(s, t)//p");
}

TEST_F(QuestionFormsTest, EndsOfRangesDecide) {
  know("s <= 11 and 4 <= t and t <= 11");
  expectTrue("(max(s, t) + 4)//16 == 0");
  expectOpen("(max(s, t) + 5)//16 == 0");
  expectTrue("(max(s, t) + 5)//16 <= 1");
  expectTrue("(max(s, t) - 4)//8 >= 0");
  expectOpen("(max(s, t) - 5)//8 >= 0");
  expectTrue("max(s, 10)//11 == s//11");
  expectOpen("max(s, 11)//11 == s//11");
  expectTrue("max(s//2, t//2)//2 <= 2");
  expectOpen("max(s//2, t//2)//2 < 2");
  expectOpen("min(s//2, t//2)//2 == min(s, t, 7)//4");
}

TEST_F(QuestionFormsTest, MaximaOfManyAreLeft) {
  auto ask = [&](unsigned numOperands) {
    std::string whole, parts;
    for (unsigned i = 0; i < numOperands; ++i) {
      std::string symbol = "n" + std::to_string(i);
      whole += (i ? ", " : "") + symbol;
      parts += (i ? ", " : "") + symbol + "//2";
    }
    return solver.implies(predicate("max(" + parts + ") == max(" + whole + ")//2"));
  };
  EXPECT_EQ(ask(12), Verdict::Yes);
  // Not wrong, whether or not something else finds it.
  EXPECT_NE(ask(13), Verdict::No);
}

TEST_F(QuestionFormsTest, WhatAllTermsShareIsTakenOut) {
  // Halves of a number of patches, of every row of every image.
  expectYes("b*r*((w + 3) floordiv 8) + b*r*(w ceildiv 8) == b*r*(w ceildiv 4)");
  expectYes("b*r*(w ceildiv 4) <= b*r*((w + 3) floordiv 8) + b*r*(w ceildiv 8)");
  expectNo("b*r*(w ceildiv 4) < b*r*((w + 3) floordiv 8) + b*r*(w ceildiv 8)");
  expectUnknown("b*r*((w + 3) floordiv 8) + b*r*(w floordiv 8) == b*r*(w ceildiv 4)");
  expectUnknown("b*r*((w + 3) floordiv 8) + b*r*(w ceildiv 8) != b*r*(w floordiv 4)");
  // A factor that may be negative turns an order.
  expectUnknown("(b - s)*((w + 3) floordiv 8) + (b - s)*(w ceildiv 8) <= (b - s)*(w ceildiv 4) + b - s");
  // Where a factor is 0, a quotient may have no value.
  expectUnknown("b*(s floordiv b) + b*((w + 3) floordiv 8) + b*(w ceildiv 8) == b*(s floordiv b) + b*(w floordiv 4)");
  expectUnknown("b*(s*b floordiv b) == b*s");
}

/// The bounds of a quotient by `n*p` speak of `n*p*Q`.
TEST_F(QuestionFormsTest, WhatStandsBesideAQuotientIsMadeItsDivisor) {
  know("i < m*n and p >= 1");
  expectTrue("(i floordiv (p*n))*p < m");
  expectTrue("(i floordiv (p*n))*p <= m");
  expectYes("(i floordiv (p*n*q))*p*q < m");
  expectOpen("(i floordiv (p*n))*p + 1 < m");
  expectUnknown("(i floordiv (p*n))*q < m");
  know("m mod p == 0");
  expectYes("((i floordiv (p*n)) + 1)*p <= m");
}

TEST_F(QuestionFormsTest, ALoneQuotientIsComparedByItsDividend) {
  know("a <= b and c + 1 == a");
  expectTrue("(c*c) floordiv b <= b");
  expectTrue("(c*c) floordiv b < b + 1");
  expectOpen("(c*c) floordiv b + 2 <= b");
  expectOpen("(c*c) floordiv b >= c");
}

TEST_F(QuestionFormsTest, SmallerProductsAreDropped) {
  know("a <= x and b <= y and c <= z and d <= w and e < f");
  expectYes("a*b + c*d <= x*y + z*w");
  expectYes("a*b + c*d + e < x*y + z*w + f");
  expectYes("2*a*b + 3*c*d <= 2*x*y + 4*z*w");
  expectYes("a*b*e + c*d <= x*y*f + z*w");
  expectUnknown("a*b + c*d < x*y + z*w");
  expectUnknown("2*a*b + c*d <= x*y + 2*z*w");
  expectUnknown("a*c + b*d <= x*y + z*w");
}

/// The product of two that are negative is not.
TEST_F(QuestionFormsTest, FactorsOfSmallerProductsAreSizes) {
  SymbolFacts any;
  any.range = {};
  for (const char *symbol : {"u", "v"})
    ASSERT_TRUE(solver.declare(expr(symbol), any, SymbolClass::Declared, solver.addReason({})));
  know("u <= x and v <= y and c <= z");
  expectUnknown("u*v + c <= x*y + z");
  know("u >= 0 and v >= 0");
  expectYes("u*v + c <= x*y + z");
}

/// Squares of one that is a difference: `a*a - 2*a + 1`.
TEST_F(QuestionFormsTest, ProductsOfDifferencesAreDroppedToo) {
  know("a <= b and a >= 1");
  expectTrue("a*a + 1 < b*b + b + 2*a");
  expectTrue("(a - 1)*(a - 1) < b*b + b");
  expectOpen("a*a + 1 < b*b + b");
}

/// Their difference has no expression.
TEST_F(QuestionFormsTest, FactorsThatAreTooFarApartTellNothing) {
  SymbolFacts any;
  any.range = {};
  ASSERT_TRUE(solver.declare(expr("x"), any, SymbolClass::Declared, solver.addReason({})));
  know("a == 9223372036854775807 and x == k - 9223372036854775807 and b <= y and c <= z");
  expectUnknown("a*b + c <= x*y + z");
  expectUnknown("((9223372036854775807 + h) floordiv 32)*y == ((h - 9223372036854775807) floordiv 32)*y");
}

/// The normal form of a quotient that is rounded up has a difference as its dividend, whose range says nothing.
TEST_F(QuestionFormsTest, AQuotientIsComparedWithoutWhatStandsBesideIt) {
  expectTrue("0 <= e*((b*a + c) ceildiv (a + 1))");
  expectTrue("e*((b - c) floordiv (a + 1)) <= e*b");
  expectNo("e*((b*a + c) ceildiv (a + 1)) < 0");
  SymbolFacts any;
  any.range = {};
  ASSERT_TRUE(solver.declare(expr("u"), any, SymbolClass::Declared, solver.addReason({})));
  expectUnknown("0 <= u*((b*a + c) ceildiv (a + 1))");
}

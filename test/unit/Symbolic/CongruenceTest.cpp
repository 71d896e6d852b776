//===- Remainders, multiples and equal parts -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"
#include "llvm/ADT/StringExtras.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {

/// Facts and a question that follows from them, each list with `;` between its parts.
struct Row {
  const char *declarations, *facts, *questions;
};

struct CongruenceTest : testing::Test {
  /// Each row in a solver of its own.
  void expectYes(llvm::ArrayRef<Row> rows, Verdict verdict = Verdict::Yes) {
    for (const Row &row : rows) {
      Talk talk;
      if (*row.declarations)
        ASSERT_TRUE(talk.declare(row.declarations));
      for (llvm::StringRef fact : llvm::split(row.facts, ';'))
        if (!fact.trim().empty())
          ASSERT_TRUE(talk.add(fact)) << row.facts;
      for (llvm::StringRef question : llvm::split(row.questions, ';'))
        EXPECT_EQ(talk.solver.implies(talk.predicate(question)), verdict) << question.str() << " given " << row.facts;
    }
  }

  struct Talk : SolverFixture {
    void TestBody() override {}
  };
};

TEST_F(CongruenceTest, SumsMayHaveAnyCoefficients) {
  expectYes({{"", "mod(2*h + 3*w, 8) == 0", "mod(2*h + 3*w, 4) == 0; mod(6*h + 9*w, 8) == 0"},
             {"", "mod(2*h + 3*w, 6) == 0", "mod(2*h + 3*w, 3) == 0; mod(w, 2) == 0; mod(h, 3) == 0"},
             {"", "mod(6*h + 10*w + 15*u, 30) == 0", "mod(u, 2) == 0; mod(w, 3) == 0; mod(h, 5) == 0"},
             {"", "mod(h + 4*w, 6) == 0; h + 4*w >= 1", "h + 4*w >= 6"},
             // The same under names that come in the other order, of which the remainder has another form.
             {"", "mod(t + 4*s, 6) == 0; t + 4*s >= 1", "t + 4*s >= 6"},
             {"", "n == 2*h + 3*w; mod(n, 8) == 0; n >= 1", "n >= 8"},
             {"", "mod(2*h + 3*w, 6) == 0; 1 <= 2*h + 3*w; 2*h + 3*w <= 11", "2*h + 3*w == 6"},
             {"", "mod(2*h + 3*w, 4) == 1", "mod(w, 2) == 1"}});
  // Nothing follows for the parts.
  expectYes({{"", "mod(2*h + 3*w, 8) == 0", "mod(h, 2) == 0; mod(w, 4) == 0"}}, Verdict::Unknown);
}

TEST_F(CongruenceTest, SumsOfProductsMaximaAndBroadcastsAreMultiples) {
  expectYes({{"", "mod(b*(p + s), 8) == 0", "mod(b*(p + s)*d, 8) == 0; mod(3*b*(p + s), 24) == 0"},
             {"", "mod(b*(p + s), 8) == 0; b*(p + s) >= 1", "b*(p + s) >= 8"},
             {"", "mod(b*(p + s), 8) == 0; 1 <= b*(p + s); b*(p + s) <= 15", "b*(p + s) == 8"},
             {"", "mod(b*(p + s), 8) == 0", "floordiv(b*(p + s)*d, 8) == floordiv(b*(p + s), 8)*d"},
             {"", "mod(h*(w + 1), 4) == 1", "mod(h*(w + 1), 2) == 1"},
             {"", "mod(max(h, w), 8) == 0", "mod(max(h, w)*d, 8) == 0"},
             {"", "mod(max(h, w), 8) == 0; max(h, w) >= 1", "max(h, w) >= 8"},
             {"", "mod(bcast(M, N), 8) == 0", "mod(bcast(M, N)*d, 8) == 0"}});
}

TEST_F(CongruenceTest, CongruencesOfOneProductContradictEachOther) {
  Talk talk;
  ASSERT_TRUE(talk.add("mod(h*(w + 1), 4) == 1"));
  EXPECT_FALSE(talk.add("mod(h*(w + 1), 6) == 4"));
}

TEST_F(CongruenceTest, MultiplesOfSizesAreProducts) {
  const char *positive = "t: [1, ?], r: [1, ?], n: [1, ?], w: [1, ?]";
  expectYes({{positive, "mod(s, t) == 0; 1 <= s; s < 2*t", "s == t"},
             // Pixels to channels, heads that share keys, windows.
             {positive, "mod(c, r*r) == 0", "mod(c, r) == 0; floordiv(c, r*r)*r == floordiv(c, r)"},
             {positive, "mod(h, n) == 0; h >= 1; i < h", "floordiv(i, floordiv(h, n)) < n"},
             {positive, "mod(x, w) == 0; mod(y, w) == 0; x >= 1; y >= 1",
              "floordiv(b*x*y, floordiv(x, w)*floordiv(y, w)) == b*w*w"}});
  // Nothing where the divisor may be 0, or negative in places.
  expectYes({{"t: int", "mod(s, t) == 0", "floordiv(s, t) >= 0"}}, Verdict::Unknown);
  // Forms speak of named sizes.
  Talk talk;
  ASSERT_TRUE(talk.declare(positive));
  ASSERT_TRUE(talk.add("mod(c, r) == 0"));
  EXPECT_EQ(talk.simplify("c"), "c");
  EXPECT_EQ(talk.simplify("r*floordiv(c, r) + 2*c*t"), "2 * c * t + c");
  EXPECT_EQ(talk.simplify("floordiv(c, r)"), "c floordiv r");
}

TEST_F(CongruenceTest, SizesAreModuliAsNumbersAre) {
  const char *positive = "k: [1, ?]";
  expectYes({{positive, "s mod k == t mod k", "(s - t) mod k == 0; (s + u) mod k == (t + u) mod k"},
             {positive, "s mod k == t mod k; 0 <= s - t; s - t < k", "s == t"},
             {positive, "(s - t) mod k == 0", "s mod k == t mod k; (s + u) mod k == (t + u) mod k"},
             {positive, "s mod k == t mod k; s floordiv k == t floordiv k", "s == t"},
             {positive, "s floordiv k == t floordiv k", "s - t < k; t - s < k; k*(s floordiv k) <= t"},
             {positive, "s floordiv k == u; t floordiv k == u", "s - t < k"},
             // The other order of names, by which the other quotient is rewritten.
             {"k: [1, ?], t: [0, ?], s: [0, ?]", "s floordiv k == t floordiv k", "s - t < k; t - s < k"}});
  expectYes({{positive, "s floordiv k == t floordiv k", "s <= t"}, {positive, "s mod k == t mod k", "s - t < k"}},
            Verdict::Unknown);
}

TEST_F(CongruenceTest, AMultipleOfAMultipleIsOneForNumbersToo) {
  const char *positive = "h: [1, ?]";
  expectYes({{positive, "768 mod h == 0", "(768*s) mod h == 0; (768*s) floordiv h == (768 floordiv h)*s"},
             {positive, "768 == h*d", "(768*s*t) mod h == 0; (1536*s) floordiv h == 2*d*s"},
             {positive, "e == h*d; e == 768", "(e*s) mod h == 0"}});
  expectYes({{positive, "768 mod h == 0", "(767*s) mod h == 0"}, {"", "768 == h*d", "(384*s) mod h == 0"}},
            Verdict::Unknown);
}

TEST_F(CongruenceTest, MultiplesOfSizesDivideAsSizesDo) {
  expectYes({{"n: [1, ?]", "s <= t", "s floordiv (2*n) <= t floordiv (2*n)"},
             {"", "n mod 2 == 0; n >= 1; s <= t", "s floordiv n <= t floordiv n; s ceildiv n <= s floordiv n + 1"},
             {"", "s floordiv t == 2", "s >= 2*t"}});
  expectYes({{"n: [1, ?]", "s <= t", "t floordiv (2*n) <= s floordiv (2*n)"},
             {"s: int", "s floordiv t == 2", "s >= 2*t + 1"}},
            Verdict::Unknown);
}

TEST_F(CongruenceTest, ProductsThatAreNumbersHaveTheirFactorsAsQuotients) {
  expectYes({{"", "h*d == 768", "mod(768, d) == 0; floordiv(768, d) == h; floordiv(768, d)*d == 768"},
             {"h: [1, ?], d: [1, ?]", "h*d == 64", "mod(64, d) == 0"},
             {"", "(p + s)*t == 12", "mod(12, t) == 0; mod(12, p + s) == 0"},
             {"", "h*d == 12*s; d >= 1", "floordiv(12*s, d) == h"}});
  expectYes({{"", "h*d == 12*s", "floordiv(12*s, d) == h"}, {"d: [1, ?]", "h*d == 768", "mod(384, d) == 0"}},
            Verdict::Unknown);
}

/// Which remainders the unknowns of an equation have is found by trying them.
TEST_F(CongruenceTest, ProductsHaveRemaindersOfTheirFactors) {
  expectYes({{"", "s*t mod 2 == 1", "s mod 2 == 1"},
             {"", "s*t mod 2 == 1", "(s + t) mod 2 == 0"},
             {"", "s*t mod 2 == 0; s mod 2 == 1", "t mod 2 == 0"},
             {"", "s*t mod 3 == 2", "(s + t) mod 3 == 0"},
             {"", "s*t == 12; s mod 2 == t mod 2", "s + t == 8"},
             {"", "s*s + 3*t == 3*u + 1", "s mod 3 != 0"}});
  expectYes({{"", "s*t mod 2 == 0", "s mod 2 == 0"}, {"", "s*s + t*t == 4*u + 2", "s == t"}}, Verdict::Unknown);
  for (const char *fact : {"s*(s + 1) == 2*t + 1", "s*s == 4*t + 3", "s*s + t*t == 4*u + 3", "s**16 == 5*t + 2",
                           "s*s*s == 7*t + 2", "s*s == 5*t + 2"}) {
    Talk talk;
    EXPECT_FALSE(talk.add(fact)) << fact;
  }
}

/// The larger one is the other one and a distance, and in no term is that negative.
TEST_F(CongruenceTest, ProductsOrderTheirFactors) {
  expectYes({{"", "s*s*s + s == t*t*t + t", "s == t"},
             {"", "s*s*s + s <= t*t*t + t", "s <= t"},
             {"", "s*s*s + s < t*t*t + t", "s < t"},
             {"", "s*s + t*t <= 2*s*t", "s == t; s <= t"}});
  expectYes({{"", "s*s*s == t*t*t + 7*t", "s == t"}, {"", "s*s + t <= t*t + s", "s <= t"}}, Verdict::Unknown);
}

/// Hermite: parts of a size that is divided among n, in whatever order.
TEST_F(CongruenceTest, PartsOfASizeAreTheSize) {
  for (int64_t count : {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13}) {
    Talk talk;
    std::string floors, ceilings;
    for (int64_t part = 0; part < count; ++part) {
      const char *plus = part ? " + " : "";
      floors += plus + ("(s + " + llvm::Twine(part) + ") floordiv " + llvm::Twine(count)).str();
      ceilings += plus + ("max((s - " + llvm::Twine(part) + ") ceildiv " + llvm::Twine(count) + ", 0)").str();
    }
    talk.expectYes(floors + " == s");
    talk.expectYes("b*s == b*(" + floors + ")");
    if (count <= 8)
      talk.expectYes(ceilings + " == s");
    EXPECT_NE(talk.solver.implies(talk.predicate(floors + " == s + 1")), Verdict::Yes);
  }
  expectYes({{"", "",
              "x floordiv 10 + (x + 2) floordiv 10 + (x + 4) floordiv 10 + (x + 6) floordiv 10 + (x + 8) floordiv 10 "
              "== x floordiv 2"}});
}

/// Each dim takes a proof with cases, and their product too many of them.
TEST_F(CongruenceTest, ProductsAreEqualWhoseFactorsAre) {
  std::string rows = "((h + max((h ceildiv 4 - 1)*4 + 3 - h, 0) - 3) floordiv 4 + 1)";
  std::string columns = "((w + max((w ceildiv 4 - 1)*4 + 3 - w, 0) - 3) floordiv 4 + 1)";
  std::string question = rows + "*" + columns + " == (h ceildiv 4)*(w ceildiv 4)";
  expectYes({{"h: [1, ?], w: [1, ?]", "", question.c_str()},
             {"w: [1, ?]", "", "k*max(h ceildiv w, h) == k*h"},
             {"k: [1, ?]", "", "b*min(p ceildiv k, s ceildiv k) == b*(min(p, s) ceildiv k)"}});
}

TEST_F(CongruenceTest, BroadcastsOfPositiveSizesAreMaxima) {
  const char *positive = "s: [1, ?], t: [1, ?], u: [1, ?], v: [1, ?]";
  expectYes({{positive, "", "bcast(s, t, u) == max(s, t, u)"},
             {positive, "", "bcast(s, t) + bcast(u, v) == max(s, t) + max(u, v)"}});
  expectYes({{"", "", "bcast(s, t, u) == max(s, t, u)"}}, Verdict::Unknown);
}

} // namespace

//===- Sizes that follow from given ones, in every direction ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/SizeInference.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace dyn::symbolic;

namespace {
/// The model of the header: y = concat(x w, past).
struct SizeInferenceTest : testing::Test {
  SizeProblem problem{"n: [0, ?], k: [0, 64], k2: [0, ?], m: [0, ?], p: [0, ?]",
                      {{"k == k2", "matmul: contraction", "/mm"}, {"p mod 2 == 0", "pairs", "/pair"}},
                      {},
                      {{"n", "dim 0 of 'x'"},
                       {"k", "dim 1 of 'x'"},
                       {"k2", "dim 0 of 'w'"},
                       {"m", "dim 1 of 'w'"},
                       {"p", "dim 0 of 'past'"},
                       {"m", "dim 1 of 'past'"}}};

  void give(const char *dim, int64_t size) { problem.given.push_back({dim, "dim " + std::string(dim), size}); }
  void name(const char *symbol, int64_t size) {
    problem.given.push_back({symbol, "'" + std::string(symbol) + "'", size, true});
  }
  /// The sizes, then what is missing; or the conflict.
  std::string infer() {
    ParseError error;
    std::optional<InferredSizes> inferred = inferSizes(problem, error);
    if (!inferred)
      return "error: " + error.message;
    if (!inferred->conflict.empty())
      return inferred->conflict;
    std::string text;
    for (std::optional<int64_t> size : inferred->sizes)
      text += (text.empty() ? "" : " ") + (size ? std::to_string(*size) : "?");
    return text + (inferred->missing.empty() ? "" : "; missing: ") + llvm::join(inferred->missing, ", ");
  }
};
} // namespace

TEST_F(SizeInferenceTest, AllFollows) {
  give("n", 2), give("k", 3), give("n + p", 8), give("m", 4);
  EXPECT_EQ(infer(), "2 3 3 4 6 4");
}

TEST_F(SizeInferenceTest, AFactTellsTheOtherOperand) {
  name("n", 2), name("k2", 3), name("m", 4), name("p", 0);
  EXPECT_EQ(infer(), "2 3 3 4 0 4");
}

TEST_F(SizeInferenceTest, AllThatIsMissingIsTold) {
  EXPECT_EQ(infer(), "? ? ? ? ? ?; missing: n (dim 0 of 'x'), k (dim 1 of 'x', 0 to 64), m (dim 1 of 'w'), p (dim 0 of "
                     "'past')");
  give("n", 2), give("n + p", 8);
  EXPECT_EQ(infer(), "2 ? ? ? 6 ?; missing: k (dim 1 of 'x', 0 to 64), m (dim 1 of 'w')");
}

TEST_F(SizeInferenceTest, ASumOfTwoLacksOne) {
  give("n + p", 8), give("k", 1), give("m", 1);
  EXPECT_EQ(infer(), "? 1 1 1 ? 1; missing: n (dim 0 of 'x', 0 to 8)");
}

TEST_F(SizeInferenceTest, AContradictionComesBeforeWhatIsMissing) {
  give("k", 3), give("k2", 5);
  EXPECT_EQ(infer(), "dim k2, k2, is given as 5, but must be 3\n  k == k2: matmul: contraction, node '/mm'\n"
                     "  k == 3: dim k is given as 3");
}

TEST_F(SizeInferenceTest, ASumThatIsTooSmall) {
  give("n", 2), give("n + p", 1);
  EXPECT_EQ(infer(), "dim n + p, n + p, is given as 1, but must be >= 2\n  n == 2: dim n is given as 2");
}

TEST_F(SizeInferenceTest, TheLaterSizeIsToBlame) {
  name("n", 3), give("n", 2);
  EXPECT_EQ(infer(), "dim n is given as 2, but 'n' is given as 3");
}

TEST_F(SizeInferenceTest, DeclarationsAndGuardsBind) {
  name("k", 65);
  EXPECT_EQ(infer(), "'k' is given as 65, but must be <= 64\n  k: [0, 64]: declared");
  problem.given.clear();
  name("p", 3);
  EXPECT_EQ(infer(), "'p' is given as 3, but can't be\n  p mod 2 == 0: pairs, node '/pair'");
}

TEST_F(SizeInferenceTest, AFixedDim) {
  give("48", 47);
  EXPECT_EQ(infer(), "dim 48 is given as 47, but must be 48");
}

TEST_F(SizeInferenceTest, TextsThatCanNotBeRead) {
  give("n +", 1);
  EXPECT_EQ(infer().substr(0, 6), "error:");
}

TEST_F(SizeInferenceTest, NamesAreTakenAsTheyAre) {
  problem.declarations += ", \"batch-size\": [0, ?]";
  problem.wanted = {{"\"batch-size\"", "dim 0 of 'z'"}};
  name("batch-size", 5);
  EXPECT_EQ(infer(), "5");
}

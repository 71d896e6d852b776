//===- Plans hold at every size -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Transforms/Memory/SizeProofs.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Transforms/Memory/ParametricPlan.h"
#include "gtest/gtest.h"
#include <limits>
#include <map>
#include <random>

using namespace dyn;
using namespace dyn::symbolic;

namespace {

class ArenaPlanTest : public ::testing::Test {
protected:
  ArenaPlanTest() : solver(context) {
    ReasonId reason = solver.addReason({"declared", "", 0});
    SymbolFacts batch, sequence, past;
    batch.range = {0, 64};
    sequence.range = {0, std::nullopt};
    past.range = {0, 4096};
    solver.declare(context.getSymbol("B"), batch, SymbolClass::Declared, reason);
    solver.declare(context.getSymbol("S"), sequence, SymbolClass::Declared, reason);
    solver.declare(context.getSymbol("P"), past, SymbolClass::Declared, reason);
  }

  Expr parse(llvm::StringRef text) {
    ParseError error;
    Expr expr = parseExpr(text, context, error);
    EXPECT_TRUE(expr) << error.message;
    return expr;
  }

  static int64_t evaluateAt(Expr expr, const std::map<std::string, int64_t> &sizes) {
    std::optional<int64_t> value = evaluate(expr, [&](llvm::StringRef name) -> std::optional<int64_t> {
      auto found = sizes.find(name.str());
      return found == sizes.end() ? std::nullopt : std::optional<int64_t>(found->second);
    });
    EXPECT_TRUE(value.has_value()) << expr.str();
    return value.value_or(0);
  }

  /// Bytes of the arena; fails the test if two buffers needed at the same time overlap, or one leaves the arena.
  int64_t expectSound(llvm::ArrayRef<ArenaBuffer> buffers, const ArenaPlan &plan,
                      const std::map<std::string, int64_t> &sizes) {
    struct Place {
      int64_t begin, end;
    };
    std::vector<Place> places;
    int64_t total = evaluateAt(plan.lines, sizes) * ArenaPlan::bytesPerLine;
    for (auto [buffer, offset] : llvm::zip_equal(buffers, plan.offsets)) {
      int64_t begin = evaluateAt(offset, sizes) * ArenaPlan::bytesPerLine;
      places.push_back({begin, begin + evaluateAt(buffer.bytes, sizes)});
      EXPECT_GE(begin, 0);
      EXPECT_LE(places.back().end, total);
    }
    for (size_t i = 0; i < places.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (areNeededTogether(buffers, i, j))
          EXPECT_TRUE(places[i].end <= places[j].begin || places[j].end <= places[i].begin ||
                      places[i].begin == places[i].end || places[j].begin == places[j].end)
              << i << " and " << j << " overlap";
    return total;
  }

  /// Bytes of the smallest arena that a choice gives which is right; fails the test if one is not sound, or below what
  /// must be there.
  int64_t expectSoundChoices(llvm::ArrayRef<ArenaBuffer> buffers, const ParametricPlan &plan,
                             const std::map<std::string, int64_t> &sizes) {
    int64_t least = std::numeric_limits<int64_t>::max(), live = 0;
    for (Expr sum : plan.live)
      live = std::max(live, evaluateAt(sum, sizes) * ArenaPlan::bytesPerLine);
    EXPECT_EQ(plan.choices.front().valid.kind, Predicate::Kind::True);
    for (const ArenaChoice &choice : plan.choices) {
      std::optional<bool> isRight =
          evaluate(choice.valid, [&](llvm::StringRef name) -> std::optional<int64_t> { return sizes.at(name.str()); });
      EXPECT_TRUE(isRight.has_value());
      if (isRight.value_or(false))
        least = std::min(least, expectSound(buffers, choice.plan, sizes));
    }
    EXPECT_LE(live, least);
    return least;
  }

  SymbolicContext context;
  Solver solver;
};

TEST_F(ArenaPlanTest, WhatIsWrongAtAPointIsNotProved) {
  SizeProofs proofs(solver);
  EXPECT_TRUE(proofs.isAtLeast(parse("S + P"), parse("S")));
  // No run is at this point, so that only the point can be why these are not proved.
  proofs.refuteAt({{{"S", 5}, {"P", -1}}});
  EXPECT_FALSE(proofs.isAtLeast(parse("2 * P"), parse("0")));
  EXPECT_TRUE(proofs.isAtLeast(parse("2 * S"), parse("0")));
}

TEST_F(ArenaPlanTest, ProofsAreLimited) {
  SizeProofs proofs(solver);
  Expr sequence = parse("S");
  for (size_t i = 1; i <= SizeProofs::maxProofs; ++i)
    ASSERT_TRUE(proofs.isAtLeast(sequence * int64_t(i), solver.getContext().getConstant(0)));
  EXPECT_FALSE(proofs.isAtLeast(parse("B"), parse("0")));
  EXPECT_TRUE(proofs.isAtLeast(sequence, parse("0"))) << "what was proved stays so";
}

} // namespace

TEST_F(ArenaPlanTest, NoBuffersNeedNoArena) {
  std::optional<ArenaPlan> plan = planArena({}, solver);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->lines.isConstant(0));
}

TEST_F(ArenaPlanTest, BuffersThatNeverMeetShareAPlace) {
  Expr size = parse("64 * B * S");
  std::optional<ArenaPlan> plan = planArena({{size, 0, 1}, {size, 2, 3}, {size, 4, 4}}, solver);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->lines, parse("B * S"));
}

TEST_F(ArenaPlanTest, SmallerBuffersFillGapsOfBiggerOnes) {
  // While the big one is alive the small ones stand behind it; two of them then fit where it was.
  Expr big = parse("256 * B * S"), small = parse("128 * B * S");
  std::optional<ArenaPlan> plan = planArena({{big, 0, 1}, {small, 1, 3}, {small, 2, 3}, {small, 2, 4}}, solver);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->lines, parse("6 * B * S"));
}

TEST_F(ArenaPlanTest, UnorderedSizesStaySound) {
  Expr scores = parse("48 * B * S * S"), hidden = parse("3072 * B * S"), cache = parse("100 * B * (S + P)");
  llvm::SmallVector<ArenaBuffer> buffers{{hidden, 0, 3}, {scores, 1, 2}, {cache, 1, 4},
                                         {scores, 3, 5}, {hidden, 4, 6}, {cache, 5, 6}};
  std::optional<ArenaPlan> plan = planArena(buffers, solver);
  ASSERT_TRUE(plan);
  for (int64_t s : {0, 1, 7, 63, 64, 65, 1000})
    for (int64_t p : {0, 1, 4096})
      expectSound(buffers, *plan, {{"B", 3}, {"S", s}, {"P", p}});
}

TEST_F(ArenaPlanTest, RandomProgramsStaySoundAndNeedNoMoreThanTheSumOfAll) {
  const char *sizes[] = {"4 * B * S", "1536 * B * S",         "6144 * B * S", "48 * B * S * S",
                         "4",         "48 * B * S * (S + P)", "B * S",        "2 * (S + P) floordiv 3",
                         "100 * P",   "4 * max(S, P)"};
  std::mt19937 random(7);
  for (int program = 0; program < 61; ++program) {
    llvm::SmallVector<ArenaBuffer> buffers;
    // The last is as long as that of a deep model, in which sizes that nothing orders follow each other.
    unsigned length = program == 60 ? 400 : 3 + random() % 30;
    for (unsigned position = 0; position < length; ++position)
      buffers.push_back({parse(sizes[random() % std::size(sizes)]), position,
                         position + unsigned(random() % (random() % 4 ? 3 : length))});
    // Programs with work at the same time, too.
    for (unsigned pairs = program % 2 ? length : 0; pairs > 0; --pairs)
      if (unsigned i = random() % length, j = random() % length; i != j) {
        buffers[i].beside.insert(j);
        buffers[j].beside.insert(i);
      }
    std::optional<ArenaPlan> plan = planArena(buffers, solver);
    ASSERT_TRUE(plan);
    for (int point = 0; point < 20; ++point) {
      std::map<std::string, int64_t> values{
          {"B", random() % 65}, {"S", random() % (point % 2 ? 5 : 2000)}, {"P", random() % (point % 3 ? 4097 : 2)}};
      int64_t total = expectSound(buffers, *plan, values), sum = 0;
      for (const ArenaBuffer &buffer : buffers)
        sum += (evaluateAt(buffer.bytes, values) + 63) / 64 * 64;
      EXPECT_LE(total, sum);
    }
  }
}

TEST_F(ArenaPlanTest, WhatIsUsedAtTheSameTimeIsNeededTogether) {
  std::mt19937 random(5);
  for (int program = 0; program < 200; ++program) {
    // Launches of chains that wait for nothing but their own, and what lies a window back.
    constexpr unsigned numLaunches = 24, window = 6;
    unsigned numChains = 1 + random() % 4;
    auto isBefore = [&](unsigned first, unsigned second) {
      return second - first >= window || first % numChains == second % numChains;
    };
    llvm::SmallVector<llvm::SmallVector<unsigned>> uses(numLaunches);
    llvm::SmallVector<ArenaBuffer> buffers;
    for (unsigned index = 0; index < 30; ++index) {
      unsigned first = random() % numLaunches,
               last = unsigned(std::min<size_t>(first + random() % 5 * numChains, numLaunches - 1));
      buffers.push_back({parse("64 * S"), first, last, {}});
      uses[first].push_back(index);
      if (last != first)
        uses[last].push_back(index);
    }
    addBeside(buffers, uses, window, isBefore);
    for (unsigned lhs = 0; lhs < buffers.size(); ++lhs)
      for (unsigned rhs = 0; rhs < buffers.size(); ++rhs) {
        if (lhs == rhs)
          continue;
        // Apart only if all that uses the one has ended before anything uses the other.
        auto isApart = [&](const ArenaBuffer &one, const ArenaBuffer &other) {
          return one.last < other.first && llvm::all_of(
                                               llvm::ArrayRef({one.first, one.last}),
                                               [&](unsigned i) {
                                                 return llvm::all_of(llvm::ArrayRef({other.first, other.last}),
                                                                     [&](unsigned j) { return isBefore(i, j); });
                                               });
        };
        bool areApart = isApart(buffers[lhs], buffers[rhs]) || isApart(buffers[rhs], buffers[lhs]);
        EXPECT_EQ(areNeededTogether(buffers, lhs, rhs), !areApart) << lhs << " and " << rhs;
      }
    for (unsigned index = 0; index < buffers.size(); ++index) {
      llvm::SmallVector<unsigned> live = getLiveSet(buffers, index);
      EXPECT_TRUE(llvm::is_contained(live, index));
      for (unsigned lhs : live)
        for (unsigned rhs : live)
          EXPECT_TRUE(areNeededTogether(buffers, lhs, rhs));
    }
  }
}

TEST_F(ArenaPlanTest, PlansFollowTheSizeThatIsGreater) {
  // x and z share memory at best; y lies on whichever is greater.
  std::vector<ArenaBuffer> buffers{
      {parse("64 * S * S"), 0, 1}, {parse("64 * 50 * S"), 0, 3}, {parse("64 * 100 * S"), 2, 3}};
  std::optional<ParametricPlan> plan = planArenaForRanges(buffers, solver);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->leavesGaps);
  for (int64_t sequence : {1, 50, 99, 100, 101, 3000}) {
    int64_t least = expectSoundChoices(buffers, *plan, {{"S", sequence}});
    EXPECT_EQ(least, 64 * (50 * sequence + std::max(sequence * sequence, 100 * sequence))) << sequence;
  }
}

TEST_F(ArenaPlanTest, StaticSizesArePackedOnce) {
  // First come, first served would need 5 lines.
  std::vector<ArenaBuffer> buffers{{parse("64"), 0, 1}, {parse("128"), 1, 2}, {parse("192"), 2, 3}};
  std::optional<ParametricPlan> plan = planArenaForRanges(buffers, solver);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->choices.size(), 1u);
  EXPECT_TRUE(plan->choices.front().plan.lines.isConstant(5));
  EXPECT_FALSE(plan->leavesGaps);
}

TEST_F(ArenaPlanTest, BuffersOfNearlyTheSameSizeTakeEachOthersPlaces) {
  // Dilated causal convolutions: values, the same padded more and more, and products of twice the size. Where the
  // padded ones lie in places of their size, the next value fits in there too; otherwise each block needs a hole more.
  std::vector<ArenaBuffer> buffers;
  for (unsigned block = 0; block < 5; ++block) {
    unsigned first = 3 * block;
    buffers.push_back({parse("64 * S"), first, first + 3});
    buffers.push_back({parse("64 * (S + " + std::to_string(1 << block) + ")"), first + 1, first + 2});
    buffers.push_back({parse("128 * S"), first + 2, first + 3});
  }
  std::optional<ParametricPlan> plan = planArenaForRanges(buffers, solver);
  ASSERT_TRUE(plan);
  for (int64_t size : {300, 1031, 4096, 100000})
    EXPECT_LE(expectSoundChoices(buffers, *plan, {{"S", size}}), 64 * (4 * size + 2 * 16)) << size;
}

TEST_F(ArenaPlanTest, RandomGraphsNeverOverlapInAnyChoice) {
  std::mt19937 random(7);
  auto pick = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  const char *forms[] = {"4 * B * S * {}", "4 * B * S * S * {}", "B * (S + P) * {}", "2 * B * S * (S + P) * {}", "{}"};
  for (unsigned graph = 0; graph < 25; ++graph) {
    std::vector<ArenaBuffer> buffers;
    unsigned length = unsigned(pick(3, 40));
    for (int64_t i = pick(1, 40); i > 0; --i) {
      std::string form = forms[pick(0, 4)];
      form.replace(form.find("{}"), 2, std::to_string(pick(1, 3000)));
      unsigned first = unsigned(pick(0, length)), last = first + unsigned(pick(0, length / 2));
      buffers.push_back({parse(form), first, last});
    }
    std::optional<ParametricPlan> plan = planArenaForRanges(buffers, solver);
    ASSERT_TRUE(plan);
    for (unsigned trial = 0; trial < 40; ++trial)
      expectSoundChoices(buffers, *plan,
                         {{"B", pick(0, trial < 8 ? 2 : 64)},
                          {"S", pick(0, trial < 16 ? 3 : 700)},
                          {"P", pick(0, trial % 2 ? 2 : 4096)}});
  }
}

/// Lines may fit in 64 bits where bytes do not.
TEST_F(ArenaPlanTest, TooManyBytesAreNoPlan) {
  ArenaBuffer first{parse("4611686018427387904"), 0, 1}, second{parse("4611686018427387904"), 0, 1};
  EXPECT_TRUE(planArena({first, second}, solver).has_value());
  EXPECT_FALSE(planArenaForRanges({first, second}, solver).has_value());
  EXPECT_TRUE(planArenaForRanges({first}, solver).has_value());
}

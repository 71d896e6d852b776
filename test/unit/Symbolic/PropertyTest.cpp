//===- Random testing of the engine --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Properties.h"
#include "gtest/gtest.h"

using namespace dyn::symbolic::test;

static void checkSeeds(std::string (*property)(uint64_t), uint64_t count) {
  for (uint64_t seed = 0; seed < count; ++seed) {
    std::string violation = property(seed);
    ASSERT_EQ(violation, "");
  }
}

TEST(Properties, NormalFormKeepsTheValue) { checkSeeds(checkValues, 40000); }
TEST(Properties, TextReadsBackAsTheSameExpression) { checkSeeds(checkRoundTrip, 20000); }
TEST(Properties, DeclaredFactsGiveRightRangesAndForms) { checkSeeds(checkFacts, 20000); }
TEST(Properties, VerdictsAreNeverWrong) { checkSeeds(checkVerdicts, 3000); }
TEST(Properties, DroppedGuardsAreImplied) { checkSeeds(checkGuards, 4000); }

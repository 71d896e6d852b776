//===- Runs the random properties of the engine for long ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Properties.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

using namespace dyn::symbolic::test;

/// symbolic-soak [EVALUATIONS [SEED]]: 10^9 evaluations unless told otherwise. Exits with 1 at the first violation.
int main(int argc, char **argv) {
  uint64_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000'000;
  uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  EnumerationCount count, agreement, consequences, connected;
  auto getEvaluations = [&] { return count.evaluations + agreement.evaluations + consequences.evaluations; };
  for (uint64_t step = 0; getEvaluations() < wanted; ++step, ++seed) {
    std::string violations[] = {checkEnumeration(seed, count),
                                checkMissingValues(seed, seed % 4 == 0, agreement),
                                checkStatements(seed, agreement),
                                checkWalks(seed, agreement),
                                checkProducts(seed, agreement),
                                checkDigits(seed, agreement),
                                checkBroadcasts(seed, agreement),
                                checkSignedProducts(seed, agreement),
                                checkLinearNumbers(seed, agreement),
                                seed % 8 == 0 ? checkInterleaved(seed, agreement) : "",
                                checkExplanations(seed, agreement),
                                checkValues(seed),
                                checkRoundTrip(seed),
                                checkFacts(seed),
                                checkVerdicts(seed),
                                checkGuards(seed),
                                checkHugeNumbers(seed),
                                checkMetamorphic(seed, seed % 2 == 0, agreement),
                                checkContradictions(seed, agreement),
                                checkConsequences(seed, consequences),
                                checkIdleFacts(seed, consequences),
                                checkRenaming(seed, seed % 2 == 0, agreement),
                                checkOrder(seed, seed % 2 == 0, agreement),
                                seed % 8 == 0 ? checkQuestions(seed, seed % 16 == 0, agreement) : "",
                                seed % 16 == 0 ? checkConnected(seed, connected) : ""};
    for (const std::string &violation : violations)
      if (!violation.empty()) {
        std::fprintf(stderr, "%s\n", violation.c_str());
        return 1;
      }
    if (step % 10000 == 0) {
      std::printf("%" PRIu64 " evaluations, %" PRIu64 " of %" PRIu64 " questions decided; among many facts, %" PRIu64
                  " of %" PRIu64 " answered alike in another order\n",
                  getEvaluations(), count.decided, count.decidable, connected.decided, connected.decidable);
      // It is read while this runs on, mostly from a file.
      std::fflush(stdout);
    }
  }
  return 0;
}

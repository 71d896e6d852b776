//===- Properties that hold for every random expression ----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Each returns a description of the first violation, or an empty text.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_SYMBOLIC_PROPERTIES_H
#define DYN_TEST_UNIT_SYMBOLIC_PROPERTIES_H

#include "RandomExpr.h"
#include "dyn/Symbolic/Parser.h"

namespace dyn::symbolic::test {

/// The normal form, its tree and its texts have the value of what they were made of.
std::string checkValues(uint64_t seed);
/// Text reads back as the same node, in another context too.
std::string checkRoundTrip(uint64_t seed);
/// Under random declarations: ranges, congruences and simplified forms are right.
std::string checkFacts(uint64_t seed);
/// With random facts that hold at a point: no contradiction is found, and every verdict is right at the point.
std::string checkVerdicts(uint64_t seed);
/// Guards that are kept imply those that are dropped.
std::string checkGuards(uint64_t seed);

struct EnumerationCount {
  uint64_t evaluations = 0; ///< of facts, queries and expressions at points
  uint64_t decidable = 0;   ///< questions with an answer; pairs of answers to compare
  uint64_t decided = 0;     ///< those that the engine answered; pairs that agree
};
/// Over small domains, with all points: contradictions, verdicts, ranges, congruences and simplified forms.
std::string checkEnumeration(uint64_t seed, EnumerationCount &count);
/// Facts in another order, told twice, and with other names: never the opposite verdict.
std::string checkMetamorphic(uint64_t seed, EnumerationCount &count);

} // namespace dyn::symbolic::test

#endif // DYN_TEST_UNIT_SYMBOLIC_PROPERTIES_H

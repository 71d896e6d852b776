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

} // namespace dyn::symbolic::test

#endif // DYN_TEST_UNIT_SYMBOLIC_PROPERTIES_H

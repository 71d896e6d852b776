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
/// The same with numbers up to the ends of 64 bits, as far as the point has values of that size.
std::string checkHugeNumbers(uint64_t seed);
/// Guards that are kept imply those that are dropped.
std::string checkGuards(uint64_t seed);

struct EnumerationCount {
  uint64_t evaluations = 0; ///< of facts, queries and expressions at points
  uint64_t decidable = 0;   ///< questions with an answer; pairs of answers to compare
  uint64_t decided = 0;     ///< those that the engine answered; pairs that agree
  uint64_t empty = 0;       ///< answers that say nothing of any point; reasons that do not suffice
};
/// Over small domains, with all points: contradictions, verdicts, ranges, congruences and simplified forms.
std::string checkEnumeration(uint64_t seed, EnumerationCount &count);
/// The same of questions that divide by what may be 0, also at points where a side has no value: an equation demands
/// one of both sides or of neither. `count` tells how much else is answered where there is no other point. Among many
/// facts or few.
std::string checkMissingValues(uint64_t seed, bool isAmongMany, EnumerationCount &count);
/// The same of text, by what is written: divisors that are 0, exact quotients of constants, and what cancels. What is
/// refused has a value nowhere.
std::string checkStatements(uint64_t seed, EnumerationCount &count);
/// The same of systems of broadcasts.
std::string checkBroadcasts(uint64_t seed, EnumerationCount &count);
/// Verdicts and ranges by linear facts about sizes and numbers that may be negative, among few facts or many.
std::string checkLinearNumbers(uint64_t seed, EnumerationCount &count);
/// Verdicts about products of which factors may be negative, at random points. `count` tells how many are decided of
/// those that are the same at all points.
std::string checkSignedProducts(uint64_t seed, EnumerationCount &count);
/// Verdicts about equations of products are never wrong. `count` tells how many are found of those that are products of
/// the facts, less common factors, where no factor is 0.
std::string checkProducts(uint64_t seed, EnumerationCount &count);
/// What a chain of reasons names leads to the verdict that it explains; `count` is of chains.
std::string checkExplanations(uint64_t seed, EnumerationCount &count);
/// The same of the verdicts of walks along facts alone.
std::string checkWalks(uint64_t seed, EnumerationCount &count);
/// Nothing that is said contradicts the points that are left when it is said, where declarations, facts, questions and
/// copies follow one another in any order, and no fact is refused that leaves a point. `count` tells how many of some
/// answers are those of a solver that was asked nothing before.
std::string checkInterleaved(uint64_t seed, EnumerationCount &count);
/// Among few facts or many: the same facts in another order, told twice, and joined into one. All give the same answers
/// and ranges.
std::string checkMetamorphic(uint64_t seed, bool isAmongMany, EnumerationCount &count);
/// Of facts over small domains that contradict each other, one is refused in whichever order they come, or never.
/// `count` tells how many are refused of those that no point satisfies, and how often another solver does not refuse
/// what is named as the reasons.
std::string checkContradictions(uint64_t seed, EnumerationCount &count);
/// What was found to follow from facts, told as well, follows from itself, and no answer becomes its opposite.
/// Deduction goes further here and there where it starts from more, which `count` tells.
std::string checkConsequences(uint64_t seed, EnumerationCount &count);
/// Beside facts that hold for some value of a symbol of their own, whatever the others are, no answer becomes its
/// opposite. `count` tells how many stay.
std::string checkIdleFacts(uint64_t seed, EnumerationCount &count);
/// The same facts about symbols of other names, and few of them in another order too.
std::string checkRenaming(uint64_t seed, bool isAmongMany, EnumerationCount &count);

/// The same of up to eight facts that hold at a point, over larger domains, in another order and told twice.
std::string checkOrder(uint64_t seed, bool isAmongMany, EnumerationCount &count);
/// Verdicts about places in rows of one length over small domains, with all points. `count` tells how many are decided
/// of those that are the same at all of them.
std::string checkDigits(uint64_t seed, EnumerationCount &count);
/// Of places in rows, among few facts or many: a question has the same answer whatever was asked before it, and in
/// other words, and none is wrong. `count` tells how many are decided.
std::string checkQuestions(uint64_t seed, bool isAmongMany, EnumerationCount &count);
/// Of 33 to 120 facts that hang together and hold at a point, no answer is wrong there. `count` tells how many are the
/// same in another order: all but few, where twelve facts next to the question are not all that matter.
std::string checkConnected(uint64_t seed, EnumerationCount &count);

/// So many facts about nothing else that the solver does not tell all of them again after each.
inline bool addUnrelatedFacts(Solver &solver) {
  SymbolicContext &context = solver.getContext();
  bool holds = true;
  for (int i = 0; i < 40; ++i)
    holds &= solver.addEqual(context.getSymbol("unrelated" + std::to_string(i)), context.getConstant(i),
                             solver.addReason({"unrelated", "", 0}));
  return holds;
}

inline const char *getName(Verdict verdict) {
  return verdict == Verdict::Yes ? "yes" : verdict == Verdict::No ? "no" : "unknown";
}

} // namespace dyn::symbolic::test

#endif // DYN_TEST_UNIT_SYMBOLIC_PROPERTIES_H

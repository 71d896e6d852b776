//===- Facts and questions that are meant to be dear -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Each family is a sequence of steps that may go on for as long as one likes. A test
// counts the work of its steps, a benchmark takes their time.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_SYMBOLIC_ADVERSARIES_H
#define DYN_TEST_UNIT_SYMBOLIC_ADVERSARIES_H

#include "dyn/Symbolic/Solver.h"
#include <functional>

namespace dyn::symbolic::test {

/// A solver that is told facts and asked questions, and what each of them costs.
class Adversary {
public:
  /// What was spent so far, in whatever unit.
  using Meter = std::function<double(SymbolicContext &)>;
  explicit Adversary(Meter meter) : meter(std::move(meter)) {}

  SymbolicContext context;
  Solver solver{context};

  /// The symbol of that name and number.
  Expr get(const char *name, int64_t number) { return context.getSymbol(name + std::to_string(number)); }
  void declare(Expr symbol, Range range);

  bool learn(const Predicate &fact) {
    bool holds = false;
    measure(facts, [&] { holds = solver.addPredicate(fact, reason); });
    return holds;
  }
  bool learnEqual(Expr lhs, Expr rhs) { return learn(Predicate::equal(lhs, rhs)); }
  bool learnLessEqual(Expr lhs, Expr rhs) { return learn(Predicate::lessEqual(lhs, rhs)); }
  void ask(const Predicate &question) {
    Verdict verdict = Verdict::Unknown;
    measure(questions, [&] { verdict = solver.implies(question); });
    answered += verdict != Verdict::Unknown;
  }
  void askEqual(Expr lhs, Expr rhs) { ask(Predicate::equal(lhs, rhs)); }
  void askLessEqual(Expr lhs, Expr rhs) { ask(Predicate::lessEqual(lhs, rhs)); }
  /// Its range and its simplified form.
  void describe(Expr expr) {
    measure(questions, [&] { solver.getRange(expr); });
    measure(questions, [&] { solver.simplify(expr); });
  }
  /// Whatever else counts as a question.
  template <typename Act>
  void ask(Act act) {
    measure(questions, act);
  }

  struct Cost {
    double total = 0, worst = 0;
    std::vector<double> each;
  };
  Cost facts, questions;
  unsigned answered = 0; ///< questions of which the answer is yes or no

private:
  template <typename Act>
  void measure(Cost &cost, Act act) {
    double before = meter(context);
    act();
    double spent = meter(context) - before;
    cost.total += spent;
    cost.worst = std::max(cost.worst, spent);
    cost.each.push_back(spent);
  }

  Meter meter;
  ReasonId reason = solver.addReason({"adversary", "", 0});
};

/// One step of a sequence of `count` steps.
using Step = void (*)(Adversary &adversary, int64_t step, int64_t count);

// Many facts of one kind, and a question after each.
void chainOfInequalities(Adversary &adversary, int64_t step, int64_t count);
void chainOfEqualities(Adversary &adversary, int64_t step, int64_t count);
/// From the last symbol to the first: each equation removes the symbol that all before equal.
void equalitiesFromTheEnd(Adversary &adversary, int64_t step, int64_t count);
/// In the same order, sizes that are a constant apart, and such that are a multiple of another one apart.
void offsetsFromTheEnd(Adversary &adversary, int64_t step, int64_t count);
void multiplesFromTheEnd(Adversary &adversary, int64_t step, int64_t count);
void broadcastFacts(Adversary &adversary, int64_t step, int64_t count);
/// Each size is broadcast with the same one.
void broadcastsOfOne(Adversary &adversary, int64_t step, int64_t count);
/// Of one size, in ascending order.
void excludedValues(Adversary &adversary, int64_t step, int64_t count);
void boundsOfOne(Adversary &adversary, int64_t step, int64_t count);
void products(Adversary &adversary, int64_t step, int64_t count);
/// Each size is the larger one of the last and of another.
void growingMaxima(Adversary &adversary, int64_t step, int64_t count);
/// From the last to the first: each equation is about a symbol that the values of those before it mention.
void maximaFromTheEnd(Adversary &adversary, int64_t step, int64_t count);
/// Maxima of two symbols that no equation removes.
void equalMaxima(Adversary &adversary, int64_t step, int64_t count);
void declareSizes(Adversary &adversary, int64_t count);
/// Another family where all sizes are declared before, so that what equations say of one is said of others too, and the
/// symbol that stays is always the one declared first.
template <Step step>
void amongDeclared(Adversary &adversary, int64_t number, int64_t count) {
  if (number == 0)
    declareSizes(adversary, count);
  step(adversary, number, count);
}
/// Each equation is about one symbol more.
void sumsOfMaxima(Adversary &adversary, int64_t step, int64_t count);
/// Each size is the larger one of two others, in circles.
void maximaInCircles(Adversary &adversary, int64_t step, int64_t count);
/// Minima of maxima of minima and so on.
void alternatingBounds(Adversary &adversary, int64_t step, int64_t count);
void nestedQuotients(Adversary &adversary, int64_t step, int64_t count);
/// Twice each size is a remainder of the next one.
void rowOfRemainders(Adversary &adversary, int64_t step, int64_t count);
/// The same modulo 6, so that each is a sum of more parameters than the last.
void rowOfCongruences(Adversary &adversary, int64_t step, int64_t count);
/// Each size divides the one before it.
void rowOfDivisors(Adversary &adversary, int64_t step, int64_t count);
/// Equations without a coefficient of 1, all with one size.
void sumsWithOne(Adversary &adversary, int64_t step, int64_t count);
/// Each size is what a convolution with stride 2 makes of the last, with a padding of its own.
void convolutions(Adversary &adversary, int64_t step, int64_t count);
/// Products, maxima and quotients at once, about sizes that the facts before are about.
void mixedInequalities(Adversary &adversary, int64_t step, int64_t count);

// Many symbols, solvers, alternatives, or parts of a range.
/// One fact of as many alternatives as there are steps, each about two sizes of its own, and one question.
void longDisjunction(Adversary &adversary, int64_t step, int64_t count);
/// The same of bounds that hold all, as a question and its negation.
void longConjunction(Adversary &adversary, int64_t step, int64_t count);
/// Each step declares a symbol more.
void declarations(Adversary &adversary, int64_t step, int64_t count);
/// A solver learns more and more; each step forks it, and the fork learns a fact.
void forks(Adversary &adversary, int64_t step, int64_t count);
/// Each step forks the fork of the one before.
void nestedForks(Adversary &adversary, int64_t step, int64_t count);
/// Of one symbol, closer and closer ranges.
void narrowedRange(Adversary &adversary, int64_t step, int64_t count);
/// Where a cubic has roots, beside facts about its terms.
void signs(Adversary &adversary, int64_t step, int64_t count);

/// Random products, maxima, minima, quotients and broadcasts of each other, of a few sizes: so many facts, a question
/// after each, and a few more.
void mixedQuestions(Adversary &adversary, uint64_t seed, unsigned depth, unsigned facts);

} // namespace dyn::symbolic::test

#endif // DYN_TEST_UNIT_SYMBOLIC_ADVERSARIES_H

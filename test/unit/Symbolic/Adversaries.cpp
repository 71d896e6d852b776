//===- Facts and questions that are meant to be dear ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Adversaries.h"
#include "Properties/RandomExpr.h"
#include "dyn/Symbolic/Orders.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

void Adversary::declare(Expr symbol, Range range) {
  SymbolFacts facts;
  facts.range = range;
  solver.declare(symbol, facts, SymbolClass::Declared, reason);
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

void dyn::symbolic::test::chainOfInequalities(Adversary &a, int64_t i, int64_t) {
  a.learnLessEqual(a.get("s", i), a.get("s", i + 1));
  a.askLessEqual(a.get("s", i / 2), a.get("s", i));
}

void dyn::symbolic::test::chainOfEqualities(Adversary &a, int64_t i, int64_t) {
  a.learnEqual(a.get("s", i), a.get("s", i + 1));
  a.askEqual(a.get("s", 0), a.get("s", i + 1));
}

void dyn::symbolic::test::equalitiesFromTheEnd(Adversary &a, int64_t i, int64_t count) {
  for (int64_t number = 0; i == 0 && number <= count; ++number)
    a.get("s", number);
  int64_t next = count - i;
  a.learnEqual(a.get("s", next), a.get("s", next - 1));
  a.askEqual(a.get("s", count), a.get("s", next - 1));
}

/// The symbol that comes before those of the earlier steps, and how many these are. Names are in their order.
static int64_t getNextFromTheEnd(Adversary &a, int64_t i, int64_t count) {
  for (int64_t number = 0; i == 0 && number <= count; ++number)
    a.get("s", number);
  return count - i - 1;
}

void dyn::symbolic::test::offsetsFromTheEnd(Adversary &a, int64_t i, int64_t count) {
  int64_t next = getNextFromTheEnd(a, i, count);
  a.learnEqual(a.get("s", next), a.get("s", next + 1) + 1);
  a.askEqual(a.get("s", next), a.get("s", next + 1 + i / 2) + (1 + i / 2));
}

void dyn::symbolic::test::multiplesFromTheEnd(Adversary &a, int64_t i, int64_t count) {
  int64_t next = getNextFromTheEnd(a, i, count);
  Expr step = a.context.getSymbol("p") * 8;
  a.learnEqual(a.get("s", next), a.get("s", next + 1) + step);
  a.askEqual(a.get("s", next), a.get("s", next + 1 + i / 2) + step * (1 + i / 2));
}

void dyn::symbolic::test::broadcastFacts(Adversary &a, int64_t i, int64_t) {
  a.learn(Predicate::broadcastable(a.get("s", i), a.get("s", i + 1)));
  a.askEqual(a.get("s", i), a.get("s", i / 2));
}

void dyn::symbolic::test::broadcastsOfOne(Adversary &a, int64_t i, int64_t) {
  a.learnEqual(a.get("s", i), bcast({a.context.getSymbol("q"), a.get("s", i + 1)}));
  a.askEqual(a.get("s", i), a.get("s", i / 2));
}

void dyn::symbolic::test::excludedValues(Adversary &a, int64_t i, int64_t) {
  Expr size = a.get("s", 0);
  a.learn(Predicate::notEqual(size, a.context.getConstant(i)));
  a.askEqual(size, a.context.getConstant(i / 2));
}

void dyn::symbolic::test::boundsOfOne(Adversary &a, int64_t i, int64_t) {
  Expr most = a.context.getSymbol("most");
  a.learnLessEqual(a.get("s", i), most);
  a.askLessEqual(a.get("s", i / 2), most + 1);
}

void dyn::symbolic::test::products(Adversary &a, int64_t i, int64_t) {
  Expr left = a.get("a", i) * a.get("b", i), right = a.get("a", i + 1) * a.get("c", i);
  a.learnEqual(left, right);
  a.askEqual(left * 2, right * 2);
}

void dyn::symbolic::test::growingMaxima(Adversary &a, int64_t i, int64_t) {
  a.learnEqual(a.get("s", i + 1), max({a.get("s", i), a.get("t", i)}));
  a.askLessEqual(a.get("s", i / 2), a.get("s", i + 1));
}

void dyn::symbolic::test::maximaFromTheEnd(Adversary &a, int64_t i, int64_t count) {
  for (int64_t number = 0; i == 0 && number <= count; ++number)
    a.get("s", number), a.get("t", number);
  int64_t next = count - i;
  a.learnEqual(max({a.get("s", next - 1), a.get("t", next - 1)}), a.get("s", next));
  a.askLessEqual(a.get("s", next), a.get("s", next + i / 2));
}

void dyn::symbolic::test::declareSizes(Adversary &a, int64_t count) {
  for (int64_t number = 0; number <= count; ++number)
    for (const char *name : {"s", "t"})
      a.declare(a.get(name, number), {0, 1'000'000});
}

void dyn::symbolic::test::equalMaxima(Adversary &a, int64_t i, int64_t) {
  auto getMax = [&](int64_t number) { return max({a.get("s", 2 * number), a.get("s", 2 * number + 1)}); };
  a.learnEqual(getMax(i), getMax(i + 1));
  a.askLessEqual(a.get("s", i), getMax(i / 2));
}

void dyn::symbolic::test::sumsOfMaxima(Adversary &a, int64_t i, int64_t) {
  a.learnEqual(a.get("s", i + 1), a.get("s", i) + max({a.get("t", i), a.get("t", i + 1)}));
  a.askLessEqual(a.get("s", i / 2), a.get("s", i + 1));
}

void dyn::symbolic::test::maximaInCircles(Adversary &a, int64_t i, int64_t count) {
  auto get = [&](int64_t number) { return a.get("s", number % count); };
  a.learnEqual(get(i), max({get(7 * i + 3), get(13 * i + 5)}));
  a.askLessEqual(get(i / 2), get(i));
}

void dyn::symbolic::test::alternatingBounds(Adversary &a, int64_t i, int64_t) {
  Expr last = a.get("s", i), other = a.get("t", i);
  a.learnEqual(a.get("s", i + 1), i % 2 == 0 ? min({last + 1, other}) : max({last, other}));
  a.askLessEqual(a.get("s", i / 2), a.get("s", i + 1));
}

void dyn::symbolic::test::nestedQuotients(Adversary &a, int64_t i, int64_t) {
  a.learnEqual(a.get("s", i + 1), ceilDiv(a.get("s", i) * 3 + a.get("t", i), a.get("q", i % 3) + 2));
  a.askLessEqual(a.get("s", i / 2), a.get("s", i + 1));
}

void dyn::symbolic::test::rowOfRemainders(Adversary &a, int64_t i, int64_t) {
  a.learnEqual(a.get("s", i) * 2, mod(a.get("s", i + 1), a.context.getConstant(6)));
  a.askLessEqual(a.get("s", i / 2), a.context.getConstant(2));
}

static void askDivisible(Adversary &a, Expr dividend, Expr divisor) {
  a.askEqual(mod(dividend, divisor), a.context.getConstant(0));
}

void dyn::symbolic::test::rowOfCongruences(Adversary &a, int64_t i, int64_t) {
  Expr difference = a.get("s", i) * 2 - a.get("s", i + 1);
  a.learnEqual(mod(difference, a.context.getConstant(6)), a.context.getConstant(0));
  askDivisible(a, a.get("s", i / 2), a.context.getConstant(2));
}

void dyn::symbolic::test::rowOfDivisors(Adversary &a, int64_t i, int64_t) {
  a.learnEqual(mod(a.get("s", i), a.get("s", i + 1)), a.context.getConstant(0));
  askDivisible(a, a.get("s", i / 2), a.get("s", i + 1));
}

void dyn::symbolic::test::sumsWithOne(Adversary &a, int64_t i, int64_t) {
  Expr size = a.context.getSymbol("h");
  a.learnEqual(a.get("s", i) * 3 + size, a.get("t", i) * 5);
  a.askEqual(a.get("s", i / 2) * 6 + size * 2, a.get("t", i / 2) * 10);
}

void dyn::symbolic::test::convolutions(Adversary &a, int64_t i, int64_t) {
  Expr last = a.get("s", i), padding = a.get("t", i), stride = a.context.getConstant(2);
  a.learnEqual(a.get("s", i + 1), floorDiv(last + padding * 2 - 3, stride) + 1);
  a.askLessEqual(a.get("s", i + 1), last + padding);
}

void dyn::symbolic::test::mixedInequalities(Adversary &a, int64_t i, int64_t) {
  Expr last = a.get("s", i), next = a.get("s", i + 1), other = a.get("t", i);
  a.learnLessEqual(max({last * other, last}), next * other + floorDiv(last, 8));
  a.askLessEqual(a.get("s", i / 2) * other, next * other);
}

//===----------------------------------------------------------------------===//
// Declarations, forks, and parts of ranges
//===----------------------------------------------------------------------===//

void dyn::symbolic::test::longDisjunction(Adversary &a, int64_t i, int64_t count) {
  if (i > 0)
    return;
  std::vector<Predicate> alternatives;
  for (int64_t number = 0; number < count; ++number)
    alternatives.push_back(Predicate::equal(a.get("s", number), a.get("t", number) + 1));
  a.learn(Predicate::disjunction(std::move(alternatives)));
  a.askEqual(a.get("s", 0), a.get("t", 0) + 1);
}

void dyn::symbolic::test::longConjunction(Adversary &a, int64_t i, int64_t count) {
  if (i > 0)
    return;
  a.learnLessEqual(a.get("t", 0), a.get("t", 1));
  std::vector<Predicate> bounds;
  for (int64_t number = 0; number < count; ++number)
    bounds.push_back(Predicate::lessEqual(a.context.getConstant(0), a.get("s", number)));
  Predicate all = Predicate::conjunction(std::move(bounds));
  a.ask(all);
  a.ask(Predicate::negation(all));
}

void dyn::symbolic::test::declarations(Adversary &a, int64_t i, int64_t) {
  a.declare(a.get("s", i), {1, 4096});
  // The first ones are in facts.
  if (i < 8)
    a.learnLessEqual(a.get("s", i) * 2, a.get("t", i) + a.get("s", i / 2));
  a.askLessEqual(a.get("s", i / 2), a.get("s", i) * 2 + a.get("t", 3));
}

void dyn::symbolic::test::forks(Adversary &a, int64_t i, int64_t) {
  a.learnLessEqual(a.get("s", i), a.get("s", i + 1));
  a.ask([&] {
    Solver fork = a.solver.fork();
    fork.addLessEqual(a.get("t", i), a.get("s", i / 2), fork.addReason({"branch", "", 0}));
    a.answered += fork.isLessEqual(a.get("t", i), a.get("s", i)) == Verdict::Yes;
  });
}

void dyn::symbolic::test::nestedForks(Adversary &a, int64_t i, int64_t count) {
  a.ask([&] { a.solver = a.solver.fork(); });
  chainOfInequalities(a, i, count);
}

void dyn::symbolic::test::narrowedRange(Adversary &a, int64_t i, int64_t) {
  constexpr int64_t most = 1'000'000;
  Expr size = a.get("s", 0);
  if (i % 2 == 0)
    a.learnLessEqual(a.context.getConstant(i), size);
  else
    a.learnLessEqual(size, a.context.getConstant(most - i));
  a.askLessEqual(a.context.getConstant(i / 2), size);
}

void dyn::symbolic::test::signs(Adversary &a, int64_t i, int64_t) {
  Expr size = a.context.getSymbol("n");
  if (i == 0)
    a.declare(size, {1, 100'000});
  a.learnEqual(a.get("s", i + 1), a.get("s", i) + max({a.get("t", i), a.get("t", i + 1)}));
  Expr cubic = (size - 17) * (size - 1000) * (size - 5000) + a.get("s", i / 2);
  a.ask([&] { a.answered += getSigns(a.solver, cubic, size).size() > 1; });
}

//===----------------------------------------------------------------------===//
// Random questions
//===----------------------------------------------------------------------===//

static RandomTree pickMixed(RandomSource &random, unsigned depth) {
  RandomTree tree;
  if (depth == 0) {
    tree.kind = random.chance(15) ? RandomTree::Constant : RandomTree::Symbol;
    tree.value = random.pick(1, 9);
    tree.name = random.names[random.pick(0, random.names.size() - 1)];
    return tree;
  }
  static constexpr std::array<RandomTree::Kind, 11> kinds = {
      RandomTree::Mul, RandomTree::Mul, RandomTree::Max, RandomTree::Min, RandomTree::FloorDiv, RandomTree::CeilDiv,
      RandomTree::Mod, RandomTree::Add, RandomTree::Add, RandomTree::Sub, RandomTree::Bcast};
  tree.kind = kinds[random.pick(0, kinds.size() - 1)];
  for (int operand = 0; operand < 2; ++operand)
    tree.operands.push_back(pickMixed(random, depth - 1));
  bool divides = tree.kind >= RandomTree::FloorDiv && tree.kind <= RandomTree::Mod;
  if (divides && random.chance(60))
    tree.operands[1] = RandomTree{RandomTree::Constant, random.pick(2, 16), "", {}};
  return tree;
}

void dyn::symbolic::test::mixedQuestions(Adversary &adversary, uint64_t seed, unsigned depth, unsigned facts) {
  RandomSource random(seed, {"a", "b", "c", "p", "q", "s", "t", "u"});
  auto pickExpr = [&] {
    Expr expr;
    while (!expr.isWithinBudget())
      expr = pickMixed(random, depth).build(adversary.context);
    return expr;
  };
  auto pickPredicate = [&] {
    Expr lhs = pickExpr(), rhs = pickExpr();
    switch (random.pick(0, 3)) {
    case 0:
      return Predicate::equal(lhs, rhs);
    case 1:
      return Predicate::less(lhs, rhs);
    case 2:
      return Predicate::lessEqual(lhs, rhs);
    default:
      return Predicate::broadcastable(lhs, rhs);
    }
  };
  for (const std::string &name : random.names)
    if (random.chance(60)) {
      int64_t least = random.pick(0, 2);
      adversary.declare(adversary.context.getSymbol(name),
                        {least, random.chance(50) ? std::optional(random.pick(5, 4096)) : std::nullopt});
    }
  for (unsigned fact = 0; fact < facts; ++fact) {
    adversary.learn(pickPredicate());
    adversary.ask(pickPredicate());
  }
  for (int question = 0; question < 4; ++question)
    adversary.ask(pickPredicate());
  adversary.describe(pickExpr());
  for (auto join : {Predicate::conjunction, Predicate::disjunction})
    for (int question = 0; question < 2; ++question)
      adversary.ask(join({pickPredicate(), pickPredicate()}));
}

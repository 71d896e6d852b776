//===- Orders, signs, obligations, branches and loops ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Properties/RandomExpr.h"
#include "SolverFixture.h"
#include "dyn/Symbolic/Obligations.h"
#include "dyn/Symbolic/Orders.h"
#include "dyn/Symbolic/Scopes.h"

using namespace dyn::symbolic;

namespace {
struct UsesTest : test::SolverFixture {
  std::string signs(llvm::StringRef difference, llvm::StringRef symbol) {
    std::string text;
    for (const SignInterval &interval : getSigns(solver, expr(difference), expr(symbol))) {
      auto end = [](std::optional<int64_t> value) { return value ? std::to_string(*value) : "?"; };
      text += "[" + end(interval.range.lower) + ", " + end(interval.range.upper) + "]" +
              (interval.sign ? std::to_string(*interval.sign) : "?") + " ";
    }
    return text;
  }
};
} // namespace

TEST_F(UsesTest, TextThatOthersReadPromisesNothing) {
  EXPECT_EQ(withoutPromises(expr("2*bcast(M, N) + s")), expr("2*max(M, N)*min(M, N, 1) + s"));
  EXPECT_EQ(withoutPromises(expr("max(exactdiv(s, t) + 1, k)")), expr("max(s floordiv t + 1, k)"));
  EXPECT_EQ(withoutPromises(expr("bcast(exactdiv(s, t), N)")), expr("max(s floordiv t, N)*min(s floordiv t, N, 1)"));
  EXPECT_EQ(withoutPromises(expr("s*t + 1")), expr("s*t + 1"));
  EXPECT_FALSE(withoutPromises(Expr()));
}

TEST_F(UsesTest, SizesAreOrdered) {
  declare("B: [1, 64], S: [1, 512], P: [0, 4096]");
  EXPECT_EQ(compareSizes(solver, expr("B*S*768"), expr("B*S*3072")), Order::Less);
  EXPECT_EQ(compareSizes(solver, expr("S + P"), expr("S")), Order::GreaterOrEqual);
  EXPECT_EQ(compareSizes(solver, expr("S"), expr("S + P")), Order::LessOrEqual);
  EXPECT_EQ(compareSizes(solver, expr("S + 1"), expr("S")), Order::Greater);
  EXPECT_EQ(compareSizes(solver, expr("12*64*S"), expr("768*S")), Order::Equal);
  EXPECT_EQ(compareSizes(solver, expr("S"), expr("P")), Order::Unknown);
  EXPECT_EQ(compareSizes(solver, Expr(), expr("P")), Order::Unknown);
  EXPECT_TRUE(solver.hasLowerBound(expr("B*S*768 + P"), 0));
  EXPECT_TRUE(solver.hasLowerBound(expr("S + 1"), 1));
  EXPECT_FALSE(solver.hasLowerBound(expr("S - P"), 0));
  EXPECT_TRUE(solver.hasLowerBound(solver.getContext().getConstant(3), 3));
  EXPECT_FALSE(solver.hasLowerBound(solver.getContext().getConstant(3), 4));
  EXPECT_FALSE(solver.hasLowerBound(Expr(), 0));
  // By cases: S is 1 or P.
  ASSERT_TRUE(solver.addPredicate(predicate("S == 1 or S == P"), solver.addReason({})));
  ASSERT_TRUE(solver.addPredicate(predicate("P >= 4"), solver.addReason({})));
  EXPECT_TRUE(solver.hasLowerBound(expr("S"), 1));
}

TEST_F(UsesTest, SignsSplitTheRangeAtTheRoots) {
  declare("S: [1, 512], B: [1, 64], n: [0, ?]");
  EXPECT_EQ(signs("S - 100", "S"), "[1, 99]-1 [100, 100]0 [101, 512]1 ");
  EXPECT_EQ(signs("S*S - 40*S + 300", "S"), "[1, 9]1 [10, 10]0 [11, 29]-1 [30, 30]0 [31, 512]1 ");
  EXPECT_EQ(signs("B*S + B", "S"), "[1, 512]1 ");
  EXPECT_EQ(signs("n - 5000", "n"), "[0, 4999]-1 [5000, 5000]0 [5001, ?]1 ");
  // What has no value belongs to what is before it.
  declare("m: [1, 512] mod 8");
  EXPECT_EQ(signs("m*m - 64*m", "m"), "[8, 63]-1 [64, 71]0 [72, 512]1 ");
  // Where B decides, nothing is said.
  EXPECT_EQ(signs("S - B", "S"), "[1, 64]? [65, 512]1 ");
}

TEST_F(UsesTest, SignsAreThoseOfAllPointsThatFactsAllow) {
  unsigned signs = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SymbolicContext context;
    Solver solver(context);
    test::RandomSource random(seed, {"a", "b", "s"});
    std::vector<Predicate> facts;
    for (int i = 0; i < 3; ++i)
      facts.push_back(Predicate::lessEqual(random.pickTree(2).build(context), random.pickTree(2).build(context)));
    if (!llvm::all_of(facts, [&](const Predicate &fact) {
          return fact.lhs && fact.rhs && solver.addPredicate(fact, solver.addReason({"given", "", 0}));
        }))
      continue;
    Expr s = context.getSymbol("s"), tree = random.pickTree(3).build(context),
         difference = tree * s - random.pick(0, 9);
    std::vector<SignInterval> intervals = getSigns(solver, difference, s);
    for (int64_t value = 0; value < 12 && !intervals.empty(); ++value) {
      auto has = [&](const SignInterval &part) {
        return part.range.lower.value_or(value) <= value && value <= part.range.upper.value_or(value);
      };
      ASSERT_EQ(llvm::count_if(intervals, has),
                value >= *intervals.front().range.lower && value <= intervals.back().range.upper.value_or(value));
      auto part = llvm::find_if(intervals, has);
      if (part == intervals.end() || !part->sign)
        continue;
      ++signs;
      for (int64_t a = 0; a < 7; ++a)
        for (int64_t b = 0; b < 7; ++b) {
          test::Point point = {{"a", a}, {"b", b}, {"s", value}};
          auto holds = [&](const Predicate &fact) { return evaluate(fact, test::lookup(point)) == true; };
          std::optional<int64_t> found = evaluate(difference, test::lookup(point));
          if (found && llvm::all_of(facts, holds))
            EXPECT_EQ((*found > 0) - (*found < 0), *part->sign) << "seed " << seed << ", " << difference.str();
        }
    }
  }
  EXPECT_GT(signs, 300u);
}

TEST_F(UsesTest, SignsAreOfAtMostAsManyIntervalsAsAreWanted) {
  declare("s: [0, 20]");
  for (llvm::StringRef text : {"(s - 3)*(s - 8)", "(s mod 2)*2 - 1"})
    for (unsigned most : {0u, 1u, 2u, 3u, 4u, 8u, 16u}) {
      std::vector<SignInterval> intervals = getSigns(solver, expr(text), expr("s"), most);
      EXPECT_LE(intervals.size(), most) << text.str();
      if (most > 0) {
        EXPECT_EQ(intervals.front().range.lower, 0);
        EXPECT_EQ(intervals.back().range.upper, 20);
      }
    }
}

TEST_F(UsesTest, NumbersThatNeverBroadcastAreNoObligationToCheck) {
  std::vector<Predicate> obligations = getDefinedness(expr("bcast(s, 2, 3)"));
  EXPECT_TRUE(llvm::any_of(obligations, [](const Predicate &one) { return one.kind == Predicate::Kind::False; }));
  EXPECT_EQ(obligations.size(), 3u);
}

TEST_F(UsesTest, UndefinedPlacesAreObligations) {
  auto show = [](llvm::ArrayRef<Predicate> predicates) {
    std::string text;
    for (const Predicate &predicate : predicates)
      text += predicate.str() + "; ";
    return text;
  };
  EXPECT_EQ(show(getDefinedness(expr("s floordiv 4 + 2"))), "");
  EXPECT_EQ(show(getDefinedness(expr("(s + 1) floordiv t"))), "t != 0; ");
  EXPECT_EQ(show(getDefinedness(expr("exactdiv(s, t)"))), "t != 0; s mod t == 0; ");
  EXPECT_EQ(show(getDefinedness(expr("bcast(s, t) floordiv u"))), "s == t or s == 1 or t == 1; u != 0; ");
  declare("t: [1, ?]");
  EXPECT_EQ(show(getDefinedness(solver, expr("(s + 1) floordiv t + s floordiv u"))), "u != 0; ");
}

TEST_F(UsesTest, GuardsAreFewCheapAndKnowWhoReliesOnThem) {
  declare("S: [1, 512], P: [0, 4096]");
  std::vector<Predicate> obligations = {predicate("S + P + u <= 9000"), predicate("S + P <= 4096"),
                                        predicate("2*S + 2*P <= 8192"), predicate("S <= 512"),
                                        predicate("P <= 4095"),         predicate("u >= 1")};
  auto stageOf = [](Expr symbol) { return symbol.getSymbolName() == "u" ? 1u : 0u; };
  std::vector<PlannedGuard> plan = planGuards(solver, obligations, stageOf);
  ASSERT_EQ(plan.size(), 3u);
  EXPECT_EQ(plan[0].index, 1u);
  EXPECT_EQ(plan[0].stage, 0u);
  EXPECT_EQ(plan[0].reliedOnBy, (llvm::SmallVector<unsigned, 2>{1, 4, 2}));
  EXPECT_EQ(plan[1].index, 5u);
  EXPECT_EQ(plan[1].stage, 1u);
  EXPECT_EQ(plan[2].index, 0u);
}

/// Also where no chain of reasons is found.
TEST_F(UsesTest, EachGuardThatIsDroppedRestsOnOneThatIsKept) {
  declare("a: [-1, -1]");
  ASSERT_TRUE(add("min(-3, a) <= b"));
  std::vector<Predicate> guards = {predicate("b*b != min(b floordiv b, b)"), predicate("not (b == (b*a) mod 3)")};
  std::vector<PlannedGuard> plan = planGuards(solver, guards, [](Expr) { return 0u; });
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].reliedOnBy, (llvm::SmallVector<unsigned, 2>{0, 1}));
}

TEST_F(UsesTest, GuardsThatAreDroppedHaveValues) {
  auto stageOf = [](Expr) { return 0u; };
  auto plan = [&](std::vector<Predicate> obligations) {
    std::string kept;
    for (const PlannedGuard &guard : planGuards(solver, obligations, stageOf))
      kept += obligations[guard.index].str() + "; ";
    return kept;
  };
  // That it is true wherever it has a value does not suffice.
  EXPECT_EQ(plan({predicate("s floordiv t <= s")}), "s floordiv t <= s; ");
  EXPECT_EQ(plan({predicate("s floordiv t <= s"), predicate("t != 0")}), "t != 0; ");
  EXPECT_EQ(plan({predicate("t >= 2"), predicate("s floordiv t <= s")}), "2 <= t; ");
  EXPECT_EQ(plan({predicate("s mod t == 0"), predicate("t != 0")}), "t != 0; s mod t == 0; ");
  // A multiple of 0 is not 768.
  EXPECT_EQ(plan({predicate("768 mod t == 0"), predicate("t != 0")}), "768 mod t == 0; ");
  EXPECT_EQ(plan({predicate("s floordiv t <= s or s == 1")}), "s floordiv t <= s or s == 1; ");
}

TEST_F(UsesTest, CalleesDemandWhatTheyDeclare) {
  declare("S: [1, 512], P: [0, 4096]");
  ParseError error;
  auto callee = parseSymbolDeclarations("n: [1, 8192] mod 2, m: [0, ?] = 2 * n", error);
  ASSERT_TRUE(callee);
  Substitution arguments = {{expr("n").getNode(), expr("2*S + 2*P")}, {expr("m").getNode(), expr("4*S + 4*P")}};
  std::vector<Predicate> demands = instantiate(*callee, context, arguments);
  ASSERT_EQ(demands.size(), 5u);
  EXPECT_EQ(solver.implies(demands[0]), Verdict::Yes);
  EXPECT_EQ(solver.implies(demands[1]), Verdict::Unknown);
  EXPECT_EQ(solver.implies(demands[2]), Verdict::Yes);
  EXPECT_EQ(solver.implies(demands[4]), Verdict::Yes);
}

TEST_F(UsesTest, FactsOfABranchStayThere) {
  declare("S: [0, 512]");
  Solver branch = solver.fork();
  ASSERT_TRUE(branch.addPredicate(predicate("S >= 100"), branch.addReason({"then", "", 0})));
  EXPECT_EQ(branch.implies(predicate("S >= 100")), Verdict::Yes);
  expectUnknown("S >= 100");
  ASSERT_TRUE(add("S <= 50"));
  EXPECT_EQ(branch.implies(predicate("S <= 50")), Verdict::No);
}

TEST_F(UsesTest, WhatHasNoValueInABranchStandsForNothingThere) {
  auto join = [&](llvm::StringRef condition, llvm::StringRef whenTrue, llvm::StringRef whenFalse) {
    Solver first = solver.fork(), second = solver.fork();
    EXPECT_TRUE(first.addPredicate(predicate(condition), first.addReason({"then", "", 0})));
    EXPECT_TRUE(second.addPredicate(Predicate::negation(predicate(condition)), second.addReason({"else", "", 0})));
    return joinSizes(solver, first, expr(whenTrue), second, expr(whenFalse), "j").facts;
  };
  EXPECT_TRUE(join("bc_ok(s, t)", "bcast(s, t)", "7").has_value());
  EXPECT_TRUE(join("bc_ok(s, t)", "bcast(s, t)", "max(s, t)").has_value());
  EXPECT_TRUE(join("s == 0", "n", "n mod s").has_value());
  std::optional<SymbolFacts> zero = join("s == 0", "0", "bcast(s, s + 5)");
  ASSERT_TRUE(zero.has_value());
  EXPECT_LE(zero->range.lower.value_or(0), 0);
  // Where one has a value in both, it stands for both.
  EXPECT_FALSE(join("s == t", "bcast(s, t)", "bcast(s, t)").has_value());
  EXPECT_FALSE(join("s == t", "s", "t + min(s - t, 0) + max(s - t, 0)").has_value());
}

TEST_F(UsesTest, BranchesJoin) {
  declare("S: [0, 512] mod 6 rem 1, T: [8, 900] mod 6 rem 4");
  Solver first = solver.fork(), second = solver.fork();
  ASSERT_TRUE(first.addPredicate(predicate("x == S + 1"), first.addReason({"then", "", 0})));
  EXPECT_EQ(joinSizes(solver, first, expr("x"), second, expr("S + 1"), "j").value.str(), "S + 1");
  JoinedSize joined = joinSizes(solver, first, expr("S"), second, expr("T"), "j");
  ASSERT_TRUE(joined.facts.has_value());
  EXPECT_EQ(joined.facts->range, (Range{1, 898}));
  EXPECT_EQ(joined.facts->modulus, 3);
  EXPECT_EQ(joined.facts->remainder, 1);
  EXPECT_EQ(joined.whenTrue, expr("S"));
  EXPECT_EQ(solver.getRange(joined.value), (Range{1, 898}));
  JoinedSize constants = joinSizes(solver, first, expr("4"), second, expr("16"), "j");
  EXPECT_EQ(constants.facts->modulus, 12);
  EXPECT_EQ(constants.facts->remainder, 4);
  EXPECT_EQ(constants.facts->range, (Range{4, 16}));
}

TEST_F(UsesTest, LargeSizesAreAbbreviated) {
  declare("S: [1, 8] mod 4 rem 1");
  Expr sum = expr("1");
  for (int term = 0; term < 31; ++term)
    sum = sum + expr("S*S" + std::to_string(term)), declare("S" + std::to_string(term) + ": [0, 8] mod 4");
  EXPECT_EQ(abbreviate(solver, sum, "sum").value, sum) << "32 terms are written out";
  sum = sum + expr("S*T");
  declare("T: [0, 8] mod 4");
  AbbreviatedSize large = abbreviate(solver, sum, "sum");
  EXPECT_TRUE(large.value.isSymbol());
  ASSERT_TRUE(large.facts.has_value());
  EXPECT_EQ(solver.getRange(large.value), (Range{1, 1 + 32 * 5 * 8}));
  EXPECT_EQ(solver.getCongruence(large.value), (std::pair<int64_t, int64_t>(4, 1)));
  EXPECT_EQ(solver.simplify(large.value), large.value) << "its definition is not written out again";
  EXPECT_FALSE(abbreviate(solver, Expr(), "sum").value);
}

TEST_F(UsesTest, LoopsWiden) {
  declare("S: [1, 512], d: [0, ?], k: [0, 100]");
  CarriedSize same = widen(solver, expr("S"), expr("d"), expr("d"), expr("k"));
  EXPECT_EQ(same.kind, CarriedSize::Invariant);
  EXPECT_EQ(same.exit, expr("S"));
  CarriedSize line = widen(solver, expr("S"), expr("d"), expr("d + 2"), expr("k"));
  EXPECT_EQ(line.kind, CarriedSize::Linear);
  EXPECT_EQ(line.exit, expr("S + 2*k"));
  EXPECT_EQ(line.range, (Range{1, std::nullopt}));
  CarriedSize any = widen(solver, expr("S"), expr("d"), expr("2*d"), expr("k"), 4096);
  EXPECT_EQ(any.kind, CarriedSize::Widened);
  EXPECT_FALSE(any.exit);
  EXPECT_EQ(any.range, (Range{0, 4096}));
}

TEST_F(UsesTest, ALoopWithoutTripsKeepsTheSizeWhateverItsStepDividesBy) {
  declare("S: [1, 512], d: [0, ?], k: [0, 100], x: [0, ?], m: [0, ?], trips: [1, ?]");
  auto getExit = [&](llvm::StringRef step, llvm::StringRef tripCount) {
    CarriedSize line = widen(solver, expr("S"), expr("d"), expr("d") + expr(step), expr(tripCount));
    EXPECT_EQ(line.kind, CarriedSize::Linear);
    EXPECT_EQ(line.range, (Range{1, std::nullopt}));
    return line.exit;
  };
  for (const char *step : {"x ceildiv m", "bcast(x, m)", "x mod m + 1"}) {
    EXPECT_FALSE(getExit(step, "k")) << step;
    // In a trip, the step has a value.
    EXPECT_EQ(getExit(step, "trips"), expr("S") + expr("trips") * expr(step));
  }
  EXPECT_EQ(solver.isEqual(getExit("x ceildiv (m + 1)", "k"), expr("S + k*(x ceildiv (m + 1))")), Verdict::Yes);
  add("m != 0");
  EXPECT_EQ(solver.isEqual(getExit("x ceildiv m", "k"), expr("S + k*(x ceildiv m)")), Verdict::Yes);
}

TEST_F(UsesTest, NumbersOfTripsBelowZeroAreNone) {
  declare("S: [1, 512], d: [0, ?], n: [0, ?]");
  CarriedSize line = widen(solver, expr("S"), expr("d"), expr("d + 1"), expr("n - 3"));
  EXPECT_EQ(solver.isEqual(line.exit, expr("S + max(n - 3, 0)")), Verdict::Yes);
}

TEST_F(UsesTest, GuardsThatAreRepeatedOrFactsAreDropped) {
  declare("t: [-2, -1], a: [-4, ?], z: int");
  ASSERT_TRUE(add("max(a, t) mod 2 == 0"));
  auto minimize = [&](std::initializer_list<const char *> texts) {
    std::vector<Predicate> guards;
    for (const char *text : texts)
      guards.push_back(predicate(text));
    return solver.minimizeGuards(guards);
  };
  EXPECT_EQ(minimize({"min(z, 2) mod 4 == 3", "min(z, 2) mod 4 == 3"}), (llvm::SmallVector<unsigned>{0}));
  EXPECT_EQ(minimize({"s < a", "max(a, t) mod 2 == 0"}), (llvm::SmallVector<unsigned>{0}));
}

/// What a question before left of the effort, and forms that it found, are not those of the next one.
TEST_F(UsesTest, CongruencesDoNotDependOnEarlierQuestions) {
  declare("t: [-3, -1]");
  for (const char *fact : {"s == a", "s mod (-3) != t", "(s mod (-3) - 1) mod 2 == 1", "a <= 4", "1 <= a"})
    ASSERT_TRUE(add(fact));
  auto fresh = solver.getCongruence(expr("s mod (-3) + 1"));
  for (const char *question : {"s mod (-3) + 1 == 0", "s*t*t floordiv 5 == s - t"}) {
    solver.implies(predicate(question));
    EXPECT_EQ(solver.getCongruence(expr("s mod (-3) + 1")), fresh) << question;
  }
}

TEST_F(UsesTest, UniqueSizesAreNotTakenForOthers) {
  declare("a: [0, ?], b: [0, ?], c: [0, ?] unique, d: [3, 4], e: [5, 6]");
  EXPECT_TRUE(solver.mayAssumeEqual(expr("a"), expr("b")));
  EXPECT_FALSE(solver.mayAssumeEqual(expr("a"), expr("c")));
  EXPECT_FALSE(solver.mayAssumeEqual(expr("d"), expr("e")));
  ASSERT_TRUE(add("a == c"));
  EXPECT_TRUE(solver.mayAssumeEqual(expr("a"), expr("c")));
  EXPECT_EQ(solver.isOne(expr("d")), Verdict::No);
  EXPECT_EQ(solver.isZero(expr("a - c")), Verdict::Yes);
}

//===- Cost of facts and of questions --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Adversaries.h"
#include "Expressions/Node.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Symbolic/Solver.h"
#include "llvm/ADT/STLExtras.h"
#include <benchmark/benchmark.h>
#include <chrono>
#include <ctime>
#include <numeric>

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {

/// The time that this thread was given, whatever else the machine does.
double getNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * time.tv_sec + time.tv_nsec;
}

struct System {
  SymbolicContext context;
  Solver solver{context};
  ReasonId reason = solver.addReason({"benchmark", "", 0});

  Expr declare(std::string name, int64_t low, std::optional<int64_t> high, SymbolClass symbolClass) {
    Expr symbol = context.getSymbol(name);
    SymbolFacts facts;
    facts.range = {low, high};
    solver.declare(symbol, facts, symbolClass, reason);
    return symbol;
  }
};

/// Sizes of a graph: internal symbols that equal one of a few, or sums of them.
std::vector<Expr> addFacts(System &system, int count) {
  Expr sizes[] = {system.declare("B", 1, 64, SymbolClass::Declared), system.declare("S", 1, 512, SymbolClass::Declared),
                  system.declare("P", 0, 4096, SymbolClass::Declared)};
  std::vector<Expr> symbols;
  for (int i = 0; i < count; ++i) {
    Expr symbol = system.context.getSymbol("s" + std::to_string(i));
    Expr value = i % 5 == 4 ? sizes[1] + sizes[2] : i % 5 == 3 ? symbols[i / 2] : sizes[i % 3];
    system.solver.addEqual(symbol, value, system.reason);
    symbols.push_back(symbol);
  }
  return symbols;
}

void learnEqualities(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    benchmark::DoNotOptimize(addFacts(system, state.range(0)));
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(learnEqualities)->RangeMultiplier(4)->Range(64, 16384)->Complexity()->Unit(benchmark::kMicrosecond);

/// Costs a few tens of nanoseconds, where the clock of a thread, which is a call of the system, costs more than an
/// equality.
double getSteadyNanoseconds() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Each question for the first time.
void equalityAfterThousandFacts(benchmark::State &state) {
  std::vector<double> times;
  for (auto _ : state) {
    System system;
    std::vector<Expr> symbols = addFacts(system, 1000);
    for (int i = 0; i < 1000; ++i) {
      double start = getSteadyNanoseconds();
      benchmark::DoNotOptimize(system.solver.isEqual(symbols[i], symbols[(i * 7 + 3) % 1000]));
      times.push_back(getSteadyNanoseconds() - start);
    }
  }
  std::sort(times.begin(), times.end());
  state.counters["median_ns"] = times[times.size() / 2];
  state.counters["p99_ns"] = times[times.size() * 99 / 100];
  state.counters["worst_ns"] = times.back();
}
BENCHMARK(equalityAfterThousandFacts)->Iterations(5)->Unit(benchmark::kMillisecond);

/// What a transformer's nodes ask of the engine: contractions, additions, a reshape into heads, a concatenation with
/// the past, guards that are implied.
void transformer(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    SymbolicContext &context = system.context;
    Solver &solver = system.solver;
    Expr b = system.declare("B", 1, 64, SymbolClass::Declared), s = system.declare("S", 1, 512, SymbolClass::Declared),
         p = system.declare("P", 0, 4096, SymbolClass::Declared), heads = context.getConstant(12),
         width = context.getConstant(64), hidden = context.getConstant(768);
    int64_t nodes = state.range(0);
    for (int64_t node = 0; node < nodes; ++node) {
      switch (node % 10) {
      case 0: // contraction
        solver.isEqual(hidden, heads * width);
        break;
      case 1: // head split by a reshape with -1
        benchmark::DoNotOptimize(solver.simplify(exactDiv(b * s * hidden, b * s * width)));
        break;
      case 2: // concatenation with the past
        benchmark::DoNotOptimize(solver.simplify(p + s));
        break;
      case 3: // mask against scores
        benchmark::DoNotOptimize(solver.isEqual(p + s, s + p));
        break;
      case 4: // broadcast of a bias
        benchmark::DoNotOptimize(solver.isBroadcastable(hidden, hidden));
        break;
      case 5: { // a dim that inference names once for each layer
        if (node % 100 == 5) {
          Expr fresh = context.getSymbol("d" + std::to_string(node));
          solver.addEqual(fresh, p + s, system.reason);
          benchmark::DoNotOptimize(solver.simplify(fresh));
        }
        break;
      }
      case 6: // numel for memory
        benchmark::DoNotOptimize(b * heads * s * (p + s) * 4);
        break;
      case 7: // which buffer is larger
        benchmark::DoNotOptimize(solver.isLessEqual(b * s * 768, b * s * 3072));
        break;
      case 8: // a guard that is implied
        benchmark::DoNotOptimize(solver.implies(Predicate::lessEqual(s, context.getConstant(512))));
        break;
      default:
        benchmark::DoNotOptimize(solver.getRange(p + s));
      }
    }
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(transformer)->Arg(1000)->Arg(10000)->Arg(100000)->Complexity()->Unit(benchmark::kMillisecond);

//===----------------------------------------------------------------------===//
// Adversarial
//===----------------------------------------------------------------------===//

/// Of each cost the least of some runs, which all do the same: what else the machine does makes single ones dear.
class LeastCosts {
public:
  void add(const Adversary::Cost &run) {
    if (costs.empty())
      costs = run.each;
    for (auto [least, cost] : llvm::zip_equal(costs, run.each))
      least = std::min(least, cost);
  }
  double getTotal() const { return std::accumulate(costs.begin(), costs.end(), 0.0); }
  double getWorst() const { return costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end()); }

private:
  std::vector<double> costs;
};
constexpr int runs = 3;

/// Runs one step after the other. The counters tell the slowest question, what a step takes, what a unit of the work
/// takes that effort is counted in, and how many questions are answered yes or no.
void run(benchmark::State &state, Step step) {
  for (auto _ : state) {
    LeastCosts facts, questions;
    for (int run = 0; run < runs; ++run) {
      Adversary adversary([](SymbolicContext &) { return getNanoseconds(); });
      for (int64_t i = 0; i < state.range(0); ++i)
        step(adversary, i, state.range(0));
      facts.add(adversary.facts);
      questions.add(adversary.questions);
      state.counters["ns/work"] = (facts.getTotal() + questions.getTotal()) / adversary.context.getImpl().work;
      state.counters["answered"] = adversary.answered;
    }
    state.counters["worst_us"] = questions.getWorst() / 1000;
    state.counters["us/step"] = (facts.getTotal() + questions.getTotal()) / 1000 / state.range(0);
  }
}
void forSomeFacts(benchmark::internal::Benchmark *benchmark) {
  benchmark->Arg(250)->Arg(1000)->Iterations(1)->Unit(benchmark::kMillisecond);
}
void forManyFacts(benchmark::internal::Benchmark *benchmark) {
  forSomeFacts(benchmark);
  benchmark->Arg(5000);
}
BENCHMARK_CAPTURE(run, chainOfInequalities, chainOfInequalities)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, broadcastFacts, broadcastFacts)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, chainOfEqualities, chainOfEqualities)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, equalitiesFromTheEnd, equalitiesFromTheEnd)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, offsetsFromTheEnd, offsetsFromTheEnd)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, multiplesFromTheEnd, multiplesFromTheEnd)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, chainOfDeclared, amongDeclared<chainOfInequalities>)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, equalDeclaredFromTheEnd, amongDeclared<equalitiesFromTheEnd>)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, offsetDeclaredFromTheEnd, amongDeclared<offsetsFromTheEnd>)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, multipleDeclaredFromTheEnd, amongDeclared<multiplesFromTheEnd>)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, growingDeclaredMaxima, amongDeclared<growingMaxima>)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, declaredMaximaInCircles, amongDeclared<maximaInCircles>)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, sumsOfDeclaredMaxima, amongDeclared<sumsOfMaxima>)->Apply(forSomeFacts)->Arg(4000);
BENCHMARK_CAPTURE(run, longDisjunction, longDisjunction)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, longConjunction, longConjunction)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, rowOfRemainders, rowOfRemainders)->Apply(forSomeFacts)->Arg(4000);
BENCHMARK_CAPTURE(run, remaindersOfDeclared, amongDeclared<rowOfRemainders>)->Apply(forSomeFacts)->Arg(4000);
BENCHMARK_CAPTURE(run, rowOfCongruences, rowOfCongruences)->Apply(forSomeFacts)->Arg(4000);
BENCHMARK_CAPTURE(run, rowOfDivisors, rowOfDivisors)->Apply(forSomeFacts)->Arg(4000);
BENCHMARK_CAPTURE(run, sumsWithOne, sumsWithOne)->Apply(forSomeFacts)->Arg(4000);
BENCHMARK_CAPTURE(run, sumsOfDeclaredWithOne, amongDeclared<sumsWithOne>)->Apply(forSomeFacts)->Arg(4000);
BENCHMARK_CAPTURE(run, convolutions, convolutions)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, convolutionsOfDeclared, amongDeclared<convolutions>)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, declarations, declarations)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, forks, forks)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, nestedForks, nestedForks)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, narrowedRange, narrowedRange)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, excludedValues, excludedValues)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, boundsOfOne, boundsOfOne)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, products, products)->Apply(forManyFacts);
BENCHMARK_CAPTURE(run, growingMaxima, growingMaxima)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, maximaFromTheEnd, maximaFromTheEnd)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, equalMaxima, equalMaxima)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, sumsOfMaxima, sumsOfMaxima)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, maximaInCircles, maximaInCircles)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, signs, signs)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, alternatingBounds, alternatingBounds)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, nestedQuotients, nestedQuotients)->Apply(forSomeFacts);
BENCHMARK_CAPTURE(run, mixedInequalities, mixedInequalities)->Apply(forSomeFacts);

/// Random questions: so many facts are among the sizes that are asked about.
void productsMaximaQuotients(benchmark::State &state) {
  double total = 0, worst = 0, worstFact = 0, answered = 0;
  uint64_t seeds = 0;
  for (auto _ : state)
    for (unsigned depth : {2, 3, 4})
      for (uint64_t seed = 0; seed < 20; ++seed, ++seeds) {
        LeastCosts facts, questions;
        for (int run = 0; run < runs; ++run) {
          Adversary adversary([](SymbolicContext &) { return getNanoseconds(); });
          mixedQuestions(adversary, seed, depth, state.range(0));
          facts.add(adversary.facts);
          questions.add(adversary.questions);
          answered += double(adversary.answered) / runs;
        }
        total += questions.getTotal();
        worst = std::max(worst, questions.getWorst());
        worstFact = std::max(worstFact, facts.getWorst());
      }
  state.counters["worst_us"] = worst / 1000;
  state.counters["worst_fact_us"] = worstFact / 1000;
  // Next to a question after each fact, four questions, a range and a form.
  state.counters["us/question"] = total / 1000 / seeds / (state.range(0) + 6);
  state.counters["answered"] = answered;
}
BENCHMARK(productsMaximaQuotients)->Arg(0)->Arg(2)->Arg(8)->Arg(30)->Iterations(1)->Unit(benchmark::kMillisecond);

void deepNesting(benchmark::State &state) {
  for (auto _ : state) {
    SymbolicContext context;
    Expr deep = context.getSymbol("s"), t = context.getSymbol("t");
    for (int64_t i = 0; i < state.range(0); ++i) {
      Expr next = i % 3 == 0 ? floorDiv(deep * 3 + 1, t + i) : i % 3 == 1 ? max({deep, t * i}) : deep * 5 + t;
      deep = next ? next : context.getSymbol("s");
    }
  }
}
BENCHMARK(deepNesting)->Arg(1000)->Arg(10000)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Each step has twice as many quotients of quotients, until the form is too large.
void nestedQuotientsOfSums(benchmark::State &state) {
  double worst = 0;
  for (auto _ : state) {
    SymbolicContext context;
    Expr sum = context.getSymbol("s");
    for (int64_t i = 0; sum; ++i) {
      double start = getNanoseconds();
      sum = floorDiv(sum * 3 + context.getSymbol("t" + std::to_string(i)), context.getConstant(4)) + sum;
      worst = std::max(worst, getNanoseconds() - start);
    }
  }
  state.counters["worst_us"] = worst / 1000;
}
BENCHMARK(nestedQuotientsOfSums)->Iterations(1)->Unit(benchmark::kMillisecond);

void longSum(benchmark::State &state) {
  for (auto _ : state) {
    std::string text = "s";
    for (int64_t i = 0; i < state.range(0); ++i)
      text += " + s" + std::to_string(i % 50000);
    SymbolicContext context;
    ParseError error;
    double start = getNanoseconds();
    benchmark::DoNotOptimize(parseExpr(text, context, error));
    state.counters["ns/term"] = (getNanoseconds() - start) / state.range(0);
  }
}
BENCHMARK(longSum)->Arg(1000)->Arg(10000)->Arg(1000000)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace

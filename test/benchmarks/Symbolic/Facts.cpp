//===- Cost of facts and of questions --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Parser.h"
#include "dyn/Symbolic/Solver.h"
#include <benchmark/benchmark.h>
#include <ctime>

using namespace dyn::symbolic;

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

/// Each question for the first time.
void equalityAfterThousandFacts(benchmark::State &state) {
  std::vector<double> times;
  for (auto _ : state) {
    System system;
    std::vector<Expr> symbols = addFacts(system, 1000);
    for (int i = 0; i < 1000; ++i) {
      double start = getNanoseconds();
      benchmark::DoNotOptimize(system.solver.isEqual(symbols[i], symbols[(i * 7 + 3) % 1000]));
      times.push_back(getNanoseconds() - start);
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

/// Runs one step after the other; the counters tell the slowest one and how the second half compares to the first.
template <typename Step>
void runSteps(benchmark::State &state, int64_t count, Step step) {
  double worst = 0, halves[2] = {0, 0};
  for (int64_t i = 0; i < count; ++i) {
    double start = getNanoseconds();
    step(i);
    double time = getNanoseconds() - start;
    worst = std::max(worst, time);
    halves[i >= count / 2] += time;
  }
  state.counters["worst_us"] = worst / 1000;
  state.counters["second/first"] = halves[1] / halves[0];
}

void chainOfInequalities(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    auto get = [&](int64_t i) { return system.context.getSymbol("s" + std::to_string(i)); };
    runSteps(state, state.range(0), [&](int64_t i) {
      system.solver.addLessEqual(get(i), get(i + 1), system.reason);
      benchmark::DoNotOptimize(system.solver.isLessEqual(get(i / 2), get(i)));
    });
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(chainOfInequalities)->Arg(250)->Arg(1000)->Arg(5000)->Iterations(1)->Unit(benchmark::kMillisecond);

void broadcastFacts(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    auto get = [&](int64_t i) { return system.context.getSymbol("s" + std::to_string(i)); };
    runSteps(state, state.range(0), [&](int64_t i) {
      system.solver.addPredicate(Predicate::broadcastable(get(i), get(i + 1)), system.reason);
      benchmark::DoNotOptimize(system.solver.isEqual(get(i), get(i / 2)));
    });
  }
}
BENCHMARK(broadcastFacts)->Arg(250)->Arg(1000)->Arg(5000)->Iterations(1)->Unit(benchmark::kMillisecond);

void chainOfEqualities(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    auto get = [&](int64_t i) { return system.context.getSymbol("s" + std::to_string(i)); };
    runSteps(state, state.range(0), [&](int64_t i) {
      system.solver.addEqual(get(i), get(i + 1), system.reason);
      benchmark::DoNotOptimize(system.solver.isEqual(get(0), get(i + 1)));
    });
  }
}
BENCHMARK(chainOfEqualities)->Arg(250)->Arg(1000)->Arg(5000)->Iterations(1)->Unit(benchmark::kMillisecond);

/// From the last declared to the first: each removes the symbol that all before equal.
void equalitiesFromTheEnd(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    std::vector<Expr> symbols;
    for (int64_t i = 0; i <= state.range(0); ++i)
      symbols.push_back(system.context.getSymbol("s" + std::to_string(i)));
    runSteps(state, state.range(0), [&](int64_t i) {
      int64_t next = state.range(0) - i;
      system.solver.addEqual(symbols[next], symbols[next - 1], system.reason);
      benchmark::DoNotOptimize(system.solver.isEqual(symbols.back(), symbols[next - 1]));
    });
  }
}
BENCHMARK(equalitiesFromTheEnd)->Arg(250)->Arg(1000)->Arg(5000)->Iterations(1)->Unit(benchmark::kMillisecond);

void boundsOfOne(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    auto get = [&](int64_t i) { return system.context.getSymbol("s" + std::to_string(i)); };
    Expr most = system.context.getSymbol("most");
    runSteps(state, state.range(0), [&](int64_t i) {
      system.solver.addLessEqual(get(i), most, system.reason);
      benchmark::DoNotOptimize(system.solver.isLessEqual(get(i / 2), most + 1));
    });
  }
}
BENCHMARK(boundsOfOne)->Arg(250)->Arg(1000)->Arg(5000)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Each size is the larger one of the last and of another.
void growingMaxima(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    auto get = [&](const char *prefix, int64_t i) { return system.context.getSymbol(prefix + std::to_string(i)); };
    runSteps(state, state.range(0), [&](int64_t i) {
      system.solver.addEqual(get("s", i + 1), max({get("s", i), get("t", i)}), system.reason);
      benchmark::DoNotOptimize(system.solver.isLessEqual(get("s", i / 2), get("s", i + 1)));
    });
  }
}
BENCHMARK(growingMaxima)->Arg(250)->Arg(1000)->Iterations(1)->Unit(benchmark::kMillisecond);

/// From the last to the first: each equation is about a symbol that the values of those before it mention.
void maximaFromTheEnd(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    auto get = [&](const char *prefix, int64_t i) { return system.context.getSymbol(prefix + std::to_string(i)); };
    for (int64_t i = 0; i <= state.range(0); ++i)
      get("s", i), get("t", i);
    runSteps(state, state.range(0), [&](int64_t i) {
      int64_t next = state.range(0) - i;
      system.solver.addEqual(max({get("s", next - 1), get("t", next - 1)}), get("s", next), system.reason);
      benchmark::DoNotOptimize(system.solver.isLessEqual(get("s", next), get("s", next + i / 2)));
    });
  }
}
BENCHMARK(maximaFromTheEnd)->Arg(250)->Arg(1000)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Maxima of two symbols that no equation removes.
void equalMaxima(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    auto get = [&](int64_t i) { return system.context.getSymbol("s" + std::to_string(i)); };
    auto getMax = [&](int64_t i) { return max({get(2 * i), get(2 * i + 1)}); };
    runSteps(state, state.range(0), [&](int64_t i) {
      system.solver.addEqual(getMax(i), getMax(i + 1), system.reason);
      benchmark::DoNotOptimize(system.solver.isLessEqual(get(i), getMax(i / 2)));
    });
  }
}
BENCHMARK(equalMaxima)->Arg(250)->Arg(1000)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Sums of maxima: each equation is about one symbol more.
void sumsOfMaxima(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    auto get = [&](const char *prefix, int64_t i) { return system.context.getSymbol(prefix + std::to_string(i)); };
    runSteps(state, state.range(0), [&](int64_t i) {
      system.solver.addEqual(get("s", i + 1), get("s", i) + max({get("t", i), get("t", i + 1)}), system.reason);
      benchmark::DoNotOptimize(system.solver.isLessEqual(get("s", i / 2), get("s", i + 1)));
    });
  }
}
BENCHMARK(sumsOfMaxima)->Arg(250)->Arg(1000)->Iterations(1)->Unit(benchmark::kMillisecond);

void products(benchmark::State &state) {
  for (auto _ : state) {
    System system;
    auto get = [&](const char *prefix, int64_t i) { return system.context.getSymbol(prefix + std::to_string(i)); };
    runSteps(state, state.range(0), [&](int64_t i) {
      system.solver.addEqual(get("a", i) * get("b", i), get("a", i + 1) * get("c", i), system.reason);
      benchmark::DoNotOptimize(system.solver.isEqual(get("a", i) * get("b", i) * 2, get("a", i + 1) * get("c", i) * 2));
    });
  }
}
BENCHMARK(products)->Arg(250)->Arg(1000)->Arg(5000)->Iterations(1)->Unit(benchmark::kMillisecond);

void deepNesting(benchmark::State &state) {
  for (auto _ : state) {
    SymbolicContext context;
    Expr deep = context.getSymbol("s"), t = context.getSymbol("t");
    runSteps(state, state.range(0), [&](int64_t i) {
      Expr next = i % 3 == 0 ? floorDiv(deep * 3 + 1, t + i) : i % 3 == 1 ? max({deep, t * i}) : deep * 5 + t;
      deep = next ? next : context.getSymbol("s");
    });
  }
}
BENCHMARK(deepNesting)->Arg(1000)->Arg(10000)->Iterations(1)->Unit(benchmark::kMillisecond);

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

//===- Cost of expressions, next to MLIR's AffineExpr ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Cold: symbols that no expression has used, so every node is new. Warm: the same
// operation on the same operands again.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Solver.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/MLIRContext.h"
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <optional>

using namespace dyn::symbolic;

namespace {

/// Fresh symbols, made before the clock runs; a new context when they are used up.
class FreshSymbols {
public:
  explicit FreshSymbols(benchmark::State &state) : state(state) { refill(); }
  Expr take() {
    if (next == symbols.size()) {
      state.PauseTiming();
      refill();
      state.ResumeTiming();
    }
    return symbols[next++];
  }
  /// Was the symbol taken last the first one of its context?
  bool isFirst() const { return next == 1; }

private:
  void refill() {
    symbols.clear();
    context.emplace();
    for (int i = 0; i < 30000; ++i)
      symbols.push_back(context->createSymbol("s"));
    next = 0;
  }
  benchmark::State &state;
  std::optional<SymbolicContext> context;
  std::vector<Expr> symbols;
  size_t next = 0;
};

void warmAdd(benchmark::State &state) {
  SymbolicContext context;
  Expr sum = context.getSymbol("s") * 768 + context.getSymbol("p"), other = context.getSymbol("t") + 12;
  for (auto _ : state)
    benchmark::DoNotOptimize(sum + other);
}
BENCHMARK(warmAdd);

void warmMul(benchmark::State &state) {
  SymbolicContext context;
  Expr sum = context.getSymbol("s") + context.getSymbol("p"), other = context.getSymbol("t") + 12;
  for (auto _ : state)
    benchmark::DoNotOptimize(sum * other);
}
BENCHMARK(warmMul);

void warmCompare(benchmark::State &state) {
  SymbolicContext context;
  Solver solver(context);
  Expr sum = context.getSymbol("s") * 768 + context.getSymbol("p"), other = context.getSymbol("p") + 12;
  solver.isEqual(sum, other);
  for (auto _ : state)
    benchmark::DoNotOptimize(solver.isEqual(sum, other));
}
BENCHMARK(warmCompare);

void coldAdd(benchmark::State &state) {
  FreshSymbols symbols(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(symbols.take() + 1);
}
BENCHMARK(coldAdd);

void coldFloorDiv(benchmark::State &state) {
  FreshSymbols symbols(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(floorDiv(symbols.take(), 64));
}
BENCHMARK(coldFloorDiv);

/// min(s, 512) + max(s, 512)
void coldMinMax(benchmark::State &state) {
  FreshSymbols symbols(state);
  for (auto _ : state) {
    Expr s = symbols.take(), limit = s.getContext().getConstant(512);
    benchmark::DoNotOptimize(min({s, limit}) + max({s, limit}));
  }
}
BENCHMARK(coldMinMax);

/// (h + 2 - 3) floordiv 2 + 1
void coldConvolution(benchmark::State &state) {
  FreshSymbols symbols(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(floorDiv(symbols.take() + 2 - 3, 2) + 1);
}
BENCHMARK(coldConvolution);

/// B*S*768 over B*S*12
void coldReshape(benchmark::State &state) {
  FreshSymbols symbols(state);
  Expr batch;
  for (auto _ : state) {
    Expr s = symbols.take();
    if (symbols.isFirst())
      batch = s.getContext().getSymbol("B");
    Expr numel = batch * s;
    benchmark::DoNotOptimize(exactDiv(numel * 768, numel * 12));
  }
}
BENCHMARK(coldReshape);

/// Bytes of a node: `a*1 + b`, `a*2 + b`, ... with the table entries that they need. Each also makes `a*i`.
template <typename Build>
void reportBytes(benchmark::State &state, Build build) {
  constexpr int count = 200000;
  size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  for (int i = 1; i <= count; ++i)
    build(i);
  state.counters["bytes/node"] = double(mallinfo2().uordblks + mallinfo2().hblkhd - before) / (2 * count);
}

void memory(benchmark::State &state) {
  for (auto _ : state) {
    SymbolicContext context;
    Expr a = context.getSymbol("a"), b = context.getSymbol("b");
    reportBytes(state, [&](int i) { benchmark::DoNotOptimize(a * i + b); });
  }
}
BENCHMARK(memory)->Iterations(1);

//===----------------------------------------------------------------------===//
// AffineExpr
//===----------------------------------------------------------------------===//

struct Affine {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  unsigned next = 0;
  mlir::AffineExpr get(unsigned position) { return mlir::getAffineSymbolExpr(position, &context); }
  /// New positions, as far as they are made at once.
  mlir::AffineExpr take() { return get(++next); }
};

void affineWarmAdd(benchmark::State &state) {
  Affine affine;
  mlir::AffineExpr sum = affine.get(0) * 768 + affine.get(1), other = affine.get(2) + 12;
  for (auto _ : state)
    benchmark::DoNotOptimize(sum + other);
}
BENCHMARK(affineWarmAdd);

void affineWarmMul(benchmark::State &state) {
  Affine affine;
  mlir::AffineExpr sum = affine.get(0) + affine.get(1), other = affine.get(2) + 12;
  for (auto _ : state)
    benchmark::DoNotOptimize(sum * other);
}
BENCHMARK(affineWarmMul);

/// Are both the same by their flattened difference?
void affineWarmCompare(benchmark::State &state) {
  Affine affine;
  mlir::AffineExpr sum = affine.get(0) * 768 + affine.get(1), other = affine.get(1) + 12;
  for (auto _ : state)
    benchmark::DoNotOptimize(mlir::simplifyAffineExpr(sum - other, 0, 2) == 0);
}
BENCHMARK(affineWarmCompare);

void affineColdAdd(benchmark::State &state) {
  Affine affine;
  for (auto _ : state)
    benchmark::DoNotOptimize(affine.take() + 1);
}
BENCHMARK(affineColdAdd);

void affineColdFloorDiv(benchmark::State &state) {
  Affine affine;
  for (auto _ : state)
    benchmark::DoNotOptimize(affine.take().floorDiv(64));
}
BENCHMARK(affineColdFloorDiv);

void affineColdConvolution(benchmark::State &state) {
  Affine affine;
  for (auto _ : state)
    benchmark::DoNotOptimize((affine.take() + 2 - 3).floorDiv(2) + 1);
}
BENCHMARK(affineColdConvolution);

/// The quotient of the products stays as it is.
void affineColdReshape(benchmark::State &state) {
  Affine affine;
  for (auto _ : state) {
    mlir::AffineExpr elements = affine.get(0) * affine.take();
    benchmark::DoNotOptimize((elements * 768).floorDiv(elements * 12));
  }
}
BENCHMARK(affineColdReshape);

void affineMemory(benchmark::State &state) {
  for (auto _ : state) {
    Affine affine;
    mlir::AffineExpr a = affine.get(0), b = affine.get(1);
    reportBytes(state, [&](int i) { benchmark::DoNotOptimize(a * i + b); });
  }
}
BENCHMARK(affineMemory)->Iterations(1);

} // namespace

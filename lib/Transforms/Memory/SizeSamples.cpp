//===- Sizes to try plans at ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SizeSamples.h"
#include "dyn/Symbolic/LinearForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <random>

using namespace dyn;
using namespace dyn::symbolic;

/// Sizes that differ by no more than a half or so from any that is common.
static constexpr int64_t commonSizes[] = {0,   1,   2,   4,   8,   16,  31,  45,   64,   96,   128,
                                          176, 192, 256, 320, 384, 512, 768, 1024, 1500, 2048, 4096};
static constexpr size_t maxPoints = 320;

/// Values of one symbol, the likely ones first.
static llvm::SmallVector<int64_t> getValues(const SymbolFacts &facts) {
  llvm::SmallSetVector<int64_t, 32> values;
  auto add = [&](int64_t value) {
    if (facts.modulus > 1)
      value += ((facts.remainder - value) % facts.modulus + facts.modulus) % facts.modulus;
    if (value >= 0 && allows(facts, value))
      values.insert(value);
  };
  if (facts.hint)
    add(*facts.hint);
  for (int64_t value : facts.likely)
    add(value);
  int64_t lower = facts.range.lower.value_or(0);
  add(std::max<int64_t>(lower, facts.range.upper ? std::min<int64_t>(*facts.range.upper, 128) : 128));
  add(lower);
  if (facts.range.upper)
    add(*facts.range.upper - (facts.modulus > 1 ? facts.modulus : 0));
  for (int64_t value : commonSizes)
    add(value);
  return values.takeVector();
}

std::optional<int64_t> dyn::evaluateAt(Expr expr, const SizePoint &point) {
  return evaluate(expr, [&](llvm::StringRef name) -> std::optional<int64_t> {
    auto found = point.find(name);
    return found == point.end() ? std::nullopt : std::optional<int64_t>(found->second);
  });
}

static llvm::SmallSetVector<Expr, 4> listSymbols(llvm::ArrayRef<Expr> exprs) {
  llvm::SmallSetVector<Expr, 4> symbols;
  for (Expr expr : exprs)
    symbols.insert_range(expr.getSymbols());
  return symbols;
}

std::vector<SizePoint> dyn::sampleBroadcasts(llvm::ArrayRef<Expr> exprs, Solver &solver) {
  constexpr size_t numPoints = 96;
  std::vector<SizePoint> points(numPoints);
  std::mt19937 random(1);
  for (Expr symbol : listSymbols(exprs)) {
    SymbolFacts facts = solver.getFacts(symbol);
    llvm::SmallVector<int64_t> values = getValues(facts);
    if (values.empty())
      return {};
    for (auto [number, point] : llvm::enumerate(points)) {
      int64_t common = commonSizes[2 + number % (std::size(commonSizes) - 2)], value = random() % 2 ? 1 : common;
      point[symbol.getSymbolName()] = allows(facts, value) ? value : values.front();
    }
  }
  return points;
}

std::vector<SizePoint> dyn::sampleSizes(llvm::ArrayRef<Expr> exprs, Solver &solver) {
  llvm::SmallSetVector<Expr, 4> symbols = listSymbols(exprs);
  llvm::SmallVector<llvm::SmallVector<int64_t>> values;
  size_t combinations = 1;
  for (Expr symbol : symbols) {
    values.push_back(getValues(solver.getFacts(symbol)));
    if (values.back().empty())
      return {};
    combinations = std::min(combinations * values.back().size(), maxPoints + 1);
  }
  auto makePoint = [&](llvm::function_ref<size_t(size_t)> getIndex) {
    SizePoint point;
    for (auto [i, symbol] : llvm::enumerate(symbols))
      point[symbol.getSymbolName()] = values[i][getIndex(i) % values[i].size()];
    return point;
  };
  std::vector<SizePoint> points;
  if (combinations <= maxPoints) {
    for (size_t number = 0; number < combinations; ++number) {
      size_t rest = number;
      points.push_back(makePoint([&](size_t i) {
        size_t index = rest % values[i].size();
        rest /= values[i].size();
        return index;
      }));
    }
    return points;
  }
  // The first values of all are the likely ones. From then on any; the generator's numbers are fixed by the standard.
  points.push_back(makePoint([](size_t) { return 0; }));
  std::mt19937 random(1);
  while (points.size() < maxPoints)
    points.push_back(makePoint([&](size_t) { return random(); }));
  return points;
}

//===- Equations of products among sizes ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SmallSystem.h"

namespace dyn::symbolic::test {
namespace {

/// Two products of symbols and small numbers, as exponents.
struct Products {
  std::array<std::vector<int>, 2> exponents;
  std::array<int64_t, 2> numbers = {1, 1};

  std::optional<bool> holdsAt(const Point &point, const std::vector<std::string> &names) const {
    __int128 values[2] = {numbers[0], numbers[1]};
    for (int side : {0, 1})
      for (auto [name, exponent] : llvm::zip_equal(names, exponents[side]))
        for (int i = 0; i < exponent; ++i)
          values[side] *= point.at(name);
    return values[0] == values[1];
  }

  Expr buildSide(SymbolicContext &context, const std::vector<std::string> &names, int side) const {
    Expr product = context.getConstant(numbers[side]);
    for (auto [name, exponent] : llvm::zip_equal(names, exponents[side]))
      for (int i = 0; i < exponent; ++i)
        product = product * context.getSymbol(name);
    return product;
  }
  Predicate build(SymbolicContext &context, const std::vector<std::string> &names) const {
    return Predicate::equal(buildSide(context, names, 0), buildSide(context, names, 1));
  }
};

Products pickProducts(RandomSource &random, size_t symbols, bool withNumbers) {
  Products products;
  for (int side : {0, 1}) {
    products.exponents[side].assign(symbols, 0);
    for (int64_t factors = random.pick(1, 2); factors > 0; --factors)
      ++products.exponents[side][random.pick(0, symbols - 1)];
    if (withNumbers && random.chance(30))
      products.numbers[side] = random.pick(2, 4);
  }
  return products;
}

/// The product of equations, some turned around, less what both sides have in common.
Products combine(RandomSource &random, llvm::ArrayRef<Products> facts, size_t symbols) {
  Products result;
  for (int side : {0, 1})
    result.exponents[side].assign(symbols, 0);
  for (const Products &fact : facts) {
    int64_t times = random.pick(0, 1);
    bool isTurned = random.chance(50);
    for (int side : {0, 1})
      for (size_t symbol = 0; symbol < symbols; ++symbol)
        result.exponents[side][symbol] += times * fact.exponents[isTurned ? 1 - side : side][symbol];
  }
  for (size_t symbol = 0; symbol < symbols; ++symbol) {
    int common = std::min(result.exponents[0][symbol], result.exponents[1][symbol]);
    result.exponents[0][symbol] -= common;
    result.exponents[1][symbol] -= common;
  }
  return result;
}
} // namespace

std::string checkProducts(uint64_t seed, EnumerationCount &count) {
  RandomSource random(seed);
  const std::vector<std::string> names = {"s", "t", "u", "v", "w", "x"};
  bool withNumbers = random.chance(50);
  // Where none is 0, whatever equations say together is to be found.
  bool mayBeZero = random.chance(40);
  std::vector<Products> facts;
  for (int64_t i = random.pick(2, 4); i > 0; --i)
    facts.push_back(pickProducts(random, names.size(), withNumbers));

  SymbolicContext context;
  Solver solver(context);
  std::vector<Point> points = {{}};
  for (const std::string &name : names) {
    SymbolFacts range;
    range.range.lower = mayBeZero && random.chance(50) ? 0 : 1;
    std::vector<Point> longer;
    for (const Point &point : points)
      for (int64_t value : {0, 1, 2, 3})
        if (value >= *range.range.lower) {
          longer.push_back(point);
          longer.back()[name] = value;
        }
    points = std::move(longer);
    solver.declare(context.getSymbol(name), range, SymbolClass::Declared, solver.addReason({"declared", "", 0}));
  }
  auto describe = [&](const Products &question, llvm::StringRef what) {
    std::string text = "seed " + std::to_string(seed) + ": ";
    for (const Products &fact : facts)
      text += fact.build(context, names).str() + "; ";
    return text + "so " + question.build(context, names).str() + "? " + what.str();
  };
  bool holds = true;
  for (const Products &fact : facts) {
    holds = holds && solver.addPredicate(fact.build(context, names), solver.addReason({"given", "", 0}));
    llvm::erase_if(points, [&](const Point &point) { return !*fact.holdsAt(point, names); });
  }
  if (!holds)
    return points.empty() ? "" : describe(facts.back(), "refused");
  for (unsigned i = 0; i < 4; ++i) {
    bool follows = i < 2 && !withNumbers && !mayBeZero;
    Products question = i < 2 ? combine(random, facts, names.size()) : pickProducts(random, names.size(), withNumbers);
    Verdict verdict = solver.implies(question.build(context, names));
    count.evaluations += points.size();
    count.decidable += follows;
    count.decided += follows && verdict == Verdict::Yes;
    for (const Point &point : points)
      if (verdict != Verdict::Unknown && question.holdsAt(point, names) != (verdict == Verdict::Yes))
        return describe(question, getName(verdict));
  }
  return "";
}

} // namespace dyn::symbolic::test

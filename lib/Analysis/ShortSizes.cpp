//===- Long sizes in few words -------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ShortSizes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace dyn;
using namespace dyn::symbolic;
using llvm::SmallVector;

namespace {

constexpr size_t kMaxSymbols = 3, kMaxNumbers = 3, kNumPoints = 16;
/// Of texts: a size of less is left as it is.
constexpr size_t kMinLength = 20;
/// So that 64 bits hold a number of sizes times one of parts.
constexpr int64_t kMostLower = int64_t(1) << 20, kMostValue = int64_t(1) << 38;

/// An expression with its values at the points.
struct Part {
  Expr expr;
  SmallVector<int64_t, kNumPoints> values;
};

class Search {
public:
  Search(Expr size, Solver &solver) : size(size), solver(solver), symbols(size.getSymbols()) {
    for (Expr symbol : symbols)
      leasts.push_back(std::max<int64_t>(solver.getRange(symbol).lower.value_or(0), 0));
  }

  std::optional<Expr> run();

private:
  std::optional<Part> evaluatePart(Expr expr) const;
  void addPart(Expr expr);
  void collectParts();
  Expr scale(Expr expr, int64_t factor) const;
  std::optional<Expr> findLine(const Part &part) const;
  std::optional<Expr> findProduct(const Part &first, const Part &second) const;
  bool isProved(Expr form);

  Expr size;
  Solver &solver;
  SmallVector<Expr, 4> symbols;
  SmallVector<int64_t, 4> leasts; ///< values of the symbols, not below 0
  Part whole;
  std::vector<Part> parts;
};

} // namespace

/// Zeros, ones, even and odd numbers, small and large, no symbol with the same as another at all points. Nothing where
/// a value is large.
std::optional<Part> Search::evaluatePart(Expr expr) const {
  static constexpr int64_t values[] = {0, 1, 2, 3, 5, 8, 12, 17, 96, 97, 4};
  Part part{expr, {}};
  for (size_t point = 0; point < kNumPoints; ++point) {
    auto valueOf = [&](llvm::StringRef name) -> std::optional<int64_t> {
      for (auto [index, symbol] : llvm::enumerate(symbols))
        if (int64_t lower = leasts[index]; symbol.getSymbolName() == name && lower <= kMostLower)
          return lower + values[(3 * point + 5 * index) % std::size(values)];
      return std::nullopt;
    };
    std::optional<int64_t> value = evaluate(expr, valueOf);
    if (!value || *value < -kMostValue || *value > kMostValue)
      return std::nullopt;
    part.values.push_back(*value);
  }
  return part;
}

void Search::addPart(Expr expr) {
  if (!expr || expr.getConstant() || llvm::any_of(parts, [&](const Part &part) { return part.expr == expr; }))
    return;
  if (std::optional<Part> part = evaluatePart(expr))
    parts.push_back(std::move(*part));
}

static void collectNumbers(const ExprTree &tree, llvm::SmallSet<int64_t, 8> &numbers) {
  constexpr int64_t largest = 1024;
  if (tree.kind == ExprTree::Kind::Constant && tree.value > 1 && tree.value <= largest)
    numbers.insert(tree.value);
  for (const auto &operand : tree.operands)
    collectNumbers(*operand, numbers);
}

void Search::collectParts() {
  SymbolicContext &context = size.getContext();
  llvm::SmallSet<int64_t, 8> found;
  collectNumbers(*getTree(size), found);
  SmallVector<int64_t> numbers(found.begin(), found.end());
  llvm::sort(numbers);
  Expr one = context.getConstant(1);
  for (Expr symbol : symbols)
    addPart(symbol);
  for (Expr symbol : symbols) {
    addPart(min({symbol, one}));
    addPart(max({symbol, one}));
    for (int64_t number : llvm::ArrayRef(numbers).take_front(kMaxNumbers)) {
      addPart(floorDiv(symbol, context.getConstant(number)));
      addPart(ceilDiv(symbol, context.getConstant(number)));
    }
  }
}

Expr Search::scale(Expr expr, int64_t factor) const {
  return factor == 1 ? expr : expr * size.getContext().getConstant(factor);
}

/// `3*s + 2`, through two points that tell the part's values apart.
std::optional<Expr> Search::findLine(const Part &part) const {
  const auto *other = llvm::find_if(part.values, [&](int64_t value) { return value != part.values.front(); });
  if (other == part.values.end())
    return std::nullopt;
  int64_t run = *other - part.values.front(), rise = whole.values[other - part.values.begin()] - whole.values.front();
  if (rise % run != 0)
    return std::nullopt;
  int64_t factor = rise / run, number = whole.values.front() - factor * part.values.front();
  for (auto [value, wanted] : llvm::zip_equal(part.values, whole.values))
    if (factor * value + number != wanted)
      return std::nullopt;
  return scale(part.expr, factor) + number;
}

std::optional<Expr> Search::findProduct(const Part &first, const Part &second) const {
  std::optional<int64_t> factor;
  for (auto [a, b, wanted] : llvm::zip_equal(first.values, second.values, whole.values)) {
    int64_t product;
    if (llvm::MulOverflow(a, b, product))
      return std::nullopt;
    if (product != 0 && !factor) {
      if (wanted % product != 0)
        return std::nullopt;
      factor = wanted / product;
    }
    int64_t scaled;
    if (llvm::MulOverflow(product, factor.value_or(0), scaled) || scaled != wanted)
      return std::nullopt;
  }
  return factor && *factor != 0 ? std::optional(scale(first.expr * second.expr, *factor)) : std::nullopt;
}

bool Search::isProved(Expr form) {
  return solver.isEqual(size, form) == Verdict::Yes ||
         (solver.isLessEqual(size, form) == Verdict::Yes && solver.isLessEqual(form, size) == Verdict::Yes);
}

std::optional<Expr> Search::run() {
  std::optional<Part> evaluated = evaluatePart(size);
  if (!evaluated)
    return std::nullopt;
  whole = std::move(*evaluated);
  collectParts();
  for (const Part &part : parts)
    if (std::optional<Expr> line = findLine(part); line && *line && isProved(*line))
      return line;
  for (auto first = parts.begin(); first != parts.end(); ++first)
    for (auto second = first; second != parts.end(); ++second)
      if (std::optional<Expr> product = findProduct(*first, *second); product && *product)
        return isProved(*product) ? product : std::nullopt;
  return std::nullopt;
}

Expr dyn::findShortForm(Expr size, Solver &solver) {
  if (!size || size.isSymbol() || size.getConstant())
    return size;
  size_t numSymbols = size.getSymbols().size(), length = size.str().size();
  if (numSymbols == 0 || numSymbols > kMaxSymbols || length < kMinLength)
    return size;
  std::optional<Expr> form = Search(size, solver).run();
  return form && form->str().size() < length ? *form : size;
}

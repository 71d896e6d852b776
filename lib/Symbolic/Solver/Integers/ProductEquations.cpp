//===- Equations of products, as sums of exponents ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/ProductEquations.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

static constexpr size_t maximalColumns = 48, maximalEquations = 32, maximalTerms = 12;

/// Larger primes are not looked for: what has one is passed over.
static constexpr int64_t largestPrime = 1000;

static bool isNegative(const Term &term) { return term.coefficient < 0; }

bool ProductEquations::isUseful(Expr equation) {
  Terms terms = getTerms(equation);
  return terms.size() <= maximalTerms && llvm::any_of(terms, isNegative) && !llvm::all_of(terms, isNegative) &&
         llvm::any_of(terms, [](const Term &term) { return term.monomial->degree > 1; });
}

//===----------------------------------------------------------------------===//
// Products as exponents
//===----------------------------------------------------------------------===//

std::optional<size_t> ProductEquations::getColumn(Expr factor) {
  auto found = llvm::find_if(columns, [&](const Column &column) { return column.factor == factor; });
  if (found != columns.end())
    return found - columns.begin();
  if (columns.size() >= maximalColumns)
    return std::nullopt;
  columns.push_back({isPositive(factor) ? Column::Positive : Column::MayBeZero, factor, 0});
  return columns.size() - 1;
}

std::optional<size_t> ProductEquations::getColumn(int64_t prime) {
  auto found = llvm::find_if(columns, [&](const Column &column) { return column.number == prime; });
  if (found != columns.end())
    return found - columns.begin();
  if (columns.size() >= maximalColumns)
    return std::nullopt;
  columns.push_back({Column::Number, Expr(), prime});
  return columns.size() - 1;
}

static int64_t &at(llvm::SmallVectorImpl<int64_t> &exponents, size_t column) {
  if (exponents.size() <= column)
    exponents.resize(column + 1, 0);
  return exponents[column];
}

static int64_t at(llvm::ArrayRef<int64_t> exponents, size_t column) {
  return column < exponents.size() ? exponents[column] : 0;
}

bool ProductEquations::addNumber(int64_t number, Exponents &exponents) {
  for (int64_t prime = 2; prime <= largestPrime && number > 1; prime += prime == 2 ? 1 : 2) {
    // What is left has no divisor below this one.
    if (prime * prime > number && number <= largestPrime)
      prime = number;
    while (number % prime == 0) {
      std::optional<size_t> column = getColumn(prime);
      if (!column)
        return false;
      ++at(exponents, *column);
      number /= prime;
    }
  }
  return number == 1;
}

std::optional<ProductEquations::Exponents> ProductEquations::getProduct(Terms terms) {
  // Has no opposite.
  if (getConstantTerm(terms) == INT64_MIN)
    return std::nullopt;
  const Monomial *common = getCommonMonomial(context, terms);
  int64_t content = getContent(terms);
  Exponents exponents;
  if (!addNumber(content, exponents))
    return std::nullopt;
  for (const Power &power : common->getPowers()) {
    std::optional<size_t> column = getColumn(context.getExpr(power.atom));
    if (!column)
      return std::nullopt;
    at(exponents, *column) += power.exponent;
  }
  if (terms.size() > 1) {
    Poly rest = divideCoefficients(divideMonomial(context, terms, common), isNegative(terms[0]) ? -content : content);
    std::optional<size_t> column = getColumn(context.getExpr(rest));
    if (!column)
      return std::nullopt;
    ++at(exponents, *column);
  }
  return exponents;
}

/// first + factor * second, over as many columns as either has; nothing where that leaves 64 bits.
static bool addMultiple(llvm::SmallVectorImpl<int64_t> &first, int64_t factor, llvm::ArrayRef<int64_t> second) {
  for (auto [column, exponent] : llvm::enumerate(second)) {
    int64_t product = 0, &sum = at(first, column);
    if (__builtin_mul_overflow(factor, exponent, &product) || __builtin_add_overflow(sum, product, &sum))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Elimination
//===----------------------------------------------------------------------===//

std::optional<ProductEquations::Reduced> ProductEquations::eliminate(Exponents exponents) const {
  int64_t scale = 1;
  context.spend(1 + rows.size());
  for (const Row &row : rows) {
    int64_t exponent = at(llvm::ArrayRef(exponents), row.pivot), pivot = row.exponents[row.pivot];
    if (exponent == 0)
      continue;
    int64_t common = std::gcd(exponent, pivot), factor = std::abs(pivot) / common;
    int64_t subtracted = pivot > 0 ? -exponent / common : exponent / common;
    for (int64_t &scaled : exponents)
      if (__builtin_mul_overflow(scaled, factor, &scaled))
        return std::nullopt;
    if (__builtin_mul_overflow(scale, factor, &scale) || !addMultiple(exponents, subtracted, row.exponents))
      return std::nullopt;
  }
  return Reduced{std::move(exponents), scale};
}

bool ProductEquations::hasOnlyNumbers(const Exponents &exponents) const {
  return llvm::all_of(llvm::enumerate(exponents), [&](const auto &entry) {
    return entry.value() == 0 || columns[entry.index()].kind == Column::Number;
  });
}

/// Nothing where it is no rational number, too.
std::optional<ProductEquations::Ratio> ProductEquations::getRatio(const Reduced &difference) const {
  Ratio ratio{1, 1};
  for (auto [column, exponent] : llvm::enumerate(difference.exponents)) {
    if (exponent % difference.scale != 0)
      return std::nullopt;
    int64_t &side = exponent > 0 ? ratio.numerator : ratio.denominator;
    for (int64_t i = std::abs(exponent / difference.scale); i > 0; --i)
      if (__builtin_mul_overflow(side, columns[column].number, &side))
        return std::nullopt;
  }
  return ratio;
}

bool ProductEquations::haveSameZeros(const Exponents &first, const Exponents &second) const {
  return llvm::all_of(llvm::enumerate(columns), [&](const auto &entry) {
    return entry.value().kind != Column::MayBeZero ||
           at(llvm::ArrayRef(first), entry.index()) == at(llvm::ArrayRef(second), entry.index());
  });
}

/// The product with one side of an equation in place of the other; nothing where it does not have all its factors that
/// may be 0.
/// rule replace-in-product: x >= 1 and s*x == t*y |- s*c*x == t*c*y
std::optional<ProductEquations::Exponents> ProductEquations::take(const Step &step, const Exponents &product,
                                                                  bool isBackwards) const {
  const Exponents &from = isBackwards ? step.to : step.from, &to = isBackwards ? step.from : step.to;
  for (auto [column, exponent] : llvm::enumerate(from))
    if (columns[column].kind == Column::MayBeZero && at(llvm::ArrayRef(product), column) < exponent)
      return std::nullopt;
  Exponents result = product;
  if (!addMultiple(result, -1, from) || !addMultiple(result, 1, to))
    return std::nullopt;
  return result;
}

/// rule cancel-in-products: d >= 1 and e >= 1 and f >= 1 and a*f == b*e and c*f == d*e |- a*d == b*c
/// rule root-of-products: a >= 1 and b >= 1 and a*a == b*b |- a == b
std::optional<ProductEquations::Ratio> ProductEquations::compare(const Exponents &first,
                                                                 const Exponents &second) const {
  constexpr size_t maximalProducts = 24;
  std::vector<Exponents> reached = {first};
  for (size_t place = 0; place < reached.size() && context.fuel > 0; ++place) {
    if (haveSameZeros(reached[place], second)) {
      Exponents difference = reached[place];
      std::optional<Reduced> reduced =
          addMultiple(difference, -1, second) ? eliminate(std::move(difference)) : std::nullopt;
      if (reduced && hasOnlyNumbers(reduced->exponents))
        return getRatio(*reduced);
    }
    for (const Step &step : steps)
      for (bool isBackwards : {false, true}) {
        if (reached.size() >= maximalProducts || context.fuel == 0)
          break;
        context.spend(1);
        std::optional<Exponents> next = take(step, reached[place], isBackwards);
        if (!next)
          continue;
        context.spend(reached.size());
        bool isNew = llvm::none_of(reached, [&](const Exponents &product) {
          if (!haveSameZeros(product, *next))
            return false;
          Exponents difference = product;
          if (!addMultiple(difference, -1, *next))
            return false;
          std::optional<Reduced> reduced = eliminate(std::move(difference));
          return !reduced || llvm::all_of(reduced->exponents, [](int64_t exponent) { return exponent == 0; });
        });
        if (isNew)
          reached.push_back(std::move(*next));
      }
  }
  return std::nullopt;
}

void ProductEquations::add(Expr equation) {
  if (!isUseful(equation) || rows.size() + steps.size() >= maximalEquations)
    return;
  Poly added, subtracted;
  for (const Term &term : getTerms(equation))
    (isNegative(term) ? subtracted : added).push_back(term);
  std::optional<Exponents> from = getProduct(added), to = getProduct(subtracted);
  if (!from || !to)
    return;
  Exponents difference = *from;
  if (!addMultiple(difference, -1, *to))
    return;
  auto mayBeZero = [&](const Exponents &exponents) {
    return llvm::any_of(llvm::enumerate(exponents), [&](const auto &entry) {
      return entry.value() != 0 && columns[entry.index()].kind == Column::MayBeZero;
    });
  };
  if (mayBeZero(*from) || mayBeZero(*to)) {
    steps.push_back({std::move(*from), std::move(*to)});
    return;
  }
  std::optional<Reduced> reduced = eliminate(std::move(difference));
  if (!reduced)
    return;
  for (auto [column, exponent] : llvm::enumerate(reduced->exponents))
    if (exponent != 0 && columns[column].kind == Column::Positive) {
      rows.push_back({std::move(reduced->exponents), column});
      return;
    }
  // A product of powers of primes is 1 where there are none.
  contradictory |= llvm::any_of(reduced->exponents, [](int64_t exponent) { return exponent != 0; });
}

//===----------------------------------------------------------------------===//
// What follows
//===----------------------------------------------------------------------===//

/// The sum of terms of which each is a multiple of another one where the equations say so; null where 64 bits overflow.
Expr ProductEquations::mergeTerms(Expr expr) {
  struct Kept {
    const Monomial *monomial;
    Exponents product;
    int64_t coefficient;
  };
  std::vector<Kept> kept;
  // Of the terms that are kept.
  std::optional<int64_t> scale = 1;
  for (const Term &term : getTerms(expr)) {
    std::optional<Exponents> product = getProduct(Term{term.monomial, 1});
    std::optional<int64_t> coefficient = scale ? checkedMul(term.coefficient, *scale) : std::nullopt;
    if (!product || !coefficient)
      return {};
    std::optional<Ratio> ratio;
    auto other =
        llvm::find_if(kept, [&](const Kept &other) { return (ratio = compare(*product, other.product)).has_value(); });
    if (other == kept.end()) {
      kept.push_back({term.monomial, std::move(*product), *coefficient});
      continue;
    }
    bool fits = !__builtin_mul_overflow(*coefficient, ratio->numerator, &*coefficient) &&
                !__builtin_mul_overflow(*scale, ratio->denominator, &*scale);
    for (Kept &scaled : kept)
      fits &= !__builtin_mul_overflow(scaled.coefficient, ratio->denominator, &scaled.coefficient);
    if (!fits || __builtin_add_overflow(other->coefficient, *coefficient, &other->coefficient))
      return {};
  }
  Poly merged;
  for (const Kept &term : kept)
    if (term.coefficient != 0)
      merged.push_back({term.monomial, term.coefficient});
  MaybePoly result = normalize(std::move(merged));
  return result ? context.getExpr(*result) : Expr();
}

Expr ProductEquations::reduce(Expr expr) {
  if (isEmpty() || !isUseful(expr))
    return expr;
  Expr merged = mergeTerms(expr);
  if (!merged || !isUseful(merged))
    return merged ? merged : expr;
  // What is added may be a multiple of what is subtracted: P - N == (ratio - 1) * N.
  Poly added, subtracted;
  for (const Term &term : getTerms(merged))
    (isNegative(term) ? subtracted : added).push_back(term);
  std::optional<Exponents> first = getProduct(added), second = getProduct(subtracted);
  std::optional<Ratio> ratio = first && second ? compare(*first, *second) : std::nullopt;
  if (!ratio)
    return merged;
  MaybePoly rest = symbolic::scale(subtracted, ratio->denominator - ratio->numerator);
  return rest ? context.getExpr(*rest) : merged;
}

/// rule number-of-products: a >= 1 and a*b == 12 and b == 3*a |- a == 2
std::vector<Expr> ProductEquations::findEqualFactors() {
  std::vector<Expr> found;
  std::vector<std::pair<size_t, Reduced>> forms;
  for (size_t column = 0; column < columns.size() && !rows.empty(); ++column) {
    if (columns[column].kind != Column::Positive)
      continue;
    Exponents alone;
    at(alone, column) = 1;
    if (std::optional<Reduced> form = eliminate(std::move(alone)))
      forms.push_back({column, std::move(*form)});
  }
  auto learn = [&](const Reduced &difference, Expr first, Expr second) {
    // A ratio that leaves 64 bits is not told from one that is no rational number: whoever is that large is left alone.
    bool isRational =
        llvm::all_of(difference.exponents, [&](int64_t exponent) { return exponent % difference.scale == 0; });
    contradictory |= !isRational;
    std::optional<Ratio> ratio = isRational ? getRatio(difference) : std::nullopt;
    if (!ratio)
      return;
    Expr equation = builder.subtract(builder.scale(first, ratio->denominator), builder.scale(second, ratio->numerator));
    if (equation && !getTerms(equation).empty())
      found.push_back(equation);
  };
  for (size_t place = 0; place < forms.size(); ++place) {
    const auto &[column, form] = forms[place];
    Expr factor = columns[column].factor;
    if (hasOnlyNumbers(form.exponents)) {
      learn(form, factor, context.getConstant(1));
      continue;
    }
    // The first one that it is a multiple of: that leads to the others.
    for (const auto &[otherColumn, other] : llvm::ArrayRef(forms).take_front(place)) {
      std::optional<int64_t> scale = checkedMul(form.scale, other.scale);
      Exponents difference;
      if (!scale || !addMultiple(difference, other.scale, form.exponents) ||
          !addMultiple(difference, -form.scale, other.exponents) || !hasOnlyNumbers(difference))
        continue;
      learn({std::move(difference), *scale}, factor, columns[otherColumn].factor);
      break;
    }
  }
  return found;
}

std::vector<Expr> ProductEquations::findEqualProducts(llvm::ArrayRef<const Monomial *> monomials) {
  std::vector<Expr> found;
  std::vector<std::pair<const Monomial *, Exponents>> others;
  for (const Monomial *monomial : monomials) {
    std::optional<Exponents> product = getProduct(Term{monomial, 1});
    if (!product)
      continue;
    std::optional<Ratio> ratio;
    auto other = llvm::find_if(others, [&](const auto &other) {
      ratio = compare(*product, other.second);
      return ratio.has_value();
    });
    if (other == others.end()) {
      others.push_back({monomial, std::move(*product)});
      continue;
    }
    Expr first = context.getExpr(Term{monomial, 1}), second = context.getExpr(Term{other->first, 1});
    if (Expr equation =
            builder.subtract(builder.scale(first, ratio->denominator), builder.scale(second, ratio->numerator)))
      found.push_back(equation);
  }
  return found;
}

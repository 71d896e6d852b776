//===- Equations of products, as sums of exponents ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// An equation of two products is linear in the logarithms of its factors: where all of
// these are at least 1, `a*f == b*e` is the vector a + f - b - e, and `2*s == 3*t` is
// s - t plus a number of 2s and 3s. What equations say together of two products is found
// by Gaussian elimination over these vectors, whichever factors have to be cancelled on
// the way: `a*f == b*e` and `c*f == d*e` say that a*d == b*c.
//
// Nothing is cancelled that may be 0. Equations with such factors replace one side by the
// other inside of a product that has all of them: a few such steps are tried.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_PRODUCTEQUATIONS_H
#define DYN_LIB_SYMBOLIC_PRODUCTEQUATIONS_H

#include "Expressions/Builder.h"

namespace dyn::symbolic {

class ProductEquations {
public:
  /// Is an expression at least 1 wherever the facts hold?
  using IsPositive = llvm::function_ref<bool(Expr expr)>;

  /// `isPositive` is to live as long as this.
  ProductEquations(SymbolicContext::Impl &context, IsPositive isPositive)
      : context(context), builder(context), isPositive(isPositive) {}

  /// Does it have a product of several factors, and terms of both signs? Others are of no use here.
  static bool isUseful(Expr equation);
  /// Takes in a sum that is 0: what is added in it is as much as what is subtracted, and both are products, of sums if
  /// need be. What is not useful or too large is passed over.
  void add(Expr equation);
  bool isEmpty() const { return rows.empty() && steps.empty(); }
  /// Are there no positive integers that satisfy the equations? True only where that is proved.
  bool isContradictory() const { return contradictory; }
  /// The expression times a positive number, with as few products as the equations leave; as it was where they say
  /// nothing of it.
  Expr reduce(Expr expr);
  /// What the equations say of two factors, or of one: sums that are 0. They may show a contradiction.
  std::vector<Expr> findEqualFactors();
  /// The same of products.
  std::vector<Expr> findEqualProducts(llvm::ArrayRef<const Monomial *> monomials);

private:
  /// Exponents by column; those that are missing are 0.
  using Exponents = llvm::SmallVector<int64_t, 24>;
  struct Column {
    enum Kind : uint8_t { Positive, MayBeZero, Number } kind;
    Expr factor;    ///< an atom, or a sum whose terms have nothing in common
    int64_t number; ///< a prime
  };
  /// Exponents of a product that is 1. That of the pivot is not 0.
  struct Row {
    Exponents exponents;
    size_t pivot;
  };
  /// Two products that are equal.
  struct Step {
    Exponents from, to;
  };
  /// Without pivots; `scale` times what it is the form of.
  struct Reduced {
    Exponents exponents;
    int64_t scale;
  };
  /// numerator / denominator, both positive.
  struct Ratio {
    int64_t numerator, denominator;
  };

  std::optional<size_t> getColumn(Expr factor);
  std::optional<size_t> getColumn(int64_t prime);
  bool addNumber(int64_t number, Exponents &exponents);
  /// Of terms that all have the same sign, of which they lose it.
  std::optional<Exponents> getProduct(Terms terms);
  std::optional<Reduced> eliminate(Exponents exponents) const;
  std::optional<Ratio> getRatio(const Reduced &difference) const;
  bool hasOnlyNumbers(const Exponents &exponents) const;
  bool haveSameZeros(const Exponents &first, const Exponents &second) const;
  std::optional<Exponents> take(const Step &step, const Exponents &product, bool isBackwards) const;
  /// first == ratio * second
  std::optional<Ratio> compare(const Exponents &first, const Exponents &second) const;
  Expr mergeTerms(Expr expr);

  SymbolicContext::Impl &context;
  ExprBuilder builder;
  IsPositive isPositive;
  std::vector<Column> columns;
  std::vector<Row> rows; ///< each without the pivots of those before it
  std::vector<Step> steps;
  bool contradictory = false;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_PRODUCTEQUATIONS_H

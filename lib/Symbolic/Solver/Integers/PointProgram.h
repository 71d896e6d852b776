//===- What is evaluated at many points ----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_POINTPROGRAM_H
#define DYN_LIB_SYMBOLIC_POINTPROGRAM_H

#include "Expressions/Node.h"
#include "dyn/Symbolic/Predicate.h"
#include "llvm/ADT/SmallVector.h"

namespace dyn::symbolic {

/// Places of symbols among values.
class SymbolPlaces {
public:
  unsigned get(const Atom *symbol) { return places.try_emplace(symbol, places.size()).first->second; }

private:
  llvm::DenseMap<const Atom *, unsigned> places;
};

/// Expressions and predicates without names and nodes. What several of them share is evaluated once at each point.
class PointProgram {
public:
  /// Values of symbols by their places; those beyond the end have none.
  using Values = llvm::SmallVector<std::optional<int64_t>, 16>;
  using Index = unsigned;

  Index add(Expr expr, SymbolPlaces &places);
  Index add(const Predicate &predicate, SymbolPlaces &places);

  /// Visits another point: what is evaluated next is evaluated there. Values that are looked up, and operations, are
  /// taken from `effort`, down to 0.
  void visit(const Values &point, unsigned &effort);
  std::optional<int64_t> evaluateExpr(Index expr) { return evaluate(sums[expr]); }
  std::optional<bool> evaluatePredicate(Index predicate);

private:
  /// A part of a list.
  struct Slice {
    unsigned begin, end;
  };
  /// A coefficient and factors, as often as their exponents say.
  struct Product {
    int64_t coefficient;
    Slice factors;
  };
  struct Factor {
    bool isSymbol;
    unsigned place; ///< of a symbol, or of an operation
  };
  /// What is no symbol.
  struct Operation {
    AtomKind kind;
    llvm::SmallVector<Slice, 2> operands; ///< sums
    unsigned visit = 0;                   ///< when it was evaluated last
    std::optional<int64_t> value = {};
  };
  struct Condition {
    Predicate::Kind kind;
    bool hasSides;
    Slice lhs, rhs;
    llvm::SmallVector<Index, 2> operands;
  };

  Slice compile(Expr expr, SymbolPlaces &places);
  std::optional<int64_t> evaluate(Slice sum);
  std::optional<int64_t> evaluate(Operation &operation);

  llvm::SmallVector<Factor, 0> factors;
  llvm::SmallVector<Product, 0> products;
  std::vector<Operation> operations;
  llvm::DenseMap<const Atom *, unsigned> operationOf;
  llvm::SmallVector<Slice, 0> sums; ///< that were added
  std::vector<Condition> conditions;
  unsigned visits = 0;
  const Values *values = nullptr;
  unsigned *effort = nullptr;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_POINTPROGRAM_H

//===- Facts that are evaluated at many points ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_POINTFACTS_H
#define DYN_LIB_SYMBOLIC_POINTFACTS_H

#include "Expressions/Node.h"
#include "dyn/Symbolic/Predicate.h"
#include "llvm/ADT/SmallVector.h"

namespace dyn::symbolic {

/// Facts about symbols that get values one after the other. A level is the place of a symbol among them.
class PointFacts {
public:
  enum Kind : uint8_t { Zero, NonNegative, NonZero };

  /// Where facts are taken to have values, one that has none at a point does not hold there; else it says nothing of
  /// it.
  PointFacts(SymbolicContext::Impl &context, llvm::ArrayRef<const Atom *> order, bool factsHaveValues);

  void add(Kind kind, Expr expr);
  void add(const Predicate &predicate);
  /// What is not to hold. Sides of which one alone divides by 0 are not equal.
  void addQuestion(const Predicate &question);

  /// Of the values from `lower` to `upper` for the symbol of that level, those before it having theirs, the only one
  /// at which an equation may hold that is linear in it; all of them where there is none, and `lower > upper` for none.
  void narrow(size_t level, int64_t &lower, int64_t &upper) const;
  /// Is it an equation that is linear in the symbol, so that the others tell its value?
  static bool isLinear(SymbolicContext::Impl &context, const Predicate &fact, const Atom *symbol);
  /// The same of what is 0.
  static bool isLinear(SymbolicContext::Impl &context, Expr expr, const Atom *symbol);

  /// Gives the symbol of that level a value, those before it having theirs. False where a fact of which all symbols
  /// have values does not hold.
  bool mayHold(size_t level, int64_t value);
  /// How much `mayHold` evaluates.
  unsigned countParts(size_t level) const { return levels[level].parts; }
  /// Did a value leave 64 bits? Facts about it have been taken to hold.
  bool hasOverflown() const { return overflown; }

private:
  enum State : uint8_t { ///< joined by `or`
    Known = 0,
    Undefined = 1,
    Overflown = 2,
    Divided = 4, ///< by 0, and so undefined
  };
  struct Number {
    int64_t value = 0;
    uint8_t state = Known;
  };
  /// A coefficient and the places of factors, as often as their exponents say, between two indices.
  struct Product {
    int64_t coefficient;
    unsigned begin, end;
  };
  struct Sum {
    unsigned begin = 0, end = 0; ///< of its products
    unsigned level = 0, parts = 1;
  };
  /// What is no symbol.
  struct Operation {
    AtomKind kind;
    unsigned place;
    llvm::SmallVector<Sum, 2> operands;
  };
  enum class Truth : uint8_t { False, Undefined, Overflown, True };
  struct Condition {
    Predicate::Kind kind;
    bool isComplete = true; ///< do its sides fit into 64 bits?
    Sum lhs, rhs;
    std::vector<Condition> operands;
    unsigned level = 0, parts = 1;
    bool isQuestion = false;
  };
  /// `coefficient * symbol + rest == 0`, for the symbol of a level.
  struct Equation {
    Sum coefficient, rest;
  };
  struct Level {
    const Atom *symbol;
    std::vector<Operation> operations;
    std::vector<Condition> conditions;
    std::vector<Equation> equations;
    unsigned parts = 0;
  };

  Sum compile(Expr expr);
  unsigned getPlace(const Atom *atom);
  Condition compile(const Predicate &predicate);
  void add(Condition condition);
  void addEquation(Expr difference, unsigned level);

  Number evaluate(const Sum &sum) const;
  Number evaluate(const Operation &operation) const;
  Truth evaluate(const Condition &condition, bool isQuestion) const;

  SymbolicContext::Impl &context;
  std::vector<unsigned> factors;
  std::vector<Product> products;
  std::vector<Level> levels;
  llvm::DenseMap<const Atom *, unsigned> places;
  std::vector<unsigned> levelOfPlace;
  std::vector<Number> numbers; ///< by place
  bool factsHaveValues, overflown = false;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_POINTFACTS_H

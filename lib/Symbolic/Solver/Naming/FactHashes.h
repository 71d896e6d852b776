//===- What predicates come to under values of their symbols -------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Numbers that depend on what a predicate says under some values of its symbols, and
// neither on names nor on the form that names give to an expression. Predicates are
// compiled, since each is evaluated at many values: into steps that take their
// operands from a stack and put their result there.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_FACTHASHES_H
#define DYN_LIB_SYMBOLIC_FACTHASHES_H

#include "Expressions/Node.h"
#include "dyn/Symbolic/Predicate.h"

namespace dyn::symbolic {

/// A number in which every bit depends on every bit.
inline uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t state = (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9u;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBu;
  return state ^ (state >> 31);
}

class FactHashes {
public:
  using GetPlace = llvm::function_ref<unsigned(const Atom *symbol)>;

  /// Predicates are numbered in the order in which they are added. Values of symbols are found at their places.
  void add(const Predicate &predicate, GetPlace getPlace);
  uint64_t evaluate(unsigned predicate, llvm::ArrayRef<int64_t> values);

private:
  enum Kind : uint8_t { Constant, Symbol, Add, Multiply, Power, FloorDiv, ExactDiv, Max, Bcast, Hash };
  struct Step {
    Kind kind;
    bool isUnsigned = false; ///< of a hash: does the sign of the left side make no difference?
    uint32_t number = 0;     ///< place, exponent, number of operands
    uint64_t value = 0;      ///< constant, kind of predicate
  };

  void compile(const Predicate &predicate, GetPlace getPlace);
  void compile(Expr expr, GetPlace getPlace);
  void compile(const Atom *atom, GetPlace getPlace);
  void push(Step step, unsigned operands);

  std::vector<Step> steps;
  std::vector<unsigned> ends;  ///< of the steps of each predicate
  unsigned depth = 0;          ///< of the stack, while steps are added
  std::vector<uint64_t> stack; ///< as large as any predicate needs
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_FACTHASHES_H

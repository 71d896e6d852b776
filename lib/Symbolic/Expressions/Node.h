//===- Interned nodes of expressions --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// An expression is a polynomial: a list of terms, each a coefficient times a
// monomial, each monomial a product of powers of atoms. Atoms, monomials and
// polynomials are interned, so equality is identity. Their order depends on their
// structure and on names only, never on the history of the context: equal
// expressions of two contexts print alike.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_NODE_H
#define DYN_LIB_SYMBOLIC_NODE_H

#include "dyn/Symbolic/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

namespace dyn::symbolic {

enum class AtomKind : uint8_t {
  Symbol,
  FloorDiv, ///< (dividend, divisor)
  Max,      ///< two or more operands in structural order, translated and scaled to a representative
  Bcast,    ///< two or more operands in structural order
  ExactDiv, ///< (dividend, divisor)
};

struct Atom {
  AtomKind kind;
  uint16_t depth;       ///< 0 for a symbol
  uint32_t index;       ///< of a symbol: its place in the order of declaration
  uint32_t nodeCount;   ///< as a tree, saturating
  uint64_t symbolMask;  ///< bit `index % 64` of each symbol inside
  llvm::StringRef name; ///< of a symbol
  llvm::ArrayRef<Expr> operands;

  bool isSymbol() const { return kind == AtomKind::Symbol; }
};

/// -1, 0, 1 in an order that depends on structure and names only.
int compare(const Atom *lhs, const Atom *rhs);

struct Power {
  const Atom *atom;
  uint32_t exponent;
  bool operator==(const Power &other) const { return atom == other.atom && exponent == other.exponent; }
};

/// A product of powers in the order of their atoms; empty for 1.
struct Monomial {
  llvm::ArrayRef<Power> powers;
  uint32_t degree;
  bool hasExactDiv; ///< among the atoms, not inside of them
  bool isOne() const { return powers.empty(); }
  /// The atom, if this is a single one to the power of 1.
  const Atom *getAtom() const { return degree == 1 ? powers.front().atom : nullptr; }
  uint32_t getExponent(const Atom *atom) const {
    for (const Power &power : powers)
      if (power.atom == atom)
        return power.exponent;
    return 0;
  }
};

/// Higher degree first, then by atoms. Compatible with multiplication.
int compare(const Monomial *lhs, const Monomial *rhs);

struct Term {
  const Monomial *monomial;
  int64_t coefficient;
  bool operator==(const Term &other) const { return monomial == other.monomial && coefficient == other.coefficient; }
};

struct ExprNode {
  SymbolicContext::Impl *context;
  llvm::ArrayRef<Term> terms; ///< in the order of monomials, none with coefficient 0
  uint64_t symbolMask;
  uint32_t nodeCount; ///< as a tree, saturating
  uint16_t depth;     ///< nesting of atoms
};

inline llvm::ArrayRef<Term> getTerms(Expr expr) { return expr.getNode()->terms; }

int compare(Expr lhs, Expr rhs);
struct ExprLess {
  bool operator()(Expr lhs, Expr rhs) const { return compare(lhs, rhs) < 0; }
};

/// A polynomial under construction, not interned: terms in the order of monomials.
using Poly = llvm::SmallVector<Term, 8>;

namespace detail {

struct AtomTraits {
  using Node = Atom;
  struct Key {
    AtomKind kind;
    llvm::ArrayRef<Expr> operands;
    bool operator==(const Key &other) const { return kind == other.kind && operands == other.operands; }
  };
  static Key getKey(const Atom *atom) { return {atom->kind, atom->operands}; }
  static unsigned hash(const Key &key) {
    llvm::hash_code hash = llvm::hash_value(static_cast<uint8_t>(key.kind));
    for (Expr operand : key.operands)
      hash = llvm::hash_combine(hash, operand.getNode());
    return static_cast<unsigned>(hash);
  }
};

struct MonomialTraits {
  using Node = Monomial;
  using Key = llvm::ArrayRef<Power>;
  static Key getKey(const Monomial *monomial) { return monomial->powers; }
  static unsigned hash(const Key &key) {
    llvm::hash_code hash(key.size());
    for (const Power &power : key)
      hash = llvm::hash_combine(hash, power.atom, power.exponent);
    return static_cast<unsigned>(hash);
  }
};

struct ExprTraits {
  using Node = ExprNode;
  using Key = llvm::ArrayRef<Term>;
  static Key getKey(const ExprNode *node) { return node->terms; }
  static unsigned hash(const Key &key) {
    llvm::hash_code hash(key.size());
    for (const Term &term : key)
      hash = llvm::hash_combine(hash, term.monomial, term.coefficient);
    return static_cast<unsigned>(hash);
  }
};

/// Lets a DenseSet of nodes be searched by content.
template <typename Traits>
struct InternInfo {
  using NodePtr = const typename Traits::Node *;
  using Key = typename Traits::Key;
  static NodePtr getEmptyKey() { return llvm::DenseMapInfo<NodePtr>::getEmptyKey(); }
  static NodePtr getTombstoneKey() { return llvm::DenseMapInfo<NodePtr>::getTombstoneKey(); }
  static unsigned getHashValue(const Key &key) { return Traits::hash(key); }
  static unsigned getHashValue(NodePtr node) { return Traits::hash(Traits::getKey(node)); }
  static bool isEqual(const Key &key, NodePtr node) {
    return node != getEmptyKey() && node != getTombstoneKey() && key == Traits::getKey(node);
  }
  static bool isEqual(NodePtr lhs, NodePtr rhs) { return lhs == rhs; }
};

template <typename Traits>
using InternSet = llvm::DenseSet<const typename Traits::Node *, InternInfo<Traits>>;

} // namespace detail

class BoundProver;

struct SymbolicContext::Impl {
  explicit Impl(SymbolicContext &owner);
  ~Impl();

  SymbolicContext &owner;

  const Atom *getSymbol(llvm::StringRef name);
  const Atom *createSymbol(llvm::StringRef prefix);
  const Atom *getAtom(AtomKind kind, llvm::ArrayRef<Expr> operands);
  const Monomial *getMonomial(llvm::ArrayRef<Power> powers);
  const Monomial *getMonomial(const Atom *atom) { return getMonomial(Power{atom, 1}); }
  /// Null if an exponent overflows.
  const Monomial *multiply(const Monomial *lhs, const Monomial *rhs);
  const Monomial *getOne() const { return one; }
  /// Interns terms that are in order and without zeros.
  Expr getExpr(llvm::ArrayRef<Term> terms);
  Expr getExpr(const Atom *atom) { return getExpr(Term{getMonomial(atom), 1}); }
  Expr getConstant(int64_t value);
  /// In our syntax; computed once.
  llvm::StringRef getText(Expr expr);

  enum class Operation : uint8_t { Add, Mul, FloorDiv, ExactDiv };
  using OperationKey = std::pair<const ExprNode *, std::pair<const ExprNode *, unsigned>>;
  /// Results of operations that use no facts.
  llvm::DenseMap<OperationKey, Expr> results;
  template <typename Compute>
  Expr remember(Operation operation, Expr lhs, Expr rhs, Compute compute) {
    OperationKey key{lhs.getNode(), {rhs.getNode(), static_cast<unsigned>(operation)}};
    auto found = results.find(key);
    if (found != results.end())
      return found->second;
    Expr result = compute();
    results[key] = result;
    return result;
  }

  /// Steps that are left to the question at hand for proving with facts.
  static constexpr unsigned fuelOfQuestion = 4000;
  unsigned fuel = fuelOfQuestion;
  void refuel() { fuel = fuelOfQuestion; }

  /// Bounds that hold for all integers.
  BoundProver &getFreeProver() { return *freeProver; }

private:
  llvm::BumpPtrAllocator allocator;
  llvm::DenseMap<llvm::StringRef, const Atom *> symbols;
  detail::InternSet<detail::AtomTraits> atoms;
  detail::InternSet<detail::MonomialTraits> monomials;
  detail::InternSet<detail::ExprTraits> exprs;
  llvm::DenseMap<const ExprNode *, llvm::StringRef> texts;
  llvm::StringMap<unsigned> nextSuffix; ///< of createSymbol
  const Monomial *one;
  std::unique_ptr<BoundProver> freeProver;

  template <typename T>
  llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) {
    T *memory = allocator.Allocate<T>(list.size());
    std::uninitialized_copy(list.begin(), list.end(), memory);
    return {memory, list.size()};
  }
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_NODE_H

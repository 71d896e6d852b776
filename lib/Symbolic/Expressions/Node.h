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

#include "Expressions/InternTable.h"
#include "dyn/Symbolic/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/TrailingObjects.h"
#include <array>
#include <vector>

namespace dyn::symbolic {

struct Monomial;
struct Predicate;

enum class AtomKind : uint8_t {
  Symbol,
  FloorDiv, ///< (dividend, divisor)
  Max,      ///< two or more operands in structural order, translated and scaled to a representative
  Bcast,    ///< two or more operands in structural order
  ExactDiv, ///< (dividend, divisor)
};

struct Atom {
  AtomKind kind;
  uint16_t depth;             ///< 0 for a symbol
  uint32_t index;             ///< of a symbol: its place in the order of declaration
  uint32_t nodeCount;         ///< as a tree, saturating
  uint32_t listedSymbols = 0; ///< how many `symbols` lists
  uint64_t symbolMask;        ///< bit `index % 64` of each symbol inside
  llvm::StringRef name;       ///< of a symbol
  llvm::ArrayRef<Expr> operands;
  uint64_t nameStart = 0; ///< the first eight characters of the name as a number, which is in the order of names
  const Monomial *monomial = nullptr; ///< which is this atom alone
  Expr expr = {};                     ///< likewise
  /// Up to 256 inside of a large atom, if masks did not tell them when it was made, in the order of declaration. Else
  /// null.
  const Atom *const *symbols = nullptr;

  llvm::ArrayRef<const Atom *> getListedSymbols() const { return {symbols, listedSymbols}; }
  bool isSymbol() const { return kind == AtomKind::Symbol; }
};

/// -1, 0, 1 in an order that depends on structure and names only.
int compare(const Atom *lhs, const Atom *rhs);

/// The symbols inside of expressions.
class SymbolCollector {
public:
  void add(Expr expr);
  /// In the order of declaration, each once.
  llvm::ArrayRef<const Atom *> get();

private:
  llvm::SmallVector<const Atom *, 32> found;
  llvm::SmallPtrSet<const Atom *, 16> seen; ///< atoms with operands
};

/// Of an atom that is no symbol, given the values of its operands; nothing where it has none.
std::optional<int64_t> evaluate(AtomKind kind, llvm::ArrayRef<int64_t> operands);

struct Power {
  const Atom *atom;
  uint32_t exponent;
  bool operator==(const Power &other) const { return atom == other.atom && exponent == other.exponent; }
};

/// A product of powers in the order of their atoms; none for 1.
struct Monomial final : private llvm::TrailingObjects<Monomial, Power> {
  static const Monomial *create(llvm::BumpPtrAllocator &allocator, llvm::ArrayRef<Power> powers);

  const uint32_t degree;
  const uint32_t powerCount : 31;
  const uint32_t hasExactDiv : 1; ///< among the atoms, not inside of them

  llvm::ArrayRef<Power> getPowers() const { return {getTrailingObjects(), powerCount}; }
  bool isOne() const { return powerCount == 0; }
  /// The atom, if this is a single one to the power of 1.
  const Atom *getAtom() const { return degree == 1 ? getPowers().front().atom : nullptr; }
  uint32_t getExponent(const Atom *atom) const {
    for (const Power &power : getPowers())
      if (power.atom == atom)
        return power.exponent;
    return 0;
  }
  /// One bit: what sets of monomials have in common is a part of what their bits have in common.
  uint64_t getBit() const { return uint64_t(1) << (reinterpret_cast<uintptr_t>(this) * 0x9E3779B97F4A7C15u >> 58); }
  /// Of all symbols inside.
  uint64_t getSymbolMask() const {
    uint64_t mask = 0;
    for (const Power &power : getPowers())
      mask |= power.atom->symbolMask;
    return mask;
  }

private:
  friend TrailingObjects;
  Monomial(llvm::ArrayRef<Power> powers, uint32_t degree, bool hasExactDiv);
};

/// Higher degree first, then by atoms. Compatible with multiplication.
int compare(const Monomial *lhs, const Monomial *rhs);

struct Term {
  const Monomial *monomial;
  int64_t coefficient;
  bool operator==(const Term &other) const { return monomial == other.monomial && coefficient == other.coefficient; }
};

struct ExprNode final : private llvm::TrailingObjects<ExprNode, Term> {
  static const ExprNode *create(SymbolicContext::Impl &context, llvm::BumpPtrAllocator &allocator,
                                llvm::ArrayRef<Term> terms);

  SymbolicContext::Impl *const context;
  uint64_t symbolMask = 0;
  uint32_t nodeCount = 1; ///< as a tree, saturating
  const uint32_t termCount : 24;
  uint32_t depth : 8; ///< nesting of atoms, saturating

  /// In the order of monomials, none with coefficient 0.
  llvm::ArrayRef<Term> getTerms() const { return {getTrailingObjects(), termCount}; }

private:
  friend TrailingObjects;
  ExprNode(SymbolicContext::Impl &context, llvm::ArrayRef<Term> terms);
};

inline llvm::ArrayRef<Term> getTerms(Expr expr) { return expr.getNode()->getTerms(); }
/// Of a symbol, its atom.
inline const Atom *getSymbolAtom(Expr symbol) { return getTerms(symbol)[0].monomial->getAtom(); }
/// The symbol that a term consists of, but for its coefficient, or null.
inline const Atom *getSymbolAtom(const Term &term) {
  const Atom *atom = term.monomial->getAtom();
  return atom && atom->isSymbol() ? atom : nullptr;
}

int compare(llvm::ArrayRef<Term> lhs, llvm::ArrayRef<Term> rhs);
int compare(Expr lhs, Expr rhs);
struct ExprLess {
  bool operator()(Expr lhs, Expr rhs) const { return compare(lhs, rhs) < 0; }
};

/// Of the connectives and comparisons of a predicate, and of the expressions in it, as trees.
unsigned countNodes(const Predicate &predicate);
/// Covers the symbols that stand in a predicate as it is.
uint64_t getSymbolMask(const Predicate &predicate);

/// A polynomial under construction, not interned: terms in the order of monomials.
using Poly = llvm::SmallVector<Term, 8>;

namespace detail {

/// Of addresses and numbers, which differ in few bits.
class Hash {
public:
  explicit Hash(uint64_t seed) : state(seed) {}
  Hash &add(uint64_t value) {
    state = (state ^ value) * 0x9E3779B97F4A7C15u;
    state ^= state >> 32;
    return *this;
  }
  Hash &add(const void *address) { return add(reinterpret_cast<uintptr_t>(address)); }
  unsigned get() const { return static_cast<unsigned>(state); }

private:
  uint64_t state;
};

struct SymbolTraits {
  using Node = Atom;
  using Key = llvm::StringRef;
  static Key getKey(const Atom *atom) { return atom->name; }
  static unsigned hash(const Key &key) { return static_cast<unsigned>(llvm::hash_value(key)); }
};

struct AtomTraits {
  using Node = Atom;
  struct Key {
    AtomKind kind;
    llvm::ArrayRef<Expr> operands;
    bool operator==(const Key &other) const { return kind == other.kind && operands == other.operands; }
  };
  static Key getKey(const Atom *atom) { return {atom->kind, atom->operands}; }
  static unsigned hash(const Key &key) {
    Hash hash(static_cast<uint8_t>(key.kind));
    for (Expr operand : key.operands)
      hash.add(operand.getNode());
    return hash.get();
  }
};

struct MonomialTraits {
  using Node = Monomial;
  using Key = llvm::ArrayRef<Power>;
  static Key getKey(const Monomial *monomial) { return monomial->getPowers(); }
  static unsigned hash(const Key &key) {
    Hash hash(key.size());
    for (const Power &power : key)
      hash.add(power.atom).add(power.exponent);
    return hash.get();
  }
};

struct ExprTraits {
  using Node = ExprNode;
  using Key = llvm::ArrayRef<Term>;
  static Key getKey(const ExprNode *node) { return node->getTerms(); }
  static unsigned hash(const Key &key) {
    Hash hash(key.size());
    for (const Term &term : key)
      hash.add(term.monomial).add(term.coefficient);
    return hash.get();
  }
};

} // namespace detail

class BoundProver;

struct SymbolicContext::Impl {
  explicit Impl(SymbolicContext &owner);
  ~Impl();

  SymbolicContext &owner;

  const Atom *getSymbol(llvm::StringRef name);
  const Atom *createSymbol(llvm::StringRef prefix);
  /// Adds the symbols of a mask, in their order, if a bit stands for one symbol only.
  bool listSymbols(uint64_t mask, llvm::SmallVectorImpl<Expr> &symbols) const;
  bool hasExactMasks() const { return symbols.size() <= firstSymbols.size(); }
  /// In the order in which symbols are listed. By names where these are canonical: which of them was there first
  /// depends on what was asked before.
  bool comesBefore(const Atom *a, const Atom *b) const {
    return areNamesCanonical ? compare(a, b) < 0 : a->index < b->index;
  }
  bool areNamesCanonical = false;
  const Atom *getAtom(AtomKind kind, llvm::ArrayRef<Expr> operands);
  const Monomial *getMonomial(llvm::ArrayRef<Power> powers) {
    bool isAtom = powers.size() == 1 && powers.front().exponent == 1;
    return isAtom ? powers.front().atom->monomial : powers.empty() ? one : internMonomial(powers);
  }
  const Monomial *getMonomial(const Atom *atom) { return atom->monomial; }
  /// Null if an exponent overflows.
  const Monomial *multiply(const Monomial *lhs, const Monomial *rhs);
  const Monomial *getOne() const { return one; }
  /// Interns terms that are in order and without zeros.
  Expr getExpr(llvm::ArrayRef<Term> terms);
  Expr getExpr(const Atom *atom) { return atom->expr; }
  Expr getConstant(int64_t value);
  /// In our syntax; computed once.
  llvm::StringRef getText(Expr expr);

  enum class Operation : uint8_t { Add, Mul, FloorDiv, ExactDiv };
  /// What an operation that uses no facts gave lately, or else gives now.
  template <typename Compute>
  Expr remember(Operation operation, Expr lhs, Expr rhs, Compute compute) {
    Result key{lhs.getNode(), reinterpret_cast<uintptr_t>(rhs.getNode()) | static_cast<uintptr_t>(operation), {}};
    size_t hash = detail::Hash(key.rhsAndOperation).add(key.lhs).get();
    const Result &known = results[hash & (results.size() - 1)];
    if (known.lhs == key.lhs && known.rhsAndOperation == key.rhsAndOperation)
      return known.value;
    // Whether it is known depends on what was asked before, and on addresses. What it costs must not.
    Unpaid unpaid(*this);
    key.value = compute();
    keepResult(hash, key);
    return key.value;
  }

  /// Work that is left to the question at hand: about as many terms of polynomials may be touched. What else takes
  /// time, such as rows of linear systems, counts as so many terms. A fact is one search, and so is a range; a question
  /// makes several attempts. A simplified form has more than the forms that a question compares: types show it.
  static constexpr unsigned fuelOfFact = 5000, fuelOfAttempt = 4000, fuelOfForm = 8000, fuelOfRange = 24000;
  unsigned fuel = fuelOfFact;
  void refuel(unsigned amount = fuelOfFact) { fuel = std::min<uint64_t>(amount, limit - std::min(limit, work)); }
  void spend(size_t amount) {
    work += amount;
    fuel -= std::min<size_t>(fuel, amount);
  }
  /// All that was ever spent.
  uint64_t work = 0;
  /// Of work, after which nothing refuels.
  uint64_t limit = UINT64_MAX;

  /// As long as it lives, no more than `amount` is spent, however many attempts there are.
  class WorkLimit {
  public:
    WorkLimit(Impl &context, uint64_t amount) : context(context), outer(context.limit) {
      context.limit = std::min(outer, context.work + amount);
      context.refuel(context.fuel);
    }
    ~WorkLimit() { context.limit = outer; }
    void extend(uint64_t amount) { context.limit = std::min(outer, context.limit + amount); }

  private:
    Impl &context;
    uint64_t outer;
  };

  /// What is spent as long as it lives does not count.
  class Unpaid {
  public:
    explicit Unpaid(Impl &context) : context(context), fuel(context.fuel), work(context.work) {}
    ~Unpaid() {
      context.fuel = fuel;
      context.work = work;
    }

  private:
    Impl &context;
    unsigned fuel;
    uint64_t work;
  };

  /// Lets one step use a part of the fuel only, so that a costly one leaves something for the others.
  class FuelSlice {
  public:
    FuelSlice(Impl &context, unsigned limit)
        : context(context), withheld(context.fuel - std::min(context.fuel, limit)) {
      context.fuel -= withheld;
    }
    ~FuelSlice() { context.refuel(context.fuel + withheld); }

  private:
    Impl &context;
    unsigned withheld;
  };

  /// Bounds that hold for all integers.
  BoundProver &getFreeProver() { return *freeProver; }

private:
  /// A result takes the place of another one, so that their number stays within a bound. The operation stands in bits
  /// that are 0 in every address.
  struct Result {
    const ExprNode *lhs = nullptr;
    uintptr_t rhsAndOperation = 0;
    Expr value;
  };
  void keepResult(size_t hash, const Result &result);
  const Atom *createAtom(const Atom &content);
  const Monomial *internMonomial(llvm::ArrayRef<Power> powers);

  std::vector<Result> results;
  size_t replacedResults = 0;
  llvm::BumpPtrAllocator allocator;
  InternTable<detail::SymbolTraits> symbols;
  std::array<const Atom *, 64> firstSymbols; ///< by their bits in masks
  InternTable<detail::AtomTraits> atoms;
  InternTable<detail::MonomialTraits> monomials;
  InternTable<detail::ExprTraits> exprs;
  std::array<Expr, 65> smallConstants; ///< from -1 on, as far as they were asked for
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

//===- Which facts are the nearest to a question ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Of many facts, a question is asked of those that hang together with it. Where these
// are many too, it is asked of the nearest: facts that share symbols with it, then
// facts that share symbols with them, and so on. Which facts these are depends neither
// on the order in which they came nor on names: facts that nothing else tells apart are
// taken all or none.
//
// Facts, and what is asked, are in terms of the symbols that linear equations leave:
// most symbols of a program are sums of a few others, and the facts that say so are
// near every question otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_FACTINDEX_H
#define DYN_LIB_SYMBOLIC_FACTINDEX_H

#include "Solver/Integers/LinearEquations.h"
#include "Solver/Naming/NamedFacts.h"
#include <map>
#include <set>

namespace dyn::symbolic {

class FactIndex {
public:
  explicit FactIndex(SymbolicContext::Impl &context) : context(&context), equations(context) {}

  void declare(const Atom *symbol, const SymbolFacts &facts, SymbolClass symbolClass);
  void add(const Predicate &fact);

  /// What follows from equations at any distance.
  LinearEquations &getEquations() { return equations; }
  /// Grows when facts that were added before get other terms.
  unsigned getVersion() const { return version; }

  // Symbols, facts and places below are of what is contracted by the equations.

  /// Places of facts, in their order.
  struct Near {
    std::vector<unsigned> facts;
    bool isComplete = true; ///< all facts that hang together with the symbols
  };
  Near findNear(llvm::ArrayRef<Expr> symbols) const;
  /// Was all of it told, whatever else was?
  bool includes(const Predicate &predicate);

  const Predicate &getFact(unsigned place) const { return facts[place].predicate; }
  /// Those of the symbols, and of the symbols of the facts, that were declared, in the order of their declaration.
  std::vector<const Atom *> getDeclared(llvm::ArrayRef<Expr> symbols, llvm::ArrayRef<unsigned> facts) const;
  /// Tells what was declared of the symbols, and the facts.
  void tell(NamedFacts &names, llvm::ArrayRef<const Atom *> declared, llvm::ArrayRef<unsigned> facts) const;

private:
  /// Facts are in the order of their keys, which say how soon a fact is of use and what it says of symbols without
  /// names.
  using Key = std::tuple<unsigned, unsigned, uint64_t>;
  struct Fact {
    Predicate predicate, given;                 ///< contracted, and as it was told
    bool isDeclared = false;                    ///< part of what is known of a symbol by itself
    llvm::SmallVector<const Atom *, 4> symbols; ///< if it says nothing, those that have to be sizes for that
    Key key;
    size_t nodes = 0; ///< of its expressions
  };
  struct Symbol {
    std::map<Key, std::set<unsigned>> facts; ///< many of one symbol may have one key
    std::set<unsigned> told;                 ///< facts that mentioned it before they were contracted
    std::set<unsigned> bounds;               ///< of its facts those that declarations have become
    std::set<unsigned> idle;                 ///< facts that say nothing as long as it is a size
    std::optional<unsigned> place;           ///< in the order of declarations
    std::vector<std::pair<SymbolFacts, SymbolClass>> declarations;
    Expr contracted; ///< null for itself
  };

  Near findNear(llvm::ArrayRef<Expr> symbols, size_t maximalFacts, size_t maximalNodes) const;
  /// Null where nothing is known of it.
  const Symbol *look(const Atom *symbol) const;
  Symbol &get(const Atom *symbol);
  Key getKey(const Fact &fact) const;
  /// Is it one of the facts already?
  bool isKnown(const Fact &fact);
  void link(unsigned place);
  void unlink(unsigned place);
  void putDown(Fact fact, std::optional<unsigned> &place);
  /// Puts down a fact, at that place or at a new one.
  void insert(const Predicate &part, bool isDeclared = false, std::optional<unsigned> place = std::nullopt);
  /// Of sizes, as far as declarations say: those that have none are.
  bool isSumOfSizes(Expr expr) const;
  /// Of symbols that stand for themselves and are declared to be sizes.
  bool isSumOfDeclaredSizes(Expr expr) const;
  /// Does it say of a declared symbol, in whatever terms, that something is at least 0?
  bool isDeclaredBound(const Predicate &part, const Predicate &given) const;
  // Of what is known to be at least 0.
  /// Does a bound follow from another one, whatever symbols are contracted to?
  bool isWeaker(Expr bound, Expr than) const;
  /// The same of what is declared of symbols that stand for themselves, and of what declarations have become.
  bool isWeakerThanKnown(Expr bound) const;
  /// Takes away what follows from it.
  void dropWeaker(Expr bound);
  std::vector<unsigned> getBounds(Expr about) const;
  /// What is known of a symbol by itself, of what it is contracted to.
  void insertDeclarations(const Atom *symbol);
  /// That it is a size, which was put down of what it is contracted to.
  void forgetDefault(const Atom *symbol);
  /// Takes in what says something once a symbol is no size.
  void insertIdle(const Atom *symbol);
  /// Takes in which symbols equations have removed.
  void contractChanged();
  /// Takes in equations that facts have become by being contracted, and what these become.
  void addContracted();

  SymbolicContext::Impl *context;
  LinearEquations equations;
  unsigned version = 0;
  PagedList<Fact, 8> facts;
  std::vector<Predicate> contractedEquations;              ///< that are to be taken in
  PagedMap<const Atom *, std::shared_ptr<Symbol>> symbols; ///< shared by copies until one writes to it
  unsigned declaredCount = 0;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_FACTINDEX_H

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
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_FACTINDEX_H
#define DYN_LIB_SYMBOLIC_FACTINDEX_H

#include "Solver/Naming/NamedFacts.h"
#include <map>

namespace dyn::symbolic {

class FactIndex {
public:
  void declare(const Atom *symbol, const SymbolFacts &facts, SymbolClass symbolClass);
  void add(const Predicate &fact);

  /// Places of facts, in their order.
  struct Near {
    std::vector<unsigned> facts;
    bool isComplete = true; ///< all facts that hang together with the symbols
  };
  Near findNear(llvm::ArrayRef<Expr> symbols) const;
  /// Do more facts hang together with one of the symbols than may all be near? Takes no search.
  bool areManyAround(llvm::ArrayRef<Expr> symbols) const;

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
    Predicate predicate;
    llvm::SmallVector<const Atom *, 4> symbols;
    Key key;
  };
  struct Symbol {
    std::map<Key, llvm::SmallVector<unsigned, 1>> facts;
    std::optional<unsigned> place; ///< in the order of declarations
    std::vector<std::pair<SymbolFacts, SymbolClass>> declarations;
    std::optional<unsigned> component;
  };
  /// Symbols that facts join, in a forest whose roots count the facts.
  struct Component {
    unsigned parent, size, facts;
  };

  Near findNear(llvm::ArrayRef<Expr> symbols, size_t maximalFacts) const;
  Key getKey(const Fact &fact) const;
  void link(unsigned place);
  void unlink(unsigned place);
  unsigned getRoot(unsigned component) const;
  void join(llvm::ArrayRef<const Atom *> symbols);

  std::vector<Fact> facts;
  llvm::DenseMap<const Atom *, Symbol> symbols;
  std::vector<Component> components;
  unsigned declaredCount = 0;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_FACTINDEX_H

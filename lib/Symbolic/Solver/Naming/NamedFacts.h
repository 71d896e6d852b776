//===- Facts under names of their own --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Where effort ends depends on the order of terms, which goes by name, and on the
// order in which facts come. So a question is asked of a store in a context of its
// own. Symbols have other names there: declared ones by the order of declaration,
// others by what the facts say of them, and what no fact mentions by what the
// question says. The facts are told in an order that goes by these names. Whatever
// symbols are called, and in whichever order facts come, the store is the same.
//
// An equation that only names what declared symbols make, `n == b*s`, is no fact for the
// store: questions are asked about the meaning of the name.
//
// Symbols that play the same part in the facts may have each other's names: the store
// knows the same facts then. Which of them has which is up to the question.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_NAMEDFACTS_H
#define DYN_LIB_SYMBOLIC_NAMEDFACTS_H

#include "Solver/Broadcasts/BroadcastFacts.h"
#include "Solver/Differences/DifferenceGraph.h"
#include "Solver/Integers/EquationRows.h"
#include "Solver/Naming/Renaming.h"
#include "Solver/Points/Witnesses.h"
#include "Solver/SortedFacts.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace dyn::symbolic {

class SymbolColours;

class NamedFacts {
public:
  /// Of symbols of that context.
  explicit NamedFacts(SymbolicContext::Impl &given);

  void declare(const Atom *symbol, const SymbolFacts &facts, SymbolClass symbolClass);
  void add(const Predicate &fact);
  /// Takes an equation that only names a size: a symbol that no other fact mentions for what declared symbols make. It
  /// is to have a value wherever they have values. False, and nothing happens, if it may say more.
  bool define(const Predicate &equation);
  /// With the meanings of such names.
  Expr contract(Expr expr) const;
  Predicate contract(const Predicate &predicate) const;
  /// As if nothing had been told.
  void reset();
  /// All facts may be told again after a new one. They are given up for good where that has become dear.
  bool areFew() const { return !areMany; }

  /// What knows all facts under their names; null if it finds that they contradict each other.
  FactStore *update();
  Witnesses &getWitnesses() { return witnesses; }
  /// Do their broadcasts?
  bool areBroadcastsContradictory() { return getBroadcasts().isContradictory(); }
  /// A copy of what knows declarations only.
  FactStore getDeclared() const { return declared; }
  /// One of the facts, as it is given and with names of our own.
  Predicate getNamed(const Predicate &fact) { return inside(fact); }

  // After an update.

  /// All that was told, under names of our own.
  std::vector<Predicate> getTold() const;

  /// Does it say something that was told word for word? With names of our own.
  bool wasTold(const Predicate &named) const {
    return !SortedFacts::getParts(named).empty() && namedFacts.includes(named);
  }
  /// Of what was told word for word, or says the same as equations that were, or follows from broadcasts as they were
  /// told; with names of our own. It is true whatever becomes of the facts among others.
  Verdict findTold(const Predicate &named);

  /// Of what was told of sizes of the question, `s == (t + 1) floordiv 2`, put in their place, by declarations alone.
  Verdict decideByToldValues(const Predicate &named, unsigned fuelOfAttempt);

  /// With sizes in place of quotients, of which it is told what these are.
  Verdict decideByNamedQuotients(const Predicate &named, unsigned fuelOfAttempt);

  /// Of places in rows, by rows and columns.
  Verdict decideByDigits(const Predicate &named, unsigned fuelOfAttempt);

  /// With what places are in place of them, where they are taken apart.
  Verdict decideByPlaces(const Predicate &named, unsigned fuelOfAttempt);

  /// By what orders of places in rows say of the rows.
  Verdict decideByHighDigits(const Predicate &named, unsigned fuelOfAttempt);

  /// For walks along the facts.
  DifferenceGraph &getDifferences();

  // At any time.

  /// The places of those facts without which less might follow for these symbols. Nothing if all others share no symbol
  /// with them, and take none of their effort.
  std::optional<std::vector<unsigned>> findNeeded(llvm::ArrayRef<Expr> asked);
  size_t countFacts() const { return facts.get().size(); }
  /// The places of facts that share symbols with these, directly or by others: the nearest, no more than that.
  std::vector<unsigned> findNearest(llvm::ArrayRef<Expr> asked, size_t maximalFacts) const;
  /// Those of the symbols, and of the symbols of the facts at these places, that were declared.
  std::vector<const Atom *> getDeclared(llvm::ArrayRef<Expr> asked, llvm::ArrayRef<unsigned> places) const;
  /// Tells what was declared of the symbols, and the facts.
  void tell(NamedFacts &others, llvm::ArrayRef<const Atom *> declared, llvm::ArrayRef<unsigned> places) const;

  /// Under names that are the same in every question. Symbols that nothing tells apart have them in the order of the
  /// given names.
  Expr getInside(Expr expr);
  Expr getOutside(Expr expr) { return outside(expr); }
  /// The same where it does not depend on given names, else null.
  Expr getFixed(Expr expr);
  /// Names for the symbols of a question, which tells apart what nothing else does.
  Renaming getNames(llvm::ArrayRef<Predicate> question);

  /// Adds what was spent inside, as long as it lives, to what is spent in the given context.
  class Work {
  public:
    explicit Work(NamedFacts &facts) : facts(facts), before(facts.own->getImpl().work) {}
    ~Work() { facts.given->work += facts.own->getImpl().work - before; }

  private:
    NamedFacts &facts;
    uint64_t before;
  };

private:
  struct Declaration {
    const Atom *symbol = nullptr;
    SymbolFacts facts;
    SymbolClass symbolClass = SymbolClass::Internal;
  };
  /// How names of our own start: of declared symbols, of those that facts mention, of others.
  enum Kind : char { Declared = 'd', Mentioned = 'f', Free = 'n', Asked = 'q' };
  struct Definition {
    const Atom *symbol = nullptr;
    Expr value;
  };

  Expr getName(Kind kind, size_t number);
  void name(const Atom *symbol, Expr there);
  void tellDeclarations();
  void nameMentioned();
  std::optional<Definition> getDefinition(const Predicate &part);
  bool isMentioned(const Atom *symbol, const Predicate *besides) const;
  /// Is there a value for the symbol with which the fact holds, whatever the others are within what bounds them?
  bool isAlwaysMet(const Predicate &fact, const Atom *symbol);
  /// What knows of facts only those that bound one symbol.
  FactStore &getBounds();
  void undefine(const Atom *symbol);
  /// Which equations only name a size, after a symbol of theirs was declared.
  void redefine();
  std::optional<uint64_t> getPlace(const Atom *symbol) const;
  bool isFixed(const Atom *symbol) const { return places.contains(symbol) || fixed.contains(symbol); }
  void forget();
  BroadcastFacts::Own getOwn(Expr term);
  BroadcastFacts &getBroadcasts();
  /// Nothing where there is no value to be put in.
  std::optional<Predicate> putValues(const Predicate &predicate);
  /// Nothing where there is none.
  std::optional<Predicate> putToldValues(const Predicate &named);
  std::optional<Renaming> getNamesOfTied(llvm::ArrayRef<Predicate> question);

  SymbolicContext::Impl *given;
  std::shared_ptr<SymbolicContext> own;
  PagedList<Declaration, 8> declarations;
  PagedMap<const Atom *, uint64_t> places; ///< of declared symbols
  size_t told = 0;                         ///< declarations
  // What knows no facts.
  FactStore declared;
  std::optional<DifferenceGraph> declaredDifferences;
  bool isDeclaredConsistent = true;
  SortedFacts facts; ///< as given, none once they are many
  bool areMany = false, areNamed = false;
  std::vector<std::pair<const Atom *, Predicate>> definitions; ///< the other facts, by what they define
  Substitution meanings;                                       ///< of their symbols
  std::optional<FactStore> sorted;                             ///< knows all, if it was asked for since the last one
  bool isSortedConsistent = true;
  std::optional<FactStore> bounds;            ///< the same of those that bound one symbol
  std::optional<DifferenceGraph> differences; ///< of what `sorted` knows, if it was asked for
  SortedFacts namedFacts;
  std::optional<EquationRows> equations;              ///< of these, if they were asked for
  std::optional<BroadcastFacts> broadcasts;           ///< the same
  std::vector<const Atom *> mentioned;                ///< in the order of their names, without those that are declared
  std::shared_ptr<const SymbolColours> namingColours; ///< by the facts that gave them their names
  /// Not declared: those that may have each other's names, and those that have one for sure.
  llvm::SmallPtrSet<const Atom *, 8> tied, fixed;
  Renaming inside, outside;
  LeftBehind<llvm::DenseMap<Expr, Expr>> fixedForms;
  Witnesses witnesses;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_NAMEDFACTS_H

//===- An order of symbols that does not depend on their names ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Symbols are told apart by what predicates say of them. Each has a colour, the same
// for all at first. A step gives each a new one, made of its old colour and of what
// the predicates that mention it come to where all symbols have values made of their
// colours and this one has another value. Values depend neither on names nor on the
// form that names give to an expression. Symbols that keep one colour mostly play the
// same part: exchanging them, and others along with them, changes nothing. Then one of
// them is set apart, and colours change again.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_SYMBOLORDER_H
#define DYN_LIB_SYMBOLIC_SYMBOLORDER_H

#include "Solver/Naming/FactHashes.h"

namespace dyn::symbolic {

class SymbolColours {
public:
  using Colour = uint64_t;
  /// A given colour, or nothing for a symbol that is to be told apart.
  using GivenColour = llvm::function_ref<std::optional<Colour>(const Atom *symbol)>;

  SymbolColours(llvm::ArrayRef<Predicate> predicates, GivenColour given) { add(predicates, given); }
  /// Takes in more predicates, which may tell apart what those before left tied.
  void add(llvm::ArrayRef<Predicate> predicates, GivenColour given);

  /// Symbols that were to be told apart and could not be, none where each has a colour of its own; else all of those
  /// that share the smallest colour that is shared.
  llvm::SmallVector<const Atom *, 8> getTied() const;
  bool isTied(const Atom *symbol) const;
  /// Nothing for a symbol that no predicate mentions.
  std::optional<Colour> getColour(const Atom *symbol) const;
  /// Gives a symbol that is tied a colour of its own.
  void setApart(const Atom *symbol);
  /// The same of all that are tied, one after the other, by names: which of them comes first makes no difference then.
  void setAllApart();
  /// Of what the predicates come to under values made of the colours: the same whatever symbols are called.
  uint64_t getFingerprint();
  /// Those that were to be told apart, in the order of their colours.
  llvm::SmallVector<const Atom *, 8> getOrder() const;

private:
  struct Part {
    llvm::SmallVector<unsigned, 8> symbols; ///< all of them, those first that are to be told apart
    unsigned open;                          ///< how many these are
    unsigned nodeCount, component;
    bool isPolynomial; ///< of symbols
    llvm::ArrayRef<unsigned> getOpen() const { return llvm::ArrayRef(symbols).take_front(open); }
  };
  /// A symbol, and what the predicates around it come to.
  struct Seen {
    unsigned place;
    Colour before;
    uint64_t hash = 0;
  };

  unsigned getPlace(const Atom *symbol, GivenColour given);
  void findComponents();
  /// The parts that are to be looked at, with what that costs.
  size_t findConcerned(std::optional<unsigned> component, std::optional<unsigned> changed, bool withPolynomials,
                       llvm::SmallVectorImpl<unsigned> &concerned) const;
  /// What is seen of symbols that share their colours, sorted by these.
  llvm::SmallVector<Seen, 32> look(llvm::ArrayRef<unsigned> concerned, unsigned attempt);
  bool isFiner(llvm::ArrayRef<Seen> seen) const;
  void setColour(unsigned place, Colour colour);
  /// After colours have changed.
  void findShared();
  /// Of one component, or of all. Where one symbol alone has a new colour, only what is said of it can make a
  /// difference at first, and if it makes none, there is nothing to do.
  void refine(std::optional<unsigned> component = std::nullopt, std::optional<unsigned> changed = std::nullopt);

  std::vector<const Atom *> symbols;
  llvm::DenseMap<const Atom *, unsigned> places;
  std::vector<Colour> colours;
  std::vector<bool> isOpen; ///< to be told apart
  std::vector<bool> shared; ///< is it open, and is another one of its colour?
  std::vector<int64_t> values;
  std::vector<unsigned> seenAt;            ///< of `look`: one more than where a symbol is in its result
  llvm::DenseMap<Colour, unsigned> counts; ///< of open symbols
  std::vector<Part> parts;                 ///< one for each predicate
  FactHashes hashes;
  size_t effort = 0;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_SYMBOLORDER_H

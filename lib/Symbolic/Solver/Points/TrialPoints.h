//===- A few points that facts allow, chosen before any question -----*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Most open questions about few sizes are open for plain reasons: they hold where all
// sizes are 1 and fail where they differ. What these points show needs no names, no
// search and no proof. A point counts as long as every fact holds there.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_TRIALPOINTS_H
#define DYN_LIB_SYMBOLIC_TRIALPOINTS_H

#include "Solver/PagedTable.h"
#include "Solver/Points/SeenTruths.h"
#include "dyn/Symbolic/Facts.h"
#include "dyn/Symbolic/Predicate.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

namespace dyn::symbolic {

class TrialPoints {
public:
  static constexpr unsigned count = 5;

  // Facts. A point that one excludes moves to where it holds, if that is easy, and is given up otherwise.
  void declare(Expr symbol, const SymbolFacts &facts);
  void add(const Predicate &fact);

  /// Do all facts hold at one of the points?
  bool isAnyLeft() const { return llvm::is_contained(isLost, false); }
  SeenTruths look(const Predicate &predicate);
  /// Is it false at one of them?
  bool refute(const Predicate &predicate);

private:
  using Values = std::array<int64_t, count>; ///< of a symbol, by point

  /// Until another symbol gets its first values, as it does where it is evaluated.
  Values &getValues(llvm::StringRef symbol);
  int64_t getValue(llvm::StringRef symbol, unsigned point);
  /// Gives the value before.
  int64_t setValue(Expr symbol, int64_t value, unsigned point);
  bool allows(llvm::StringRef symbol, int64_t value) const;
  std::optional<int64_t> evaluate(Expr expr, unsigned point);
  std::optional<bool> evaluate(const Predicate &predicate, unsigned point);
  /// All facts; what symbols are declared to be is asked of those that are moved.
  bool holdsAll(unsigned point);
  struct Move {
    Expr symbol;
    int64_t value;
    unsigned broken; ///< how many other facts do not hold then
  };
  /// Gives symbols other values, one after another and each once, until the last fact and all others hold.
  bool repair(unsigned point);
  /// The move by which a fact holds that breaks the fewest others.
  std::optional<Move> findMove(const Predicate &broken, llvm::ArrayRef<Move> made, unsigned point);
  /// How many other facts do not hold: no more than `most` are counted.
  unsigned countBroken(const Predicate &but, unsigned most, unsigned point);
  /// The value by which a comparison holds that is as good as a line over the symbol from here; nothing where it does
  /// not depend on it here.
  std::optional<int64_t> findValue(const Predicate &comparison, Expr symbol, unsigned point);
  /// Gives symbols of the fact the values that they have at another point.
  bool moveBeside(const Predicate &fact, unsigned other, unsigned point);

  PagedMap<llvm::StringRef, Values> values;
  PagedMap<llvm::StringRef, llvm::SmallVector<SymbolFacts, 1>> declarations;
  llvm::SmallVector<Predicate, 0> facts;
  std::array<bool, count> isLost{};
  unsigned movesLeft = 64; ///< each asks all facts again
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_TRIALPOINTS_H

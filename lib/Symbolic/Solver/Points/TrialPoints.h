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
  /// Is it true at one of the points, and false at another?
  bool leaveOpen(const Predicate &predicate);
  /// Is it false at one of them?
  bool refute(const Predicate &predicate);

private:
  using Values = std::array<int64_t, count>; ///< of a symbol, by point

  Values &getValues(llvm::StringRef symbol);
  int64_t getValue(llvm::StringRef symbol, unsigned point);
  bool allows(llvm::StringRef symbol, int64_t value) const;
  std::optional<int64_t> evaluate(Expr expr, unsigned point);
  std::optional<bool> evaluate(const Predicate &predicate, unsigned point);
  /// All facts; what symbols are declared to be is asked of those that are moved.
  bool holdsAll(unsigned point);
  /// Gives a symbol that stands alone on a side of a comparison the value by which this holds.
  bool moveTo(const Predicate &fact, unsigned point);
  bool moveSymbol(Expr symbol, std::optional<int64_t> value, unsigned point);
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

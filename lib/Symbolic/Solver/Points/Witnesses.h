//===- Points at which all facts hold --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What is false at one such point is not implied, what is true at one is not
// refuted. Most questions that the facts leave open are answered by a few points,
// without a search for proofs that do not exist. A point counts only once every
// given fact has been evaluated there.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_WITNESSES_H
#define DYN_LIB_SYMBOLIC_WITNESSES_H

#include "Solver/FactStore.h"
#include "Solver/Integers/PointProgram.h"
#include "Solver/Points/SeenTruths.h"
#include "llvm/ADT/SetVector.h"
#include <list>

namespace dyn::symbolic {

class Witnesses {
public:
  /// Gives a question its effort. Points of earlier questions are left for `lookAtEarlier`: how far proofs come depends
  /// on the points that are known, and an answer is not to depend on what was asked before.
  void startQuestion(unsigned share = 1);

  // Facts, which drop the points that they exclude.
  void declare(const Atom *symbol, const SymbolFacts &facts);
  void add(const Predicate &predicate);
  /// All but what was declared, and all points.
  void forgetFacts();

  using Seen = SeenTruths;
  /// At points of earlier questions, without the effort of this one.
  Seen lookAtEarlier(const Predicate &predicate);
  /// At points of this question.
  Seen look(const Predicate &predicate) { return look(predicate, points); }

  /// Looks for points where the predicate has a truth that is not seen yet: where all symbols are small for what
  /// `store` knows of them, at points of this question, and next to these. The store knows the facts given here and no
  /// others.
  void vary(FactStore &store, const Predicate &predicate, Seen &seen);

  /// Looks for a point in what a store allows, which knows the facts given here and more; `symbols` get values too. The
  /// point is kept if all facts hold there and `accept` takes it.
  bool find(const FactStore &store, llvm::ArrayRef<Expr> symbols, llvm::function_ref<bool(const Point &)> accept);

private:
  using Values = PointProgram::Values;

  void drop(llvm::function_ref<bool(const Values &point)> isExcluded);
  /// Nothing where effort has ended too.
  std::optional<bool> evaluate(PointProgram &program, PointProgram::Index predicate, const Values &point);
  Seen look(const Predicate &predicate, const std::list<Values> &among);
  /// Do all facts hold, and what was declared of the other symbols?
  bool holds(const Values &point, llvm::ArrayRef<const Atom *> others);
  SymbolFacts getDeclared(const Atom *symbol) const;
  SymbolFacts getKnown(const FactStore &store, const Atom *symbol) const;
  void keep(Values point);

  using Declarations = llvm::SmallVector<SymbolFacts, 1>;
  PagedMap<const Atom *, Declarations> declared; ///< all of a symbol hold
  PagedList<Predicate, 8> facts;                 ///< none once they are many
  bool areMany = false;
  llvm::SetVector<const Atom *> symbols; ///< of all facts
  // Of this question, and of those before it.
  LeftBehind<SymbolPlaces> places;
  LeftBehind<PointProgram> program; ///< of the first facts
  LeftBehind<llvm::SmallVector<PointProgram::Index, 0>> compiled;
  LeftBehind<std::list<Values>> points, earlier; ///< most have none
  static constexpr unsigned effortOfQuestion = 16'000;
  unsigned effort = effortOfQuestion; ///< values of symbols that may be looked up
};

/// Truth at a point.
std::optional<bool> evaluateAt(const Predicate &predicate, const Point &point);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_WITNESSES_H

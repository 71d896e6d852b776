//===- From given facts to an answer, step by step --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A chain is a smallest set of given facts that still leads to the answer, found
// by leaving facts out and asking again. What the first of them come to is found in
// the same way: a fact about the symbols that they share with the rest, which, put in
// their place, still leads to the answer. That costs a few dozen runs over the facts
// concerned, and is paid only by those who ask why; in return no derived fact has to
// carry its history, and every chain is complete and has nothing superfluous.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_REASONCHAIN_H
#define DYN_LIB_SYMBOLIC_REASONCHAIN_H

#include "Solver/SolverImpl.h"

namespace dyn::symbolic {

class ReasonChain {
public:
  using Entry = Solver::Impl::Entry;
  /// Does the answer follow from what a store knows?
  using Goal = llvm::function_ref<bool(FactStore &)>;
  /// The same of a solver of its own.
  using SolverGoal = llvm::function_ref<bool(Solver::Impl &)>;

  /// What the chain is asked for. The facts that refuse another are told as they came, since that is how they did it.
  /// That fact is shown after the chain, so what the whole chain comes to is shown too.
  enum Purpose : uint8_t { Answer, Refusal };
  /// From the first `known` facts of the log. `symbols` are those of the question.
  ReasonChain(const Solver::Impl &solver, size_t known, llvm::ArrayRef<Expr> symbols, Purpose purpose, Goal goal);
  /// To an answer that no store has, but a solver with names of its own. That is dearer, and finds whatever was
  /// answered. `among`: these facts of the log are enough, or all if there are none.
  ReasonChain(const Solver::Impl &solver, llvm::ArrayRef<Expr> symbols, SolverGoal goal,
              llvm::ArrayRef<DifferenceGraph::FactId> among = {});

  /// To the refusal of a fact by the first `known` ones, as such a solver has it.
  ReasonChain(const Solver::Impl &solver, size_t known, llvm::ArrayRef<Expr> symbols, SolverGoal goal);

  /// Does the answer follow when all of the facts are told again?
  bool isFound() const { return found; }
  const std::vector<const Entry *> &getFacts() const { return core; }
  /// Do the facts to a solver that knows nothing else? One has other names for fewer facts, and may find less by them.
  bool suffices(SolverGoal goal, llvm::ArrayRef<const Entry *> entries, llvm::ArrayRef<Entry> more = {}) const;
  /// The given facts that suffice, each after one that it shares symbols with where there is one, and derived ones.
  std::vector<ExplainStep> getSteps() const;

private:
  void find(size_t known, llvm::ArrayRef<DifferenceGraph::FactId> among = {});
  /// The entries that share symbols with the question, directly or through others.
  std::vector<const Entry *> getRelevant(size_t known) const;
  /// Tells declarations, then `more`, then the relevant ones of the entries in the order in which they were told.
  bool tellInOrder(llvm::ArrayRef<const Entry *> entries, llvm::ArrayRef<Entry> more,
                   llvm::function_ref<bool(const Entry &)> tell) const;
  /// False where facts contradict each other.
  bool fill(FactStore &store, llvm::ArrayRef<const Entry *> entries, llvm::ArrayRef<Entry> more) const;
  bool suffices(llvm::ArrayRef<const Entry *> entries, llvm::ArrayRef<Entry> more = {}) const;
  void sortByConnection();
  template <typename Item>
  void shrink(std::vector<Item> &items, llvm::function_ref<bool(llvm::ArrayRef<Item>)> suffices) const;
  std::vector<Entry> derive(llvm::ArrayRef<Entry> premises, llvm::ArrayRef<const Entry *> rest) const;
  std::vector<Entry> getCandidates(llvm::ArrayRef<Entry> premises, llvm::ArrayRef<Expr> shared) const;

  const Solver::Impl &solver;
  llvm::SmallVector<Expr, 4> symbols; ///< its own: callers ask with those that a predicate has just listed
  Purpose purpose;
  Goal goal; ///< or the next one
  SolverGoal solverGoal;
  std::vector<const Entry *> relevant; ///< as they were told
  std::vector<const Entry *> core;
  bool isSorted = false; ///< are facts told in an order of their own, as the question was asked of them?
  const uint64_t startOfWork;
  bool found = false;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_REASONCHAIN_H

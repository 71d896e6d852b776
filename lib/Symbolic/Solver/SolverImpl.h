//===- The log behind a solver, and case splits ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_SOLVERIMPL_H
#define DYN_LIB_SYMBOLIC_SOLVERIMPL_H

#include "Solver/Broadcasts/BroadcastIndex.h"
#include "Solver/Differences/DifferenceGraph.h"
#include "Solver/Naming/FactIndex.h"
#include "Solver/Points/TrialPoints.h"
#include "Solver/Points/Witnesses.h"
#include <map>

namespace dyn::symbolic {

/// Decides a predicate; where the store alone can't, assumes the opposite and looks for a contradiction in every case
/// of disjunctions and of min and max. Witnesses of the facts in the store, if given, spare futile attempts.
Verdict decideWithSplits(FactStore &store, const Predicate &predicate, Witnesses *witnesses = nullptr,
                         unsigned fuelOfAttempt = SymbolicContext::Impl::fuelOfAttempt);

/// The same of what the store alone left unknown.
Verdict proveWithSplits(FactStore &store, const Predicate &predicate, Witnesses *witnesses = nullptr,
                        unsigned fuelOfAttempt = SymbolicContext::Impl::fuelOfAttempt);

/// Is that verdict yes? Nothing is spent on showing that it is no.
bool isTrueWithSplits(FactStore &store, const Predicate &predicate, Witnesses *witnesses, unsigned fuelOfAttempt);

/// The same by the store and one proof, with the effort of a question. `witnesses` are of the facts in the store.
bool impliesWithSplits(FactStore &store, const Predicate &predicate, Witnesses &witnesses);

/// Of an outer or inner form; looks at the cases of disjunctions one by one.
Interval getRangeWithSplits(FactStore &store, Expr expr);

/// The outer form, where `isEqual` also tells whether a max or bcast is one of its operands.
Expr simplifyWithSplits(FactStore &store, Expr expr, llvm::function_ref<bool(Expr lhs, Expr rhs)> isEqual);

struct Solver::Impl {
  /// A fact as it was given.
  struct Entry {
    Expr symbol; ///< of a declaration
    SymbolFacts facts;
    SymbolClass symbolClass = SymbolClass::Internal;
    Predicate predicate;
    ReasonId reason = 0;

    std::string str() const;
    llvm::SmallVector<Expr, 4> getSymbols() const;
    /// What it says of its symbol, if it is a declaration.
    Predicate getPredicate() const;
  };

  struct Answer {
    Verdict verdict = Verdict::Unknown;
    bool isLookedUp = false, isProved = false; ///< was it asked of the store; was a proof tried?
    bool isOpen = false;                       ///< do points show both answers?
  };
  /// Whether a maximum is one of its operands, by less effort than a question has, and the work that it took.
  struct Equality {
    bool isProved = false;
    uint64_t cost = 0;
  };
  /// Its kind, and its sides.
  using Comparison = std::tuple<unsigned, const ExprNode *, const ExprNode *>;
  using Words = llvm::SmallVector<uintptr_t, 8>;
  /// What a store has answered since its last fact.
  struct Memory {
    llvm::DenseMap<Comparison, Answer> comparisons; ///< of sides as they are spelled
    std::map<Words, Answer> verdicts;               ///< of what is no comparison
    llvm::DenseMap<std::pair<Expr, Expr>, Equality> equalities;
  };

  /// What a question is asked of, and how it is put there.
  struct Known {
    FactStore &store;
    Witnesses &witnesses;
    NamedFacts *names; ///< null where names are as given
    Memory &memory;
    std::shared_ptr<NamedFacts::Work> work = {};
    Expr getInside(Expr expr) const { return names ? names->getInside(expr) : expr; }
    Expr getOutside(Expr expr) const { return names ? names->getOutside(expr) : expr; }
    /// A question under its names.
    Predicate getInside(const Predicate &predicate) const;
  };

  struct Region;
  /// Facts by their places, and declared symbols.
  using RegionKey = std::pair<std::vector<unsigned>, std::vector<const Atom *>>;
  /// Parts of what is known that questions are asked of, a few of which are kept for the next questions.
  class Regions {
  public:
    /// What knows that part; `tell` adds it where it is not known yet.
    Region &get(SymbolicContext::Impl &context, RegionKey key, llvm::function_ref<void(NamedFacts &names)> tell);
    void clear() { regions.clear(); }

  private:
    std::map<RegionKey, std::shared_ptr<Region>> regions;
    unsigned count = 0; ///< that were made
  };
  /// Some of the facts: those that hang together with a question, the nearest of them, or those that say something of
  /// it.
  struct Region {
    Region(SymbolicContext::Impl &context, unsigned number) : names(context), number(number) {}
    NamedFacts names;
    Memory memory;
    Regions parts;
    unsigned number; ///< of those that were made before
  };

  explicit Impl(SymbolicContext &context)
      : context(context), store(context.getImpl()), differences(context.getImpl()), named(context.getImpl()),
        index(context.getImpl()), checkpoint(context.getImpl()) {
    store.keepMostUsed();
    checkpoint.keepMostUsed();
  }

  bool add(Entry entry);
  /// Tells what answers as long as facts are few. Does the entry only name a size that others lead to?
  bool tellNamed(const Entry &entry);
  /// Of facts that are few, whatever their order; the last one is among them.
  bool areContradictory(const Entry &last);
  /// Does one of few facts, the last one among them, divide by what linear equations say is 0? Those say no less where
  /// there are more facts, so that it makes no difference which was the last.
  bool dividesByZero(const Entry &last);
  /// Does one of few facts contradict what is declared, whatever the others say?
  bool isRefutedAlone(const Predicate &fact);
  /// Does one of very few facts, the last one among them, contradict what all others say together? Each is asked of
  /// them, so that it makes no difference which was the last.
  bool contradictsOthers(const Entry &last);
  /// Tells the store the facts up to that place of the log.
  void applyWaiting(size_t end);
  void keepCheckpoint();
  /// Is it the first declaration of a symbol that is no size, while facts may have led to something since it was one by
  /// default?
  bool takesBackSize(const Entry &declaration) const;
  /// Is nothing known of a symbol but a range, which was declared? No where that is not easy to see.
  bool isFree(Expr symbol) const;
  /// Tells the store all facts as if symbols had been declared before them.
  bool tellAgain(const Entry &declaration);
  Verdict decide(const Predicate &predicate);
  /// Where a side left 64 bits: by what is joined with it, as far as that suffices.
  Verdict decideIncomplete(const Predicate &predicate);
  /// What was not asked before.
  Verdict find(const Predicate &predicate);
  /// The part of several that tells what they say together, where of all others what a symbol is known to be tells it
  /// at once: `q` of `q and s >= 0`.
  std::optional<Predicate> findOnlyPart(const Predicate &joined);
  /// What is found by what facts leave of it. An answer is kept if it was looked for with all effort.
  Verdict findByRest(const Predicate &predicate, unsigned fuelOfAttempt);
  /// Of few facts. Others may take from the effort without saying anything of the question, so some are asked alone.
  Verdict decideAmongFew(const Predicate &predicate, unsigned fuelOfAttempt);
  /// Of what nothing else decides: by places in rows, or, of a comparison, with sizes in place of quotients.
  Verdict decideByOtherForms(const std::optional<Known> &known, const Predicate &contracted, unsigned fuel);
  Verdict decideContradiction();
  /// Of a predicate with the names that are known, which was given with others. What a look does not tell may be proved
  /// elsewhere.
  Verdict decide(Known &known, const Predicate &predicate, const Predicate &given, unsigned fuelOfAttempt,
                 llvm::function_ref<std::optional<Verdict>()> proveElsewhere = {});
  /// Does it hold at each of few points at which products are what facts say they are? Few parts are asked one by one.
  Verdict decideWhereProductsAre(Known &known, const Predicate &predicate, unsigned fuel);
  /// What is found by what facts leave of a question, as far as it is right where that has no value.
  Verdict keepWithoutValues(Verdict verdict, const Predicate &predicate);
  /// By equations, by all facts that hang together with the question if they are few, else by walks along all and by
  /// the nearest. None of that depends on what facts led to in the order in which they came.
  Verdict decideAmongMany(const Predicate &predicate, unsigned fuelOfAttempt);
  /// The same of a question that equations say no more of.
  Answer decideContracted(const Predicate &predicate, unsigned fuelOfAttempt);
  /// Do points of all facts show both answers? Then there is nothing to prove, in whichever order facts came.
  bool isLeftOpen(const Predicate &predicate);
  /// Of these, which are near it.
  Verdict decideNear(const Predicate &predicate, llvm::ArrayRef<unsigned> facts, unsigned fuelOfAttempt);
  /// By broadcasts as they were told.
  Verdict decideByBroadcasts(const Predicate &predicate);
  /// What knows the range of an expression best, with fresh fuel, and the expression there.
  std::pair<Known, Expr> askRange(Expr expr);
  /// Of what is asked, by the same ways.
  Interval getRange(Expr expr);
  /// Is its lower end at least that without a look at cases, or at walks?
  bool isSeenAtLeast(Expr expr, int64_t bound);
  /// In the terms in which it is asked.
  Expr contract(Expr expr) { return named.areFew() ? named.contract(expr) : index.getEquations().contract(expr); }
  Predicate contract(const Predicate &predicate) {
    return named.areFew() ? named.contract(predicate) : index.getEquations().contract(predicate);
  }
  static Answer &getAnswer(Memory &memory, const Predicate &predicate);
  /// `isSearched`: also by a search for values that is made for it alone.
  static bool apply(FactStore &store, const Entry &entry, bool isSearched = true);
  /// A fact that contradicts the first ones of the log.
  struct Refusal {
    Entry entry;
    size_t known;
    llvm::SmallVector<DifferenceGraph::FactId> walk; ///< facts that refuse it, where a walk along them does
  };
  Conflict explain(const Refusal &refusal);
  ExplainStep getStep(const Entry &entry) const { return {entry.str(), reasons[entry.reason]}; }
  std::vector<ExplainStep> getSteps(llvm::ArrayRef<DifferenceGraph::FactId> facts) const;

  /// What knows all facts that have to do with the symbols, with fresh fuel for a question.
  Known ask(llvm::ArrayRef<Expr> symbols);
  /// What knows those of them that are near, if they are not few.
  Known askNearest(llvm::ArrayRef<Expr> symbols);
  /// Facts that were found near the symbols.
  Region &getNear(llvm::ArrayRef<Expr> symbols, llvm::ArrayRef<unsigned> facts);
  /// Nothing if it finds that they contradict each other.
  std::optional<Known> askNear(llvm::ArrayRef<Expr> symbols, llvm::ArrayRef<unsigned> facts) {
    return ask(getNear(symbols, facts));
  }
  /// The same of those of them that say something of the symbols.
  std::optional<Known> askNeeded(llvm::ArrayRef<Expr> symbols, llvm::ArrayRef<unsigned> facts);
  /// The same of some of the facts, by their places.
  std::optional<Known> askSome(NamedFacts &facts, Regions &parts, llvm::ArrayRef<Expr> symbols,
                               std::vector<unsigned> places);
  static std::optional<Known> ask(Region &region);
  /// Takes in what is new in the log.
  void updateIndex();
  /// The same of declarations alone.
  void indexDeclarations();

  SymbolicContext &context;
  FactStore store;             ///< told the first facts of the log as they came
  size_t applied = 0;          ///< so many
  DifferenceGraph differences; ///< knows them by their places in the log
  NamedFacts named;            ///< what answers as long as facts are few
  TrialPoints trialPoints;     ///< of the facts, as long as they are few
  Witnesses witnesses;
  // Answers since the last fact.
  LeftBehind<llvm::DenseMap<Expr, Interval>> ranges;
  LeftBehind<llvm::DenseMap<Expr, Expr>> simplified;
  LeftBehind<Memory> memory;
  LeftBehind<llvm::DenseMap<Comparison, Verdict>> answers; ///< of sides as asked
  LeftBehind<std::map<Words, Verdict>> compoundAnswers;    ///< of what is no comparison, as asked
  const Equality &getEquality(Known &known, Expr lhs, Expr rhs);
  // Once facts are many.
  FactIndex index;
  size_t indexed = 0,
         indexedDeclarations = 0; ///< entries of the log that were looked at for facts and for declarations
  unsigned indexedVersion = 0;    ///< of the index, when regions were made
  Regions regions;                ///< of many facts, or of few ones since the last
  BroadcastIndex broadcasts;
  PagedMap<Expr, SymbolFacts> declared;
  PagedMap<Expr, bool> assumedSizes; ///< symbols that facts mentioned before they were declared, if they were
  size_t declarations = 0;           ///< in the log
  PagedList<Entry, 8> log;
  /// The store as it was after the first facts of the log, to go back to when one is refused.
  FactStore checkpoint;
  size_t checkpointed = 0;
  uint64_t workSinceCheckpoint = 0; ///< that of telling the facts since then again
  PagedList<Reason, 8> reasons;
  std::optional<Refusal> refusal;   ///< the last one
  std::optional<Conflict> conflict; ///< what explains it, if it was asked for
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_SOLVERIMPL_H

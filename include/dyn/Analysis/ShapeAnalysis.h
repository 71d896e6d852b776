//===- Ranks, dims and small values of a function's tensors -------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_SHAPEANALYSIS_H
#define DYN_ANALYSIS_SHAPEANALYSIS_H

#include "dyn/Analysis/KnownValues.h"
#include "dyn/Analysis/UnknownSizes.h"
#include "dyn/Dialect/Dyn/IR/Aliases.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace dyn {

struct ConditionEnd;

/// An obligation that facts do not prove, so that it is checked before the first kernel.
struct ShapeGuard {
  symbolic::Predicate predicate;
  std::string because;
  mlir::Location loc;
  bool isOfAllRuns = false; ///< in a region: of runs, too, that do not come to it
};

/// How often a loop is run, where nothing but what is known at entry decides that, and the needs of its body that hold
/// of no more than what is known there.
struct CountedLoop {
  symbolic::Expr trips;
  llvm::SmallVector<ShapeGuard> needs;
};

/// The branch of a `dyn.if` that every run has to take, and the node that refuses what the other one gives, if it is
/// one.
struct ForcedBranch {
  bool taken;
  std::optional<mlir::Location> refusal;
};
/// Why a run must meet the condition of the branch.
std::string describeForced(const ForcedBranch &branch);
using ForcedBranches = llvm::DenseMap<mlir::Operation *, ForcedBranch>;

/// Infers, forwards and backwards, the dims of all tensors of a function of one block as expressions over its symbols,
/// the elements of small integer tensors, the intervals of others, and the guards that this relies on. The function is
/// not changed.
///
/// A region of `dyn.if` or `dyn.loop` knows what is known around it; what it learns and relies on holds there only. Its
/// values may keep dims that are not known.
///
/// Facts are what `dyn.symbols`, `dyn.constraints` and the `dyn.require` ops of the function say. Obligations of ops
/// (ShapeRelationsOpInterface) that these imply cost nothing; others become guards, and facts for everything else.
class ShapeAnalysis final : public ShapeRelations {
public:
  enum class Mode {
    Complete, ///< all or nothing: run() fails where an op contradicts what is known, or a dim can't be found
    Open,    ///< for those who run op by op: dims that can't be found before the run get symbols, which data determine,
             ///< and ranks may stay unknown
    Partial, ///< for those who ask for what can be known: as Open, but ops that contradict what is known are reported
             ///< and left out
  };
  explicit ShapeAnalysis(mlir::FunctionOpInterface function, Mode mode = Mode::Complete);

  /// Asked for ops that have no relations of their own.
  using Relate = std::function<mlir::LogicalResult(mlir::Operation *, ShapeRelations &)>;
  void setForeignRelations(Relate relate) { relateForeign = std::move(relate); }
  /// Takes it for true, without a guard, that what comes out of a sequence or an optional of which nothing is known has
  /// the rank that is declared: for those who ask only for sizes.
  void trustDeclaredRanks() { trustsDeclaredRanks = true; }

  /// Requires the conditions of these branches, as far as sizes decide them, in place of asking for both.
  void forceBranches(ForcedBranches branches) { forced = std::move(branches); }

  /// Fails, after diagnostics, where obligations contradict facts, or, in complete mode, the rank or a dim of a tensor
  /// can't be found; in partial mode where the function's own facts contradict each other.
  mlir::LogicalResult run();

  //===--- Answers, after run() ---===//

  /// The dims of a value under all facts: every dim is known, and within the budget of expressions.
  Dims getFinalDims(mlir::Value value);
  /// The same of a partial analysis: nothing where the rank is not known, null for a dim that is not. With
  /// `keepsBound`, a symbol that the op binds stays, even where facts make another size of it.
  std::optional<Dims> findFinalDims(mlir::Value value, bool keepsBound = false);
  /// Does an op give this symbol its value?
  bool bindsSymbol(mlir::Operation *op, symbolic::Expr symbol) const;
  /// The symbols of the sizes, or of the number of trips, that a region op decides.
  llvm::SmallVector<symbolic::Expr> getBoundSymbols(mlir::Operation *op) const;
  /// The symbol of the number of a loop's trip; null if it has none.
  symbolic::Expr getTripSymbol(mlir::Operation *op) const { return tripSymbols.lookup(op); }
  /// Did it come to a `dyn.if`?
  bool hasBranches() const { return !branches.empty(); }
  /// Which branch every run takes, if facts decide that.
  std::optional<bool> getTakenBranch(IfOp op) const {
    auto taken = takenBranches.find(op);
    return taken == takenBranches.end() ? std::nullopt : std::optional(taken->second);
  }
  /// What forceBranches() made a need of; null for other branches.
  const symbolic::Predicate *getForcedCondition(IfOp op) const {
    auto condition = forcedConditions.find(op);
    return condition == forcedConditions.end() ? nullptr : &condition->second;
  }
  /// Do sizes that are known at entry choose between values of known, different ranks?
  bool givesDifferentRanks(IfOp op);
  /// Where sizes that are known at entry choose the branch, and one gives other dims than what stands behind it needs:
  /// the other one.
  std::optional<ForcedBranch> findFittingBranch(IfOp op);
  /// Where a block contradicts what is known around it, or one around it does, so that it is never run.
  std::optional<mlir::Location> findRefusal(mlir::Block *block) const;
  /// The number of a loop's trips, if it is known, and the same each time that the loop is run.
  std::optional<int64_t> getKnownTrips(LoopOp op) const;
  /// Nothing where data decide, or the body needs what differs between trips.
  std::optional<CountedLoop> findCounted(LoopOp op);
  /// Calls `ask`, which gets the answers that hold in each trip of a loop; does nothing if there is none.
  void askInside(LoopOp op, llvm::function_ref<void()> ask);
  /// The elements of a value under all facts, if all of them are known integers or decided booleans.
  std::optional<ElementValues> getFinalElements(mlir::Value value);
  /// `expr` under all facts.
  symbolic::Expr simplify(symbolic::Expr expr) { return root.solver.simplify(expr); }
  /// Those of the function, not of its regions.
  llvm::ArrayRef<ShapeGuard> getGuards() const { return root.guards; }
  /// All symbols: those that were declared, and those that inference made.
  llvm::ArrayRef<symbolic::SymbolDeclaration> getSymbols() const { return symbols; }
  /// What the names stand for that inputs do not declare: `total == past + seq`.
  llvm::SmallVector<Alias> getAliases();
  /// Ops whose indices are all proved to be inside.
  bool isInBounds(mlir::Operation *op) const { return inBounds.contains(op); }
  /// The symbol that bindSize gave the op; null if it gave none.
  symbolic::Expr getBoundSize(mlir::Operation *op) const { return boundSizes.lookup(op); }
  /// What the symbol of a size that data determine was found to lie between when it was made.
  SizeLimits getSizeLimits(symbolic::Expr symbol) const { return sizeLimits.lookup(symbol); }
  /// Lets zeros that were computed be sizes like others (`allow_zero`) in reshapes where they copy another dim in such
  /// runs only as ONNX refuses at some op. True if there are some of which only later ops told that: another analysis
  /// finds simpler dims.
  bool dropNeedlessCopies();

  //===--- ShapeRelations ---===//

  symbolic::Solver &getSolver() override { return scope->solver; }
  const Dims *findDims(mlir::Value value) override;
  mlir::LogicalResult setDims(mlir::Value value, llvm::ArrayRef<symbolic::Expr> dims) override;
  symbolic::Expr bindSize(mlir::Operation *op, symbolic::Expr upper) override;
  symbolic::Expr defineSymbol(symbolic::Expr definition) override;
  bool areKnownAtEntry(llvm::ArrayRef<symbolic::Expr> exprs) override;
  mlir::LogicalResult require(const symbolic::Predicate &predicate, const llvm::Twine &because,
                              ReasonPlace place = ReasonPlace::BehindName) override;
  mlir::LogicalResult requireAtEntry(const symbolic::Predicate &predicate, const llvm::Twine &because,
                                     ReasonPlace place = ReasonPlace::BehindName) override;
  bool isInRegion() const override { return scope != &root; }
  void noteRule(const symbolic::Predicate &predicate) override;
  mlir::LogicalResult requireBesideRules(const symbolic::Predicate &predicate, const llvm::Twine &because) override;
  void noteNeedOfCopies(const symbolic::Predicate &predicate) override;
  bool areCopiesNeedless(mlir::Operation *op) const override { return needlessCopies.contains(op); }
  void noteLimit(symbolic::Expr size, symbolic::Expr wanted, const llvm::Twine &because) override;
  void refineLimit(symbolic::Expr size, const llvm::Twine &because) override;
  std::optional<Dims> getDeclaredDims(mlir::Value value) override;
  const ElementValues *findElements(mlir::Value value) override;
  void setElements(mlir::Value value, ElementValues elements) override;
  Bounds getBounds(mlir::Value value) override;
  void setBounds(mlir::Value value, Bounds bounds) override;
  void setInBounds() override {
    // What an analysis of a region takes for granted, the next one may not.
    if (scope == &root)
      inBounds.insert(current);
  }
  bool decidesSizes(mlir::Value value) const override { return deciding.contains(value); }
  bool maySettle() const override { return isSettling; }

private:
  using Knowledge = ValueKnowledge;

  /// A size that is `wanted` unless something that `because` names is too small.
  struct Limit {
    symbolic::Expr wanted;
    std::string because;
    mlir::Location loc;
  };

  /// What is known in a block beyond what is known around it.
  struct Scope {
    Scope(Scope *parent, symbolic::Solver solver) : parent(parent), solver(std::move(solver)) {}

    Scope *parent;
    symbolic::Solver solver;
    mlir::Block *block = nullptr;
    KnownValues knowledge;
    llvm::SmallVector<symbolic::Predicate> facts; ///< of the solver, as they were given to it
    llvm::SmallVector<ShapeGuard> guards;
    llvm::SetVector<mlir::Operation *> worklist;
    llvm::SmallVector<mlir::Operation *, 0> open;   ///< in order: ops with regions, or dims that types do not tell
    bool isFirstPass = false;                       ///< over all ops, in order
    llvm::SmallDenseSet<symbolic::Expr> ownSymbols; ///< of which nothing outside may speak
  };
  bool isComplete() const { return mode == Mode::Complete; }
  bool isPartial() const { return mode == Mode::Partial; }
  mlir::LogicalResult declareSymbols();
  mlir::LogicalResult addFact(const symbolic::Predicate &predicate, const llvm::Twine &because, mlir::Location loc);
  /// Takes over what was required elsewhere, unless what is known implies it.
  mlir::LogicalResult addGuard(ShapeGuard guard);
  /// What a value's type says; dynamic dims of arguments without an expression get symbols.
  mlir::LogicalResult initialize(mlir::Value value);
  /// No input has a dim below 0: where one is declared as `2 * s - 1`, `s` is at least 1.
  mlir::LogicalResult tellSizes(mlir::BlockArgument argument, llvm::ArrayRef<symbolic::Expr> dims);
  /// What the ops of the function and its regions are, before anything is known of them.
  void survey();
  /// Elements of integer inputs that decide dims become symbols; `deciders` are what ops read dims from.
  void nameInputElements(llvm::SmallVector<mlir::Value> deciders);
  void addElementSymbols(mlir::BlockArgument argument);
  const Knowledge *find(mlir::Value value) const { return find(*scope, value); }
  /// Changes hold in the current scope.
  Knowledge &change(mlir::Value value);
  /// The innermost scope that there is for the block of a value.
  Scope &getScope(mlir::Value value);
  mlir::LogicalResult relate(mlir::Operation *op);
  mlir::LogicalResult relateAll(llvm::ArrayRef<mlir::Operation *> ops);
  mlir::LogicalResult relatePending();
  /// In the order of the current scope's ops: asks ops for ranks that nothing determines, and gives symbols to dims
  /// that region ops decide.
  mlir::LogicalResult settle();
  mlir::LogicalResult bindUnknownDims();
  /// See trustDeclaredRanks; for an op whose relations tell no rank.
  mlir::LogicalResult relateDeclaredRank(mlir::Operation *op);
  /// What is declared, and the rules; nothing where these contradict each other.
  std::optional<symbolic::Solver> makeRuled();
  /// Requires what the rules do not imply.
  mlir::LogicalResult requireRemaining();
  /// Says behind the reasons of guards which dims their abbreviations and sizes from data are.
  void tellSymbolsOfGuards();

  //===--- Regions ---===//

  /// What is known of a loop once its body is analysed.
  struct LoopFacts {
    Scope *body = nullptr;      ///< null if it is never run
    symbolic::Expr limit;       ///< of the number of trips; null if none is known
    bool areLimitsKnown = true; ///< but for what the condition says
    bool runsToLimit = false;
    /// Of each carried value, where its rank stays the same: the dims behind the loop for a number of trips.
    struct Carried {
      Dims initial, inTrip, step; ///< a null step: the dim changes in another way than by a step
    };
    llvm::SmallVector<std::optional<Carried>> carried;
    /// Of each carried value: the line that it is over the trip's number; nulls if it is no integer, or no line.
    struct Counter {
      symbolic::Expr initial, step;
      std::optional<int64_t> exactLimit; ///< up to which the floats hold it that each trip adds the step in
    };
    llvm::SmallVector<Counter> counters;
  };

  /// States all that is known of a block in a scope of its own. `enter` states what holds at its start; where it fails,
  /// or the ops contradict it, the block is never run, and there is no scope.
  Scope *relateBlock(mlir::Block &block, llvm::function_ref<bool(Scope &)> enter);
  void forgetScopes(mlir::Block &block);
  /// All ops of the current scope's block, until nothing new is learnt.
  mlir::LogicalResult relateScope();
  /// Those of a block that is never run.
  mlir::LogicalResult emitProblem();
  mlir::LogicalResult relateIf(IfOp op);
  /// The truth of a condition, which is required where the branch is forced.
  mlir::FailureOr<std::optional<bool>> decide(IfOp op, const ElementValue &condition);
  /// States in the scope of a branch what its condition tells.
  mlir::LogicalResult learnCondition(IfOp op, bool truth);
  mlir::LogicalResult adoptGuards(Scope &inner);
  /// What a region requires of all runs, its surroundings do, but for runs of which `unless` holds, if it is known at
  /// entry: these do not come to it. Asked at last, since an earlier look at a region may have taken more for granted.
  mlir::LogicalResult adoptGuardsOfAllRuns(Scope &inner, const std::optional<symbolic::Predicate> &unless);
  /// Lets the surroundings of a branch that every run takes speak of its sizes.
  void adoptSymbols(Scope &inner);
  mlir::LogicalResult relateLoop(LoopOp op);
  /// Analyses the body of a loop for carried values of these dims in a trip.
  Scope *relateBody(LoopOp op, const LoopFacts &facts);
  void findCarried(LoopOp op, LoopFacts &facts);
  bool weakenCarried(LoopOp op, LoopFacts &facts);
  /// With `mayGuess`, steps are tried that are known at first only.
  void findSteps(LoopOp op, LoopFacts &facts, bool mayGuess = true);
  void findCounters(LoopOp op, LoopFacts &facts);
  /// May a counter of this width wrap around in one of the trips?
  bool mayWrap(LoopOp op, const LoopFacts &facts, unsigned width);
  /// Requires, if it is not known, that floats hold all values of the counters that go through them. False, and
  /// nothing is required, where that is impossible or not every run comes to the loop.
  bool requireExact(const LoopFacts &facts);
  /// As relateTrips, without those counters that may wrap around, or that floats may not hold. That they hold them may
  /// become a guard.
  void relateCounted(LoopOp op, std::optional<bool> starts, LoopFacts &facts);
  /// All that the body tells, of which nothing is known yet.
  void relateTrips(LoopOp op, std::optional<bool> starts, LoopFacts &facts);
  /// What a condition says of the number of trips; `trip` stands for the number of the one that it is computed in.
  std::optional<ConditionEnd> findEnd(mlir::Value condition, symbolic::Expr trip);
  /// Is the loop started where `count` is positive, and nowhere else?
  bool startsBelow(LoopOp op, symbolic::Expr count);
  /// Limits the number of trips by what the body's condition says of it.
  void limitByCondition(LoopOp op, std::optional<bool> starts, LoopFacts &facts);
  /// States what results of region ops are. Dims that nothing tells get symbols if `settles`.
  mlir::LogicalResult conclude(IfOp op, bool settles);
  mlir::LogicalResult conclude(LoopOp op, bool settles);
  /// Is the dim one size, which a symbol can stand for? Those of the tensors of a sequence may differ.
  static bool isOneSize(mlir::Value value, unsigned dim);
  /// The first guard about one of its symbols.
  std::optional<mlir::Location> findNeed(symbolic::Expr size);
  /// Does the dim of a result want a symbol?
  bool isOpen(mlir::Value result, unsigned dim);
  symbolic::Expr getTripCount(LoopOp op, const LoopFacts &facts, bool settles);
  mlir::LogicalResult concludeCarried(LoopOp op, unsigned index, symbolic::Expr trips, bool settles);
  /// What is known of integers behind the loop.
  void concludeElements(LoopOp op, unsigned index, symbolic::Expr trips);
  mlir::LogicalResult concludeStack(LoopOp op, unsigned index, symbolic::Expr trips, bool settles);
  mlir::LogicalResult settleRegion(mlir::Operation *op);
  symbolic::Expr joinDims(IfOp op, mlir::OpResult result, unsigned dim, symbolic::Expr whenTrue,
                          symbolic::Expr whenFalse, bool settles);
  ElementValue joinElement(IfOp op, const ElementValue &whenTrue, const ElementValue &whenFalse);
  void joinElements(IfOp op, mlir::OpResult result);
  /// States between which ends the elements of an integer tensor lie, whichever branch gives it.
  void joinBounds(IfOp op, mlir::OpResult result);
  /// The symbol of a size that a region op decides, or without a value of its number of trips: the same one each time.
  /// `facts` hold in the current scope, `declared` wherever it has a value.
  symbolic::Expr getRegionSymbol(mlir::Operation *op, mlir::Value value, unsigned dim, llvm::StringRef prefix,
                                 const symbolic::SymbolFacts &facts, symbolic::SymbolFacts declared = {});
  /// `expr` as outside of a scope of the current scope; null if that is not possible.
  symbolic::Expr getOutside(Scope &inner, symbolic::Expr expr);
  const Knowledge *find(Scope &from, mlir::Value value) const;
  std::optional<bool> getTruth(mlir::Value condition);
  using ShapeRelations::getTruth;

  /// The expressions of an attribute.
  Dims readDims(DimsAttr attribute);
  /// How what a model declares of its outputs is met; see `dyn.declared`.
  mlir::LogicalResult checkDeclaredDims();
  /// `describe` says of which value.
  using Describe = llvm::function_ref<std::string()>;
  mlir::LogicalResult checkDeclaredDims(mlir::Value value, llvm::ArrayRef<symbolic::Expr> declared,
                                        llvm::StringRef mode, Describe describe);
  mlir::LogicalResult checkDeclaredDim(mlir::Value value, unsigned index, symbolic::Expr declared, llvm::StringRef mode,
                                       Describe describe);
  /// Keeps in which way what is declared differs from what is inferred.
  void noteDifference(mlir::Location loc, const std::string &what, const llvm::Twine &difference);
  /// Warns of each difference once.
  void tellDifferences();
  void addAlias(symbolic::Expr name, symbolic::Expr inferred, mlir::Location loc, Describe describe);
  mlir::LogicalResult verifyComplete();
  /// `refused`, which nobody has declared, is told with the operands of the op that needs it.
  mlir::LogicalResult emitConflict(const llvm::Twine &text, mlir::Location loc,
                                   const symbolic::Predicate *refused = nullptr);
  /// The limit that the predicate says is not reached; null if it says something else.
  const Limit *findLimit(const symbolic::Predicate &predicate);
  /// Name of an argument for symbols that are made from it.
  std::string getInputName(unsigned index);
  symbolic::Expr createSymbol(symbolic::SymbolDeclaration declaration, symbolic::SymbolClass symbolClass,
                              const llvm::Twine &reason);
  /// Keeps the declaration of a symbol that has none yet.
  symbolic::SymbolDeclaration &addDeclaration(symbolic::Expr symbol, symbolic::SymbolDeclaration declaration);
  /// Keeps whether data determine what a symbol is defined as.
  void noteDefinition(symbolic::Expr symbol, symbolic::Expr definition);
  /// Null for a symbol that is declared nowhere.
  symbolic::SymbolDeclaration *findDeclaration(symbolic::Expr symbol);
  /// What to declare of a symbol that is one of these sizes: what follows from other declarations alone. Of what a
  /// guard makes true, the guard would be dropped as implied; what a condition makes true does not hold where it does
  /// not.
  symbolic::SymbolFacts describeUnguarded(llvm::ArrayRef<symbolic::Expr> sizes);
  /// What has become known of a symbol that may be among the declarations that are told already.
  void tellUnguarded(symbolic::Expr symbol);
  /// A size that an op finds in data.
  symbolic::Expr createBoundSymbol(mlir::Operation *op, const SizeLimits &limits);
  /// States limits of a symbol that an op gives its value.
  void limitSize(mlir::Operation *op, symbolic::Expr symbol, const SizeLimits &limits);
  /// Will the pass over all ops come to the op anyway?
  bool isAhead(mlir::Operation *op) const { return scope->isFirstPass && current && current->isBeforeInBlock(op); }
  /// Ops that know something of the value ask again.
  void revisit(mlir::Value value);

  mlir::FunctionOpInterface function;
  Mode mode;
  Relate relateForeign;
  bool trustsDeclaredRanks = false;
  llvm::SmallPtrSet<mlir::Operation *, 4> leftOut; ///< ops that contradict the rest, in partial mode
  symbolic::SymbolicContext context;
  Scope root;
  Scope *scope = &root;
  llvm::DenseMap<mlir::Block *, std::unique_ptr<Scope>> scopes; ///< of regions
  llvm::DenseMap<mlir::Operation *, std::array<Scope *, 2>> branches;
  llvm::DenseMap<mlir::Operation *, bool> takenBranches;
  ForcedBranches forced;
  llvm::DenseMap<mlir::Operation *, symbolic::Predicate> forcedConditions;
  llvm::DenseMap<mlir::Block *, mlir::Location> refusals; ///< of blocks that are never run
  llvm::DenseMap<mlir::Operation *, LoopFacts> loops;
  llvm::DenseMap<std::tuple<mlir::Operation *, mlir::Value, unsigned>, symbolic::Expr> regionSymbols;
  /// The formulas of those symbols of `regionSymbols` that stand for the size behind a `dyn.if` that sizes decide.
  symbolic::Substitution chosenSizes;
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<symbolic::Expr>> symbolsOfRegions;
  llvm::DenseMap<mlir::Operation *, symbolic::Expr> tripSymbols;
  std::optional<std::pair<mlir::Location, std::string>> problem; ///< of the last block that is never run
  unsigned numBlockVisits = 0;
  llvm::DenseMap<symbolic::Expr, Limit> limits; ///< by the size
  llvm::SmallVector<symbolic::Predicate> rules;
  llvm::SmallVector<ShapeGuard> besideRules; ///< what is required unless the rules imply it
  llvm::MapVector<ReshapeToOp, symbolic::Predicate> needsOfCopies;
  llvm::SmallSetVector<mlir::Operation *, 4> needlessCopies; ///< reshapes
  llvm::SmallVector<symbolic::SymbolDeclaration> symbols;
  llvm::DenseMap<symbolic::Expr, size_t> symbolPlaces; ///< in `symbols`
  size_t numDeclared = 0;                              ///< the first ones are those of the function
  std::optional<symbolic::Solver> unguarded;           ///< knows the first `numUnguarded` declarations, and no guard
  size_t numUnguarded = 0;
  llvm::SmallVector<mlir::Location> reasonLocations; ///< by client number of a reason
  llvm::DenseMap<symbolic::Expr, symbolic::Expr> definitions;
  llvm::SmallDenseSet<symbolic::Expr> definedByData;         ///< symbols with definitions that are not known at entry
  llvm::DenseMap<mlir::Attribute, symbolic::Expr> readExprs; ///< of attributes: reading a text is dear
  struct Difference {
    mlir::Location loc; ///< of the first value
    std::string what;   ///< "is declared as 3, but is n"
    llvm::SmallVector<std::string> values;
  };
  std::vector<Difference> differences;
  llvm::StringMap<size_t> differencePlaces; ///< in `differences`, by what is told
  struct NamedSize {
    symbolic::Expr size;
    std::string what, where;
  };
  llvm::MapVector<symbolic::Expr, NamedSize> aliases; ///< sizes by the names that the model gives them
  llvm::DenseMap<mlir::Operation *, symbolic::Expr> boundSizes;
  llvm::DenseMap<symbolic::Expr, SizeLimits> sizeLimits;
  llvm::SmallPtrSet<mlir::Operation *, 16> inBounds;
  llvm::SmallPtrSet<mlir::Value, 32> deciding; ///< values whose elements may decide sizes
  mlir::Operation *current = nullptr;
  bool isSettling = false;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<RequireOp>> required; ///< what holds in a block from its start
  bool hasSequences = false;                                            ///< or optionals, in regions too
  llvm::SmallVector<mlir::Operation *, 0> declaring; ///< ops whose results the model declares the dims of
};

} // namespace dyn

#endif // DYN_ANALYSIS_SHAPEANALYSIS_H

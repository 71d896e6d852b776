//===- Branches that the ops behind them decide ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ForcedBranches.h"
#include "ControlOperands.h"
#include "dyn/Dialect/Dyn/IR/ThreadDiagnostics.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// Each branch that is tried costs two analyses of the function.
static constexpr unsigned kMaxTrials = 32;

/// Are there branches that might give different ranks?
static bool mayHaveForcedBranches(FunctionOpInterface function) {
  return function.getFunctionBody()
      .walk([](IfOp op) {
        return llvm::any_of(op->getResultTypes(), llvm::IsaPred<UnrankedTensorType>) ? WalkResult::interrupt()
                                                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

/// Analyses of one function with branches taken for granted.
class Trials {
public:
  Trials(FunctionOpInterface function, llvm::function_ref<void(ShapeAnalysis &)> prepare)
      : function(function), prepare(prepare) {}

  /// Null where the function contradicts itself; `refused` is where.
  std::unique_ptr<ShapeAnalysis> analyze(const ForcedBranches &forced, std::optional<Location> &refused) {
    auto analysis = std::make_unique<ShapeAnalysis>(function, ShapeAnalysis::Mode::Open);
    analysis->forceBranches(forced);
    if (prepare)
      prepare(*analysis);
    ThreadDiagnostics silence(function.getContext(), [&](Diagnostic &diagnostic) {
      if (!refused && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        refused = diagnostic.getLocation();
      return success();
    });
    if (failed(analysis->run()))
      return nullptr;
    refused.reset();
    return analysis;
  }

  /// Where the branch meets an op that it does not fit; nothing if it may be taken.
  std::optional<Location> findRefusal(IfOp op, bool taken, ForcedBranches forced) {
    forced.insert({op, {taken, op.getLoc()}});
    std::optional<Location> refused;
    std::unique_ptr<ShapeAnalysis> analysis = analyze(forced, refused);
    // What contradicts itself in a region says that the region is not run.
    return analysis ? analysis->findRefusal(op->getBlock()) : refused;
  }

private:
  FunctionOpInterface function;
  llvm::function_ref<void(ShapeAnalysis &)> prepare;
};

} // namespace

ForcedBranches dyn::findForcedBranches(FunctionOpInterface function,
                                       llvm::function_ref<void(ShapeAnalysis &)> prepare) {
  ForcedBranches forced;
  if (!mayHaveForcedBranches(function))
    return forced;
  Trials trials(function, prepare);
  llvm::SmallPtrSet<Operation *, 8> open;
  for (unsigned count = 0; count < kMaxTrials; ++count) {
    std::optional<Location> refused;
    std::unique_ptr<ShapeAnalysis> analysis = trials.analyze(forced, refused);
    if (!analysis)
      break;
    // The first one: what it gives may decide later ones.
    IfOp op;
    function.getFunctionBody().walk<WalkOrder::PreOrder>([&](IfOp candidate) {
      if (open.contains(candidate) || !analysis->givesDifferentRanks(candidate))
        return WalkResult::advance();
      op = candidate;
      return WalkResult::interrupt();
    });
    if (!op)
      break;
    std::optional<Location> withThen = trials.findRefusal(op, true, forced);
    std::optional<Location> withElse = trials.findRefusal(op, false, forced);
    if (bool(withThen) == bool(withElse))
      open.insert(op);
    else
      forced.insert({op, {!withThen, withThen ? *withThen : *withElse}});
  }
  return forced;
}

bool ShapeAnalysis::givesDifferentRanks(IfOp op) {
  auto known = branches.find(op);
  if (known == branches.end() || takenBranches.contains(op) || findRefusal(op->getBlock()))
    return false;
  auto [thenScope, elseScope] = known->second;
  if (!thenScope || !elseScope)
    return false;
  llvm::SaveAndRestore around(scope, thenScope->parent);
  ElementValue condition = getCondition(*this, op.getCondition());
  if (condition.kind != ElementValue::Kind::Boolean || !areKnownAtEntry(condition.getPredicate().getSymbols()))
    return false;
  auto getDimsIn = [&](Scope &inner, unsigned index) {
    const Knowledge *known = find(inner, inner.block->getTerminator()->getOperand(index));
    return known ? known->dims : std::nullopt;
  };
  for (unsigned index = 0; index < op.getNumResults(); ++index)
    if (isa<TensorType>(op.getResult(index).getType()))
      if (auto whenTrue = getDimsIn(*thenScope, index), whenFalse = getDimsIn(*elseScope, index);
          whenTrue && whenFalse && whenTrue->size() != whenFalse->size())
        return true;
  return false;
}

std::optional<ForcedBranch> ShapeAnalysis::findFittingBranch(IfOp op) {
  auto known = branches.find(op);
  if (known == branches.end() || takenBranches.contains(op) || findRefusal(op->getBlock()))
    return std::nullopt;
  auto [thenScope, elseScope] = known->second;
  if (!thenScope || !elseScope)
    return std::nullopt;
  llvm::SaveAndRestore around(scope, thenScope->parent);
  ElementValue condition = getCondition(*this, op.getCondition());
  if (condition.kind != ElementValue::Kind::Boolean || !areKnownAtEntry(condition.getPredicate().getSymbols()))
    return std::nullopt;
  // By what was learnt behind it, from one guard most often.
  const Predicate &predicate = condition.getPredicate();
  if (Verdict verdict = root.solver.implies(predicate); verdict != Verdict::Unknown) {
    auto tells = [&](const ShapeGuard &guard) {
      Solver alone(context);
      return alone.addPredicate(guard.predicate, alone.addReason({})) && alone.implies(predicate) == verdict;
    };
    auto guard = llvm::find_if(scope->guards, tells);
    std::optional<Location> refusal;
    if (guard != scope->guards.end())
      refusal = guard->loc;
    return ForcedBranch{verdict == Verdict::Yes, refusal};
  }
  std::optional<ForcedBranch> fitting;
  for (OpResult result : op->getResults()) {
    std::optional<Dims> needed = isa<TensorType>(result.getType()) ? findFinalDims(result) : std::nullopt;
    if (!needed)
      continue;
    for (auto [inner, other] : {std::pair(thenScope, false), std::pair(elseScope, true)}) {
      const Knowledge *given = find(*inner, inner->block->getTerminator()->getOperand(result.getResultNumber()));
      if (!given || !given->dims || given->dims->size() != needed->size())
        continue;
      for (auto [index, dim] : llvm::enumerate(*given->dims)) {
        Expr need = (*needed)[index];
        if (!dim || !need || inner->solver.isEqual(dim, need) != Verdict::No)
          continue;
        // Of both, neither is the one that fits.
        if (fitting && fitting->taken != other)
          return std::nullopt;
        if (!fitting)
          fitting = ForcedBranch{other, findNeed((*getDims(result))[index])};
      }
    }
  }
  return fitting;
}

std::optional<Location> ShapeAnalysis::findNeed(Expr size) {
  auto isAbout = [&](const ShapeGuard &guard) {
    return llvm::any_of(size.getSymbols(),
                        [&](Expr symbol) { return llvm::is_contained(guard.predicate.getSymbols(), symbol); });
  };
  auto guard = llvm::find_if(scope->guards, isAbout);
  return guard == scope->guards.end() ? std::nullopt : std::optional(guard->loc);
}

/// True if there are some that were not there before.
static bool addFittingBranches(FunctionOpInterface function, ShapeAnalysis &analysis, ForcedBranches &forced) {
  size_t before = forced.size();
  if (!analysis.hasBranches())
    return false;
  // Most ops of a large function have no regions, of which a walk looks at each.
  for (Operation &outer : function.getFunctionBody().front())
    if (outer.getNumRegions() != 0)
      outer.walk([&](IfOp op) {
        if (std::optional<ForcedBranch> fitting = analysis.findFittingBranch(op))
          forced.insert({op, *fitting});
      });
  return forced.size() != before;
}

LogicalResult dyn::forceFittingBranches(FunctionOpInterface function, const std::unique_ptr<ShapeAnalysis> &analysis,
                                        ForcedBranches &forced, llvm::function_ref<LogicalResult()> analyze) {
  // Each turn decides another branch, by the sizes of which a later one may fit no more.
  while (addFittingBranches(function, *analysis, forced))
    if (failed(analyze()))
      return failure();
  return success();
}

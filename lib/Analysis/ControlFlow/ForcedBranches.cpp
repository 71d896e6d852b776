//===- Branches that the ops behind them decide ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ForcedBranches.h"
#include "dyn/Dialect/Dyn/IR/ThreadDiagnostics.h"

using namespace mlir;
using namespace dyn;

/// Each branch that is tried costs two analyses of the function.
static constexpr unsigned kMaxTrials = 32;

bool dyn::mayHaveForcedBranches(FunctionOpInterface function) {
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
  Trials trials(function, prepare);
  ForcedBranches forced;
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

bool dyn::addFittingBranches(FunctionOpInterface function, ShapeAnalysis &analysis, ForcedBranches &forced) {
  size_t before = forced.size();
  // Most ops of a large function have no regions, of which a walk looks at each.
  for (Operation &outer : function.getFunctionBody().front())
    if (outer.getNumRegions() != 0)
      outer.walk([&](IfOp op) {
        if (std::optional<ForcedBranch> fitting = analysis.findFittingBranch(op))
          forced.insert({op, *fitting});
      });
  return forced.size() != before;
}

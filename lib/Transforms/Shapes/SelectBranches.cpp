//===- Branches that are both computed ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "dyn/Dialect/Dyn/IR/ThreadDiagnostics.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

namespace dyn {
#define GEN_PASS_DEF_SELECTBRANCHESPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {
struct SelectBranches : dyn::impl::SelectBranchesPassBase<SelectBranches> {
  using SelectBranchesPassBase::SelectBranchesPassBase;

  void runOnOperation() override;

private:
  bool canComputeBoth(IfOp op, const llvm::StringSet<> &guards);
};
} // namespace

static bool readsAtIndices(Operation *op) { return isa<GatherOp, GatherElementsOp, GatherNDOp, ScatterNDOp>(op); }

/// Does the op end well whatever its operands hold? Indices and obligations are another question.
static bool endsWell(Operation *op) {
  if (isa<IfOp, YieldOp>(op))
    return true;
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) || isa<RequireOp, AssumeShapeOp, CallOp, RoiAlignOp>(op) ||
      !isa_and_present<DynDialect>(op->getDialect()))
    return false;
  if (auto recurrent = dyn_cast<RecurrentOp>(op))
    return !recurrent.getLengths();
  if (!isa<DivOp, ModOp>(op) || !isa<IntegerType>(getElementTypeOrSelf(op->getOperand(1))))
    return true;
  DenseElementsAttr divisors;
  return matchPattern(op->getOperand(1), m_Constant(&divisors)) &&
         llvm::none_of(divisors.getValues<APInt>(), [](const APInt &value) { return value.isZero(); });
}

/// Do both branches give what the results are? Dims that the branch decides are not known before it is taken.
static bool givesSameTypes(IfOp op) {
  return llvm::all_of(op->getRegions(), [&](Region &region) {
    return llvm::all_of(llvm::zip_equal(region.front().getTerminator()->getOperandTypes(), op->getResultTypes()),
                        [](auto pair) {
                          auto [yielded, result] = pair;
                          auto type = dyn_cast<RankedTensorType>(result);
                          return yielded == result && type && (type.hasStaticShape() || DimsAttr::of(type));
                        });
  });
}

static void computeBoth(IfOp op) {
  for (Region &region : op->getRegions())
    for (IfOp inner : llvm::make_early_inc_range(region.front().getOps<IfOp>()))
      computeBoth(inner);
  OpBuilder builder(op);
  for (Region &region : op->getRegions()) {
    Block &block = region.front();
    op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations(), block.begin(),
                                           block.getTerminator()->getIterator());
  }
  auto scalar = RankedTensorType::get({}, builder.getI1Type());
  Value condition = op.getCondition();
  if (condition.getType() != scalar)
    condition = ReshapeOp::create(builder, op.getLoc(), scalar, condition);
  for (auto [result, whenTrue, whenFalse] :
       llvm::zip_equal(op.getResults(), op.getThenRegion().front().getTerminator()->getOperands(),
                       op.getElseRegion().front().getTerminator()->getOperands())) {
    Value chosen = whenTrue;
    if (whenTrue != whenFalse)
      chosen = SelectOp::create(builder, op.getLoc(), result.getType(), condition, whenTrue, whenFalse);
    result.replaceAllUsesWith(chosen);
  }
  op.erase();
}

/// May ops of both branches be run, whichever is taken? What they need of sizes must hold without the condition, so it
/// is tried on a copy of the function.
bool SelectBranches::canComputeBoth(IfOp op, const llvm::StringSet<> &guards) {
  SmallVector<Operation *> reading, inside;
  bool mayFail = op.walk([&](Operation *inner) {
                     if (!isa<IfOp, YieldOp>(inner))
                       inside.push_back(inner);
                     if (readsAtIndices(inner))
                       reading.push_back(inner);
                     auto branch = dyn_cast<IfOp>(inner);
                     return WalkResult(success(endsWell(inner) && (!branch || givesSameTypes(branch))));
                   }).wasInterrupted();
  if (mayFail)
    return false;
  IRMapping mapping;
  OwningOpRef<func::FuncOp> copy = cast<func::FuncOp>(getOperation()->clone(mapping));
  computeBoth(cast<IfOp>(mapping.lookup(op.getOperation())));
  ShapeAnalysis analysis(*copy);
  ThreadDiagnostics silence(&getContext());
  if (failed(analysis.run()))
    return false;
  // Each of them, not their number: one that is stricter may stand in for another.
  if (!llvm::all_of(analysis.getGuards(),
                    [&](const ShapeGuard &guard) { return guards.contains(guard.predicate.str()); }))
    return false;
  if (!llvm::all_of(reading, [&](Operation *inner) { return analysis.isInBounds(mapping.lookup(inner)); }))
    return false;
  // A size that data determine is one of the branch taken.
  if (llvm::any_of(inside, [&](Operation *inner) { return bool(analysis.getBoundSize(mapping.lookupOrNull(inner))); }))
    return false;
  for (Operation *inner : reading)
    inner->setAttr("in_bounds", UnitAttr::get(&getContext()));
  return true;
}

void SelectBranches::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration() || function.front().getOps<IfOp>().empty())
    return;
  llvm::StringSet<> guards;
  {
    ShapeAnalysis analysis(function);
    if (failed(analysis.run()))
      return signalPassFailure();
    for (const ShapeGuard &guard : analysis.getGuards())
      guards.insert(guard.predicate.str());
  }
  for (IfOp op : llvm::make_early_inc_range(function.front().getOps<IfOp>())) {
    if (!canComputeBoth(op, guards))
      continue;
    computeBoth(op);
    ++numSelected;
  }
}

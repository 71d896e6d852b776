//===- How often loops are run ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {
#define GEN_PASS_DEF_COUNTLOOPSPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {

struct CountLoops : dyn::impl::CountLoopsPassBase<CountLoops> {
  using CountLoopsPassBase::CountLoopsPassBase;

  void runOnOperation() override;

private:
  /// Finds the loops of a block and of loops in it. A run with one of `unless` does not come to the block.
  void find(Block &block, ArrayRef<Predicate> unless, ShapeAnalysis &analysis);
  void count(LoopOp op, Expr trips);

  SmallVector<std::pair<LoopOp, Expr>> counted;
  SmallVector<ShapeGuard> needs;
};

} // namespace

void CountLoops::find(Block &block, ArrayRef<Predicate> unless, ShapeAnalysis &analysis) {
  for (LoopOp op : block.getOps<LoopOp>()) {
    std::optional<CountedLoop> found = analysis.findCounted(op);
    if (!found || !found->trips.isWithinBudget())
      continue;
    counted.emplace_back(op, found->trips);
    SmallVector<Predicate> cases(unless);
    cases.push_back(Predicate::lessEqual(found->trips, analysis.getConstant(0)));
    for (ShapeGuard &need : found->needs) {
      std::vector<Predicate> either(cases.begin(), cases.end());
      either.push_back(need.predicate);
      need.predicate = Predicate::disjunction(std::move(either));
      needs.push_back(std::move(need));
    }
    find(op.getBody().front(), cases, analysis);
  }
}

void CountLoops::count(LoopOp op, Expr trips) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  if (op.isCounted())
    return;
  auto type = RankedTensorType::get({}, builder.getI64Type());
  Value number;
  if (std::optional<int64_t> constant = trips.getConstant())
    number = ConstantOp::create(builder, loc, DenseElementsAttr::get(type, *constant));
  else
    number = DimValuesOp::create(builder, loc, type, DimsAttr::get(&getContext(), trips));
  op.getTripCountMutable().assign(number);
  op.getConditionMutable().clear();
  auto truth = DenseElementsAttr::get(RankedTensorType::get({}, builder.getI1Type()), true);
  op.getYield()->setOperand(0, ConstantOp::create(builder, loc, truth));
  ++numCounted;
}

void CountLoops::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration() || function.front().getOps<LoopOp>().empty())
    return;
  ShapeAnalysis analysis(function);
  if (failed(analysis.run()))
    return signalPassFailure();
  find(function.front(), {}, analysis);
  for (auto [op, trips] : counted)
    count(op, trips);
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  for (const ShapeGuard &need : needs)
    if (analysis.getSolver().implies(need.predicate) != Verdict::Yes)
      RequireOp::create(builder, need.loc, PredAttr::get(&getContext(), need.predicate),
                        builder.getStringAttr(need.because));
  counted.clear();
  needs.clear();
}

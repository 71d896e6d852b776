//===- Does the shapes phase keep its promises? ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Transforms/Shapes/Passes.h"

namespace dyn {
#define GEN_PASS_DEF_VERIFYSHAPESPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

static LogicalResult verifyType(Operation *op, Type type) {
  if (!isa<TensorType>(type))
    return success();
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return op->emitOpError("has a tensor without a rank; 'dyn-infer-shapes' should have found it");
  if (!ranked.hasStaticShape() && !isa_and_present<DimsAttr>(ranked.getEncoding()))
    return op->emitOpError() << "has a dynamic dim without an expression in " << type
                             << "; 'dyn-infer-shapes' should have given one";
  return success();
}

/// Only where an op can't say its dims from operands is the type of the result the rule.
static LogicalResult verifyDims(Operation *op, ShapeAnalysis &analysis) {
  SymbolicContext &context = analysis.getContext();
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    DimsAttr declared = type ? DimsAttr::of(type) : DimsAttr();
    if (!declared)
      continue;
    for (auto [index, dims] : llvm::enumerate(llvm::zip(declared.getExprs(context), analysis.getFinalDims(result)))) {
      auto [typed, inferred] = dims;
      // The inferred one is simplified, with which long sums meet that are too long for a proof.
      if (analysis.isKnownEqual(typed, inferred) || analysis.isKnownEqual(analysis.simplify(typed), inferred))
        continue;
      return op->emitOpError() << "dim " << index << " of result " << number << " is " << typed.str()
                               << " in the type, but the op gives " << inferred.str();
    }
  }
  return success();
}

namespace {

struct VerifyShapes : dyn::impl::VerifyShapesPassBase<VerifyShapes> {
  void runOnOperation() override;
};

} // namespace

void VerifyShapes::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration())
    return;
  for (Operation &op : function.front()) {
    for (Type type : op.getResultTypes())
      if (failed(verifyType(&op, type)))
        return signalPassFailure();
    if (isa<ReshapeToOp, SqueezeOp, UnsqueezeOp, FlattenOp, ExpandToOp, ExpandLikeOp, TileToOp, FullToOp, RangeOp,
            SliceToOp, PadToOp, SplitOp, ShapeOfOp, ReduceToOp>(op)) {
      op.emitOpError("takes sizes from tensors; 'dyn-resolve-shape-ops' should have replaced it");
      return signalPassFailure();
    }
  }
  ShapeAnalysis analysis(function);
  if (failed(analysis.run()))
    return signalPassFailure();
  if (!analysis.getGuards().empty()) {
    const ShapeGuard &guard = analysis.getGuards().front();
    std::string node = describePlace(guard.loc);
    mlir::emitError(guard.loc) << "node '" << node << "': " << guard.because << ": '" << guard.predicate.str()
                               << "' does not follow from the guards of the function, as far as can be shown";
    return signalPassFailure();
  }
  for (Operation &op : function.front())
    if (failed(verifyDims(&op, analysis)))
      return signalPassFailure();
}

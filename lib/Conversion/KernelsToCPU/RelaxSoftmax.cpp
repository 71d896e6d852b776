//===- Softmax with less exact steps ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/Softmax.h"
#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {
#define GEN_PASS_DEF_RELAXSOFTMAXPASS
#include "dyn/Conversion/KernelsToCPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;

static void passOverNaN(linalg::GenericOp maximum) {
  if (auto combiner = dyn::getYielded(maximum).getDefiningOp<arith::MaximumFOp>()) {
    OpBuilder builder(combiner);
    // What is carried on the left, as in other reductions.
    Value in = maximum.getBlock()->getArgument(0), out = maximum.getBlock()->getArgument(1);
    combiner.replaceAllUsesWith(arith::MaxNumFOp::create(builder, combiner.getLoc(), out, in).getResult());
    combiner.erase();
  }
}

static void multiplyByInverse(linalg::GenericOp quotient) {
  for (auto division : llvm::make_early_inc_range(quotient.getBlock()->getOps<arith::DivFOp>())) {
    auto element = dyn_cast<BlockArgument>(division.getLhs());
    if (!element || division.getResult().use_empty())
      continue;
    OpBuilder builder(division);
    Location loc = division.getLoc();
    Value one = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1.0f));
    Value inverse = arith::DivFOp::create(builder, loc, one, division.getRhs());
    division.replaceAllUsesWith(arith::MulFOp::create(builder, loc, element, inverse).getResult());
    division.erase();
  }
}

namespace {

struct RelaxSoftmaxPass : public dyn::impl::RelaxSoftmaxPassBase<RelaxSoftmaxPass> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(dyn::DynDialect::kKernelAttrName))
      return;
    getOperation().walk([](linalg::GenericOp op) {
      auto softmax = dyn::matchSoftmax(op, [](linalg::GenericOp) { return true; });
      if (!softmax || softmax->hasRoundedSteps || !getElementTypeOrSelf(softmax->getInput().getType()).isF32())
        return;
      passOverNaN(softmax->maximum);
      multiplyByInverse(softmax->quotient);
    });
  }
};

} // namespace

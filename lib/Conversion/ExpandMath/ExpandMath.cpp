//===- Transcendental functions as arithmetic ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathCode.h"
#include "dyn/Conversion/ExpandMath/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace dyn {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "dyn/Conversion/ExpandMath/Passes.h.inc"
} // namespace dyn

using namespace mlir;

namespace {

/// Computes functions of f16 and bf16 as functions of f32.
struct WidenMath : RewritePattern {
  explicit WidenMath(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  static bool isNarrow(Type type) { return isa<Float16Type, BFloat16Type>(getElementTypeOrSelf(type)); }

  static Type widen(Type type, Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) || op->getNumResults() != 1 ||
        !isNarrow(op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "not a function of narrow floats");
    Type element = rewriter.getF32Type(), type = op->getResult(0).getType();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isNarrow(operand.getType())
                             ? arith::ExtFOp::create(rewriter, op->getLoc(), widen(operand.getType(), element), operand)
                             : operand);
    Operation *wide = op->clone();
    wide->setOperands(operands);
    wide->getResult(0).setType(widen(type, element));
    rewriter.insert(wide);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, wide->getResult(0));
    return success();
  }
};

struct ExpandMathPass : public dyn::impl::ExpandMathPassBase<ExpandMathPass> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    dyn::populateExpandMathPatterns(patterns, vectorBits);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void dyn::populateExpandMathPatterns(RewritePatternSet &patterns, unsigned vectorBits) {
  patterns.add<WidenMath>(patterns.getContext());
  math_code::populateExponentialPatterns(patterns, vectorBits);
  math_code::populateLogarithmPatterns(patterns, vectorBits);
  math_code::populatePowerPatterns(patterns, vectorBits);
  math_code::populateTrigonometricPatterns(patterns, vectorBits);
}

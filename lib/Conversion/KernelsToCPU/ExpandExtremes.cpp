//===- Maxima and minima as comparisons ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace dyn {
#define GEN_PASS_DEF_EXPANDEXTREMESPASS
#include "dyn/Conversion/KernelsToCPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;

static bool isWide(Type type) { return isa<Float32Type, Float64Type>(getElementTypeOrSelf(type)); }

namespace {

/// The processor's instruction gives its second operand if either is NaN, so that a NaN on the left stays. One on the
/// right is looked for beside it: in a reduction the result so far, on the left, is not waited for.
template <typename Op, arith::CmpFPredicate predicate>
struct ExpandExtreme : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isWide(op.getType()))
      return rewriter.notifyMatchFailure(op, "of narrow floats");
    Location loc = op.getLoc();
    Value lhs = op.getLhs(), rhs = op.getRhs();
    Value isBeyond = arith::CmpFOp::create(rewriter, loc, predicate, rhs, lhs);
    Value extreme = arith::SelectOp::create(rewriter, loc, isBeyond, rhs, lhs);
    Value isNaN = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, rhs, rhs);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, rhs, extreme);
    return success();
  }
};

/// Combines halves of the vector until one element is left.
struct ExpandExtremeReduction : OpRewritePattern<vector::ReductionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ReductionOp op, PatternRewriter &rewriter) const override {
    bool isMaximum = op.getKind() == vector::CombiningKind::MAXIMUMF;
    if (!isMaximum && op.getKind() != vector::CombiningKind::MINIMUMF)
      return rewriter.notifyMatchFailure(op, "neither a maximum nor a minimum");
    int64_t size = op.getSourceVectorType().getNumElements();
    if (!isWide(op.getDest().getType()) || op.getSourceVectorType().getRank() != 1 || !llvm::isPowerOf2_64(size))
      return rewriter.notifyMatchFailure(op, "no halves of wide floats");
    Location loc = op.getLoc();
    auto combine = [&](Value lhs, Value rhs) -> Value {
      if (isMaximum)
        return arith::MaximumFOp::create(rewriter, loc, lhs, rhs);
      return arith::MinimumFOp::create(rewriter, loc, lhs, rhs);
    };
    Value part = op.getVector();
    while (size > 1) {
      size /= 2;
      auto lower = llvm::to_vector(llvm::seq<int64_t>(0, size));
      auto upper = llvm::to_vector(llvm::seq<int64_t>(size, 2 * size));
      part = combine(vector::ShuffleOp::create(rewriter, loc, part, part, lower),
                     vector::ShuffleOp::create(rewriter, loc, part, part, upper));
    }
    Value result = vector::ExtractOp::create(rewriter, loc, part, ArrayRef<int64_t>{0});
    rewriter.replaceOp(op, op.getAcc() ? combine(op.getAcc(), result) : result);
    return success();
  }
};

struct ExpandExtremesPass : public dyn::impl::ExpandExtremesPassBase<ExpandExtremesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtreme<arith::MaximumFOp, arith::CmpFPredicate::OGT>,
                 ExpandExtreme<arith::MinimumFOp, arith::CmpFPredicate::OLT>, ExpandExtremeReduction>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

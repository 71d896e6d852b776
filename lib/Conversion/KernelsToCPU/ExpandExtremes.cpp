//===- Maxima and minima as comparisons ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace dyn {
#define GEN_PASS_DEF_EXPANDEXTREMESPASS
#include "dyn/Conversion/KernelsToCPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;

using Assumed = llvm::SmallPtrSet<void *, 16>;

/// Whether a value is no NaN, by the way in which reductions make it. `assumed` are values for which that is being
/// shown: what a loop carries is no NaN if it was none before and each iteration keeps it so. After false, they are
/// assumed without reason.
static bool isNeverNaN(Value value, Assumed &assumed) {
  if (!assumed.insert(value.getAsOpaquePointer()).second)
    return true;
  auto isNumber = [&](Value other) { return isNeverNaN(other, assumed); };
  auto areNumbers = [&](ValueRange values) {
    Assumed before = assumed;
    bool result = llvm::all_of(values, isNumber);
    if (!result)
      assumed = before;
    return result;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init && isNumber(init->get()) && isNumber(loop.getTiedLoopYieldedValue(argument)->get());
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto single = dyn_cast<FloatAttr>(constant.getValue()))
      return !single.getValue().isNaN();
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    return splat && !splat.getSplatValue<APFloat>().isNaN();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isNumber(loop.getInits()[number]) && isNumber(loop.getYieldedValues()[number]);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isNumber(branch.thenYield().getOperand(number)) && isNumber(branch.elseYield().getOperand(number));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (areNumbers({select.getTrueValue(), select.getFalseValue()}))
      return true;
    // As ExpandNumber makes them: what is greater than a number is one.
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    return compare &&
           (compare.getPredicate() == arith::CmpFPredicate::OGT ||
            compare.getPredicate() == arith::CmpFPredicate::OLT) &&
           compare.getLhs() == select.getTrueValue() && isNumber(select.getFalseValue());
  }
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return areNumbers(op->getOperand(0)) || areNumbers(op->getOperand(1));
  if (isa<vector::ShuffleOp, vector::ExtractOp, vector::BroadcastOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return !isa<FloatType>(getElementTypeOrSelf(operand.getType())) || isNumber(operand);
    });
  return false;
}

static bool isNeverNaN(Value value) {
  Assumed assumed;
  return isNeverNaN(value, assumed);
}

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

/// With a number on the right, the instruction passes over a NaN on the left.
template <typename Op, arith::CmpFPredicate predicate>
struct ExpandNumber : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isWide(op.getType()))
      return rewriter.notifyMatchFailure(op, "of narrow floats");
    Value number = op.getLhs(), other = op.getRhs();
    if (!isNeverNaN(number))
      std::swap(number, other);
    if (!isNeverNaN(number))
      return rewriter.notifyMatchFailure(op, "both operands may be NaN");
    Value isBeyond = arith::CmpFOp::create(rewriter, op.getLoc(), predicate, other, number);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isBeyond, other, number);
    return success();
  }
};

/// Combines halves of the vector until one element is left.
struct ExpandExtremeReduction : OpRewritePattern<vector::ReductionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ReductionOp op, PatternRewriter &rewriter) const override {
    using Kind = vector::CombiningKind;
    Kind kind = op.getKind();
    if (kind != Kind::MAXIMUMF && kind != Kind::MINIMUMF && kind != Kind::MAXNUMF && kind != Kind::MINNUMF)
      return rewriter.notifyMatchFailure(op, "neither a maximum nor a minimum");
    int64_t size = op.getSourceVectorType().getNumElements();
    if (!isWide(op.getDest().getType()) || op.getSourceVectorType().getRank() != 1 || !llvm::isPowerOf2_64(size))
      return rewriter.notifyMatchFailure(op, "no halves of wide floats");
    Location loc = op.getLoc();
    auto combine = [&](Value lhs, Value rhs) { return vector::makeArithReduction(rewriter, loc, kind, lhs, rhs); };
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
                 ExpandExtreme<arith::MinimumFOp, arith::CmpFPredicate::OLT>,
                 ExpandNumber<arith::MaxNumFOp, arith::CmpFPredicate::OGT>,
                 ExpandNumber<arith::MinNumFOp, arith::CmpFPredicate::OLT>, ExpandExtremeReduction>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

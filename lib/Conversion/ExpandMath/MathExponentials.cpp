//===- exp and its kin --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
// The polynomial for tanh is that of Cephes, those for exp and erf are minimax fits. Error bounds are in units of the
// last place of the exact result; the unit tests compare with the C library's functions of f64, at every float if
// asked.
//
//===----------------------------------------------------------------------===//

#include "MathCode.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>

using namespace mlir;
using namespace dyn::math_code;
using arith::CmpFPredicate;

static constexpr double log2e = 1.4426950408889634;
/// ln 2 in two parts, the first of few bits, so that small multiples of it are exact.
static constexpr double ln2High = 0.693359375, ln2Low = -2.12194440054690583e-4;

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, fitted for the relative error of e^r, which is at most 0.06 * 2^-24.
static constexpr std::array<double, 5> expTail{1.3820945750921965e-3, 8.368683978915215e-3, 4.166826605796814e-2,
                                               1.666652113199234e-1, 4.999999403953552e-1};

/// e^r for |r| <= ln 2 / 2. Up to its last term: one operation less than adding 1 + r to the tail times r^2, and more
/// exact.
static Value emitExpOfRemainder(MathCode &code, Value r) {
  SmallVector<double> coefficients(expTail.begin(), expTail.end());
  coefficients.append({1.0, 1.0});
  return code.polynomial(r, coefficients);
}

/// As emitExp for x <= 0, or NaN.
static Value emitExpOfNegative(MathCode &code, Value x) {
  // e^-105 rounds to 0.
  x = code.clampBelow(x, -105.0);
  Value n = code.roundEven(code.mul(x, code.number(log2e)));
  Value r = code.fma(n, code.number(-ln2High), x);
  r = code.fma(n, code.number(-ln2Low), r);
  return code.scale(emitExpOfRemainder(code, r), n);
}

/// e^x = 2^n * e^r. At most 1 ulp off; results below the smallest normal number are rounded like others.
Value dyn::math_code::emitExp(MathCode &code, Value x) {
  // e^89 rounds to infinity; up to there the other does not need its argument to be negative.
  return emitExpOfNegative(code, code.clampAbove(x, 89.0));
}

/// 2^x for x <= 0, or NaN, by a polynomial for 2^r, |r| <= 1/2.
static Value emitExp2OfNegative(MathCode &code, Value x) {
  x = code.clampBelow(x, -151.0);
  Value n = code.roundEven(x);
  Value p = code.polynomial(code.sub(x, n), {1.535336188319500e-4, 1.339887440266574e-3, 9.618437357674640e-3,
                                             5.550332471162809e-2, 2.402264791363012e-1, 6.931472028550421e-1, 1.0});
  return code.scale(p, n);
}

/// 2^x = 2^n * e^(r ln 2). At most 2 ulp off.
static Value emitExp2(MathCode &code, Value x) {
  x = code.clampAbove(code.clampBelow(x, -151.0), 129.0);
  Value n = code.roundEven(x);
  Value r = code.mul(code.sub(x, n), code.number(0.6931471805599453));
  return code.scale(emitExpOfRemainder(code, r), n);
}

/// e^x - 1 = 2^n (e^r - 1) + (2^n - 1), of which the second part is exact where it counts. At most 2 ulp off.
static Value emitExpM1(MathCode &code, Value x) {
  Value clamped = code.clampAbove(code.clampBelow(x, -20.0), 89.0);
  Value n = code.roundEven(code.mul(clamped, code.number(log2e)));
  Value r = code.fma(n, code.number(-ln2High), clamped);
  r = code.fma(n, code.number(-ln2Low), r);
  Value p = code.fma(code.polynomial(r, expTail), code.mul(r, r), r);
  // Half of it, since 2^128 is no number.
  Value power = code.powerOfTwo(code.subBits(code.toInteger(n), code.bits(1)));
  Value half = code.fma(p, power, code.sub(power, code.number(0.5)));
  // Keeps -0.0.
  Value isZero = code.compare(CmpFPredicate::OEQ, x, code.number(0.0));
  return code.select(isZero, x, code.add(half, half));
}

/// A polynomial near 0, 1 - 2 / (e^2|x| + 1) elsewhere. At most 2 ulp off.
static Value emitTanh(MathCode &code, Value x) {
  Value magnitude = code.abs(x), square = code.mul(x, x);
  Value near = code.polynomial(
      square, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
  near = code.fma(code.mul(near, square), x, x);
  Value denominator = code.add(emitExp(code, code.add(magnitude, magnitude)), code.number(1.0));
  Value far = code.sub(code.number(1.0), code.div(code.number(2.0), denominator));
  Value isFar = code.compare(CmpFPredicate::OGT, magnitude, code.number(0.625));
  return code.copySign(code.select(isFar, far, near), x);
}

/// A polynomial near 0, 1 - e^(polynomial) elsewhere. At most 2 ulp off.
static Value emitErf(MathCode &code, Value x) {
  Value magnitude = code.abs(x), square = code.mul(x, x);
  Value near = code.polynomial(
      square, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  near = code.fma(near, x, x);
  Value upper = code.fma(code.number(-1.72853470e-5), magnitude, code.number(3.83197126e-4));
  Value lower = code.fma(code.number(-3.88396438e-3), magnitude, code.number(2.42546219e-2));
  Value far = code.fma(upper, square, lower);
  for (double coefficient : {-1.06777877e-1, -6.34846687e-1, -1.28717512e-1})
    far = code.fma(far, magnitude, code.number(coefficient));
  far = code.fma(far, magnitude, code.negate(magnitude));
  far = code.sub(code.number(1.0), emitExpOfNegative(code, far));
  Value isFar = code.compare(CmpFPredicate::OGT, magnitude, code.number(0.927734375));
  return code.select(isFar, code.copySign(far, x), near);
}

/// 1 + erf x for x = `scale` * y, as in GELU: erfc |x|, which is 2^(polynomial), for negative x, else 2 - erfc |x|. Off
/// by at most 1.8e-7, 1.5 ulp of 1, as a sum with erf x would be; less below 0, since nothing cancels out. Half of
/// that, if so asked, costs nothing.
static Value emitOnePlusErf(MathCode &code, Value y, double scale, bool isHalf) {
  Value magnitude = code.abs(y);
  // A fit of ln(erfc t) / t to 1.6e-8 in erfc. Its highest term keeps it going down where it was not fitted, t > 4.
  SmallVector<double> coefficients{-3.1440187971465416e-5, 3.0880241241571650e-4, -1.0324024551410238e-3,
                                   -5.3693198456222776e-4, 1.9583958990031458e-2, -1.0291961264708147e-1,
                                   -6.3659773361494800e-1, -1.12838025148674};
  double factor = log2e;
  for (double &coefficient : llvm::reverse(coefficients))
    coefficient *= factor *= scale;
  Value slope = code.polynomial(magnitude, coefficients);
  Value exponent = isHalf ? code.fma(slope, magnitude, code.number(-1.0)) : code.mul(slope, magnitude);
  Value complement = emitExp2OfNegative(code, exponent);
  Value isNegative = code.compare(CmpFPredicate::OLT, y, code.number(0.0));
  return code.select(isNegative, complement, code.sub(code.number(isHalf ? 1.0 : 2.0), complement));
}

/// 1 + tanh x = 2 / (1 + e^-2x), as in the other GELU. At most 3 ulp off, but that results below 1e-38 may be 0.
static Value emitOnePlusTanh(MathCode &code, Value x) {
  Value power = emitExp(code, code.mul(x, code.number(-2.0)));
  return code.div(code.number(2.0), code.add(power, code.number(1.0)));
}

/// At most 1.5 ulp off, by two roundings: that of the root, and that of the division.
static Value emitRsqrt(MathCode &code, Value x) { return code.div(code.number(1.0), code.sqrt(x)); }

namespace {

/// A function whose only reader adds 1 to it, which together are simpler than the function. What `emit` builds takes
/// the place of the sum.
template <typename Op>
struct ExpandOnePlus : OpRewritePattern<Op> {
  using Emit = void (*)(PatternRewriter &, MathCode &, Op, arith::AddFOp);
  ExpandOnePlus(MLIRContext *context, Emit emit, unsigned vectorBits)
      : OpRewritePattern<Op>(context, /*benefit=*/2), emit(emit), vectorBits(vectorBits) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() || !op->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not of f32, or with several readers");
    auto sum = dyn_cast<arith::AddFOp>(*op->user_begin());
    if (!sum || getConstant(sum.getLhs() == op ? sum.getRhs() : sum.getLhs()) != 1.0f)
      return rewriter.notifyMatchFailure(op, "its reader does not add 1");
    rewriter.setInsertionPoint(sum);
    MathCode code(rewriter, op.getLoc(), op.getOperand(), vectorBits);
    emit(rewriter, code, op, sum);
    rewriter.eraseOp(op);
    return success();
  }
  Emit emit;
  unsigned vectorBits;
};

/// The other factor of a product with this constant; null if `value` is none.
Value getFactorBeside(Value value, float constant) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return Value();
  return getConstant(product.getRhs()) == constant   ? product.getLhs()
         : getConstant(product.getLhs()) == constant ? product.getRhs()
                                                     : Value();
}

/// The value and the scale, positive and near 1, whose product the argument is; itself and 1 if there are none.
std::pair<Value, double> splitScale(Value argument) {
  std::optional<float> scale;
  Value scaled = argument;
  if (auto product = argument.getDefiningOp<arith::MulFOp>()) {
    bool isRight = getConstant(product.getRhs()).has_value();
    scale = getConstant(isRight ? product.getRhs() : product.getLhs());
    scaled = isRight ? product.getLhs() : product.getRhs();
  }
  // Far from 1, powers of it would leave the range of coefficients.
  if (!scale || !(*scale >= 0.25f && *scale <= 4.0f))
    return {argument, 1.0};
  return {scaled, *scale};
}

/// In a GELU, x / 2 * (1 + erf (x / sqrt 2)), the sum's only reader multiplies it with half of something, or is halved
/// itself: halving is exact, so that it may as well be in the sum.
void expandOnePlusErf(PatternRewriter &rewriter, MathCode &code, math::ErfOp op, arith::AddFOp sum) {
  auto [scaled, scale] = splitScale(op.getOperand());
  auto product = sum->hasOneUse() ? dyn_cast<arith::MulFOp>(*sum->user_begin()) : arith::MulFOp();
  Value other = product ? product.getLhs() == sum ? product.getRhs() : product.getLhs() : Value();
  if (product && other != sum.getResult()) {
    if (Value whole = getFactorBeside(other, 0.5f)) {
      Value half = emitOnePlusErf(code, scaled, scale, /*isHalf=*/true);
      rewriter.setInsertionPoint(product);
      rewriter.replaceOp(product, code.mul(whole, half));
      return rewriter.eraseOp(sum);
    }
    auto halved = product->hasOneUse() ? dyn_cast<arith::MulFOp>(*product->user_begin()) : arith::MulFOp();
    if (halved && getFactorBeside(halved, 0.5f) == product) {
      Value half = emitOnePlusErf(code, scaled, scale, /*isHalf=*/true);
      rewriter.setInsertionPoint(halved);
      rewriter.replaceOp(halved, code.mul(other, half));
      rewriter.eraseOp(product);
      return rewriter.eraseOp(sum);
    }
  }
  rewriter.replaceOp(sum, emitOnePlusErf(code, scaled, scale, /*isHalf=*/false));
}

void expandOnePlusTanh(PatternRewriter &rewriter, MathCode &code, math::TanhOp op, arith::AddFOp sum) {
  rewriter.replaceOp(sum, emitOnePlusTanh(code, op.getOperand()));
}

} // namespace

void dyn::math_code::populateExponentialPatterns(RewritePatternSet &patterns, unsigned vectorBits) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandF32<math::ExpOp>>(context, emitExp, vectorBits);
  patterns.add<ExpandF32<math::Exp2Op>>(context, emitExp2, vectorBits);
  patterns.add<ExpandF32<math::ExpM1Op>>(context, emitExpM1, vectorBits);
  patterns.add<ExpandF32<math::TanhOp>>(context, emitTanh, vectorBits);
  patterns.add<ExpandF32<math::ErfOp>>(context, emitErf, vectorBits);
  patterns.add<ExpandOnePlus<math::TanhOp>>(context, expandOnePlusTanh, vectorBits);
  patterns.add<ExpandOnePlus<math::ErfOp>>(context, expandOnePlusErf, vectorBits);
  patterns.add<ExpandF32<math::RsqrtOp>>(context, emitRsqrt, vectorBits);
}

//===- Powers -----------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathCode.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace dyn::math_code;
using arith::CmpFPredicate;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// The base-2 logarithm of an f32 that is not negative as an f64, nearly exact.
static Value emitLog2AsDouble(MathCode &code, Value x) {
  // Numbers too small to be normal become so.
  Value isSmall = code.compare(CmpFPredicate::OLT, x, code.number(1.17549435e-38));
  Value normal = code.select(isSmall, code.mul(x, code.number(8388608.0)), x);
  Value offset = code.select(isSmall, code.number(-23.0), code.number(0.0));
  // 2^exponent * (1 + z) with 1 + z in [sqrt(1/2), sqrt(2)).
  constexpr int32_t sqrtHalf = 0x3F3504F3, mantissa = 0x007FFFFF;
  Value bits = code.subBits(code.toBits(normal), code.bits(sqrtHalf));
  Value exponent = code.add(code.toFloat(code.shiftRight(bits, 23)), offset);
  Value fraction = code.fromBits(code.addBits(code.andBits(bits, code.bits(mantissa)), code.bits(sqrtHalf)));
  // The series of log((1 + s) / (1 - s)) over log(2).
  Value z = code.to64(code.sub(fraction, code.number(1.0)));
  Value s = code.div(z, code.add(z, code.number64(2.0)));
  Value series = code.polynomial(code.mul(s, s),
                                 {0.19235933878519512, 0.22195308321368667, 0.26230818925253879, 0.3205988979753252,
                                  0.41219858311113239, 0.57707801635558531, 0.96179669392597555, 2.8853900817779268});
  Value result = code.fma(series, s, code.to64(exponent));
  result = code.select(code.compare(CmpFPredicate::OEQ, x, code.number(0.0)), code.number64(-infinity), result);
  return code.select(code.compare(CmpFPredicate::OEQ, x, code.number(infinity)), code.number64(infinity), result);
}

/// 2^t of an f64 as an f32.
static Value emitExp2OfDouble(MathCode &code, Value t) {
  // Beyond these it is 0 or infinity in f32. What is no number is replaced later.
  for (double bound : {-300.0, 300.0}) {
    Value limit = code.number64(bound);
    auto isBeyond = bound < 0 ? CmpFPredicate::ULT : CmpFPredicate::OGT;
    t = code.select(code.compare(isBeyond, t, limit), limit, t);
  }
  Value whole = code.roundEven(t);
  Value power =
      code.polynomial(code.sub(t, whole), {1.0178086009239696e-07, 1.3215486790144305e-06, 1.5252733804059838e-05,
                                           0.00015403530393381606, 0.0013333558146428441, 0.0096181291076284769,
                                           0.055504108664821576, 0.24022650695910069, 0.69314718055994529, 1.0});
  constexpr int32_t bias = 1023, mantissaBits = 52;
  Value biased = code.widen(code.addBits(code.toInteger(whole), code.bits(bias)));
  return code.to32(code.mul(power, code.fromBits64(code.shiftLeft64(biased, mantissaBits))));
}

/// x^y, at most 0.51 ulp off: through f64, where the logarithm has digits to spare for the product with y.
static Value emitPower(MathCode &code, Value x, Value y) {
  Value zero = code.number(0.0), one = code.number(1.0), size = code.abs(x);
  Value result = emitExp2OfDouble(code, code.mul(code.to64(y), emitLog2AsDouble(code, size)));

  // A negative number has powers that are whole; the odd ones are negative.
  Value isWhole = code.compare(CmpFPredicate::OEQ, code.floor(y), y), half = code.mul(y, code.number(0.5));
  Value isOdd = code.both(isWhole, code.compare(CmpFPredicate::UNE, code.floor(half), half));
  result = code.select(isOdd, code.copySign(result, x), result);
  Value noNumber = code.number(std::numeric_limits<double>::quiet_NaN());
  Value isNegative =
      code.both(code.compare(CmpFPredicate::OLT, x, zero), code.compare(CmpFPredicate::OGT, x, code.number(-infinity)));
  result = code.select(isNegative, code.select(isWhole, result, noNumber), result);

  result = code.select(code.compare(CmpFPredicate::UNO, x, y), noNumber, result);
  Value isUnit = code.both(code.compare(CmpFPredicate::OEQ, size, one),
                           code.compare(CmpFPredicate::OEQ, code.abs(y), code.number(infinity)));
  result = code.select(isUnit, one, result);
  result = code.select(code.compare(CmpFPredicate::OEQ, x, one), one, result);
  return code.select(code.compare(CmpFPredicate::OEQ, y, zero), one, result);
}

namespace {

/// Exponents that have a shorter way. Each operation is rounded: the cube is at most 2 ulp off, the others half an ulp.
struct ExpandConstantPower : OpRewritePattern<math::PowFOp> {
  explicit ExpandConstantPower(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    std::optional<float> exponent = getConstant(op.getRhs());
    if (!exponent)
      return rewriter.notifyMatchFailure(op, "exponent is not known");
    MathCode code(rewriter, op.getLoc(), op.getLhs(), /*vectorBits=*/0);
    Value x = op.getLhs(), result;
    if (*exponent == 1.0f)
      result = x;
    else if (*exponent == 2.0f)
      result = code.mul(x, x);
    else if (*exponent == 3.0f)
      result = code.mul(code.mul(x, x), x);
    else if (*exponent == -1.0f)
      result = code.div(code.number(1.0), x);
    else
      return rewriter.notifyMatchFailure(op, "no shorter way");
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandPower : OpRewritePattern<math::PowFOp> {
  ExpandPower(MLIRContext *context, unsigned vectorBits) : OpRewritePattern(context), vectorBits(vectorBits) {}

  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    MathCode code(rewriter, op.getLoc(), op.getLhs(), vectorBits);
    rewriter.replaceOp(op, emitPower(code, op.getLhs(), op.getRhs()));
    return success();
  }
  unsigned vectorBits;
};

} // namespace

void dyn::math_code::populatePowerPatterns(RewritePatternSet &patterns, unsigned vectorBits) {
  patterns.add<ExpandConstantPower>(patterns.getContext());
  // Devices compute f64 slowly, and have a function of their own.
  if (vectorBits != 0)
    patterns.add<ExpandPower>(patterns.getContext(), vectorBits);
}

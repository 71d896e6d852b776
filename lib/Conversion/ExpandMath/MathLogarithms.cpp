//===- Logarithms -------------------------------------------------------------===//
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

namespace {
/// log(x) = log(1 + z) + e ln 2, with 1 + z in [sqrt(1/2), sqrt(2)).
struct Split {
  /// log(1 + z) - z + z^2 / 2
  Value tail;
  Value z, exponent;
};
} // namespace

static Split split(MathCode &code, Value x) {
  // Numbers too small to be normal become so.
  Value isSmall = code.compare(CmpFPredicate::OLT, x, code.number(1.17549435e-38));
  x = code.select(isSmall, code.mul(x, code.number(8388608.0)), x);
  Value offset = code.select(isSmall, code.number(-23.0), code.number(0.0));
  // Counting from sqrt(1/2), the exponent changes where the mantissa should wrap.
  constexpr int32_t sqrtHalf = 0x3F3504F3, mantissa = 0x007FFFFF;
  Value bits = code.subBits(code.toBits(x), code.bits(sqrtHalf));
  Value exponent = code.add(code.toFloat(code.shiftRight(bits, 23)), offset);
  Value fraction = code.fromBits(code.addBits(code.andBits(bits, code.bits(mantissa)), code.bits(sqrtHalf)));
  Value z = code.sub(fraction, code.number(1.0));
  Value p = code.polynomial(z, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                                -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  return {code.mul(code.mul(p, z), code.mul(z, z)), z, exponent};
}

/// `result`, but what it should be for 0, negative numbers, infinity and NaN.
static Value handleSpecials(MathCode &code, Value x, Value result) {
  float infinity = std::numeric_limits<float>::infinity();
  Value zero = code.number(0.0);
  Value isInfinite = code.compare(CmpFPredicate::OEQ, x, code.number(infinity));
  result = code.select(isInfinite, x, result);
  result = code.select(code.compare(CmpFPredicate::OEQ, x, zero), code.number(-infinity), result);
  // Also true for NaN.
  Value isInvalid = code.compare(CmpFPredicate::ULT, x, zero);
  return code.select(isInvalid, code.number(std::numeric_limits<float>::quiet_NaN()), result);
}

/// At most 1 ulp off.
Value dyn::math_code::emitLog(MathCode &code, Value x) {
  Split parts = split(code, x);
  Value y = code.fma(parts.exponent, code.number(-2.12194440e-4), parts.tail);
  y = code.fma(code.mul(parts.z, parts.z), code.number(-0.5), y);
  y = code.add(parts.z, y);
  return handleSpecials(code, x, code.fma(parts.exponent, code.number(0.693359375), y));
}

/// log(x) times a constant, the factor `high` + `low` split so that the product with the larger part is nearly exact.
/// At most 3 ulp off.
static Value emitScaledLog(MathCode &code, Value x, double factor, double ofExponent) {
  Split parts = split(code, x);
  Value y = code.fma(code.mul(parts.z, parts.z), code.number(-0.5), parts.tail);
  float high = float(factor);
  Value scaled = code.fma(y, code.number(high), code.mul(parts.z, code.number(factor - high)));
  scaled = code.fma(parts.z, code.number(high), scaled);
  float exponentHigh = float(ofExponent);
  scaled = code.fma(parts.exponent, code.number(ofExponent - exponentHigh), scaled);
  return handleSpecials(code, x, code.fma(parts.exponent, code.number(exponentHigh), scaled));
}

static Value emitLog2(MathCode &code, Value x) { return emitScaledLog(code, x, 1.4426950408889634, 1.0); }
static Value emitLog10(MathCode &code, Value x) {
  return emitScaledLog(code, x, 0.4342944819032518, 0.3010299956639812);
}

/// log(u) x / (u - 1) with u = 1 + x rounded: the errors of both factors cancel. At most 3 ulp off.
static Value emitLog1p(MathCode &code, Value x) {
  Value one = code.number(1.0), u = code.add(x, one), rest = code.sub(u, one);
  Value isTiny = code.compare(CmpFPredicate::OEQ, rest, code.number(0.0));
  Value log = emitLog(code, u);
  Value corrected = code.mul(log, code.div(x, code.select(isTiny, one, rest)));
  // Where u is 0 or infinite, the logarithm is all there is.
  Value isFinite = code.compare(CmpFPredicate::OLT, code.abs(log), code.number(std::numeric_limits<float>::infinity()));
  return code.select(isTiny, x, code.select(isFinite, corrected, log));
}

void dyn::math_code::populateLogarithmPatterns(RewritePatternSet &patterns, unsigned vectorBits) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandF32<math::LogOp>>(context, emitLog, vectorBits);
  patterns.add<ExpandF32<math::Log2Op>>(context, emitLog2, vectorBits);
  patterns.add<ExpandF32<math::Log10Op>>(context, emitLog10, vectorBits);
  patterns.add<ExpandF32<math::Log1pOp>>(context, emitLog1p, vectorBits);
}

//===- sin, cos, tan ----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathCode.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dyn::math_code;
using arith::CmpFPredicate;

namespace {
/// sin and cos of r = x - n pi/2, and n modulo 4 in quarters.
struct Reduced {
  Value sine, cosine, quarter;
};
} // namespace

/// Right for |x| <= 2^33; beyond that the results are in [-1, 1] but not those of x.
static Reduced reduce(MathCode &code, Value x) {
  // f64 holds x and n; pi/2 is in three parts, of which the first two have few bits.
  Value wide = code.to64(x);
  Value n = code.roundEven(code.mul(wide, code.number64(0.63661977236758134)));
  Value r64 = code.fma(n, code.number64(-1.5707963267341256), wide);
  r64 = code.fma(n, code.number64(-6.0771005063039660e-11), r64);
  r64 = code.fma(n, code.number64(-2.0222662487959506e-21), r64);
  Value quarters = code.mul(n, code.number64(0.25));
  Value quarter = code.to32(code.sub(quarters, code.floor(quarters)));
  Value r = code.to32(r64), z = code.mul(r, r);
  Value sine = code.polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  sine = code.fma(code.mul(sine, z), r, r);
  Value cosine = code.polynomial(z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  cosine = code.fma(code.mul(cosine, z), z, code.fma(z, code.number(-0.5), code.number(1.0)));
  return {sine, cosine, quarter};
}

static Value isQuarter(MathCode &code, Value quarter, double first, double second) {
  Value distance = code.sub(quarter, code.number(first));
  Value other = code.sub(quarter, code.number(second));
  return code.compare(CmpFPredicate::OEQ, code.mul(distance, other), code.number(0.0));
}

static Value negateIf(MathCode &code, Value condition, Value value) {
  return code.select(condition, code.negate(value), value);
}

/// At most 2 ulp off.
static Value emitSin(MathCode &code, Value x) {
  Reduced parts = reduce(code, x);
  Value isOdd = isQuarter(code, parts.quarter, 0.25, 0.75);
  Value result = code.select(isOdd, parts.cosine, parts.sine);
  Value isLower = code.compare(CmpFPredicate::OGE, parts.quarter, code.number(0.5));
  // Keeps -0.0.
  Value isZero = code.compare(CmpFPredicate::OEQ, x, code.number(0.0));
  return code.select(isZero, x, negateIf(code, isLower, result));
}

/// At most 2 ulp off.
static Value emitCos(MathCode &code, Value x) {
  Reduced parts = reduce(code, x);
  Value isOdd = isQuarter(code, parts.quarter, 0.25, 0.75);
  Value result = code.select(isOdd, parts.sine, parts.cosine);
  return negateIf(code, isQuarter(code, parts.quarter, 0.25, 0.5), result);
}

/// At most 4 ulp off.
static Value emitTan(MathCode &code, Value x) {
  Reduced parts = reduce(code, x);
  Value isOdd = isQuarter(code, parts.quarter, 0.25, 0.75);
  Value above = code.select(isOdd, code.negate(parts.cosine), parts.sine);
  Value below = code.select(isOdd, parts.sine, parts.cosine);
  Value isZero = code.compare(CmpFPredicate::OEQ, x, code.number(0.0));
  return code.select(isZero, x, code.div(above, below));
}

void dyn::math_code::populateTrigonometricPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandF32<math::SinOp>>(context, emitSin);
  patterns.add<ExpandF32<math::CosOp>>(context, emitCos);
  patterns.add<ExpandF32<math::TanOp>>(context, emitTan);
}

//===- sin, cos, tan ----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathCode.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace dyn::math_code;
using arith::CmpFPredicate;

namespace {
/// sin and cos of r = x - n pi/2, and n modulo 4 in quarters.
struct Reduced {
  Value sine, cosine, quarter;
};

/// An argument less the nearest multiple of pi/2, and that multiple modulo 4, in quarters.
struct Rest {
  Value rest, quarter;
};
} // namespace

/// Up to here pi/2 in three parts of f64 is exact enough.
static constexpr double kLargest = 0x1p20;

static Rest reduceSmall(MathCode &code, Value x) {
  // f64 holds x and n; of the three parts of pi/2 the first two have few bits.
  Value wide = code.to64(x);
  Value n = code.roundEven(code.mul(wide, code.number64(0.63661977236758134)));
  Value rest = code.fma(n, code.number64(-1.5707963267341256), wide);
  rest = code.fma(n, code.number64(-6.0771005063039660e-11), rest);
  rest = code.fma(n, code.number64(-2.0222662487959506e-21), rest);
  Value quarters = code.mul(n, code.number64(0.25));
  return {rest, code.to32(code.sub(quarters, code.floor(quarters)))};
}

/// The method of Payne and Hanek, for finite |x| > kLargest: x is an integer m times a power of two, so that of the
/// bits of 2/pi those that give whole turns are left out, and 96 of the others determine the rest.
static Rest reduceLarge(MathCode &code, Value x) {
  // Entry i: the 32 bits of 2/pi up to the one of weight 2^(-8 i - 8).
  constexpr uint32_t kTwoOverPi[] = {0x000000a2, 0x0000a2f9, 0x00a2f983, 0xa2f9836e, 0xf9836e4e, 0x836e4e44,
                                     0x6e4e4415, 0x4e441529, 0x441529fc, 0x1529fc27, 0x29fc2757, 0xfc2757d1,
                                     0x2757d1f5, 0x57d1f534, 0xd1f534dd, 0xf534ddc0, 0x34ddc0db, 0xddc0db62,
                                     0xc0db6295, 0xdb629599, 0x6295993c, 0x95993c43, 0x993c4390, 0x3c439041};
  constexpr int32_t kFirst = 2, kLast = 15; // of the values of `group` that occur here
  Value word = code.toBits(x);
  Value group = code.andBits(code.shiftRight(word, 26), code.bits(15));
  Value m = code.orBits(code.andBits(word, code.bits(0xffffff)), code.bits(0x800000));
  m = code.widen(code.shiftLeft(m, code.andBits(code.shiftRight(word, 23), code.bits(7))));
  auto getWord = [&](int32_t offset) {
    Value found = code.bits64(kTwoOverPi[kLast + offset]);
    for (int32_t i = kLast - 1; i >= kFirst; --i)
      found = code.select(code.isEqual(group, code.bits(i)), code.bits64(kTwoOverPi[i + offset]), found);
    return found;
  };
  // In units of 2^-62, modulo 4.
  Value high = code.shiftLeft64(code.mulBits(m, getWord(0)), 32), middle = code.mulBits(m, getWord(4)),
        low = code.shiftRight64(code.mulBits(m, getWord(8)), 32);
  Value product = code.addBits(code.addBits(high, middle), low);
  Value n = code.shiftRight64(code.addBits(product, code.bits64(int64_t(1) << 61)), 62);
  Value rest =
      code.mul(code.toFloat64(code.subBits(product, code.shiftLeft64(n, 62))), code.number64(0x1.921fb54442d18p-62));
  Value quarter = code.to32(code.mul(code.toFloat64(n), code.number64(0.25)));
  // The same for -x, the other way round.
  Value isNegative = code.compare(CmpFPredicate::OLT, x, code.number(0.0));
  Value isWhole = code.compare(CmpFPredicate::OEQ, quarter, code.number(0.0));
  Value opposite = code.select(isWhole, quarter, code.sub(code.number(1.0), quarter));
  return {code.select(isNegative, code.negate(rest), rest), code.select(isNegative, opposite, quarter)};
}

static Reduced reduce(MathCode &code, Value x) {
  Value magnitude = code.abs(x);
  Value isLarge = code.both(code.compare(CmpFPredicate::OGT, magnitude, code.number(kLargest)),
                            code.compare(CmpFPredicate::OLT, magnitude, code.number(INFINITY)));
  Rest small = reduceSmall(code, x);
  // Hardly ever needed, so that it is jumped over where no lane does.
  SmallVector<Value> parts = code.ifAny(isLarge, {small.rest, small.quarter}, [&]() -> SmallVector<Value> {
    Rest large = reduceLarge(code, x);
    return {code.select(isLarge, large.rest, small.rest), code.select(isLarge, large.quarter, small.quarter)};
  });
  Value r = code.to32(parts[0]), z = code.mul(r, r);
  Value sine = code.polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  sine = code.fma(code.mul(sine, z), r, r);
  Value cosine = code.polynomial(z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  cosine = code.fma(code.mul(cosine, z), z, code.fma(z, code.number(-0.5), code.number(1.0)));
  return {sine, cosine, parts[1]};
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

void dyn::math_code::populateTrigonometricPatterns(RewritePatternSet &patterns, unsigned vectorBits) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandF32<math::SinOp>>(context, emitSin, vectorBits);
  patterns.add<ExpandF32<math::CosOp>>(context, emitCos, vectorBits);
  patterns.add<ExpandF32<math::TanOp>>(context, emitTan, vectorBits);
}

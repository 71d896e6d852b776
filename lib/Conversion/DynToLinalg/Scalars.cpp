//===- Scalar code for elements ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "FunctionReifier.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace dyn;

bool dyn::isUnsigned(Type elementType) {
  auto type = dyn_cast<IntegerType>(elementType);
  return type && (type.isUnsigned() || type.getWidth() == 1);
}

bool dyn::isSupportedElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

LogicalResult dyn::requireSupported(Operation *op, Type elementType) {
  if (isSupportedElementType(elementType))
    return success();
  return op->emitOpError() << "has no lowering for elements of type " << elementType;
}

static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

Value ScalarBuilder::constant(Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value));
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, static_cast<int64_t>(value)));
}

Value ScalarBuilder::integer(Type type, const APInt &value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

Value ScalarBuilder::add(Value lhs, Value rhs) {
  return isFloat(lhs) ? arith::AddFOp::create(builder, loc, lhs, rhs).getResult()
                      : arith::AddIOp::create(builder, loc, lhs, rhs).getResult();
}

Value ScalarBuilder::sub(Value lhs, Value rhs) {
  return isFloat(lhs) ? arith::SubFOp::create(builder, loc, lhs, rhs).getResult()
                      : arith::SubIOp::create(builder, loc, lhs, rhs).getResult();
}

Value ScalarBuilder::mul(Value lhs, Value rhs) {
  return isFloat(lhs) ? arith::MulFOp::create(builder, loc, lhs, rhs).getResult()
                      : arith::MulIOp::create(builder, loc, lhs, rhs).getResult();
}

Value ScalarBuilder::select(Value condition, Value onTrue, Value onFalse) {
  return arith::SelectOp::create(builder, loc, condition, onTrue, onFalse);
}

Value ScalarBuilder::compare(CompareDirection direction, Value lhs, Value rhs, bool isUnsigned) {
  if (isFloat(lhs)) {
    auto predicate = [&] {
      switch (direction) {
      case CompareDirection::EQ:
        return arith::CmpFPredicate::OEQ;
      case CompareDirection::NE:
        return arith::CmpFPredicate::UNE;
      case CompareDirection::LT:
        return arith::CmpFPredicate::OLT;
      case CompareDirection::LE:
        return arith::CmpFPredicate::OLE;
      case CompareDirection::GT:
        return arith::CmpFPredicate::OGT;
      case CompareDirection::GE:
        return arith::CmpFPredicate::OGE;
      }
      llvm_unreachable("all directions handled");
    }();
    return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
  }
  auto predicate = [&] {
    using P = arith::CmpIPredicate;
    switch (direction) {
    case CompareDirection::EQ:
      return P::eq;
    case CompareDirection::NE:
      return P::ne;
    case CompareDirection::LT:
      return isUnsigned ? P::ult : P::slt;
    case CompareDirection::LE:
      return isUnsigned ? P::ule : P::sle;
    case CompareDirection::GT:
      return isUnsigned ? P::ugt : P::sgt;
    case CompareDirection::GE:
      return isUnsigned ? P::uge : P::sge;
    }
    llvm_unreachable("all directions handled");
  }();
  return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
}

Value ScalarBuilder::div(Value lhs, Value rhs, bool isUnsigned) {
  if (isFloat(lhs))
    return arith::DivFOp::create(builder, loc, lhs, rhs);
  if (isUnsigned)
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  APInt divisor;
  if (matchPattern(rhs, m_ConstantInt(&divisor)) && !divisor.isAllOnes())
    return arith::DivSIOp::create(builder, loc, lhs, rhs);
  // The processor traps at the lowest number divided by -1, so that -1 is replaced and its result selected.
  Type type = lhs.getType();
  Value isMinusOne = compare(CompareDirection::EQ, rhs, constant(type, -1), true);
  Value quotient = arith::DivSIOp::create(builder, loc, lhs, select(isMinusOne, constant(type, 1), rhs));
  return select(isMinusOne, sub(constant(type, 0), lhs), quotient);
}

Value ScalarBuilder::mod(Value lhs, Value rhs, bool isUnsigned, bool fmod) {
  Type type = lhs.getType();
  Value zero = constant(type, 0);
  Value remainder;
  if (isFloat(lhs)) {
    remainder = arith::RemFOp::create(builder, loc, lhs, rhs);
  } else {
    // At -1 the processor traps for the lowest number; the remainder by 1 is the one wanted.
    if (!isUnsigned)
      rhs = select(compare(CompareDirection::EQ, rhs, constant(type, -1), true), constant(type, 1), rhs);
    remainder = isUnsigned ? arith::RemUIOp::create(builder, loc, lhs, rhs).getResult()
                           : arith::RemSIOp::create(builder, loc, lhs, rhs).getResult();
  }
  if (fmod || isUnsigned)
    return remainder;
  Value isNegative = compare(CompareDirection::LT, remainder, zero, false);
  Value isDivisorNegative = compare(CompareDirection::LT, rhs, zero, false);
  Value differs = compare(CompareDirection::NE, isNegative, isDivisorNegative, true);
  Value isNonZero = compare(CompareDirection::NE, remainder, zero, true);
  return select(arith::AndIOp::create(builder, loc, differs, isNonZero), add(remainder, rhs), remainder);
}

Value ScalarBuilder::powByConstant(Value base, const APFloat &exponent) {
  Type type = base.getType();
  auto is = [&](double value) { return exponent.convertToDouble() == value; };
  if (is(0))
    return constant(type, 1);
  // Doubles hold every integer of 32 bits.
  if (is(1) && (isFloat(base) || type.getIntOrFloatBitWidth() <= 32))
    return base;
  if (is(2))
    return mul(base, base);
  if (is(3))
    return mul(mul(base, base), base);
  if (!isFloat(base))
    return {};
  if (is(4)) {
    // In f32 at most 3 ulp off.
    Value square = mul(base, base);
    return mul(square, square);
  }
  if (is(-1))
    return div(constant(type, 1), base, false);
  if (is(0.5)) {
    // A square root, but for the two places where they differ: -0 and minus infinity.
    Value root = math::SqrtOp::create(builder, loc, add(base, constant(type, 0)));
    double infinity = std::numeric_limits<double>::infinity();
    Value isLowest = compare(CompareDirection::EQ, base, constant(type, -infinity), false);
    return select(isLowest, constant(type, infinity), root);
  }
  return {};
}

/// The libraries of GPUs give powers of doubles some units in the last place off, also where doubles hold them.
Value ScalarBuilder::makeExact(Value power, Value base, Value exponent) {
  Type i64 = builder.getI64Type(), f64 = power.getType();
  Value one = constant(i64, 1), zero = constant(i64, 0), product = one, square = base, bits = exponent;
  // Squares wrap, which is right for what is no larger than 64 bits.
  constexpr int exponentBits = 6;
  for (int bit = 0; bit < exponentBits; ++bit) {
    Value isSet = compare(CompareDirection::NE, arith::AndIOp::create(builder, loc, bits, one), zero, true);
    product = select(isSet, mul(product, square), product);
    square = mul(square, square);
    bits = arith::ShRUIOp::create(builder, loc, bits, one);
  }
  // With some room for what is off. No power of more than one factor lies between 2^53 and there.
  constexpr double largestExact = (int64_t(1) << 53) + 16;
  Value size = abs(power, false);
  Value isHeld = arith::AndIOp::create(builder, loc, compare(CompareDirection::GT, size, constant(f64, 1.5), false),
                                       compare(CompareDirection::LT, size, constant(f64, largestExact), false));
  return select(isHeld, arith::SIToFPOp::create(builder, loc, f64, product), power);
}

/// What shifts of bits are made of: also where doubles do not hold it, or the library of a GPU is off.
Value ScalarBuilder::chooseShift(Value power, Value exponent, bool isUnsigned) {
  Type type = power.getType();
  double end = type.getIntOrFloatBitWidth() - (isUnsigned ? 0 : 1);
  // Negative ones are large without sign.
  Value isShift = compare(CompareDirection::LT, exponent, constant(exponent.getType(), end), true);
  Value count = select(isShift, exponent, constant(exponent.getType(), 0));
  Value shifted = arith::ShLIOp::create(builder, loc, constant(type, 1), cast(count, exponent.getType(), type));
  return select(isShift, shifted, power);
}

Value ScalarBuilder::pow(Value base, Value exponent, bool isBaseUnsigned, bool isExponentUnsigned) {
  APFloat number(0.0);
  APInt integer;
  Value folded;
  if (matchPattern(exponent, m_ConstantFloat(&number))) {
    bool loses;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    folded = powByConstant(base, number);
  } else if (matchPattern(exponent, m_ConstantInt(&integer))) {
    double value = isExponentUnsigned ? double(integer.getZExtValue()) : double(integer.getSExtValue());
    folded = powByConstant(base, APFloat(value));
  }
  if (folded)
    return folded;
  // As C++ promotes: in double precision unless both are floats of at most 32 bits.
  auto isNarrowFloat = [](Value value) { return isFloat(value) && value.getType().getIntOrFloatBitWidth() <= 32; };
  Type wide = isNarrowFloat(base) && isNarrowFloat(exponent) ? Type(builder.getF32Type()) : Type(builder.getF64Type());
  auto getAbove = [&](Value value, bool isUnsigned) -> Type {
    auto type = dyn_cast<IntegerType>(value.getType());
    return type && isUnsigned ? IntegerType::get(type.getContext(), type.getWidth(), IntegerType::Unsigned)
                              : value.getType();
  };
  Type baseType = getAbove(base, isBaseUnsigned), exponentType = getAbove(exponent, isExponentUnsigned);
  Value wideExponent = cast(exponent, exponentType, wide);
  Value power = math::PowFOp::create(builder, loc, cast(base, baseType, wide), wideExponent);
  if (!isFloat(base)) {
    Type i64 = builder.getI64Type();
    Value whole = cast(exponent, exponentType, i64);
    Value exact = makeExact(power, cast(base, baseType, i64), whole);
    // A float may be none.
    power = !isFloat(exponent)
                ? exact
                : select(compare(CompareDirection::EQ, cast(whole, i64, wide), wideExponent, false), exact, power);
  }
  power = cast(power, wide, baseType);
  if (isFloat(base))
    return power;
  if (matchPattern(base, m_ConstantInt(&integer)) && integer == 2 && !isFloat(exponent))
    return chooseShift(power, exponent, isBaseUnsigned);
  Value square = mul(base, base);
  auto choose = [&](double number, Value product) {
    Value isIt = compare(CompareDirection::EQ, exponent, constant(exponent.getType(), number), isExponentUnsigned);
    power = select(isIt, product, power);
  };
  choose(2, square);
  choose(3, mul(square, base));
  return power;
}

Value ScalarBuilder::min(Value lhs, Value rhs, bool isUnsigned) {
  if (isFloat(lhs))
    return arith::MinimumFOp::create(builder, loc, lhs, rhs);
  return isUnsigned ? arith::MinUIOp::create(builder, loc, lhs, rhs).getResult()
                    : arith::MinSIOp::create(builder, loc, lhs, rhs).getResult();
}

Value ScalarBuilder::max(Value lhs, Value rhs, bool isUnsigned) {
  if (isFloat(lhs))
    return arith::MaximumFOp::create(builder, loc, lhs, rhs);
  return isUnsigned ? arith::MaxUIOp::create(builder, loc, lhs, rhs).getResult()
                    : arith::MaxSIOp::create(builder, loc, lhs, rhs).getResult();
}

Value ScalarBuilder::combine(ReduceKind kind, Value lhs, Value rhs, bool isUnsigned) {
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return add(lhs, rhs);
  case ReduceKind::Prod:
    return mul(lhs, rhs);
  case ReduceKind::Max:
    return max(lhs, rhs, isUnsigned);
  case ReduceKind::Min:
    return min(lhs, rhs, isUnsigned);
  }
  llvm_unreachable("all kinds handled");
}

Value ScalarBuilder::abs(Value value, bool isUnsigned) {
  if (isFloat(value))
    return math::AbsFOp::create(builder, loc, value);
  return isUnsigned ? value : math::AbsIOp::create(builder, loc, value).getResult();
}

Value ScalarBuilder::sign(Value value, bool isUnsigned) {
  Type type = value.getType();
  Value zero = constant(type, 0), one = constant(type, 1);
  Value isPositive = compare(CompareDirection::GT, value, zero, isUnsigned);
  if (isUnsigned)
    return select(isPositive, one, zero);
  Value isNegative = compare(CompareDirection::LT, value, zero, false);
  // What is neither is a zero or no number, and stays.
  return select(isPositive, one, select(isNegative, constant(type, -1), value));
}

Value ScalarBuilder::sigmoid(Value value) {
  Type type = value.getType();
  // e^x / (1 + e^x): where e^-x is infinite the result may be a number below the smallest normal one. Where e^x would
  // be infinite, it is 1 long before.
  double largest = APFloat::getLargest(mlir::cast<FloatType>(type).getFloatSemantics()).convertToDouble();
  Value limit = constant(type, std::floor(std::log(largest)));
  Value bounded = select(compare(CompareDirection::GT, value, limit, false), limit, value);
  Value power = math::ExpOp::create(builder, loc, bounded);
  return div(power, add(constant(type, 1), power), false);
}

Value ScalarBuilder::isInf(Value value, bool detectNegative, bool detectPositive) {
  Value infinity = constant(value.getType(), std::numeric_limits<double>::infinity());
  if (!detectNegative && !detectPositive)
    return constant(builder.getI1Type(), 0);
  if (detectNegative && detectPositive)
    value = abs(value, false);
  else if (detectNegative)
    value = arith::NegFOp::create(builder, loc, value);
  return compare(CompareDirection::EQ, value, infinity, false);
}

/// `dyn.cast` says what numbers become that do not fit.
Value ScalarBuilder::castFloatToInt(Value value, IntegerType type, bool isUnsigned) {
  // The bounds of integers are no finite numbers of 16 bits.
  if (value.getType().getIntOrFloatBitWidth() < 32)
    value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  Type floatType = value.getType();
  unsigned width = type.getWidth();
  Type through = builder.getIntegerType(width == 64 || (width == 32 && isUnsigned) ? 64 : 32);
  // The first power of two beyond it, which is exact; its negation is the lowest integer, which stands for all that
  // does not fit, NaN too.
  double end = std::ldexp(1.0, through.getIntOrFloatBitWidth() - 1);
  auto convert = [&](Value number) -> Value {
    Value fits = compare(CompareDirection::LT, abs(number, false), constant(floatType, end), false);
    return arith::FPToSIOp::create(builder, loc, through, select(fits, number, constant(floatType, -end)));
  };
  if (width == 64 && isUnsigned) {
    // The upper half by way of the lower one.
    Value isUpper = compare(CompareDirection::GE, value, constant(floatType, end), false);
    Value lower = select(isUpper, sub(value, constant(floatType, end)), value);
    Value offset = select(isUpper, integer(through, APInt::getSignedMinValue(64)), constant(through, 0));
    return arith::XOrIOp::create(builder, loc, convert(lower), offset);
  }
  Value number = convert(value);
  return through == type ? number : arith::TruncIOp::create(builder, loc, type, number);
}

Value ScalarBuilder::cast(Value value, Type from, Type to) {
  if (from == to)
    return value;
  Type type = getSignlessType(to);
  if (type.isInteger(1))
    return compare(CompareDirection::NE, value, constant(value.getType(), 0), true);
  if (isa<FloatType>(from)) {
    if (auto integer = dyn_cast<IntegerType>(type))
      return castFloatToInt(value, integer, isUnsigned(to));
    unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = type.getIntOrFloatBitWidth();
    // In two steps, as onnxruntime does; no processor has one.
    if ((fromWidth == 64 && toWidth == 16) || (from.isBF16() && toWidth == 64))
      return cast(cast(value, from, builder.getF32Type()), builder.getF32Type(), to);
    if (fromWidth == toWidth) { // the two formats of 16 bits
      Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
      return arith::TruncFOp::create(builder, loc, type, wide);
    }
    return fromWidth < toWidth ? arith::ExtFOp::create(builder, loc, type, value).getResult()
                               : arith::TruncFOp::create(builder, loc, type, value).getResult();
  }
  // By way of 32 bits, which hold every integer that is finite in 16.
  if (type.isF16())
    return cast(cast(value, from, builder.getF32Type()), builder.getF32Type(), to);
  if (isa<FloatType>(type))
    return isUnsigned(from) ? arith::UIToFPOp::create(builder, loc, type, value).getResult()
                            : arith::SIToFPOp::create(builder, loc, type, value).getResult();
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = type.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return value;
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(builder, loc, type, value);
  return isUnsigned(from) ? arith::ExtUIOp::create(builder, loc, type, value).getResult()
                          : arith::ExtSIOp::create(builder, loc, type, value).getResult();
}

//===- Arithmetic on f32 scalars and vectors ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MathCode.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn::math_code;

MathCode::MathCode(OpBuilder &builder, Location loc, Value like, unsigned vectorBits)
    : builder(builder), loc(loc), like(like.getType()), vectorBits(vectorBits) {}

Type MathCode::shaped(Type elementType) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? vector.clone(elementType) : elementType;
}

Value MathCode::constant(TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(like)) {
    auto type = cast<ShapedType>(vector.clone(value.getType()));
    value = DenseElementsAttr::get(type, Attribute(value));
  }
  return arith::ConstantOp::create(builder, loc, value);
}

Value MathCode::number(double value) { return constant(builder.getF32FloatAttr(value)); }
Value MathCode::number64(double value) { return constant(builder.getF64FloatAttr(value)); }
Value MathCode::bits(int32_t value) { return constant(builder.getI32IntegerAttr(value)); }
Value MathCode::add(Value lhs, Value rhs) { return arith::AddFOp::create(builder, loc, lhs, rhs); }
Value MathCode::sub(Value lhs, Value rhs) { return arith::SubFOp::create(builder, loc, lhs, rhs); }
Value MathCode::mul(Value lhs, Value rhs) { return arith::MulFOp::create(builder, loc, lhs, rhs); }
Value MathCode::div(Value lhs, Value rhs) { return arith::DivFOp::create(builder, loc, lhs, rhs); }
Value MathCode::fma(Value lhs, Value rhs, Value addend) {
  auto contract = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(builder, loc, lhs, rhs, contract);
  return arith::AddFOp::create(builder, loc, product, addend, contract);
}
Value MathCode::negate(Value value) { return arith::NegFOp::create(builder, loc, value); }
Value MathCode::abs(Value value) { return math::AbsFOp::create(builder, loc, value); }
Value MathCode::copySign(Value magnitude, Value sign) {
  return math::CopySignOp::create(builder, loc, magnitude, sign);
}
Value MathCode::sqrt(Value value) { return math::SqrtOp::create(builder, loc, value); }
Value MathCode::floor(Value value) { return math::FloorOp::create(builder, loc, value); }
Value MathCode::roundEven(Value value) { return math::RoundEvenOp::create(builder, loc, value); }

Value MathCode::polynomial(Value x, ArrayRef<double> coefficients) {
  bool isDouble = getElementTypeOrSelf(x.getType()).isF64();
  auto coefficient = [&](double value) { return isDouble ? number64(value) : number(value); };
  Value result = coefficient(coefficients.front());
  for (double next : coefficients.drop_front())
    result = fma(result, x, coefficient(next));
  return result;
}

Value MathCode::compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
}
Value MathCode::select(Value condition, Value then, Value otherwise) {
  return arith::SelectOp::create(builder, loc, condition, then, otherwise);
}
Value MathCode::clampBelow(Value value, double bound) {
  Value limit = number(bound);
  return select(compare(arith::CmpFPredicate::OLT, value, limit), limit, value);
}
Value MathCode::clampAbove(Value value, double bound) {
  Value limit = number(bound);
  return select(compare(arith::CmpFPredicate::OGT, value, limit), limit, value);
}
Value MathCode::toBits(Value value) {
  return arith::BitcastOp::create(builder, loc, shaped(builder.getI32Type()), value);
}
Value MathCode::fromBits(Value value) {
  return arith::BitcastOp::create(builder, loc, shaped(builder.getF32Type()), value);
}
Value MathCode::toInteger(Value value) {
  return arith::FPToSIOp::create(builder, loc, shaped(builder.getI32Type()), value);
}
Value MathCode::toFloat(Value integer) {
  return arith::SIToFPOp::create(builder, loc, shaped(builder.getF32Type()), integer);
}
Value MathCode::to64(Value value) { return arith::ExtFOp::create(builder, loc, shaped(builder.getF64Type()), value); }
Value MathCode::to32(Value value) { return arith::TruncFOp::create(builder, loc, shaped(builder.getF32Type()), value); }
Value MathCode::addBits(Value lhs, Value rhs) { return arith::AddIOp::create(builder, loc, lhs, rhs); }
Value MathCode::subBits(Value lhs, Value rhs) { return arith::SubIOp::create(builder, loc, lhs, rhs); }
Value MathCode::andBits(Value lhs, Value rhs) { return arith::AndIOp::create(builder, loc, lhs, rhs); }
Value MathCode::orBits(Value lhs, Value rhs) { return arith::OrIOp::create(builder, loc, lhs, rhs); }
Value MathCode::shiftLeft(Value value, int32_t count) {
  return arith::ShLIOp::create(builder, loc, value, bits(count));
}
Value MathCode::shiftRight(Value value, int32_t count) {
  return arith::ShRSIOp::create(builder, loc, value, bits(count));
}
Value MathCode::powerOfTwo(Value exponent) { return fromBits(shiftLeft(addBits(exponent, bits(127)), 23)); }
Value MathCode::scale(Value value, Value exponent) {
  auto vector = dyn_cast<VectorType>(like);
  if (vector && vectorBits == 512 && vector.getRank() == 1 && vector.getNumElements() % registerLanes == 0)
    return scaleInRegisters(value, exponent);
  exponent = toInteger(exponent);
  Value half = shiftRight(exponent, 1);
  return mul(mul(value, powerOfTwo(half)), powerOfTwo(subBits(exponent, half)));
}

/// By VSCALEFPS of AVX-512, which takes the exponent as a float.
Value MathCode::scaleInRegisters(Value value, Value exponent) {
  Value everyLane = arith::ConstantOp::create(builder, loc, builder.getI16IntegerAttr(-1));
  Value currentRounding = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(4));
  auto type = VectorType::get(registerLanes, builder.getF32Type());
  auto name = builder.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512");
  int64_t size = registerLanes, stride = 1, lanes = cast<VectorType>(like).getNumElements();
  Value result = value;
  for (int64_t offset = 0; offset < lanes; offset += size) {
    auto slice = [&](Value from) {
      return builder.createOrFold<vector::ExtractStridedSliceOp>(loc, from, offset, size, stride);
    };
    Value part = slice(value);
    part = LLVM::CallIntrinsicOp::create(builder, loc, type, name,
                                         ValueRange{part, slice(exponent), part, everyLane, currentRounding})
               .getResult(0);
    result = lanes == size ? part : vector::InsertStridedSliceOp::create(builder, loc, part, result, offset, stride);
  }
  return result;
}
Value MathCode::mulBits(Value lhs, Value rhs) { return arith::MulIOp::create(builder, loc, lhs, rhs); }
Value MathCode::isEqual(Value lhs, Value rhs) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lhs, rhs);
}
Value MathCode::both(Value lhs, Value rhs) { return arith::AndIOp::create(builder, loc, lhs, rhs); }
Value MathCode::shiftLeft(Value value, Value count) { return arith::ShLIOp::create(builder, loc, value, count); }
Value MathCode::bits64(int64_t value) { return constant(builder.getI64IntegerAttr(value)); }
Value MathCode::widen(Value value) { return arith::ExtUIOp::create(builder, loc, shaped(builder.getI64Type()), value); }
Value MathCode::shiftLeft64(Value value, int64_t count) {
  return arith::ShLIOp::create(builder, loc, value, bits64(count));
}
Value MathCode::shiftRight64(Value value, int64_t count) {
  return arith::ShRUIOp::create(builder, loc, value, bits64(count));
}
Value MathCode::fromBits64(Value value) {
  return arith::BitcastOp::create(builder, loc, shaped(builder.getF64Type()), value);
}
Value MathCode::toFloat64(Value integer) {
  return arith::SIToFPOp::create(builder, loc, shaped(builder.getF64Type()), integer);
}

SmallVector<Value> MathCode::ifAny(Value condition, ValueRange otherwise,
                                   llvm::function_ref<SmallVector<Value>()> then) {
  if (auto vector = dyn_cast<VectorType>(condition.getType())) {
    // Reductions take one dim.
    Value flat = vector.getRank() == 1
                     ? condition
                     : vector::ShapeCastOp::create(
                           builder, loc, VectorType::get(vector.getNumElements(), builder.getI1Type()), condition);
    condition = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, flat);
  }
  auto branch = scf::IfOp::create(builder, loc, otherwise.getTypes(), condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, then());
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, otherwise);
  return SmallVector<Value>(branch.getResults());
}

std::optional<float> dyn::math_code::getConstant(Value value) {
  while (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return std::nullopt;
  Attribute attribute = constant.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    attribute = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(attribute);
  return number ? std::optional(number.getValue().convertToFloat()) : std::nullopt;
}

//===- Building the code of kernels -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Code.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dyn::codegen;

std::optional<int64_t> dyn::codegen::constantOf(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

Type Lanes::elementType() const {
  return first ? first.getType() : cast<VectorType>(vector.getType()).getElementType();
}

Value Code::index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
Value Code::add(Value lhs, Value rhs) { return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs); }
Value Code::sub(Value lhs, Value rhs) { return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs); }

Value Code::mul(Value lhs, Value rhs) {
  if (isConstant(lhs, 0) || isConstant(rhs, 1))
    return lhs;
  if (isConstant(rhs, 0) || isConstant(lhs, 1))
    return rhs;
  return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs);
}

Value Code::min(Value lhs, Value rhs) { return builder.createOrFold<arith::MinSIOp>(loc, lhs, rhs); }
Value Code::max(Value lhs, Value rhs) { return builder.createOrFold<arith::MaxSIOp>(loc, lhs, rhs); }
Value Code::div(Value lhs, Value rhs) { return builder.createOrFold<arith::DivUIOp>(loc, lhs, rhs); }
Value Code::rem(Value lhs, Value rhs) {
  if (isConstant(rhs, 1))
    return index(0);
  return builder.createOrFold<arith::RemUIOp>(loc, lhs, rhs);
}
Value Code::ceilDiv(Value lhs, int64_t rhs) { return div(add(lhs, index(rhs - 1)), index(rhs)); }

Value Code::product(ValueRange values) {
  Value result = index(1);
  for (Value value : values)
    result = mul(result, value);
  return result;
}

SmallVector<Value> Code::delinearize(Value item, ValueRange extents) {
  SmallVector<Value> indices(extents.size());
  for (size_t d = extents.size(); d-- > 0;) {
    indices[d] = d == 0 ? item : rem(item, extents[d]);
    if (d > 0)
      item = div(item, extents[d]);
  }
  return indices;
}

Value Code::isLess(Value lhs, Value rhs) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lhs, rhs);
}

Value Code::both(Value lhs, Value rhs) { return builder.createOrFold<arith::AndIOp>(loc, lhs, rhs); }

Value Code::either(Value lhs, Value rhs) { return builder.createOrFold<arith::OrIOp>(loc, lhs, rhs); }

Value Code::toInt64(Value index) { return builder.createOrFold<arith::IndexCastOp>(loc, builder.getI64Type(), index); }

SmallVector<Value> Code::forLoop(Value lower, Value upper, int64_t step, ValueRange init, LoopBody body) {
  std::optional<int64_t> first = constantOf(lower), end = constantOf(upper);
  if (first && end && *end <= *first)
    return llvm::to_vector(init);
  if (first && end && *end - *first <= step)
    return body(lower, init);
  auto loop = scf::ForOp::create(builder, loc, lower, upper, index(step), init);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = loop.getBody();
  // With nothing to carry, the builder has already put a terminator into the block.
  if (init.empty()) {
    builder.setInsertionPoint(block->getTerminator());
    body(loop.getInductionVar(), {});
    return {};
  }
  builder.setInsertionPointToEnd(block);
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void Code::forLoop(Value lower, Value upper, function_ref<void(Value)> body) {
  forLoop(lower, upper, 1, {}, [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

SmallVector<Value> Code::ifThen(Value condition, ValueRange otherwise, function_ref<SmallVector<Value>()> then) {
  if (std::optional<int64_t> known = constantOf(condition))
    return *known ? then() : llvm::to_vector(otherwise);
  auto branch = scf::IfOp::create(builder, loc, TypeRange(otherwise), condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/!otherwise.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> results = then();
  scf::YieldOp::create(builder, loc, results);
  if (!otherwise.empty()) {
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, loc, otherwise);
  }
  return llvm::to_vector_of<Value>(branch.getResults());
}

Value Code::choose(Value condition, function_ref<Value()> then, function_ref<Value()> otherwise) {
  if (std::optional<int64_t> known = constantOf(condition))
    return *known ? then() : otherwise();
  auto branch = scf::IfOp::create(
      builder, loc, condition, [&](OpBuilder &, Location) { scf::YieldOp::create(builder, loc, then()); },
      [&](OpBuilder &, Location) { scf::YieldOp::create(builder, loc, otherwise()); });
  return branch.getResult(0);
}

void Code::ifThen(Value condition, function_ref<void()> then) {
  ifThen(condition, {}, [&] {
    then();
    return SmallVector<Value>();
  });
}

Type Code::typeAt(Type elementType, const Points &points) {
  return points.lanes ? Type(VectorType::get({int64_t(points.lanes)}, elementType)) : elementType;
}

Value Code::materialize(const Lanes &value, const Points &points) {
  if (!points.lanes)
    return value.first;
  if (value.isVarying())
    return value.vector;
  Type type = typeAt(value.elementType(), points);
  Value all = vector::BroadcastOp::create(builder, loc, type, value.first);
  if (value.isUniform() || isConstant(value.step, 0))
    return all;
  Type indexType = typeAt(builder.getIndexType(), points);
  Value place = vector::StepOp::create(builder, loc, cast<VectorType>(indexType));
  if (type != indexType)
    place = arith::IndexCastOp::create(builder, loc, type, place);
  if (!isConstant(value.step, 1)) {
    Value step = vector::BroadcastOp::create(builder, loc, type, value.step);
    place = arith::MulIOp::create(builder, loc, place, step);
  }
  return arith::AddIOp::create(builder, loc, all, place);
}

Lanes Code::lanesOf(Value value, const Points &points) {
  return points.lanes ? Lanes::varying(value) : Lanes::uniform(value);
}

Lanes Code::add(const Lanes &lhs, const Lanes &rhs, const Points &points) {
  if (lhs.isVarying() || rhs.isVarying())
    return Lanes::varying(arith::AddIOp::create(builder, loc, materialize(lhs, points), materialize(rhs, points)));
  Value step = lhs.step && rhs.step ? add(lhs.step, rhs.step) : lhs.step ? lhs.step : rhs.step;
  return {add(lhs.first, rhs.first), step, {}};
}

Lanes Code::mul(const Lanes &lhs, Value rhs, const Points &points) {
  if (isConstant(rhs, 0))
    return Lanes::uniform(rhs);
  if (lhs.isVarying())
    return isConstant(rhs, 1) ? lhs
                              : Lanes::varying(arith::MulIOp::create(builder, loc, lhs.vector,
                                                                     materialize(Lanes::uniform(rhs), points)));
  return {mul(lhs.first, rhs), lhs.step ? mul(lhs.step, rhs) : Value(), {}};
}

Value Code::maskOf(Value count, unsigned lanes) {
  return vector::CreateMaskOp::create(builder, loc, VectorType::get({int64_t(lanes)}, builder.getI1Type()), count);
}

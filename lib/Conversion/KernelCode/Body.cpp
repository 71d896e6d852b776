//===- Bodies of linalg ops on scalars and vectors ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/Body.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn::codegen;

LogicalResult dyn::codegen::verifyBody(Block &body) {
  for (Operation &op : body) {
    if (isa<arith::ConstantOp, linalg::IndexOp, tensor::ExtractOp, dyn::shape::BoundOp, linalg::YieldOp, scf::YieldOp>(
            op))
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.elseBlock()) {
      if (failed(verifyBody(*branch.thenBlock())) || failed(verifyBody(*branch.elseBlock())))
        return failure();
      continue;
    }
    bool isElementwise = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
                         mlir::OpTrait::hasElementwiseMappableTraits(&op) && op.getNumResults() == 1;
    if (!isElementwise)
      return op.emitOpError("has no lowering in the body of a linalg op");
  }
  return success();
}

int64_t dyn::codegen::estimateCost(Block &body) {
  int64_t cost = 2 * body.getNumArguments();
  body.walk([&](Operation *op) {
    bool isLong =
        isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isa<math::AbsFOp, math::SqrtOp, math::FmaOp>(op);
    bool isDivision = isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
    cost += isLong ? 12 : isDivision || isa<tensor::ExtractOp>(op) ? 4 : 1;
  });
  return cost;
}

namespace {

class BodyEmitter {
public:
  BodyEmitter(KernelCode &kernel, ArrayRef<Lanes> loops, const Points &points)
      : kernel(kernel), code(kernel.code), loops(loops), points(points) {}

  SmallVector<Lanes> emit(Block &body, ArrayRef<Lanes> arguments) {
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
      values[argument] = value;
    for (Operation &op : body.without_terminator()) {
      if (auto branch = dyn_cast<scf::IfOp>(op))
        for (auto [result, value] : llvm::zip_equal(branch.getResults(), emitBranch(branch)))
          values[result] = value;
      else
        values[op.getResult(0)] = emit(&op);
    }
    return llvm::map_to_vector(body.getTerminator()->getOperands(), [&](Value v) { return get(v); });
  }

private:
  Lanes get(Value value) {
    if (auto known = values.find(value); known != values.end())
      return known->second;
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      return Lanes::uniform(code.builder.clone(*constant)->getResult(0));
    return Lanes::uniform(kernel.scalars.lookup(value));
  }

  Lanes emit(Operation *op) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return loops[index.getDim()];
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return emitExtract(extract);
    if (isa<dyn::shape::BoundOp>(op)) {
      Lanes index = get(op->getOperand(0)), limit = get(op->getOperand(1));
      // Where only some lanes get here, each answers for itself.
      if (isPredicated)
        index = Lanes::varying(code.materialize(index, points));
      return emitBound(kernel, op, index, limit, points);
    }
    if (isa<arith::ConstantOp>(op))
      return Lanes::uniform(code.builder.clone(*op)->getResult(0));
    if (Lanes linear = emitLinear(op); linear.isSet())
      return linear;
    return emitElementwise(op);
  }

  Lanes emitExtract(tensor::ExtractOp extract) {
    TensorMemory &memory = kernel.memoryOf(extract.getTensor());
    Lanes offset = Lanes::uniform(code.index(0));
    for (auto [index, stride] : llvm::zip_equal(extract.getIndices(), memory.strides))
      offset = code.add(offset, code.mul(get(index), stride, points), points);
    if (!isPredicated || !offset.isUniform())
      return load(code, memory, offset, points);
    // An address that all lanes share may be read if any of them gets here.
    Value any = vector::ReductionOp::create(code.builder, code.loc, vector::CombiningKind::OR, points.mask);
    Type type = extract.getType();
    Value zero = arith::ConstantOp::create(code.builder, code.loc, code.builder.getZeroAttr(type));
    return Lanes::uniform(
        code.ifThen(any, zero, [&] { return SmallVector<Value>{load(code, memory, offset, points).first}; })[0]);
  }

  /// A condition that all points share chooses a branch; otherwise each lane takes part in the branch that it needs.
  SmallVector<Lanes> emitBranch(scf::IfOp branch) {
    Lanes condition = get(branch.getCondition());
    OpBuilder &b = code.builder;
    if (condition.isUniform()) {
      SmallVector<Type> types =
          llvm::map_to_vector(branch.getResultTypes(), [&](Type type) { return code.typeAt(type, points); });
      auto copy = scf::IfOp::create(b, code.loc, types, condition.first, /*addThenBlock=*/true, /*addElseBlock=*/true);
      for (auto [from, to] :
           {std::pair(branch.thenBlock(), copy.thenBlock()), std::pair(branch.elseBlock(), copy.elseBlock())}) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(to);
        SmallVector<Value> results =
            llvm::map_to_vector(emit(*from, {}), [&](const Lanes &v) { return code.materialize(v, points); });
        scf::YieldOp::create(b, code.loc, results);
      }
      return llvm::map_to_vector(copy.getResults(), [&](Value v) { return code.lanesOf(v, points); });
    }
    Points outside = points;
    bool wasPredicated = std::exchange(isPredicated, true);
    auto emitWhere = [&](Block &block, Value mask) {
      points.mask = outside.mask ? Value(arith::AndIOp::create(b, code.loc, outside.mask, mask)) : mask;
      SmallVector<Lanes> results = emit(block, {});
      points = outside;
      return results;
    };
    Value mask = condition.vector;
    Value yes = arith::ConstantOp::create(b, code.loc, DenseElementsAttr::get(cast<ShapedType>(mask.getType()), true));
    SmallVector<Lanes> then = emitWhere(*branch.thenBlock(), mask);
    SmallVector<Lanes> otherwise = emitWhere(*branch.elseBlock(), arith::XOrIOp::create(b, code.loc, mask, yes));
    isPredicated = wasPredicated;
    SmallVector<Lanes> results;
    for (auto [lhs, rhs] : llvm::zip_equal(then, otherwise))
      results.push_back(Lanes::varying(
          arith::SelectOp::create(b, code.loc, mask, code.materialize(lhs, points), code.materialize(rhs, points))));
    return results;
  }

  /// Arithmetic that takes values linear in the lane to such values; unset for anything else.
  Lanes emitLinear(Operation *op) {
    Type type = op->getResult(0).getType();
    SmallVector<Lanes, 2> operands = llvm::map_to_vector<2>(op->getOperands(), [&](Value v) { return get(v); });
    bool isLinear =
        (type.isIndex() || type.isInteger(64)) && llvm::any_of(operands, [](auto &v) { return v.isLinear(); });
    if (!isLinear || llvm::any_of(operands, [](auto &v) { return v.isVarying(); }))
      return {};
    OpBuilder &b = code.builder;
    if (isa<arith::AddIOp>(op))
      return code.add(operands[0], operands[1], points);
    if (isa<arith::SubIOp>(op)) {
      Value none = arith::ConstantOp::create(b, code.loc, b.getZeroAttr(type));
      Value left = operands[0].step ? operands[0].step : none, right = operands[1].step ? operands[1].step : none;
      return Lanes::linear(code.sub(operands[0].first, operands[1].first), code.sub(left, right));
    }
    if (isa<arith::MulIOp>(op) && operands[1].isUniform())
      return code.mul(operands[0], operands[1].first, points);
    if (isa<arith::MulIOp>(op) && operands[0].isUniform())
      return code.mul(operands[1], operands[0].first, points);
    bool isWide = isa<arith::IndexCastOp>(op) && (op->getOperand(0).getType().isInteger(64) || type.isInteger(64));
    if (isWide)
      return Lanes::linear(b.createOrFold<arith::IndexCastOp>(code.loc, type, operands[0].first),
                           b.createOrFold<arith::IndexCastOp>(code.loc, type, operands[0].step));
    return {};
  }

  Lanes emitElementwise(Operation *op) {
    SmallVector<Lanes> operands = llvm::map_to_vector(op->getOperands(), [&](Value v) { return get(v); });
    bool isUniform = llvm::all_of(operands, [](const Lanes &v) { return v.isUniform(); });
    Points place = isUniform ? Points() : points;
    SmallVector<Value> inputs = llvm::map_to_vector(operands, [&](auto &v) { return code.materialize(v, place); });
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
            arith::FloorDivSIOp>(op))
      inputs[1] = makeDivisorSafe(op, operands[1], inputs[0], inputs[1], place);
    Operation *copy = op->clone();
    copy->setOperands(inputs);
    copy->getResult(0).setType(code.typeAt(op->getResult(0).getType(), place));
    code.builder.insert(copy);
    return isUniform ? Lanes::uniform(copy->getResult(0)) : code.lanesOf(copy->getResult(0), points);
  }

  /// Integer division traps on some operands; where it would, or where a lane does not count, the divisor is 1.
  Value makeDivisorSafe(Operation *op, const Lanes &divisor, Value dividend, Value value, const Points &place) {
    std::optional<int64_t> known = constantOf(divisor.first);
    if (known && divisor.isUniform() && *known != 0 && *known != -1)
      return value;
    OpBuilder &b = code.builder;
    Type element = op->getResult(0).getType();
    auto constant = [&](const APInt &number) {
      Value scalar = arith::ConstantOp::create(b, code.loc, b.getIntegerAttr(element, number));
      return code.materialize(Lanes::uniform(scalar), place);
    };
    auto isEqual = [&](Value lhs, Value rhs) -> Value {
      return arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::eq, lhs, rhs);
    };
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    Value traps = isEqual(value, constant(APInt::getZero(width)));
    if (isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op)) {
      Value overflows = arith::AndIOp::create(b, code.loc, isEqual(value, constant(APInt::getAllOnes(width))),
                                              isEqual(dividend, constant(APInt::getSignedMinValue(width))));
      traps = arith::OrIOp::create(b, code.loc, traps, overflows);
    }
    return arith::SelectOp::create(b, code.loc, traps, constant(APInt(width, 1)), value);
  }

  KernelCode &kernel;
  Code &code;
  ArrayRef<Lanes> loops;
  Points points;
  /// Whether lanes off the mask did not get here, rather than being no points at all.
  bool isPredicated = false;
  DenseMap<Value, Lanes> values;
};

} // namespace

SmallVector<Lanes> dyn::codegen::emitBody(KernelCode &kernel, Block &body, ArrayRef<Lanes> arguments,
                                          ArrayRef<Lanes> loops, const Points &points) {
  return BodyEmitter(kernel, loops, points).emit(body, arguments);
}

Lanes dyn::codegen::emitBound(KernelCode &kernel, Operation *op, const Lanes &index, const Lanes &limit,
                              const Points &points) {
  auto bound = cast<dyn::shape::BoundOp>(op);
  Code &code = kernel.code;
  OpBuilder &b = code.builder;
  bool isUniform = index.isUniform() && limit.isUniform();
  Points place = isUniform ? Points() : points;
  Value given = code.materialize(index, place), end = code.materialize(limit, place);
  Value zero = code.materialize(Lanes::uniform(code.index(0)), place);
  Value counted = given;
  if (bound.getFromEnd()) {
    Value isNegative = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::slt, given, zero);
    counted = arith::SelectOp::create(b, code.loc, isNegative, arith::AddIOp::create(b, code.loc, given, end), given);
  }
  // One unsigned comparison refuses both ends.
  Value isInside = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::ult, counted, end);
  Value isOutside = arith::CmpIOp::create(b, code.loc, arith::CmpIPredicate::uge, counted, end);
  Value guard = arith::ConstantIntOp::create(b, code.loc, bound.getGuard(), 64);
  if (isUniform || !points.lanes) {
    code.ifThen(isOutside, [&] { kernel.recordError(guard, {code.toInt64(given), code.toInt64(end)}); });
  } else {
    if (points.mask)
      isOutside = arith::AndIOp::create(b, code.loc, isOutside, points.mask);
    Value any = vector::ReductionOp::create(b, code.loc, vector::CombiningKind::OR, isOutside);
    code.ifThen(any, [&] {
      code.forLoop(code.index(0), code.index(points.lanes), [&](Value lane) {
        Value isBad = vector::ExtractOp::create(b, code.loc, isOutside, OpFoldResult(lane));
        code.ifThen(isBad, [&] {
          Value badIndex = vector::ExtractOp::create(b, code.loc, given, OpFoldResult(lane));
          Value badLimit = vector::ExtractOp::create(b, code.loc, end, OpFoldResult(lane));
          kernel.recordError(guard, {code.toInt64(badIndex), code.toInt64(badLimit)});
        });
      });
    });
  }
  Value result = arith::SelectOp::create(b, code.loc, isInside, counted, zero);
  return isUniform ? Lanes::uniform(result) : code.lanesOf(result, points);
}

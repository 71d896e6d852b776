//===- Lowerings of elementwise ops --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "Scalars.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {
/// The elements that a body gets, and what the dyn op says of them.
template <typename OpT>
struct Elements {
  mutable OpT op; // accessors of ops are not const
  FunctionReifier &reifier;
  ScalarBuilder &scalars;
  ValueRange values;
  Value operator[](unsigned index) const { return values[index]; }
  /// Of an operand: are its integers unsigned?
  bool isUnsigned(unsigned index) const { return dyn::isUnsigned(getElementType(op->getOperand(index))); }
  /// Element 1, which divides. Data may say an integer 0: the run then ends with an error, and 1 stands for it, so that
  /// the processor does not trap.
  Value getDivisor() const {
    Value divisor = values[1];
    APInt known;
    if (isa<FloatType>(divisor.getType()) || (matchPattern(divisor, m_ConstantInt(&known)) && !known.isZero()))
      return divisor;
    OpBuilder &b = scalars.builder;
    Location loc = scalars.loc;
    Value isZero = scalars.compare(CompareDirection::EQ, divisor, scalars.constant(divisor.getType(), 0), true);
    // A guard is an index: 0 for a divisor that is allowed, 1 for one that is not.
    Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), isZero);
    Value end = arith::ConstantIndexOp::create(b, loc, 1);
    shape::BoundOp::create(b, loc, b.getIndexType(), index, end, UnitAttr(),
                           b.getI64IntegerAttr(reifier.addDivisorGuard(op->getLoc())));
    return scalars.select(isZero, scalars.constant(divisor.getType(), 1), divisor);
  }
};

/// Element types that an op's scalar code is right for.
enum class Accepts { Floats, Integers, All };
} // namespace

template <typename OpT>
static LogicalResult lower(OpT op, FunctionReifier &reifier, Accepts accepts,
                           llvm::function_ref<Value(const Elements<OpT> &)> body) {
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    Type type = getElementType(operand);
    bool fits = accepts == Accepts::All || isa<FloatType>(type) == (accepts == Accepts::Floats);
    if (!isSupportedElementType(type) || !fits)
      return op.emitOpError() << "has no lowering for operand " << index << " with elements of type " << type;
  }
  Type resultType = getElementType(op->getResult(0));
  if (failed(requireSupported(op, resultType)))
    return failure();
  SmallVector<Expr> dims = reifier.getDims(op->getResult(0));
  SmallVector<Access> inputs =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return reifier.getBroadcastAccess(operand, dims); });
  Value result = reifier.createPointwise(op.getLoc(), dims, getSignlessType(resultType), inputs,
                                         [&](OpBuilder &b, Location loc, ValueRange values) {
                                           ScalarBuilder scalars(b, loc);
                                           return body(Elements<OpT>{op, reifier, scalars, values});
                                         });
  reifier.map(op->getResult(0), result);
  return success();
}

template <typename OpT, typename Fn>
static void add(LoweringTable &table, Accepts accepts, Fn body) {
  table.add<OpT>([=](OpT op, FunctionReifier &reifier) { return lower<OpT>(op, reifier, accepts, body); });
}

/// An op of floats that is one op of `math` or `arith`.
template <typename OpT, typename MathOpT>
static void addFloat(LoweringTable &table) {
  add<OpT>(table, Accepts::Floats,
           [](const Elements<OpT> &e) -> Value { return MathOpT::create(e.scalars.builder, e.scalars.loc, e[0]); });
}

/// An op of integers and booleans that is one op of `arith`.
template <typename OpT, typename ArithOpT>
static void addBitwise(LoweringTable &table) {
  add<OpT>(table, Accepts::Integers, [](const Elements<OpT> &e) -> Value {
    return ArithOpT::create(e.scalars.builder, e.scalars.loc, e[0], e[1]);
  });
}

static void addUnaryLowerings(LoweringTable &table) {
  addFloat<ExpOp, math::ExpOp>(table);
  addFloat<LogOp, math::LogOp>(table);
  addFloat<SqrtOp, math::SqrtOp>(table);
  addFloat<ErfOp, math::ErfOp>(table);
  addFloat<TanhOp, math::TanhOp>(table);
  addFloat<SinOp, math::SinOp>(table);
  addFloat<CosOp, math::CosOp>(table);
  addFloat<FloorOp, math::FloorOp>(table);
  addFloat<CeilOp, math::CeilOp>(table);
  addFloat<RoundOp, math::RoundEvenOp>(table);
  add<AbsOp>(table, Accepts::All, [](const Elements<AbsOp> &e) { return e.scalars.abs(e[0], e.isUnsigned(0)); });
  add<SignOp>(table, Accepts::All, [](const Elements<SignOp> &e) { return e.scalars.sign(e[0], e.isUnsigned(0)); });
  add<NegOp>(table, Accepts::All, [](const Elements<NegOp> &e) -> Value {
    if (isa<FloatType>(e[0].getType()))
      return arith::NegFOp::create(e.scalars.builder, e.scalars.loc, e[0]);
    return e.scalars.sub(e.scalars.constant(e[0].getType(), 0), e[0]);
  });
  add<ReciprocalOp>(table, Accepts::Floats, [](const Elements<ReciprocalOp> &e) {
    return e.scalars.div(e.scalars.constant(e[0].getType(), 1), e[0], false);
  });
  add<SigmoidOp>(table, Accepts::Floats, [](const Elements<SigmoidOp> &e) { return e.scalars.sigmoid(e[0]); });
  add<NotOp>(table, Accepts::Integers, [](const Elements<NotOp> &e) -> Value {
    return arith::XOrIOp::create(e.scalars.builder, e.scalars.loc, e[0], e.scalars.constant(e[0].getType(), -1));
  });
  add<IsNanOp>(table, Accepts::Floats, [](const Elements<IsNanOp> &e) -> Value {
    return arith::CmpFOp::create(e.scalars.builder, e.scalars.loc, arith::CmpFPredicate::UNO, e[0], e[0]);
  });
  add<IsInfOp>(table, Accepts::Floats, [](const Elements<IsInfOp> &e) {
    return e.scalars.isInf(e[0], e.op.getDetectNegative(), e.op.getDetectPositive());
  });
}

static void addBinaryLowerings(LoweringTable &table) {
  add<AddOp>(table, Accepts::All, [](const Elements<AddOp> &e) { return e.scalars.add(e[0], e[1]); });
  add<SubOp>(table, Accepts::All, [](const Elements<SubOp> &e) { return e.scalars.sub(e[0], e[1]); });
  add<MulOp>(table, Accepts::All, [](const Elements<MulOp> &e) { return e.scalars.mul(e[0], e[1]); });
  add<DivOp>(table, Accepts::All,
             [](const Elements<DivOp> &e) { return e.scalars.div(e[0], e.getDivisor(), e.isUnsigned(0)); });
  add<ModOp>(table, Accepts::All, [](const Elements<ModOp> &e) {
    return e.scalars.mod(e[0], e.getDivisor(), e.isUnsigned(0), e.op.getFmod());
  });
  add<PowOp>(table, Accepts::All,
             [](const Elements<PowOp> &e) { return e.scalars.pow(e[0], e[1], e.isUnsigned(0), e.isUnsigned(1)); });
  add<MinOp>(table, Accepts::All, [](const Elements<MinOp> &e) { return e.scalars.min(e[0], e[1], e.isUnsigned(0)); });
  add<MaxOp>(table, Accepts::All, [](const Elements<MaxOp> &e) { return e.scalars.max(e[0], e[1], e.isUnsigned(0)); });
  addBitwise<AndOp, arith::AndIOp>(table);
  addBitwise<OrOp, arith::OrIOp>(table);
  addBitwise<XorOp, arith::XOrIOp>(table);
}

void dyn::addElementwiseLowerings(LoweringTable &table) {
  addUnaryLowerings(table);
  addBinaryLowerings(table);
  add<CompareOp>(table, Accepts::All, [](const Elements<CompareOp> &e) {
    return e.scalars.compare(e.op.getDirection(), e[0], e[1], e.isUnsigned(0));
  });
  add<SelectOp>(table, Accepts::All, [](const Elements<SelectOp> &e) { return e.scalars.select(e[0], e[1], e[2]); });
  add<BitCastOp>(table, Accepts::All, [](const Elements<BitCastOp> &e) -> Value {
    Type type = getSignlessType(getElementType(e.op.getResult()));
    return e[0].getType() == type ? e[0] : arith::BitcastOp::create(e.scalars.builder, e.scalars.loc, type, e[0]);
  });
  add<CastOp>(table, Accepts::All, [](const Elements<CastOp> &e) {
    return e.scalars.cast(e[0], getElementType(e.op.getOperand()), getElementType(e.op.getResult()));
  });
}

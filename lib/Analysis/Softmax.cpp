//===- Softmax among linalg ops -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/Softmax.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

bool dyn::isReadOnlyBy(Value value, ArrayRef<GenericOp> users) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    auto generic = dyn_cast<GenericOp>(use.getOwner());
    return generic && llvm::is_contained(users, generic) && generic.isDpsInput(&use);
  });
}

Value dyn::getYielded(GenericOp op) { return op.getBlock()->getTerminator()->getOperand(0); }

static bool isHalf(Type type) { return isa<Float16Type, BFloat16Type>(type); }

/// What 16-bit floats are rounded or widened from; anything else itself.
static Value skipHalves(Value value) {
  while (true) {
    auto rounding = value.getDefiningOp<arith::TruncFOp>();
    auto widening = value.getDefiningOp<arith::ExtFOp>();
    if (rounding && isHalf(rounding.getType()))
      value = rounding.getIn();
    else if (widening && isHalf(widening.getIn().getType()))
      value = widening.getIn();
    else
      return value;
  }
}

/// Whether 16-bit floats are read, computed or written.
static bool hasHalves(GenericOp op) {
  Block &body = *op.getBlock();
  return llvm::any_of(body.getArgumentTypes(), isHalf) ||
         llvm::any_of(body, [](Operation &inner) { return llvm::any_of(inner.getResultTypes(), isHalf); });
}

/// Whether the inputs of `op` are tensors of floats that may be steps of a softmax, read with an identity, or without
/// its last dim, as `isRow` says, and the one result is written with an identity, or, if the last loop is a reduction,
/// without the last dim.
static bool readsRows(GenericOp op, ArrayRef<bool> isRow) {
  if (op.getNumLoops() == 0 || op.getNumDpsInputs() != int64_t(isRow.size()) || op.getNumDpsInits() != 1)
    return false;
  AffineMap all = AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext());
  AffineMap row = all.dropResult(op.getNumLoops() - 1);
  for (auto [input, readsRow] : llvm::zip_equal(op.getDpsInputOperands(), isRow))
    if (auto type = dyn_cast<RankedTensorType>(input->get().getType());
        !type || !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type.getElementType()) ||
        op.getMatchingIndexingMap(input) != (readsRow ? row : all))
      return false;
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (op.getNumReductionLoops() == 0)
    return written == all;
  return op.getNumReductionLoops() == 1 && op.getIteratorTypesArray().back() == utils::IteratorType::reduction &&
         written == row;
}

/// The order of an input with a dim for each loop and one without the last.
static std::optional<unsigned> findRowInput(GenericOp op) {
  if (op.getNumDpsInputs() != 2)
    return std::nullopt;
  if (readsRows(op, {false, true}))
    return 1;
  if (readsRows(op, {true, false}))
    return 0;
  return std::nullopt;
}

template <typename Combiner>
static bool reducesRows(GenericOp op) {
  if (!readsRows(op, {false}) || op.getNumReductionLoops() != 1)
    return false;
  auto combiner = getYielded(op).getDefiningOp<Combiner>();
  if (!combiner)
    return false;
  Value in = op.getBlock()->getArgument(0), out = op.getBlock()->getArgument(1);
  Value lhs = skipHalves(combiner.getLhs()), rhs = skipHalves(combiner.getRhs());
  return (lhs == in && rhs == out) || (lhs == out && rhs == in);
}

/// What `value` is rounded from, if it is.
static Value skipRounding(Value value) {
  auto rounding = value.getDefiningOp<arith::TruncFOp>();
  return rounding ? rounding.getIn() : value;
}

/// `a / b`, or `a * (1 / b)`.
static bool isQuotient(Value value, Value a, Value b) {
  if (auto quotient = value.getDefiningOp<arith::DivFOp>())
    return skipHalves(quotient.getLhs()) == a && skipHalves(quotient.getRhs()) == b;
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  Value lhs = skipHalves(product.getLhs()), rhs = skipHalves(product.getRhs());
  if (lhs != a && rhs != a)
    return false;
  auto inverse = (lhs == a ? rhs : lhs).getDefiningOp<arith::DivFOp>();
  return inverse && skipHalves(inverse.getRhs()) == b && matchPattern(inverse.getLhs(), m_OneFloat());
}

std::optional<Softmax> dyn::matchSoftmax(GenericOp quotient, function_ref<bool(GenericOp)> mayJoin) {
  auto producerOf = [&](Value value) {
    auto producer = value.getDefiningOp<GenericOp>();
    return producer && producer->getNumResults() == 1 && mayJoin(producer) ? producer : GenericOp();
  };
  std::optional<unsigned> row = findRowInput(quotient);
  if (!row)
    return std::nullopt;
  Softmax result{{}, {}, {}, quotient};
  Value divided = skipRounding(getYielded(quotient));
  if (auto select = divided.getDefiningOp<arith::SelectOp>()) {
    // Where the quotient is no number, 0.
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    divided = select.getFalseValue();
    if (!compare || compare.getPredicate() != arith::CmpFPredicate::UNO || compare.getLhs() != divided ||
        compare.getRhs() != divided || !matchPattern(select.getTrueValue(), m_PosZeroFloat()))
      return std::nullopt;
    divided = skipRounding(divided);
    result.nanBecomesZero = true;
  }
  Block &body = *quotient.getBlock();
  if (!isQuotient(divided, body.getArgument(1 - *row), body.getArgument(*row)))
    return std::nullopt;

  GenericOp sum = producerOf(quotient.getDpsInputs()[*row]);
  GenericOp exponential = producerOf(quotient.getDpsInputs()[1 - *row]);
  if (!sum || !exponential || !reducesRows<arith::AddFOp>(sum) || !startsFrom(sum, m_AnyZeroFloat()) ||
      sum.getDpsInputs()[0] != exponential->getResult(0) || !isReadOnlyBy(sum->getResult(0), quotient) ||
      !isReadOnlyBy(exponential->getResult(0), {sum, quotient}))
    return std::nullopt;

  row = findRowInput(exponential);
  auto exp = skipHalves(getYielded(exponential)).getDefiningOp<math::ExpOp>();
  auto difference = exp ? skipHalves(exp.getOperand()).getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!row || !difference || skipHalves(difference.getLhs()) != exponential.getBlock()->getArgument(1 - *row) ||
      skipHalves(difference.getRhs()) != exponential.getBlock()->getArgument(*row))
    return std::nullopt;
  GenericOp maximum = producerOf(exponential.getDpsInputs()[*row]);
  // A NaN that the maximum passes over makes the sum NaN.
  if (!maximum || (!reducesRows<arith::MaximumFOp>(maximum) && !reducesRows<arith::MaxNumFOp>(maximum)) ||
      !startsFrom(maximum, m_NegInfFloat()) || maximum.getDpsInputs()[0] != exponential.getDpsInputs()[1 - *row] ||
      !isReadOnlyBy(maximum->getResult(0), exponential))
    return std::nullopt;
  result.maximum = maximum, result.exponential = exponential, result.sum = sum;
  result.hasRoundedSteps = isHalf(divided.getType()) || llvm::any_of(ArrayRef{maximum, exponential, sum}, hasHalves);
  return result;
}

//===- Lowerings of reductions and running sums --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// The value that changes nothing; `type` as above the waterline.
static TypedAttr getIdentity(ReduceKind kind, Type type) {
  Type storage = getSignlessType(type);
  Builder b(type.getContext());
  bool isGreatest = kind == ReduceKind::Min;
  if (kind == ReduceKind::Sum || kind == ReduceKind::Mean)
    return cast<TypedAttr>(b.getZeroAttr(storage));
  if (kind == ReduceKind::Prod)
    return cast<TypedAttr>(b.getOneAttr(storage));
  if (isa<FloatType>(storage)) {
    double infinity = std::numeric_limits<double>::infinity();
    return b.getFloatAttr(storage, isGreatest ? infinity : -infinity);
  }
  unsigned width = storage.getIntOrFloatBitWidth();
  if (isUnsigned(type))
    return b.getIntegerAttr(storage, isGreatest ? APInt::getMaxValue(width) : APInt::getMinValue(width));
  return b.getIntegerAttr(storage, isGreatest ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width));
}

namespace {
/// The dims of an operand that stay and those that are reduced, and how loops, the staying ones first, index it.
struct ReductionSpace {
  SmallVector<Expr> kept, reduced;
  SmallVector<AffineExpr> indices;

  ReductionSpace(FunctionReifier &reifier, Value operand, llvm::function_ref<bool(int64_t)> isReduced) {
    SmallVector<Expr> dims = reifier.getDims(operand);
    for (auto [index, dim] : llvm::enumerate(dims))
      (isReduced(index) ? reduced : kept).push_back(dim);
    unsigned nextKept = 0, nextReduced = kept.size();
    for (size_t index = 0; index < dims.size(); ++index)
      indices.push_back(reifier.getLoop(isReduced(index) ? nextReduced++ : nextKept++));
  }
};
} // namespace

/// Divides sums by the number of elements and converts to the element type of the result, as far as needed.
static Value finish(FunctionReifier &reifier, ReduceOp op, const ReductionSpace &space, Value sums, Type accumulated) {
  Type type = getElementType(op.getResult());
  bool isMean = op.getKind() == ReduceKind::Mean;
  if (!isMean && accumulated == type)
    return sums;
  Expr count = reifier.context.getConstant(1);
  for (Expr dim : space.reduced)
    count = count * dim;
  // The mean of no integers is 0, as the sum is.
  if (isa<IntegerType>(accumulated))
    count = max({count, reifier.context.getConstant(1)});
  Value number = isMean && !count.getConstant() ? reifier.getIndex(count) : Value();
  SmallVector<AffineExpr> indices;
  for (unsigned i = 0; i < space.kept.size(); ++i)
    indices.push_back(reifier.getLoop(i));
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
    ScalarBuilder scalars(b, loc);
    Value value = elements.front();
    if (isMean) {
      Type i64 = b.getI64Type();
      Value divisor = number ? arith::IndexCastOp::create(b, loc, i64, number).getResult() : Value();
      divisor = divisor ? scalars.cast(divisor, i64, accumulated)
                        : scalars.constant(getSignlessType(accumulated), static_cast<double>(*count.getConstant()));
      value = scalars.div(value, divisor, isUnsigned(accumulated));
    }
    return scalars.cast(value, accumulated, type);
  };
  return reifier.createPointwise(op.getLoc(), space.kept, getSignlessType(type), reifier.getAccess(sums, indices),
                                 body);
}

/// Long sums of 16 bits would lose nearly everything.
static Type getAccumulator(Type type) {
  return isa<Float16Type, BFloat16Type>(type) ? Float32Type::get(type.getContext()) : type;
}

static LogicalResult lowerReduce(ReduceOp op, FunctionReifier &reifier) {
  Value operand = op.getOperand();
  Type type = getElementType(operand);
  if (failed(requireSupported(op, type)) || failed(requireSupported(op, getElementType(op.getResult()))))
    return failure();
  int64_t rank = reifier.getDims(operand).size();
  auto isReduced = [&](int64_t dim) {
    std::optional<ArrayRef<int64_t>> axes = op.getAxes();
    return !axes || llvm::is_contained(*axes, dim) || llvm::is_contained(*axes, dim - rank);
  };
  ReductionSpace space(reifier, operand, isReduced);
  // One element is its own sum, maximum, mean.
  if (space.reduced.empty()) {
    reifier.map(op.getResult(), reifier.createReshape(op.getLoc(), reifier.lookup(operand), space.kept,
                                                      reifier.getDims(op.getResult())));
    return success();
  }
  bool isOrder = op.getKind() == ReduceKind::Max || op.getKind() == ReduceKind::Min;
  Type accumulated = isOrder ? type : getAccumulator(type);
  // A mean fits where the sum may not.
  if (auto integer = dyn_cast<IntegerType>(type);
      integer && op.getKind() == ReduceKind::Mean && integer.getWidth() > 1 && integer.getWidth() < 64)
    accumulated = IntegerType::get(op.getContext(), 64, integer.getSignedness());
  Value init = reifier.createFilled(op.getLoc(), space.kept, getIdentity(op.getKind(), accumulated));
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements, ValueRange soFar) -> SmallVector<Value> {
    ScalarBuilder scalars(b, loc);
    Value element = scalars.cast(elements[0], type, accumulated);
    return {scalars.combine(op.getKind(), soFar[0], element, isUnsigned(type))};
  };
  Value result = reifier
                     .createReduction(op.getLoc(), init, space.reduced.size(),
                                      reifier.getAccess(reifier.lookup(operand), space.indices), body)
                     .front();
  result = finish(reifier, op, space, result, accumulated);
  reifier.map(op.getResult(), reifier.createReshape(op.getLoc(), result, space.kept, reifier.getDims(op.getResult())));
  return success();
}

static LogicalResult lowerArgReduce(ArgReduceOp op, FunctionReifier &reifier) {
  Value operand = op.getOperand();
  Type type = getElementType(operand), indexType = getElementType(op.getResult());
  if (failed(requireSupported(op, type)))
    return failure();
  if (op.getKind() != ReduceKind::Max && op.getKind() != ReduceKind::Min)
    return op.emitOpError() << "has no lowering for its kind";
  int64_t rank = reifier.getDims(operand).size();
  int64_t axis = normalizeAxis(op.getAxis(), rank);
  ReductionSpace space(reifier, operand, [&](int64_t dim) { return dim == axis; });
  bool isMax = op.getKind() == ReduceKind::Max;
  SmallVector<Value> inits{reifier.createFilled(op.getLoc(), space.kept, getIdentity(op.getKind(), type)),
                           reifier.createFilled(op.getLoc(), space.kept, reifier.builder.getIntegerAttr(indexType, 0))};
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements, ValueRange best) -> SmallVector<Value> {
    ScalarBuilder scalars(b, loc);
    CompareDirection direction = isMax ? (op.getLast() ? CompareDirection::GE : CompareDirection::GT)
                                       : (op.getLast() ? CompareDirection::LE : CompareDirection::LT);
    Value wins = scalars.compare(direction, elements[0], best[0], isUnsigned(type));
    if (isa<FloatType>(type)) {
      // A NaN is the greatest and the least, and nothing but another one replaces it.
      Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, elements[0], elements[0]);
      if (!op.getLast())
        isNaN = arith::AndIOp::create(b, loc, isNaN,
                                      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best[0], best[0]));
      wins = arith::OrIOp::create(b, loc, wins, isNaN);
    }
    Value place = linalg::IndexOp::create(b, loc, space.kept.size());
    place = arith::IndexCastOp::create(b, loc, indexType, place);
    return {scalars.select(wins, elements[0], best[0]), scalars.select(wins, place, best[1])};
  };
  Value result = reifier.createReduction(op.getLoc(), inits, 1,
                                         reifier.getAccess(reifier.lookup(operand), space.indices), body)[1];
  reifier.map(op.getResult(), reifier.createReshape(op.getLoc(), result, space.kept, reifier.getDims(op.getResult())));
  return success();
}

namespace {
/// Loops of a running sum or product.
class RunningSum {
public:
  RunningSum(CumSumOp op, FunctionReifier &reifier)
      : op(op), reifier(reifier), dims(reifier.getDims(op.getResult())),
        type(getSignlessType(getElementType(op.getResult()))), accumulated(getAccumulator(type)),
        axis(normalizeAxis(op.getAxis(), dims.size())), operand(reifier.lookup(op.getOperand())) {
    last = op.getReverse() ? reifier.getIndex(dims[axis] - 1) : Value();
    kind = op.getProduct() ? ReduceKind::Prod : ReduceKind::Sum;
    identity = arith::ConstantOp::create(reifier.builder, op.getLoc(), getIdentity(kind, accumulated));
  }

  void build() {
    bool isInnermost = llvm::all_of(ArrayRef(dims).drop_front(axis + 1), [](Expr dim) { return dim.isConstant(1); });
    Value init = reifier.createEmpty(op.getLoc(), dims, type);
    // What is written is narrower than the sum where that has a type of its own.
    reifier.map(op.getResult(), isInnermost || accumulated != type ? sumLanes(init) : sumRows(init));
  }

private:
  Value sumLanes(Value init);
  Value sumRows(Value init);
  Value getPlace(OpBuilder &b, Location loc, Value position) {
    return last ? arith::SubIOp::create(b, loc, last, position).getResult() : position;
  }

  CumSumOp op; // accessors of ops are not const
  FunctionReifier &reifier;
  SmallVector<Expr> dims;
  Type type, accumulated;
  int64_t axis;
  Value operand, last, identity;
  ReduceKind kind;
};
} // namespace

/// One place after the other, with the sum in a register.
Value RunningSum::sumLanes(Value init) {
  SmallVector<Expr> outerDims = dims;
  outerDims.erase(outerDims.begin() + axis);
  auto step = [&](OpBuilder &b, Location loc, ValueRange outer, Value position, ValueRange carried) {
    ScalarBuilder scalars(b, loc);
    SmallVector<Value> places = llvm::to_vector(outer);
    places.insert(places.begin() + axis, getPlace(b, loc, position));
    Value element = scalars.cast(tensor::ExtractOp::create(b, loc, operand, places), type, accumulated);
    Value sum = scalars.combine(kind, carried[1], element, /*isUnsigned=*/false);
    Value written = scalars.cast(op.getExclusive() ? carried[1] : sum, accumulated, type);
    return SmallVector<Value>{tensor::InsertOp::create(b, loc, written, carried[0], places), sum};
  };
  auto lane = [&](OpBuilder &b, Location loc, ValueRange outer, ValueRange carried) -> SmallVector<Value> {
    auto body = [&](OpBuilder &b, Location loc, ValueRange inner, ValueRange carried) {
      return step(b, loc, outer, inner[0], carried);
    };
    return {reifier.createLoops(b, loc, dims[axis], {carried[0], identity}, body)[0]};
  };
  return reifier.createLoops(reifier.builder, op.getLoc(), outerDims, init, lane).front();
}

/// In the order of memory: a row of sums is the one before it and a row of the operand, which takes vectors. The first
/// row reads itself in place of the one before it, of sums and of the operand, and drops what it reads.
Value RunningSum::sumRows(Value init) {
  Value zero = reifier.getIndex(dims[axis].getContext().getConstant(0)),
        one = reifier.getIndex(dims[axis].getContext().getConstant(1));
  auto step = [&](OpBuilder &b, Location loc, ValueRange loops, ValueRange carried) -> SmallVector<Value> {
    ScalarBuilder scalars(b, loc);
    Value position = loops[axis];
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, position, zero);
    Value before = arith::SelectOp::create(b, loc, isFirst, zero, arith::SubIOp::create(b, loc, position, one));
    SmallVector<Value> places = llvm::to_vector(loops), placesBefore = places;
    places[axis] = getPlace(b, loc, position);
    placesBefore[axis] = getPlace(b, loc, before);
    Value sum = tensor::ExtractOp::create(b, loc, carried[0], placesBefore);
    Value element = tensor::ExtractOp::create(b, loc, operand, op.getExclusive() ? placesBefore : places);
    if (op.getExclusive())
      sum = scalars.select(isFirst, identity, scalars.combine(kind, sum, element, /*isUnsigned=*/false));
    else
      sum = scalars.combine(kind, scalars.select(isFirst, identity, sum), element, /*isUnsigned=*/false);
    return {tensor::InsertOp::create(b, loc, sum, carried[0], places)};
  };
  return reifier.createLoops(reifier.builder, op.getLoc(), dims, init, step).front();
}

static LogicalResult lowerCumSum(CumSumOp op, FunctionReifier &reifier) {
  if (failed(requireSupported(op, getSignlessType(getElementType(op.getResult())))))
    return failure();
  RunningSum(op, reifier).build();
  return success();
}

void dyn::addReductionLowerings(LoweringTable &table) {
  table.add<ReduceOp>(lowerReduce);
  table.add<ArgReduceOp>(lowerArgReduce);
  table.add<CumSumOp>(lowerCumSum);
}

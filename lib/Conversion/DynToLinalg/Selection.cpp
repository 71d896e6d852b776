//===- Lowering of TopK --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// For processors with few threads, loops that run in program order, for each row.
// Where few elements of many are wanted, the best so far are kept in order, and one
// that is better than the last of them is moved to where it belongs: most are not.
// Otherwise the whole row is sorted, by merging runs of twice the length each time.
// For those with many, all pairs are compared, of which none waits for another.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {

using Values = SmallVector<Value>;

/// Index arithmetic, loops and branches.
struct IndexCode {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value lhs, Value rhs) { return arith::AddIOp::create(b, loc, lhs, rhs); }
  Value sub(Value lhs, Value rhs) { return arith::SubIOp::create(b, loc, lhs, rhs); }
  Value min(Value lhs, Value rhs) { return arith::MinSIOp::create(b, loc, lhs, rhs); }
  Value isLess(Value lhs, Value rhs) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lhs, rhs); }
  Value select(Value condition, Value whenTrue, Value whenFalse) {
    return arith::SelectOp::create(b, loc, condition, whenTrue, whenFalse);
  }
  Value isEither(Value lhs, Value rhs) { return arith::OrIOp::create(b, loc, lhs, rhs); }
  Value areBoth(Value lhs, Value rhs) { return arith::AndIOp::create(b, loc, lhs, rhs); }
  /// Places lie in memory as i64.
  Value read(Value places, Value index) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), tensor::ExtractOp::create(b, loc, places, index));
  }
  Value write(Value place, Value places, Value index) {
    Value stored = arith::IndexCastOp::create(b, loc, b.getI64Type(), place);
    return tensor::InsertOp::create(b, loc, stored, places, index);
  }

  using BodyFn = llvm::function_ref<Values(IndexCode, Value, ValueRange)>;
  Values loop(Value lower, Value upper, Value step, ValueRange carried, BodyFn body) {
    auto build = [&](OpBuilder &b, Location loc, Value index, ValueRange values) {
      scf::YieldOp::create(b, loc, body(IndexCode{b, loc}, index, values));
    };
    return llvm::to_vector_of<Value>(scf::ForOp::create(b, loc, lower, upper, step, carried, build).getResults());
  }
  /// `carried`, or what `body` makes of them where the condition holds.
  Values ifThen(Value condition, ValueRange carried, llvm::function_ref<Values(IndexCode)> body) {
    auto then = [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, body(IndexCode{b, loc})); };
    auto otherwise = [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, carried); };
    return llvm::to_vector_of<Value>(scf::IfOp::create(b, loc, condition, then, otherwise).getResults());
  }
};

/// Orders one row.
class RowSorter {
public:
  RowSorter(TopKOp op, Value tensor, unsigned axis, ValueRange row, Value size, Value wanted)
      : op(op), tensor(tensor), axis(axis), row(row), size(size), wanted(wanted) {}

  /// The places of the best, the best first, at the beginning of `order`; `order` and `next` have room for all.
  Values sort(IndexCode code, Value order, Value next);

private:
  Value keepBest(IndexCode code, Value order);
  Values mergeRuns(IndexCode code, Value order, Value next);
  Values merge(IndexCode code, Value width, Value order, Value next);
  Value insert(IndexCode code, Value place, Value order, Value count);
  Value findRank(IndexCode code, Value place, Value order, Value count);
  /// Does the element at a place stand before the one at another?
  Value comesBefore(IndexCode code, Value place, Value other);
  Value element(IndexCode code, Value place);

  TopKOp op; // accessors of ops are not const
  Value tensor;
  unsigned axis;
  ValueRange row;
  Value size, wanted, numHalves; ///< how often those that are wanted can be, until none is left
};

} // namespace

/// Does an element stand before another? Equal ones stand in the order of their places.
static Value comesBefore(IndexCode code, TopKOp op, Value element, Value place, Value other, Value otherPlace) {
  ScalarBuilder scalars(code.b, code.loc);
  bool isUnsigned = dyn::isUnsigned(getElementType(op.getOperand()));
  auto isGreater = [&](Value lhs, Value rhs) -> Value {
    Value greater = scalars.compare(CompareDirection::GT, lhs, rhs, isUnsigned);
    if (!isa<FloatType>(lhs.getType()))
      return greater;
    Value lhsIsNan = arith::CmpFOp::create(code.b, code.loc, arith::CmpFPredicate::UNO, lhs, lhs);
    Value rhsIsNumber = arith::CmpFOp::create(code.b, code.loc, arith::CmpFPredicate::ORD, rhs, rhs);
    return code.isEither(greater, code.areBoth(lhsIsNan, rhsIsNumber));
  };
  Value better = op.getLeast() ? isGreater(other, element) : isGreater(element, other);
  Value worse = op.getLeast() ? isGreater(element, other) : isGreater(other, element);
  Value isTieBroken =
      code.select(worse, arith::ConstantIntOp::create(code.b, code.loc, 0, 1), code.isLess(place, otherPlace));
  return code.isEither(better, isTieBroken);
}

Value RowSorter::element(IndexCode code, Value place) {
  Values places(row);
  places.insert(places.begin() + axis, place);
  return tensor::ExtractOp::create(code.b, code.loc, tensor, places);
}

Value RowSorter::comesBefore(IndexCode code, Value place, Value other) {
  return ::comesBefore(code, op, element(code, place), place, element(code, other), other);
}

/// How many of the first `count` stand before `place`, searched by halves.
Value RowSorter::findRank(IndexCode code, Value place, Value order, Value count) {
  Value zero = code.constant(0), one = code.constant(1);
  auto halve = [&](IndexCode code, Value, ValueRange ends) {
    return code.ifThen(code.isLess(ends[0], ends[1]), ends, [&](IndexCode code) -> Values {
      Value middle = arith::ShRUIOp::create(code.b, code.loc, code.add(ends[0], ends[1]), code.constant(1));
      Value isBehind = comesBefore(code, place, code.read(order, middle));
      return {code.select(isBehind, ends[0], code.add(middle, code.constant(1))),
              code.select(isBehind, middle, ends[1])};
    });
  };
  return code.loop(zero, numHalves, one, {zero, count}, halve).front();
}

/// Moves those of `count` that stand behind `place` by one, and puts it before them.
Value RowSorter::insert(IndexCode code, Value place, Value order, Value count) {
  Value rank = findRank(code, place, order, count), one = code.constant(1);
  auto move = [&](IndexCode code, Value step, ValueRange carried) -> Values {
    Value to = code.sub(count, step);
    return {code.write(code.read(carried[0], code.sub(to, code.constant(1))), carried[0], to)};
  };
  Value moved = code.loop(code.constant(0), code.sub(count, rank), one, order, move).front();
  return code.write(place, moved, rank);
}

Value RowSorter::keepBest(IndexCode code, Value order) {
  Value one = code.constant(1), lastKept = code.sub(wanted, one);
  return code
      .loop(code.constant(0), size, one, order,
            [&](IndexCode code, Value place, ValueRange carried) -> Values {
              // While there is room nothing is behind the last one: what is read there does not count.
              Value isRoom = code.isLess(place, wanted),
                    last = code.select(isRoom, place, code.read(carried[0], lastKept));
              Value isKept = code.isEither(isRoom, comesBefore(code, place, last));
              return code.ifThen(isKept, carried, [&](IndexCode code) -> Values {
                return {insert(code, place, carried[0], code.min(place, lastKept))};
              });
            })
      .front();
}

/// Merges neighbouring runs of this length.
Values RowSorter::merge(IndexCode code, Value width, Value order, Value next) {
  Value one = code.constant(1), zero = code.constant(0), both = code.add(width, width), last = code.sub(size, one);
  Values merged = code.loop(zero, size, both, next, [&](IndexCode code, Value begin, ValueRange carried) -> Values {
    Value middle = code.min(code.add(begin, width), size), end = code.min(code.add(begin, both), size);
    auto take = [&](IndexCode code, Value to, ValueRange carried) -> Values {
      Value left = code.read(order, code.min(carried[1], last)), right = code.read(order, code.min(carried[2], last));
      Value isRightOver = arith::CmpIOp::create(code.b, code.loc, arith::CmpIPredicate::sge, carried[2], end);
      Value isLeft =
          code.areBoth(code.isLess(carried[1], middle), code.isEither(isRightOver, comesBefore(code, left, right)));
      Value one = code.constant(1);
      return {code.write(code.select(isLeft, left, right), carried[0], to),
              code.select(isLeft, code.add(carried[1], one), carried[1]),
              code.select(isLeft, carried[2], code.add(carried[2], one))};
    };
    return {code.loop(begin, end, code.constant(1), {carried[0], begin, middle}, take).front()};
  });
  Values copied = code.loop(zero, size, one, order, [&](IndexCode code, Value place, ValueRange carried) -> Values {
    return {code.write(code.read(merged[0], place), carried[0], place)};
  });
  return {copied[0], merged[0]};
}

Values RowSorter::mergeRuns(IndexCode code, Value order, Value next) {
  Value one = code.constant(1), zero = code.constant(0);
  Values places = code.loop(zero, size, one, order, [&](IndexCode code, Value place, ValueRange carried) -> Values {
    return {code.write(place, carried[0], place)};
  });
  // So often an index can be doubled: kernels have no loops that conditions end.
  Values carried = {places[0], next, one};
  carried = code.loop(zero, code.constant(62), one, carried, [&](IndexCode code, Value, ValueRange carried) -> Values {
    Value width = carried[2];
    Values merged = code.ifThen(code.isLess(width, size), carried.take_front(2),
                                [&](IndexCode code) { return merge(code, width, carried[0], carried[1]); });
    return {merged[0], merged[1], code.add(width, width)};
  });
  carried.pop_back();
  return carried;
}

Values RowSorter::sort(IndexCode code, Value order, Value next) {
  // What is moved then, on average, takes less time than what is merged.
  Value square = arith::MulIOp::create(code.b, code.loc, wanted, wanted);
  Value many = arith::MulIOp::create(code.b, code.loc, size, code.constant(64));
  auto countHalf = [&](IndexCode code, Value, ValueRange carried) -> Values {
    Value isMore = code.isLess(carried[0], wanted);
    return {code.add(carried[0], carried[0]), code.select(isMore, code.add(carried[1], code.constant(1)), carried[1])};
  };
  Value one = code.constant(1);
  numHalves = code.loop(code.constant(0), code.constant(62), one, {one, one}, countHalf)[1];
  Value areFew = code.isEither(code.isLess(wanted, code.constant(32)), code.isLess(square, many));
  auto few = [&](OpBuilder &b, Location loc) {
    scf::YieldOp::create(b, loc, ValueRange{keepBest(IndexCode{b, loc}, order), next});
  };
  auto all = [&](OpBuilder &b, Location loc) {
    scf::YieldOp::create(b, loc, mergeRuns(IndexCode{b, loc}, order, next));
  };
  return llvm::to_vector_of<Value>(scf::IfOp::create(code.b, code.loc, areFew, few, all).getResults());
}

static Value lowerBySorting(TopKOp op, unsigned axis, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getOperand()), to = reifier.getDims(op.getResult());
  Location loc = op.getLoc();
  Type type = getSignlessType(getElementType(op.getResult())), i64 = reifier.builder.getI64Type();
  Value tensor = reifier.lookup(op.getOperand());
  Value size = reifier.getIndex(dims[axis]), wanted = reifier.getIndex(to[axis]);
  SmallVector<Expr> rows(dims);
  rows.erase(rows.begin() + axis);
  // Of a vector, there is a loop too.
  if (rows.empty())
    rows.push_back(reifier.context.getConstant(1));
  auto body = [&](OpBuilder &b, Location loc, ValueRange loops, ValueRange carried) -> Values {
    IndexCode code{b, loc};
    ValueRange row = loops.take_front(dims.size() - 1);
    Values sorted = RowSorter(op, tensor, axis, row, size, wanted).sort(code, carried[1], carried[2]);
    auto collect = [&](IndexCode code, Value rank, ValueRange result) -> Values {
      Values places(row);
      places.insert(places.begin() + axis, rank);
      Value place = arith::IndexCastOp::create(code.b, code.loc, type, code.read(sorted[0], rank));
      return {tensor::InsertOp::create(code.b, code.loc, place, result.front(), places)};
    };
    Values result = code.loop(code.constant(0), wanted, code.constant(1), carried[0], collect);
    return {result[0], sorted[0], sorted[1]};
  };
  Values carried = {reifier.createEmpty(loc, to, type), reifier.createEmpty(loc, dims[axis], i64),
                    reifier.createEmpty(loc, dims[axis], i64)};
  return reifier.createLoops(reifier.builder, loc, rows, carried, body).front();
}

/// Each element's rank is the number of those that come before it; the result collects the places by rank. All pairs
/// are compared, so that the work grows with the square of the dim, but none of it depends on other parts.
static Value lowerByRanks(TopKOp op, unsigned axis, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getOperand()), to = reifier.getDims(op.getResult());
  unsigned reduced = dims.size();
  Type i64 = reifier.builder.getI64Type();
  Value tensor = reifier.lookup(op.getOperand());
  SmallVector<AffineExpr> own, other;
  for (unsigned dim = 0; dim < dims.size(); ++dim) {
    own.push_back(reifier.getLoop(dim));
    other.push_back(reifier.getLoop(dim == axis ? reduced : dim));
  }
  auto place = [](OpBuilder &b, Location loc, unsigned loop) -> Value { return linalg::IndexOp::create(b, loc, loop); };
  TypedAttr zero = reifier.builder.getI64IntegerAttr(0);
  Value ranks = reifier.createFilled(op.getLoc(), dims, zero);
  SmallVector<Access> pairs{reifier.getAccess(tensor, own), reifier.getAccess(tensor, other)};
  auto countBefore = [&](OpBuilder &b, Location loc, ValueRange elements, ValueRange soFar) -> SmallVector<Value> {
    Value before = comesBefore({b, loc}, op, elements[1], place(b, loc, reduced), elements[0], place(b, loc, axis));
    return {arith::AddIOp::create(b, loc, soFar[0], arith::ExtUIOp::create(b, loc, i64, before))};
  };
  ranks = reifier.createReduction(op.getLoc(), ranks, 1, pairs, countBefore).front();
  Value result = reifier.createFilled(op.getLoc(), to, zero);
  auto collect = [&](OpBuilder &b, Location loc, ValueRange elements, ValueRange soFar) -> SmallVector<Value> {
    Value wanted = arith::IndexCastOp::create(b, loc, i64, place(b, loc, axis));
    Value isWanted = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, elements[0], wanted);
    Value found = arith::IndexCastOp::create(b, loc, i64, place(b, loc, reduced));
    return {arith::SelectOp::create(b, loc, isWanted, found, soFar[0])};
  };
  result = reifier.createReduction(op.getLoc(), result, 1, reifier.getAccess(ranks, other), collect).front();
  Type type = getElementType(op.getResult());
  if (type != i64)
    result = reifier.createPointwise(op.getLoc(), to, type, reifier.getAccess(result, own),
                                     [&](OpBuilder &b, Location loc, ValueRange elements) {
                                       return ScalarBuilder(b, loc).cast(elements[0], i64, type);
                                     });
  return result;
}

void dyn::addSelectionLowerings(LoweringTable &table, bool sortsRows) {
  table.add<TopKOp>([sortsRows](TopKOp op, FunctionReifier &reifier) -> LogicalResult {
    if (failed(requireSupported(op, getElementType(op.getOperand()))))
      return failure();
    size_t rank = reifier.getDims(op.getOperand()).size();
    auto axis = static_cast<unsigned>(normalizeAxis(op.getAxis(), rank));
    reifier.map(op.getResult(), sortsRows ? lowerBySorting(op, axis, reifier) : lowerByRanks(op, axis, reifier));
    return success();
  });
}

//===- Lowerings of gathers and scatters ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "Scalars.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {
/// Turns elements of index tensors into places.
class IndexReader {
public:
  /// `limits` are the sizes of the dims that are indexed; `counts`, if one is 0, mean that no index is used.
  template <typename OpType>
  IndexReader(FunctionReifier &reifier, OpType op, ArrayRef<Expr> limits, ArrayRef<Expr> counts) {
    isChecked = !op->hasAttr("in_bounds");
    for (Expr limit : limits) {
      this->limits.push_back(reifier.getIndex(limit));
      if (isChecked)
        reifier.requireNonEmpty(op->getLoc(), limit, counts);
    }
    if (isChecked)
      guard = reifier.addIndexGuard(op.getLoc(), op.getIndices());
  }

  Value read(OpBuilder &b, Location loc, Value element, unsigned which = 0) const {
    Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
    if (isChecked)
      return shape::BoundOp::create(b, loc, b.getIndexType(), index, limits[which], b.getUnitAttr(),
                                    b.getI64IntegerAttr(guard));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, zero);
    Value fromEnd = arith::AddIOp::create(b, loc, index, limits[which]);
    return arith::SelectOp::create(b, loc, isNegative, fromEnd, index);
  }

private:
  SmallVector<Value> limits;
  bool isChecked;
  int64_t guard = 0;
};
} // namespace

static Value getPlace(OpBuilder &b, Location loc, unsigned loop) { return linalg::IndexOp::create(b, loc, loop); }

static LogicalResult lowerGather(GatherOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult()), dataDims = reifier.getDims(op.getData()),
                    indexDims = reifier.getDims(op.getIndices());
  int64_t axis = normalizeAxis(op.getAxis(), dataDims.size());
  Value data = reifier.lookup(op.getData());
  // A constant index that is in bounds needs no check, and shows the target where it reads.
  Expr known;
  if (auto splat = dyn_cast_if_present<IntegerAttr>(reifier.getSplat(op.getIndices()))) {
    Expr index = reifier.context.getConstant(splat.getInt());
    known = splat.getInt() < 0 ? dataDims[axis] + index : index;
    if (reifier.solver.isLess(known, dataDims[axis]) != Verdict::Yes ||
        reifier.solver.isLessEqual(reifier.context.getConstant(0), known) != Verdict::Yes)
      known = Expr();
  }
  Value knownPlace;
  std::optional<IndexReader> reader;
  Access indices;
  if (known) {
    knownPlace = reifier.getIndex(known);
    indices.splat = reifier.getSplat(op.getIndices());
  } else {
    reader.emplace(reifier, op, dataDims[axis], indexDims);
    // The loops of the index dims, aligned at their last.
    indices = reifier.getBroadcastAccess(op.getIndices(), ArrayRef(dims).take_front(axis + indexDims.size()));
  }
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
    SmallVector<Value> places;
    for (int64_t dim = 0; dim < axis; ++dim)
      places.push_back(getPlace(b, loc, dim));
    places.push_back(knownPlace ? knownPlace : reader->read(b, loc, elements.front()));
    for (unsigned dim = axis + 1; dim < dataDims.size(); ++dim)
      places.push_back(getPlace(b, loc, dim - 1 + indexDims.size()));
    return tensor::ExtractOp::create(b, loc, data, places);
  };
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), dims, getElementType(data), indices, body));
  return success();
}

static LogicalResult lowerGatherElements(GatherElementsOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult()), dataDims = reifier.getDims(op.getData());
  int64_t axis = normalizeAxis(op.getAxis(), dataDims.size());
  Value data = reifier.lookup(op.getData());
  for (auto [dim, dataDim] : llvm::enumerate(dataDims))
    if (static_cast<int64_t>(dim) != axis)
      reifier.require(op.getLoc(), Predicate::lessEqual(dims[dim], dataDim), "dims of gathered indices fit the data");
  IndexReader reader(reifier, op, dataDims[axis], dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
    SmallVector<Value> places;
    for (int64_t dim = 0; dim < static_cast<int64_t>(dims.size()); ++dim)
      places.push_back(dim == axis ? reader.read(b, loc, elements.front()) : getPlace(b, loc, dim));
    return tensor::ExtractOp::create(b, loc, data, places);
  };
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), dims, getElementType(data),
                                                      reifier.getBroadcastAccess(op.getIndices(), dims), body));
  return success();
}

/// The length of index tuples, the last dim of an index tensor; it must be known.
static FailureOr<unsigned> getTupleLength(Operation *op, ArrayRef<Expr> indexDims, size_t limit) {
  std::optional<int64_t> length = indexDims.empty() ? std::nullopt : indexDims.back().getConstant();
  if (!length || *length < 0 || static_cast<size_t>(*length) > limit)
    return op->emitOpError() << "has no lowering unless the last dim of its indices is a constant of at most " << limit;
  return static_cast<unsigned>(*length);
}

static LogicalResult lowerGatherND(GatherNDOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult()), dataDims = reifier.getDims(op.getData()),
                    indexDims = reifier.getDims(op.getIndices());
  unsigned batch = op.getBatchDims();
  FailureOr<unsigned> length = getTupleLength(op, indexDims, dataDims.size() - batch);
  if (failed(length))
    return failure();
  unsigned numOuter = indexDims.size() - 1; // loops over tuples, batch dims included
  Value data = reifier.lookup(op.getData()), indices = reifier.lookup(op.getIndices());
  IndexReader reader(reifier, op, ArrayRef(dataDims).slice(batch, *length), ArrayRef(indexDims).take_front(numOuter));
  auto body = [&](OpBuilder &b, Location loc, ValueRange) -> Value {
    SmallVector<Value> tuple, places;
    for (unsigned dim = 0; dim < numOuter; ++dim)
      tuple.push_back(getPlace(b, loc, dim));
    for (unsigned dim = 0; dim < batch; ++dim)
      places.push_back(tuple[dim]);
    for (unsigned i = 0; i < *length; ++i) {
      SmallVector<Value> at = tuple;
      at.push_back(arith::ConstantIndexOp::create(b, loc, i));
      places.push_back(reader.read(b, loc, tensor::ExtractOp::create(b, loc, indices, at), i));
    }
    for (unsigned dim = numOuter; dim < dims.size(); ++dim)
      places.push_back(getPlace(b, loc, dim));
    return tensor::ExtractOp::create(b, loc, data, places);
  };
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), dims, getElementType(data), {}, body));
  return success();
}

static LogicalResult lowerScatterND(ScatterNDOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult()), indexDims = reifier.getDims(op.getIndices());
  FailureOr<unsigned> length = getTupleLength(op, indexDims, dims.size());
  if (failed(length))
    return failure();
  ArrayRef<Expr> outer = ArrayRef(indexDims).drop_back(), inner = ArrayRef(dims).drop_front(*length);
  Value indices = reifier.lookup(op.getIndices()), updates = reifier.lookup(op.getUpdates());
  Value copy = reifier.createPointwise(op.getLoc(), dims, getElementType(updates),
                                       reifier.getBroadcastAccess(op.getData(), dims),
                                       [](OpBuilder &, Location, ValueRange elements) { return elements.front(); });
  IndexReader reader(reifier, op, ArrayRef(dims).take_front(*length), outer);
  auto writeSlice = [&](OpBuilder &b, Location loc, ValueRange tuple, ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> corner;
    for (unsigned i = 0; i < *length; ++i) {
      SmallVector<Value> at = llvm::to_vector(tuple);
      at.push_back(arith::ConstantIndexOp::create(b, loc, i));
      corner.push_back(reader.read(b, loc, tensor::ExtractOp::create(b, loc, indices, at), i));
    }
    auto writeElement = [&](OpBuilder &b, Location loc, ValueRange rest, ValueRange carried) -> SmallVector<Value> {
      SmallVector<Value> from = llvm::to_vector(tuple), to = corner;
      llvm::append_range(from, rest);
      llvm::append_range(to, rest);
      Value element = tensor::ExtractOp::create(b, loc, updates, from);
      if (std::optional<ReduceKind> reduction = op.getReduction())
        element = ScalarBuilder(b, loc).combine(*reduction, tensor::ExtractOp::create(b, loc, carried[0], to), element,
                                                isUnsigned(getElementType(op.getData())));
      return {tensor::InsertOp::create(b, loc, element, carried[0], to)};
    };
    return reifier.createLoops(b, loc, inner, carried[0], writeElement);
  };
  reifier.map(op.getResult(), reifier.createLoops(reifier.builder, op.getLoc(), outer, copy, writeSlice).front());
  return success();
}

void dyn::addIndexingLowerings(LoweringTable &table) {
  table.add<GatherOp>(lowerGather);
  table.add<GatherElementsOp>(lowerGatherElements);
  table.add<GatherNDOp>(lowerGatherND);
  table.add<ScatterNDOp>(lowerScatterND);
}

//===- Relations of gathers, scatters and sizes that data determine -------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MovedValues.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// Says so where every element of `indices` is proved to lie in [-size, size - 1].
static void relateInBounds(ShapeRelations &relations, Value indices, Expr size) {
  Bounds bounds = relations.getBounds(indices);
  if (!size || !bounds.lower || !bounds.upper)
    return;
  if (relations.isKnownLessEqual(-size, bounds.lower) && relations.isKnownLessEqual(bounds.upper, size - 1))
    relations.setInBounds();
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// `dims` of `data` with those of `indices` in the place of dim `axis`.
static Dims getGathered(ArrayRef<Expr> data, ArrayRef<Expr> indices, int64_t axis) {
  Dims result(data.take_front(axis));
  llvm::append_range(result, indices);
  llvm::append_range(result, data.drop_front(axis + 1));
  return result;
}

/// Elements at indices that are constants: what takes one size out of a shape.
static void relateElements(GatherOp op, ShapeRelations &relations, int64_t axis) {
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(op.getData()),
                                      result = relations.getSmallDims(op.getResult()),
                                      indexDims = relations.getSmallDims(op.getIndices());
  std::optional<ElementValues> elements = relations.getElements(op.getData());
  std::optional<SmallVector<int64_t>> indices = relations.getConstants(op.getIndices());
  if (!dims || !result || !indexDims || !elements || !indices)
    return;
  int64_t outer = 1, inner = 1, size = (*dims)[axis];
  for (auto [i, dim] : llvm::enumerate(*dims))
    (int64_t(i) < axis ? outer : int64_t(i) > axis ? inner : size) *= int64_t(i) == axis ? 1 : dim;
  ElementValues gathered;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t index : *indices)
      for (int64_t i = 0; i < inner; ++i) {
        int64_t place = index < 0 ? index + size : index;
        gathered.push_back(place < 0 || place >= size ? ElementValue() : (*elements)[(o * size + place) * inner + i]);
      }
  relations.setElements(op.getResult(), std::move(gathered));
}

static LogicalResult relateGather(GatherOp op, ShapeRelations &relations) {
  std::optional<Dims> data = relations.getDims(op.getData()), indices = relations.getDims(op.getIndices());
  if (!data || !indices)
    return success();
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), data->size());
  if (failed(axis) || failed(relations.setDims(op.getResult(), getGathered(*data, *indices, *axis))))
    return failure();
  Expr size = (*data)[*axis];
  relateInBounds(relations, op.getIndices(), size);
  if (Bounds bounds = relations.getBounds(op.getData()); bounds.lower || bounds.upper)
    relations.setBounds(op.getResult(), bounds);
  // Indices that sizes give are checked with the sizes, before any kernel.
  if (std::optional<SmallVector<Expr>> elements = relations.getIntegers(op.getIndices()); elements && size) {
    for (Expr element : *elements) {
      Predicate inside = Predicate::conjunction({Predicate::lessEqual(-size, element), Predicate::less(element, size)});
      if (failed(relations.require(inside, "gather index")))
        return failure();
    }
    relations.setInBounds();
    relateElements(op, relations, *axis);
  }
  return success();
}

static LogicalResult relateGatherElements(GatherElementsOp op, ShapeRelations &relations) {
  std::optional<Dims> data = relations.getDims(op.getData()), indices = relations.getDims(op.getIndices());
  if (!indices)
    return success();
  if (failed(relations.setDims(op.getResult(), *indices)))
    return failure();
  if (!data)
    return success();
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), data->size());
  if (failed(axis))
    return failure();
  if (data->size() != indices->size())
    return op.emitOpError() << "indices have rank " << indices->size() << ", data rank " << data->size();
  for (size_t i = 0; i < data->size(); ++i)
    if (int64_t(i) != *axis && (*data)[i] && (*indices)[i] &&
        failed(relations.require(Predicate::lessEqual((*indices)[i], (*data)[i]), "gather_elements dims")))
      return failure();
  relateInBounds(relations, op.getIndices(), (*data)[*axis]);
  return success();
}

//===----------------------------------------------------------------------===//
// Index tuples
//===----------------------------------------------------------------------===//

/// The number of entries of an index tuple: the last dim of `indices`.
static std::optional<int64_t> getTupleSize(ArrayRef<Expr> indices) {
  return indices.empty() || !indices.back() ? std::nullopt : indices.back().getConstant();
}

/// All dims that index tuples run over have at least as many places as the bounds allow.
static void relateTupleBounds(ShapeRelations &relations, Value indices, ArrayRef<Expr> indexed) {
  Bounds bounds = relations.getBounds(indices);
  if (!bounds.lower || !bounds.upper)
    return;
  for (Expr size : indexed)
    if (!size || !relations.isKnownLessEqual(-size, bounds.lower) ||
        !relations.isKnownLessEqual(bounds.upper, size - 1))
      return;
  relations.setInBounds();
}

static LogicalResult relateGatherND(GatherNDOp op, ShapeRelations &relations) {
  std::optional<Dims> data = relations.getDims(op.getData()), indices = relations.getDims(op.getIndices());
  if (!data || !indices)
    return success();
  std::optional<int64_t> tuple = getTupleSize(*indices);
  int64_t batch = op.getBatchDims();
  if (!tuple)
    return success();
  if (batch >= int64_t(indices->size()) || *tuple + batch > int64_t(data->size()))
    return op.emitOpError() << "index tuples of " << *tuple << " and " << batch
                            << " batch dims do not fit data of rank " << data->size();
  Dims result;
  for (int64_t i = 0; i < batch; ++i) {
    if (failed(relations.requireEqual((*data)[i], (*indices)[i], "gather_nd batch dims")))
      return failure();
    result.push_back((*indices)[i] ? (*indices)[i] : (*data)[i]);
  }
  result.append(indices->begin() + batch, indices->end() - 1);
  result.append(data->begin() + batch + *tuple, data->end());
  relateTupleBounds(relations, op.getIndices(), ArrayRef(*data).slice(batch, *tuple));
  return relations.setDims(op.getResult(), result);
}

static LogicalResult relateScatterND(ScatterNDOp op, ShapeRelations &relations) {
  std::optional<Dims> data = relations.getDims(op.getData()), indices = relations.getDims(op.getIndices());
  if (!data)
    return success();
  if (failed(relations.setDims(op.getResult(), *data)))
    return failure();
  std::optional<int64_t> tuple = indices ? getTupleSize(*indices) : std::nullopt;
  if (!tuple)
    return success();
  if (*tuple > int64_t(data->size()))
    return op.emitOpError() << "index tuples of " << *tuple << " do not fit data of rank " << data->size();
  Dims updates(indices->begin(), indices->end() - 1);
  updates.append(data->begin() + *tuple, data->end());
  relateTupleBounds(relations, op.getIndices(), ArrayRef(*data).take_front(*tuple));
  return relations.setDims(op.getUpdates(), updates);
}

static LogicalResult relateNonZero(NonZeroOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims)
    return success();
  std::optional<Dims> known = relations.getKnownDims(op.getOperand());
  Expr upper = known ? relations.getNumElements(*known) : Expr();
  Expr count = op.getCount() ? relations.getContext().getSymbol(*op.getCount()) : relations.bindSize(op, upper);
  return relations.setDims(op.getResult(), {relations.getConstant(dims->size()), count});
}

void relations::attachIndexingRelations(MLIRContext *context) {
  attach<GatherOp, relateGather>(context);
  attach<GatherElementsOp, relateGatherElements>(context);
  attach<GatherNDOp, relateGatherND>(context);
  attach<ScatterNDOp, relateScatterND>(context);
  attach<NonZeroOp, relateNonZero>(context);
}

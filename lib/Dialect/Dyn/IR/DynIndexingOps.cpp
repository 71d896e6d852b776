//===- Indexing ops ---------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"

using namespace mlir;
using namespace dyn;

LogicalResult GatherOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getData()), indicesRank = getKnownRank(getIndices());
  if (failed(Constraint(*this, 1).isAxis(getAxis(), rank)))
    return failure();
  if (!rank || !indicesRank)
    return success();
  return Constraint(*this, 2).isRank("result", getResult(), *rank + *indicesRank - 1);
}

LogicalResult GatherElementsOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getData());
  if (failed(Constraint(*this, 1).isAxis(getAxis(), rank)) ||
      failed(Constraint(*this, 2).isRank("indices", getIndices(), rank)))
    return failure();
  return Constraint(*this, 2).isRank("result", getResult(), rank ? rank : getKnownRank(getIndices()));
}

/// The number of indices that address one slice: the last dim.
static std::optional<int64_t> getTupleSize(Value indices) {
  std::optional<int64_t> rank = getKnownRank(indices);
  return rank ? getKnownDim(indices, *rank - 1) : std::nullopt;
}

LogicalResult GatherNDOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getData()), indicesRank = getKnownRank(getIndices());
  int64_t batchDims = getBatchDims();
  for (auto [name, known] : {std::pair("data", rank), std::pair("indices", indicesRank)})
    if (batchDims < 0 || (known && batchDims >= *known))
      return Constraint(*this, 1).emitError()
             << "'batch_dims' is " << batchDims << " for '" << name << "' of rank " << known.value_or(0);
  std::optional<int64_t> tuple = getTupleSize(getIndices());
  if (!rank || !tuple)
    return success();
  if (*tuple > *rank - batchDims)
    return Constraint(*this, 2).emitError()
           << "index tuples have " << *tuple << " elements for " << *rank - batchDims << " dims";
  return Constraint(*this, 3).isRank("result", getResult(), *rank + *indicesRank - batchDims - *tuple - 1);
}

LogicalResult ScatterNDOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getData()), indicesRank = getKnownRank(getIndices());
  if (failed(Constraint(*this, 1).isRank("result", getResult(), rank)))
    return failure();
  std::optional<int64_t> tuple = getTupleSize(getIndices());
  if (!rank || !tuple)
    return success();
  if (*tuple > *rank)
    return Constraint(*this, 2).emitError() << "index tuples have " << *tuple << " elements for " << *rank << " dims";
  if (getReduction() == ReduceKind::Mean)
    return Constraint(*this, 4).emitError() << "'reduction' is 'mean'";
  return Constraint(*this, 3).isRank("updates", getUpdates(), *rank + *indicesRank - *tuple - 1);
}

LogicalResult TopKOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (failed(Constraint(*this, 1).isAxis(getAxis(), rank)) || failed(Constraint(*this, 2).hasOneElement("k", getK())))
    return failure();
  return Constraint(*this, 3).isRank("result", getResult(), rank);
}

LogicalResult NonZeroOp::verify() { return Constraint(*this, 1).isRank("result", getResult(), 2); }

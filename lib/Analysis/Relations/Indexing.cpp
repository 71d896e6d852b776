//===- Relations of gathers and scatters ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MovedValues.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Indices inside what they index
//===----------------------------------------------------------------------===//

/// Bounds of one entry of all the tuples in the last dim of `indices`. Exporters make tuples by concatenating one index
/// tensor for each dim, which have bounds of their own.
static Bounds getEntryBounds(ShapeRelations &relations, Value indices, int64_t entry) {
  Bounds all = relations.getBounds(indices).getOfPart();
  auto concat = indices.getDefiningOp<ConcatOp>();
  std::optional<int64_t> rank = relations.getRank(indices);
  int64_t axis = concat ? concat.getAxis() : 0;
  if (!concat || !rank || (axis < 0 ? axis + *rank : axis) != *rank - 1)
    return all;
  for (Value operand : concat.getOperands()) {
    std::optional<Dims> dims = relations.getDims(operand);
    std::optional<int64_t> size = dims && !dims->empty() && dims->back() ? dims->back().getConstant() : std::nullopt;
    if (!size)
      return all;
    if (entry < *size)
      return *size == 1 ? relations.getBounds(operand) : relations.getBounds(operand).getOfPart();
    entry -= *size;
  }
  return all;
}

/// What an op reads or writes at indices: dims of `data` from `firstDim` on, of `sizes`, by `indices` that hold tuples
/// of as many entries, or one index each. There are as many indices or tuples as places in `counts`.
struct Indexed {
  Value data, indices;
  int64_t firstDim;
  ArrayRef<Expr> sizes, counts;
};

/// Bounds of indices into a dim of `size`. A cast to 32 bits, as optimizers put in front of tables of positions, may
/// wrap numbers around. Where 32 bits count the dim, none does that lies inside before the cast, and this is what is
/// asked for: runs are refused in which one comes to lie there by wrapping around.
static Bounds getIndexBounds(ShapeRelations &relations, Value indices, Expr size) {
  Bounds bounds = relations.getBounds(indices);
  if (bounds.lower || bounds.upper ||
      !relations.isKnownLessEqual(size, relations.getConstant(std::numeric_limits<int32_t>::max())))
    return bounds;
  while (isa_and_nonnull<BroadcastOp, ExpandLikeOp, ExpandToOp, FlattenOp, ReshapeOp, ReshapeToOp, SqueezeOp,
                         TransposeOp, UnsqueezeOp>(indices.getDefiningOp()))
    indices = indices.getDefiningOp()->getOperand(0);
  auto cast = indices.getDefiningOp<CastOp>();
  bool isNarrowed = cast && getElementTypeOrSelf(cast.getOperand()).isSignlessInteger(64) &&
                    getElementTypeOrSelf(cast.getResult()).isSignlessInteger(32);
  return isNarrowed ? relations.getBounds(cast.getOperand()) : bounds;
}

/// States that indices within `bounds` are places in a dim of `size`. What is not proved must hold where an index is
/// known to be at that end of the interval; a kernel checks the rest, of which nothing is left if true is returned.
static FailureOr<bool> relateInterval(ShapeRelations &relations, const Bounds &bounds, Expr size, ArrayRef<Expr> counts,
                                      llvm::function_ref<std::string()> describe) {
  bool isInside = true, areCountsKnown = relations.areKnownAtEntry(counts);
  auto relateEnd = [&](Expr least, Expr most, EndPlace place) -> LogicalResult {
    if (relations.isKnownLessEqual(least, most))
      return success();
    if (place != EndPlace::Unknown && areCountsKnown && relations.areKnownAtEntry({least, most}))
      return relations.requireUnlessEmpty(Predicate::lessEqual(least, most), counts, describe(), ReasonPlace::Alone);
    isInside = false;
    return success();
  };
  if (failed(relateEnd(-size, bounds.lower, bounds.lowerAt)) ||
      failed(relateEnd(bounds.upper + 1, size, bounds.upperAt)))
    return failure();
  return isInside;
}

/// States that the current op finds what it reads or writes at indices. Those whose values follow from sizes are
/// checked with the sizes, before any kernel.
static LogicalResult relateIndices(ShapeRelations &relations, const Indexed &indexed) {
  auto isKnown = [](Expr size) { return bool(size); };
  if (!llvm::all_of(indexed.sizes, isKnown) || !llvm::all_of(indexed.counts, isKnown))
    return success();
  size_t numEntries = indexed.sizes.size();
  auto describe = [&](size_t entry) { return describeDim(indexed.data, indexed.firstDim + entry); };
  if (std::optional<Dims> elements = relations.getIntegers(indexed.indices)) {
    for (auto [number, element] : llvm::enumerate(*elements)) {
      Expr size = indexed.sizes[number % numEntries];
      // Most are constants, and inside: then there is nothing to describe.
      std::optional<int64_t> place = element.getConstant(), most = size.getConstant();
      if (place && most && *place >= -*most && *place < *most)
        continue;
      for (const Predicate &isInside : {Predicate::lessEqual(-size, element), Predicate::less(element, size)})
        if (failed(relations.require(isInside, describe(number % numEntries), ReasonPlace::Alone)))
          return failure();
    }
    relations.setInBounds();
    return success();
  }
  bool areInside = true;
  for (auto [entry, size] : llvm::enumerate(indexed.sizes)) {
    Bounds bounds = numEntries == 1 ? getIndexBounds(relations, indexed.indices, size)
                                    : getEntryBounds(relations, indexed.indices, entry);
    FailureOr<bool> isInside =
        relateInterval(relations, bounds, size, indexed.counts, [&, entry = entry] { return describe(entry); });
    if (failed(isInside))
      return failure();
    if (!*isInside &&
        failed(requireNonEmpty(relations, size, indexed.counts, "indices into an empty dim", ReasonPlace::Alone)))
      return failure();
    areInside &= *isInside;
  }
  if (areInside)
    relations.setInBounds();
  return success();
}

/// The place that a constant index means in a dim; may lie outside of it.
static int64_t getFromStart(int64_t index, int64_t size) { return index < 0 ? index + size : index; }

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

/// The first or the last of a line of elements, where an end of their interval stands: `positions[-1]`. That there is
/// one is required as a place in the dim.
static Expr getEnd(ShapeRelations &relations, Value line, Expr size, int64_t place) {
  Bounds bounds = relations.getBounds(line);
  auto standsAt = [&](EndPlace end, EndPlace wanted) { return end == wanted || end == EndPlace::Everywhere; };
  bool isFirst = place == 0 || relations.isKnownEqual(size, relations.getConstant(-place));
  bool isLast = place == -1 || relations.isKnownEqual(size, relations.getConstant(place + 1));
  for (auto [is, wanted] : {std::pair(isFirst, EndPlace::First), std::pair(isLast, EndPlace::Last)})
    for (auto [end, at] : {std::pair(bounds.lower, bounds.lowerAt), std::pair(bounds.upper, bounds.upperAt)})
      if (is && end && standsAt(at, wanted))
        return end;
  return {};
}

static LogicalResult relateGather(GatherOp op, ShapeRelations &relations) {
  std::optional<Dims> data = relations.getDims(op.getData()), indices = relations.getDims(op.getIndices());
  if (!data || !indices)
    return success();
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), data->size());
  if (failed(axis) || failed(relations.setDims(op.getResult(), getGathered(*data, *indices, *axis))) ||
      failed(relateIndices(relations, {op.getData(), op.getIndices(), *axis, (*data)[*axis], *indices})))
    return failure();
  std::optional<SmallVector<int64_t>> places = relations.getConstants(op.getIndices()),
                                      dims = relations.getSmallDims(op.getData()),
                                      indexDims = relations.getSmallDims(op.getIndices());
  if (places && places->size() == 1 && data->size() == 1 && !relations.findElements(op.getResult()))
    if (Expr end = getEnd(relations, op.getData(), data->front(), places->front()))
      relations.setElements(op.getResult(), {ElementValue::getInteger(end)});
  // One size out of several that were put together.
  if (places && places->size() == 1 && dims && dims->size() == 1)
    relations.setBounds(op.getResult(),
                        getEntryBounds(relations, op.getData(), getFromStart(places->front(), dims->front())));
  else
    passBoundsOfPart(relations, op.getData(), op.getResult());
  // Positions up to the last row of a table are as many as the table has rows.
  if (relations.isKnownEqual(relations.getBounds(op.getIndices()).upper + 1, (*data)[*axis]))
    for (Expr count : *indices)
      relations.refineLimit(count, describeDim(op.getData(), *axis));
  // Elements at indices that are constants: what takes one size out of a shape.
  if (!places || !dims || !indexDims)
    return success();
  moveElements(relations, op.getData(), op.getResult(), [&](ArrayRef<int64_t> position) {
    ArrayRef<int64_t> index = position.slice(*axis, indexDims->size());
    SmallVector<int64_t> source(position.take_front(*axis));
    source.push_back(getFromStart((*places)[*getPlace(*indexDims, index)], (*dims)[*axis]));
    llvm::append_range(source, position.drop_front(*axis + indexDims->size()));
    return source;
  });
  return success();
}

static LogicalResult relateGatherElements(GatherElementsOp op, ShapeRelations &relations) {
  std::optional<Dims> data = relations.getDims(op.getData()), indices = relations.getDims(op.getIndices());
  // All three have one rank.
  Value values[] = {op.getData(), op.getIndices(), op.getResult()};
  for (Value from : values)
    if (std::optional<int64_t> rank = relations.getRank(from))
      for (Value to : values)
        if (to != from && failed(relations.setRank(to, *rank)))
          return failure();
  if (!data || !indices)
    return indices ? relations.setDims(op.getResult(), *indices) : success();
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), data->size());
  if (failed(axis) || failed(relations.setDims(op.getResult(), *indices)))
    return failure();
  for (auto [dim, size, count] : llvm::enumerate(*data, *indices))
    if (static_cast<int64_t>(dim) != *axis && size && count &&
        failed(relations.require(Predicate::lessEqual(count, size), "dims")))
      return failure();
  if (failed(relateIndices(relations, {op.getData(), op.getIndices(), *axis, (*data)[*axis], *indices})))
    return failure();
  passBoundsOfPart(relations, op.getData(), op.getResult());
  std::optional<SmallVector<int64_t>> places = relations.getConstants(op.getIndices()),
                                      dims = relations.getSmallDims(op.getData()),
                                      indexDims = relations.getSmallDims(op.getIndices());
  if (!places || !dims || !indexDims)
    return success();
  moveElements(relations, op.getData(), op.getResult(), [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source(position);
    source[*axis] = getFromStart((*places)[*getPlace(*indexDims, position)], (*dims)[*axis]);
    return source;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Index tuples
//===----------------------------------------------------------------------===//

/// The number of entries of an index tuple: the last dim of `indices`.
static std::optional<int64_t> getTupleSize(ArrayRef<Expr> indices) {
  std::optional<int64_t> size = indices.empty() || !indices.back() ? std::nullopt : indices.back().getConstant();
  return size && *size >= 0 ? size : std::nullopt;
}

/// Index tuples that are all constants, one after the other, counted from the start of the dims they index.
static std::optional<SmallVector<int64_t>> getTuples(ShapeRelations &relations, Value indices,
                                                     ArrayRef<int64_t> indexed) {
  std::optional<SmallVector<int64_t>> places = relations.getConstants(indices);
  if (places && !indexed.empty())
    for (auto [number, place] : llvm::enumerate(*places))
      place = getFromStart(place, indexed[number % indexed.size()]);
  return places;
}

static LogicalResult relateGatherND(GatherNDOp op, ShapeRelations &relations) {
  std::optional<Dims> data = relations.getDims(op.getData()), indices = relations.getDims(op.getIndices());
  if (!data || !indices)
    return success();
  int64_t batch = op.getBatchDims(), dataRank = data->size(), indexRank = indices->size();
  std::optional<int64_t> tuple = getTupleSize(*indices);
  if (!tuple)
    return success();
  if (batch >= indexRank || *tuple + batch > dataRank)
    return op.emitOpError() << "index tuples of " << *tuple << " and " << batch
                            << " batch dims do not fit data of rank " << dataRank << " and indices of rank "
                            << indexRank;
  Dims result;
  for (auto [size, count] : llvm::zip(ArrayRef(*data).take_front(batch), *indices)) {
    if (failed(relations.requireEqual(size, count, "batch dims")))
      return failure();
    result.push_back(count ? count : size);
  }
  llvm::append_range(result, ArrayRef(*indices).slice(batch, indexRank - 1 - batch));
  llvm::append_range(result, ArrayRef(*data).drop_front(batch + *tuple));
  ArrayRef<Expr> indexed = ArrayRef(*data).slice(batch, *tuple);
  if (failed(relations.setDims(op.getResult(), result)) ||
      failed(relateIndices(relations, {op.getData(), op.getIndices(), batch, indexed, ArrayRef(*indices).drop_back()})))
    return failure();
  passBoundsOfPart(relations, op.getData(), op.getResult());
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(op.getData()),
                                      indexDims = relations.getSmallDims(op.getIndices());
  if (!dims || !indexDims)
    return success();
  std::optional<SmallVector<int64_t>> tuples =
      getTuples(relations, op.getIndices(), ArrayRef(*dims).slice(batch, *tuple));
  if (!tuples)
    return success();
  ArrayRef<int64_t> counts = ArrayRef(*indexDims).drop_back();
  moveElements(relations, op.getData(), op.getResult(), [&](ArrayRef<int64_t> position) {
    int64_t first = *getPlace(counts, position.take_front(counts.size())) * *tuple;
    SmallVector<int64_t> source(position.take_front(batch));
    llvm::append_range(source, ArrayRef(*tuples).slice(first, *tuple));
    llvm::append_range(source, position.drop_front(counts.size()));
    return source;
  });
  return success();
}

/// The elements of small tensors after updates at constant places.
static void relateElements(ScatterNDOp op, ShapeRelations &relations, int64_t tuple) {
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(op.getData()),
                                      updateDims = relations.getSmallDims(op.getUpdates()),
                                      indexDims = relations.getSmallDims(op.getIndices());
  if (!dims || !updateDims || !indexDims || updateDims->size() < indexDims->size() - 1)
    return;
  std::optional<SmallVector<int64_t>> tuples = getTuples(relations, op.getIndices(), ArrayRef(*dims).take_front(tuple));
  if (!tuples)
    return;
  ElementValues elements = relations.getElements(op.getData()).value_or(ElementValues(llvm::product_of(*dims)));
  ElementValues updates = relations.getElements(op.getUpdates()).value_or(ElementValues(llvm::product_of(*updateDims)));
  ArrayRef<int64_t> counts = ArrayRef(*indexDims).drop_back();
  llvm::SmallBitVector isUpdated(elements.size());
  const ElementValue *next = updates.begin();
  forEachPosition(*updateDims, [&](ArrayRef<int64_t> position) {
    int64_t first = *getPlace(counts, position.take_front(counts.size())) * tuple;
    SmallVector<int64_t> target(ArrayRef(*tuples).slice(first, tuple));
    llvm::append_range(target, position.drop_front(counts.size()));
    const ElementValue &update = *next++;
    std::optional<int64_t> place = getPlace(*dims, target);
    if (!place)
      return;
    // Of several updates of a place any one may win.
    elements[*place] = isUpdated[*place] ? ElementValue() : update;
    isUpdated.set(*place);
  });
  relations.setElements(op.getResult(), std::move(elements));
}

static LogicalResult relateScatterND(ScatterNDOp op, ShapeRelations &relations) {
  for (auto [from, to] : {std::pair(op.getData(), op.getResult()), std::pair(op.getResult(), op.getData())})
    if (std::optional<Dims> dims = relations.getDims(from); dims && failed(relations.setDims(to, *dims)))
      return failure();
  std::optional<Dims> data = relations.getDims(op.getData()), indices = relations.getDims(op.getIndices());
  std::optional<int64_t> tuple = indices ? getTupleSize(*indices) : std::nullopt;
  if (!data || !tuple)
    return success();
  if (*tuple > static_cast<int64_t>(data->size()))
    return op.emitOpError() << "index tuples of " << *tuple << " do not fit data of rank " << data->size();
  Dims updates(ArrayRef(*indices).drop_back());
  llvm::append_range(updates, ArrayRef(*data).drop_front(*tuple));
  if (failed(relations.setDims(op.getUpdates(), updates)) ||
      failed(relateIndices(relations, {op.getData(), op.getIndices(), 0, ArrayRef(*data).take_front(*tuple),
                                       ArrayRef(*indices).drop_back()})))
    return failure();
  if (op.getReduction())
    return success();
  relations.setBounds(op.getResult(),
                      join(relations, relations.getBounds(op.getData()), relations.getBounds(op.getUpdates())));
  relateElements(op, relations, *tuple);
  return success();
}

void relations::attachIndexingRelations(MLIRContext *context) {
  attach<GatherOp, relateGather>(context);
  attach<GatherElementsOp, relateGatherElements>(context);
  attach<GatherNDOp, relateGatherND>(context);
  attach<ScatterNDOp, relateScatterND>(context);
}

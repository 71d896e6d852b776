//===- Import of operators on boxes, regions and sets ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Guards.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static Value findNonZero(NodeImport &node, Value flags, int64_t rank) {
  Type type = RankedTensorType::get({rank, ShapedType::kDynamic}, node.builder.getI64Type());
  return NonZeroOp::create(node.builder, node.loc, type, flags, /*count=*/StringAttr());
}

/// The places of all elements of the last dim, the best first, or with `least` the least.
static Value sortPlaces(NodeImport &node, Value x, int64_t rank, bool least) {
  Type type = NodeImport::makeDynamicType(rank, node.builder.getI64Type());
  return TopKOp::create(node.builder, node.loc, type, x, getDims(node, x, rank - 1, rank),
                        static_cast<uint64_t>(rank - 1), least);
}

//===----------------------------------------------------------------------===//
// Boxes and regions
//===----------------------------------------------------------------------===//

/// A row (batch, class, box) for each box that stays, the best of a class first.
static LogicalResult importNonMaxSuppression(NodeImport &node) {
  Value boxes = node.getOperand(0), scores = node.getOperand(1);
  auto number = [&](size_t operand, Value otherwise) {
    return node.hasOperand(operand) ? asScalar(node, node.getOperand(operand)) : otherwise;
  };
  if (failed(node.requireRanks({{0, 3}, {1, 3}})))
    return failure();
  int64_t format = node.getInt("center_point_box", 0);
  if (format != 0 && format != 1)
    return node.error("attribute 'center_point_box' is " + Twine(format));
  Value order = sortPlaces(node, scores, 3, /*least=*/false);
  Value sorted = gatherElements(node, scores, order, 2);
  double lowest = -std::numeric_limits<double>::infinity();
  Type type = NodeImport::makeDynamicType(3, node.builder.getI1Type());
  Value stays = SuppressOp::create(node.builder, node.loc, type, boxes, order, sorted, number(2, node.i64Scalar(0)),
                                   number(3, node.scalar(0, boxes)), number(4, node.scalar(lowest, boxes)),
                                   /*centres=*/format == 1);
  constexpr int64_t swapped[] = {1, 0};
  Value places = node.transpose(findNonZero(node, stays, 3), ArrayRef<int64_t>(swapped));
  Value chosen = node.unsqueeze(gatherND(node, order, places, /*batchDims=*/0, /*tuple=*/3), 1);
  return node.finish(node.concat(1, {node.slice(places, 0, 2, 1), chosen}));
}

/// True for the places of one spatial dim that belong to a bin of a region: R x bins x places.
static Value belongsToBin(NodeImport &node, Value first, Value last, Value size, int64_t bins) {
  Type type = NodeImport::getElementType(first), i64 = node.builder.getI64Type();
  auto round = [&](Value x) {
    // Halves are rounded away from 0.
    Value magnitude = node.unary<FloorOp>(node.add(node.abs(x), node.scalar(0.5, type)));
    return node.select(node.compare(CompareDirection::LT, x, node.scalar(0, type)), node.neg(magnitude), magnitude);
  };
  Value begin = round(first);
  Value extent = node.max(node.add(node.sub(round(last), begin), node.scalar(1, type)), node.scalar(1, type));
  Value step = node.unsqueeze(node.div(extent, node.scalar(static_cast<double>(bins), type)), 1);
  Value bin = node.cast(countTo(node, node.i64Scalar(bins)), type), offset = node.unsqueeze(begin, 1);
  auto clamp = [&](Value x) {
    return node.max(node.min(node.cast(node.add(x, offset), i64), size), node.i64Scalar(0));
  };
  Value low = clamp(node.unary<FloorOp>(node.mul(bin, step)));
  Value high = clamp(node.unary<CeilOp>(node.mul(node.add(bin, node.scalar(1, type)), step)));
  Value places = countTo(node, size);
  return node.binary<AndOp>(node.compare(CompareDirection::GE, places, node.unsqueeze(low, 2)),
                            node.compare(CompareDirection::LT, places, node.unsqueeze(high, 2)));
}

/// The greatest element of each bin, 0 in an empty one: first along rows, then along columns.
static LogicalResult importMaxRoiPool(NodeImport &node) {
  Value x = node.getOperand(0), rois = node.getOperand(1);
  std::optional<SmallVector<int64_t>> bins = node.getInts("pooled_shape");
  if (failed(node.requireSameElementTypes({x, rois})))
    return failure();
  if (!bins || bins->size() != 2 || bins->front() < 1 || bins->back() < 1)
    return node.error("attribute 'pooled_shape' must be two positive numbers");
  if (failed(node.requireRanks({{1, 2}})))
    return failure();
  holdDim(node, rois, 1, 5, "numbers of a region in dim 1 of `rois`");
  double scale = node.getFloat("spatial_scale", 1.0f);
  auto corner = [&](int64_t column) {
    Value value = node.gather(rois, node.i64Scalar(column), 1);
    return column == 0 ? value : node.mul(value, node.scalar(scale, value));
  };
  Value maps = node.gather(x, node.cast(corner(0), node.builder.getI64Type()), 0); // R x C x H x W
  double lowest = -std::numeric_limits<double>::infinity();
  Value isEmpty;
  auto pool = [&](Value data, Value first, Value last, int64_t dim, int64_t count) {
    Value belongs = belongsToBin(node, first, last, asScalar(node, getDims(node, x, dim, dim + 1)), count);
    constexpr int64_t inBin[] = {2};
    Value number = node.reduce(ReduceKind::Sum, node.cast(belongs, node.builder.getI64Type()), ArrayRef<int64_t>(inBin),
                               /*keepDims=*/false);
    Value lacks = node.compare(CompareDirection::EQ, number, node.i64Scalar(0)); // R x bins
    lacks = dim == 3 ? node.unsqueeze(lacks, {1, 2}) : node.unsqueeze(lacks, {1, 3});
    isEmpty = isEmpty ? node.binary<OrOp>(isEmpty, lacks) : lacks;
    // R x C x places x bins x rest, or the same with the rest in front.
    belongs = dim == 3 ? node.unsqueeze(belongs, {1, 2}) : node.unsqueeze(belongs, {1, 4});
    Value spread = node.unsqueeze(data, dim == 3 ? 3 : 2);
    Value chosen = node.select(belongs, spread, node.scalar(lowest, data));
    int64_t places = dim == 3 ? 4 : 3;
    return node.reduce(ReduceKind::Max, chosen, places, /*keepDims=*/false);
  };
  Value rows = pool(maps, corner(1), corner(3), 3, bins->back());
  Value result = pool(rows, corner(2), corner(4), 2, bins->front());
  return node.finish(node.select(isEmpty, node.scalar(0, result), result));
}

//===----------------------------------------------------------------------===//
// Windows and pools backwards
//===----------------------------------------------------------------------===//

/// Col2Im where a run tells the number of spatial dims: then there are no strides, dilations and pads. Places of the
/// image and of blocks are counted through all dims.
static LogicalResult importCol2ImOfAnyRank(NodeImport &node) {
  Value x = node.getOperand(0), image = node.getOperand(1), block = node.getOperand(2), one = node.i64Scalar(1);
  Value counts = node.max(node.add(node.sub(image, block), one), node.i64Scalar(0));
  auto countPlaces = [&](Value sizes) { return node.reduce(ReduceKind::Prod, sizes, std::nullopt, /*keepDims=*/true); };
  auto getStrides = [&](Value sizes) -> Value {
    return CumSumOp::create(node.builder, node.loc, NodeImport::makeTypeLike(sizes), sizes, 0, /*exclusive=*/true,
                            /*reverse=*/true, /*product=*/true);
  };
  // For each place a row of its indices.
  auto findIndices = [&](Value sizes) {
    Value places = node.unsqueeze(countTo(node, asScalar(node, countPlaces(sizes))), 1);
    Value steps = node.div(places, getStrides(sizes));
    return node.sub(steps, node.mul(node.div(steps, sizes), sizes));
  };
  Value indices = node.add(node.unsqueeze(findIndices(block), 1), node.unsqueeze(findIndices(counts), 0));
  Value places = node.reduce(ReduceKind::Sum, node.mul(indices, getStrides(image)), ArrayRef<int64_t>(2),
                             /*keepDims=*/true);
  Value batch = getDims(node, x, 0, 1), volume = countPlaces(block),
        channels = node.div(getDims(node, x, 1, 2), volume);
  constexpr int64_t toEnd[] = {2, 3, 0, 1}, toFront[] = {1, 2, 0};
  Value split = node.reshapeTo(x, node.concat(0, {batch, channels, volume, countPlaces(counts)}), /*allowZero=*/true);
  Value updates = node.transpose(split, ArrayRef<int64_t>(toEnd));
  Value zeros = fill(node, node.concat(0, {countPlaces(image), batch, channels}), 3, 0, NodeImport::getElementType(x));
  Value flat = node.transpose(scatterND(node, zeros, places, updates, ReduceKind::Sum), ArrayRef<int64_t>(toFront));
  return node.finish(node.reshapeTo(flat, node.concat(0, {batch, channels, image}), /*allowZero=*/true));
}

/// The number of spatial dims, by the length of a vector or of an attribute; nothing where only a run tells it.
static std::optional<int64_t> findSpatialDims(NodeImport &node) {
  auto getLength = [](Value vector) -> std::optional<int64_t> {
    std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(vector);
    return dims && dims->size() == 1 && !ShapedType::isDynamic(dims->front()) ? std::optional(dims->front())
                                                                              : std::nullopt;
  };
  for (size_t operand : {1, 2})
    if (std::optional<int64_t> length = getLength(node.getOperand(operand)))
      return length;
  for (StringRef name : {"strides", "dilations", "pads"})
    if (std::optional<SmallVector<int64_t>> values = node.getInts(name); values && !values->empty())
      return static_cast<int64_t>(name == "pads" ? values->size() / 2 : values->size());
  return std::nullopt;
}

/// The elements of blocks added where they overlap; the blocks are columns.
static LogicalResult importCol2Im(NodeImport &node) {
  Value x = node.getOperand(0), i64Image = node.getOperand(1), i64Block = node.getOperand(2);
  if (!isa<FloatType, IntegerType>(NodeImport::getElementType(x)))
    return node.error("operand 0, " + quoteName(node.node.inputs[0]) + ", has no numbers to add");
  std::optional<int64_t> found = findSpatialDims(node);
  if (node.hasFailed())
    return failure();
  if (!found)
    return importCol2ImOfAnyRank(node);
  int64_t spatial = *found;
  if (spatial < 1)
    return node.error("there are " + Twine(spatial) + " spatial dims, the length of operand 1 (image_shape)");
  // A vector of one element would be repeated.
  for (Value *vector : {&i64Image, &i64Block})
    if (NodeImport::getDims(*vector) != ArrayRef<int64_t>(spatial))
      *vector = node.reshapeTo(*vector, node.i64Vector(spatial), /*allowZero=*/true);
  auto read = [&](StringRef name, int64_t count, int64_t defaultValue) {
    SmallVector<int64_t> values = node.getInts(name).value_or(SmallVector<int64_t>());
    if (!values.empty() && static_cast<int64_t>(values.size()) != count)
      (void)node.error("attribute '" + name + "' has " + Twine(values.size()) + " entries instead of " + Twine(count));
    values.resize(static_cast<size_t>(count), defaultValue);
    return values;
  };
  SmallVector<int64_t> strides = read("strides", spatial, 1), dilations = read("dilations", spatial, 1);
  SmallVector<int64_t> pads = read("pads", 2 * spatial, 0);
  if (node.hasFailed())
    return failure();
  auto half = static_cast<size_t>(spatial);
  Value begins = node.i64Vector(ArrayRef(pads).take_front(half)),
        ends = node.i64Vector(ArrayRef(pads).drop_front(half));
  Value padded = node.add(i64Image, node.add(begins, ends)), one = node.i64Scalar(1);
  Value extent = node.mul(node.sub(i64Block, one), node.i64Vector(dilations));
  Value counts = node.add(node.div(node.sub(node.sub(padded, extent), one), node.i64Vector(strides)), one);
  Value volume = node.reduce(ReduceKind::Prod, i64Block, std::nullopt, /*keepDims=*/true);
  // What may be 0 is no divisor that a guard could name.
  if (!NodeImport::getConstantInts(volume))
    volume = asVector(node, requirePositive(node, asScalar(node, volume), "the number of elements of a block"));
  Value channels = requireMultiple(node, 1, volume, "the elements of a block");
  Value batch = getDims(node, x, 0, 1);
  Value split = node.reshapeTo(x, node.concat(0, {batch, channels, i64Block, counts}), /*allowZero=*/true);
  // Batch and channels go to the end.
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(2, 2 + 2 * spatial));
  llvm::append_values(order, 0, 1);
  Value updates = node.transpose(split, ArrayRef<int64_t>(order));
  SmallVector<Value> parts;
  Value places = node.concat(0, {i64Block, counts});
  for (int64_t dim = 0; dim < spatial; ++dim) {
    auto count = [&](Value vector, ArrayRef<int64_t> steps, int64_t axis) {
      Value values = countTo(node, node.gather(vector, node.i64Scalar(dim), 0));
      values = node.mul(values, node.i64Scalar(steps[static_cast<size_t>(dim)]));
      return spread(node, values, axis, 2 * spatial);
    };
    Value place = node.add(count(i64Block, dilations, dim), count(counts, strides, dim + spatial));
    parts.push_back(node.unsqueeze(expand(node, place, places, 2 * spatial), 2 * spatial));
  }
  Type type = NodeImport::getElementType(x);
  Value image = fill(node, node.concat(0, {padded, batch, channels}), spatial + 2, 0, type);
  image = scatterND(node, image, node.concat(2 * spatial, parts), updates, ReduceKind::Sum);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, spatial));
  image = sliceTo(node, image, begins, node.add(begins, i64Image), axes);
  SmallVector<int64_t> back{spatial, spatial + 1};
  llvm::append_range(back, axes);
  return node.finish(node.transpose(image, ArrayRef<int64_t>(back)));
}

/// Elements go back to the places that pooling took them from, which count within what the windows cover.
static LogicalResult importMaxUnpool(NodeImport &node) {
  Value x = node.getOperand(0);
  std::optional<SmallVector<int64_t>> kernel = node.getInts("kernel_shape");
  if (!kernel || kernel->empty())
    return node.error("attribute 'kernel_shape' is missing");
  size_t spatial = kernel->size();
  SmallVector<int64_t> strides = node.getInts("strides").value_or(SmallVector<int64_t>(spatial, 1));
  SmallVector<int64_t> pads = node.getInts("pads").value_or(SmallVector<int64_t>(2 * spatial, 0));
  if (strides.size() != spatial || pads.size() != 2 * spatial)
    return node.error("attributes 'kernel_shape', 'strides' and 'pads' do not fit together");
  auto rank = static_cast<int64_t>(spatial) + 2;
  SmallVector<int64_t> added;
  for (size_t dim = 0; dim < spatial; ++dim)
    added.push_back((*kernel)[dim] - pads[dim] - pads[dim + spatial]);
  Value sizes = node.add(node.mul(node.sub(getDims(node, x, 2, rank), node.i64Scalar(1)), node.i64Vector(strides)),
                         node.i64Vector(added));
  Value covered = node.concat(0, {getDims(node, x, 0, 2), sizes});
  Value count = node.reduce(ReduceKind::Prod, covered, std::nullopt, /*keepDims=*/true);
  Value zeros = fill(node, count, 1, 0, NodeImport::getElementType(x));
  if (failed(node.requireRanks({{0, rank}, {1, rank}})))
    return failure();
  holdDims(node, node.getOperand(1), x, llvm::to_vector(llvm::seq<int64_t>(0, rank)), "dims of `I` and `X`");
  Value all = node.i64Vector({-1});
  Value places = node.unsqueeze(node.reshapeTo(node.getOperand(1), all, /*allowZero=*/false), 1);
  Value flat = scatterND(node, zeros, places, node.reshapeTo(x, all, /*allowZero=*/false), std::nullopt);
  Value result = node.reshapeTo(flat, covered, /*allowZero=*/true);
  if (!node.hasOperand(2))
    return node.finish(result);
  // A larger result is filled up with zeros at the ends.
  SmallVector<int64_t> none(static_cast<size_t>(rank), 0);
  holdSizes(node, node.shapeOf(node.getOperand(2)), node.i64Vector({rank}),
            "elements of `output_shape` and dims of `X`");
  Value ends = node.sub(node.getOperand(2), covered);
  return node.finish(padZeros(node, result, node.concat(0, {node.i64Vector(none), ends})));
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

namespace {

/// The different entries among `count` entries, from an order in which equal ones stand side by side.
class UniqueEntries {
public:
  /// `order` are the places of entries, equal ones side by side in their order; `isNew` says for each but the first
  /// whether it differs from the one before.
  UniqueEntries(NodeImport &node, Value order, Value isNew, bool isSorted);

  Value firsts;  ///< the first place of each
  Value numbers; ///< which one each entry is
  Value counts;
};

} // namespace

UniqueEntries::UniqueEntries(NodeImport &node, Value order, Value isNew, bool isSorted) {
  Type i64 = node.builder.getI64Type();
  Value size = getDims(node, order, 0, 1), one = node.i64Scalar(1);
  // The first entry is new, if there is one.
  Value first =
      sliceTo(node, node.constant(DenseElementsAttr::get(RankedTensorType::get({1}, node.builder.getI1Type()), true)),
              node.i64Vector({0}), size, 0);
  Value starts = node.concat(0, {first, isNew});
  Value begins = node.squeeze(findNonZero(node, starts, 1), ArrayRef<int64_t>(0));
  Type listType = RankedTensorType::get(ShapedType::kDynamic, i64);
  Value running = CumSumOp::create(node.builder, node.loc, listType, node.cast(starts, i64), /*axis=*/0,
                                   /*exclusive=*/false, /*reverse=*/false, /*product=*/false);
  Value groups = node.sub(running, one); // of each place in the order
  firsts = node.gather(order, begins, 0);
  Value ends = node.concat(
      0, {sliceTo(node, begins, node.i64Vector({1}), node.i64Vector({std::numeric_limits<int64_t>::max()}), 0),
          sliceTo(node, size, node.i64Vector({0}), getDims(node, begins, 0, 1), 0)});
  counts = node.sub(ends, begins);
  auto invert = [&](Value permutation, Value values) {
    Value zeros = fill(node, node.shapeOf(permutation), 1, 0, i64);
    return scatterND(node, zeros, node.unsqueeze(permutation, 1), values, std::nullopt);
  };
  numbers = invert(order, groups);
  if (isSorted)
    return;
  // In the order in which they appear.
  Value appearance = sortPlaces(node, firsts, 1, /*least=*/true);
  Value ranks = invert(appearance, countTo(node, asScalar(node, getDims(node, appearance, 0, 1))));
  firsts = node.gather(firsts, appearance, 0);
  counts = node.gather(counts, appearance, 0);
  numbers = node.gather(ranks, numbers, 0);
}

/// Rows of a matrix in lexicographic order, and whether each but the first differs from the one before. All pairs of
/// rows are compared.
static std::pair<Value, Value> sortRows(NodeImport &node, Value rows) {
  Type i64 = node.builder.getI64Type();
  Value left = node.unsqueeze(rows, 1), right = node.unsqueeze(rows, 0);
  // The first column that differs decides. One column more, in which none differs, makes that there is a column.
  Value differs = node.cast(node.compare(CompareDirection::NE, left, right), i64);
  Value isLess = node.cast(node.compare(CompareDirection::LT, left, right), i64);
  auto extend = [&](Value flags) {
    constexpr int64_t pads[] = {0, 0, 0, 0, 0, 1};
    return padZeros(node, flags, node.i64Vector(pads));
  };
  differs = extend(differs);
  isLess = extend(isLess);
  Type placeType = NodeImport::makeDynamicType(3, i64);
  Value column = ArgReduceOp::create(node.builder, node.loc, placeType, ReduceKind::Max, differs, /*axis=*/2,
                                     /*keep_dims=*/true, /*last=*/false);
  constexpr int64_t last[] = {2};
  Value comesBefore = node.squeeze(gatherElements(node, isLess, column, 2), ArrayRef<int64_t>(last));
  Value differ = node.squeeze(gatherElements(node, differs, column, 2), ArrayRef<int64_t>(last));
  Value count = asScalar(node, getDims(node, rows, 0, 1)), places = countTo(node, count);
  Value isEarlier = node.compare(CompareDirection::LT, node.unsqueeze(places, 1), places);
  Value isEqual = node.compare(CompareDirection::EQ, differ, node.i64Scalar(0));
  Value before = node.binary<OrOp>(node.compare(CompareDirection::NE, comesBefore, node.i64Scalar(0)),
                                   node.binary<AndOp>(isEqual, isEarlier));
  // How many rows stand before each is its place; the inverse is the order.
  Value ranks = node.reduce(ReduceKind::Sum, node.cast(before, i64), ArrayRef<int64_t>(0), /*keepDims=*/false);
  Value order = sortPlaces(node, ranks, 1, /*least=*/true);
  Value end = node.i64Vector({std::numeric_limits<int64_t>::max()});
  Value previous = node.slice(order, 0, -1, 0), next = sliceTo(node, order, node.i64Vector({1}), end, 0);
  Value pairs = node.concat(1, {node.unsqueeze(previous, 1), node.unsqueeze(next, 1)});
  Value isNew = node.compare(CompareDirection::NE, gatherND(node, differ, pairs, 0, 2), node.i64Scalar(0));
  return {order, isNew};
}

/// Of a vector, how many elements are less than each: numbers in the same order.
static Value rankElements(NodeImport &node, Value data) {
  Value isLess = node.compare(CompareDirection::LT, node.unsqueeze(data, 0), node.unsqueeze(data, 1));
  return node.reduce(ReduceKind::Sum, node.cast(isLess, node.builder.getI64Type()), ArrayRef<int64_t>(1),
                     /*keepDims=*/false);
}

/// The order of a vector by value, and which entries of it differ from the one before.
static std::pair<Value, Value> sortElements(NodeImport &node, Value data) {
  if (isa<StringType>(NodeImport::getElementType(data)))
    data = rankElements(node, data);
  Value order = sortPlaces(node, data, 1, /*least=*/true);
  Value sorted = node.gather(data, order, 0), end = node.i64Vector({std::numeric_limits<int64_t>::max()});
  return {order, node.compare(CompareDirection::NE, node.slice(sorted, 0, -1, 0),
                              sliceTo(node, sorted, node.i64Vector({1}), end, 0))};
}

/// Of all elements, or of slices along an axis.
static LogicalResult importUnique(NodeImport &node) {
  Value x = node.getOperand(0);
  bool isSorted = node.getInt("sorted", 1) != 0, hasAxis = node.hasAttribute("axis");
  Value data, order, isNew;
  int64_t axis = 0;
  if (hasAxis) {
    int64_t rank = node.requireRank(0);
    axis = node.normalizeAxis(node.getInt("axis", 0), rank);
    if (node.hasFailed())
      return failure();
    SmallVector<int64_t> perm{axis};
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != axis)
        perm.push_back(dim);
    std::tie(order, isNew) = sortRows(node, node.flatten(node.transpose(x, ArrayRef<int64_t>(perm)), 1));
    data = x;
  } else {
    data = node.reshapeTo(x, node.i64Vector({-1}), /*allowZero=*/false);
    std::tie(order, isNew) = sortElements(node, data);
  }
  UniqueEntries entries(node, order, isNew, isSorted);
  (void)node.finish(1, entries.firsts);
  (void)node.finish(2, entries.numbers);
  (void)node.finish(3, entries.counts);
  return node.finish(node.gather(data, entries.firsts, axis));
}

/// Of a vector, in the order in which they are seen first; where that is, is no result.
static LogicalResult importContribUnique(NodeImport &node) {
  if (failed(node.requireRanks({{0, 1}})))
    return failure();
  Value x = node.getOperand(0);
  auto [order, isNew] = sortElements(node, x);
  UniqueEntries entries(node, order, isNew, /*isSorted=*/false);
  (void)node.finish(1, entries.numbers);
  (void)node.finish(2, entries.counts);
  return node.finish(node.gather(x, entries.firsts, 0));
}

static LogicalResult importDet(NodeImport &node) {
  Value x = node.getOperand(0);
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(x);
  if (dims && dims->size() < 2)
    return node.error("operand 0 has rank " + Twine(dims->size()) + ", must be at least 2");
  Type type =
      NodeImport::makeType(dims ? std::optional(dims->drop_back(2)) : std::nullopt, NodeImport::getElementType(x));
  return node.finish(DetOp::create(node.builder, node.loc, type, x).getResult());
}

void onnx::registerDetection(OperatorRegistry &registry) {
  registry.add("NonMaxSuppression", 2, 5, importNonMaxSuppression);
  registry.add("MaxRoiPool", 2, 2, importMaxRoiPool);
  registry.add("Col2Im", 3, 3, importCol2Im);
  registry.add("MaxUnpool", 2, 3, importMaxUnpool);
  registry.add("Unique", 1, 1, importUnique);
  registry.add("com.microsoft", "Unique", 1, 1, importContribUnique);
  registry.add("Det", 1, 1, importDet);
}

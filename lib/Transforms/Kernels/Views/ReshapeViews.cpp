//===- Views that split dims --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ReshapeViews.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;

static RankedTensorType getType(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }

std::optional<Sizes> dyn::getLargeSizes(SizeFinder &sizes, Value tensor, ArrayRef<int64_t> group) {
  Sizes large;
  for (int64_t dim : group) {
    if (getType(tensor).getDimSize(dim) == 1)
      continue;
    large.push_back(sizes.find(tensor, dim));
    if (!large.back())
      return std::nullopt;
  }
  return large;
}

namespace {
/// A tensor some of whose dims are joined, and then divided into those of another type.
struct Reshape {
  Value source;
  SmallVector<ReassociationIndices> joined, divided;
  RankedTensorType type;
  /// Null where a dim only stays and its size was not needed.
  SmallVector<OpFoldResult> typeSizes;
};
} // namespace

/// For each dim of the first grouping, all that the second makes of it.
static SmallVector<ReassociationIndices> mergeGroups(ArrayRef<ReassociationIndices> first,
                                                     ArrayRef<ReassociationIndices> second) {
  SmallVector<ReassociationIndices> merged;
  for (const ReassociationIndices &group : first) {
    merged.emplace_back();
    for (int64_t dim : group)
      llvm::append_range(merged.back(), second[dim]);
  }
  return merged;
}

static bool areSingle(ArrayRef<ReassociationIndices> groups) {
  return llvm::all_of(groups, [](const ReassociationIndices &group) { return group.size() == 1; });
}

/// Sees through the views that `source` is.
static void compose(Reshape &reshape) {
  while (auto expand = reshape.source.getDefiningOp<tensor::ExpandShapeOp>()) {
    if (!areSingle(reshape.joined) || expand.getSrcType().getRank() == 0)
      return;
    reshape.divided = mergeGroups(expand.getReassociationIndices(), reshape.divided);
    reshape.source = expand.getSrc();
    reshape.joined.clear();
    for (int64_t dim = 0; dim < getType(reshape.source).getRank(); ++dim)
      reshape.joined.push_back({dim});
  }
  while (auto collapse = reshape.source.getDefiningOp<tensor::CollapseShapeOp>()) {
    if (collapse.getResultType().getRank() == 0)
      return;
    reshape.joined = mergeGroups(reshape.joined, collapse.getReassociationIndices());
    reshape.source = collapse.getSrc();
  }
}

/// Known sizes have the same product as others, whatever they are: they are the same values and constants.
static bool haveEqualProducts(ArrayRef<OpFoldResult> lhs, ArrayRef<OpFoldResult> rhs) {
  auto getFactors = [](ArrayRef<OpFoldResult> sizes) {
    std::pair<int64_t, SmallVector<void *>> factors{1, {}};
    for (OpFoldResult size : sizes) {
      if (isa<Attribute>(size))
        factors.first *= *getConstantIntValue(size);
      else
        factors.second.push_back(cast<Value>(size).getAsOpaquePointer());
    }
    llvm::sort(factors.second);
    return factors;
  };
  return getFactors(lhs) == getFactors(rhs);
}

/// Numbers of sizes on both sides that have the same product, block by block; empty if they can't be divided so.
static SmallVector<std::pair<size_t, size_t>> findBlocks(ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to) {
  SmallVector<std::pair<size_t, size_t>> blocks;
  auto findNext = [&]() -> std::pair<size_t, size_t> {
    for (size_t length = 2; length <= from.size() + to.size(); ++length)
      for (size_t first = length > to.size() ? length - to.size() : 1; first < length && first <= from.size(); ++first)
        if (haveEqualProducts(from.take_front(first), to.take_front(length - first)))
          return {first, length - first};
    return {0, 0};
  };
  while (!from.empty() || !to.empty()) {
    auto [first, second] = findNext();
    if (first == 0)
      return {};
    blocks.push_back({first, second});
    from = from.drop_front(first);
    to = to.drop_front(second);
  }
  return blocks;
}

/// Appends the groups for blocks of so many large dims. Dims of size 1 go with the large one before them, or else with
/// the first.
static void appendGroups(ArrayRef<int64_t> dims, ArrayRef<int64_t> shape, ArrayRef<size_t> blocks,
                         SmallVectorImpl<ReassociationIndices> &groups) {
  groups.emplace_back();
  size_t inBlock = 0;
  for (int64_t dim : dims) {
    if (shape[dim] != 1 && inBlock++ == blocks.front()) {
      groups.emplace_back();
      blocks = blocks.drop_front();
      inBlock = 1;
    }
    groups.back().push_back(dim);
  }
}

/// Where a group of dims is joined and divided to the same sizes again, lets each of them be a group.
static void refine(SizeFinder &sizes, Reshape &reshape) {
  SmallVector<ReassociationIndices> joined, divided;
  for (auto [from, to] : llvm::zip_equal(reshape.joined, reshape.divided)) {
    std::optional<Sizes> fromSizes = getLargeSizes(sizes, reshape.source, from);
    Sizes toSizes;
    for (int64_t dim : to)
      if (reshape.type.getDimSize(dim) != 1)
        toSizes.push_back(reshape.typeSizes[dim]);
    SmallVector<std::pair<size_t, size_t>> blocks;
    if (fromSizes && !llvm::is_contained(toSizes, OpFoldResult()))
      blocks = findBlocks(*fromSizes, toSizes);
    if (blocks.size() < 2) {
      joined.push_back(from);
      divided.push_back(to);
      continue;
    }
    appendGroups(from, getType(reshape.source).getShape(), llvm::to_vector(llvm::make_first_range(blocks)), joined);
    appendGroups(to, reshape.type.getShape(), llvm::to_vector(llvm::make_second_range(blocks)), divided);
  }
  reshape.joined = joined;
  reshape.divided = divided;
}

static Value createReshape(OpBuilder &b, SizeFinder &sizes, Location loc, Reshape &reshape) {
  Value value = reshape.source;
  if (!areSingle(reshape.joined)) {
    SmallVector<int64_t> shape;
    for (auto [from, to] : llvm::zip_equal(reshape.joined, reshape.divided)) {
      int64_t size = 1;
      for (int64_t dim : from)
        size = size == ShapedType::kDynamic || getType(value).isDynamicDim(dim) ? ShapedType::kDynamic
                                                                                : size * getType(value).getDimSize(dim);
      shape.push_back(size);
    }
    auto type = RankedTensorType::get(shape, getType(value).getElementType());
    value = tensor::CollapseShapeOp::create(b, loc, type, value, reshape.joined);
  }
  if (areSingle(reshape.divided))
    return value;
  for (auto [dim, group] : llvm::enumerate(reshape.divided))
    for (int64_t part : group)
      if (!reshape.typeSizes[part])
        reshape.typeSizes[part] = sizes.materialize(b, value)[dim];
  return tensor::ExpandShapeOp::create(b, loc, reshape.type, value, reshape.divided, reshape.typeSizes);
}

Value dyn::createSplit(OpBuilder &b, SizeFinder &sizes, Value tensor, ArrayRef<Sizes> dims) {
  if (llvm::all_of(dims, [](const Sizes &parts) { return parts.size() <= 1; }))
    return tensor;
  Reshape reshape{tensor, {}, {}, {}, {}};
  SmallVector<int64_t> shape;
  auto append = [&](int64_t size, OpFoldResult value) {
    reshape.divided.back().push_back(shape.size());
    shape.push_back(size);
    reshape.typeSizes.push_back(value);
  };
  for (auto [dim, parts] : llvm::enumerate(dims)) {
    reshape.joined.push_back({static_cast<int64_t>(dim)});
    reshape.divided.emplace_back();
    if (parts.size() <= 1)
      append(getType(tensor).getDimSize(dim), sizes.find(tensor, dim));
    else
      for (OpFoldResult part : parts)
        append(isa<Attribute>(part) ? *getConstantIntValue(part) : ShapedType::kDynamic, part);
  }
  reshape.type = RankedTensorType::get(shape, getType(tensor).getElementType());
  compose(reshape);
  refine(sizes, reshape);
  return createReshape(b, sizes, tensor.getLoc(), reshape);
}

/// The view, or a simpler one.
static Value simplify(OpBuilder &b, SizeFinder &sizes, Operation *view) {
  Value source = view->getOperand(0), result = view->getResult(0);
  Reshape reshape{source, {}, {}, getType(result), {}};
  for (int64_t dim = 0; dim < getType(result).getRank(); ++dim)
    reshape.typeSizes.push_back(sizes.find(result, dim));
  auto single = [](int64_t rank) {
    return llvm::map_to_vector(llvm::seq<int64_t>(0, rank), [](int64_t dim) { return ReassociationIndices{dim}; });
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
    reshape.joined = single(getType(source).getRank());
    reshape.divided = expand.getReassociationIndices();
  } else {
    reshape.joined = cast<tensor::CollapseShapeOp>(view).getReassociationIndices();
    reshape.divided = single(getType(result).getRank());
  }
  // Tensors without dims are in no group.
  if (reshape.joined.empty() || reshape.divided.empty())
    return result;
  compose(reshape);
  if (reshape.source == source)
    return result;
  refine(sizes, reshape);
  if (reshape.joined.empty())
    return result;
  return createReshape(b, sizes, view->getLoc(), reshape);
}

void dyn::simplifyViews(Block &block, SizeFinder &sizes) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) || op.use_empty())
      continue;
    OpBuilder b(&op);
    Value simpler = simplify(b, sizes, &op);
    if (simpler == op.getResult(0))
      continue;
    op.getResult(0).replaceAllUsesWith(simpler);
    op.erase();
  }
}

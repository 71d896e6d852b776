//===- Import of transposed convolutions --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "ConvolutionWindow.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// The input with zeros behind each element, `strides` less 1: a new dim behind each spatial one, joined with it.
static Value spreadElements(NodeImport &node, Value input, ArrayRef<int64_t> strides, int64_t rank) {
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    if (stride == 1)
      continue;
    int64_t axis = static_cast<int64_t>(dim) + 2;
    Value apart = node.unsqueeze(input, axis + 1);
    SmallVector<int64_t> pads(static_cast<size_t>(2 * (rank + 1)), 0);
    pads[static_cast<size_t>(rank + 1 + axis + 1)] = stride - 1;
    apart = padZeros(node, apart, node.i64Vector(pads));
    SmallVector<Value> merged{getDims(node, input, 0, axis),
                              node.mul(getDims(node, input, axis, axis + 1), node.i64Scalar(stride))};
    if (axis + 1 < rank)
      merged.push_back(getDims(node, input, axis + 1, rank));
    input = node.reshapeTo(apart, node.concat(0, merged), /*allowZero=*/true);
  }
  return input;
}

/// C x M/group x kernel... as M x C/group x kernel..., turned round.
static Value turnFilters(NodeImport &node, Value filter, Value kernel, int64_t group, int64_t rank) {
  for (int64_t axis = 2; axis < rank; ++axis)
    filter = flip(node, filter, axis);
  Value channels = node.div(getDims(node, filter, 0, 1), node.i64Scalar(group)), maps = getDims(node, filter, 1, 2);
  SmallVector<int64_t> order{0, 2, 1};
  llvm::append_range(order, llvm::seq<int64_t>(3, rank + 1));
  Value groups = node.i64Vector({group});
  filter = node.reshapeTo(filter, node.concat(0, {groups, channels, maps, kernel}), /*allowZero=*/true);
  filter = node.transpose(filter, ArrayRef<int64_t>(order));
  return node.reshapeTo(filter, node.concat(0, {node.mul(groups, maps), channels, kernel}), /*allowZero=*/true);
}

/// The sizes of the filter, as far as the file tells them; nothing if not all are told.
static std::optional<SmallVector<int64_t>> findKernel(Value filter, const Window &window) {
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(filter);
  SmallVector<int64_t> kernel(dims ? dims->drop_front(2) : ArrayRef<int64_t>(window.kernel));
  for (auto [size, declared] : llvm::zip_equal(kernel, window.kernel))
    size = ShapedType::isDynamic(size) ? declared : size;
  if (llvm::any_of(kernel, ShapedType::isDynamic))
    return std::nullopt;
  return kernel;
}

namespace {

/// A transposed convolution as one convolution of the input as it is. The places of the result that are a stride apart
/// are sums over the same elements of the filter, every stride-th one: these are the filter of one phase, and each
/// phase gives an element of what stands between two places. Along a dim of stride s
///   whole[s*q + r] = sum over j of x[q - j] * w[s*j + r],
/// of which the padding is cut off.
class Phases {
public:
  /// Nothing where a part of it is known at a run only, and where phases have different numbers of elements of the
  /// filter: zeros in their places would make NaN of what is infinite.
  static std::optional<Phases> find(NodeImport &node, Value filter, const Window &window, ArrayRef<int64_t> added,
                                    int64_t group) {
    std::optional<SmallVector<int64_t>> kernel = findKernel(filter, window);
    auto isAtLeast = [](ArrayRef<int64_t> entries, int64_t least) {
      return llvm::all_of(entries, [&](int64_t entry) { return entry >= least; });
    };
    auto isOne = [](int64_t entry) { return entry == 1; };
    if (!kernel || llvm::all_of(window.strides, isOne) || !llvm::all_of(window.dilations, isOne) ||
        !isAtLeast(*kernel, 1) || !isAtLeast(window.pads, 0) || !isAtLeast(added, 0))
      return std::nullopt;
    Phases phases(node, filter, window.strides, group);
    std::optional<int64_t> groupsOfPhases = group;
    for (auto [dim, size, stride, more] : llvm::enumerate(*kernel, window.strides, added)) {
      int64_t begin = window.pads[dim], end = window.pads[kernel->size() + dim];
      // What is added to the whole of an input without elements may be all that there is.
      if (size % stride != 0 || (size == stride && more > end))
        return std::nullopt;
      phases.taps.push_back(size / stride);
      phases.begins.push_back(-begin);
      phases.ends.push_back(more - end);
      groupsOfPhases = groupsOfPhases ? llvm::checkedMul(*groupsOfPhases, stride) : std::nullopt;
    }
    if (!groupsOfPhases)
      return std::nullopt;
    phases.groupsOfPhases = *groupsOfPhases;
    return phases;
  }

  Value convolve(Value input, int64_t rank);

private:
  Phases(NodeImport &node, Value filter, ArrayRef<int64_t> strides, int64_t group)
      : node(node), filter(filter), strides(strides), group(group) {}

  Value splitFilter();

  NodeImport &node;
  Value filter;
  ArrayRef<int64_t> strides;
  int64_t group, groupsOfPhases = 0; ///< as many as there are groups, times phases
  SmallVector<int64_t> taps;         ///< elements of the filter that a phase has
  SmallVector<int64_t> begins, ends; ///< pads of the whole, most of them not positive
};

} // namespace

/// C x M/group x kernel... as (group * strides... * M/group) x C/group x taps..., turned round.
Value Phases::splitFilter() {
  Value channels = node.div(getDims(node, filter, 0, 1), node.i64Scalar(group)), maps = getDims(node, filter, 1, 2);
  SmallVector<int64_t> parts, order{0};
  for (auto [dim, count, stride] : llvm::enumerate(taps, strides)) {
    parts.append({count, stride});
    order.push_back(static_cast<int64_t>(2 * dim) + 4);
  }
  order.append({2, 1});
  Value groups = node.i64Vector({group});
  Value split =
      node.reshapeTo(filter, node.concat(0, {groups, channels, maps, node.i64Vector(parts)}), /*allowZero=*/true);
  for (size_t dim = 0; dim < taps.size(); ++dim) {
    split = flip(node, split, static_cast<int64_t>(2 * dim) + 3);
    order.push_back(static_cast<int64_t>(2 * dim) + 3);
  }
  split = node.transpose(split, ArrayRef<int64_t>(order));
  Value filters = node.mul(node.i64Vector({groupsOfPhases}), maps);
  return node.reshapeTo(split, node.concat(0, {filters, channels, node.i64Vector(taps)}), /*allowZero=*/true);
}

Value Phases::convolve(Value input, int64_t rank) {
  auto spatial = static_cast<int64_t>(strides.size());
  SmallVector<int64_t> ones(strides.size(), 1), around;
  for (int side = 0; side < 2; ++side)
    for (int64_t count : taps)
      around.push_back(count - 1);
  Builder &b = node.builder;
  Type type = NodeImport::makeDynamicType(rank, NodeImport::getElementType(input));
  Value phases =
      ConvOp::create(node.builder, node.loc, type, input, splitFilter(), b.getDenseI64ArrayAttr(ones),
                     b.getDenseI64ArrayAttr(around), b.getDenseI64ArrayAttr(ones), static_cast<uint64_t>(group));
  // N x (group * strides... * M/group) x places... as N x M x (places * stride)...
  Value batch = getDims(node, phases, 0, 1), places = getDims(node, phases, 2, rank), groups = node.i64Vector({group});
  Value maps = getDims(node, filter, 1, 2);
  Value result = node.reshapeTo(phases, node.concat(0, {batch, groups, node.i64Vector(strides), maps, places}),
                                /*allowZero=*/true);
  SmallVector<int64_t> order{0, 1, 2 + spatial}, pads{0, 0};
  for (int64_t dim = 0; dim < spatial; ++dim)
    order.append({3 + spatial + dim, 2 + dim});
  result = node.transpose(result, ArrayRef<int64_t>(order));
  Value wholes = node.mul(places, node.i64Vector(strides));
  result = node.reshapeTo(result, node.concat(0, {batch, node.mul(groups, maps), wholes}), /*allowZero=*/true);
  llvm::append_range(pads, begins);
  pads.append({0, 0});
  llvm::append_range(pads, ends);
  bool isWhole = llvm::all_of(pads, [](int64_t count) { return count == 0; });
  return isWhole ? result : padZeros(node, result, node.i64Vector(pads));
}

/// The convolution of an input whose elements stand `strides` apart, zeros in between, with filters that are turned
/// round: what a convolution does to gradients. W is C x M/group x kernel.... Pads may be an i64 vector.
static LogicalResult emitConvTranspose(NodeImport &node, Value pads, Value bias) {
  Value input = node.getOperand(0), filter = node.getOperand(1);
  if (failed(node.requireSameElementTypes({input, filter})))
    return failure();
  int64_t rank = getConvolutionRank(node), spatial = rank - 2, group = node.getInt("group", 1);
  if (node.hasFailed())
    return failure();
  if (spatial < 1 || group < 1)
    return node.error(spatial < 1 ? "operands of rank " + Twine(rank) + " have no spatial dims"
                                  : "attribute 'group' is " + Twine(group));
  Window window = getWindow(node, static_cast<size_t>(spatial));
  checkKernel(node, filter, window);
  SmallVector<int64_t> added = getWindowAttribute(node, "output_padding", static_cast<size_t>(spatial), 0);
  std::optional<SmallVector<int64_t>> outputShape = node.getInts("output_shape");
  if (outputShape && outputShape->empty())
    outputShape.reset();
  if (outputShape && static_cast<int64_t>(outputShape->size()) < spatial)
    return node.error("attribute 'output_shape' has " + Twine(outputShape->size()) + " entries for " + Twine(spatial) +
                      " spatial dims");
  // Some give batch and channels too.
  if (outputShape)
    outputShape->erase(outputShape->begin(), outputShape->end() - spatial);
  if (node.hasFailed())
    return failure();
  auto finish = [&](Value result) {
    return node.finish(bias ? node.add(result, spread(node, fitToAxis(node, bias, result, 1), 1, rank)) : result);
  };
  bool isSame = window.autoPad == "SAME_UPPER" || window.autoPad == "SAME_LOWER";
  if (!pads && !outputShape && !isSame)
    if (std::optional<Phases> phases = Phases::find(node, filter, window, added, group))
      return finish(phases->convolve(input, rank));
  Value strides = node.i64Vector(window.strides), dilations = node.i64Vector(window.dilations);
  Value kernel = getDims(node, filter, 2, rank), size = getDims(node, input, 2, rank), one = node.i64Scalar(1);
  Value extent = node.mul(node.sub(kernel, one), dilations); // of the filter, less 1
  Value begins = node.i64Vector(ArrayRef(window.pads).take_front(static_cast<size_t>(spatial)));
  Value ends = node.i64Vector(ArrayRef(window.pads).drop_front(static_cast<size_t>(spatial)));
  if (pads) {
    begins = node.slice(pads, 0, spatial, 0);
    ends = node.slice(pads, spatial, 2 * spatial, 0);
  }
  Value extra = node.i64Vector(added);
  if (outputShape || isSame) {
    // The padding follows from the sizes that are wanted.
    Value wanted = outputShape ? node.i64Vector(*outputShape) : node.mul(size, strides);
    Value whole = node.add(node.add(node.mul(node.sub(size, one), strides), extra), node.add(extent, one));
    Value total = node.max(node.sub(whole, wanted), node.i64Scalar(0)), less = node.div(total, node.i64Scalar(2));
    Value more = node.sub(total, less);
    begins = window.autoPad == "SAME_UPPER" ? less : more;
    ends = window.autoPad == "SAME_UPPER" ? more : less;
    // What is wanted beyond the whole is added at the end.
    ends = node.sub(ends, node.max(node.sub(wanted, whole), node.i64Scalar(0)));
  }
  // The last zeros of all go again with the padding, so that an input of no elements, which has none, comes to the size
  // that ONNX's formula gives.
  SmallVector<int64_t> last = llvm::map_to_vector(window.strides, [](int64_t stride) { return stride - 1; });
  input = spreadElements(node, input, window.strides, rank);
  Value none = node.i64Vector({0, 0});
  Value behind = node.sub(node.add(node.sub(extent, ends), extra), node.i64Vector(last));
  input = padZeros(node, input, node.concat(0, {none, node.sub(extent, begins), none, behind}));
  filter = turnFilters(node, filter, kernel, group, rank);
  SmallVector<int64_t> ones(static_cast<size_t>(spatial), 1), zeros(static_cast<size_t>(2 * spatial), 0);
  Builder &b = node.builder;
  Type type = NodeImport::makeDynamicType(rank, NodeImport::getElementType(input));
  Value result = ConvOp::create(node.builder, node.loc, type, input, filter, b.getDenseI64ArrayAttr(ones),
                                b.getDenseI64ArrayAttr(zeros), b.getDenseI64ArrayAttr(window.dilations),
                                static_cast<uint64_t>(group));
  return finish(result);
}

static LogicalResult importConvTranspose(NodeImport &node) {
  return emitConvTranspose(node, /*pads=*/Value(), node.getOperand(2));
}

static LogicalResult importConvTransposeWithDynamicPads(NodeImport &node) {
  Value pads = node.getOperand(2);
  std::string autoPad = node.getString("auto_pad", "NOTSET");
  if (pads && autoPad != "NOTSET")
    return node.error("operand 2 and auto_pad " + quoteName(autoPad) + " contradict each other");
  if (pads) {
    int64_t rank = node.requireRank(1);
    if (node.hasFailed())
      return failure();
    // Counts beyond those of the spatial dims would go unnoticed.
    pads = node.reshapeTo(pads, node.i64Vector({2 * (rank - 2)}), /*allowZero=*/true);
  }
  return emitConvTranspose(node, pads, node.getOperand(3));
}

void onnx::registerTransposedConvolutions(OperatorRegistry &registry) {
  registry.add("ConvTranspose", 2, 3, importConvTranspose);
  registry.add("com.microsoft", "ConvTransposeWithDynamicPads", 2, 4, importConvTransposeWithDynamicPads);
}

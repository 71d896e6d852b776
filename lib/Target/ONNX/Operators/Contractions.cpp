//===- Import of matrix products and convolutions ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Formulas.h"
#include "Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static LogicalResult importMatMul(NodeImport &node) {
  Value lhs = node.getOperand(0), rhs = node.getOperand(1);
  if (failed(node.requireSameElementTypes({lhs, rhs})))
    return failure();
  for (Value operand : {lhs, rhs})
    if (NodeImport::getRank(operand) == 0)
      return node.error("operands must have at least one dim");
  return node.finish(node.matmul(lhs, rhs));
}

/// The activation that a fused operator names in its attribute 'activation', applied to `x`.
static FailureOr<Value> activate(NodeImport &node, Value x, ArrayRef<std::optional<double>> parameters) {
  std::string name = node.getString("activation", "");
  auto get = [&](size_t index, double defaultValue) {
    std::optional<double> given = index < parameters.size() ? parameters[index] : std::nullopt;
    return node.scalar(given.value_or(defaultValue), x);
  };
  Value zero = node.scalar(0, x);
  if (name.empty())
    return x;
  if (name == "Relu")
    return node.max(x, zero);
  if (name == "Tanh")
    return node.unary<TanhOp>(x);
  if (name == "Sigmoid")
    return node.unary<SigmoidOp>(x);
  if (name == "LeakyRelu")
    return node.select(node.compare(CompareDirection::GE, x, zero), x, node.mul(x, get(0, 0.01f)));
  if (name == "Clip") {
    double most = std::numeric_limits<float>::max();
    return node.min(node.max(x, get(0, -most)), get(1, most));
  }
  auto hardSigmoid = [&](double slope) {
    return node.max(node.min(node.add(node.mul(x, get(0, slope)), get(1, 0.5)), node.scalar(1, x)), zero);
  };
  if (name == "HardSigmoid")
    return hardSigmoid(0.2f);
  if (name == "HardSwish")
    return node.mul(x, hardSigmoid(1 / 6.0));
  return node.error("activation " + quoteName(name) + " is not supported");
}

/// alpha * A' * B' + beta * C
static FailureOr<Value> emitGemm(NodeImport &node) {
  Value a = node.getOperand(0), b = node.getOperand(1), c = node.getOperand(2);
  if (failed(node.requireSameElementTypes({a, b})) || (c && failed(node.requireSameElementTypes({a, c}))))
    return failure();
  if (failed(node.requireRanks({{0, 2}, {1, 2}})))
    return failure();
  constexpr int64_t swapped[] = {1, 0};
  if (node.getInt("transA", 0))
    a = node.transpose(a, ArrayRef<int64_t>(swapped));
  if (node.getInt("transB", 0))
    b = node.transpose(b, ArrayRef<int64_t>(swapped));
  Value product = node.matmul(a, b);
  double alpha = node.getFloat("alpha", 1.0f), beta = node.getFloat("beta", 1.0f);
  // Integers are multiplied by numbers that need not be whole, in 53 bits, and the sum is truncated.
  auto isWhole = [](double factor) { return factor == std::trunc(factor); };
  Type type = NodeImport::getElementType(product);
  bool isTruncated = isa<IntegerType>(type) && !(isWhole(alpha) && (!c || isWhole(beta)));
  product = node.cast(product, isTruncated ? Type(node.builder.getF64Type()) : type);
  if (alpha != 1)
    product = node.mul(product, node.scalar(alpha, product));
  if (!c || beta == 0)
    return node.cast(product, type);
  c = node.cast(c, NodeImport::getElementType(product));
  if (beta != 1)
    c = node.mul(c, node.scalar(beta, c));
  return node.cast(node.add(product, node.expandLike(c, product)), type);
}

static LogicalResult importGemm(NodeImport &node) {
  FailureOr<Value> result = emitGemm(node);
  return failed(result) ? failure() : node.finish(*result);
}

static LogicalResult importFusedGemm(NodeImport &node) {
  FailureOr<Value> sum = emitGemm(node);
  if (failed(sum))
    return failure();
  SmallVector<std::optional<double>> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    parameters.push_back(node.hasAttribute(name) ? std::optional(node.getFloat(name, 0)) : std::nullopt);
  FailureOr<Value> result = activate(node, *sum, parameters);
  return failed(result) ? failure() : node.finish(*result);
}

namespace {

/// The window of a convolution, with an entry for each spatial dim (two for pads).
struct Window {
  SmallVector<int64_t> kernel, strides, dilations, pads;
  std::string autoPad;
};

} // namespace

static SmallVector<int64_t> getWindowAttribute(NodeImport &node, StringRef name, size_t length, int64_t defaultValue) {
  std::optional<SmallVector<int64_t>> values = node.getInts(name);
  if (!values)
    return SmallVector<int64_t>(length, defaultValue);
  if (values->size() != length)
    (void)node.error("attribute '" + name + "' has " + Twine(values->size()) + " entries instead of " + Twine(length));
  values->resize(length, defaultValue);
  return *values;
}

static Window getWindow(NodeImport &node, size_t spatialRank) {
  Window window;
  window.kernel = getWindowAttribute(node, "kernel_shape", spatialRank, ShapedType::kDynamic);
  window.strides = getWindowAttribute(node, "strides", spatialRank, 1);
  window.dilations = getWindowAttribute(node, "dilations", spatialRank, 1);
  window.pads = getWindowAttribute(node, "pads", 2 * spatialRank, 0);
  window.autoPad = node.getString("auto_pad", "NOTSET");
  if (llvm::any_of(llvm::concat<int64_t>(window.strides, window.dilations), [](int64_t entry) { return entry < 1; }))
    (void)node.error("strides and dilations must be positive");
  if (!llvm::is_contained({"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}, window.autoPad))
    (void)node.error("attribute 'auto_pad' has the unknown value " + quoteName(window.autoPad));
  if (window.autoPad != "NOTSET")
    window.pads.assign(2 * spatialRank, 0);
  return window;
}

/// The attribute says nothing that the filter does not, which is held to it.
static void checkKernel(NodeImport &node, Value filter, const Window &window) {
  auto spatial = static_cast<int64_t>(window.kernel.size());
  if (llvm::all_of(window.kernel, ShapedType::isDynamic))
    return;
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(filter);
  if (dims && dims->size() != window.kernel.size() + 2)
    return;
  if (!dims || llvm::any_of(dims->drop_front(2), ShapedType::isDynamic))
    return holdSizes(node, getDims(node, filter, 2, spatial + 2), node.i64Vector(window.kernel),
                     "dims of the filter and kernel_shape", spatial);
  ArrayRef<int64_t> sizes = dims->drop_front(2);
  for (auto [axis, declared, size] : llvm::enumerate(window.kernel, sizes))
    if (!ShapedType::isDynamic(declared) && !ShapedType::isDynamic(size) && declared != size)
      (void)node.contradiction("attribute 'kernel_shape' has " + Twine(declared) + " where dim " + Twine(axis + 2) +
                               " of the filter is " + Twine(size));
}

/// The input padded so that each spatial dim of the result is ceil(size / stride): the counts depend on sizes, so they
/// are computed by a shape subgraph.
static Value padSame(NodeImport &node, Value input, Value filter, const Window &window) {
  auto spatialRank = static_cast<int64_t>(window.strides.size());
  Value size = node.slice(node.shapeOf(input), 2, 2 + spatialRank, 0);
  Value kernel = node.slice(node.shapeOf(filter), 2, 2 + spatialRank, 0);
  Value one = node.i64Scalar(1), two = node.i64Scalar(2);
  Value stride = node.i64Vector(window.strides), dilation = node.i64Vector(window.dilations);
  // Where the last window begins if the first begins at 0; of an empty dim there is none.
  Value count = node.div(
      node.add(size, node.i64Vector(llvm::map_to_vector(window.strides, [](int64_t s) { return s - 1; }))), stride);
  Value lastWindow = node.mul(node.sub(count, one), stride);
  Value extent = node.add(node.mul(node.sub(kernel, one), dilation), one);
  Value total = node.max(node.sub(node.add(lastWindow, extent), size), node.i64Scalar(0));
  Value less = node.div(total, two), more = node.sub(total, less);
  Value none = node.i64Vector({0, 0});
  bool lower = window.autoPad == "SAME_LOWER";
  Value pads = node.concat(0, {none, lower ? more : less, none, lower ? less : more});
  Type type = NodeImport::makeDynamicType(spatialRank + 2, NodeImport::getElementType(input));
  return PadToOp::create(node.builder, node.loc, type, PadMode::Constant, input, pads, /*value=*/Value(),
                         /*axes=*/Value());
}

FailureOr<Value> onnx::emitConvolution(NodeImport &node, Value input, Value filter, int64_t rank) {
  if (rank < 3)
    return node.contradiction("operands of rank " + Twine(rank) + " have no spatial dims");
  Window window = getWindow(node, static_cast<size_t>(rank - 2));
  checkKernel(node, filter, window);
  if (node.hasFailed())
    return failure();
  if (window.autoPad == "SAME_UPPER" || window.autoPad == "SAME_LOWER")
    input = padSame(node, input, filter, window);
  Type type = NodeImport::makeDynamicType(rank, NodeImport::getElementType(input));
  Builder &b = node.builder;
  Value result = ConvOp::create(node.builder, node.loc, type, input, filter, b.getDenseI64ArrayAttr(window.strides),
                                b.getDenseI64ArrayAttr(window.pads), b.getDenseI64ArrayAttr(window.dilations),
                                static_cast<uint64_t>(node.getInt("group", 1)));
  return result;
}

/// That of the filter or of the input.
static int64_t getConvolutionRank(NodeImport &node) {
  std::optional<int64_t> known = node.findRank(1);
  return known ? *known : node.requireRank(0);
}

/// Operands 0 and 2 are the input and perhaps a bias.
static FailureOr<Value> emitConvWithBias(NodeImport &node, Value filter, bool isChannelsLast) {
  Value input = node.getOperand(0), bias = node.getOperand(2);
  if (failed(node.requireSameElementTypes({input, filter})) ||
      (bias && failed(node.requireSameElementTypes({input, bias}))))
    return failure();
  int64_t rank = getConvolutionRank(node);
  if (node.hasFailed())
    return failure();
  FailureOr<Value> result =
      emitConvolution(node, isChannelsLast ? moveChannels(node, input, rank, /*last=*/false) : input, filter, rank);
  if (failed(result))
    return failure();
  return bias ? node.add(*result, spread(node, fitToAxis(node, bias, filter, 0), 1, rank)) : *result;
}

static LogicalResult importConv(NodeImport &node) {
  FailureOr<Value> result = emitConvWithBias(node, node.getOperand(1), /*isChannelsLast=*/false);
  return failed(result) ? failure() : node.finish(*result);
}

FailureOr<Value> onnx::emitFusedConvolution(NodeImport &node, Value filter, bool isChannelsLast) {
  FailureOr<Value> sum = emitConvWithBias(node, filter, isChannelsLast);
  if (failed(sum))
    return failure();
  if (isChannelsLast)
    sum = moveChannels(node, *sum, getConvolutionRank(node), /*last=*/true);
  if (node.hasOperand(3))
    sum = node.add(*sum, holdShape(node, node.getOperand(3), *sum, "dims of `Z` and the result"));
  SmallVector<std::optional<double>> parameters;
  llvm::append_range(parameters, node.getFloats("activation_params").value_or(SmallVector<double>()));
  return activate(node, *sum, parameters);
}

template <bool isChannelsLast>
static LogicalResult importFusedConv(NodeImport &node) {
  FailureOr<Value> result = emitFusedConvolution(node, node.getOperand(1), isChannelsLast);
  return failed(result) ? failure() : node.finish(*result);
}

/// Filters have their channels last too, unlike those of NhwcFusedConv.
static LogicalResult importNhwcConv(NodeImport &node) {
  int64_t rank = getConvolutionRank(node);
  if (node.hasFailed())
    return failure();
  Value filter = moveChannels(node, node.getOperand(1), rank, /*last=*/false);
  FailureOr<Value> result = emitFusedConvolution(node, filter, /*isChannelsLast=*/true);
  return failed(result) ? failure() : node.finish(*result);
}

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
  bool isSame = window.autoPad == "SAME_UPPER" || window.autoPad == "SAME_LOWER";
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
  return node.finish(bias ? node.add(result, spread(node, fitToAxis(node, bias, result, 1), 1, rank)) : result);
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

void onnx::registerContractions(OperatorRegistry &registry) {
  registry.add("MatMul", 2, 2, importMatMul);
  registry.add("Gemm", 2, 3, importGemm);
  registry.add("Conv", 2, 3, importConv);
  registry.add("ConvTranspose", 2, 3, importConvTranspose);
  // What onnxruntime's optimizer makes of them.
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "FusedGemm", 2, 3, importFusedGemm);
  registry.add(domain, "FusedConv", 2, 4, importFusedConv</*isChannelsLast=*/false>);
  registry.add(domain, "NhwcFusedConv", 2, 4, importFusedConv</*isChannelsLast=*/true>);
  registry.add(domain, "NhwcConv", 2, 3, importNhwcConv);
  registry.add(domain, "ConvTransposeWithDynamicPads", 2, 4, importConvTransposeWithDynamicPads);
}

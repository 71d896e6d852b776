//===- The window of a convolution ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionWindow.h"
#include "../Builders.h"
#include "../Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

SmallVector<int64_t> onnx::getWindowAttribute(NodeImport &node, StringRef name, size_t length, int64_t defaultValue) {
  std::optional<SmallVector<int64_t>> values = node.getInts(name);
  if (!values)
    return SmallVector<int64_t>(length, defaultValue);
  if (values->size() != length)
    (void)node.error("attribute '" + name + "' has " + Twine(values->size()) + " entries instead of " + Twine(length));
  values->resize(length, defaultValue);
  return *values;
}

Window onnx::getWindow(NodeImport &node, size_t spatialRank) {
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

void onnx::checkKernel(NodeImport &node, Value filter, const Window &window) {
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

int64_t onnx::getConvolutionRank(NodeImport &node) {
  std::optional<int64_t> known = node.findRank(1);
  return known ? *known : node.requireRank(0);
}

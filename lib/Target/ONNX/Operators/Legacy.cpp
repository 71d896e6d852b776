//===- Import of what ONNX had before it had opsets ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Experimental operators of ai.onnx, which the standard has dropped, but old
// converters wrote and onnxruntime still runs; and copies between devices, which
// onnxruntime leaves in the models that it saves.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Formulas.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static LogicalResult importCopy(NodeImport &node) { return node.finish(node.getOperand(0)); }

static Value scaleBy(NodeImport &node, Value x, double factor) { return node.mul(x, node.scalar(factor, x)); }

static LogicalResult importAffine(NodeImport &node) {
  Value x = node.getOperand(0);
  Value scaled = scaleBy(node, x, node.getFloat("alpha", 1.0f));
  return node.finish(node.add(scaled, node.scalar(node.getFloat("beta", 0.0f), x)));
}

static LogicalResult importScale(NodeImport &node) {
  return node.finish(scaleBy(node, node.getOperand(0), node.getFloat("scale", 1.0f)));
}

/// The attributes 'alpha' and 'beta', which must be there.
static std::optional<std::pair<double, double>> getFactors(NodeImport &node) {
  for (StringRef name : {"alpha", "beta"})
    if (!node.hasAttribute(name))
      (void)node.error("attribute '" + name + "' is missing");
  if (node.hasFailed())
    return std::nullopt;
  return std::pair(node.getFloat("alpha", 0), node.getFloat("beta", 0));
}

static LogicalResult importParametricSoftplus(NodeImport &node) {
  auto factors = getFactors(node);
  if (!factors)
    return failure();
  Value x = node.getOperand(0);
  return node.finish(scaleBy(node, emitSoftplus(node, scaleBy(node, x, factors->second)), factors->first));
}

static LogicalResult importScaledTanh(NodeImport &node) {
  auto factors = getFactors(node);
  if (!factors)
    return failure();
  Value x = node.getOperand(0);
  return node.finish(scaleBy(node, node.unary<TanhOp>(scaleBy(node, x, factors->second)), factors->first));
}

/// An image times a number, plus one for each channel.
static LogicalResult importImageScaler(NodeImport &node) {
  Value x = node.getOperand(0);
  std::optional<SmallVector<double>> bias = node.getFloats("bias");
  if (node.hasFailed() || failed(node.requireRanks({{0, 4}})))
    return failure();
  Value scaled = scaleBy(node, x, node.getFloat("scale", 1.0f));
  if (!bias || bias->empty())
    return node.finish(scaled);
  auto numbers = llvm::map_to_vector(*bias, [](double value) { return static_cast<float>(value); });
  Type f32 = node.builder.getF32Type();
  Value list = node.constant(DenseElementsAttr::get(RankedTensorType::get(static_cast<int64_t>(numbers.size()), f32),
                                                    ArrayRef<float>(numbers)));
  list = fitToAxis(node, node.cast(list, NodeImport::getElementType(x)), x, 1);
  return node.finish(node.add(scaled, spread(node, list, 1, 4)));
}

/// An image without borders: left, top, right and bottom; or from the first two on as large as 'scale' says.
static LogicalResult importCrop(NodeImport &node) {
  Value x = node.getOperand(0);
  std::optional<SmallVector<int64_t>> border = node.getInts("border"), scale = node.getInts("scale");
  if (node.hasFailed() || failed(node.requireRanks({{0, 4}})))
    return failure();
  if (!border || border->size() != 4 || (scale && !scale->empty() && scale->size() != 2))
    return node.error("attributes 'border' and 'scale' must have 4 and 2 entries");
  bool isSized = scale && !scale->empty();
  for (int64_t entry : isSized ? llvm::to_vector(llvm::concat<int64_t>(*border, *scale)) : *border)
    if (entry < 0 || entry > std::numeric_limits<int32_t>::max())
      return node.error("attributes 'border' and 'scale' have the entry " + Twine(entry) + ", which is not supported");
  Value begins = node.i64Vector({(*border)[1], (*border)[0]}), sizes;
  if (isSized) {
    sizes = node.i64Vector(*scale);
  } else {
    // Of borders that are larger than the image, less than nothing would be left, which no dim is.
    Value both = node.i64Vector({(*border)[1] + (*border)[3], (*border)[0] + (*border)[2]});
    Type i64 = node.builder.getI64Type();
    sizes = node.shapeOf(fill(node, node.sub(getDims(node, x, 2, 4), both), 2, 0, i64));
  }
  // A slice would end with the image.
  Value cropped = sliceTo(node, x, begins, node.add(begins, sizes), {2, 3});
  Value dims = node.concat(0, {getDims(node, x, 0, 2), sizes});
  return node.finish(node.reshapeTo(cropped, dims, /*allowZero=*/true));
}

/// As Slice has been since it has operands.
static LogicalResult importDynamicSlice(NodeImport &node) {
  Value x = node.getOperand(0);
  Type type = NodeImport::makeDynamicType(NodeImport::getRank(x), NodeImport::getElementType(x));
  return node.finish(SliceToOp::create(node.builder, node.loc, type, x, node.getOperand(1), node.getOperand(2),
                                       node.getOperand(3), /*steps=*/Value()));
}

void onnx::registerLegacy(OperatorRegistry &registry) {
  registry.add("MemcpyFromHost", 1, 1, importCopy);
  registry.add("MemcpyToHost", 1, 1, importCopy);
  registry.add("Affine", 1, 1, importAffine);
  registry.add("Scale", 1, 1, importScale);
  registry.add("ParametricSoftplus", 1, 1, importParametricSoftplus);
  registry.add("ScaledTanh", 1, 1, importScaledTanh);
  registry.add("ImageScaler", 1, 1, importImageScaler);
  registry.add("Crop", 1, 1, importCrop);
  registry.add("DynamicSlice", 3, 4, importDynamicSlice);
}

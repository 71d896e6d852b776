//===- Import of gathers, scatters and data-dependent sizes ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static LogicalResult importGather(NodeImport &node) {
  Value data = node.getOperand(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), NodeImport::getRank(data));
  if (node.hasFailed())
    return failure();
  return node.finish(node.gather(data, node.getOperand(1), axis));
}

static LogicalResult importGatherElements(NodeImport &node) {
  Value data = node.getOperand(0), indices = node.getOperand(1);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), NodeImport::getRank(data));
  Type type = NodeImport::makeTypeLike(indices, NodeImport::getElementType(data));
  return node.finish(
      GatherElementsOp::create(node.builder, node.loc, type, data, indices, static_cast<uint64_t>(axis)));
}

/// The rank follows when the length of the index tuples is known.
static std::optional<int64_t> getGatherNDRank(Value data, Value indices, int64_t batchDims) {
  std::optional<int64_t> rank = NodeImport::getRank(data);
  std::optional<ArrayRef<int64_t>> places = NodeImport::getDims(indices);
  if (!rank || !places || places->empty() || ShapedType::isDynamic(places->back()))
    return std::nullopt;
  int64_t result = *rank + static_cast<int64_t>(places->size()) - 1 - places->back() - batchDims;
  return result >= 0 ? std::optional(result) : std::nullopt;
}

static LogicalResult importGatherND(NodeImport &node) {
  Value data = node.getOperand(0), indices = node.getOperand(1);
  int64_t batchDims = node.getInt("batch_dims", 0);
  Type type = NodeImport::makeDynamicType(getGatherNDRank(data, indices, batchDims), NodeImport::getElementType(data));
  return node.finish(GatherNDOp::create(node.builder, node.loc, type, data, indices, static_cast<uint64_t>(batchDims)));
}

/// Is one number that is not 0 at every place?
static bool isNowhereZero(Value value) {
  if (auto full = value.getDefiningOp<FullToOp>()) {
    if (auto number = dyn_cast<FloatAttr>(full.getValue()))
      return !number.getValue().isZero();
    auto integer = dyn_cast<IntegerAttr>(full.getValue());
    return integer && !integer.getValue().isZero();
  }
  auto expanded = value.getDefiningOp<ExpandToOp>();
  std::optional<double> number = expanded ? NodeImport::getConstantNumber(expanded.getOperand()) : std::nullopt;
  return number && *number != 0;
}

static LogicalResult importNonZero(NodeImport &node) {
  Value x = node.getOperand(0);
  // How PyTorch and PaddlePaddle count before opset 11 has Range.
  if (isNowhereZero(x) && node.findRank(0) == 1)
    return node.finish(node.unsqueeze(countTo(node, asScalar(node, node.shapeOf(x))), 0));
  int64_t rank = NodeImport::getRank(x).value_or(ShapedType::kDynamic);
  Type type = RankedTensorType::get({rank, ShapedType::kDynamic}, node.builder.getI64Type());
  return node.finish(NonZeroOp::create(node.builder, node.loc, type, x, /*count=*/StringAttr()));
}

void onnx::registerIndexing(OperatorRegistry &registry) {
  registry.add("Gather", 2, 2, importGather, kMovesElements);
  registry.add("GatherElements", 2, 2, importGatherElements, kMovesElements);
  for (StringRef domain : {"", "com.microsoft"})
    registry.add(domain, "GatherND", 2, 2, importGatherND, kMovesElements);
  registry.add("NonZero", 1, 1, importNonZero);
}

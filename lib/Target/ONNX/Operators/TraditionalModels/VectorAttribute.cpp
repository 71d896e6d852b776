//===- Attributes that are vectors of some type -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "VectorAttribute.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

DenseElementsAttr onnx::makeStrings(NodeImport &node, ArrayRef<std::string> texts) {
  auto type = RankedTensorType::get(static_cast<int64_t>(texts.size()), StringType::get(node.builder.getContext()));
  return DenseElementsAttr::get(type, SmallVector<StringRef>(texts.begin(), texts.end()));
}

DenseElementsAttr onnx::readVector(NodeImport &node, StringRef name) {
  using Kind = NodeAttribute::Kind;
  auto find = [&](StringRef kind, Kind expected) {
    std::string full = (name + kind).str();
    return node.hasAttribute(full) ? node.getAttributeOfKind(full, expected) : nullptr;
  };
  if (const NodeAttribute *strings = find("_strings", Kind::Strings); strings && !strings->strings.empty())
    return makeStrings(node, std::vector<std::string>(strings->strings.begin(), strings->strings.end()));
  if (const NodeAttribute *ints = find("_int64s", Kind::Ints); ints && !ints->ints.empty())
    return makeNumbers<int64_t>(ints->ints, node.builder.getI64Type());
  if (const NodeAttribute *floats = find("_floats", Kind::Floats); floats && !floats->floats.empty())
    return makeNumbers<float>(floats->floats, node.builder.getF32Type());
  if (const NodeAttribute *tensor = find("_tensor", Kind::Tensor)) {
    llvm::Expected<DenseElementsAttr> elements = node.constants.readElements(tensor->tensor, node.builder.getContext());
    if (elements && elements->getType().getRank() == 1 && !elements->empty())
      return *elements;
    std::string problem = elements ? "must be a vector with elements" : llvm::toString(elements.takeError());
    (void)node.error("attribute '" + name + "_tensor': " + problem);
    return {};
  }
  if (!node.hasFailed())
    (void)node.error("none of the attributes '" + name + "_...' has elements");
  return {};
}

//===- Import of constants and sequences ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// The value of a Constant node other than a tensor; null for kinds that are not supported.
static ElementsAttr getConstantElements(NodeImport &node, const NodeAttribute &attribute) {
  Builder &b = node.builder;
  auto vectorOf = [](size_t size, Type type) { return RankedTensorType::get(static_cast<int64_t>(size), type); };
  switch (attribute.kind) {
  case NodeAttribute::Kind::Int:
    return DenseElementsAttr::get(RankedTensorType::get({}, b.getI64Type()), ArrayRef<int64_t>(attribute.i));
  case NodeAttribute::Kind::Float:
    return DenseElementsAttr::get(RankedTensorType::get({}, b.getF32Type()), ArrayRef<float>(attribute.f));
  case NodeAttribute::Kind::Ints:
    return DenseElementsAttr::get(vectorOf(attribute.ints.size(), b.getI64Type()), ArrayRef<int64_t>(attribute.ints));
  case NodeAttribute::Kind::Floats:
    return DenseElementsAttr::get(vectorOf(attribute.floats.size(), b.getF32Type()), ArrayRef<float>(attribute.floats));
  case NodeAttribute::Kind::String:
    return DenseElementsAttr::get(RankedTensorType::get({}, StringType::get(b.getContext())), StringRef(attribute.s));
  case NodeAttribute::Kind::Strings:
    return DenseElementsAttr::get(vectorOf(attribute.strings.size(), StringType::get(b.getContext())),
                                  SmallVector<StringRef>(attribute.strings.begin(), attribute.strings.end()));
  default:
    return {};
  }
}

static LogicalResult importConstant(NodeImport &node) {
  for (const NodeAttribute &attribute : node.node.attributes) {
    if (!attribute.name.starts_with("value") && attribute.name != "sparse_value")
      continue;
    if (attribute.kind == NodeAttribute::Kind::Tensor) {
      llvm::Expected<Value> value = node.constants.createTensor(node.loc, attribute.tensor);
      return value ? node.finish(*value) : node.error(llvm::toString(value.takeError()));
    }
    if (ElementsAttr elements = getConstantElements(node, attribute))
      return node.finish(node.constants.create(node.loc, elements));
  }
  return node.error("has no value of a supported kind");
}

static LogicalResult importConstantOfShape(NodeImport &node) {
  TypedAttr value = node.builder.getF32FloatAttr(0);
  if (const NodeAttribute *attribute = node.getAttributeOfKind("value", NodeAttribute::Kind::Tensor)) {
    llvm::Expected<DenseElementsAttr> elements =
        node.constants.readElements(attribute->tensor, node.builder.getContext());
    if (!elements)
      return node.error(llvm::toString(elements.takeError()));
    if (elements->getNumElements() != 1)
      return node.error("attribute 'value' has " + Twine(elements->getNumElements()) + " elements instead of 1");
    if (!elements->getElementType().isIntOrFloat())
      return node.error("attribute 'value' is no number");
    value = cast<TypedAttr>(*elements->getValues<mlir::Attribute>().begin());
  }
  Value shape = node.getOperand(0);
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(shape);
  std::optional<int64_t> rank;
  if (dims && dims->size() == 1 && !ShapedType::isDynamic(dims->front()))
    rank = dims->front();
  Type type = NodeImport::makeDynamicType(rank, value.getType());
  // Where the result is a shape, its length is the rank of what it shapes.
  if (std::optional<SmallVector<int64_t>> sizes = NodeImport::getConstantInts(shape);
      sizes && llvm::all_of(*sizes, [](int64_t size) { return size >= 0; }))
    type = RankedTensorType::get(*sizes, value.getType());
  return node.finish(FullToOp::create(node.builder, node.loc, type, shape, value));
}

static LogicalResult importRange(NodeImport &node) {
  Value start = node.getOperand(0), limit = node.getOperand(1), delta = node.getOperand(2);
  if (failed(node.requireSameElementTypes({start, limit, delta})))
    return failure();
  Type type = NodeImport::makeDynamicType(1, NodeImport::getElementType(start));
  return node.finish(RangeOp::create(node.builder, node.loc, type, start, limit, delta));
}

/// Numbers may be vectors of one element, and steps of 1 left out.
static LogicalResult importContribRange(NodeImport &node) {
  Value start = asScalar(node, node.getOperand(0)), limit = asScalar(node, node.getOperand(1));
  Value delta = node.hasOperand(2) ? asScalar(node, node.getOperand(2)) : node.scalar(1, start);
  if (failed(node.requireSameElementTypes({start, limit, delta})))
    return failure();
  Type type = NodeImport::makeDynamicType(1, NodeImport::getElementType(start));
  return node.finish(RangeOp::create(node.builder, node.loc, type, start, limit, delta));
}

void onnx::registerGenerators(OperatorRegistry &registry) {
  registry.add("Constant", 0, 0, importConstant);
  registry.add("ConstantOfShape", 1, 1, importConstantOfShape);
  registry.add("Range", 3, 3, importRange);
  registry.add("com.microsoft", "Range", 2, 3, importContribRange);
}

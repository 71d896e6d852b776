//===- One node on its way into the module -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "NodeImport.h"
#include "Contradictions.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

LogicalResult NodeImport::error(const Twine &message) {
  failed = true;
  return emitError(loc) << node.describe() << ": " << message;
}

LogicalResult NodeImport::contradiction(const Twine &message) {
  failed = contradicts = true;
  auto getInput = [&](StringRef name) {
    return getOperand(static_cast<size_t>(llvm::find(node.inputs, name) - node.inputs.begin()));
  };
  return emitError(loc) << describeContradiction(node, message.str(), getInput, graphs.getShapes());
}

const TensorList *NodeImport::getList(size_t index) {
  if (hasList(index))
    return lists[index].get();
  (void)error("operand " + Twine(index) + " is no sequence");
  return nullptr;
}

bool NodeImport::isSequence(size_t index) const {
  return hasOperand(index) && isa<SequenceType>(operands[index].getType());
}

bool NodeImport::isOptional(size_t index) const {
  return hasOperand(index) && isa<OptionalType>(operands[index].getType());
}

Value NodeImport::getValue(size_t index) {
  return hasList(index) ? graphs.makeSequence(*lists[index], loc) : getOperand(index);
}

SmallVector<Value> NodeImport::getAllOperands() {
  for (auto [index, operand] : llvm::enumerate(operands))
    if (!operand)
      (void)error("operand " + Twine(index) + (hasList(index) ? " is a sequence" : " is missing"));
  return llvm::filter_to_vector(operands, [](Value operand) { return static_cast<bool>(operand); });
}

const NodeAttribute *NodeImport::getAttributeOfKind(StringRef name, NodeAttribute::Kind kind) {
  const NodeAttribute *attribute = node.getAttribute(name);
  if (!attribute)
    return nullptr;
  // An empty list has no kind in files of some writers, which leave out the field `type`.
  if (attribute->kind == kind || attribute->kind == NodeAttribute::Kind::Other)
    return attribute;
  (void)error("attribute '" + name + "' has a value of the wrong kind");
  return nullptr;
}

const Graph *NodeImport::getGraph(StringRef name) {
  const NodeAttribute *attribute = getAttributeOfKind(name, NodeAttribute::Kind::Graph);
  if (attribute && attribute->graph)
    return attribute->graph.get();
  if (!failed)
    (void)error("attribute '" + name + "', a graph, is missing");
  return nullptr;
}

int64_t NodeImport::getInt(StringRef name, int64_t defaultValue) {
  const NodeAttribute *attribute = getAttributeOfKind(name, NodeAttribute::Kind::Int);
  return attribute ? attribute->i : defaultValue;
}

int64_t NodeImport::getRequiredInt(StringRef name) {
  if (!hasAttribute(name))
    (void)error("attribute '" + name + "' is missing");
  return getInt(name, 0);
}

double NodeImport::getFloat(StringRef name, float defaultValue) {
  const NodeAttribute *attribute = getAttributeOfKind(name, NodeAttribute::Kind::Float);
  return attribute ? attribute->f : defaultValue;
}

std::string NodeImport::getString(StringRef name, StringRef defaultValue) {
  const NodeAttribute *attribute = getAttributeOfKind(name, NodeAttribute::Kind::String);
  return attribute ? attribute->s.str() : defaultValue.str();
}

std::optional<SmallVector<int64_t>> NodeImport::getInts(StringRef name) {
  const NodeAttribute *attribute = getAttributeOfKind(name, NodeAttribute::Kind::Ints);
  if (!attribute)
    return std::nullopt;
  return SmallVector<int64_t>(attribute->ints.begin(), attribute->ints.end());
}

std::optional<SmallVector<double>> NodeImport::getFloats(StringRef name) {
  const NodeAttribute *attribute = getAttributeOfKind(name, NodeAttribute::Kind::Floats);
  if (!attribute)
    return std::nullopt;
  return SmallVector<double>(attribute->floats.begin(), attribute->floats.end());
}

std::optional<std::vector<std::string>> NodeImport::getStrings(StringRef name) {
  const NodeAttribute *attribute = getAttributeOfKind(name, NodeAttribute::Kind::Strings);
  if (!attribute)
    return std::nullopt;
  return std::vector<std::string>(attribute->strings.begin(), attribute->strings.end());
}

std::optional<SmallVector<int64_t>> NodeImport::getConstantOperand(size_t index, StringRef meaning) {
  if (!hasOperand(index))
    return std::nullopt;
  std::optional<SmallVector<int64_t>> values = getConstantInts(getOperand(index));
  if (!values)
    (void)error("operand " + Twine(index) + " (" + meaning + "), " + quoteName(node.inputs[index]) +
                ", must be an integer constant");
  return values;
}

std::optional<SmallVector<int64_t>> NodeImport::getAttributeOrOperand(StringRef name, size_t index, int64_t opset) {
  return getVersion() < opset ? getInts(name) : getConstantOperand(index, name);
}

Value NodeImport::getVectorOrOperand(StringRef name, size_t index, int64_t opset) {
  if (getVersion() >= opset)
    return getOperand(index);
  std::optional<SmallVector<int64_t>> values = getInts(name);
  return values ? i64Vector(*values) : Value();
}

std::optional<int64_t> NodeImport::findRank(size_t index) const {
  if (!hasOperand(index))
    return std::nullopt;
  std::optional<int64_t> rank = getRank(getOperand(index));
  if (!rank)
    rank = graphs.findDeclaredRank(node.inputs[index]);
  if (std::optional<SmallVector<int64_t>> dims = rank ? std::nullopt : findDims(index))
    rank = static_cast<int64_t>(dims->size());
  return rank;
}

std::optional<SmallVector<int64_t>> NodeImport::findDims(size_t index) const {
  return graphs.getShapes().findConstantDims(getOperand(index));
}

void NodeImport::takeDeclaredRanks() {
  for (size_t index = 0; index < getNumOperands(); ++index)
    if (std::optional<int64_t> rank = hasOperand(index) ? findRank(index) : std::nullopt)
      setRank(getOperand(index), *rank);
}

std::optional<int64_t> NodeImport::findResultRank(size_t index) const {
  return index < node.outputs.size() ? graphs.findDeclaredRank(node.outputs[index]) : std::nullopt;
}

int64_t NodeImport::requireRank(size_t index) {
  if (!hasOperand(index)) {
    (void)error("operand " + Twine(index) + " is missing");
    return 0;
  }
  if (std::optional<int64_t> rank = findRank(index)) {
    setRank(getOperand(index), *rank);
    return *rank;
  }
  (void)error("the rank of operand " + Twine(index) + ", " + quoteName(node.inputs[index]) +
              ", must be known, and does not follow from the graph");
  return 0;
}

int64_t NodeImport::normalizeAxis(int64_t axis, std::optional<int64_t> rank) {
  if (!rank)
    return axis;
  // One error is enough where the rank was required in vain.
  if (failed)
    return 0;
  if (axis >= -*rank && axis < *rank)
    return axis < 0 ? axis + *rank : axis;
  (void)contradiction("axis " + Twine(axis) + " is out of range for rank " + Twine(*rank));
  return 0;
}

LogicalResult NodeImport::requireRanks(ArrayRef<std::pair<size_t, int64_t>> ranks) {
  for (auto [operand, expected] : ranks)
    if (std::optional<int64_t> rank = hasOperand(operand) ? getRank(getOperand(operand)) : std::nullopt;
        rank && *rank != expected)
      return contradiction("operand " + Twine(operand) + " has rank " + Twine(*rank) + " instead of " +
                           Twine(expected));
  return success();
}

LogicalResult NodeImport::requireSameElementTypes(ValueRange values) {
  for (Value value : values) {
    if (getElementType(value) == getElementType(values.front()))
      continue;
    failed = true;
    return emitError(loc) << node.describe() << ": operands have different element types, "
                          << getElementType(values.front()) << " and " << getElementType(value);
  }
  return success();
}

LogicalResult NodeImport::finish(size_t index, Value value) {
  if (index < results.size())
    results[index] = value;
  return failure(failed);
}

LogicalResult NodeImport::finishList(size_t index, TensorList list) {
  if (index < listResults.size())
    listResults[index] = std::make_shared<const TensorList>(std::move(list));
  return failure(failed);
}

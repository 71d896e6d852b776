//===- Import of encoders -----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "VectorAttribute.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include <set>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// What stands for keys that are not there, as a vector of one element.
static DenseElementsAttr readDefault(NodeImport &node, Type type) {
  if (const NodeAttribute *given = node.getAttributeOfKind("default_tensor", NodeAttribute::Kind::Tensor)) {
    llvm::Expected<DenseElementsAttr> elements = node.constants.readElements(given->tensor, node.builder.getContext());
    if (elements && elements->getNumElements() == 1 && elements->getElementType() == type)
      return elements->reshape(RankedTensorType::get({1}, type));
    (void)node.error("attribute 'default_tensor': " + (elements ? "must have one element, of the type of the values"
                                                                : llvm::toString(elements.takeError())));
    return {};
  }
  if (isa<StringType>(type))
    return makeStrings(node, node.getString("default_string", "_Unused"));
  if (type.isInteger(64))
    return makeNumbers<int64_t>(node.getInt("default_int64", -1), type);
  if (type.isF32())
    return makeNumbers<float>(static_cast<float>(node.getFloat("default_float", -0.0f)), type);
  (void)node.error("attribute 'default_tensor' is missing");
  return {};
}

/// Is a key no number? Since version 4 it stands for all that are none.
static bool hasNaN(DenseElementsAttr keys) {
  return isa<FloatType>(keys.getElementType()) &&
         llvm::any_of(keys.getValues<APFloat>(), [](const APFloat &key) { return key.isNaN(); });
}

static Value makePlaces(NodeImport &node, int64_t count) {
  return node.i64Vector(llvm::to_vector(llvm::seq<int64_t>(0, count)));
}

/// The first place along the last dim, which is dropped; `count`, which is behind the last one, where there is none.
static Value findFirst(NodeImport &node, Value isThere, Value places, int64_t count) {
  return node.reduce(ReduceKind::Min, node.select(isThere, places, node.i64Scalar(count)), ArrayRef<int64_t>(-1),
                     /*keepDims=*/false);
}

/// Each element replaced with the value beside the first key that equals it.
static LogicalResult importLabelEncoder(NodeImport &node) {
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x);
  DenseElementsAttr keys, values;
  if (node.getVersion() < 2) {
    // Strings to their places, or places to strings.
    std::vector<std::string> classes = node.getStrings("classes_strings").value_or(std::vector<std::string>());
    if (classes.empty())
      return node.error("attribute 'classes_strings' has no elements");
    auto places = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(classes.size())));
    // The last one of equal strings counts.
    std::reverse(classes.begin(), classes.end());
    std::reverse(places.begin(), places.end());
    keys = makeStrings(node, classes);
    values = makeNumbers<int64_t>(places, node.builder.getI64Type());
    if (!isa<StringType>(type))
      std::swap(keys, values);
  } else {
    keys = readVector(node, "keys");
    values = keys ? readVector(node, "values") : DenseElementsAttr();
  }
  DenseElementsAttr otherwise = values ? readDefault(node, values.getElementType()) : DenseElementsAttr();
  if (!otherwise || node.hasFailed())
    return failure();
  int64_t count = keys.getNumElements();
  if (values.getNumElements() != count)
    return node.error("has " + Twine(count) + " keys, but " + Twine(values.getNumElements()) + " values");
  if (keys.getElementType() != type)
    return node.error("operand 0 has elements of type " + getElementTypeName(getElementType(type)) +
                      ", the keys are of type " + getElementTypeName(getElementType(keys.getElementType())));
  Value each = node.unsqueeze(x, -1), keysValue = node.constant(keys);
  Value isEqual = node.compare(CompareDirection::EQ, each, keysValue);
  if (node.getVersion() >= 4 && hasNaN(keys)) {
    auto isNaN = [&](Value value) -> Value {
      return IsNanOp::create(node.builder, node.loc, NodeImport::makeTypeLike(value, node.builder.getI1Type()), value);
    };
    isEqual = node.binary<OrOp>(isEqual, node.binary<AndOp>(isNaN(each), isNaN(keysValue)));
  }
  Value table = node.concat(0, {node.constant(values), node.constant(otherwise)});
  return node.finish(node.gather(table, findFirst(node, isEqual, makePlaces(node, count), count), 0));
}

/// Strings to the numbers beside them, or numbers to strings. The last one of equal keys counts.
static LogicalResult importCategoryMapper(NodeImport &node) {
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x);
  std::vector<std::string> texts = node.getStrings("cats_strings").value_or(std::vector<std::string>());
  SmallVector<int64_t> numbers = node.getInts("cats_int64s").value_or(SmallVector<int64_t>());
  if (node.hasFailed())
    return failure();
  if (texts.empty() || texts.size() != numbers.size())
    return node.error("has " + Twine(texts.size()) + " 'cats_strings' and " + Twine(numbers.size()) + " 'cats_int64s'");
  if (!isa<StringType>(type) && !type.isInteger(64))
    return node.error("operand 0 has elements of type " + getElementTypeName(getElementType(type)) +
                      " instead of string or int64");
  std::reverse(texts.begin(), texts.end());
  std::reverse(numbers.begin(), numbers.end());
  DenseElementsAttr keys = makeStrings(node, texts), values = makeNumbers<int64_t>(numbers, node.builder.getI64Type());
  if (!isa<StringType>(type))
    std::swap(keys, values);
  DenseElementsAttr otherwise = readDefault(node, values.getElementType());
  if (!otherwise || node.hasFailed())
    return failure();
  auto count = static_cast<int64_t>(texts.size());
  Value isEqual = node.compare(CompareDirection::EQ, node.unsqueeze(x, -1), node.constant(keys));
  Value table = node.concat(0, {node.constant(values), node.constant(otherwise)});
  return node.finish(node.gather(table, findFirst(node, isEqual, makePlaces(node, count), count), 0));
}

/// Features side by side, as f32: of each operand as many as it is said to have, with zeros where it has less.
static LogicalResult importFeatureVectorizer(NodeImport &node) {
  SmallVector<Value> parts = node.getAllOperands();
  SmallVector<int64_t> widths = node.getInts("inputdimensions").value_or(SmallVector<int64_t>());
  if (node.hasFailed() || failed(node.requireSameElementTypes(parts)))
    return failure();
  if (parts.size() != widths.size())
    return node.error("has " + Twine(parts.size()) + " operands and " + Twine(widths.size()) + " 'inputdimensions'");
  constexpr int64_t most = int64_t(1) << 31;
  for (auto [index, part] : llvm::enumerate(parts)) {
    int64_t rank = node.requireRank(index), width = widths[index];
    if (node.hasFailed())
      return failure();
    if (rank < 1 || width < 1 || width > most)
      return node.error(rank < 1 ? "operand " + Twine(index) + " has no dims"
                                 : "attribute 'inputdimensions' has the entry " + Twine(width));
    part = node.cast(part, node.builder.getF32Type());
    part = node.flatten(part, rank == 1 ? 0 : 1);
    std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(part);
    if (dims && dims->back() == width)
      continue;
    Value missing = node.max(node.sub(node.i64Vector({width}), getDims(node, part, 1, 2)), node.i64Vector({0}));
    part = node.slice(padZeros(node, part, node.concat(0, {node.i64Vector({0, 0, 0}), missing})), 0, width, 1);
  }
  return node.finish(node.concat(1, parts));
}

static bool hasRepetitions(DenseElementsAttr values) {
  if (isa<StringType>(values.getElementType())) {
    auto texts = values.getRawStringData();
    return llvm::SmallDenseSet<StringRef>(texts.begin(), texts.end()).size() != texts.size();
  }
  // Any numbers: two of them mean something to LLVM's sets.
  auto numbers = values.getValues<int64_t>();
  return std::set<int64_t>(numbers.begin(), numbers.end()).size() != numbers.size();
}

/// A 1 at the place of each element among the categories. Others become zeros, or end the run.
static LogicalResult importOneHotEncoder(NodeImport &node) {
  Value x = node.getOperand(0);
  DenseElementsAttr categories = readVector(node, "cats");
  if (!categories)
    return failure();
  Type type = categories.getElementType();
  if (isa<StringType>(type) != isa<StringType>(NodeImport::getElementType(x)))
    return node.error("operand 0 has elements of type " +
                      getElementTypeName(getElementType(NodeImport::getElementType(x))) +
                      ", the categories are of type " + getElementTypeName(getElementType(type)));
  if (hasRepetitions(categories))
    return node.error("a category stands there twice, which is not supported");
  if (!isa<StringType>(type))
    x = node.cast(x, type);
  int64_t count = categories.getNumElements();
  Value isEqual = node.compare(CompareDirection::EQ, node.unsqueeze(x, -1), node.constant(categories));
  if (node.getInt("zeros", 1) == 0) {
    Value places = makePlaces(node, count);
    Value place = node.gather(places, findFirst(node, isEqual, places, count), 0);
    isEqual = node.compare(CompareDirection::EQ, node.unsqueeze(place, -1), places);
  }
  return node.finish(node.cast(isEqual, node.builder.getF32Type()));
}

void onnx::registerEncoders(OperatorRegistry &registry) {
  registry.add("ai.onnx.ml", "LabelEncoder", 1, 1, importLabelEncoder);
  registry.add("ai.onnx.ml", "CategoryMapper", 1, 1, importCategoryMapper);
  registry.add("ai.onnx.ml", "FeatureVectorizer", 1, kVariadic, importFeatureVectorizer);
  registry.add("ai.onnx.ml", "OneHotEncoder", 1, 1, importOneHotEncoder);
}

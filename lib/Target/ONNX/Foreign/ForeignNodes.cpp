//===- What ONNX itself infers of a node ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNX/ForeignNodes.h"
#include "../Reading/MessageWriter.h"
#include "../Schemas/Schemas.h"
#include "onnx/defs/schema.h"
#include "onnx/shape_inference/implementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace dyn::onnx;
using llvm::StringRef;
using ::onnx::TypeProto;

/// Inference reads numbers that make dims, and no longer constants.
static constexpr int64_t kMaxElements = 64;
static constexpr size_t kMaxBytes = kMaxElements * sizeof(int64_t);

static bool isSmall(const Tensor &tensor) {
  int64_t elements = 1;
  for (int64_t dim : tensor.dims) {
    if (dim < 0 || dim > kMaxElements)
      return false;
    elements *= std::max<int64_t>(dim, 1);
    if (elements > kMaxElements)
      return false;
  }
  return true;
}

ForeignNodes::ForeignNodes(const Model &model) : model(model) {
  auto addData = [&](StringRef name, const Tensor &tensor) {
    if (!tensor.external && isSmall(tensor))
      data[name] = &tensor;
  };
  for (const Tensor &tensor : model.initializers) {
    initializers[tensor.name] = &tensor;
    addData(tensor.name, tensor);
  }
  for (const auto *list : {&model.nodes, &model.unneeded})
    for (const Node &node : *list) {
      for (StringRef output : node.outputs)
        if (!output.empty())
          nodes[output] = &node;
      const NodeAttribute *value =
          node.opType == "Constant" && node.domain.empty() ? node.getAttribute("value") : nullptr;
      if (value && node.outputs.size() == 1)
        addData(node.outputs.front(), value->tensor);
    }
}

std::vector<StringRef> ForeignNodes::listNodes() const {
  std::vector<StringRef> outputs;
  for (const auto *list : {&model.nodes, &model.unneeded})
    for (const Node &node : *list)
      if (auto output = llvm::find_if(node.outputs, [](StringRef name) { return !name.empty(); });
          output != node.outputs.end())
        outputs.push_back(*output);
  return outputs;
}

std::vector<StringRef> ForeignNodes::listOperands(StringRef output) const {
  std::vector<StringRef> names;
  llvm::StringSet<> seen;
  if (const Node *node = nodes.lookup(output))
    forEachRead(*node, [&](StringRef name) {
      if (seen.insert(name).second)
        names.push_back(name);
    });
  return names;
}

llvm::ArrayRef<StringRef> ForeignNodes::listOutputs(StringRef output) const {
  const Node *node = nodes.lookup(output);
  return node ? llvm::ArrayRef<StringRef>(node->outputs) : llvm::ArrayRef<StringRef>();
}

std::optional<ForeignTensor> ForeignNodes::findInitializer(StringRef name) const {
  const Tensor *tensor = initializers.lookup(name);
  if (!tensor)
    return std::nullopt;
  ForeignTensor result;
  result.elementType = static_cast<int>(tensor->type);
  result.dims.emplace();
  for (int64_t dim : tensor->dims)
    result.dims->push_back(std::to_string(dim));
  return result;
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

static void write(const std::string &text, ::onnx::TensorShapeProto &shape) {
  auto &dim = *shape.add_dim();
  int64_t value;
  if (text.empty())
    return;
  if (!StringRef(text).getAsInteger(10, value))
    dim.set_dim_value(value);
  else
    dim.set_dim_param(text);
}

/// A vector of more integers than a tensor has dims. ONNX's inference makes a dim of each where it expects a shape.
static bool isTooLongForShape(const ForeignTensor &tensor) {
  static constexpr int64_t mostDims = 1024;
  int64_t length;
  bool isFloat = tensor.elementType == ::onnx::TensorProto::FLOAT || tensor.elementType == ::onnx::TensorProto::DOUBLE;
  return !isFloat && tensor.dims->size() == 1 && !StringRef(tensor.dims->front()).getAsInteger(10, length) &&
         length > mostDims;
}

static TypeProto convert(const ForeignTensor &tensor) {
  if (tensor.isSequence) {
    ForeignTensor element = tensor;
    element.isSequence = false;
    TypeProto type;
    *type.mutable_sequence_type()->mutable_elem_type() = convert(element);
    return type;
  }
  TypeProto type;
  type.mutable_tensor_type()->set_elem_type(tensor.elementType);
  if (tensor.dims && !isTooLongForShape(tensor)) {
    auto &shape = *type.mutable_tensor_type()->mutable_shape();
    for (const std::string &dim : *tensor.dims)
      write(dim, shape);
  }
  return type;
}

static std::optional<ForeignTensor> convert(const TypeProto &type) {
  if (type.has_sequence_type() && type.sequence_type().elem_type().has_tensor_type()) {
    std::optional<ForeignTensor> tensor = convert(type.sequence_type().elem_type());
    if (tensor)
      tensor->isSequence = true;
    return tensor;
  }
  if (!type.has_tensor_type() || !type.tensor_type().elem_type())
    return std::nullopt;
  ForeignTensor tensor;
  tensor.elementType = type.tensor_type().elem_type();
  if (!type.tensor_type().has_shape())
    return tensor;
  tensor.dims.emplace();
  for (const auto &dim : type.tensor_type().shape().dim())
    tensor.dims->push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? std::to_string(dim.dim_value())
                                                                       : dim.dim_param());
  return tensor;
}

/// The elements as data if all are numbers; nothing otherwise.
static std::optional<::onnx::TensorProto> makeData(const ForeignTensor &tensor) {
  if (!tensor.elements || !tensor.dims)
    return std::nullopt;
  ::onnx::TensorProto data;
  data.set_data_type(tensor.elementType);
  int64_t value;
  for (const std::string &dim : *tensor.dims) {
    if (StringRef(dim).getAsInteger(10, value))
      return std::nullopt;
    data.add_dims(value);
  }
  for (const std::string &element : *tensor.elements) {
    if (StringRef(element).getAsInteger(10, value))
      return std::nullopt;
    if (tensor.elementType == ::onnx::TensorProto::INT64)
      data.add_int64_data(value);
    else if (tensor.elementType == ::onnx::TensorProto::INT32)
      data.add_int32_data(static_cast<int32_t>(value));
    else
      return std::nullopt;
  }
  return data;
}

/// May ONNX's inference be asked of the node? It takes operands that must be there for granted, and numbers of dims for
/// what 32 bits hold.
static bool isSafe(const ::onnx::NodeProto &node, const ::onnx::OpSchema &schema) {
  int last = node.input_size();
  while (last > 0 && node.input(last - 1).empty())
    --last;
  if (last < schema.min_input() || node.input_size() > schema.max_input())
    return false;
  for (int i = 0; i < last && i < static_cast<int>(schema.inputs().size()); ++i)
    if (node.input(i).empty() && schema.inputs()[static_cast<size_t>(i)].GetOption() == ::onnx::OpSchema::Single)
      return false;
  return llvm::none_of(node.attribute(), [](const ::onnx::AttributeProto &attribute) {
    // That of GatherND reads in front of the dims.
    return attribute.i() != static_cast<int32_t>(attribute.i()) ||
           (attribute.name() == "batch_dims" && attribute.i() < 0);
  });
}

/// Has the tensor an element? Inference reads the first one of what should be a number without a look at their count.
static bool hasElements(const ::onnx::TensorProto &tensor) {
  return llvm::all_of(tensor.dims(), [](int64_t dim) { return dim > 0; });
}

/// The opsets by which the node and those of its graphs are to be read, by domain.
static void addVersions(const Node &node, std::unordered_map<std::string, int> &versions) {
  versions.try_emplace(node.domain.str(), static_cast<int>(node.version));
  forEachGraph(node, [&](Graph &graph) {
    for (const Node &inner : graph.nodes)
      addVersions(inner, versions);
  });
}

std::vector<std::optional<ForeignTensor>> ForeignNodes::infer(StringRef output,
                                                              const llvm::StringMap<ForeignTensor> &operands) const {
  const Node *found = nodes.lookup(output);
  if (!found)
    return {};
  std::vector<std::optional<ForeignTensor>> results(found->outputs.size());
  const ::onnx::OpSchema *schema = lookUpSchema(*found);
  if (!schema || !schema->has_type_and_shape_inference_function())
    return results;
  // Inference writes into the node's graphs.
  ::onnx::NodeProto node = writeNode(*found, kMaxBytes);
  if (!isSafe(node, *schema))
    return results;
  // Not all look whether an operand has a type before they read it.
  bool lacksType =
      llvm::any_of(found->inputs, [&](StringRef name) { return !name.empty() && !operands.contains(name); });
  if (lacksType)
    return results;
  std::unordered_map<std::string, TypeProto> types;
  std::unordered_map<std::string, TypeProto *> typesByName;
  std::unordered_map<std::string, ::onnx::TensorProto> numbers;
  std::unordered_map<std::string, const ::onnx::TensorProto *> dataByName;
  ::onnx::shape_inference::DataValueMap shapeData;
  for (const auto &entry : operands) {
    std::string name = entry.first().str();
    typesByName[name] = &(types[name] = convert(entry.second));
    const Tensor *constant = data.lookup(name);
    if (auto made = constant ? std::optional(writeTensor(*constant)) : makeData(entry.second)) {
      if (hasElements(*made))
        dataByName[name] = &(numbers[name] = std::move(*made));
    } else if (entry.second.elements) {
      for (const std::string &element : *entry.second.elements)
        write(element, shapeData[name]);
    }
  }
  ::onnx::ShapeInferenceOptions options;
  ::onnx::shape_inference::ModelLocalFunctionsMap noFunctions;
  std::unordered_map<std::string, int> versions;
  addVersions(*found, versions);
  ::onnx::shape_inference::GraphInferenceContext graphs(typesByName, versions, nullptr, noFunctions,
                                                        ::onnx::OpSchemaRegistry::Instance(), &shapeData);
  ::onnx::shape_inference::InferenceContextImpl context(node, typesByName, dataByName, {}, options, &shapeData,
                                                        &graphs);
  bool isDone = true;
  try {
    schema->GetTypeAndShapeInferenceFunction()(context);
  } catch (const std::exception &) {
    // Types of elements come first, and are known all the same.
    isDone = false;
  }
  for (int i = 0; i < node.output_size(); ++i) {
    results[i] = convert(*context.getOutputType(i));
    if (results[i] && !isDone)
      results[i]->dims.reset();
  }
  return results;
}

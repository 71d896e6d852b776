//===- What ONNX itself infers of a node ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNX/ForeignNodes.h"
#include "../Schemas/Schemas.h"
#include "onnx/defs/schema.h"
#include "onnx/shape_inference/implementation.h"
#include "llvm/ADT/StringSet.h"
#include <array>
#include <deque>
#include <map>

using namespace dyn::onnx;
using llvm::StringRef;
using ::onnx::TypeProto;

using Tensors = llvm::StringMap<ForeignTensor>;
using Results = std::vector<std::optional<ForeignTensor>>;

static std::string getDomain(const std::string &domain) { return domain == "ai.onnx" ? "" : domain; }

namespace {

/// The nodes of a graph or a function, and what stands around them.
struct Scope {
  /// What the file itself says of a constant that is small enough to matter.
  llvm::StringMap<const ::onnx::TensorProto *> data;
  std::unordered_map<std::string, int> versions;

  template <typename Imports>
  void addVersions(const Imports &imports) {
    for (const auto &import : imports)
      versions[getDomain(import.domain())] = static_cast<int>(import.version());
  }
  void addData(const std::string &name, const ::onnx::TensorProto &tensor);
  void addConstant(const ::onnx::NodeProto &node);
  const ::onnx::OpSchema *getSchema(const ::onnx::NodeProto &node) const;
};

} // namespace

struct ForeignNodes::Impl {
  explicit Impl(const ::onnx::ModelProto &model);

  const ::onnx::NodeProto *lookUp(StringRef output) const { return nodes.lookup(output); }
  Results infer(const ::onnx::NodeProto &node, const Tensors &operands, const Scope &scope) const;
  Results inferCall(const ::onnx::NodeProto &call, const ::onnx::FunctionProto &function, const Tensors &operands,
                    const Scope &scope) const;

  llvm::StringMap<const ::onnx::NodeProto *> nodes; ///< by output
  llvm::StringMap<const ::onnx::TensorProto *> initializers;
  Scope graph;
  std::map<std::array<std::string, 3>, const ::onnx::FunctionProto *> functions; ///< by domain, name and overload
};

void Scope::addData(const std::string &name, const ::onnx::TensorProto &tensor) {
  constexpr int64_t maxElements = 64;
  int64_t elements = 1;
  for (int64_t dim : tensor.dims()) {
    if (dim < 0 || dim > maxElements)
      return;
    elements *= std::max<int64_t>(dim, 1);
    if (elements > maxElements)
      return;
  }
  if (tensor.data_location() != ::onnx::TensorProto::EXTERNAL)
    data[name] = &tensor;
}

void Scope::addConstant(const ::onnx::NodeProto &node) {
  if (node.op_type() == "Constant" && node.domain().empty() && node.output_size() == 1)
    for (const auto &attribute : node.attribute())
      if (attribute.name() == "value")
        addData(node.output(0), attribute.t());
}

ForeignNodes::Impl::Impl(const ::onnx::ModelProto &model) {
  graph.addVersions(model.opset_import());
  for (const auto &function : model.functions())
    functions.try_emplace({getDomain(function.domain()), function.name(), function.overload()}, &function);
  for (const auto &tensor : model.graph().initializer()) {
    initializers[tensor.name()] = &tensor;
    graph.addData(tensor.name(), tensor);
  }
  for (const auto &node : model.graph().node()) {
    for (const std::string &output : node.output())
      if (!output.empty())
        nodes[output] = &node;
    graph.addConstant(node);
  }
}

const ::onnx::OpSchema *Scope::getSchema(const ::onnx::NodeProto &node) const {
  std::string domain = getDomain(node.domain());
  auto version = versions.find(domain);
  if (version == versions.end())
    return nullptr;
  int opset = domain.empty() ? static_cast<int>(resolveOpset(node.op_type(), version->second)) : version->second;
  return ::onnx::OpSchemaRegistry::Schema(node.op_type(), opset, domain);
}

ForeignNodes::ForeignNodes(const void *message)
    : impl(std::make_unique<Impl>(*static_cast<const ::onnx::ModelProto *>(message))) {}
ForeignNodes::~ForeignNodes() = default;

/// Does a node in the graph take an attribute of the function that it stands in?
static bool refersToAttributes(const ::onnx::GraphProto &graph) {
  return llvm::any_of(graph.node(), [](const ::onnx::NodeProto &node) {
    return llvm::any_of(node.attribute(), [](const ::onnx::AttributeProto &attribute) {
      return !attribute.ref_attr_name().empty() || (attribute.has_g() && refersToAttributes(attribute.g()));
    });
  });
}

static void collectReads(const ::onnx::NodeProto &node, std::vector<std::string> &names, llvm::StringSet<> &seen) {
  for (const std::string &input : node.input())
    if (!input.empty() && seen.insert(input).second)
      names.push_back(input);
  for (const auto &attribute : node.attribute())
    if (attribute.has_g()) {
      for (const auto &inner : attribute.g().node())
        collectReads(inner, names, seen);
      // A body may hand on what stands outside of it.
      for (const auto &output : attribute.g().output())
        if (seen.insert(output.name()).second)
          names.push_back(output.name());
    }
}

static std::vector<std::string> listReads(const ::onnx::NodeProto &node) {
  std::vector<std::string> names;
  llvm::StringSet<> seen;
  collectReads(node, names, seen);
  return names;
}

std::vector<std::string> ForeignNodes::listOperands(StringRef output) const {
  const ::onnx::NodeProto *node = impl->lookUp(output);
  return node ? listReads(*node) : std::vector<std::string>();
}

std::vector<std::string> ForeignNodes::listOutputs(StringRef output) const {
  const ::onnx::NodeProto *node = impl->lookUp(output);
  return node ? std::vector<std::string>(node->output().begin(), node->output().end()) : std::vector<std::string>();
}

std::optional<ForeignTensor> ForeignNodes::findInitializer(StringRef name) const {
  const ::onnx::TensorProto *tensor = impl->initializers.lookup(name);
  if (!tensor)
    return std::nullopt;
  ForeignTensor result;
  result.elementType = tensor->data_type();
  result.dims.emplace();
  for (int64_t dim : tensor->dims())
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

/// A node of a function with the attributes that a call gives; nothing for one whose graphs refer to such.
static std::optional<::onnx::NodeProto> bindAttributes(const ::onnx::NodeProto &node, const ::onnx::NodeProto &call,
                                                       const ::onnx::FunctionProto &function) {
  ::onnx::NodeProto bound = node;
  bound.clear_attribute();
  auto bind = [&](const ::onnx::AttributeProto &attribute, const auto &given) {
    auto found = llvm::find_if(given, [&](const auto &each) { return each.name() == attribute.ref_attr_name(); });
    if (found == given.end())
      return false;
    *bound.add_attribute() = *found;
    bound.mutable_attribute()->rbegin()->set_name(attribute.name());
    return true;
  };
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g() && refersToAttributes(attribute.g()))
      return std::nullopt;
    if (attribute.ref_attr_name().empty())
      *bound.add_attribute() = attribute;
    else if (!bind(attribute, call.attribute()))
      bind(attribute, function.attribute_proto());
  }
  return bound;
}

Results ForeignNodes::Impl::inferCall(const ::onnx::NodeProto &call, const ::onnx::FunctionProto &function,
                                      const Tensors &operands, const Scope &scope) const {
  Scope inner;
  // A function that says no opsets has those of the model.
  inner.versions = graph.versions;
  inner.addVersions(function.opset_import());
  Tensors tensors;
  for (int i = 0; i < std::min(call.input_size(), function.input_size()); ++i) {
    if (auto operand = operands.find(call.input(i)); operand != operands.end())
      tensors[function.input(i)] = operand->second;
    if (const ::onnx::TensorProto *data = scope.data.lookup(call.input(i)))
      inner.data[function.input(i)] = data;
  }
  llvm::StringSet<> absent; // operands that the call leaves out
  for (int i = 0; i < function.input_size(); ++i)
    if (i >= call.input_size() || call.input(i).empty())
      absent.insert(function.input(i));
  std::deque<::onnx::NodeProto> bound; // Data of constants stay there.
  for (const auto &each : function.node()) {
    std::optional<::onnx::NodeProto> node = bindAttributes(each, call, function);
    if (!node)
      continue;
    bound.push_back(std::move(*node));
    for (std::string &input : *bound.back().mutable_input())
      if (absent.contains(input))
        input.clear();
    inner.addConstant(bound.back());
    Tensors read;
    for (const std::string &name : listReads(bound.back()))
      if (auto tensor = tensors.find(name); tensor != tensors.end())
        read[name] = tensor->second;
    for (auto [output, result] : llvm::zip(bound.back().output(), infer(bound.back(), read, inner)))
      if (result && !output.empty())
        tensors[output] = *result;
  }
  Results results(static_cast<size_t>(call.output_size()));
  for (int i = 0; i < std::min(call.output_size(), function.output_size()); ++i)
    if (auto tensor = tensors.find(function.output(i)); tensor != tensors.end())
      results[static_cast<size_t>(i)] = tensor->second;
  return results;
}

Results ForeignNodes::infer(StringRef output, const Tensors &operands) const {
  const ::onnx::NodeProto *found = impl->lookUp(output);
  return found ? impl->infer(*found, operands, impl->graph) : Results();
}

Results ForeignNodes::Impl::infer(const ::onnx::NodeProto &found, const Tensors &operands, const Scope &scope) const {
  if (auto function = functions.find({getDomain(found.domain()), found.op_type(), found.overload()});
      function != functions.end())
    return inferCall(found, *function->second, operands, scope);
  Results results(static_cast<size_t>(found.output_size()));
  const ::onnx::OpSchema *schema = scope.getSchema(found);
  if (!schema || !schema->has_type_and_shape_inference_function())
    return results;
  if (!isSafe(found, *schema))
    return results;
  // Not all look whether an operand has a type before they read it.
  bool lacksType =
      llvm::any_of(found.input(), [&](const std::string &name) { return !name.empty() && !operands.contains(name); });
  if (lacksType)
    return results;
  // Inference writes into the node's graphs.
  ::onnx::NodeProto node = found;
  std::unordered_map<std::string, TypeProto> types;
  std::unordered_map<std::string, TypeProto *> typesByName;
  std::unordered_map<std::string, ::onnx::TensorProto> data;
  std::unordered_map<std::string, const ::onnx::TensorProto *> dataByName;
  ::onnx::shape_inference::DataValueMap shapeData;
  for (const auto &entry : operands) {
    std::string name = entry.first().str();
    typesByName[name] = &(types[name] = convert(entry.second));
    if (const ::onnx::TensorProto *tensor = scope.data.lookup(name)) {
      if (hasElements(*tensor))
        dataByName[name] = tensor;
    } else if (auto made = makeData(entry.second)) {
      if (hasElements(*made))
        dataByName[name] = &(data[name] = std::move(*made));
    } else if (entry.second.elements) {
      for (const std::string &element : *entry.second.elements)
        write(element, shapeData[name]);
    }
  }
  ::onnx::ShapeInferenceOptions options;
  ::onnx::shape_inference::ModelLocalFunctionsMap noFunctions;
  ::onnx::shape_inference::GraphInferenceContext graphs(typesByName, scope.versions, nullptr, noFunctions,
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

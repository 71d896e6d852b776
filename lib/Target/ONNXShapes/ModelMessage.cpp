//===- What is read from and written to a model's message -----------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ModelMessage.h"
#include "onnx/onnx_pb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <limits>

using namespace dyn::onnx;
using llvm::StringRef;
using Message = ::onnx::ModelProto;

static const ::onnx::GraphProto &getGraph(const void *message) {
  return static_cast<const Message *>(message)->graph();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::optional<std::vector<std::string>> readDims(const ::onnx::ValueInfoProto &value) {
  if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape())
    return std::nullopt;
  std::vector<std::string> dims;
  for (const auto &dim : value.type().tensor_type().shape().dim())
    dims.push_back(dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.dim_param());
  return dims;
}

template <typename Values>
static void readTypes(const Values &values, bool isOutput, std::vector<DeclaredType> &types) {
  for (const ::onnx::ValueInfoProto &value : values)
    if (auto dims = readDims(value))
      types.push_back({value.name(), isOutput, std::move(*dims)});
}

std::vector<DeclaredType> dyn::onnx::readDeclaredTypes(const void *message) {
  std::vector<DeclaredType> types;
  readTypes(getGraph(message).output(), true, types);
  // Some files tell the same of an output among the other values again.
  llvm::StringMap<std::vector<std::string>> outputs;
  for (const DeclaredType &output : types)
    outputs[output.name] = output.dims;
  readTypes(getGraph(message).value_info(), false, types);
  llvm::erase_if(types, [&](const DeclaredType &type) {
    auto output = type.isOutput ? outputs.end() : outputs.find(type.name);
    return output != outputs.end() && output->second == type.dims;
  });
  // What an initializer gives may be another tensor in another program, but has its rank and its fixed dims.
  llvm::StringSet<> initialized;
  for (const ::onnx::TensorProto &initializer : getGraph(message).initializer())
    initialized.insert(initializer.name());
  std::vector<DeclaredType> inputs = initialized.empty() ? std::vector<DeclaredType>() : readInputTypes(message);
  for (DeclaredType &input : inputs)
    if (initialized.contains(input.name)) {
      for (std::string &dim : input.dims)
        if (int64_t size; StringRef(dim).getAsInteger(10, size))
          dim.clear();
      types.push_back(std::move(input));
    }
  return types;
}

std::vector<DeclaredType> dyn::onnx::readInputTypes(const void *message) {
  std::vector<DeclaredType> types;
  readTypes(getGraph(message).input(), false, types);
  return types;
}

void dyn::onnx::forEachComputingNode(const void *message,
                                     llvm::function_ref<void(StringRef label, llvm::ArrayRef<StringRef> values)> use) {
  llvm::SmallVector<StringRef> values;
  for (const ::onnx::NodeProto &node : getGraph(message).node()) {
    values.clear();
    for (const std::string &output : node.output())
      if (!output.empty())
        values.push_back(output);
    if (!values.empty())
      use(node.name().empty() ? node.output(0) : node.name(), values);
  }
}

std::vector<std::string> dyn::onnx::listOutputs(const void *message) {
  std::vector<std::string> names;
  for (const ::onnx::ValueInfoProto &output : getGraph(message).output())
    names.push_back(output.name());
  return names;
}

namespace {

/// Finds the external data of a model, wherever tensors can stand.
class ExternalFileFinder {
public:
  void visit(const ::onnx::GraphProto &graph) {
    for (const auto &tensor : graph.initializer())
      visit(tensor);
    for (const auto &tensor : graph.sparse_initializer()) {
      visit(tensor.values());
      visit(tensor.indices());
    }
    for (const auto &node : graph.node())
      visit(node);
  }
  void visit(const ::onnx::NodeProto &node) {
    for (const auto &attribute : node.attribute())
      visit(attribute);
  }
  void visit(const ::onnx::AttributeProto &attribute) {
    visit(attribute.t());
    visit(attribute.sparse_tensor().values());
    visit(attribute.sparse_tensor().indices());
    for (const auto &tensor : attribute.tensors())
      visit(tensor);
    if (attribute.has_g())
      visit(attribute.g());
    for (const auto &graph : attribute.graphs())
      visit(graph);
  }
  void visit(const ::onnx::TensorProto &tensor) {
    if (tensor.data_location() != ::onnx::TensorProto::EXTERNAL)
      return;
    for (const auto &entry : tensor.external_data())
      if (entry.key() == "location" && seen.insert(entry.value()).second)
        files.push_back(entry.value());
  }

  std::vector<std::string> files;

private:
  llvm::StringSet<> seen;
};

} // namespace

std::vector<std::string> dyn::onnx::listExternalFiles(const void *message) {
  ExternalFileFinder finder;
  finder.visit(getGraph(message));
  for (const auto &function : static_cast<const Message *>(message)->functions()) {
    for (const auto &node : function.node())
      finder.visit(node);
    for (const auto &attribute : function.attribute_proto())
      finder.visit(attribute);
  }
  return std::move(finder.files);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeDim(StringRef text, ::onnx::TensorShapeProto::Dimension &dim) {
  int64_t value;
  if (text.empty())
    return;
  if (!text.getAsInteger(10, value))
    dim.set_dim_value(value);
  else
    dim.set_dim_param(text.str());
}

/// What a tensor or a sequence, here, is to ONNX: in an optional, or in maps.
enum class Wrapper { None, Optional, Maps };

namespace {

/// Tells what ONNX wraps around values: follows it through the nodes, and the graphs and functions that they run.
class WrapperFinder {
public:
  using Wrappers = llvm::StringMap<Wrapper>; ///< of the values that have one

  explicit WrapperFinder(const Message &model) {
    for (const ::onnx::FunctionProto &function : model.functions())
      functions[getKey(function.domain(), function.name())] = &function;
    addDeclared(model.graph(), found);
    // Some files have nodes in front of those that they read.
    for (std::optional<unsigned> before; before != found.size();) {
      before = found.size();
      visitAll(model.graph().node(), found);
    }
  }

  Wrapper find(StringRef name) const { return found.lookup(name); }

private:
  static std::string getKey(const std::string &domain, const std::string &name) { return domain + ":" + name; }

  static void addDeclared(const ::onnx::GraphProto &graph, Wrappers &wrappers) {
    for (const auto *values : {&graph.input(), &graph.output(), &graph.value_info()})
      for (const ::onnx::ValueInfoProto &value : *values)
        if (value.type().has_optional_type())
          wrappers[value.name()] = Wrapper::Optional;
  }

  template <typename Nodes>
  void visitAll(const Nodes &nodes, Wrappers &wrappers) const {
    for (const ::onnx::NodeProto &node : nodes)
      visit(node, wrappers);
  }

  void visit(const ::onnx::NodeProto &node, Wrappers &wrappers) const {
    auto add = [&](int output, Wrapper wrapper) {
      if (wrapper != Wrapper::None && output < node.output_size() && !node.output(output).empty())
        wrappers[node.output(output)] = wrapper;
    };
    bool isOwn = node.domain().empty() || node.domain() == "ai.onnx";
    if (node.domain() == "ai.onnx.ml" && node.op_type() == "ZipMap")
      add(0, Wrapper::Maps);
    else if (isOwn && node.op_type() == "Optional")
      add(0, Wrapper::Optional);
    else if (isOwn && node.op_type() == "Identity" && node.input_size() == 1)
      add(0, wrappers.lookup(node.input(0)));
    // A loop's body says first whether there is another trip.
    int first = isOwn && node.op_type() == "Loop" ? 1 : 0;
    for (const ::onnx::AttributeProto &attribute : node.attribute()) {
      if (!attribute.has_g())
        continue;
      Wrappers inner = wrappers;
      addDeclared(attribute.g(), inner);
      visitAll(attribute.g().node(), inner);
      for (int i = first; i < attribute.g().output_size(); ++i)
        add(i - first, inner.lookup(attribute.g().output(i).name()));
    }
    auto function = functions.find(getKey(node.domain(), node.op_type()));
    if (function == functions.end())
      return;
    Wrappers inner;
    for (int i = 0; i < std::min(node.input_size(), function->second->input_size()); ++i)
      if (Wrapper wrapper = wrappers.lookup(node.input(i)); wrapper != Wrapper::None)
        inner[function->second->input(i)] = wrapper;
    visitAll(function->second->node(), inner);
    for (int i = 0; i < function->second->output_size(); ++i)
      add(i, inner.lookup(function->second->output(i)));
  }

  llvm::StringMap<const ::onnx::FunctionProto *> functions;
  Wrappers found;
};

} // namespace

/// What the file says of the kind of a value stays.
static void writeType(const InferredType &inferred, bool isOptional, ::onnx::ValueInfoProto &value) {
  using Type = ::onnx::TypeProto;
  Type *place = value.mutable_type();
  auto is = [&](Type::ValueCase kind, bool unlessSaid) {
    return place->value_case() == Type::VALUE_NOT_SET ? unlessSaid : place->value_case() == kind;
  };
  if (is(Type::kOptionalType, isOptional))
    place = place->mutable_optional_type()->mutable_elem_type();
  if (is(Type::kSequenceType, inferred.isSequence) != inferred.isSequence)
    return;
  if (inferred.isSequence)
    place = place->mutable_sequence_type()->mutable_elem_type();
  if (!is(Type::kTensorType, true))
    return;
  auto &type = *place->mutable_tensor_type();
  if (!type.elem_type())
    type.set_elem_type(inferred.elementType);
  if (!inferred.dims)
    return;
  if (!type.has_shape() || type.shape().dim_size() != static_cast<int>(inferred.dims->size()))
    type.mutable_shape()->clear_dim();
  while (type.shape().dim_size() < static_cast<int>(inferred.dims->size()))
    type.mutable_shape()->add_dim();
  type.mutable_shape();
  for (size_t i = 0; i < inferred.dims->size(); ++i)
    writeDim((*inferred.dims)[i], *type.mutable_shape()->mutable_dim(static_cast<int>(i)));
}

//===----------------------------------------------------------------------===//
// Names in graphs of nodes
//===----------------------------------------------------------------------===//

using Dimension = ::onnx::TensorShapeProto::Dimension;

/// The tensors of a value, which may stand in a sequence or an optional.
static ::onnx::TypeProto &unwrap(::onnx::TypeProto &type) {
  ::onnx::TypeProto *inner = &type;
  while (inner->has_optional_type() || inner->has_sequence_type())
    inner = inner->has_optional_type() ? inner->mutable_optional_type()->mutable_elem_type()
                                       : inner->mutable_sequence_type()->mutable_elem_type();
  return *inner;
}

/// Visits the dims of a graph's values that have a text; not those in graphs of its nodes.
static void forEachNamedDim(::onnx::GraphProto &graph, llvm::function_ref<void(Dimension &)> visit) {
  for (auto *values : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
    for (::onnx::ValueInfoProto &value : *values) {
      if (!value.has_type())
        continue;
      ::onnx::TypeProto &type = unwrap(*value.mutable_type());
      if (type.has_tensor_type() && type.tensor_type().has_shape())
        for (Dimension &dim : *type.mutable_tensor_type()->mutable_shape()->mutable_dim())
          if (dim.has_dim_param())
            visit(dim);
    }
}

/// The text of a dim, and what in it may be names.
static llvm::SmallVector<StringRef, 4> listNames(StringRef text) {
  llvm::SmallVector<StringRef, 4> names = {text};
  auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  while (!(text = text.drop_until(isOfName)).empty()) {
    names.push_back(text.take_while(isOfName));
    text = text.drop_while(isOfName);
  }
  return names;
}

static llvm::StringSet<> collectNames(::onnx::GraphProto &graph) {
  llvm::StringSet<> names;
  forEachNamedDim(graph, [&](Dimension &dim) { names.insert_range(listNames(dim.dim_param())); });
  return names;
}

static void forEachGraphOfNodes(::onnx::GraphProto &graph, llvm::function_ref<void(::onnx::GraphProto &)> visit) {
  for (::onnx::NodeProto &node : *graph.mutable_node())
    for (::onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        visit(*attribute.mutable_g());
      for (::onnx::GraphProto &inner : *attribute.mutable_graphs())
        visit(inner);
    }
}

/// Lets a graph say nothing by these names, nor those of its nodes.
static void dropNames(::onnx::GraphProto &graph, const llvm::StringSet<> &names) {
  forEachNamedDim(graph, [&](Dimension &dim) {
    if (llvm::any_of(listNames(dim.dim_param()), [&](StringRef name) { return names.contains(name); }))
      dim.clear_dim_param();
  });
  forEachGraphOfNodes(graph, [&](::onnx::GraphProto &inner) { dropNames(inner, names); });
}

static void writeTypesOfGraph(const Message &model, ::onnx::GraphProto &graph, GetType getInputType, GetType getType) {
  for (auto &input : *graph.mutable_input())
    if (auto type = getInputType(input.name()))
      writeType(*type, false, input);
  llvm::StringSet<> written;
  WrapperFinder wrappers(model);
  for (auto *values : {graph.mutable_output(), graph.mutable_value_info()})
    for (auto &value : *values) {
      written.insert(value.name());
      if (auto type = getType(value.name()))
        writeType(*type, type->isOptional || wrappers.find(value.name()) == Wrapper::Optional, value);
    }
  for (const auto &node : graph.node())
    for (const std::string &output : node.output()) {
      if (output.empty() || !written.insert(output).second)
        continue;
      auto type = getType(output);
      Wrapper wrapper = wrappers.find(output);
      if (!type || !type->elementType || wrapper == Wrapper::Maps)
        continue;
      auto &value = *graph.add_value_info();
      value.set_name(output);
      writeType(*type, type->isOptional || wrapper == Wrapper::Optional, value);
    }
}

void dyn::onnx::writeTypes(void *message, GetType getInputType, GetType getType,
                           llvm::function_ref<bool(StringRef)> isSymbol) {
  auto &model = *static_cast<Message *>(message);
  ::onnx::GraphProto &graph = *model.mutable_graph();
  bool hasGraphs = false;
  forEachGraphOfNodes(graph, [&](::onnx::GraphProto &) { hasGraphs = true; });
  llvm::StringSet<> before = hasGraphs ? collectNames(graph) : llvm::StringSet<>();
  writeTypesOfGraph(model, graph, getInputType, getType);
  if (!hasGraphs)
    return;
  // A name that has come up around a graph means another size there.
  llvm::StringSet<> names;
  for (const auto &name : collectNames(graph))
    if (!before.contains(name.getKey()) && isSymbol(name.getKey()))
      names.insert(name.getKey());
  forEachGraphOfNodes(graph, [&](::onnx::GraphProto &inner) { dropNames(inner, names); });
}

llvm::Expected<std::string> dyn::onnx::serialize(const void *message) {
  const auto &model = *static_cast<const Message *>(message);
  std::string bytes;
  if (model.ByteSizeLong() > static_cast<size_t>(std::numeric_limits<int>::max()) || !model.SerializeToString(&bytes))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the model is larger than the 2 GiB that protobuf writes; keep weights as external "
                                   "data");
  return bytes;
}

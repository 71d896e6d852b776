//===- Operators that ONNX defines by others ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionBodies.h"
#include "../Schemas/Schemas.h"
#include "MessageWriter.h"
#include "ModelReader.h"
#include "onnx/defs/schema.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace dyn::onnx;
using ::onnx::OpSchema;

bool dyn::onnx::mayHaveFunctionBody(const Node &node) {
  const OpSchema *schema = lookUpSchema(node);
  return schema && (schema->HasFunction() || schema->HasContextDependentFunction());
}

/// The node as ONNX's builders of bodies read it.
static ::onnx::NodeProto write(const Node &node, const OpSchema &schema) {
  ::onnx::NodeProto message = writeNode(node);
  // Some builders take attributes with defaults for given.
  for (const auto &[name, attribute] : schema.attributes())
    if (!attribute.required && attribute.default_value.has_name() && !node.getAttribute(name))
      *message.add_attribute() = attribute.default_value;
  return message;
}

static ::onnx::TypeProto write(const OperandType &operand) {
  ::onnx::TypeProto message;
  if (operand.type == ElementType::Undefined)
    return message;
  auto &tensor = *message.mutable_tensor_type();
  tensor.set_elem_type(static_cast<int32_t>(operand.type));
  if (!operand.dims)
    return message;
  auto &shape = *tensor.mutable_shape();
  for (int64_t dim : *operand.dims) {
    auto *entry = shape.add_dim();
    if (dim >= 0)
      entry->set_dim_value(dim);
  }
  return message;
}

static bool buildBody(const OpSchema &schema, const Node &node, llvm::ArrayRef<OperandType> operands,
                      ::onnx::FunctionProto &body) {
  if (schema.HasContextDependentFunction()) {
    std::vector<::onnx::TypeProto> types;
    for (const OperandType &operand : operands)
      types.push_back(write(operand));
    ::onnx::NodeProto message = write(node, schema); // the context points into it
    ::onnx::FunctionBodyBuildContextImpl context(message, types);
    std::vector<int> versions = schema.context_dependent_function_opset_versions();
    return schema.BuildContextDependentFunction(context, body, versions.back());
  }
  // The newest of the bodies: its nodes carry the opset that they are written in.
  std::vector<int> versions = schema.function_opset_versions();
  const ::onnx::FunctionProto *known = schema.GetFunction(versions.back());
  if (known)
    body = *known;
  return known;
}

/// Do graphs among the attributes read values around the node? In a body, names mean something else.
static bool readsSurroundings(const Node &node) {
  Node graphs;
  graphs.attributes = node.attributes;
  bool reads = false;
  forEachRead(graphs, [&](llvm::StringRef) { reads = true; });
  return reads;
}

/// Bodies are written in an opset of their own, by which the nodes of graphs that go into them are read too. Do these
/// mean the same in it?
static bool areReadAlike(const Node &node, const ::onnx::FunctionProto &body) {
  int64_t opset = 0;
  for (const auto &import : body.opset_import())
    if (import.domain().empty())
      opset = import.version();
  bool alike = true;
  forEachGraph(node, [&](Graph &graph) {
    for (const Node &inner : graph.nodes) {
      Node other = inner;
      other.version = opset;
      const OpSchema *theirs = lookUpSchema(inner), *ours = lookUpSchema(other);
      auto haveSameKeys = [&] {
        return llvm::equal(theirs->attributes(), ours->attributes(),
                           [](const auto &lhs, const auto &rhs) { return lhs.first == rhs.first; });
      };
      if (inner.domain.empty())
        alike &=
            theirs && ours && (theirs == ours || (theirs->inputs().size() == ours->inputs().size() && haveSameKeys()));
      alike &= areReadAlike(inner, body);
    }
  });
  return alike;
}

std::optional<Function> dyn::onnx::findFunctionBody(const Node &node, llvm::ArrayRef<OperandType> operands,
                                                    Model &model) {
  if (!mayHaveFunctionBody(node) || readsSurroundings(node))
    return std::nullopt;
  const OpSchema &schema = *lookUpSchema(node);
  ::onnx::FunctionProto body;
  // Builders throw for what their operators do not allow.
  try {
    if (!buildBody(schema, node, operands, body))
      return std::nullopt;
  } catch (const std::exception &) {
    return std::nullopt;
  }
  for (const auto &[name, attribute] : schema.attributes())
    if (!attribute.required && attribute.default_value.has_name())
      *body.add_attribute_proto() = attribute.default_value;
  // Bodies of other domains may leave out that they are written in ai.onnx.
  if (llvm::none_of(body.opset_import(), [](const auto &import) { return import.domain().empty(); })) {
    const auto &domains = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
    int64_t opset = domains.at("").second;
    // Best that of the nodes of graphs that go into the body.
    forEachGraph(node, [&](Graph &graph) {
      for (const Node &inner : graph.nodes)
        if (inner.domain.empty())
          opset = inner.version;
    });
    body.add_opset_import()->set_version(opset);
  }
  if (!areReadAlike(node, body))
    return std::nullopt;
  body.clear_input();
  body.clear_output();
  for (const auto &formal : schema.inputs())
    body.add_input(formal.GetName());
  for (const auto &formal : schema.outputs())
    body.add_output(formal.GetName());
  return readFunction(body, model);
}

/// Drops nodes that no output of the call needs.
static void dropUnneeded(std::vector<Node> &nodes, const Node &call) {
  llvm::StringSet<> needed;
  for (llvm::StringRef output : call.outputs)
    if (!output.empty())
      needed.insert(output);
  std::vector<bool> keep(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    keep[i] = llvm::any_of(nodes[i].outputs, [&](llvm::StringRef output) { return needed.contains(output); });
    if (keep[i])
      forEachRead(nodes[i], [&](llvm::StringRef name) { needed.insert(name); });
  }
  size_t next = 0;
  llvm::erase_if(nodes, [&](const Node &) { return !keep[next++]; });
}

/// The value that an attribute inside a function has in a call; none where neither the call nor the function gives one.
static const NodeAttribute *lookUpAttribute(llvm::StringRef name, const Node &call, const Function &function) {
  if (const NodeAttribute *given = call.getAttribute(name))
    return given;
  for (const NodeAttribute &attribute : function.defaults)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

namespace {
/// Copies nodes of a function for a call, with the names and attributes that they have there.
class Instance {
public:
  Instance(const Node &call, const Function &function, unsigned number, llvm::StringSaver &texts)
      : call(call), function(function), texts(texts),
        prefix(call.getLabel().str() + "/" + std::to_string(number) + "/") {
    // What the call reads and gives is none of the values inside.
    auto isTaken = [&](llvm::StringRef name) { return name.starts_with(prefix); };
    while (llvm::any_of(call.inputs, isTaken) || llvm::any_of(call.outputs, isTaken))
      prefix += '\'';
  }

  Node copy(const Node &inner);

  llvm::StringMap<llvm::StringRef> names; ///< of the function's inputs and outputs

private:
  llvm::StringRef rename(llvm::StringRef name) {
    if (name.empty())
      return name;
    auto [entry, isNew] = names.try_emplace(name);
    if (isNew)
      entry->second = texts.save(prefix + name);
    return entry->second;
  }
  NodeAttribute copy(const NodeAttribute &inner);

  const Node &call;
  const Function &function;
  llvm::StringSaver &texts;
  std::string prefix;
};
} // namespace

NodeAttribute Instance::copy(const NodeAttribute &inner) {
  NodeAttribute attribute = inner;
  if (!inner.graph)
    return attribute;
  attribute.graph = std::make_shared<Graph>(*inner.graph);
  for (auto *values : {&attribute.graph->inputs, &attribute.graph->outputs, &attribute.graph->values})
    for (ValueInfo &value : *values)
      value.name = rename(value.name);
  for (Tensor &tensor : attribute.graph->initializers)
    tensor.name = rename(tensor.name);
  for (Node &node : attribute.graph->nodes)
    node = copy(node);
  return attribute;
}

Node Instance::copy(const Node &inner) {
  Node node = inner;
  node.name = texts.save(call.getLabel() + "/" + inner.getLabel());
  for (llvm::StringRef &input : node.inputs)
    input = rename(input);
  for (llvm::StringRef &output : node.outputs)
    output = rename(output);
  node.attributes.clear();
  for (const NodeAttribute &attribute : inner.attributes) {
    if (attribute.reference.empty()) {
      node.attributes.push_back(copy(attribute));
    } else if (const NodeAttribute *value = lookUpAttribute(attribute.reference, call, function)) {
      node.attributes.push_back(*value);
      node.attributes.back().name = attribute.name;
    }
  }
  return node;
}

std::vector<Node> dyn::onnx::instantiateBody(const Node &call, const Function &function, unsigned number,
                                             Model &model) {
  std::vector<Node> nodes;
  Instance instance(call, function, number, model.texts);
  for (auto [index, formal] : llvm::enumerate(function.inputs))
    instance.names[formal] = index < call.inputs.size() ? call.inputs[index] : llvm::StringRef();
  for (auto [index, formal] : llvm::enumerate(function.outputs)) {
    if (index >= call.outputs.size() || call.outputs[index].empty())
      continue;
    auto [entry, isNew] = instance.names.try_emplace(formal, call.outputs[index]);
    if (isNew)
      continue;
    // An input that is returned as it is, or one value returned twice.
    Node copy;
    copy.name = call.name;
    copy.opType = "Identity";
    copy.version = static_cast<int>(getNewestOpset());
    copy.inputs = {entry->second};
    copy.outputs = {call.outputs[index]};
    nodes.push_back(std::move(copy));
  }
  size_t numCopies = nodes.size();
  for (const Node &inner : function.nodes)
    nodes.push_back(instance.copy(inner));
  // Copies may be of what the nodes compute.
  std::rotate(nodes.begin(), nodes.begin() + static_cast<ptrdiff_t>(numCopies), nodes.end());
  dropUnneeded(nodes, call);
  return nodes;
}

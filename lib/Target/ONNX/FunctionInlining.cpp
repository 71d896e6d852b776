//===- Model-local functions ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Inlined here rather than by ONNX's inliner: each node keeps the opset of the
// function it came from, so that nothing has to be converted between opsets.
//
//===----------------------------------------------------------------------===//

#include "GraphOrder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <tuple>

using namespace dyn::onnx;
using llvm::Error;
using llvm::StringRef;

namespace {

using Names = llvm::StringMap<std::string>;

class Inliner {
public:
  explicit Inliner(Model &model) : model(model) {
    for (const Function &function : model.functions)
      functions.try_emplace({function.domain, function.name, function.overload}, &function);
  }

  Error run() {
    std::vector<Node> nodes = std::move(model.nodes);
    model.nodes.clear();
    for (Node &node : nodes)
      if (Error error = expand(std::move(node)))
        return error;
    return Error::success();
  }

private:
  Error expand(Node node);
  Error expandCall(const Node &call, const Function &function);
  Node instantiate(const Node &inner, const Node &call, const Function &function, Names &names);

  static Error failed(const std::string &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  }

  /// Functions that call others twice each make a small file grow without bound.
  static constexpr size_t maxNodes = 250000;
  static constexpr size_t maxDepth = 100;

  Model &model;
  std::map<std::tuple<std::string, std::string, std::string>, const Function *> functions;
  std::vector<const Function *> active;
  unsigned numCalls = 0;
};

Error Inliner::expand(Node node) {
  auto callee = functions.find({node.domain, node.opType, node.overload});
  if (callee != functions.end())
    return expandCall(node, *callee->second);
  if (model.nodes.size() >= maxNodes)
    return failed("has more than " + std::to_string(maxNodes) + " nodes after its functions are inlined");
  model.nodes.push_back(std::move(node));
  return Error::success();
}

Error Inliner::expandCall(const Node &call, const Function &function) {
  if (llvm::is_contained(active, &function))
    return failed("function " + quoteName(function.name) + " calls itself, at " + call.describe());
  if (active.size() >= maxDepth || numCalls >= maxNodes)
    return failed("nests functions too deeply, or calls too many, at " + call.describe());
  if (call.inputs.size() > function.inputs.size() || call.outputs.size() > function.outputs.size())
    return failed(call.describe() + ": more inputs or outputs than function " + quoteName(function.name) + " has");
  active.push_back(&function);
  Names names;
  for (auto [index, formal] : llvm::enumerate(function.inputs))
    names[formal] = index < call.inputs.size() ? call.inputs[index] : std::string();
  for (auto [index, formal] : llvm::enumerate(function.outputs)) {
    if (index >= call.outputs.size() || call.outputs[index].empty())
      continue;
    auto [entry, isNew] = names.try_emplace(formal, call.outputs[index]);
    if (isNew)
      continue;
    // An input that is returned as it is, or one value returned twice.
    Node copy;
    copy.name = call.name;
    copy.opType = "Identity";
    copy.version = 27;
    copy.inputs = {entry->second};
    copy.outputs = {call.outputs[index]};
    model.nodes.push_back(std::move(copy));
  }
  // The number, not the call's name, makes names unique: calls may be unnamed.
  std::string prefix = call.getLabel().str() + "/" + std::to_string(numCalls++) + "/";
  for (const Node &inner : function.nodes) {
    for (const std::string &output : inner.outputs)
      if (!output.empty())
        names.try_emplace(output, prefix + output);
    for (const std::string &input : inner.inputs)
      if (!input.empty())
        names.try_emplace(input, prefix + input);
    if (Error error = expand(instantiate(inner, call, function, names)))
      return error;
  }
  active.pop_back();
  return Error::success();
}

/// The value that an attribute inside a function has in a call; none where neither the call nor the function gives one.
const NodeAttribute *lookUpAttribute(const std::string &name, const Node &call, const Function &function) {
  if (const NodeAttribute *given = call.getAttribute(name))
    return given;
  for (const NodeAttribute &attribute : function.defaults)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

Node Inliner::instantiate(const Node &inner, const Node &call, const Function &function, Names &names) {
  auto rename = [&](const std::string &name) { return name.empty() ? name : names[name]; };
  Node node = inner;
  node.name = call.getLabel().str() + "/" + inner.getLabel().str();
  for (std::string &input : node.inputs)
    input = rename(input);
  for (std::string &output : node.outputs)
    output = rename(output);
  node.attributes.clear();
  for (const NodeAttribute &attribute : inner.attributes) {
    if (attribute.reference.empty()) {
      node.attributes.push_back(attribute);
    } else if (const NodeAttribute *value = lookUpAttribute(attribute.reference, call, function)) {
      node.attributes.push_back(*value);
      node.attributes.back().name = attribute.name;
    }
  }
  return node;
}

} // namespace

Error dyn::onnx::inlineFunctions(Model &model) {
  if (model.functions.empty())
    return Error::success();
  return Inliner(model).run();
}

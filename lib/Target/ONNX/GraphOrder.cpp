//===- Nodes in order ---------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GraphOrder.h"
#include "llvm/ADT/BitVector.h"
#include <functional>
#include <queue>

using namespace dyn::onnx;
using llvm::Error;
using llvm::SmallVector;
using llvm::StringRef;

namespace {

constexpr unsigned kNoNode = ~0u;

class Order {
public:
  explicit Order(Model &model) : model(model) {}

  Error run() {
    if (Error error = findDefinitions())
      return error;
    if (Error error = connect())
      return error;
    if (Error error = sort())
      return error;
    dropUnused();
    return Error::success();
  }

private:
  Error findDefinitions();
  Error connect();
  Error sort();
  void dropUnused();
  Error describeCycle(const llvm::BitVector &done) const;
  Error define(StringRef name, unsigned node);

  static Error failed(const std::string &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  }

  Model &model;
  /// The node that computes a value; kNoNode for inputs and initializers.
  llvm::StringMap<unsigned> definitions;
  std::vector<SmallVector<unsigned, 4>> sources, users;
};

Error Order::define(StringRef name, unsigned node) {
  auto [entry, isNew] = definitions.try_emplace(name, node);
  if (isNew)
    return Error::success();
  unsigned other = entry->second;
  std::string first = other == kNoNode ? "an input or initializer" : model.nodes[other].describe();
  return failed("value " + quoteName(name) + " is defined twice: by " + first + " and by " +
                (node == kNoNode ? "an input or initializer" : model.nodes[node].describe()));
}

Error Order::findDefinitions() {
  for (const ValueInfo &input : model.inputs)
    if (Error error = define(input.name, kNoNode))
      return error;
  // An input that is also an initializer has a default value. Two initializers of one name are refused.
  llvm::StringMap<unsigned> initializers;
  for (const Tensor &tensor : model.initializers) {
    if (!initializers.try_emplace(tensor.name, 0).second)
      return failed("initializer " + quoteName(tensor.name) + " is defined twice");
    definitions.try_emplace(tensor.name, kNoNode);
  }
  for (auto [index, node] : llvm::enumerate(model.nodes))
    for (const std::string &output : node.outputs)
      if (!output.empty())
        if (Error error = define(output, static_cast<unsigned>(index)))
          return error;
  return Error::success();
}

Error Order::connect() {
  sources.resize(model.nodes.size());
  users.resize(model.nodes.size());
  for (auto [index, node] : llvm::enumerate(model.nodes)) {
    for (auto [position, input] : llvm::enumerate(node.inputs)) {
      if (input.empty())
        continue;
      auto definition = definitions.find(input);
      if (definition == definitions.end())
        return failed(node.describe() + ": input " + std::to_string(position) + ", " + quoteName(input) +
                      ", is computed by no node, and is no input or initializer of the model");
      if (definition->second == kNoNode)
        continue;
      sources[index].push_back(definition->second);
      users[definition->second].push_back(static_cast<unsigned>(index));
    }
  }
  for (const ValueInfo &output : model.outputs)
    if (!definitions.contains(output.name))
      return failed("output " + quoteName(output.name) + " of the model is computed by no node");
  return Error::success();
}

Error Order::sort() {
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<unsigned>> ready;
  std::vector<size_t> waitsFor(model.nodes.size());
  for (unsigned index = 0; index < model.nodes.size(); ++index) {
    waitsFor[index] = sources[index].size();
    if (!waitsFor[index])
      ready.push(index);
  }
  std::vector<unsigned> order;
  llvm::BitVector done(model.nodes.size());
  while (!ready.empty()) {
    unsigned index = ready.top();
    ready.pop();
    order.push_back(index);
    done.set(index);
    for (unsigned user : users[index])
      if (--waitsFor[user] == 0)
        ready.push(user);
  }
  if (order.size() != model.nodes.size())
    return describeCycle(done);
  std::vector<Node> sorted;
  sorted.reserve(order.size());
  for (unsigned index : order)
    sorted.push_back(std::move(model.nodes[index]));
  model.nodes = std::move(sorted);
  return Error::success();
}

/// Walks from a node that was never ready to another that it waits for, until one comes up again.
Error Order::describeCycle(const llvm::BitVector &done) const {
  std::vector<unsigned> path;
  llvm::BitVector seen(model.nodes.size());
  unsigned current = done.find_first_unset();
  while (!seen.test(current)) {
    seen.set(current);
    path.push_back(current);
    current = *llvm::find_if(sources[current], [&](unsigned source) { return !done.test(source); });
  }
  auto start = llvm::find(path, current);
  constexpr size_t shown = 10;
  std::string text = "nodes form a cycle: " + model.nodes[current].describe();
  size_t length = static_cast<size_t>(path.end() - start);
  for (size_t step = 1; step < std::min(length, shown); ++step)
    text += " <- " + model.nodes[start[static_cast<ptrdiff_t>(step)]].describe();
  if (length > shown)
    text += " <- " + std::to_string(length - shown) + " more";
  return failed(text + " <- " + model.nodes[current].describe());
}

void Order::dropUnused() {
  llvm::StringMap<char> needed;
  for (const ValueInfo &output : model.outputs)
    needed.try_emplace(output.name);
  for (Node &node : llvm::reverse(model.nodes)) {
    if (llvm::none_of(node.outputs, [&](const std::string &output) { return needed.contains(output); })) {
      node.opType.clear();
      node.outputs.clear();
      continue;
    }
    for (const std::string &input : node.inputs)
      needed.try_emplace(input);
  }
  llvm::erase_if(model.nodes, [](const Node &node) { return node.outputs.empty(); });
}

} // namespace

Error dyn::onnx::orderNodes(Model &model) { return Order(model).run(); }

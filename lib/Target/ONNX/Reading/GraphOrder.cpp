//===- Nodes in order ---------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GraphOrder.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/Allocator.h"
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
  /// `around` has the values that stand around the graph of `owner`; both are null for the graph of a model.
  explicit Order(Graph &graph, const Order *around, const Node *owner) : graph(graph), around(around), owner(owner) {}

  Error run() {
    if (Error error = findDefinitions())
      return error;
    if (Error error = orderGraphs())
      return error;
    if (Error error = connect())
      return error;
    return sortNeeded();
  }

  std::vector<Node> unneeded; ///< by all outputs, in order

private:
  Error findDefinitions();
  Error orderGraphs();
  Error connect();
  Error connect(unsigned index);
  bool isVisible(StringRef name) const { return definitions.contains(name) || (around && around->isVisible(name)); }
  /// Leaves the nodes that some output needs, in order, and takes the others.
  Error sortNeeded();
  /// The first of the nodes that are ready goes first.
  Error sort(std::vector<unsigned> &order) const;
  llvm::BitVector findNeeded(llvm::ArrayRef<unsigned> order) const;
  Error describeCycle(const llvm::BitVector &done) const;
  Error define(StringRef name, unsigned node);

  /// Of what no node of the graph alone is to blame for.
  Error failedAsAWhole(const std::string &message) const {
    return llvm::createStringError(owner ? owner->describe() + ": in a graph of it, " + message : message);
  }

  Graph &graph;
  const Order *around;
  const Node *owner;
  /// The node that computes a value; kNoNode for inputs and initializers.
  llvm::StringMap<unsigned, llvm::BumpPtrAllocator> definitions;
  std::vector<SmallVector<unsigned, 4>> sources;
  bool isSorted = true; ///< as most are
};

Error Order::define(StringRef name, unsigned node) {
  auto [entry, isNew] = definitions.try_emplace(name, node);
  if (isNew)
    return Error::success();
  unsigned other = entry->second;
  if (other == kNoNode && node == kNoNode)
    return failedAsAWhole("two inputs have the name " + quoteName(name));
  std::string first = other == kNoNode ? "an input or initializer" : graph.nodes[other].describe();
  return failedAsAWhole("value " + quoteName(name) + " is defined twice: by " + first + " and by " +
                        (node == kNoNode ? "an input or initializer" : graph.nodes[node].describe()));
}

Error Order::findDefinitions() {
  for (const ValueInfo &input : graph.inputs)
    if (Error error = define(input.name, kNoNode))
      return error;
  // An input that is also an initializer has a default value. Two initializers of one name are refused.
  llvm::StringMap<unsigned> initializers;
  for (const Tensor &tensor : graph.initializers) {
    if (!initializers.try_emplace(tensor.name, 0).second)
      return failedAsAWhole("initializer " + quoteName(tensor.name) + " is defined twice");
    definitions.try_emplace(tensor.name, kNoNode);
  }
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    for (StringRef output : node.outputs)
      if (!output.empty())
        if (Error error = define(output, static_cast<unsigned>(index)))
          return error;
  return Error::success();
}

Error Order::orderGraphs() {
  for (const Node &node : graph.nodes) {
    Error result = Error::success();
    forEachGraph(node, [&](Graph &inner) {
      if (!result)
        result = Order(inner, this, &node).run();
    });
    if (result)
      return result;
  }
  return Error::success();
}

Error Order::connect(unsigned index) {
  const Node &node = graph.nodes[index];
  StringRef missing;
  forEachRead(node, [&](StringRef name) {
    auto definition = definitions.find(name);
    if (definition == definitions.end()) {
      if (missing.empty() && !(around && around->isVisible(name)))
        missing = name;
    } else if (definition->second != kNoNode) {
      sources[index].push_back(definition->second);
      isSorted &= definition->second < index;
    }
  });
  if (missing.empty())
    return Error::success();
  // What graphs of the node read has been looked at before.
  auto position = llvm::find(node.inputs, missing) - node.inputs.begin();
  return llvm::createStringError(node.describe() + ": input " + std::to_string(position) + ", " + quoteName(missing) +
                                 ", is computed by no node, and is no input or initializer of the model");
}

Error Order::connect() {
  sources.resize(graph.nodes.size());
  for (unsigned index = 0; index < graph.nodes.size(); ++index)
    if (Error error = connect(index))
      return error;
  for (const ValueInfo &output : graph.outputs)
    if (!isVisible(output.name))
      return failedAsAWhole("output " + quoteName(output.name) + (owner ? "" : " of the model") +
                            " is computed by no node");
  return Error::success();
}

Error Order::sort(std::vector<unsigned> &order) const {
  std::vector<SmallVector<unsigned, 4>> users(graph.nodes.size());
  for (unsigned index = 0; index < graph.nodes.size(); ++index)
    for (unsigned source : sources[index])
      users[source].push_back(index);
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<unsigned>> ready;
  std::vector<size_t> waitsFor(graph.nodes.size());
  for (unsigned index = 0; index < graph.nodes.size(); ++index) {
    waitsFor[index] = sources[index].size();
    if (!waitsFor[index])
      ready.push(index);
  }
  llvm::BitVector done(graph.nodes.size());
  while (!ready.empty()) {
    unsigned index = ready.top();
    ready.pop();
    order.push_back(index);
    done.set(index);
    for (unsigned user : users[index])
      if (--waitsFor[user] == 0)
        ready.push(user);
  }
  return order.size() == graph.nodes.size() ? Error::success() : describeCycle(done);
}

Error Order::sortNeeded() {
  std::vector<unsigned> order;
  if (isSorted)
    llvm::append_range(order, llvm::seq<unsigned>(0, static_cast<unsigned>(graph.nodes.size())));
  else if (Error error = sort(order))
    return error;
  llvm::BitVector needed = findNeeded(order);
  if (isSorted && needed.all())
    return Error::success();
  std::vector<Node> sorted;
  sorted.reserve(needed.count());
  for (unsigned index : order)
    (needed.test(index) ? sorted : unneeded).push_back(std::move(graph.nodes[index]));
  graph.nodes = std::move(sorted);
  return Error::success();
}

/// Walks from a node that was never ready to another that it waits for, until one comes up again.
Error Order::describeCycle(const llvm::BitVector &done) const {
  std::vector<unsigned> path;
  llvm::BitVector seen(graph.nodes.size());
  unsigned current = done.find_first_unset();
  while (!seen.test(current)) {
    seen.set(current);
    path.push_back(current);
    current = *llvm::find_if(sources[current], [&](unsigned source) { return !done.test(source); });
  }
  auto start = llvm::find(path, current);
  constexpr size_t shown = 10;
  std::string text = "nodes form a cycle: " + graph.nodes[current].describe();
  size_t length = static_cast<size_t>(path.end() - start);
  for (size_t step = 1; step < std::min(length, shown); ++step)
    text += " <- " + graph.nodes[start[static_cast<ptrdiff_t>(step)]].describe();
  if (length > shown)
    text += " <- " + std::to_string(length - shown) + " more";
  return llvm::createStringError(text + " <- " + graph.nodes[current].describe());
}

/// Those of the nodes, given in an order that defines values before they are read, that some output needs.
llvm::BitVector Order::findNeeded(llvm::ArrayRef<unsigned> order) const {
  llvm::BitVector needed(graph.nodes.size());
  for (const ValueInfo &output : graph.outputs)
    if (auto definition = definitions.find(output.name);
        definition != definitions.end() && definition->second != kNoNode)
      needed.set(definition->second);
  for (unsigned index : llvm::reverse(order))
    if (needed.test(index))
      for (unsigned source : sources[index])
        needed.set(source);
  return needed;
}

} // namespace

Error dyn::onnx::orderNodes(Model &model) {
  Order order(model, nullptr, nullptr);
  Error error = order.run();
  model.unneeded = std::move(order.unneeded);
  return error;
}

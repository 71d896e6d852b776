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

#include "FunctionBodies.h"
#include "GraphOrder.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace dyn::onnx;
using llvm::Error;
using llvm::StringRef;

namespace {

class Inliner {
public:
  explicit Inliner(Model &model) : model(model) {
    for (const Function &function : model.functions)
      functions.try_emplace({function.domain, function.name, function.overload}, &function);
  }

  Error run() { return run(model); }

private:
  Error run(Graph &graph);
  /// Appends to `nodes` what a node stands for.
  Error expand(Node node, std::vector<Node> &nodes);
  Error expandCall(const Node &call, const Function &function, std::vector<Node> &nodes);

  /// Functions that call others twice each make a small file grow without bound.
  static constexpr size_t maxNodes = 250000;
  static constexpr size_t maxDepth = 100;

  Model &model;
  std::map<std::tuple<StringRef, StringRef, StringRef>, const Function *> functions;
  std::vector<const Function *> active;
  unsigned numCalls = 0;
  size_t numNodes = 0;
};

Error Inliner::run(Graph &graph) {
  std::vector<Node> nodes = std::move(graph.nodes);
  graph.nodes.clear();
  for (Node &node : nodes)
    if (Error error = expand(std::move(node), graph.nodes))
      return error;
  return Error::success();
}

Error Inliner::expand(Node node, std::vector<Node> &nodes) {
  auto callee = functions.find({node.domain, node.opType, node.overload});
  if (callee != functions.end())
    return expandCall(node, *callee->second, nodes);
  if (++numNodes > maxNodes)
    return llvm::createStringError("has more than " + std::to_string(maxNodes) +
                                   " nodes after its functions are inlined");
  Error result = Error::success();
  forEachGraph(node, [&](Graph &graph) {
    if (!result)
      result = run(graph);
  });
  if (result)
    return result;
  nodes.push_back(std::move(node));
  return Error::success();
}

Error Inliner::expandCall(const Node &call, const Function &function, std::vector<Node> &nodes) {
  if (llvm::is_contained(active, &function))
    return llvm::createStringError("function " + quoteName(function.name) + " calls itself, at " + call.describe());
  if (active.size() >= maxDepth || numCalls >= maxNodes)
    return llvm::createStringError("nests functions too deeply, or calls too many, at " + call.describe());
  if (call.inputs.size() > function.inputs.size() || call.outputs.size() > function.outputs.size())
    return llvm::createStringError(call.describe() + ": more inputs or outputs than function " +
                                   quoteName(function.name) + " has");
  active.push_back(&function);
  // The number, not the call's name, makes names unique: calls may be unnamed.
  for (Node &inner : instantiateBody(call, function, numCalls++, model))
    if (Error error = expand(std::move(inner), nodes))
      return error;
  active.pop_back();
  return Error::success();
}

} // namespace

Error dyn::onnx::inlineFunctions(Model &model) {
  if (model.functions.empty())
    return Error::success();
  return Inliner(model).run();
}

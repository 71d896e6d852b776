//===- What of a model can't be imported, before anything is ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OperatorCheck.h"
#include "../Schemas/Schemas.h"
#include "FunctionBodies.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

using NodesByOperator = llvm::MapVector<std::string, SmallVector<const Node *>, llvm::StringMap<unsigned>>;

std::string dyn::onnx::findOpsetError(const Node &node) {
  constexpr int64_t oldest = kOldestOpset;
  const int64_t newest = getNewestOpset();
  if (!node.domain.empty() || (node.version >= oldest && node.version <= newest))
    return {};
  if (node.version < 1)
    return "the model says no opset of ai.onnx, to which " + node.describe() + " belongs";
  return node.describe() + " has opset " + std::to_string(node.version) + " of ai.onnx, which is not supported; the " +
         (node.version < oldest ? "oldest that is: " + std::to_string(oldest)
                                : "newest that is: " + std::to_string(newest));
}

static std::string listNames(ArrayRef<const Node *> nodes) {
  constexpr size_t shown = 5;
  std::string text;
  for (const Node *node : nodes.take_front(shown))
    text += (text.empty() ? "" : ", ") + quoteName(node->getLabel());
  if (nodes.size() > shown)
    text += " and " + std::to_string(nodes.size() - shown) + " more";
  return text;
}

/// Stops, with a message, at a node of an opset that nothing is read by.
static std::string collect(const Graph &graph, const OperatorRegistry &registry, NodesByOperator &unsupported) {
  for (const Node &node : graph.nodes) {
    std::string error = findOpsetError(node);
    forEachGraph(node, [&](Graph &inner) {
      if (error.empty())
        error = collect(inner, registry, unsupported);
    });
    if (!error.empty())
      return error;
    if (registry.lookup(node) || mayHaveFunctionBody(node))
      continue;
    std::string name = (node.domain + (node.domain.empty() ? "" : ".") + node.opType).str();
    unsupported[name.empty() ? "one without a name" : name].push_back(&node);
  }
  return {};
}

std::string dyn::onnx::findUnsupportedNodes(const Graph &graph, const OperatorRegistry &registry) {
  NodesByOperator unsupported;
  std::string text = collect(graph, registry, unsupported);
  if (!text.empty() || unsupported.empty())
    return text;
  llvm::raw_string_ostream os(text);
  os << "operators that are not supported: ";
  llvm::interleave(
      unsupported, os,
      [&](const auto &entry) {
        os << entry.first << " (" << (entry.second.size() > 1 ? "nodes " : "node ") << listNames(entry.second) << ")";
      },
      "; ");
  return text;
}

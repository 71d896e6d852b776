//===- Import of Loop -------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Sequences/RunTimeSequences.h"
#include "LoopImport.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static LogicalResult importLoop(NodeImport &node) {
  const Graph *graph = node.getGraph("body");
  if (!graph)
    return failure();
  LoopImport loop(node, *graph);
  loop.tripCount = node.getOperand(0);
  loop.condition = node.getOperand(1);
  for (size_t index = 0; index < node.getNumOperands(); ++index) {
    Value value = node.getValue(index);
    if (node.hasFailed())
      return failure();
    if (index < 2 && value && !isa<TensorType>(value.getType()))
      return node.error("operand " + Twine(index) + " is no tensor");
    if (index >= 2 && !value)
      return node.error("operand " + Twine(index) + " is missing");
    if (index >= 2)
      loop.initial.push_back(value);
  }
  size_t numCarried = loop.initial.size();
  if (graph->inputs.size() != numCarried + 2)
    return node.contradiction("the body has " + Twine(graph->inputs.size()) + " inputs, must have " +
                              Twine(numCarried + 2) + " for " + Twine(numCarried) + " carried values");
  if (node.getNumResults() < numCarried || graph->outputs.size() != node.getNumResults() + 1)
    return node.contradiction("the body has " + Twine(graph->outputs.size()) + " outputs for " +
                              Twine(node.getNumResults()) + " results of the node, of which " + Twine(numCarried) +
                              " are carried values");
  FailureOr<ImportedRegion> body = loop.findBody();
  SmallVector<Value> results;
  if (failed(body) || failed(loop.create(std::move(*body), results)))
    return failure();
  for (auto [index, value] : llvm::enumerate(results)) {
    // What each trip gives is there behind the last one, if there was one.
    (void)node.finish(index, unwrapAsDeclared(node.builder, value, graph->outputs[index + 1]));
  }
  return success();
}

void dyn::onnx::registerLoops(OperatorRegistry &registry) {
  registry.add("Loop", 0, kVariadic, importLoop, kTakesLists | kMovesElements | kHasGraphs);
}

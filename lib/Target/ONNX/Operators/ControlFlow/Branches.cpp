//===- Import of If ---------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Sequences/RunTimeSequences.h"
#include "ImportedRegion.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// Imports the graph of a branch into a region, whose terminator is not there yet.
static FailureOr<ImportedRegion> importBranch(NodeImport &node, const Graph &graph) {
  if (!graph.inputs.empty())
    return node.contradiction("a branch has inputs");
  if (graph.outputs.size() != node.getNumResults())
    return node.contradiction("a branch gives " + Twine(graph.outputs.size()) + " values for " +
                              Twine(node.getNumResults()) + " results");
  ImportedRegion branch;
  OpBuilder::InsertionGuard guard(node.builder);
  node.builder.createBlock(branch.region.get());
  if (failed(node.graphs.importGraph(graph, {}, branch.outputs)))
    return failure();
  YieldOp::create(node.builder, node.loc, branch.outputs);
  return branch;
}

/// The condition, where it is known at import.
static std::optional<bool> findTruth(NodeImport &node) {
  Value condition = node.getOperand(0);
  if (auto known = NodeImport::getConstantInts(condition); known && known->size() == 1)
    return known->front() != 0;
  return node.graphs.getShapes().findTruth(condition);
}

static LogicalResult importIf(NodeImport &node) {
  const Graph *thenGraph = node.getGraph("then_branch"), *elseGraph = node.getGraph("else_branch");
  if (!thenGraph || !elseGraph)
    return failure();
  // Exporters ask at run time what constants and sizes decide.
  if (std::optional<bool> known = findTruth(node)) {
    const Graph &taken = *known ? *thenGraph : *elseGraph;
    SmallVector<Value> outputs;
    if (!taken.inputs.empty() || taken.outputs.size() != node.getNumResults())
      return node.contradiction("the branch that is taken has " + Twine(taken.inputs.size()) + " inputs, and " +
                                Twine(taken.outputs.size()) + " outputs for " + Twine(node.getNumResults()) +
                                " results");
    if (failed(node.graphs.importGraph(taken, {}, outputs)))
      return failure();
    for (auto [index, value] : llvm::enumerate(outputs))
      (void)node.finish(index, value);
    return success();
  }
  FailureOr<ImportedRegion> thenBranch = importBranch(node, *thenGraph);
  FailureOr<ImportedRegion> elseBranch =
      failed(thenBranch) ? FailureOr<ImportedRegion>() : importBranch(node, *elseGraph);
  if (failed(elseBranch))
    return failure();
  SmallVector<Type> types;
  for (auto [index, whenTrue, whenFalse] : llvm::enumerate(thenBranch->outputs, elseBranch->outputs)) {
    Type ofTrue = getKind(whenTrue), ofFalse = getKind(whenFalse);
    if (ofTrue != ofFalse) {
      std::string text;
      llvm::raw_string_ostream(text) << "output " << index << " has elements of type " << ofTrue
                                     << " in one branch, of type " << ofFalse << " in the other";
      return node.contradiction(text);
    }
    types.push_back(joinTypes(whenTrue.getType(), whenFalse.getType()));
  }
  auto op = IfOp::create(node.builder, node.loc, types, node.getOperand(0), /*binds=*/ArrayAttr());
  op.getThenRegion().takeBody(*thenBranch->region);
  op.getElseRegion().takeBody(*elseBranch->region);
  for (auto [index, value] : llvm::enumerate(op.getResults()))
    (void)node.finish(index, value);
  return success();
}

void dyn::onnx::registerBranches(OperatorRegistry &registry) {
  registry.add("If", 1, 1, importIf, kMovesElements | kHasGraphs);
}

//===- A loop on its way into the module ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_LOOPIMPORT_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_LOOPIMPORT_H

#include "../../NodeImport.h"
#include "ImportedRegion.h"

namespace dyn::onnx {

/// A loop whose body is a graph of the node.
struct LoopImport {
  LoopImport(NodeImport &node, const Graph &graph) : node(node), graph(graph) {}

  /// Imports the body with as much known of the carried values' types as holds in each trip.
  mlir::FailureOr<ImportedRegion> findBody();
  mlir::LogicalResult create(ImportedRegion body, llvm::SmallVectorImpl<mlir::Value> &results);

  NodeImport &node;
  const Graph &graph;
  mlir::Value tripCount, condition;
  llvm::SmallVector<mlir::Value> initial, sliced;
  /// Whether the graph has the number of the trip and the condition, as Loop's has, and Scan's not.
  bool hasTrip = true;

private:
  /// For arguments of `types`: first what is carried, then slices.
  mlir::FailureOr<ImportedRegion> importBody(llvm::ArrayRef<mlir::Type> types);
};

/// The type of an entry of dim 0 of a tensor.
mlir::Type getSliceType(mlir::Value sliced);

/// What a step of a recurrence gives: values for the next one, and values that are stacked along a new first dim.
struct StepResults {
  llvm::SmallVector<mlir::Value> states, outputs;
};
using EmitStep = llvm::function_ref<mlir::FailureOr<StepResults>(llvm::ArrayRef<mlir::Value> states,
                                                                 llvm::ArrayRef<mlir::Value> slices)>;

/// A loop over the entries of dim 0 of `sliced`; gives the states behind the last one, then the stacks. States keep
/// their rank.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> loopOverSteps(NodeImport &node, llvm::ArrayRef<mlir::Value> states,
                                                              llvm::ArrayRef<mlir::Value> sliced, EmitStep emit);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_LOOPIMPORT_H

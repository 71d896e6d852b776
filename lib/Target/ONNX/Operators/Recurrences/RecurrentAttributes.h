//===- Attributes of recurrent networks ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_RECURRENTATTRIBUTES_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_RECURRENTATTRIBUTES_H

#include "../../NodeImport.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"

namespace dyn::onnx {

/// The activations of all directions: as many names as each has, with the parameters that the functions take.
struct Activations {
  llvm::SmallVector<std::string> names;
  llvm::SmallVector<double> alpha, beta;
};

struct RecurrentAttributes {
  /// Fails, after an error, if they make no sense.
  static mlir::FailureOr<RecurrentAttributes> read(NodeImport &node, RecurrentKind kind);

  /// Does a direction start at the last step?
  bool isReversed(int64_t direction) const { return startsReversed || direction == 1; }

  int64_t numDirections = 1, numActivations = 1;
  bool startsReversed = false, isBatchFirst = false;
  std::optional<double> clip;
  Activations activations;
};

/// Holds the dims that count directions, (operand, axis), to their number.
mlir::LogicalResult verifyDirections(NodeImport &node, llvm::ArrayRef<std::pair<size_t, size_t>> dims,
                                     int64_t numDirections);
/// The part of a direction of an operand whose dim `axis` counts directions.
mlir::Value getDirection(NodeImport &node, size_t operand, int64_t direction, int64_t numDirections, int64_t axis = 0);
/// One tensor of the results of all directions, which get a new dim.
mlir::Value combineDirections(NodeImport &node, llvm::ArrayRef<mlir::Value> parts, int64_t axis);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_RECURRENTATTRIBUTES_H

//===- Relations of nodes that have no dyn ops ------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNXSHAPES_FOREIGNRELATIONS_H
#define DYN_LIB_TARGET_ONNXSHAPES_FOREIGNRELATIONS_H

#include "dyn/Analysis/ShapeRelations.h"
#include "dyn/Target/ONNX/ForeignNodes.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "dyn/Target/ONNXShapes/ModelShapes.h"

namespace dyn::onnx {

/// States what ONNX infers of the calls that stand for such nodes.
class ForeignRelations {
public:
  explicit ForeignRelations(const ImportRecord &record);

  /// Does nothing for other ops.
  mlir::LogicalResult relate(mlir::Operation *op, ShapeRelations &relations) const;

private:
  ForeignNodes nodes;
  llvm::DenseMap<mlir::Operation *, const ForeignNode *> calls;
};

/// What ONNX infers of the values that are not in the record.
llvm::StringMap<UnneededTensor>
inferUnneeded(const ImportRecord &record, ShapeRelations &relations,
              llvm::function_ref<std::optional<SequenceShape>(llvm::StringRef)> findSequence);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNXSHAPES_FOREIGNRELATIONS_H

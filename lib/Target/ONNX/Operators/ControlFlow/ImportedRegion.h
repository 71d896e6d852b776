//===- Graphs of nodes as regions ---------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_IMPORTEDREGION_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_IMPORTEDREGION_H

#include "mlir/IR/Region.h"
#include "llvm/ADT/SmallVector.h"

namespace dyn::onnx {

/// A graph that a region was made of, and what its terminator yields.
struct ImportedRegion {
  std::unique_ptr<mlir::Region> region = std::make_unique<mlir::Region>();
  llvm::SmallVector<mlir::Value> outputs;
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_IMPORTEDREGION_H

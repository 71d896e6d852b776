//===- Import of mixtures of experts -----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_CONTRIB_MIXTUREOFEXPERTS_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_CONTRIB_MIXTUREOFEXPERTS_H

#include "../../NodeImport.h"

namespace dyn::onnx {

/// com.microsoft.MoE as onnxruntime's CPU kernel has it.
mlir::LogicalResult importMixtureOfExperts(NodeImport &node);

/// com.microsoft.QMoE with weights that are integers, as onnxruntime's CPU kernel has it.
mlir::LogicalResult importQuantizedMixtureOfExperts(NodeImport &node);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_CONTRIB_MIXTUREOFEXPERTS_H

//===- Import of weights that are quantized in blocks ----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_CONTRIB_BLOCKQUANTIZATION_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_CONTRIB_BLOCKQUANTIZATION_H

#include "../../NodeImport.h"

namespace dyn::onnx {

/// Bytes whose bits are several numbers, the first in the lowest bits: the last dim becomes as many times longer.
mlir::Value unpackBits(NodeImport &node, mlir::Value bytes, int64_t bits, int64_t rank);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_CONTRIB_BLOCKQUANTIZATION_H

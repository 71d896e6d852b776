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

/// Weights of N rows of K numbers of few bits, in blocks that have a scale and a zero each.
struct BlockFormat {
  int64_t columns = 0, rows = 0, bits = 0, block = 0;

  /// Reads the attributes for K and bits; an error if a kernel could not have them. `rows` is N.
  mlir::LogicalResult read(NodeImport &node, int64_t rows);
};
struct BlockWeights {
  mlir::Value bytes, scales;
  mlir::Value zeros;  ///< null for the middle of what the bits hold
  mlir::Value groups; ///< which block each column belongs to; null for one behind another
};
/// The product of `x` with the weights, plus `bias` unless that is null, in the type that is computed in.
mlir::Value multiplyByBlocks(NodeImport &node, mlir::Value x, const BlockFormat &format, const BlockWeights &weights,
                             mlir::Value bias);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_CONTRIB_BLOCKQUANTIZATION_H

//===- Subgraphs that several operators are made of --------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_BUILDERS_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_BUILDERS_H

#include "../NodeImport.h"

namespace dyn::onnx {

/// One dim of `x`, an i64 scalar; the axis may be negative.
mlir::Value getDim(NodeImport &node, mlir::Value x, int64_t axis);
/// Dims [begin, end) of `x`, an i64 vector.
mlir::Value getDims(NodeImport &node, mlir::Value x, int64_t begin, int64_t end);
/// A scalar of any rank as a vector of one element.
mlir::Value asVector(NodeImport &node, mlir::Value scalar);
/// A tensor of one element as a scalar.
mlir::Value asScalar(NodeImport &node, mlir::Value value);
/// 0, 1, ... below an i64 scalar.
mlir::Value countTo(NodeImport &node, mlir::Value limit);
/// A vector as a tensor of `rank` whose dims are 1 but for `axis`.
mlir::Value spread(NodeImport &node, mlir::Value vector, int64_t axis, int64_t rank);
/// A vector, which may have dims of 1 in front, with one element for each entry of an axis of `like`, which may be
/// negative: other lengths, 1 too, are refused.
mlir::Value fitToAxis(NodeImport &node, mlir::Value vector, mlir::Value like, int64_t axis);
/// `x` repeated to the dims of an i64 vector that has `rank` elements.
mlir::Value expand(NodeImport &node, mlir::Value x, mlir::Value shape, int64_t rank);
/// One value under the dims of an i64 vector that has `rank` elements.
mlir::Value fill(NodeImport &node, mlir::Value shape, int64_t rank, double value, mlir::Type elementType);
/// A slice with all bounds from i64 vectors; `steps` may be null.
mlir::Value sliceTo(NodeImport &node, mlir::Value x, mlir::Value starts, mlir::Value ends, llvm::ArrayRef<int64_t> axes,
                    mlir::Value steps = {});
/// As Cast, by the attributes `saturate` and `round_mode` where elements become floats of a byte.
mlir::Value castSaturating(NodeImport &node, mlir::Value x, mlir::Type type);
/// The channels, dim 1, moved behind the other dims, or back.
mlir::Value moveChannels(NodeImport &node, mlir::Value x, int64_t rank, bool last);
/// The elements of an axis in reverse order.
mlir::Value flip(NodeImport &node, mlir::Value x, int64_t axis);
/// Zeros around, counts from an i64 vector: all begins, then all ends.
mlir::Value padZeros(NodeImport &node, mlir::Value x, mlir::Value pads);
mlir::Value gatherElements(NodeImport &node, mlir::Value data, mlir::Value indices, int64_t axis);
/// `tuple` is the length of the index tuples.
mlir::Value gatherND(NodeImport &node, mlir::Value data, mlir::Value indices, int64_t batchDims, int64_t tuple);
mlir::Value scatterND(NodeImport &node, mlir::Value data, mlir::Value indices, mlir::Value updates,
                      std::optional<ReduceKind> reduction);
/// Rounded to the nearest integer, clamped to what an integer type holds, and cast to it.
mlir::Value quantize(NodeImport &node, mlir::Value x, mlir::Type type);
/// log(1 + x), accurate near 0.
mlir::Value log1p(NodeImport &node, mlir::Value x);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_BUILDERS_H

//===- Products of quantized matrices ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_DYNAMICQUANTIZATION_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_DYNAMICQUANTIZATION_H

#include "../NodeImport.h"

namespace dyn::onnx {

/// A tensor as i32 integers times a scale, a scalar.
struct DynamicallyQuantized {
  mlir::Value integers, scale;
};

/// Quantizes to 8 bits by the greatest and least element and 0, as DynamicQuantizeLinear does.
DynamicallyQuantized quantizeDynamically(NodeImport &node, mlir::Value x);
/// The integers of an operand less their zero: one, or with as many as the last dim one for each column; null is 0.
mlir::Value readIntegers(NodeImport &node, mlir::Value x, mlir::Value zero);
/// product * scales + bias; the left scale is one number, `bias` may be null.
mlir::Value rescale(NodeImport &node, mlir::Value product, mlir::Value lhsScale, mlir::Value rhsScale,
                    mlir::Value bias);
/// The product with integers that stand for multiples of `scale`: one, or one for each column.
mlir::Value multiply(NodeImport &node, DynamicallyQuantized lhs, mlir::Value rhs, mlir::Value scale,
                     mlir::Value bias = {});

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_DYNAMICQUANTIZATION_H

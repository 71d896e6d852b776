//===- Formulas that several operators share ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_FORMULAS_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_FORMULAS_H

#include "../NodeImport.h"

namespace dyn::onnx {

/// 0.5 * x * (1 + erf(x / sqrt(2)))
mlir::Value emitGelu(NodeImport &node, mlir::Value x);
/// 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
mlir::Value emitTanhGelu(NodeImport &node, mlir::Value x);

/// log(exp(x) + 1) without overflow.
mlir::Value emitSoftplus(NodeImport &node, mlir::Value x);
/// exp(x) / sum exp(x) along some axes, without overflow.
mlir::Value emitSoftmax(NodeImport &node, mlir::Value x, llvm::ArrayRef<int64_t> axes);

/// Half-precision floats are computed with in f32, as onnxruntime does; other types are their own.
mlir::Type getComputeType(mlir::Value value);
/// What `function` makes of the operand in its compute type, rounded to the operand's once.
mlir::Value computeWide(NodeImport &node, mlir::Value x, llvm::function_ref<mlir::Value(mlir::Value)> function);

/// The convolution that a node's attributes describe; `rank` is that of both operands.
mlir::FailureOr<mlir::Value> emitConvolution(NodeImport &node, mlir::Value input, mlir::Value filter, int64_t rank);

/// The convolution of operand 0 with `filter` to which operands 2, a bias, and 3 are added, and the activation that the
/// node names.
mlir::FailureOr<mlir::Value> emitFusedConvolution(NodeImport &node, mlir::Value filter, bool isChannelsLast);

/// The means of the windows that a node's attributes describe; `x` has the rank of operand 0.
mlir::FailureOr<mlir::Value> emitAveragePool(NodeImport &node, mlir::Value x);

/// What a normalisation over `axes` yields. Statistics have the dims of `x` with 1 for each axis.
struct Normalized {
  mlir::Value value, mean, inverseDeviation;
};
/// (x - mean) / sqrt(mean((x - mean)^2) + epsilon); without `subtractMean` the mean is taken as 0.
Normalized emitNormalization(NodeImport &node, mlir::Value x, llvm::ArrayRef<int64_t> axes, double epsilon,
                             bool subtractMean = true);

/// The axes from `axis` to the last one: negative ones where possible, because they need no rank.
std::optional<llvm::SmallVector<int64_t>> getAxesFrom(NodeImport &node, int64_t axis, size_t operand);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_FORMULAS_H

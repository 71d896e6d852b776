//===- Subgraphs that compute random numbers ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A number is a function of a key and of its place in the tensor, so that nothing
// has a state: each run gives the same numbers, at whatever sizes, threads and
// tiles, and compiled code gives those of the interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_RANDOMNUMBERS_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_RANDOMNUMBERS_H

#include "../NodeImport.h"

namespace dyn::onnx {

/// From the attribute `seed` of the node, which may be an integer or a float; of a node without one from its name, so
/// that each draws numbers of its own.
uint64_t getRandomKey(NodeImport &node);

/// Numbers from [0, 1) that a float type holds, under the dims of an i64 vector; of 16-bit types in f32.
mlir::Value drawUniform(NodeImport &node, uint64_t key, mlir::Value shape, mlir::Type elementType);

/// Does a node leave all elements as they are, as far as is known at import? `ratio` and `training` are the places of
/// operands of one number.
bool dropsNothing(NodeImport &node, size_t ratio, size_t training);

/// What training makes of `x`, and which elements stay: each is dropped with the probability that operand `ratio` says,
/// 0.5 without one, and others are divided by what is left of 1. Nothing is dropped where operand `training`, which is
/// there, is false.
struct Dropped {
  mlir::Value result, mask;
};
Dropped dropRandomly(NodeImport &node, mlir::Value x, size_t ratio, size_t training);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_RANDOMNUMBERS_H

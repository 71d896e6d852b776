//===- Keys and values in buffers with room for more ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// B is the batch, N the heads, H the elements of a head, M the places of a
// buffer, P those of them that are in use, S new ones and T all that count, P + S.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTION_SHAREDCACHE_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTION_SHAREDCACHE_H

#include "../../NodeImport.h"

namespace dyn::onnx {

/// Writes new places behind those of a buffer that are in use.
class SharedCache {
public:
  /// `count` is the operand with P.
  SharedCache(NodeImport &node, size_t count);

  /// The buffer (B x N x M x H) with the new places (B x N x S x H).
  mlir::Value write(mlir::Value buffer, mlir::Value fresh);
  /// The places of a buffer that count, B x N x T x H; `fresh` are S. A run with more than M is refused.
  mlir::Value read(mlir::Value buffer, mlir::Value fresh);
  /// The same, where other sequences of the batch, searched beside each other, may have computed the places in use:
  /// operand `beams` (groups x beams x at least T) says which of its group. Of several new places each is its own.
  mlir::Value readBeams(mlir::Value buffer, mlir::Value fresh, size_t beams);

private:
  mlir::Value getTotal(mlir::Value fresh); ///< T, an i64 vector

  NodeImport &node;
  mlir::Value used; ///< P, an i64 scalar
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTION_SHAREDCACHE_H

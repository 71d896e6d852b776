//===- Keys and values that are cached with few bits ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// B is the batch, G the heads of keys and values, T the places and H the elements
// of a head.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTION_QUANTIZEDCACHE_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTION_QUANTIZEDCACHE_H

#include "../../NodeImport.h"

namespace dyn::onnx {

/// How a cache is written and read: as it is, as bytes, or as pairs of 4 bits in each byte.
class QuantizedCache {
public:
  explicit QuantizedCache(NodeImport &node) : node(node) {}

  /// By the attribute `mode`, the operand `scale` and the attribute for bits; `past` is the operand with the cache,
  /// which may be missing. G is `groups`.
  mlir::LogicalResult read(llvm::StringRef mode, size_t scale, size_t past, int64_t groups);
  /// Numbers (B x G x T x H) as a cache has them.
  mlir::Value quantize(mlir::Value numbers);
  /// The inverse but for what was rounded; elements become those of `like`.
  mlir::Value dequantize(mlir::Value cache, mlir::Value like);

private:
  /// One scale, or one for each head and element.
  mlir::Value fitScale(mlir::Value like);

  NodeImport &node;
  mlir::Value given; ///< null for caches that hold numbers as they are
  int64_t bits = 0, groups = 0;
  bool isShared = false; ///< by all elements
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTION_QUANTIZEDCACHE_H

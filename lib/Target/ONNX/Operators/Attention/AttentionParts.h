//===- What imports of attention share ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// B is the batch, N the heads, S the places that ask, T those that are asked, H
// the elements of a head.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTIONPARTS_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTIONPARTS_H

#include "../../NodeImport.h"

namespace dyn::onnx {

/// B x S x (N H) to B x N x S x H.
mlir::Value splitHeads(NodeImport &node, mlir::Value x, int64_t heads);
/// The inverse.
mlir::Value mergeHeads(NodeImport &node, mlir::Value x);

/// Keys or values (B x groups x T x H), once for each of the `heads`, a vector of one size, that share them.
mlir::Value repeatHeads(NodeImport &node, mlir::Value shared, mlir::Value heads);

/// Queries, keys and values, B x heads x S x H each.
struct Heads {
  mlir::Value q, k, v;
};
/// Operands 0 to 2, B x S x anything; without operands 1 and 2 these are behind the queries in operand 0. Keys and
/// values have `groups` heads.
Heads readGroupedOperands(NodeImport &node, int64_t heads, int64_t groups);

/// Operands must have one batch, and keys and values (B x groups x T x H) the same heads and places.
void holdHeads(NodeImport &node, const Heads &heads);

/// A bias has a number for each element of queries, keys and values, which lie behind each other.
void holdBias(NodeImport &node, mlir::Value bias, const Heads &heads);

/// The attribute 'scale', or 1 / sqrt(H).
mlir::Value getScale(NodeImport &node, mlir::Value q);
/// A required attribute that is a number of heads; an error unless it is positive.
int64_t getHeads(NodeImport &node, llvm::StringRef name);
/// An error unless as many of the `heads` share each of the `groups`.
mlir::LogicalResult requireEqualGroups(NodeImport &node, int64_t heads, int64_t groups);
/// Reads the attribute `name`, the number of heads, and 'kv_num_heads', by how many they are shared.
mlir::LogicalResult readSharedHeads(NodeImport &node, llvm::StringRef name, int64_t &heads, int64_t &groups);
/// An error if one of some operands is there, or one of some attributes not 0.
mlir::LogicalResult refuse(NodeImport &node, llvm::ArrayRef<size_t> operands,
                           llvm::ArrayRef<llvm::StringRef> attributes);

/// Pairs of elements of `x` (B x N x S x H) turned by the angles of `cos` and `sin` (B x S x half); elements behind
/// twice `half` stay. Pairs are neighbours if `interleaved`, else an element of the first half and one of the second.
mlir::Value rotate(NodeImport &node, mlir::Value x, mlir::Value cos, mlir::Value sin, bool interleaved);

mlir::LogicalResult importGroupQueryAttention(NodeImport &node);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_ATTENTIONPARTS_H

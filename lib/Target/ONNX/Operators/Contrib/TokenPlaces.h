//===- Tokens with and without padding -----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_CONTRIB_TOKENPLACES_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_CONTRIB_TOKENPLACES_H

#include "../../NodeImport.h"

namespace dyn::onnx {

/// Where tokens (T x H) were before padding was removed, T numbers of places; `offsets` (B x S) begins with them.
mlir::Value findTokens(NodeImport &node, mlir::Value tokens, mlir::Value offsets);
/// Each token at its place, and zeros elsewhere: B x S x H.
mlir::Value restorePadding(NodeImport &node, mlir::Value tokens, mlir::Value offsets);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_CONTRIB_TOKENPLACES_H

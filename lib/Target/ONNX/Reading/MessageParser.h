//===- ONNX messages whose weights stay where they are ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_MESSAGEPARSER_H
#define DYN_LIB_TARGET_ONNX_MESSAGEPARSER_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

namespace onnx {
class ModelProto;
class TensorProto;
} // namespace onnx

namespace dyn::onnx {

/// The `raw_data` of tensors that have one byte in its place, as views into what was parsed.
using RawDataViews = llvm::DenseMap<::onnx::TensorProto *, llvm::StringRef>;

/// Parses a serialized model. With `views`, large raw data are not copied into the message, but go there. An error, and
/// a message that is of no use, if `bytes` are no model.
llvm::Error parseModel(llvm::StringRef bytes, ::onnx::ModelProto &message, RawDataViews *views);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_MESSAGEPARSER_H

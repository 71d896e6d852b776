//===- What ONNX's checker says of a model ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_READING_CHECKER_H
#define DYN_LIB_TARGET_ONNX_READING_CHECKER_H

#include "MessageParser.h"

namespace dyn::onnx {

/// The first thing that ONNX's checker objects to, in one line; empty if nothing. `views`: see parseModel. The message
/// is changed while the checker looks at it, and then put back.
std::string findObjection(::onnx::ModelProto &message, const RawDataViews &views, llvm::StringRef directory);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_READING_CHECKER_H

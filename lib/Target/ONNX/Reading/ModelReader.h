//===- From protobuf to Model ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_MODELREADER_H
#define DYN_LIB_TARGET_ONNX_MODELREADER_H

#include "../Model.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace onnx {
class FunctionProto;
} // namespace onnx

namespace dyn::onnx {

/// Reads a serialized model, which has to live as long as the result. What ONNX's checker finds goes to `findings`:
/// many files that fail it can be imported. It looks for external data in `directory`, and is not asked without
/// `findings`. Large weights stay where they are, unless `copiesWeights`; `completeMessage` copies them into the
/// message of the result.
llvm::Expected<std::unique_ptr<Model>> readModel(llvm::StringRef bytes, llvm::StringRef directory,
                                                 llvm::SmallVectorImpl<std::string> *findings, bool copiesWeights,
                                                 std::function<void()> &completeMessage);

/// Converts a function that ONNX defines. `model` keeps its bytes.
Function readFunction(const ::onnx::FunctionProto &message, Model &model);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_MODELREADER_H

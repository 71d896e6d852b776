//===- The window of a convolution -----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_CONVOLUTIONS_CONVOLUTIONWINDOW_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_CONVOLUTIONS_CONVOLUTIONWINDOW_H

#include "../../NodeImport.h"

namespace dyn::onnx {

/// What the attributes of a convolution say, with an entry for each spatial dim (two for pads).
struct Window {
  llvm::SmallVector<int64_t> kernel, strides, dilations, pads;
  std::string autoPad;
};

/// `defaultValue` so many times where the attribute is missing.
llvm::SmallVector<int64_t> getWindowAttribute(NodeImport &node, llvm::StringRef name, size_t length,
                                              int64_t defaultValue);
/// After an error where an entry means nothing; the node has failed then.
Window getWindow(NodeImport &node, size_t spatialRank);
/// The attribute kernel_shape says nothing that the filter does not, which is held to it.
void checkKernel(NodeImport &node, mlir::Value filter, const Window &window);
/// That of the filter or of the input.
int64_t getConvolutionRank(NodeImport &node);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_CONVOLUTIONS_CONVOLUTIONWINDOW_H

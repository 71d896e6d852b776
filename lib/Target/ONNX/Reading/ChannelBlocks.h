//===- Blocks of channels in optimized models ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_READING_CHANNELBLOCKS_H
#define DYN_LIB_TARGET_ONNX_READING_CHANNELBLOCKS_H

#include "../Model.h"

namespace dyn::onnx {

/// The operators for which onnxruntime puts blocks of channels together.
constexpr llvm::StringLiteral kBlockedDomain = "com.microsoft.nchwc";

/// How many channels, 8 or 16, stand together in the filters of the domain's convolutions. Files do not say it; nothing
/// where both fit all numbers of channels.
std::optional<int64_t> findChannelBlock(const Graph &graph);

/// The block that onnxruntime takes on this machine.
int64_t getOwnChannelBlock();

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_READING_CHANNELBLOCKS_H

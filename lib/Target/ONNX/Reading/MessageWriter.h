//===- From Model to protobuf ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_READING_MESSAGEWRITER_H
#define DYN_LIB_TARGET_ONNX_READING_MESSAGEWRITER_H

#include "../Model.h"
#include "onnx/onnx_pb.h"
#include <limits>

namespace dyn::onnx {

/// The node as ONNX's own functions read it. The bytes of tensors with more than `mostBytes` are left out.
::onnx::NodeProto writeNode(const Node &node, size_t mostBytes = std::numeric_limits<size_t>::max());
/// Without a name.
::onnx::TensorProto writeTensor(const Tensor &tensor, size_t mostBytes = std::numeric_limits<size_t>::max());

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_READING_MESSAGEWRITER_H

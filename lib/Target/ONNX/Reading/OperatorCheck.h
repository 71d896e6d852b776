//===- What of a model can't be imported, before anything is --------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORCHECK_H
#define DYN_LIB_TARGET_ONNX_OPERATORCHECK_H

#include "../OperatorRegistry.h"

namespace dyn::onnx {

/// Empty if the node's opset is one that operators are read by.
std::string findOpsetError(const Node &node);

/// All operators that stand in the way, those of graphs of nodes too, in one message; empty if there is none.
std::string findUnsupportedNodes(const Graph &graph, const OperatorRegistry &registry);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORCHECK_H

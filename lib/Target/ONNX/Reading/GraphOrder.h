//===- Functions inlined, nodes in order -------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_GRAPHORDER_H
#define DYN_LIB_TARGET_ONNX_GRAPHORDER_H

#include "../Model.h"
#include "llvm/Support/Error.h"

namespace dyn::onnx {

/// Replaces calls of model-local functions by their nodes. Fails for functions that call themselves and for models that
/// would become absurdly large.
llvm::Error inlineFunctions(Model &model);

/// Sorts the nodes so that each stands after those that it reads, otherwise in the order of the file, and puts those
/// that no output needs aside. In the graphs among their attributes these are dropped. Fails when a value has two
/// definitions or none, or nodes form a cycle.
llvm::Error orderNodes(Model &model);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_GRAPHORDER_H

//===- Passes that give tensors memory --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_MEMORY_PASSES_H
#define DYN_TRANSFORMS_MEMORY_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Transforms/Memory/Passes.h.inc"

/// Says how `dyn_shape.launch` and `dyn.constant` become ops on buffers. What runs `dyn-bufferize` needs this, and
/// upstream's models for `func` and `tensor`, which it adds too.
void registerBufferizableOpInterfaceModels(mlir::DialectRegistry &registry);

#define GEN_PASS_REGISTRATION
#include "dyn/Transforms/Memory/Passes.h.inc"

} // namespace dyn

#endif // DYN_TRANSFORMS_MEMORY_PASSES_H

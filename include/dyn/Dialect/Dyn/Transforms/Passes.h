//===- Passes on the dyn dialect -------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_TRANSFORMS_PASSES_H
#define DYN_DIALECT_DYN_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Dialect/Dyn/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Dialect/Dyn/Transforms/Passes.h.inc"

} // namespace dyn

#endif // DYN_DIALECT_DYN_TRANSFORMS_PASSES_H

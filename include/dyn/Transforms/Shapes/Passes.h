//===- Passes that find, state and check sizes ------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_SHAPES_PASSES_H
#define DYN_TRANSFORMS_SHAPES_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Transforms/Shapes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Transforms/Shapes/Passes.h.inc"

} // namespace dyn

#endif // DYN_TRANSFORMS_SHAPES_PASSES_H

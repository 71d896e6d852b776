//===- The waterline: from dyn to linalg and dyn_shape -----------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_DYNTOLINALG_PASSES_H
#define DYN_CONVERSION_DYNTOLINALG_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Conversion/DynToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Conversion/DynToLinalg/Passes.h.inc"

} // namespace dyn

#endif // DYN_CONVERSION_DYNTOLINALG_PASSES_H

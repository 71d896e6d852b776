//===- The host program of an artefact --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_HOSTTOLLVM_PASSES_H
#define DYN_CONVERSION_HOSTTOLLVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace dyn {

/// The names of the entry points that `dyn-lower-host` makes.
inline constexpr llvm::StringLiteral kCheckFunctionName = "dyn.check";
inline constexpr llvm::StringLiteral kRunFunctionName = "dyn.run";
inline constexpr llvm::StringLiteral kBuffersFunctionName = "dyn.buffers";
inline constexpr llvm::StringLiteral kScratchFunctionName = "dyn.scratch";
inline constexpr llvm::StringLiteral kArenaFunctionName = "dyn.arena";

#define GEN_PASS_DECL
#include "dyn/Conversion/HostToLLVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Conversion/HostToLLVM/Passes.h.inc"

} // namespace dyn

#endif // DYN_CONVERSION_HOSTTOLLVM_PASSES_H

//===- GPU modules to images ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_GPUTOBINARY_PASSES_H
#define DYN_CONVERSION_GPUTOBINARY_PASSES_H

#include "mlir/Pass/Pass.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Conversion/GPUToBinary/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Conversion/GPUToBinary/Passes.h.inc"

} // namespace dyn

#endif // DYN_CONVERSION_GPUTOBINARY_PASSES_H

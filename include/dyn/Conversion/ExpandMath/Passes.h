//===- Transcendental functions as arithmetic -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_EXPANDMATH_PASSES_H
#define DYN_CONVERSION_EXPANDMATH_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Conversion/ExpandMath/Passes.h.inc"

/// The patterns of `dyn-expand-math`. `vectorBits`: of the registers of the target; 0 if nothing is known of it.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns, unsigned vectorBits = 0);

#define GEN_PASS_REGISTRATION
#include "dyn/Conversion/ExpandMath/Passes.h.inc"

} // namespace dyn

#endif // DYN_CONVERSION_EXPANDMATH_PASSES_H

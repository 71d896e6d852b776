//===- Reductions whose parts can be combined -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_REDUCTIONS_H
#define DYN_CONVERSION_KERNELCODE_REDUCTIONS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace dyn::codegen {

/// A reduction of the form `out = out op x`, where `op` is associative and commutative (up to rounding) and `x` depends
/// on no output.
struct Reduction {
  mlir::Operation *combiner;
  mlir::vector::CombiningKind kind;
  /// x op identity == x
  mlir::TypedAttr identity;
};

/// The reduction into output number `output` of a linalg op with this body.
std::optional<Reduction> matchReduction(mlir::Block &body, unsigned numInputs, unsigned output);

/// Whether computing `value` in `body` reads a block argument from `firstOutput` on.
bool readsOutputs(mlir::Value value, mlir::Block &body, unsigned firstOutput);

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_REDUCTIONS_H

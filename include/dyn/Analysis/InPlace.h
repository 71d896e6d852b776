//===- Which tensors a kernel may write over --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_INPLACE_H
#define DYN_ANALYSIS_INPLACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {

/// Argument attribute (unit) of a kernel, after `dyn-compute-in-place`: a launch may pass the same memory for an input
/// and an output that have it. Without it, nothing that a kernel writes overlaps anything else.
inline constexpr llvm::StringLiteral kInPlaceAttrName{"dyn.in_place"};

/// Whether the output number `output` of `kernel` may lie where the tensor argument `input` lies, whatever code a
/// target makes of the kernel: each element is read only to compute the element at the same place, and that one is read
/// by nobody.
///
/// Worked example: of `@k(%x, %y, %out)`, whose body is one generic `%out[i, j] = %x[i, j] + %y[j, i]`, output 0 may
/// lie on `%x`, not on `%y`.
bool mayComputeInPlace(mlir::func::FuncOp kernel, unsigned input, unsigned output);

} // namespace dyn

#endif // DYN_ANALYSIS_INPLACE_H

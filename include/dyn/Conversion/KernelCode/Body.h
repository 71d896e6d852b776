//===- Bodies of linalg ops on scalars and vectors --------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_BODY_H
#define DYN_CONVERSION_KERNELCODE_BODY_H

#include "dyn/Conversion/KernelCode/KernelCode.h"

namespace dyn::codegen {

/// Says which op of the body cannot be lowered, if any.
llvm::LogicalResult verifyBody(mlir::Block &body);

/// What the body yields at `points`. `arguments` are the values of its block arguments, `loops` those of
/// `linalg.index`. What is the same at all points is computed once, as a scalar; reads through `tensor.extract` at
/// neighbouring addresses become vector loads.
llvm::SmallVector<Lanes> emitBody(KernelCode &kernel, mlir::Block &body, llvm::ArrayRef<Lanes> arguments,
                                  llvm::ArrayRef<Lanes> loops, const Points &points);

/// `dyn_shape.bound`, anywhere in a kernel: `index`, counted from the end if negative and `fromEnd`, or an index inside
/// if it is not below `limit`, after an error has been recorded.
Lanes emitBound(KernelCode &kernel, mlir::Operation *bound, const Lanes &index, const Lanes &limit,
                const Points &points);

/// Roughly how many instructions one point of the body takes.
int64_t estimateCost(mlir::Block &body);

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_BODY_H

//===- Which part of a dim a slice takes -------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_SLICEBOUNDS_H
#define DYN_ANALYSIS_SLICEBOUNDS_H

#include "dyn/Symbolic/Solver.h"

namespace dyn {

/// Is a bound INT_MAX or INT_MIN of 32 bits? ONNX recommends them for slices up to an end, whatever it is; of a dim
/// that is not known to be smaller they are places like others.
bool isEndOf32Bits(symbolic::Expr bound);

/// `size` places of a dim, the first at `offset`. Of an empty part the offset may lie just outside of the dim.
struct SliceBounds {
  symbolic::Expr offset, size;
};

/// The part of a dim of size `dim` that ONNX's Slice takes from `start` to `end`: negative bounds count from the end,
/// all are clamped. Nothing where a bound is null, where it may be negative or not and that matters, or where `step` is
/// 0.
std::optional<SliceBounds> getSliceBounds(symbolic::Expr dim, symbolic::Expr start, symbolic::Expr end, int64_t step,
                                          symbolic::Solver &solver);

} // namespace dyn

#endif // DYN_ANALYSIS_SLICEBOUNDS_H

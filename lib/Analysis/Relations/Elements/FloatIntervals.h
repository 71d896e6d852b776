//===- What sizes on the way through floats lie between ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_RELATIONS_FLOATINTERVALS_H
#define DYN_LIB_ANALYSIS_RELATIONS_FLOATINTERVALS_H

#include "dyn/Analysis/ShapeRelations.h"

namespace dyn::relations {

/// Bounds of the integers that the elements of a float tensor are cut to, where each is a finite number that follows
/// from sizes whose ranges have ends: no end is `floor(h * min(64 / h, 64 / w))`'s own, but all of these lie in 0..64
/// for h and w in 1..512. Null ends where that is not known.
Bounds getBoundsOfTruncated(ShapeRelations &relations, mlir::Value floats);

} // namespace dyn::relations

#endif // DYN_LIB_ANALYSIS_RELATIONS_FLOATINTERVALS_H

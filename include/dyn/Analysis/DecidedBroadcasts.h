//===- Broadcasts that later ops decide -----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// `x + y` repeats x, or y: the guard allows both. Where an op behind it needs the size
// of x, every run that ends well repeats y alone.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_DECIDEDBROADCASTS_H
#define DYN_ANALYSIS_DECIDEDBROADCASTS_H

#include "dyn/Analysis/ShapeAnalysis.h"

namespace dyn {

/// Requires at the start of the function which of two dims that broadcast is repeated, where the other guards of the
/// analysis decide it, so that another analysis infers what is between with that. True if there are such. Only of sizes
/// that inputs have: others may have other names then.
bool requireDecidedBroadcasts(mlir::FunctionOpInterface function, ShapeAnalysis &analysis);

} // namespace dyn

#endif // DYN_ANALYSIS_DECIDEDBROADCASTS_H

//===- What one pass over guards tells the next ------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_SHAPES_GUARDEDNEEDS_H
#define DYN_LIB_TRANSFORMS_SHAPES_GUARDEDNEEDS_H

#include "mlir/Pass/AnalysisManager.h"

namespace dyn {

/// An analysis whose presence is all that it says: whatever the ops of the function need of sizes has been proved from
/// its facts and guards. `dyn-infer-shapes` makes and preserves it; any pass that does not takes it away.
struct GuardedNeeds {
  explicit GuardedNeeds(mlir::Operation *) {}
};

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_SHAPES_GUARDEDNEEDS_H

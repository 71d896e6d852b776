//===- Branches that the ops behind them decide ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Exporters write `squeeze` as an If: without the dim where it is 1, with it
// elsewhere. Often the ops behind take one of the two ranks only, so that every run
// that ends well takes the same branch.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_FORCEDBRANCHES_H
#define DYN_ANALYSIS_FORCEDBRANCHES_H

#include "dyn/Analysis/ShapeAnalysis.h"

namespace dyn {

/// Might findForcedBranches() find something? Costs little where there are no branches.
bool mayHaveForcedBranches(mlir::FunctionOpInterface function);

/// Of branches that give different ranks, and that sizes choose among: those of which each is tried, and one alone does
/// not contradict what stands behind it. `prepare` is called for each analysis before it runs.
ForcedBranches findForcedBranches(mlir::FunctionOpInterface function,
                                  llvm::function_ref<void(ShapeAnalysis &)> prepare = {});

/// Adds the branches of which the other one, as the analysis found, gives sizes that do not fit what stands behind it.
/// True if there are some, so that another analysis may know more.
bool addFittingBranches(mlir::FunctionOpInterface function, ShapeAnalysis &analysis, ForcedBranches &forced);

} // namespace dyn

#endif // DYN_ANALYSIS_FORCEDBRANCHES_H

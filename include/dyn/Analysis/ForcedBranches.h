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

/// Of branches that give different ranks, and that sizes choose among: those of which each is tried, and one alone does
/// not contradict what stands behind it. `prepare` is called for each analysis before it runs. Costs little where
/// there are no such branches.
ForcedBranches findForcedBranches(mlir::FunctionOpInterface function,
                                  llvm::function_ref<void(ShapeAnalysis &)> prepare = {});

/// Adds to `forced` the branches of which the other one, as `analysis` found, gives sizes that do not fit what stands
/// behind it, and calls `analyze`, which puts an analysis with these in the place of that one; again and again, until
/// there are no more. Fails where `analyze` does.
mlir::LogicalResult forceFittingBranches(mlir::FunctionOpInterface function,
                                         const std::unique_ptr<ShapeAnalysis> &analysis, ForcedBranches &forced,
                                         llvm::function_ref<mlir::LogicalResult()> analyze);

} // namespace dyn

#endif // DYN_ANALYSIS_FORCEDBRANCHES_H

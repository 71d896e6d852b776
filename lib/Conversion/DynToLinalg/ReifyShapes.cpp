//===- dyn-reify-shapes: the waterline ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "dyn/Conversion/DynToLinalg/Passes.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dyn {
#define GEN_PASS_DEF_REIFYSHAPESPASS
#include "dyn/Conversion/DynToLinalg/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {
class ReifyShapesPass : public dyn::impl::ReifyShapesPassBase<ReifyShapesPass> {
  using ReifyShapesPassBase::ReifyShapesPassBase;

  void runOnOperation() override {
    LoweringTable table;
    addElementwiseLowerings(table);
    addContractionLowerings(table);
    addRecurrenceLowerings(table);
    addReductionLowerings(table);
    addRegionLowerings(table);
    addDataMovementLowerings(table);
    addPaddingLowerings(table);
    addIndexingLowerings(table);
    addLoopLowerings(table);
    addSelectionLowerings(table, sortRows);
    addWindowLowerings(table);
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal())
        continue;
      symbolic::SymbolicContext context;
      if (failed(FunctionReifier(function, context).run(table)))
        return signalPassFailure();
    }
  }
};
} // namespace

//===- Loops whose number of trips is known -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/ThreadDiagnostics.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "dyn/Transforms/Shapes/UnrollLoop.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {
#define GEN_PASS_DEF_UNROLLLOOPSPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {
struct UnrollLoops : dyn::impl::UnrollLoopsPassBase<UnrollLoops> {
  using UnrollLoopsPassBase::UnrollLoopsPassBase;

  void runOnOperation() override;

private:
  /// Unrolls all loops of which as much is known now; whether there was one.
  bool unrollKnown();
};

} // namespace

bool UnrollLoops::unrollKnown() {
  func::FuncOp function = getOperation();
  ShapeAnalysis analysis(function, ShapeAnalysis::Mode::Partial);
  {
    // Inference reports what it finds.
    ThreadDiagnostics silence(&getContext());
    if (failed(analysis.run()))
      return false;
  }
  bool changed = false;
  function.getBody().walk([&](LoopOp op) {
    std::optional<int64_t> trips = analysis.getKnownTrips(op);
    if (!trips || !mayUnrollLoop(op, *trips, maxOps))
      return;
    unrollLoop(op, *trips);
    ++numUnrolled;
    changed = true;
  });
  return changed;
}

void UnrollLoops::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration() || !function.getBody().hasOneBlock())
    return;
  // The number of trips of a loop may depend on the trip of the one around it.
  auto hasLoop = [&] {
    return function.getBody().walk([](LoopOp) { return WalkResult::interrupt(); }).wasInterrupted();
  };
  bool changed = false;
  while (hasLoop() && unrollKnown())
    changed = true;
  if (changed)
    function.setFunctionType(FunctionType::get(&getContext(), function.getArgumentTypes(),
                                               function.front().getTerminator()->getOperandTypes()));
}

//===- Kernels that are one loop nest -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelForm.h"
#include "Nest.h"

using namespace mlir;
using namespace dyn::cpu;

SmallVector<linalg::LinalgOp> dyn::cpu::getStages(func::FuncOp kernel) {
  SmallVector<linalg::LinalgOp> stages;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
    if (!isReductionStart(op))
      stages.push_back(op);
  return stages;
}

namespace {

class NestKernel : public KernelForm {
public:
  NestKernel(linalg::LinalgOp main, linalg::GenericOp epilogue) : main(main), epilogue(epilogue) {}

  void emitRun(KernelCode &kernel) override {
    Nest(kernel, FusedOps{{}, main, epilogue}).emitItems(kernel.begin, kernel.end);
  }
  Value emitCount(KernelCode &kernel) override { return Nest(kernel, FusedOps{{}, main, epilogue}).emitItemCount(); }
  Value emitItemCost(KernelCode &kernel) override { return Nest(kernel, FusedOps{{}, main, epilogue}).emitCost(); }

private:
  linalg::LinalgOp main;
  linalg::GenericOp epilogue;
};

} // namespace

static bool writesArguments(linalg::LinalgOp op) {
  return llvm::all_of(op.getDpsInitsMutable(), [](OpOperand &init) {
    auto fill = init.get().getDefiningOp<linalg::FillOp>();
    return isa<BlockArgument>(fill && isReductionStart(fill) ? fill.output() : init.get());
  });
}

/// Whether `op` reads the only result of `producer` at its own point only and needs no other value of it.
static bool isEpilogueOf(linalg::GenericOp op, linalg::LinalgOp producer) {
  if (!op || producer->getNumResults() != 1 || !producer->getResult(0).hasOneUse() || op.getNumReductionLoops())
    return false;
  OpOperand &use = *producer->getResult(0).use_begin();
  return use.getOwner() == op && op.isDpsInput(&use) && op.getMatchingIndexingMap(&use).isIdentity();
}

std::unique_ptr<KernelForm> dyn::cpu::matchNestKernel(func::FuncOp kernel) {
  SmallVector<linalg::LinalgOp> stages = getStages(kernel);
  auto form = [](linalg::LinalgOp main, linalg::GenericOp epilogue) -> std::unique_ptr<KernelForm> {
    if (std::unique_ptr<KernelForm> tiled = formTiledKernel(main, epilogue))
      return tiled;
    return std::make_unique<NestKernel>(main, epilogue);
  };
  if (stages.size() == 1 && writesArguments(stages[0]))
    return form(stages[0], linalg::GenericOp());
  if (stages.size() != 2 || !writesArguments(stages[1]))
    return nullptr;
  auto epilogue = dyn_cast<linalg::GenericOp>(*stages[1]);
  if (!isEpilogueOf(epilogue, stages[0]))
    return nullptr;
  return form(stages[0], epilogue);
}

//===- Kernels that are one loop nest -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelForm.h"
#include "dyn/Conversion/KernelCode/KernelStructure.h"
#include "dyn/Conversion/KernelCode/Nest.h"

using namespace mlir;
using namespace dyn::cpu;

namespace {

class NestKernel : public KernelForm {
public:
  NestKernel(linalg::LinalgOp main, linalg::GenericOp epilogue) : main(main), epilogue(epilogue) {}

  void emitRun(CPUKernelCode &kernel) override {
    Nest(kernel, FusedOps{{}, main, epilogue}).emitItems(kernel.begin, kernel.end);
  }
  Value emitCount(CPUKernelCode &kernel) override { return Nest(kernel, FusedOps{{}, main, epilogue}).emitItemCount(); }
  Value emitItemCost(CPUKernelCode &kernel) override { return Nest(kernel, FusedOps{{}, main, epilogue}).emitCost(); }

private:
  linalg::LinalgOp main;
  linalg::GenericOp epilogue;
};

} // namespace

std::unique_ptr<KernelForm> dyn::cpu::matchNestKernel(func::FuncOp kernel) {
  std::optional<FusedOps> ops = matchSingleNest(kernel);
  if (!ops)
    return nullptr;
  if (std::unique_ptr<KernelForm> tiled = formTiledKernel(ops->main, ops->epilogue))
    return tiled;
  return std::make_unique<NestKernel>(ops->main, ops->epilogue);
}

//===- Kernels whose threads compute one point each -----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelForm.h"
#include "dyn/Conversion/KernelCode/Concatenation.h"

using namespace mlir;
using namespace dyn::gpu;

namespace {

class PointKernel : public GPUKernelForm {
public:
  explicit PointKernel(const FusedOps &ops) : ops(ops) {}

  void emit(GPUKernelCode &kernel) override {
    Nest nest(kernel, ops);
    kernel.forEachInGrid(nest.emitItemCount(), [&](Value item) { nest.emitItem(item); });
  }

  Value emitBlockCount(KernelCode &launch) override {
    return launch.code.ceilDiv(Nest(launch, ops).emitItemCount(), getThreads());
  }

private:
  FusedOps ops;
};

/// Every thread copies or computes elements of each piece.
class ConcatKernel : public GPUKernelForm {
public:
  explicit ConcatKernel(Concatenation concatenation) : concatenation(std::move(concatenation)) {}

  void emit(GPUKernelCode &kernel) override {
    for (tensor::InsertSliceOp piece : concatenation.pieces) {
      PieceWriter writer(kernel, piece, concatenation.axis);
      kernel.forEachInGrid(writer.emitElementCount(), [&](Value element) { writer.emitElement(element); });
    }
  }

  Value emitBlockCount(KernelCode &launch) override {
    TensorMemory &target = launch.memoryOf(concatenation.pieces.front().getDest());
    return launch.code.ceilDiv(launch.code.product(target.dims), getThreads());
  }

private:
  Concatenation concatenation;
};

} // namespace

std::unique_ptr<GPUKernelForm> dyn::gpu::matchPointKernel(func::FuncOp kernel) {
  std::optional<FusedOps> ops = matchSingleNest(kernel);
  return ops ? std::make_unique<PointKernel>(*ops) : nullptr;
}

std::unique_ptr<GPUKernelForm> dyn::gpu::matchConcatKernel(func::FuncOp kernel) {
  std::optional<Concatenation> concatenation = matchConcatenation(kernel);
  return concatenation ? std::make_unique<ConcatKernel>(std::move(*concatenation)) : nullptr;
}

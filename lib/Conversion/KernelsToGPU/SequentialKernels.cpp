//===- Kernels that one thread runs in program order ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelForm.h"
#include "dyn/Conversion/KernelCode/ProgramOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn::gpu;

/// Temporaries live in shared memory, of which every device has this much.
static constexpr int64_t maxTemporaryBytes = 32 * 1024;

namespace {

class SequentialKernel : public GPUKernelForm {
public:
  explicit SequentialKernel(func::FuncOp function) : function(function) {}

  int64_t getThreads() const override { return 1; }

  void emit(GPUKernelCode &kernel) override {
    for (auto temporary : function.getBody().front().getOps<tensor::EmptyOp>()) {
      TensorMemory &memory = kernel.memoryOf(temporary.getResult());
      int64_t bytes = temporary.getType().getNumElements() * getStoredBytes(memory.elementType);
      memory.base = kernel.allocateSharedBytes(std::max<int64_t>(bytes, 1));
    }
    Code &code = kernel.code;
    Value isFirst =
        arith::CmpIOp::create(code.builder, code.loc, arith::CmpIPredicate::eq, kernel.block, code.index(0));
    code.ifThen(code.both(isFirst, code.isLess(code.index(0), emitIsWork(kernel))), [&] { emitInOrder(kernel); });
  }

  Value emitBlockCount(KernelCode &launch) override { return emitIsWork(launch); }

private:
  func::FuncOp function;
};

} // namespace

/// Refuses temporaries that shared memory cannot hold.
static LogicalResult verifyTemporaries(func::FuncOp kernel) {
  int64_t bytes = 0;
  for (auto temporary : kernel.getBody().front().getOps<tensor::EmptyOp>()) {
    RankedTensorType type = temporary.getType();
    if (!type.hasStaticShape())
      return temporary.emitOpError("needs working memory whose size depends on symbols, in a kernel that runs in "
                                   "program order; there is none on the device");
    int64_t padded = llvm::alignTo(type.getNumElements() * getStoredBytes(type.getElementType()), 8);
    bytes += padded;
    if (padded > maxTemporaryBytes || bytes > maxTemporaryBytes)
      return temporary.emitOpError("needs more working memory than the ")
             << maxTemporaryBytes << " bytes that a kernel in program order has on the device";
  }
  return success();
}

std::unique_ptr<GPUKernelForm> dyn::gpu::matchSequentialKernel(func::FuncOp kernel) {
  if (failed(verifySequential(kernel.getBody().front())) || failed(verifyTemporaries(kernel)))
    return nullptr;
  return std::make_unique<SequentialKernel>(kernel);
}

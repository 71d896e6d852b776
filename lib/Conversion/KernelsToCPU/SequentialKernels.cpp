//===- Kernels that run in program order, and concatenations ------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelForm.h"
#include "dyn/Conversion/KernelCode/Concatenation.h"
#include "dyn/Conversion/KernelCode/ProgramOrder.h"

using namespace mlir;
using namespace dyn::cpu;

namespace {

/// The items of the pieces, one piece after the other.
class ConcatKernel : public KernelForm {
public:
  ConcatKernel(ArrayRef<tensor::InsertSliceOp> pieces, std::optional<unsigned> axis) : pieces(pieces), axis(axis) {}

  void emitRun(CPUKernelCode &kernel) override {
    Code &code = kernel.code;
    Value start = code.index(0);
    for (tensor::InsertSliceOp piece : pieces) {
      PieceWriter writer(kernel, piece, axis);
      Value count = writer.emitItemCount();
      Value lower = code.max(code.sub(kernel.begin, start), code.index(0));
      Value upper = code.min(code.sub(kernel.end, start), count);
      writer.emitItems(lower, upper);
      start = code.add(start, count);
    }
  }

  Value emitCount(CPUKernelCode &kernel) override {
    Value count = kernel.code.index(0);
    for (tensor::InsertSliceOp piece : pieces)
      count = kernel.code.add(count, PieceWriter(kernel, piece, axis).emitItemCount());
    return count;
  }

  Value emitItemCost(CPUKernelCode &kernel) override {
    // Of an average item.
    Code &code = kernel.code;
    Value cost = code.index(0), count = code.index(0);
    for (tensor::InsertSliceOp piece : pieces) {
      PieceWriter writer(kernel, piece, axis);
      cost = code.add(cost, writer.emitCost());
      count = code.add(count, writer.emitItemCount());
    }
    return code.div(cost, code.max(count, code.index(1)));
  }

private:
  SmallVector<tensor::InsertSliceOp> pieces;
  std::optional<unsigned> axis;
};

/// One item that runs the kernel's ops in their order.
class SequentialKernel : public KernelForm {
public:
  explicit SequentialKernel(func::FuncOp function) : function(function) {}

  void emitRun(CPUKernelCode &kernel) override {
    Value isMine = kernel.code.isLess(kernel.begin, kernel.end);
    kernel.code.ifThen(isMine, [&] { kernel.withTemporaries(getTemporaries(), [&] { emitInOrder(kernel); }); });
  }

  Value emitCount(CPUKernelCode &kernel) override { return emitIsWork(kernel); }

  Value emitItemCost(CPUKernelCode &kernel) override { return kernel.code.index(1); }

  Value emitScratchBytes(CPUKernelCode &kernel) override { return kernel.emitScratchBytes(getTemporaries()); }

private:
  SmallVector<tensor::EmptyOp> getTemporaries() {
    return llvm::to_vector(function.getBody().front().getOps<tensor::EmptyOp>());
  }

  func::FuncOp function;
};

} // namespace

std::unique_ptr<KernelForm> dyn::cpu::matchConcatKernel(func::FuncOp kernel) {
  std::optional<Concatenation> pieces = matchConcatenation(kernel);
  if (!pieces)
    return nullptr;
  return std::make_unique<ConcatKernel>(pieces->pieces, pieces->axis);
}

std::unique_ptr<KernelForm> dyn::cpu::matchSequentialKernel(func::FuncOp kernel) {
  if (failed(verifySequential(kernel.getBody().front())))
    return nullptr;
  return std::make_unique<SequentialKernel>(kernel);
}

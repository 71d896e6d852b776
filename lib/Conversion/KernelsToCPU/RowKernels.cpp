//===- Kernels on rows --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelForm.h"
#include "Nest.h"

using namespace mlir;
using namespace dyn::cpu;

namespace {

/// An item is a row; its temporaries are small enough to stay in the cache while the ops run over it one after another.
class RowKernel : public KernelForm {
public:
  RowKernel(func::FuncOp function, unsigned rows) : function(function), stages(getStages(function)), rows(rows) {}

  unsigned getRows() const override { return rows; }

  void emitRun(KernelCode &kernel) override {
    Code &code = kernel.code;
    auto temporaries = llvm::to_vector(function.getBody().front().getOps<tensor::EmptyOp>());
    kernel.withTemporaries(temporaries, [&] {
      std::vector<Nest> nests = formNests(kernel);
      SmallVector<Value> extents = getRowExtents(kernel);
      code.forLoop(kernel.begin, kernel.end, [&](Value item) {
        SmallVector<Value> row = code.delinearize(item, extents);
        for (Nest &nest : nests)
          nest.emitAll(row);
      });
    });
  }

  Value emitCount(KernelCode &kernel) override { return kernel.code.product(getRowExtents(kernel)); }

  Value emitItemCost(KernelCode &kernel) override {
    Value cost = kernel.code.index(0);
    for (Nest &nest : formNests(kernel))
      cost = kernel.code.add(cost, nest.emitCost());
    return cost;
  }

private:
  std::vector<Nest> formNests(KernelCode &kernel) {
    std::vector<Nest> nests;
    nests.reserve(stages.size());
    for (linalg::LinalgOp stage : stages)
      nests.emplace_back(kernel, stage, rows);
    return nests;
  }

  /// From a written argument: its first dims are the rows.
  SmallVector<Value> getRowExtents(KernelCode &kernel) {
    Value output = function.getArguments().back();
    return llvm::to_vector(ArrayRef(kernel.memoryOf(output).dims).take_front(rows));
  }

  func::FuncOp function;
  SmallVector<linalg::LinalgOp> stages;
  unsigned rows;
};

} // namespace

std::unique_ptr<KernelForm> dyn::cpu::matchRowKernel(func::FuncOp kernel) {
  auto rows = kernel->getAttrOfType<IntegerAttr>("dyn.rows");
  if (!rows || rows.getInt() < 0 || kernel.getNumArguments() == 0)
    return nullptr;
  auto output = dyn_cast<RankedTensorType>(kernel.getArgumentTypes().back());
  if (!output || output.getRank() < rows.getInt())
    return nullptr;
  // What is written is indexed with the rows in its first dims.
  for (linalg::LinalgOp stage : getStages(kernel)) {
    if (stage.getNumParallelLoops() < rows.getInt())
      return nullptr;
    for (OpOperand &init : stage.getDpsInitsMutable()) {
      AffineMap map = stage.getMatchingIndexingMap(&init);
      for (unsigned d = 0; d < rows.getInt(); ++d)
        if (map.getNumResults() <= d || map.getResult(d) != getAffineDimExpr(d, map.getContext()))
          return nullptr;
    }
  }
  return std::make_unique<RowKernel>(kernel, rows.getInt());
}

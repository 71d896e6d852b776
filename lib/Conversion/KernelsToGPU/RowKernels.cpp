//===- Kernels whose blocks compute rows ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelForm.h"
#include "RowStages.h"
#include "dyn/Conversion/KernelCode/Reductions.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"

using namespace mlir;
using namespace dyn::gpu;

/// Rows of no more elements are computed by a warp each, which needs no barriers; if there are many, also longer ones.
static constexpr int64_t shortRow = 256, mediumRow = 1024, manyRows = 4096;
/// Rows of so many are computed by the largest block that there is if there are few: else most of the device idles.
static constexpr int64_t longRow = 8192, fewRows = 256;
static constexpr int64_t usualThreads = 256, mostThreads = 1024;

namespace {

class RowKernel : public GPUKernelForm {
public:
  enum class Group { warp, block, largeBlock };

  RowKernel(func::FuncOp function, unsigned rows) : RowKernel(function, rows, Group::block) {
    if (std::optional<int64_t> size = getKnownSize(); size && *size <= shortRow)
      group = Group::warp;
  }

  RowKernel(func::FuncOp function, unsigned rows, Group group)
      : function(function), stages(getStages(function)), rows(rows), group(group) {}

  SmallVector<std::unique_ptr<GPUKernelForm>> getVariants() const override {
    SmallVector<std::unique_ptr<GPUKernelForm>> variants;
    std::optional<int64_t> size = getKnownSize();
    if (!size || (*size > shortRow && *size <= mediumRow))
      variants.push_back(std::make_unique<RowKernel>(function, rows, Group::warp));
    if (!size || *size >= longRow)
      variants.push_back(std::make_unique<RowKernel>(function, rows, Group::largeBlock));
    return variants;
  }

  StringRef getName() const override { return group == Group::warp ? "short" : "long"; }

  Value emitCondition(KernelCode &launch) override {
    Code &code = launch.code;
    Value size = RowStages::emitRowSize(launch, stages, rows);
    if (group == Group::warp) {
      Value isMedium = code.both(code.isLess(size, code.index(mediumRow + 1)),
                                 code.isLess(code.index(manyRows - 1), emitRowCount(launch)));
      return code.either(code.isLess(size, code.index(shortRow + 1)), isMedium);
    }
    return code.both(code.isLess(code.index(longRow - 1), size),
                     code.isLess(emitRowCount(launch), code.index(fewRows)));
  }

  unsigned getRows() const override { return rows; }

  int64_t getThreads() const override { return group == Group::largeBlock ? mostThreads : usualThreads; }

  void emit(GPUKernelCode &kernel) override {
    if (group == Group::warp)
      kernel.divideIntoWarps();
    RowStages row(kernel, stages, rows);
    SmallVector<Value> extents = getRowExtents(kernel);
    kernel.forEachBlock(kernel.code.product(extents),
                        [&](Value number) { row.emitRow(kernel.code.delinearize(number, extents)); });
  }

  Value emitBlockCount(KernelCode &launch) override {
    Value count = emitRowCount(launch);
    return group == Group::warp ? launch.code.ceilDiv(count, usualThreads / warpSize) : count;
  }

private:
  std::optional<int64_t> getKnownSize() const { return RowStages::getRowSize(stages, rows); }

  Value emitRowCount(KernelCode &launch) { return launch.code.product(getRowExtents(launch)); }

  /// From what the first op writes: its map says which dims are the rows.
  SmallVector<Value> getRowExtents(KernelCode &kernel) {
    linalg::LinalgOp op = stages.front();
    OpOperand *output = op.getDpsInitOperand(0);
    TensorMemory &memory = kernel.memoryOf(output->get());
    SmallVector<Value> extents(rows);
    for (auto [expr, dim] : llvm::zip_equal(op.getMatchingIndexingMap(output).getResults(), memory.dims))
      if (unsigned loop = cast<AffineDimExpr>(expr).getPosition(); loop < rows)
        extents[loop] = dim;
    return extents;
  }

  func::FuncOp function;
  SmallVector<linalg::LinalgOp> stages;
  unsigned rows;
  Group group;
};

} // namespace

/// Whether the first `rows` loops are the first dims of what each op writes, and no op reads a tensor that the kernel
/// writes in a way that `RowStages` does not see.
static bool isOfRows(func::FuncOp kernel, unsigned rows) {
  SmallVector<linalg::LinalgOp> stages = getStages(kernel);
  for (linalg::LinalgOp stage : stages) {
    if (stage.getNumParallelLoops() < rows)
      return false;
    SmallVector<utils::IteratorType> kinds = stage.getIteratorTypesArray();
    for (unsigned loop = 0; loop < stage.getNumParallelLoops(); ++loop)
      if (kinds[loop] != utils::IteratorType::parallel)
        return false;
    for (OpOperand &init : stage.getDpsInitsMutable()) {
      AffineMap map = stage.getMatchingIndexingMap(&init);
      for (unsigned d = 0; d < rows; ++d)
        if (map.getNumResults() <= d || map.getResult(d) != getAffineDimExpr(d, map.getContext()))
          return false;
      // A reduction starts with what an op computed.
      if (stage.getNumReductionLoops() && !init.get().getDefiningOp<linalg::LinalgOp>())
        return false;
    }
    for (Value input : stage.getDpsInputs())
      if (isa<RankedTensorType>(input.getType()) && !isa<BlockArgument>(input) &&
          !input.getDefiningOp<linalg::LinalgOp>())
        return false;
    // Elements read at computed indices must be in memory.
    WalkResult reads = stage->walk([](tensor::ExtractOp extract) {
      return isa<BlockArgument>(extract.getTensor()) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (reads.wasInterrupted())
      return false;
  }
  // Other ops on tensors are of no row.
  return !stages.empty() && llvm::all_of(kernel.getBody().front(), [](Operation &op) {
    return isa<linalg::LinalgOp, tensor::EmptyOp, tensor::DimOp, func::ReturnOp>(op) || op.getNumRegions() == 0;
  });
}

std::unique_ptr<GPUKernelForm> dyn::gpu::matchRowKernel(func::FuncOp kernel) {
  auto rows = kernel->getAttrOfType<IntegerAttr>("dyn.rows");
  if (!rows || rows.getInt() < 0 || !isOfRows(kernel, rows.getInt()))
    return nullptr;
  return std::make_unique<RowKernel>(kernel, rows.getInt());
}

std::unique_ptr<GPUKernelForm> dyn::gpu::matchReductionKernel(func::FuncOp kernel) {
  std::optional<FusedOps> ops = matchSingleNest(kernel);
  if (!ops || ops->main.getNumReductionLoops() == 0 || ops->main.getNumDpsInputs() == 0)
    return nullptr;
  // Neighbouring threads should read neighbouring elements: where those belong to other points, each thread computes a
  // point of its own.
  linalg::LinalgOp main = ops->main;
  AffineMap map = main.getMatchingIndexingMap(main.getDpsInputOperand(0));
  SmallVector<utils::IteratorType> kinds = main.getIteratorTypesArray();
  auto last = map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : AffineDimExpr(nullptr);
  if (!last || kinds[last.getPosition()] != utils::IteratorType::reduction)
    return nullptr;
  if (!matchSelection(*main.getBlock(), main.getNumDpsInputs()))
    for (unsigned output = 0; output < main.getNumDpsInits(); ++output)
      if (!matchReduction(*main.getBlock(), main.getNumDpsInputs(), output))
        return nullptr;
  unsigned rows = main.getNumParallelLoops();
  return isOfRows(kernel, rows) ? std::make_unique<RowKernel>(kernel, rows) : nullptr;
}

//===- Kernels on rows --------------------------------------------------------===//
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

/// An item is a row; its temporaries are small enough to stay in the cache while the ops run over it one after another.
class RowKernel : public KernelForm {
public:
  RowKernel(func::FuncOp function, unsigned rows) : function(function), rows(rows) {
    for (linalg::LinalgOp stage : getStages(function))
      if (!join(stage))
        groups.push_back(FusedOps{{}, stage, {}});
  }

  unsigned getRows() const override { return rows; }

  void emitRun(CPUKernelCode &kernel) override {
    Code &code = kernel.code;
    kernel.withTemporaries(getTemporaries(), [&] {
      std::vector<Nest> nests = formNests(kernel);
      // The first run over a row waits for memory. During the second one, when the row lies in the cache, the next
      // comes.
      for (Nest &nest : llvm::drop_begin(nests))
        if (nest.lookAhead())
          break;
      SmallVector<Value> extents = getRowExtents(kernel);
      code.forLoop(kernel.begin, kernel.end, [&](Value item) {
        SmallVector<Value> row = code.delinearize(item, extents);
        for (Nest &nest : nests)
          nest.emitAll(row);
      });
    });
  }

  Value emitCount(CPUKernelCode &kernel) override { return kernel.code.product(getRowExtents(kernel)); }

  Value emitItemCost(CPUKernelCode &kernel) override {
    Value cost = kernel.code.index(0);
    for (Nest &nest : formNests(kernel))
      cost = kernel.code.add(cost, nest.emitCost());
    return cost;
  }

  Value emitScratchBytes(CPUKernelCode &kernel) override { return kernel.emitScratchBytes(getTemporaries()); }

private:
  std::vector<Nest> formNests(CPUKernelCode &kernel) {
    std::vector<Nest> nests;
    nests.reserve(groups.size());
    for (const FusedOps &group : groups)
      nests.emplace_back(kernel, group, rows);
    return nests;
  }

  /// Puts `stage` into the loops of those before it, if it can run there.
  bool join(linalg::LinalgOp stage) {
    if (groups.empty() || groups.back().main.getNumReductionLoops())
      return false;
    auto last = dyn_cast<linalg::GenericOp>(*groups.back().main);
    if (!last)
      return false;
    SmallVector<linalg::GenericOp> prologue = groups.back().prologue;
    prologue.push_back(last);
    if (!mapPrologueLoops(prologue, stage))
      return false;
    groups.back() = FusedOps{prologue, stage, {}};
    return true;
  }

  /// Tensors that are not only read where they are computed.
  SmallVector<tensor::EmptyOp> getTemporaries() {
    llvm::SmallDenseSet<Operation *> unneeded;
    for (const FusedOps &group : groups)
      for (linalg::GenericOp op : group.prologue)
        for (auto [result, init] : llvm::zip_equal(op.getResults(), op.getDpsInits()))
          if (llvm::all_of(result.getUsers(), [&](Operation *user) {
                return user == group.main || llvm::is_contained(group.prologue, user);
              }))
            unneeded.insert(init.getDefiningOp());
    SmallVector<tensor::EmptyOp> needed;
    for (auto empty : function.getBody().front().getOps<tensor::EmptyOp>())
      if (!unneeded.contains(empty) || !empty->hasOneUse())
        needed.push_back(empty);
    return needed;
  }

  /// From a written argument: its first dims are the rows.
  SmallVector<Value> getRowExtents(CPUKernelCode &kernel) {
    Value output = function.getArguments().back();
    return llvm::to_vector(ArrayRef(kernel.memoryOf(output).dims).take_front(rows));
  }

  func::FuncOp function;
  /// What runs over a row, one after another.
  SmallVector<FusedOps, 0> groups;
  unsigned rows;
};

} // namespace

/// Is a row so short, as a window of a pool is, that there is more to gain from a row of rows, which vectors run along?
/// Two loops at least remain for items.
static bool areRowsShort(func::FuncOp kernel, unsigned rows) {
  constexpr int64_t longest = 64;
  unsigned numReducing = 0;
  int64_t length = 1;
  for (linalg::LinalgOp stage : getStages(kernel)) {
    if (stage.getNumReductionLoops() == 0)
      continue;
    ++numReducing;
    for (auto [range, kind] : llvm::zip_equal(stage.getStaticLoopRanges(), stage.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction)
        length = ShapedType::isDynamic(range) ? longest + 1 : length * std::min(range, longest + 1);
  }
  return rows > 2 && numReducing == 1 && length <= longest;
}

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
  auto count = static_cast<unsigned>(rows.getInt());
  return std::make_unique<RowKernel>(kernel, areRowsShort(kernel, count) ? count - 1 : count);
}

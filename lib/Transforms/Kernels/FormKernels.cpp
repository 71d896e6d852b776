//===- dyn-form-kernels: kernels and their launches ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AttentionFusion.h"
#include "KernelFusion.h"
#include "ProducerInlining.h"
#include "UnitLoops.h"
#include "Views/ConcatOrder.h"
#include "Views/LoopSplitting.h"
#include "Views/PieceMaps.h"
#include "Views/RepeatedOperands.h"
#include "Views/ViewHoisting.h"
#include "dyn/Transforms/Kernels/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

namespace dyn {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "dyn/Transforms/Kernels/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

/// Erases what nobody uses, from the end.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// A generic that writes `inputs`' elements, or the scalar that a fill writes, to a destination of its own.
static Value createCopy(OpBuilder &b, Location loc, Value tensor, ArrayRef<OpFoldResult> sizes, Value scalar) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  SmallVector<Value> inputs;
  if (!scalar)
    inputs.push_back(tensor);
  SmallVector<AffineMap> maps(inputs.size() + 1, identity);
  return linalg::GenericOp::create(b, loc, TypeRange{type}, inputs, empty, maps, iterators,
                                   [&](OpBuilder &b, Location loc, ValueRange elements) {
                                     linalg::YieldOp::create(b, loc, scalar ? scalar : elements.front());
                                   })
      .getResult(0);
}

/// A fill whose result is read becomes a generic; as a destination every kernel makes its own.
static void separateFills(Block &block) {
  for (auto fill : llvm::make_early_inc_range(block.getOps<linalg::FillOp>())) {
    if (isDestinationOnly(fill))
      continue;
    OpBuilder b(fill);
    auto empty = fill.getOutputs().front().getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      continue;
    Value copy = createCopy(b, fill.getLoc(), fill.getResult(0), empty.getMixedSizes(), fill.getInputs().front());
    fill.getResult(0).replaceUsesWithIf(copy, [](OpOperand &use) {
      auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      return !destinationStyle || !destinationStyle.isDpsInit(&use);
    });
  }
}

/// What a view shows.
static Value getViewed(Value value) {
  while (isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Copies what main returns unless a kernel writes it, for this place alone.
static void separateResults(func::FuncOp function, SizeFinder &sizes) {
  Operation *terminator = function.front().getTerminator();
  OpBuilder b(terminator);
  llvm::SmallPtrSet<Value, 4> returned;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    Value viewed = getViewed(value);
    Operation *op = viewed.getDefiningOp();
    if (op && !staysOnHost(op) && returned.insert(viewed).second)
      continue;
    operand.set(createCopy(b, terminator->getLoc(), value, sizes.materialize(b, value), Value()));
  }
}

/// Does a loop compute tensors in each trip, and no elements of them?
static bool hasTensorOps(scf::ForOp loop) {
  return !loop.getBody()->getOps<linalg::LinalgOp>().empty() ||
         !loop.getBody()->getOps<tensor::InsertSliceOp>().empty();
}

/// Copies what a loop updates unless it is made for the loop alone.
static void separateLoopInits(Block &block, SizeFinder &sizes) {
  for (auto loop : block.getOps<scf::ForOp>()) {
    for (OpOperand &init : loop.getInitArgsMutable()) {
      Operation *op = init.get().getDefiningOp();
      auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
      if (!isa<RankedTensorType>(init.get().getType()) || isa_and_present<tensor::EmptyOp>(op) ||
          (generic && generic->hasOneUse() && generic.getNumReductionLoops() == 0))
        continue;
      OpBuilder b(loop);
      init.set(createCopy(b, loop.getLoc(), init.get(), sizes.materialize(b, init.get()), Value()));
    }
    if (hasTensorOps(loop))
      separateLoopInits(*loop.getBody(), sizes);
  }
}

/// Gives each reduction in a loop a start of its own, which it may write over.
static void separateStartsInLoops(Block &block) {
  for (auto loop : block.getOps<scf::ForOp>()) {
    if (!hasTensorOps(loop))
      continue;
    separateFills(*loop.getBody());
    for (auto fill : llvm::to_vector(loop.getBody()->getOps<linalg::FillOp>()))
      while (!fill->use_empty() && !fill->hasOneUse())
        fill->use_begin()->set(OpBuilder(fill).clone(*fill)->getResult(0));
    eraseDeadOps(*loop.getBody());
    separateStartsInLoops(*loop.getBody());
  }
}

/// A kernel has memory for what loops compute before it begins: sizes are known there.
static void hoistDestinations(Block &block) {
  for (auto loop : block.getOps<scf::ForOp>())
    loop.walk([&](tensor::EmptyOp empty) {
      if (llvm::all_of(empty->getOperands(), [&](Value size) { return loop.isDefinedOutsideOfLoop(size); }))
        empty->moveBefore(loop);
    });
}

/// Puts into one what a trip of a loop computes.
static void inlineInLoops(Block &block) {
  for (auto loop : block.getOps<scf::ForOp>()) {
    if (!hasTensorOps(loop))
      continue;
    inlineCopies(*loop.getBody());
    inlineSingleUses(*loop.getBody());
    eraseDeadOps(*loop.getBody());
    inlineInLoops(*loop.getBody());
  }
}

/// Gives each concat the pieces of its own that it shares with others: a kernel writes into no tensor that is read.
static void separateConcats(Block &block) {
  for (auto last : llvm::make_early_inc_range(block.getOps<tensor::InsertSliceOp>()))
    for (tensor::InsertSliceOp slice = last, previous;
         (previous = slice.getDest().getDefiningOp<tensor::InsertSliceOp>()); slice = previous) {
      if (previous->hasOneUse())
        continue;
      previous = cast<tensor::InsertSliceOp>(OpBuilder(slice).clone(*previous));
      slice.getDestMutable().assign(previous.getResult());
    }
}

/// Brings what reads pieces or other shapes of a tensor next to what computes it.
static void moveReshapes(func::FuncOp function) {
  Block &block = function.front();
  SizeFinder sizes(function);
  selectPieces(block);
  readPiecesByMaps(block, sizes);
  readRepeatedInPlace(block, sizes);
  splitLoopsAtViews(block, sizes);
  divideBeforeSlicing(block, sizes);
}

namespace {
class FormKernelsPass : public dyn::impl::FormKernelsPassBase<FormKernelsPass> {
  using FormKernelsPassBase::FormKernelsPassBase;

  void runOnOperation() override {
    KernelOutliner outliner(getOperation());
    SmallVector<func::FuncOp> functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (function.isExternal() || function->hasAttr(DynDialect::kKernelAttrName))
        continue;
      if (!function.getBody().hasOneBlock()) {
        function.emitError() << "'dyn-form-kernels' expects one block";
        return signalPassFailure();
      }
      if (failed(formKernels(function, outliner)))
        return signalPassFailure();
    }
    numKernels += outliner.getNumKernels();
    numLaunches += outliner.getNumLaunches();
  }

  LogicalResult formKernels(func::FuncOp function, KernelOutliner &outliner) {
    Block &block = function.front();
    eraseDeadOps(block);
    separateFills(block);
    if (fuse) {
      IRRewriter rewriter(&getContext());
      DominanceInfo dominance(function);
      eliminateCommonSubExpressions(rewriter, dominance, function);
      dropUnitLoops(block);
      eraseDeadOps(block);
      moveReshapes(function);
      eraseDeadOps(block);
      eliminateCommonSubExpressions(rewriter, dominance, function);
      inlineCopies(block);
      if (turnConcats(block)) {
        inlineCopies(block);
        dropIdentities(block);
      }
      copySlicesForOthers(block);
      inlineSingleUses(block);
      computeOnce(block);
      eraseDeadOps(block);
      computeBeforeViews(block);
      eraseDeadOps(block);
      inlineSingleUses(block);
      inlineInLoops(block);
    }
    // Equal fills have become one, inside of loops and outside.
    separateFills(block);
    separateStartsInLoops(block);
    SizeFinder sizes(function);
    separateResults(function, sizes);
    separateLoopInits(block, sizes);
    separateConcats(block);
    hoistDestinations(block);
    FailureOr<SmallVector<KernelGroup>> groups = groupSeparately(block);
    if (failed(groups))
      return failure();
    if (fuse)
      groups = fuseGroups(*groups, sizes);
    if (fuse && attention)
      fuseAttention(*groups);
    for (const KernelGroup &group : *groups)
      if (failed(outliner.outline(group)))
        return failure();
    // A launch stands where the last op of its group stood, maybe behind users of its other results.
    if (!sortTopologically(&block))
      return function.emitError() << "kernels depend on each other in a circle; this is a defect of 'dyn-form-kernels'";
    eraseDeadOps(block);
    return success();
  }
};
} // namespace

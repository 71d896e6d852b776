//===- Loops over one point go away -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "UnitLoops.h"
#include "ProducerInlining.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;
using llvm::SmallBitVector;

static RankedTensorType getTensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The dims that stay, each with the dropped ones next to it; empty if all are dropped.
static SmallVector<ReassociationIndices> getGroups(const SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (unsigned dim = 0; dim < dropped.size(); ++dim) {
    if (!dropped.test(dim)) {
      groups.emplace_back(groups.empty() ? leading : ReassociationIndices());
      groups.back().push_back(dim);
    } else {
      (groups.empty() ? leading : groups.back()).push_back(dim);
    }
  }
  return groups;
}

static RankedTensorType dropDims(RankedTensorType type, const SmallBitVector &dropped) {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!dropped.test(dim))
      shape.push_back(type.getDimSize(dim));
  return RankedTensorType::get(shape, type.getElementType());
}

/// Moves from a view to what it shows, if that has the same dims apart from dropped ones, and says which of its dims to
/// drop to get the same tensor.
static bool stepThroughView(Value &value, SmallBitVector &dropped) {
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>()) {
    SmallBitVector coarseDropped(expand.getSrcType().getRank());
    if (coarseDropped.empty() && !dropped.all())
      return false;
    for (auto [coarse, group] : llvm::enumerate(expand.getReassociationIndices())) {
      auto numStaying = llvm::count_if(group, [&](int64_t dim) { return !dropped.test(dim); });
      if (numStaying > 1)
        return false;
      coarseDropped[coarse] = numStaying == 0;
    }
    value = expand.getSrc();
    dropped = coarseDropped;
    return true;
  }
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>()) {
    RankedTensorType sourceType = collapse.getSrcType();
    SmallBitVector fineDropped(sourceType.getRank());
    fineDropped.set();
    for (auto [coarse, group] : llvm::enumerate(collapse.getReassociationIndices())) {
      if (dropped.test(coarse))
        continue;
      int64_t staying = group.front();
      unsigned numLarge = 0;
      for (int64_t dim : group)
        if (sourceType.getDimSize(dim) != 1) {
          staying = dim;
          ++numLarge;
        }
      if (numLarge > 1)
        return false;
      fineDropped.reset(staying);
    }
    value = collapse.getSrc();
    dropped = fineDropped;
    return true;
  }
  return false;
}

/// The tensor without some dims of size 1.
static Value createDropped(OpBuilder &b, Value value, SmallBitVector dropped) {
  while (stepThroughView(value, dropped))
    ;
  if (dropped.none())
    return value;
  return tensor::CollapseShapeOp::create(b, value.getLoc(), dropDims(getTensorType(value), dropped), value,
                                         getGroups(dropped));
}

/// A destination without some dims of size 1; null for one that is neither empty nor filled.
static Value createDroppedDestination(OpBuilder &b, Value value, const SmallBitVector &dropped) {
  if (dropped.none())
    return value;
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    Value inner = createDroppedDestination(b, fill.getOutputs().front(), dropped);
    return inner ? linalg::FillOp::create(b, fill.getLoc(), fill.getInputs().front(), inner).getResult(0) : Value();
  }
  auto empty = value.getDefiningOp<tensor::EmptyOp>();
  if (!empty)
    return {};
  // Dims of static size 1 have no size operand.
  return tensor::EmptyOp::create(b, empty.getLoc(), dropDims(empty.getType(), dropped), empty.getDynamicSizes());
}

static SmallVector<OpFoldResult> getDestinationSizes(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return getDestinationSizes(fill.getOutputs().front());
  return value.getDefiningOp<tensor::EmptyOp>().getMixedSizes();
}

namespace {
/// A generic and what goes.
class UnitLoopDropper {
public:
  explicit UnitLoopDropper(GenericOp generic) : generic(generic), isDropped(generic.getNumLoops()) {
    SmallVector<int64_t> ranges = generic.getStaticLoopRanges();
    SmallVector<utils::IteratorType> types = generic.getIteratorTypesArray();
    for (unsigned loop = 0; loop < ranges.size(); ++loop)
      isDropped[loop] = ranges[loop] == 1 && types[loop] == utils::IteratorType::parallel;
    // Before windows are looked at: what stands beside a loop that is kept goes by that.
    keepLoopsOfOutputs();
    keepWindows(ranges);
    unsigned next = 0;
    for (unsigned loop = 0; loop < ranges.size(); ++loop) {
      if (!isDropped[loop])
        iterators.push_back(types[loop]);
      replacements.push_back(isDropped[loop] ? getAffineConstantExpr(0, generic.getContext())
                                             : getAffineDimExpr(next++, generic.getContext()));
    }
  }
  void run();

private:
  void keepWindows(ArrayRef<int64_t> ranges);
  void keepLoopsOfOutputs();
  SmallBitVector getDroppedDims(OpOperand &operand);
  AffineMap getMap(OpOperand &operand, const SmallBitVector &dropped);
  void cloneBody(OpBuilder &b, ValueRange arguments);

  GenericOp generic;
  SmallBitVector isDropped;
  SmallVector<utils::IteratorType> iterators;
  /// Of loops, by expressions over those that stay.
  SmallVector<AffineExpr> replacements;
};
} // namespace

/// Keeps the loop over windows where the only window does not end where the operand does: without it, the loop within a
/// window would seem to run over the whole dim.
void UnitLoopDropper::keepWindows(ArrayRef<int64_t> ranges) {
  for (OpOperand &operand : generic->getOpOperands())
    for (auto [dim, expr] : llvm::enumerate(generic.getMatchingIndexingMap(&operand).getResults())) {
      SmallVector<unsigned> windows;
      DenseMap<AffineExpr, AffineExpr> without;
      for (unsigned loop = 0; loop < ranges.size(); ++loop)
        if (isDropped.test(loop) && expr.isFunctionOfDim(loop)) {
          windows.push_back(loop);
          without[getAffineDimExpr(loop, generic.getContext())] = getAffineConstantExpr(0, generic.getContext());
        }
      auto rest = dyn_cast<AffineDimExpr>(expr.replace(without));
      int64_t size = getTensorType(operand.get()).getDimSize(dim);
      if (windows.empty() || !rest || (size == ranges[rest.getPosition()] && !ShapedType::isDynamic(size)))
        continue;
      for (unsigned loop : windows)
        isDropped.reset(loop);
    }
}

/// Keeps what runs over a dim of an output whose type does not say that its size is 1, as an input's does: the dim
/// stays, and needs its loop.
void UnitLoopDropper::keepLoopsOfOutputs() {
  for (OpOperand &init : generic.getDpsInitsMutable())
    for (auto [dim, expr] : llvm::enumerate(generic.getMatchingIndexingMap(&init).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr); loop && getTensorType(init.get()).getDimSize(dim) != 1)
        isDropped.reset(loop.getPosition());
}

/// Dims of size 1 of an operand that no loop that stays runs over.
SmallBitVector UnitLoopDropper::getDroppedDims(OpOperand &operand) {
  RankedTensorType type = getTensorType(operand.get());
  SmallBitVector dropped(type.getRank());
  for (auto [dim, expr] : llvm::enumerate(generic.getMatchingIndexingMap(&operand).getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    dropped[dim] =
        type.getDimSize(dim) == 1 && (loop ? isDropped.test(loop.getPosition()) : isa<AffineConstantExpr>(expr));
  }
  return dropped;
}

AffineMap UnitLoopDropper::getMap(OpOperand &operand, const SmallBitVector &dropped) {
  SmallVector<AffineExpr> results;
  for (auto [dim, expr] : llvm::enumerate(generic.getMatchingIndexingMap(&operand).getResults()))
    if (!dropped.test(dim))
      results.push_back(expr.replaceDims(replacements));
  return AffineMap::get(iterators.size(), 0, results, generic.getContext());
}

void UnitLoopDropper::cloneBody(OpBuilder &b, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(generic.getBody()->getArguments(), arguments);
  for (Operation &op : *generic.getBody()) {
    Operation *clone = b.clone(op, mapping);
    clone->walk([&](linalg::IndexOp index) {
      if (auto dim = dyn_cast<AffineDimExpr>(replacements[index.getDim()])) {
        index.setDim(dim.getPosition());
        return;
      }
      OpBuilder inner(index);
      Value zero = arith::ConstantIndexOp::create(inner, index.getLoc(), 0);
      index.replaceAllUsesWith(zero);
      if (index.getOperation() == clone)
        mapping.map(op.getResult(0), zero);
      index.erase();
    });
  }
}

void UnitLoopDropper::run() {
  SmallVector<SmallBitVector> dropped;
  bool changes = isDropped.any();
  for (OpOperand &operand : generic->getOpOperands()) {
    dropped.push_back(getDroppedDims(operand));
    changes |= dropped.back().any();
  }
  if (!changes)
    return;
  OpBuilder b(generic);
  SmallVector<Value> inputs, inits;
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : generic->getOpOperands()) {
    const SmallBitVector &dims = dropped[operand.getOperandNumber()];
    maps.push_back(getMap(operand, dims));
    if (generic.isDpsInput(&operand)) {
      inputs.push_back(createDropped(b, operand.get(), dims));
      continue;
    }
    inits.push_back(createDroppedDestination(b, operand.get(), dims));
    if (!inits.back())
      return;
    types.push_back(inits.back().getType());
  }
  // Each loop that stays must still show in some operand.
  if (!inversePermutation(concatAffineMaps(maps, generic.getContext())))
    return;
  auto body = [&](OpBuilder &b, Location, ValueRange arguments) { cloneBody(b, arguments); };
  auto smaller = GenericOp::create(b, generic.getLoc(), types, inputs, inits, maps, iterators, body);
  for (auto [index, result] : llvm::enumerate(generic->getResults())) {
    OpOperand *init = generic.getDpsInitOperand(index);
    const SmallBitVector &dims = dropped[init->getOperandNumber()];
    Value replacement = smaller->getResult(index);
    if (dims.any())
      replacement = tensor::ExpandShapeOp::create(b, generic.getLoc(), result.getType(), replacement, getGroups(dims),
                                                  getDestinationSizes(init->get()));
    result.replaceAllUsesWith(replacement);
  }
  generic->erase();
}

void dyn::dropIdentities(Block &block) {
  for (GenericOp generic : llvm::make_early_inc_range(block.getOps<GenericOp>())) {
    if (!isCopy(generic) || generic->getOperand(0).getType() != generic->getResult(0).getType() ||
        generic.getIndexingMapsArray()[0] != generic.getIndexingMapsArray()[1])
      continue;
    // What a loop updates has to be its own.
    generic->getResult(0).replaceUsesWithIf(generic->getOperand(0),
                                            [](OpOperand &use) { return !isa<scf::ForOp>(use.getOwner()); });
    if (generic->use_empty())
      generic->erase();
  }
}

void dyn::dropUnitLoops(Block &block) {
  for (GenericOp generic : llvm::to_vector(block.getOps<GenericOp>()))
    UnitLoopDropper(generic).run();
  dropIdentities(block);
}

//===- Kernels of several ops ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelFusion.h"
#include "ProducerInlining.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

namespace {
/// Groups of one block while they grow. A group that was merged into another is empty.
class GroupFusion {
public:
  GroupFusion(ArrayRef<KernelGroup> groups, SizeFinder &sizes) : sizes(sizes), groups(groups) {
    unsigned next = 0;
    for (Operation &op : *groups.front().ops.front()->getBlock())
      position[&op] = next++;
    for (auto [index, group] : llvm::enumerate(this->groups))
      for (Operation *op : group.ops)
        groupOf[op] = index;
  }

  void fuseEpilogue(unsigned contraction);
  void growRows(unsigned seed);
  void fusePieces(unsigned concat);
  SmallVector<KernelGroup> take();

private:
  /// A group that is still one generic without reductions, or, if allowed, one with.
  GenericOp getLoneGeneric(Operation *op, bool allowReduction);
  bool fitsRows(unsigned rowGroup, GenericOp candidate, ArrayRef<OpFoldResult> rows, ArrayRef<OpFoldResult> inner);
  bool readsByRows(GenericOp reader, Value value, int64_t rows);
  SmallVector<OpFoldResult> getLoopSizes(GenericOp generic);
  bool createsCycle(unsigned group, unsigned other);
  void merge(unsigned into, unsigned other);

  SizeFinder &sizes;
  SmallVector<KernelGroup> groups;
  llvm::DenseMap<Operation *, unsigned> position, groupOf;
};
} // namespace

//===----------------------------------------------------------------------===//
// Epilogues of contractions
//===----------------------------------------------------------------------===//

GenericOp GroupFusion::getLoneGeneric(Operation *op, bool allowReduction) {
  auto generic = dyn_cast_or_null<GenericOp>(op);
  auto it = generic ? groupOf.find(generic) : groupOf.end();
  if (it == groupOf.end() || groups[it->second].ops.size() != 1)
    return {};
  KernelKind kind = groups[it->second].kind;
  return kind == KernelKind::Pointwise || (allowReduction && kind == KernelKind::Row) ? generic : GenericOp();
}

void GroupFusion::fuseEpilogue(unsigned contraction) {
  auto producer = cast<GenericOp>(groups[contraction].ops.back());
  if (!producer->getResult(0).hasOneUse())
    return;
  OpOperand &use = *producer->getResult(0).getUses().begin();
  GenericOp consumer = getLoneGeneric(use.getOwner(), false);
  if (!consumer || !consumer.isDpsInput(&use))
    return;
  AffineMap map = consumer.getMatchingIndexingMap(&use);
  if (!map.isPermutation() || consumer.getNumLoops() != producer.getNumParallelLoops())
    return;
  if (!map.isIdentity()) {
    // Loops in the order of the contraction's; the permutation shows in the map of the output.
    SmallVector<unsigned> order;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      order.push_back(map.getDimPosition(i));
    IRRewriter rewriter(consumer);
    unsigned group = groupOf.lookup(consumer), place = position.lookup(consumer);
    FailureOr<GenericOp> permuted = linalg::interchangeGenericOp(rewriter, consumer, order);
    if (failed(permuted))
      return;
    // What the body asks for a loop comes as an `affine.apply` of all of them, of which it shows one.
    for (auto apply : llvm::make_early_inc_range(permuted->getBlock()->getOps<affine::AffineApplyOp>())) {
      unsigned loop = apply.getAffineMap().getDimPosition(0);
      rewriter.replaceOp(apply, apply.getMapOperands()[loop]);
    }
    groupOf[*permuted] = group;
    position[*permuted] = place;
    groups[group].ops.front() = *permuted;
    consumer = *permuted;
  }
  merge(contraction, groupOf.lookup(consumer));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> GroupFusion::getLoopSizes(GenericOp generic) {
  SmallVector<OpFoldResult> loopSizes(generic.getNumLoops());
  for (OpOperand &operand : generic->getOpOperands())
    for (auto [dim, expr] : llvm::enumerate(generic.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr); loop && !loopSizes[loop.getPosition()])
        loopSizes[loop.getPosition()] = sizes.find(operand.get(), dim);
  return loopSizes;
}

/// Is the map `d0, ..., d(rows-1)` followed by later loops only?
static bool startsWithRows(AffineMap map, int64_t rows) {
  if (static_cast<int64_t>(map.getNumResults()) < rows)
    return false;
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (static_cast<int64_t>(index) < rows ? !dim || dim.getPosition() != index
                                           : dim && static_cast<int64_t>(dim.getPosition()) < rows)
      return false;
  }
  return true;
}

bool GroupFusion::readsByRows(GenericOp reader, Value value, int64_t rows) {
  for (OpOperand &use : value.getUses()) {
    if (use.getOwner() == reader &&
        !(reader.isDpsInput(&use) && startsWithRows(reader.getMatchingIndexingMap(&use), rows)))
      return false;
    if (reader->isProperAncestor(use.getOwner()))
      return false; // read at a place that the body computes, maybe in another row
  }
  return true;
}

bool GroupFusion::fitsRows(unsigned rowGroup, GenericOp candidate, ArrayRef<OpFoldResult> rows,
                           ArrayRef<OpFoldResult> inner) {
  int64_t numRows = rows.size();
  SmallVector<OpFoldResult> loopSizes = getLoopSizes(candidate);
  if (static_cast<int64_t>(loopSizes.size()) < numRows ||
      !llvm::all_of(loopSizes, [](OpFoldResult s) { return bool(s); }))
    return false;
  ArrayRef<OpFoldResult> own = ArrayRef(loopSizes).drop_front(numRows);
  if (ArrayRef(loopSizes).take_front(numRows) != rows || !(own.empty() || own == inner))
    return false;
  if (candidate.getNumReductionLoops() != 0 && static_cast<int64_t>(candidate.getNumParallelLoops()) != numRows)
    return false;
  for (OpOperand &init : candidate.getDpsInitsMutable())
    if (!startsWithRows(candidate.getMatchingIndexingMap(&init), numRows))
      return false;
  for (Operation *member : groups[rowGroup].ops) {
    for (Value result : member->getResults())
      if (!readsByRows(candidate, result, numRows))
        return false;
    for (Value result : candidate->getResults())
      if (!readsByRows(cast<GenericOp>(member), result, numRows))
        return false;
  }
  return true;
}

void GroupFusion::growRows(unsigned seed) {
  KernelGroup &group = groups[seed];
  if (group.ops.empty() || group.rows == 0)
    return;
  auto reduction = cast<GenericOp>(group.ops.front());
  SmallVector<OpFoldResult> loopSizes = getLoopSizes(reduction);
  if (!llvm::all_of(loopSizes, [](OpFoldResult size) { return bool(size); }))
    return;
  ArrayRef<OpFoldResult> rows = ArrayRef(loopSizes).take_front(group.rows),
                         inner = ArrayRef(loopSizes).drop_front(group.rows);
  for (OpOperand &init : reduction.getDpsInitsMutable())
    if (!startsWithRows(reduction.getMatchingIndexingMap(&init), group.rows))
      return;

  // The group's list grows while it is gone through.
  for (unsigned i = 0; i < groups[seed].ops.size(); ++i) {
    Operation *member = groups[seed].ops[i];
    auto consider = [&](Operation *op) {
      GenericOp candidate = getLoneGeneric(op, true);
      if (!candidate || groupOf.lookup(candidate) == seed || !fitsRows(seed, candidate, rows, inner) ||
          createsCycle(seed, groupOf.lookup(candidate)))
        return;
      merge(seed, groupOf.lookup(candidate));
    };
    for (Value operand : member->getOperands())
      consider(operand.getDefiningOp());
    SmallVector<Operation *> users(member->user_begin(), member->user_end());
    llvm::sort(users, [&](Operation *lhs, Operation *rhs) { return position.lookup(lhs) < position.lookup(rhs); });
    for (Operation *user : users)
      consider(user);
  }
}

//===----------------------------------------------------------------------===//
// Pieces of concats
//===----------------------------------------------------------------------===//

/// The only dim along which the slices do not begin at 0; none if they have no such dim, or are no whole tensors.
static std::optional<unsigned> findAxis(ArrayRef<Operation *> slices) {
  std::optional<unsigned> axis;
  for (Operation *op : slices) {
    auto slice = cast<tensor::InsertSliceOp>(op);
    if (!slice.hasUnitStride() || slice.getSourceType().getRank() != slice.getDestType().getRank())
      return std::nullopt;
    for (auto [dim, offset] : llvm::enumerate(slice.getMixedOffsets())) {
      if (isConstantIntValue(offset, 0))
        continue;
      if (axis && *axis != dim)
        return std::nullopt;
      axis = dim;
    }
  }
  return axis;
}

/// Whether a copy is of one piece of memory: some leading indices are constants, and the rest stays as it is.
static bool isOnePiece(GenericOp copy) {
  if (!isCopy(copy) || !copy.getMatchingIndexingMap(copy.getDpsInitOperand(0)).isIdentity())
    return false;
  ArrayRef<AffineExpr> read = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0)).getResults();
  if (read.size() < copy.getNumLoops())
    return false;
  bool areConstant = llvm::all_of(read.drop_back(copy.getNumLoops()), llvm::IsaPred<AffineConstantExpr>);
  return areConstant && llvm::all_of(llvm::enumerate(read.take_back(copy.getNumLoops())), [](auto entry) {
           auto loop = dyn_cast<AffineDimExpr>(entry.value());
           return loop && loop.getPosition() == entry.index();
         });
}

/// What is computed for a concat alone is written where it belongs. A piece that is one piece of memory in the whole,
/// or of another tensor, needs no copy as it is.
void GroupFusion::fusePieces(unsigned concat) {
  // Each piece is code of its own.
  constexpr unsigned maxComputed = 16;
  SmallVector<Operation *> slices = groups[concat].ops;
  std::optional<unsigned> axis = findAxis(slices);
  if (!axis)
    return;
  ArrayRef<int64_t> outer = cast<tensor::InsertSliceOp>(slices.front()).getDestType().getShape().take_front(*axis);
  if (llvm::all_of(outer, [](int64_t size) { return size == 1; }))
    return;
  SmallVector<Operation *> ops;
  unsigned computed = 0;
  for (Operation *slice : slices) {
    Value piece = cast<tensor::InsertSliceOp>(slice).getSource();
    GenericOp maker = getLoneGeneric(piece.getDefiningOp(), false);
    if (maker && maker->hasOneUse() && maker->getNumResults() == 1 && !isOnePiece(maker) && computed < maxComputed &&
        maker.getDpsInits().front().getDefiningOp<tensor::EmptyOp>()) {
      merge(concat, groupOf.lookup(maker));
      ops.push_back(maker);
      ++computed;
    }
    ops.push_back(slice);
  }
  // Wherever pieces are computed, kernels that do the same look the same.
  groups[concat].ops = ops;
}

//===----------------------------------------------------------------------===//
// Graph of groups
//===----------------------------------------------------------------------===//

/// Would the groups, as one, depend on themselves through an op of neither?
bool GroupFusion::createsCycle(unsigned group, unsigned other) {
  auto isOwn = [&](Operation *op) {
    auto it = groupOf.find(op);
    return it != groupOf.end() && (it->second == group || it->second == other);
  };
  unsigned last = 0;
  for (unsigned own : {group, other})
    for (Operation *op : groups[own].ops)
      last = std::max(last, position.lookup(op));

  Block *block = groups[group].ops.front()->getBlock();
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> stack;
  bool found = false;
  auto visitUsers = [&](Operation *op, bool isOutside) {
    for (Operation *user : op->getUsers()) {
      user = block->findAncestorOpInBlock(*user);
      if (isOwn(user))
        found |= isOutside;
      else if (seen.insert(user).second)
        stack.push_back(user);
    }
  };
  for (unsigned own : {group, other})
    for (Operation *op : groups[own].ops)
      visitUsers(op, false);
  while (!stack.empty() && !found) {
    Operation *op = stack.pop_back_val();
    // Groups run as a whole: what one op of them depends on, all their results do.
    auto it = groupOf.find(op);
    ArrayRef<Operation *> together = it == groupOf.end() ? ArrayRef(op) : ArrayRef(groups[it->second].ops);
    for (Operation *each : together)
      if (seen.insert(each).second || each == op)
        if (position.lookup(each) < last || together.size() > 1)
          visitUsers(each, true);
  }
  return found;
}

void GroupFusion::merge(unsigned into, unsigned other) {
  for (Operation *op : groups[other].ops) {
    groupOf[op] = into;
    groups[into].ops.push_back(op);
  }
  groups[other].ops.clear();
}

SmallVector<KernelGroup> GroupFusion::take() {
  auto isBefore = [&](Operation *lhs, Operation *rhs) { return position.lookup(lhs) < position.lookup(rhs); };
  for (KernelGroup &group : groups)
    if (group.kind != KernelKind::Concat)
      llvm::sort(group.ops, isBefore);
  llvm::erase_if(groups, [](const KernelGroup &group) { return group.ops.empty(); });
  return std::move(groups);
}

SmallVector<KernelGroup> dyn::fuseGroups(ArrayRef<KernelGroup> groups, SizeFinder &sizes) {
  if (groups.empty())
    return {};
  GroupFusion fusion(groups, sizes);
  for (auto [index, group] : llvm::enumerate(groups))
    if (group.kind == KernelKind::Contraction)
      fusion.fuseEpilogue(index);
  for (auto [index, group] : llvm::enumerate(groups))
    if (group.kind == KernelKind::Row)
      fusion.growRows(index);
  for (auto [index, group] : llvm::enumerate(groups))
    if (group.kind == KernelKind::Concat)
      fusion.fusePieces(index);
  return fusion.take();
}

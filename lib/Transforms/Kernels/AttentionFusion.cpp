//===- Kernels of whole attentions --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AttentionFusion.h"
#include "ProducerInlining.h"
#include "dyn/Analysis/Attention.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

/// The map from a collapsed tensor's dims to those dims of the expanded one that `read` uses; none if one of these is
/// no quotient by a known size.
static std::optional<AffineMap> expandMap(tensor::CollapseShapeOp collapse, AffineMap collapsed, AffineMap read) {
  ArrayRef<int64_t> sizes = collapse.getSrcType().getShape();
  SmallVector<AffineExpr> expanded(sizes.size());
  for (auto [group, expr] : llvm::zip_equal(collapse.getReassociationIndices(), collapsed.getResults())) {
    int64_t inner = 1;
    for (size_t place = group.size(); place-- > 0;) {
      int64_t dim = group[place];
      // The outermost is a quotient; others would be remainders as well, unless nothing is outside of them.
      bool isOutermost = llvm::all_of(ArrayRef(group).take_front(place), [&](int64_t d) { return sizes[d] == 1; });
      if (sizes[dim] == 1)
        expanded[dim] = getAffineConstantExpr(0, collapse.getContext());
      else if (isOutermost && !ShapedType::isDynamic(inner))
        expanded[dim] = expr.floorDiv(inner);
      if (sizes[dim] == 0)
        return std::nullopt;
      inner =
          ShapedType::isDynamic(inner) || ShapedType::isDynamic(sizes[dim]) ? ShapedType::kDynamic : inner * sizes[dim];
    }
  }
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : read.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      expr = expanded[dim.getPosition()];
      if (!expr)
        return std::nullopt;
    } else if (!isa<AffineConstantExpr>(expr)) {
      return std::nullopt;
    }
    results.push_back(expr);
  }
  return AffineMap::get(collapsed.getNumDims(), 0, results, collapse.getContext());
}

namespace {

class AttentionFusion {
public:
  explicit AttentionFusion(SmallVector<KernelGroup> &groups) : groups(groups) {
    for (auto [index, group] : llvm::enumerate(groups))
      for (Operation *op : group.ops)
        groupOf[op] = index;
  }

  void fuse(unsigned last);

private:
  void readOnce(GenericOp op, unsigned operand);

  SmallVector<KernelGroup> &groups;
  llvm::DenseMap<Operation *, unsigned> groupOf;
};

} // namespace

/// Does a copy that is read by `map` in place of `maps[operand]` stand for more than heads and batches that share
/// something? Of positions that are repeated, the kernel reads each.
static bool repeatsPositions(ArrayRef<AffineMap> maps, unsigned operand, AffineMap map) {
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop) {
    bool isBatch = llvm::all_of(maps, [&](AffineMap each) { return each.isFunctionOfDim(loop); });
    if (isBatch || !maps[operand].isFunctionOfDim(loop))
      continue;
    AffineExpr whole = getAffineDimExpr(loop, map.getContext());
    bool isAlone = llvm::all_of(map.getResults(),
                                [&](AffineExpr result) { return result == whole || !result.isFunctionOfDim(loop); });
    if (!isAlone || !llvm::is_contained(map.getResults(), whole))
      return true;
  }
  return false;
}

/// Sees through the copies of what several heads share, between an operand and where it is computed.
void AttentionFusion::readOnce(GenericOp op, unsigned operand) {
  auto collapse = op.getDpsInputs()[operand].getDefiningOp<tensor::CollapseShapeOp>();
  auto copy = collapse ? collapse.getSrc().getDefiningOp<GenericOp>() : GenericOp();
  if (!copy || !isCopy(copy) || !copy.getMatchingIndexingMap(copy.getDpsInitOperand(0)).isIdentity())
    return;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap read = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
  std::optional<AffineMap> map = expandMap(collapse, maps[operand], read);
  if (!map || read.getNumResults() >= copy.getNumLoops() || repeatsPositions(maps, operand, *map))
    return;
  maps[operand] = *map;
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  op->setOperand(operand, copy.getDpsInputs()[0]);
  if (!collapse->use_empty())
    return;
  collapse->erase();
  auto group = groupOf.find(copy);
  if (!copy->use_empty() || group == groupOf.end() || groups[group->second].ops.size() != 1)
    return;
  groups[group->second].ops.clear();
  groupOf.erase(copy);
  copy->erase();
}

void AttentionFusion::fuse(unsigned last) {
  ArrayRef<Operation *> ops = groups[last].ops;
  if (groups[last].kind != KernelKind::Contraction || ops.empty() || ops.size() > 2)
    return;
  auto values = dyn_cast<GenericOp>(ops[0]);
  auto epilogue = ops.size() == 2 ? dyn_cast<GenericOp>(ops[1]) : GenericOp();
  std::optional<Attention> attention =
      matchAttention(values, epilogue, [&](GenericOp op) { return groupOf.contains(op); });
  if (!attention)
    return;
  // Groups join as a whole.
  llvm::SmallSet<unsigned, 4> joined;
  size_t size = 0;
  for (GenericOp op : attention->getOps())
    joined.insert(groupOf.lookup(op));
  for (unsigned group : joined)
    size += groups[group].ops.size();
  if (size != attention->getOps().size())
    return;

  KernelGroup merged{KernelKind::Attention, {}};
  for (GenericOp op : attention->getOps()) {
    merged.ops.push_back(op);
    groupOf[op] = last;
  }
  for (unsigned group : joined)
    groups[group].ops.clear();
  groups[last] = merged;
  readOnce(attention->scores, attention->keyOperand);
  readOnce(attention->values, attention->valueOperand);
}

void dyn::fuseAttention(SmallVector<KernelGroup> &groups) {
  AttentionFusion fusion(groups);
  for (unsigned index = 0; index < groups.size(); ++index)
    fusion.fuse(index);
  llvm::erase_if(groups, [](const KernelGroup &group) { return group.ops.empty(); });
}

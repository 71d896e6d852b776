//===- Concats in the order in which they are read ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ConcatOrder.h"
#include "../KernelGrouping.h"
#include "../ProducerInlining.h"
#include "MappedCopy.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

/// If the op only gives the dims of its input another order: from indices of its result to those of the input.
static AffineMap getTurn(Operation *op) {
  auto generic = dyn_cast<GenericOp>(op);
  if (!generic || !isCopy(generic) || !isFreeToRepeat(generic))
    return {};
  AffineMap read = generic.getMatchingIndexingMap(generic.getDpsInputOperand(0));
  AffineMap written = generic.getMatchingIndexingMap(generic.getDpsInitOperand(0));
  if (!read.isPermutation())
    return {};
  AffineMap turn = read.compose(inversePermutation(written));
  return turn.isIdentity() ? AffineMap() : turn;
}

/// The chain of slices that make a concat, from the first on; empty if they make anything else.
static SmallVector<tensor::InsertSliceOp> getChain(tensor::InsertSliceOp last) {
  SmallVector<tensor::InsertSliceOp> chain{last};
  while (auto previous = chain.back().getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if (!previous->hasOneUse())
      return {};
    chain.push_back(previous);
  }
  bool areWhole = llvm::all_of(chain, [](tensor::InsertSliceOp slice) {
    return slice.hasUnitStride() && slice.getSourceType().getRank() == slice.getDestType().getRank();
  });
  if (!areWhole || !chain.back().getDest().getDefiningOp<tensor::EmptyOp>())
    return {};
  return llvm::to_vector(llvm::reverse(chain));
}

/// Is the piece made by an op that can as well make it in another order, with no pass over the data more than before?
static bool canTurn(Value piece) {
  auto maker = piece.getDefiningOp<GenericOp>();
  if (!maker)
    return false;
  bool isPointwise = maker.getNumReductionLoops() == 0 && maker->getNumResults() == 1 &&
                     maker.getMatchingIndexingMap(maker.getDpsInitOperand(0)).isPermutation() &&
                     maker.getDpsInits().front().getDefiningOp<tensor::EmptyOp>();
  return isPointwise && (piece.hasOneUse() || isFreeToRepeat(maker));
}

/// The order in which most of the ops that give the concat another one want it; null if there are none, or if something
/// needs it as it is.
static AffineMap chooseTurn(tensor::InsertSliceOp last) {
  SmallVector<std::pair<AffineMap, unsigned>> wanted;
  for (OpOperand &use : last->getUses()) {
    auto reader = dyn_cast<GenericOp>(use.getOwner());
    if (!reader || !reader.isDpsInput(&use) || !(isContraction(reader) || isCopy(reader)))
      return {};
    AffineMap turn = getTurn(reader);
    if (!turn)
      continue;
    auto known = llvm::find_if(wanted, [&](const auto &entry) { return entry.first == turn; });
    if (known == wanted.end())
      wanted.push_back({turn, 1});
    else
      ++known->second;
  }
  auto isLess = [](const auto &lhs, const auto &rhs) { return lhs.second < rhs.second; };
  auto most = std::max_element(wanted.begin(), wanted.end(), isLess);
  return most == wanted.end() ? AffineMap() : most->first;
}

static bool turnConcat(tensor::InsertSliceOp last) {
  AffineMap turn = chooseTurn(last);
  SmallVector<tensor::InsertSliceOp> chain = turn ? getChain(last) : SmallVector<tensor::InsertSliceOp>();
  if (chain.empty() || !llvm::all_of(chain, [](tensor::InsertSliceOp slice) { return canTurn(slice.getSource()); }))
    return false;

  // For each dim in the new order: which one it is in the old one.
  SmallVector<int64_t> oldDim(turn.getNumResults());
  for (auto [dim, expr] : llvm::enumerate(turn.getResults()))
    oldDim[cast<AffineDimExpr>(expr).getPosition()] = dim;
  OpBuilder b(last);
  auto empty = chain.front().getDest().getDefiningOp<tensor::EmptyOp>();
  SmallVector<OpFoldResult> wholeSizes = empty.getMixedSizes();
  Value turned = tensor::EmptyOp::create(b, empty.getLoc(), applyPermutation(wholeSizes, oldDim),
                                         empty.getType().getElementType());
  for (tensor::InsertSliceOp slice : chain) {
    SmallVector<OpFoldResult> sizes = applyPermutation(slice.getMixedSizes(), oldDim);
    Value piece = createMappedCopy(b, slice.getLoc(), slice.getSource(), turn, sizes);
    turned = tensor::InsertSliceOp::create(b, slice.getLoc(), piece, turned,
                                           applyPermutation(slice.getMixedOffsets(), oldDim), sizes,
                                           slice.getMixedStrides());
  }

  Value old = createMappedCopy(b, last.getLoc(), turned, inversePermutation(turn), wholeSizes);
  for (Operation *reader : llvm::to_vector(last->getUsers()))
    if (getTurn(reader) == turn) {
      reader->getResult(0).replaceAllUsesWith(turned);
      reader->erase();
    }
  last.getResult().replaceAllUsesWith(old);
  for (tensor::InsertSliceOp slice : llvm::reverse(chain))
    slice.erase();
  return true;
}

bool dyn::turnConcats(Block &block) {
  SmallVector<tensor::InsertSliceOp> concats;
  for (auto slice : block.getOps<tensor::InsertSliceOp>())
    if (llvm::none_of(slice->getUsers(), [](Operation *user) { return isa<tensor::InsertSliceOp>(user); }))
      concats.push_back(slice);
  bool isAny = false;
  for (tensor::InsertSliceOp last : concats)
    isAny |= turnConcat(last);
  return isAny;
}

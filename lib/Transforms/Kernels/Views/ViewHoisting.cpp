//===- Ops on single elements move before views ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ViewHoisting.h"
#include "../KernelGrouping.h"
#include "../ProducerInlining.h"
#include "../SizeFinder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

/// Does each element depend on one element of the only input, and on nothing else, not even its place?
static bool isOfOneElement(GenericOp generic) {
  if (generic.getNumReductionLoops() != 0 || generic.getNumDpsInputs() != 1 || generic->getNumResults() != 1 ||
      !llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) { return map.isPermutation(); }) ||
      !generic.getDpsInits().front().getDefiningOp<tensor::EmptyOp>() || isCopy(generic))
    return false;
  return !generic.getBody()
              ->walk([](Operation *op) {
                bool isPure = isMemoryEffectFree(op) && !isa<linalg::IndexOp, tensor::ExtractOp>(op);
                return isPure || isa<linalg::YieldOp>(op) ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// The view with the elements of another type.
static Value cloneView(OpBuilder &b, Operation *view, Value source) {
  auto type = cast<RankedTensorType>(view->getResult(0).getType())
                  .clone(cast<RankedTensorType>(source.getType()).getElementType());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return tensor::ExpandShapeOp::create(b, view->getLoc(), type, source, expand.getReassociationIndices(),
                                         expand.getMixedOutputShape());
  return tensor::CollapseShapeOp::create(b, view->getLoc(), type, source,
                                         cast<tensor::CollapseShapeOp>(view).getReassociationIndices());
}

static void hoist(GenericOp generic, SizeFinder &sizes) {
  Value root = generic.getDpsInputs().front();
  SmallVector<Operation *> views;
  bool isReadHereOnly = root.hasOneUse();
  while (isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(root.getDefiningOp())) {
    views.push_back(root.getDefiningOp());
    root = views.back()->getOperand(0);
    isReadHereOnly &= root.hasOneUse();
  }
  auto maker = root.getDefiningOp<GenericOp>();
  bool mayJoin = !views.empty() && isReadHereOnly && maker;
  if (!mayJoin && generic.getIndexingMapsArray()[0] == generic.getIndexingMapsArray()[1])
    return;
  auto type = cast<RankedTensorType>(root.getType());
  if (type.getRank() == 0)
    return;

  // A copy in its place, which readers must be able to do without.
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  Type element = cast<RankedTensorType>(generic->getResult(0).getType()).getElementType();
  SmallVector<OpFoldResult> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    shape.push_back(sizes.find(root, dim));
    if (!shape.back())
      return;
  }
  Value empty = tensor::EmptyOp::create(b, loc, shape, element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto hoisted = GenericOp::create(b, loc, TypeRange{empty.getType()}, root, empty, maps, iterators,
                                   [&](OpBuilder &b, Location, ValueRange arguments) {
                                     IRMapping mapping;
                                     mapping.map(generic.getBody()->getArguments(), arguments);
                                     for (Operation &op : *generic.getBody())
                                       b.clone(op, mapping);
                                   });
  Value viewed = hoisted->getResult(0);
  for (Operation *view : llvm::reverse(views))
    viewed = cloneView(b, view, viewed);
  auto copy = GenericOp::create(
      b, loc, generic->getResultTypes(), viewed, generic.getDpsInits(), generic.getIndexingMapsArray(),
      generic.getIteratorTypesArray(),
      [](OpBuilder &b, Location loc, ValueRange elements) { linalg::YieldOp::create(b, loc, elements.front()); });
  generic->getResult(0).replaceAllUsesWith(copy->getResult(0));
  llvm::SmallSetVector<Operation *, 4> readers(copy->user_begin(), copy->user_end());
  if (llvm::all_of(readers, [&](Operation *reader) { return canInline(copy, cast<GenericOp>(reader)); })) {
    for (Operation *reader : readers)
      inlineProducer(copy, cast<GenericOp>(reader));
    copy->erase();
    generic->erase();
    return;
  }
  copy->getResult(0).replaceAllUsesWith(generic->getResult(0));
  copy->erase();
  while (viewed != hoisted->getResult(0)) {
    Operation *view = viewed.getDefiningOp();
    viewed = view->getOperand(0);
    view->erase();
  }
  hoisted->erase();
}

void dyn::computeBeforeViews(Block &block) {
  SizeFinder sizes(cast<func::FuncOp>(block.getParentOp()));
  // Backwards: readers are replaced.
  for (GenericOp generic : llvm::to_vector(llvm::reverse(llvm::to_vector(block.getOps<GenericOp>())))) {
    bool isForProducts = llvm::all_of(generic->getUsers(), [](Operation *user) {
      auto reader = dyn_cast<GenericOp>(user);
      return reader && isContraction(reader);
    });
    if (isForProducts && isOfOneElement(generic))
      hoist(generic, sizes);
  }
}

//===- Reads at computed places ---------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ComputedPlaces.h"
#include "ProducerInlining.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

namespace {
/// An element of a tensor.
struct Element {
  Value tensor;
  SmallVector<Value> places;
};
} // namespace

/// The large dim of a group, or the first if none is; none if several are.
static std::optional<int64_t> getLargeDim(ArrayRef<int64_t> group, RankedTensorType type) {
  std::optional<int64_t> large;
  for (int64_t dim : group)
    if (type.getDimSize(dim) != 1) {
      if (large)
        return std::nullopt;
      large = dim;
    }
  return large ? *large : group.front();
}

static bool stepThroughExpand(tensor::ExpandShapeOp expand, Element &element) {
  SmallVector<Value> places;
  for (const ReassociationIndices &group : expand.getReassociationIndices()) {
    std::optional<int64_t> dim = getLargeDim(group, expand.getResultType());
    if (!dim)
      return false;
    places.push_back(element.places[*dim]);
  }
  element = {expand.getSrc(), places};
  return true;
}

static bool stepThroughCollapse(OpBuilder &b, tensor::CollapseShapeOp collapse, Element &element) {
  SmallVector<Value> places(collapse.getSrcType().getRank());
  for (auto [place, group] : llvm::zip_equal(element.places, collapse.getReassociationIndices())) {
    std::optional<int64_t> dim = getLargeDim(group, collapse.getSrcType());
    if (!dim)
      return false;
    places[*dim] = place;
  }
  for (Value &place : places)
    if (!place)
      place = arith::ConstantIndexOp::create(b, collapse.getLoc(), 0);
  element = {collapse.getSrc(), places};
  return true;
}

/// To the piece that has the element, or to what the piece was written into if it has not; not if that is unknown.
static bool stepThroughPiece(OpBuilder &b, tensor::InsertSliceOp insert, Element &element) {
  RankedTensorType piece = insert.getSourceType(), whole = insert.getDestType();
  if (piece.getRank() != whole.getRank() || !insert.hasUnitStride())
    return false;
  bool isInside = true;
  SmallVector<Value> places = element.places;
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    int64_t offset = insert.getStaticOffsets()[dim], size = piece.getDimSize(dim);
    std::optional<int64_t> place = getConstantIntValue(places[dim]);
    if (place && !ShapedType::isDynamic(offset) && !ShapedType::isDynamic(size)) {
      if (*place < offset || *place >= offset + size) {
        element.tensor = insert.getDest();
        return true;
      }
      if (offset != 0)
        places[dim] = arith::ConstantIndexOp::create(b, insert.getLoc(), *place - offset);
    } else {
      // All of a dim that is not the concat's.
      auto empty = insert.getDest();
      while (auto previous = empty.getDefiningOp<tensor::InsertSliceOp>())
        empty = previous.getDest();
      auto made = empty.getDefiningOp<tensor::EmptyOp>();
      isInside &= offset == 0 && made && made.getMixedSizes()[dim] == insert.getMixedSizes()[dim];
    }
  }
  if (isInside)
    element = {insert.getSource(), places};
  return isInside;
}

/// The value of the element that `generic` computes from its place alone.
static Value computeElement(OpBuilder &b, GenericOp generic, ArrayRef<Value> places) {
  AffineMap written = generic.getMatchingIndexingMap(generic.getDpsInitOperand(0));
  IRMapping mapping;
  for (Operation &op : generic.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      AffineExpr loop = getAffineDimExpr(index.getDim(), generic.getContext());
      mapping.map(index.getResult(), places[*written.getResultPosition(loop)]);
      continue;
    }
    b.clone(op, mapping);
  }
  return mapping.lookupOrDefault(generic.getBody()->getTerminator()->getOperand(0));
}

/// Moves to the tensor that was copied; gives the element's value once that is computed.
static bool stepThroughGeneric(OpBuilder &b, GenericOp generic, Element &element, Value &computed) {
  if (!isFreeToRepeat(generic))
    return false;
  if (generic.getNumDpsInputs() == 0) {
    computed = computeElement(b, generic, element.places);
    return false;
  }
  if (!isCopy(generic))
    return false;
  AffineMap written = generic.getMatchingIndexingMap(generic.getDpsInitOperand(0));
  SmallVector<Value> places;
  for (AffineExpr expr : generic.getMatchingIndexingMap(generic.getDpsInputOperand(0)).getResults()) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      places.push_back(arith::ConstantIndexOp::create(b, generic.getLoc(), constant.getValue()));
    else if (std::optional<unsigned> dim = written.getResultPosition(expr))
      places.push_back(element.places[*dim]);
    else
      return false;
  }
  element = {generic.getDpsInputs().front(), places};
  return true;
}

static void readBehindCopies(tensor::ExtractOp extract) {
  OpBuilder b(extract);
  Element element{extract.getTensor(), llvm::to_vector(extract.getIndices())};
  Value computed;
  for (bool steps = true; steps;) {
    steps = false;
    Operation *op = element.tensor.getDefiningOp();
    if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
      steps = stepThroughExpand(expand, element);
    else if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
      steps = stepThroughCollapse(b, collapse, element);
    else if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op))
      steps = stepThroughPiece(b, insert, element);
    else if (auto generic = dyn_cast_or_null<GenericOp>(op))
      steps = stepThroughGeneric(b, generic, element, computed);
  }
  if (!computed && element.tensor == extract.getTensor())
    return;
  if (!computed)
    computed = tensor::ExtractOp::create(b, extract.getLoc(), element.tensor, element.places);
  extract.replaceAllUsesWith(computed);
  extract.erase();
}

void dyn::readBehindCopies(Block &block) {
  for (auto generic : block.getOps<GenericOp>()) {
    SmallVector<tensor::ExtractOp> extracts;
    generic.getBody()->walk([&](tensor::ExtractOp extract) { extracts.push_back(extract); });
    for (tensor::ExtractOp extract : extracts)
      ::readBehindCopies(extract);
  }
}

//===- Pieces of tensors as places in maps --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PieceMaps.h"
#include "ReshapeViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// An index that is a loop, if any, plus a constant.
struct PlaceOfPiece {
  std::optional<unsigned> loop;
  int64_t offset = 0;
};
} // namespace

static std::optional<PlaceOfPiece> matchPlace(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return PlaceOfPiece{std::nullopt, *constant};
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return PlaceOfPiece{index.getDim(), 0};
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  std::optional<PlaceOfPiece> lhs = matchPlace(sum.getLhs()), rhs = matchPlace(sum.getRhs());
  if (!lhs || !rhs || (lhs->loop && rhs->loop))
    return std::nullopt;
  return PlaceOfPiece{lhs->loop ? lhs->loop : rhs->loop, lhs->offset + rhs->offset};
}

static void readPiece(GenericOp generic, SizeFinder &sizes) {
  if (generic.getNumDpsInputs() != 0 || generic->getNumResults() != 1 || generic.getNumReductionLoops() != 0)
    return;
  auto extract = generic.getBody()->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  AffineMap written = generic.getIndexingMapsArray()[0];
  if (!extract || extract->getBlock() != generic.getBody() || !written.isPermutation())
    return;
  Value tensor = extract.getTensor(), result = generic->getResult(0);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Sizes> parts(type.getRank());
  SmallVector<AffineExpr> read;
  Builder builder(generic.getContext());
  llvm::SmallBitVector seen(generic.getNumLoops());
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    std::optional<PlaceOfPiece> place = matchPlace(index);
    if (!place || (place->loop && seen.test(*place->loop)))
      return;
    if (!place->loop) {
      if (place->offset < 0 || place->offset >= type.getDimSize(dim)) // also if it is dynamic
        return;
      read.push_back(builder.getAffineConstantExpr(place->offset));
      continue;
    }
    seen.set(*place->loop);
    AffineExpr loop = builder.getAffineDimExpr(*place->loop);
    OpFoldResult whole = sizes.find(tensor, dim), piece = sizes.find(result, *written.getResultPosition(loop));
    if (!whole || !piece)
      return;
    if (whole != piece) {
      std::optional<int64_t> wholeSize = getConstantIntValue(whole), pieceSize = getConstantIntValue(piece);
      if (!wholeSize || !pieceSize || *pieceSize <= 0 || place->offset < 0 || *wholeSize % *pieceSize != 0 ||
          place->offset % *pieceSize != 0)
        return;
      parts[dim] = {builder.getIndexAttr(*wholeSize / *pieceSize), piece};
      read.push_back(builder.getAffineConstantExpr(place->offset / *pieceSize));
    } else if (place->offset != 0) {
      return;
    }
    read.push_back(loop);
  }
  // Whether all of the piece lies inside was decided before.
  if (llvm::all_of(parts, [](const Sizes &dimParts) { return dimParts.empty(); }) && read.size() == seen.count())
    return;
  OpBuilder b(generic);
  Value divided = createSplit(b, sizes, tensor, parts);
  SmallVector<AffineMap> maps{AffineMap::get(generic.getNumLoops(), 0, read, generic.getContext()), written};
  auto copy = GenericOp::create(b, generic.getLoc(), generic->getResultTypes(), divided, generic.getDpsInits(), maps,
                                generic.getIteratorTypesArray(), [](OpBuilder &b, Location loc, ValueRange elements) {
                                  linalg::YieldOp::create(b, loc, elements.front());
                                });
  result.replaceAllUsesWith(copy->getResult(0));
  generic->erase();
}

void dyn::readPiecesByMaps(Block &block, SizeFinder &sizes) {
  for (GenericOp generic : llvm::to_vector(block.getOps<GenericOp>()))
    readPiece(generic, sizes);
}

//===----------------------------------------------------------------------===//
// Concats
//===----------------------------------------------------------------------===//

namespace {
/// Pieces of one size along an axis, in order.
struct PieceList {
  SmallVector<Value> pieces;
  int64_t axis = 0, size = 0;
};
} // namespace

/// The pieces that are written into `last`, of static and equal sizes.
static std::optional<PieceList> matchPieces(tensor::InsertSliceOp last) {
  PieceList list;
  RankedTensorType type = last.getResultType();
  SmallVector<tensor::InsertSliceOp> chain{last};
  while (auto previous = chain.back().getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if (!previous->hasOneUse())
      return std::nullopt;
    chain.push_back(previous);
  }
  if (!chain.back().getDest().getDefiningOp<tensor::EmptyOp>() || chain.size() < 2)
    return std::nullopt;
  int64_t next = 0;
  for (tensor::InsertSliceOp slice : llvm::reverse(chain)) {
    RankedTensorType pieceType = slice.getSourceType();
    if (pieceType.getRank() != type.getRank() || !slice.hasUnitStride())
      return std::nullopt;
    // Other dims have the size of the whole, as the pieces cover it.
    int64_t axis = -1;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (pieceType.getDimSize(dim) != type.getDimSize(dim)) {
        if (axis != -1)
          return std::nullopt;
        axis = dim;
      }
    if (axis == -1 || type.isDynamicDim(axis) || pieceType.isDynamicDim(axis))
      return std::nullopt;
    int64_t size = pieceType.getDimSize(axis);
    if (!list.pieces.empty() && (list.axis != axis || list.size != size))
      return std::nullopt;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (slice.getStaticOffset(dim) != (dim == axis ? next : 0))
        return std::nullopt;
    list.axis = axis;
    list.size = size;
    list.pieces.push_back(slice.getSource());
    next += size;
  }
  if (list.size <= 0 || next != type.getDimSize(list.axis))
    return std::nullopt;
  return list;
}

/// The op that reads a value, also through views, if it is one and computes points on their own.
static GenericOp getOnlyReader(Value value) {
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    auto generic = dyn_cast<GenericOp>(use.getOwner());
    if (generic)
      return generic.isDpsInput(&use) && generic.getNumReductionLoops() == 0 ? generic : GenericOp();
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(use.getOwner()))
      return {};
    value = use.getOwner()->getResult(0);
  }
  return {};
}

static void selectPiece(tensor::InsertSliceOp last) {
  constexpr size_t maxPieces = 4;
  std::optional<PieceList> list = matchPieces(last);
  if (!list || list->pieces.size() > maxPieces)
    return;
  bool areEqual = llvm::all_equal(list->pieces);
  if (!areEqual && !getOnlyReader(last.getResult()))
    return;
  OpBuilder b(last);
  Location loc = last.getLoc();
  RankedTensorType type = last.getResultType();
  Value destination = last.getDest();
  while (auto slice = destination.getDefiningOp<tensor::InsertSliceOp>())
    destination = slice.getDest();
  SmallVector<OpFoldResult> shape;
  SmallVector<AffineExpr> read;
  SmallVector<ReassociationIndices> groups;
  for (auto [dim, size] : llvm::enumerate(destination.getDefiningOp<tensor::EmptyOp>().getMixedSizes())) {
    groups.emplace_back();
    bool isAxis = static_cast<int64_t>(dim) == list->axis;
    if (isAxis) {
      groups.back().push_back(shape.size());
      shape.push_back(b.getIndexAttr(list->pieces.size()));
    }
    groups.back().push_back(shape.size());
    read.push_back(b.getAffineDimExpr(shape.size()));
    shape.push_back(isAxis ? OpFoldResult(b.getIndexAttr(list->size)) : size);
  }
  Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  SmallVector<Value> inputs(list->pieces);
  if (areEqual)
    inputs.resize(1);
  SmallVector<AffineMap> maps(inputs.size(), AffineMap::get(shape.size(), 0, read, b.getContext()));
  maps.push_back(b.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  auto select = [&](OpBuilder &b, Location loc, ValueRange elements) {
    Value result = elements[inputs.size() - 1];
    for (size_t piece = inputs.size() - 1; piece-- > 0;) {
      Value place = linalg::IndexOp::create(b, loc, list->axis), bound = arith::ConstantIndexOp::create(b, loc, piece);
      Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, place, bound);
      result = arith::SelectOp::create(b, loc, isHere, elements[piece], result);
    }
    linalg::YieldOp::create(b, loc, result);
  };
  auto selected = GenericOp::create(b, loc, TypeRange{empty.getType()}, inputs, empty, maps, iterators, select);
  Value joined = tensor::CollapseShapeOp::create(b, loc, type, selected->getResult(0), groups);
  last.getResult().replaceAllUsesWith(joined);
}

void dyn::selectPieces(Block &block) {
  for (auto last : llvm::to_vector(llvm::reverse(llvm::to_vector(block.getOps<tensor::InsertSliceOp>()))))
    if (llvm::none_of(last->getUsers(), [](Operation *user) { return isa<tensor::InsertSliceOp>(user); }) &&
        !last->use_empty())
      selectPiece(last);
}

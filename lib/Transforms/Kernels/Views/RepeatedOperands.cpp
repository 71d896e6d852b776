//===- Operands of products that may have to be repeated -----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RepeatedOperands.h"
#include "../KernelGrouping.h"
#include "../ProducerInlining.h"
#include "MappedCopy.h"
#include "ReshapeViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dyn;
using linalg::GenericOp;

/// From index 0 on; sizes and strides of each dim.
static Value createSlice(OpBuilder &b, Location loc, Value tensor, ArrayRef<OpFoldResult> sizes,
                         ArrayRef<OpFoldResult> strides) {
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes, strides);
}

//===----------------------------------------------------------------------===//
// Reads of copies become slices
//===----------------------------------------------------------------------===//

namespace {
/// A generic that yields what it reads of a tensor at the indices of its loops, some of them times a factor.
struct RepeatedRead {
  Value tensor;
  /// Of each dim of the tensor: the loop, none for one of size 1, and the factor, if there is one.
  SmallVector<std::optional<unsigned>> loops;
  SmallVector<Value> factors;
};
} // namespace

/// Whether the value is known to be 0 or 1.
static bool isFactor(Value value) {
  auto cast = value.getDefiningOp<arith::IndexCastUIOp>();
  return cast && cast.getIn().getDefiningOp<shape::HoldsOp>();
}

static std::optional<RepeatedRead> matchRepeatedRead(GenericOp generic) {
  if (generic.getNumDpsInputs() != 0 || generic->getNumResults() != 1 || generic.getNumReductionLoops() != 0 ||
      !generic.getIndexingMapsArray()[0].isPermutation() ||
      !generic.getDpsInits().front().getDefiningOp<tensor::EmptyOp>())
    return std::nullopt;
  auto extract = generic.getBody()->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  // MLIR has no slices of what is empty: an index of 0 is out of bounds there.
  if (!extract || extract->getBlock() != generic.getBody() ||
      llvm::is_contained(extract.getTensor().getType().getShape(), 0))
    return std::nullopt;
  RepeatedRead read{extract.getTensor(), {}, {}};
  bool isRepeated = false;
  for (auto [dim, place] : llvm::enumerate(extract.getIndices())) {
    Value factor;
    if (auto product = place.getDefiningOp<arith::MulIOp>()) {
      bool isSecond = isFactor(product.getRhs());
      factor = product->getOperand(isSecond);
      place = product->getOperand(!isSecond);
      if (!isFactor(factor))
        return std::nullopt;
    }
    auto index = place.getDefiningOp<linalg::IndexOp>();
    bool isOfOne = matchPattern(place, m_Zero()) && extract.getTensor().getType().getDimSize(dim) == 1;
    if (!index && (!isOfOne || factor))
      return std::nullopt;
    read.loops.push_back(index ? std::optional<unsigned>(index.getDim()) : std::nullopt);
    if (index && llvm::count(read.loops, read.loops.back()) > 1)
      return std::nullopt;
    read.factors.push_back(factor);
    isRepeated |= bool(factor);
  }
  return isRepeated ? std::optional(read) : std::nullopt;
}

/// Whether a product reads the operand's value, maybe by way of copies.
static bool leadsToProduct(OpOperand &use) {
  auto generic = dyn_cast<GenericOp>(use.getOwner());
  if (!generic || !generic.isDpsInput(&use))
    return false;
  return isContraction(generic) || (isCopy(generic) && llvm::any_of(generic->getResult(0).getUses(), leadsToProduct));
}

/// What `read` reads as a slice, in the loops of the generic.
static Value createSliceOf(GenericOp generic, const RepeatedRead &read) {
  OpBuilder b(generic);
  AffineMap written = generic.getIndexingMapsArray()[0];
  SmallVector<OpFoldResult> shape = generic.getDpsInits().front().getDefiningOp<tensor::EmptyOp>().getMixedSizes();
  SmallVector<OpFoldResult> sizes, strides;
  SmallVector<AffineExpr> indices;
  for (auto [loop, factor] : llvm::zip_equal(read.loops, read.factors)) {
    // A dim of the result for each loop.
    std::optional<unsigned> place = loop ? written.getResultPosition(b.getAffineDimExpr(*loop)) : std::nullopt;
    sizes.push_back(place ? shape[*place] : b.getIndexAttr(1));
    strides.push_back(factor ? OpFoldResult(factor) : b.getIndexAttr(1));
    indices.push_back(place ? b.getAffineDimExpr(*place) : b.getAffineConstantExpr(0));
  }
  Value slice = createSlice(b, generic.getLoc(), read.tensor, sizes, strides);
  return createMappedCopy(b, generic.getLoc(), slice, AffineMap::get(shape.size(), 0, indices, b.getContext()), shape);
}

/// Where a slice is one of a copy, slices what the copy reads, and copies that.
static void sliceBeforeCopying(tensor::ExtractSliceOp slice, SizeFinder &sizes) {
  while (auto copy = slice.getSource().getDefiningOp<GenericOp>()) {
    if (!isCopy(copy) || !isFreeToRepeat(copy) || !isa<RankedTensorType>(copy.getDpsInputs().front().getType()))
      return;
    AffineMap read = copy.getIndexingMapsArray()[0].compose(inversePermutation(copy.getIndexingMapsArray()[1]));
    Value source = copy.getDpsInputs().front();
    OpBuilder b(slice);
    SmallVector<OpFoldResult> newSizes, newStrides;
    llvm::SmallBitVector seen(read.getNumDims());
    for (auto [dim, expr] : llvm::enumerate(read.getResults())) {
      auto index = dyn_cast<AffineDimExpr>(expr);
      if (index ? seen.test(index.getPosition()) : !isa<AffineConstantExpr>(expr))
        return;
      if (index)
        seen.set(index.getPosition());
      newSizes.push_back(index ? slice.getMixedSizes()[index.getPosition()] : sizes.find(source, dim));
      newStrides.push_back(index ? slice.getMixedStrides()[index.getPosition()] : b.getIndexAttr(1));
      if (!newSizes.back())
        return;
    }
    Value before = createSlice(b, slice.getLoc(), source, newSizes, newStrides);
    slice.replaceAllUsesWith(createMappedCopy(b, copy.getLoc(), before, read, slice.getMixedSizes()));
    slice.erase();
    slice = before.getDefiningOp<tensor::ExtractSliceOp>();
  }
}

void dyn::readRepeatedInPlace(Block &block, SizeFinder &sizes) {
  for (GenericOp generic : llvm::to_vector(block.getOps<GenericOp>())) {
    std::optional<RepeatedRead> read = matchRepeatedRead(generic);
    if (!read || llvm::none_of(generic->getResult(0).getUses(), leadsToProduct))
      continue;
    Value copy = createSliceOf(generic, *read);
    generic->getResult(0).replaceUsesWithIf(copy, leadsToProduct);
    sliceBeforeCopying(copy.getDefiningOp()->getOperand(0).getDefiningOp<tensor::ExtractSliceOp>(), sizes);
  }
}

//===----------------------------------------------------------------------===//
// Slices among other ops
//===----------------------------------------------------------------------===//

void dyn::divideBeforeSlicing(Block &block, SizeFinder &sizes) {
  for (auto view : llvm::make_early_inc_range(block.getOps<tensor::ExpandShapeOp>())) {
    auto slice = view.getSrc().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice)
      continue;
    OpBuilder b(view);
    SmallVector<Sizes> parts;
    SmallVector<OpFoldResult> strides;
    bool isPossible = true;
    for (auto [dim, group] : llvm::enumerate(view.getReassociationIndices())) {
      OpFoldResult stride = slice.getMixedStrides()[dim], whole = sizes.find(slice.getSource(), dim);
      bool isWhole =
          isConstantIntValue(stride, 1) && whole && isEqualConstantIntOrValue(whole, slice.getMixedSizes()[dim]);
      isPossible &= group.size() == 1 || isWhole;
      strides.append(group.size(), stride);
      parts.emplace_back();
      if (group.size() > 1)
        for (int64_t dim : group)
          parts.back().push_back(view.getMixedOutputShape()[dim]);
    }
    if (!isPossible)
      continue;
    Value divided = createSplit(b, sizes, slice.getSource(), parts);
    view.replaceAllUsesWith(createSlice(b, slice.getLoc(), divided, view.getMixedOutputShape(), strides));
    view.erase();
  }
}

static bool isForProduct(OpOperand &use) {
  auto generic = dyn_cast<GenericOp>(use.getOwner());
  return generic && isContraction(generic);
}

void dyn::copySlicesForOthers(Block &block) {
  for (auto slice : llvm::make_early_inc_range(block.getOps<tensor::ExtractSliceOp>())) {
    if (!isRepeatedOperand(slice) || llvm::all_of(slice->getUses(), isForProduct))
      continue;
    OpBuilder b(slice->getNextNode());
    Location loc = slice.getLoc();
    SmallVector<OpFoldResult> shape = slice.getMixedSizes(), strides = slice.getMixedStrides();
    Value empty = tensor::EmptyOp::create(b, loc, shape, slice.getType().getElementType());
    SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
    auto read = [&](OpBuilder &b, Location loc, ValueRange) {
      SmallVector<Value> places;
      for (auto [dim, stride] : llvm::enumerate(strides)) {
        Value place = linalg::IndexOp::create(b, loc, dim);
        if (auto factor = dyn_cast<Value>(stride))
          place = arith::MulIOp::create(b, loc, place, factor);
        places.push_back(place);
      }
      Value element = tensor::ExtractOp::create(b, loc, slice.getSource(), places);
      linalg::YieldOp::create(b, loc, element);
    };
    auto copy = GenericOp::create(b, loc, TypeRange{empty.getType()}, ValueRange(), empty,
                                  b.getMultiDimIdentityMap(shape.size()), iterators, read);
    slice.getResult().replaceUsesWithIf(copy->getResult(0), [](OpOperand &use) { return !isForProduct(use); });
  }
}

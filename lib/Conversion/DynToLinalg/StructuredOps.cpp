//===- Destinations, accesses and generics -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

TypedAttr FunctionReifier::getSplat(Value original) {
  TypedAttr value;
  if (auto constant = original.getDefiningOp<ConstantOp>())
    value = dyn_cast<TypedAttr>(constant.getValue());
  else if (auto full = original.getDefiningOp<FullOp>())
    value = full.getValue();
  if (auto elements = dyn_cast_if_present<ElementsAttr>(value)) {
    if (elements.getNumElements() == 0 || !elements.isSplat() || !isa<DenseElementsAttr>(elements))
      return {};
    value = dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>());
  }
  return isa_and_present<IntegerAttr, FloatAttr>(value) ? getSignlessAttr(value) : TypedAttr();
}

Value FunctionReifier::createEmpty(Location loc, ArrayRef<Expr> dims, Type elementType) {
  OpBuilder::InsertionGuard inside(builder);
  if (outermostLoop)
    builder.setInsertionPoint(outermostLoop);
  Expr zero = context.getConstant(0);
  auto sizes = llvm::map_to_vector(dims, [&](Expr dim) {
    // Where there is no trip, nobody has seen to it that a size is one.
    bool isSize = !outermostLoop || solver.isLessEqual(zero, dim) == Verdict::Yes;
    return getSize(isSize ? dim : max({dim, zero}));
  });
  return tensor::EmptyOp::create(builder, loc, sizes, elementType);
}

Value FunctionReifier::createFilled(Location loc, ArrayRef<Expr> dims, TypedAttr value) {
  Value empty = createEmpty(loc, dims, value.getType());
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

/// Reads the tensor that a view with more or fewer dims of size 1 was made of, so that the view is not needed.
static void lookThroughUnitDims(Access &access) {
  auto isUnit = [](Value tensor, int64_t dim) { return cast<RankedTensorType>(tensor.getType()).getDimSize(dim) == 1; };
  while (Operation *view = access.tensor.getDefiningOp()) {
    bool expands = isa<tensor::ExpandShapeOp>(view);
    if (!expands && !isa<tensor::CollapseShapeOp>(view))
      return;
    SmallVector<ReassociationIndices> groups = expands ? cast<tensor::ExpandShapeOp>(view).getReassociationIndices()
                                                       : cast<tensor::CollapseShapeOp>(view).getReassociationIndices();
    Value source = view->getOperand(0), fine = expands ? view->getResult(0) : source;
    MLIRContext *context = view->getContext();
    unsigned sourceRank = cast<RankedTensorType>(source.getType()).getRank();
    SmallVector<AffineExpr> indices(sourceRank, getAffineConstantExpr(0, context));
    SmallVector<Value> factors(sourceRank);
    for (auto [coarse, group] : llvm::enumerate(groups)) {
      // The one dim that may be larger than 1; the coarse dim has its size.
      std::optional<int64_t> large;
      for (int64_t dim : group) {
        if (isUnit(fine, dim))
          continue;
        if (large)
          return;
        large = dim;
      }
      if (!large)
        continue;
      unsigned from = expands ? *large : coarse, to = expands ? coarse : *large;
      indices[to] = access.indices[from];
      factors[to] = access.factors[from];
    }
    access.tensor = source;
    access.indices = std::move(indices);
    access.factors = std::move(factors);
  }
}

Access FunctionReifier::getBroadcastAccess(Value original, ArrayRef<Expr> loopDims) {
  Access access;
  if ((access.splat = getSplat(original)))
    return access;
  access.tensor = lookup(original);
  SmallVector<Expr> dims = getDims(original);
  unsigned offset = loopDims.size() - dims.size();
  Expr one = context.getConstant(1);
  for (auto [index, dim] : llvm::enumerate(dims)) {
    Expr loopDim = loopDims[index + offset];
    AffineExpr loop = getLoop(index + offset);
    bool follows = dim == loopDim || solver.isEqual(dim, loopDim) == Verdict::Yes;
    bool repeats = !follows && solver.isEqual(dim, one) == Verdict::Yes;
    access.indices.push_back(repeats ? builder.getAffineConstantExpr(0) : loop);
    access.factors.push_back(follows || repeats ? Value() : getBroadcastFactor(dim, loopDim));
  }
  lookThroughUnitDims(access);
  return access;
}

Access FunctionReifier::getAccess(Value tensor, ArrayRef<AffineExpr> indices) const {
  return Access{tensor, llvm::to_vector(indices), SmallVector<Value>(indices.size()), {}};
}

/// Must the body compute the place itself?
static bool isCaptured(const Access &access) {
  return llvm::any_of(access.factors, [](Value factor) { return bool(factor); });
}

Value FunctionReifier::readElement(OpBuilder &b, Location loc, const Access &access) const {
  if (access.splat)
    return arith::ConstantOp::create(b, loc, access.splat);
  SmallVector<Value> places;
  for (auto [index, factor] : llvm::zip_equal(access.indices, access.factors)) {
    Value place;
    if (auto constant = dyn_cast<AffineConstantExpr>(index))
      place = arith::ConstantIndexOp::create(b, loc, constant.getValue());
    else
      place = linalg::IndexOp::create(b, loc, cast<AffineDimExpr>(index).getPosition());
    if (factor)
      place = arith::MulIOp::create(b, loc, place, factor);
    places.push_back(place);
  }
  return tensor::ExtractOp::create(b, loc, access.tensor, places);
}

SmallVector<Value> FunctionReifier::createReduction(Location loc, ArrayRef<Value> inits, unsigned numReductions,
                                                    ArrayRef<Access> inputs, CombineFn body) {
  unsigned numParallel = cast<RankedTensorType>(inits.front().getType()).getRank();
  unsigned numLoops = numParallel + numReductions;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (const Access &input : inputs) {
    if (input.splat || isCaptured(input))
      continue;
    operands.push_back(input.tensor);
    maps.push_back(AffineMap::get(numLoops, 0, input.indices, builder.getContext()));
  }
  SmallVector<AffineExpr> parallelLoops;
  for (unsigned loop = 0; loop < numParallel; ++loop)
    parallelLoops.push_back(getLoop(loop));
  maps.append(inits.size(), AffineMap::get(numLoops, 0, parallelLoops, builder.getContext()));
  SmallVector<utils::IteratorType> iterators(numParallel, utils::IteratorType::parallel);
  iterators.append(numReductions, utils::IteratorType::reduction);
  auto build = [&](OpBuilder &b, Location loc, ValueRange arguments) {
    SmallVector<Value> elements;
    unsigned next = 0;
    for (const Access &input : inputs)
      elements.push_back(input.splat || isCaptured(input) ? readElement(b, loc, input) : arguments[next++]);
    linalg::YieldOp::create(b, loc, body(b, loc, elements, arguments.drop_front(next)));
  };
  SmallVector<Type> types = llvm::map_to_vector(inits, [](Value init) { return init.getType(); });
  auto generic = linalg::GenericOp::create(builder, loc, types, operands, inits, maps, iterators, build);
  return llvm::to_vector(llvm::map_range(generic.getResults(), [](Value result) { return result; }));
}

Value FunctionReifier::createPointwise(Location loc, ArrayRef<Expr> dims, Type elementType, ArrayRef<Access> inputs,
                                       BodyFn body) {
  Value empty = createEmpty(loc, dims, elementType);
  return createReduction(loc, empty, 0, inputs,
                         [&](OpBuilder &b, Location loc, ValueRange elements, ValueRange) {
                           return SmallVector<Value>{body(b, loc, elements)};
                         })
      .front();
}

SmallVector<Value> FunctionReifier::createLoops(
    OpBuilder &b, Location loc, ArrayRef<Expr> dims, ArrayRef<Value> carried,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange, ValueRange)> body) {
  SmallVector<Value> begins(dims.size(), getIndex(context.getConstant(0))),
      steps(dims.size(), getIndex(context.getConstant(1))), ends;
  for (Expr dim : dims)
    ends.push_back(getIndex(dim));
  auto build = [&](OpBuilder &b, Location loc, ValueRange places, ValueRange carried) -> scf::ValueVector {
    SmallVector<Value> results = body(b, loc, places, carried);
    return scf::ValueVector(results.begin(), results.end());
  };
  scf::LoopNest nest = scf::buildLoopNest(b, loc, begins, ends, steps, carried, build);
  return SmallVector<Value>(nest.results.begin(), nest.results.end());
}

//===- Lowerings of ops that move or make data --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// The body of a copy.
static Value forward(OpBuilder &, Location, ValueRange elements) { return elements.front(); }

static LogicalResult lowerConstant(ConstantOp op, FunctionReifier &reifier) {
  RankedTensorType type = getReifiedType(op.getType());
  auto value = cast<TypedAttr>(op.getValue());
  if (auto weight = dyn_cast<WeightAttr>(value))
    value = WeightAttr::get(type, weight.getFile(), weight.getOffset(), weight.getLength());
  else if (isa<DenseElementsAttr>(value))
    value = getSignlessAttr(value);
  if (value.getType() != type)
    return op.emitOpError() << "holds elements of type " << getElementType(op.getResult())
                            << " in a form that has no lowering";
  reifier.map(op.getResult(), ConstantOp::create(reifier.builder, op.getLoc(), value));
  return success();
}

/// Ops whose result has the elements of the operand in the same order.
template <typename OpT>
static LogicalResult lowerToReshape(OpT op, FunctionReifier &reifier) {
  Value operand = op.getOperand();
  reifier.map(op.getResult(), reifier.createReshape(op.getLoc(), reifier.lookup(operand), reifier.getDims(operand),
                                                    reifier.getDims(op.getResult())));
  return success();
}

static LogicalResult lowerTranspose(TransposeOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult());
  SmallVector<int64_t> perm;
  if (std::optional<ArrayRef<int64_t>> given = op.getPerm())
    perm = llvm::to_vector(*given);
  else
    llvm::append_range(perm, llvm::reverse(llvm::seq<int64_t>(0, dims.size())));
  SmallVector<AffineExpr> indices(dims.size());
  for (auto [to, from] : llvm::enumerate(perm))
    indices[from] = reifier.getLoop(to);
  Value operand = reifier.lookup(op.getOperand());
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), dims, getElementType(operand),
                                                      reifier.getAccess(operand, indices), forward));
  return success();
}

static LogicalResult lowerBroadcast(BroadcastOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult());
  Value operand = reifier.lookup(op.getOperand());
  reifier.map(op.getResult(),
              dims == reifier.getDims(op.getOperand())
                  ? operand
                  : reifier.createPointwise(op.getLoc(), dims, getElementType(operand),
                                            reifier.getBroadcastAccess(op.getOperand(), dims), forward));
  return success();
}

static LogicalResult lowerConcat(ConcatOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult());
  int64_t axis = normalizeAxis(op.getAxis(), dims.size());
  SmallVector<Value> parts;
  for (Value operand : op.getOperands())
    if (!reifier.getDims(operand)[axis].isConstant(0))
      parts.push_back(operand);
  if (parts.size() == 1 && reifier.getDims(parts.front()) == dims) {
    reifier.map(op.getResult(), reifier.lookup(parts.front()));
    return success();
  }
  OpBuilder &b = reifier.builder;
  Value result = reifier.createEmpty(op.getLoc(), dims, getSignlessType(getElementType(op.getResult())));
  // Slices begin inside of what they are of, which is nowhere in a constant dim of 0.
  if (llvm::any_of(dims, [](Expr dim) { return dim.isConstant(0); }))
    parts.clear();
  SmallVector<OpFoldResult> offsets(dims.size(), b.getIndexAttr(0)), steps(dims.size(), b.getIndexAttr(1));
  Expr offset = reifier.context.getConstant(0);
  for (Value part : parts) {
    SmallVector<Expr> partDims = reifier.getDims(part);
    auto sizes = llvm::map_to_vector(partDims, [&](Expr dim) { return reifier.getSize(dim); });
    offsets[axis] = reifier.getSize(offset);
    result = tensor::InsertSliceOp::create(b, op.getLoc(), reifier.lookup(part), result, offsets, sizes, steps);
    offset = offset + partDims[axis];
  }
  reifier.map(op.getResult(), result);
  return success();
}

static LogicalResult lowerSlice(SliceOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult()), operandDims = reifier.getDims(op.getOperand());
  SmallVector<Expr> offsets = reifier.getExprs(op.getOffsets());
  ArrayRef<int64_t> steps = op.getSteps();
  Value operand = reifier.lookup(op.getOperand());
  bool isWhole = dims == operandDims && llvm::all_of(offsets, [](Expr offset) { return offset.isConstant(0); }) &&
                 llvm::all_of(steps, [](int64_t step) { return step == 1; });
  if (isWhole) {
    reifier.map(op.getResult(), operand);
    return success();
  }
  SmallVector<Value> origins(dims.size());
  for (auto [origin, offset] : llvm::zip_equal(origins, offsets))
    if (!offset.isConstant(0))
      origin = reifier.getIndex(offset);
  auto body = [&](OpBuilder &b, Location loc, ValueRange) -> Value {
    SmallVector<Value> places;
    for (auto [dim, origin] : llvm::enumerate(origins)) {
      Value place = linalg::IndexOp::create(b, loc, dim);
      if (steps[dim] != 1)
        place = arith::MulIOp::create(b, loc, place, arith::ConstantIndexOp::create(b, loc, steps[dim]));
      places.push_back(origin ? arith::AddIOp::create(b, loc, origin, place).getResult() : place);
    }
    return tensor::ExtractOp::create(b, loc, operand, places);
  };
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), dims, getElementType(operand), {}, body));
  return success();
}

static LogicalResult lowerFull(FullOp op, FunctionReifier &reifier) {
  TypedAttr value = reifier.getSplat(op.getResult());
  if (!value || !isSupportedElementType(value.getType()))
    return op.emitOpError() << "has no lowering for the value " << op.getValue();
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), reifier.getDims(op.getResult()), value.getType(), {},
                                                      [&](OpBuilder &b, Location loc, ValueRange) {
                                                        return arith::ConstantOp::create(b, loc, value);
                                                      }));
  return success();
}

static LogicalResult lowerDimValues(DimValuesOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult());
  SmallVector<Value> values =
      llvm::map_to_vector(reifier.getExprs(op.getValues()), [&](Expr value) { return reifier.getIndex(value); });
  Type type = getSignlessType(getElementType(op.getResult()));
  auto body = [&](OpBuilder &b, Location loc, ValueRange) -> Value {
    if (values.empty())
      return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    Value place = arith::ConstantIndexOp::create(b, loc, 0);
    for (auto [dim, size] : llvm::enumerate(dims)) {
      place = arith::MulIOp::create(b, loc, place, arith::ConstantIndexOp::create(b, loc, *size.getConstant()));
      place = arith::AddIOp::create(b, loc, place, linalg::IndexOp::create(b, loc, dim));
    }
    Value result = values.back();
    for (size_t i = values.size() - 1; i-- > 0;) {
      Value isHere =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, place, arith::ConstantIndexOp::create(b, loc, i));
      result = arith::SelectOp::create(b, loc, isHere, values[i], result);
    }
    return arith::IndexCastOp::create(b, loc, type, result);
  };
  if (llvm::any_of(dims, [](Expr dim) { return !dim.getConstant(); }) || !isa<IntegerType>(type))
    return op.emitOpError() << "has no lowering for a result of type " << op.getType();
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), dims, type, {}, body));
  return success();
}

static LogicalResult lowerIota(IotaOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult());
  Type type = getElementType(op.getResult()), storage = getSignlessType(type);
  if (failed(requireSupported(op, type)))
    return failure();
  SmallVector<Access> inputs{reifier.getBroadcastAccess(op.getStart(), dims),
                             reifier.getBroadcastAccess(op.getDelta(), dims)};
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
    ScalarBuilder scalars(b, loc);
    Value index = linalg::IndexOp::create(b, loc, 0);
    Value place = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
    return scalars.add(elements[0], scalars.mul(scalars.cast(place, b.getI64Type(), type), elements[1]));
  };
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), dims, storage, inputs, body));
  return success();
}

void dyn::addDataMovementLowerings(LoweringTable &table) {
  table.add<ConstantOp>(lowerConstant);
  table.add<ReshapeOp>(lowerToReshape<ReshapeOp>);
  table.add<SqueezeOp>(lowerToReshape<SqueezeOp>);
  table.add<UnsqueezeOp>(lowerToReshape<UnsqueezeOp>);
  table.add<FlattenOp>(lowerToReshape<FlattenOp>);
  table.add<AssumeShapeOp>(lowerToReshape<AssumeShapeOp>);
  table.add<TransposeOp>(lowerTranspose);
  table.add<BroadcastOp>(lowerBroadcast);
  table.add<ConcatOp>(lowerConcat);
  table.add<SliceOp>(lowerSlice);
  table.add<FullOp>(lowerFull);
  table.add<DimValuesOp>(lowerDimValues);
  table.add<IotaOp>(lowerIota);
}

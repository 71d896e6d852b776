//===- Lowerings of contractions ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Padding.h"
#include "Scalars.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// `out + lhs * rhs` over `numReductions` loops after those of the result.
static Value createContraction(FunctionReifier &reifier, Operation *op, ArrayRef<Expr> dims, unsigned numReductions,
                               ArrayRef<Access> inputs) {
  Type type = getElementType(op->getResult(0));
  // Sums of 16-bit floats would lose most of their bits.
  bool isNarrow = isa<Float16Type, BFloat16Type>(type);
  Type summed = isNarrow ? reifier.builder.getF32Type() : type;
  TypedAttr zero = cast<TypedAttr>(reifier.builder.getZeroAttr(getSignlessType(summed)));
  Value init = reifier.createFilled(op->getLoc(), dims, zero);
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements, ValueRange sums) -> SmallVector<Value> {
    ScalarBuilder scalars(b, loc);
    Value lhs = scalars.cast(elements[0], getElementType(op->getOperand(0)), summed);
    Value rhs = scalars.cast(elements[1], getElementType(op->getOperand(1)), summed);
    return {scalars.add(sums[0], scalars.mul(lhs, rhs))};
  };
  Value sum = reifier.createReduction(op->getLoc(), init, numReductions, inputs, body).front();
  if (!isNarrow)
    return sum;
  SmallVector<AffineExpr> loops;
  for (unsigned i = 0; i < dims.size(); ++i)
    loops.push_back(reifier.getLoop(i));
  return reifier.createPointwise(op->getLoc(), dims, type, reifier.getAccess(sum, loops),
                                 [&](OpBuilder &b, Location loc, ValueRange elements) {
                                   return ScalarBuilder(b, loc).cast(elements.front(), summed, type);
                                 });
}

static LogicalResult verifyElementTypes(Operation *op) {
  for (Value value : {op->getOperand(0), op->getOperand(1), Value(op->getResult(0))})
    if (failed(requireSupported(op, getElementType(value))))
      return failure();
  return success();
}

/// An operand of a matrix product: its batch dims follow those of the result, the others are given. Where it is not
/// decided whether a batch dim broadcasts, the operand is repeated first; 'dyn-form-kernels' finds the product a way to
/// do without the copy.
static Access getMatMulAccess(FunctionReifier &reifier, Location loc, Value original, ArrayRef<Expr> batch,
                              ArrayRef<AffineExpr> matrixLoops) {
  SmallVector<Expr> dims = reifier.getDims(original);
  unsigned numOwn = dims.size() - matrixLoops.size(), offset = batch.size() - numOwn;
  Value tensor = reifier.lookup(original);
  SmallVector<AffineExpr> indices;
  bool isDecided = true;
  for (unsigned i = 0; i < numOwn; ++i) {
    Expr loopDim = batch[i + offset];
    bool follows = reifier.solver.isEqual(dims[i], loopDim) == Verdict::Yes;
    bool repeats = !follows && reifier.solver.isEqual(dims[i], reifier.context.getConstant(1)) == Verdict::Yes;
    isDecided &= follows || repeats;
    indices.push_back(repeats ? reifier.builder.getAffineConstantExpr(0) : reifier.getLoop(i + offset));
  }
  if (!isDecided) {
    SmallVector<Expr> wholeDims = llvm::to_vector(batch.drop_front(offset));
    llvm::append_range(wholeDims, ArrayRef(dims).drop_front(numOwn));
    Access access = reifier.getBroadcastAccess(original, wholeDims);
    tensor = reifier.createPointwise(loc, wholeDims, getElementType(tensor), access,
                                     [](OpBuilder &, Location, ValueRange elements) { return elements.front(); });
    for (unsigned i = 0; i < numOwn; ++i)
      indices[i] = reifier.getLoop(i + offset);
  }
  llvm::append_range(indices, matrixLoops);
  return reifier.getAccess(tensor, indices);
}

static LogicalResult lowerMatMul(MatMulOp op, FunctionReifier &reifier) {
  if (failed(verifyElementTypes(op)))
    return failure();
  SmallVector<Expr> dims = reifier.getDims(op.getResult());
  size_t lhsRank = reifier.getDims(op.getLhs()).size(), rhsRank = reifier.getDims(op.getRhs()).size();
  bool hasRows = lhsRank > 1, hasColumns = rhsRank > 1;
  unsigned numBatch = dims.size() - hasRows - hasColumns;
  AffineExpr contracted = reifier.getLoop(dims.size());
  SmallVector<AffineExpr> lhsLoops, rhsLoops{contracted};
  if (hasRows)
    lhsLoops.push_back(reifier.getLoop(numBatch));
  lhsLoops.push_back(contracted);
  if (hasColumns)
    rhsLoops.push_back(reifier.getLoop(dims.size() - 1));
  ArrayRef<Expr> batch = ArrayRef(dims).take_front(numBatch);
  SmallVector<Access> inputs{getMatMulAccess(reifier, op.getLoc(), op.getLhs(), batch, lhsLoops),
                             getMatMulAccess(reifier, op.getLoc(), op.getRhs(), batch, rhsLoops)};
  reifier.map(op.getResult(), createContraction(reifier, op, dims, 1, inputs));
  return success();
}

static LogicalResult lowerConv(ConvOp op, FunctionReifier &reifier) {
  if (failed(verifyElementTypes(op)))
    return failure();
  SmallVector<Expr> dims = reifier.getDims(op.getResult()), inputDims = reifier.getDims(op.getInput()),
                    filterDims = reifier.getDims(op.getFilter());
  unsigned numSpatial = dims.size() - 2;
  SymbolicContext &context = reifier.context;
  Expr zero = context.getConstant(0);

  // Padding goes into a tensor of its own.
  SmallVector<Expr> paddedDims = inputDims, low(dims.size(), zero);
  for (unsigned i = 0; i < numSpatial; ++i) {
    low[i + 2] = context.getConstant(op.getPads()[i]);
    paddedDims[i + 2] = inputDims[i + 2] + op.getPads()[i] + op.getPads()[i + numSpatial];
  }
  Value input = reifier.lookup(op.getInput());
  if (paddedDims != inputDims) {
    Access fill;
    fill.splat = cast<TypedAttr>(reifier.builder.getZeroAttr(getElementType(input)));
    input = createPad(reifier, op.getLoc(), PadMode::Constant, input, inputDims, paddedDims, low, fill);
  }

  // Groups become a dim: input N x G x C/G x ..., filter G x M/G x C/G x ..., result N x G x M/G x ....
  Value filter = reifier.lookup(op.getFilter());
  SmallVector<Expr> groupedDims = dims;
  bool isGrouped = op.getGroup() != 1;
  if (isGrouped) {
    Expr group = context.getConstant(op.getGroup()), channels = filterDims[1], maps = exactDiv(dims[1], group);
    SmallVector<Expr> groupedInput = paddedDims, groupedFilter = filterDims;
    groupedInput[1] = channels;
    groupedInput.insert(groupedInput.begin() + 1, group);
    groupedFilter[0] = maps;
    groupedFilter.insert(groupedFilter.begin(), group);
    groupedDims[1] = maps;
    groupedDims.insert(groupedDims.begin() + 1, group);
    input = reifier.createReshape(op.getLoc(), input, paddedDims, groupedInput);
    filter = reifier.createReshape(op.getLoc(), filter, filterDims, groupedFilter);
  }
  unsigned map = isGrouped ? 2 : 1, spatial = map + 1, channel = groupedDims.size(), window = channel + 1;
  SmallVector<AffineExpr> inputIndices{reifier.getLoop(0)}, filterIndices;
  if (isGrouped) {
    inputIndices.push_back(reifier.getLoop(1));
    filterIndices.push_back(reifier.getLoop(1));
  }
  inputIndices.push_back(reifier.getLoop(channel));
  llvm::append_values(filterIndices, reifier.getLoop(map), reifier.getLoop(channel));
  for (unsigned i = 0; i < numSpatial; ++i) {
    AffineExpr place = reifier.getLoop(spatial + i) * op.getStrides()[i];
    // Along a window of one place there is no loop, so that those of a result and an input with the same dims can be
    // one.
    if (filterDims[i + 2].isConstant(1)) {
      inputIndices.push_back(place);
      filterIndices.push_back(reifier.builder.getAffineConstantExpr(0));
      continue;
    }
    inputIndices.push_back(place + reifier.getLoop(window) * op.getDilations()[i]);
    filterIndices.push_back(reifier.getLoop(window++));
  }
  SmallVector<Access> inputs{reifier.getAccess(input, inputIndices), reifier.getAccess(filter, filterIndices)};
  Value result = createContraction(reifier, op, groupedDims, window - channel, inputs);
  reifier.map(op.getResult(), reifier.createReshape(op.getLoc(), result, groupedDims, dims));
  return success();
}

void dyn::addContractionLowerings(LoweringTable &table) {
  table.add<MatMulOp>(lowerMatMul);
  table.add<ConvOp>(lowerConv);
}

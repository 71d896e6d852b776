//===- Lowering of loops ----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A counted loop in which no dim differs between trips is a loop over the number of
// the trip, in program order. What it carries lies in one place: the trip computes
// all that comes next from all that was, and then writes it there, which is the last
// that it does. Nothing that the trip computes is allocated in it.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "Scalars.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

static Expr getTrips(LoopOp op, FunctionReifier &reifier) {
  Expr trips;
  DenseIntElementsAttr constant;
  if (Value count = op.getTripCount()) {
    if (auto values = count.getDefiningOp<DimValuesOp>())
      trips = reifier.getExprs(values.getValues()).front();
    else if (matchPattern(count, m_Constant(&constant)))
      trips = reifier.context.getConstant((*constant.begin()).getSExtValue());
    trips = max({trips, reifier.context.getConstant(0)});
  }
  for (Value sliced : op.getSliced()) {
    Expr length = reifier.getDims(sliced).front();
    trips = trips ? min({trips, length}) : length;
  }
  Expr simple = trips ? reifier.solver.simplify(trips) : Expr();
  return simple ? simple : trips;
}

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

/// Why a value of the region can't be computed in each trip; "" if it can.
static std::string findObstacleOfValue(Value value, FunctionReifier &reifier) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || (!type.hasStaticShape() && !DimsAttr::of(type)))
    return "not all that it computes has dims that are known before a run";
  if (!isSupportedElementType(type.getElementType()))
    return "it computes elements that are interpreted only";
  for (Expr dim : reifier.getDims(value))
    if (!reifier.isKnownOnEntry(dim))
      return "the size '" + dim.str() + "' differs between trips";
  return "";
}

std::string dyn::findObstacle(LoopOp op, FunctionReifier &reifier, const LoweringTable &table) {
  if (!op.isCounted())
    return "data end it, or its needs differ between trips";
  Expr trips = getTrips(op, reifier);
  if (!trips || !reifier.isKnownOnEntry(trips))
    return "the number of its trips is not known before the run";
  for (Value argument : op.getBody().getArguments())
    if (std::string obstacle = findObstacleOfValue(argument, reifier); !obstacle.empty())
      return obstacle;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    auto loop = dyn_cast<LoopOp>(inner);
    if (std::string obstacle = loop ? findObstacle(loop, reifier, table) : ""; !obstacle.empty())
      return obstacle;
    if (!loop && !table.find(&inner))
      return describeOp(&inner) + " in it is not compiled";
    for (Value result : inner.getResults())
      if (std::string obstacle = findObstacleOfValue(result, reifier); !obstacle.empty())
        return obstacle;
  }
  for (auto [index, values] :
       llvm::enumerate(llvm::zip_equal(op.getInitial(), op.getCarried(), op.getNext(), op.getFinal()))) {
    auto [initial, argument, next, final] = values;
    for (Value value : {Value(initial), Value(next), Value(final)}) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || type.getElementType() != getElementType(argument) ||
          reifier.getDims(value) != reifier.getDims(argument))
        return ("the dims of carried value " + Twine(index) + " differ between trips").str();
    }
  }
  for (auto [index, stack, part] : llvm::enumerate(op.getStacks(), op.getStacked())) {
    // Where there is no trip, nobody has seen to it that a size is one.
    Expr zero = reifier.context.getConstant(0);
    SmallVector<Expr> dims = reifier.getDims(stack), inner = reifier.getDims(part);
    bool fits =
        dims.front() == trips && llvm::all_of(llvm::zip_equal(ArrayRef(dims).drop_front(), inner), [&](auto pair) {
          auto [dim, size] = pair;
          return dim == size || dim == max({size, zero});
        });
    if (!fits)
      return ("the dims of stack " + Twine(index) + " are not those of its parts").str();
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Their code
//===----------------------------------------------------------------------===//

namespace {

class LoopBuilder {
public:
  LoopBuilder(LoopOp op, FunctionReifier &reifier) : op(op), reifier(reifier), b(reifier.builder), loc(op.getLoc()) {}
  LogicalResult build();

private:
  Value copy(Value original);
  Value createSlice(Value sliced, Value slice, Value trip);
  void mapArguments(scf::ForOp loop);
  /// Writes what comes next into what is carried, and the parts into the stacks; gives what the loop yields.
  SmallVector<Value> update(scf::ForOp loop);
  Value write(Value part, ArrayRef<Expr> dims, Value whole, ArrayRef<OpFoldResult> place);

  LoopOp op;
  FunctionReifier &reifier;
  OpBuilder &b;
  Location loc;
};

} // namespace

static Value forward(OpBuilder &, Location, ValueRange elements) { return elements.front(); }

/// The same in memory of its own.
Value LoopBuilder::copy(Value original) {
  SmallVector<Expr> dims = reifier.getDims(original);
  return reifier.createPointwise(loc, dims, getSignlessType(getElementType(original)),
                                 reifier.getBroadcastAccess(original, dims), forward);
}

Value LoopBuilder::createSlice(Value sliced, Value slice, Value trip) {
  Value whole = reifier.lookup(sliced);
  SmallVector<Expr> dims = reifier.getDims(slice);
  return reifier.createPointwise(loc, dims, getElementType(whole), {}, [&](OpBuilder &b, Location loc, ValueRange) {
    SmallVector<Value> places = {trip};
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      places.push_back(linalg::IndexOp::create(b, loc, dim));
    return tensor::ExtractOp::create(b, loc, whole, places);
  });
}

void LoopBuilder::mapArguments(scf::ForOp loop) {
  Value trip = loop.getInductionVar();
  if (!op.getIteration().use_empty())
    reifier.map(op.getIteration(),
                reifier.createPointwise(loc, {}, b.getI64Type(), {}, [&](OpBuilder &b, Location loc, ValueRange) {
                  return arith::IndexCastOp::create(b, loc, b.getI64Type(), trip);
                }));
  if (!op.getStillRunning().use_empty())
    reifier.map(op.getStillRunning(),
                reifier.createPointwise(loc, {}, b.getI1Type(), {}, [](OpBuilder &b, Location loc, ValueRange) {
                  return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
                }));
  for (auto [argument, carried] : llvm::zip(op.getCarried(), loop.getRegionIterArgs()))
    reifier.map(argument, carried);
  for (auto [sliced, slice] : llvm::zip_equal(op.getSliced(), op.getSlices()))
    if (!slice.use_empty())
      reifier.map(slice, createSlice(sliced, slice, trip));
}

Value LoopBuilder::write(Value part, ArrayRef<Expr> dims, Value whole, ArrayRef<OpFoldResult> place) {
  SmallVector<OpFoldResult> offsets(place), sizes(place.size(), b.getIndexAttr(1));
  for (Expr dim : dims) {
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(reifier.getSize(dim));
  }
  SmallVector<OpFoldResult> steps(offsets.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, loc, part, whole, offsets, sizes, steps);
}

/// Where something that a loop carries lies in the place of `value`.
static bool isCarried(Value value) {
  while (isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<scf::ForOp>(argument.getOwner()->getParentOp());
}

SmallVector<Value> LoopBuilder::update(scf::ForOp loop) {
  unsigned numCarried = op.getInitial().size();
  SmallVector<Value> next, places = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
  // Parts, and what one value becomes, may be what another one still is.
  for (auto [original, place] : llvm::zip_equal(op.getStacked(), MutableArrayRef(places).drop_front(numCarried)))
    place = write(reifier.lookup(original), reifier.getDims(original), place, OpFoldResult(loop.getInductionVar()));
  for (auto [original, place] : llvm::zip(op.getNext(), places)) {
    Value value = reifier.lookup(original);
    next.push_back(value != place && isCarried(value) ? copy(original) : value);
  }
  for (auto [original, value, place] : llvm::zip(op.getNext(), next, places))
    if (value != place)
      place = write(value, reifier.getDims(original), place, {});
  return places;
}

LogicalResult LoopBuilder::build() {
  Expr trips = getTrips(op, reifier);
  SmallVector<Value> initial = llvm::map_to_vector(op.getInitial(), [&](Value value) { return copy(value); });
  for (Value stack : op.getStacks())
    initial.push_back(reifier.createEmpty(loc, reifier.getDims(stack), getSignlessType(getElementType(stack))));
  Value zero = reifier.getIndex(reifier.context.getConstant(0)), one = reifier.getIndex(reifier.context.getConstant(1));
  auto loop = scf::ForOp::create(b, loc, zero, reifier.getIndex(trips), one, initial);
  FunctionReifier::InLoop inLoop(reifier, loop, trips);
  mapArguments(loop);
  for (Operation &inner : op.getBody().front().without_terminator())
    if (failed(reifier.lower(&inner)))
      return failure();
  SmallVector<Value> yielded = update(loop);
  if (!yielded.empty())
    scf::YieldOp::create(b, loc, yielded);
  for (auto [original, result] : llvm::zip_equal(op.getResults(), loop.getResults()))
    reifier.map(original, result);
  return success();
}

static LogicalResult lowerLoop(LoopOp op, FunctionReifier &reifier) { return LoopBuilder(op, reifier).build(); }

void dyn::addLoopLowerings(LoweringTable &table) { table.add<LoopOp>(lowerLoop); }

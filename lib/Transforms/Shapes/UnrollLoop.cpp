//===- The trips of one loop ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Transforms/Shapes/UnrollLoop.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace dyn;

namespace {
/// Writes the trips of a loop one behind the other.
class Unroller {
public:
  explicit Unroller(LoopOp op) : op(op), loc(op.getLoc()), builder(op), parts(op.getStacks().size()) {}

  SmallVector<Value> run(int64_t trips);

private:
  void addTrip(int64_t trip);
  Value createScalar(Type elementType, int64_t value) {
    return createConstant(RankedTensorType::get({}, elementType), value);
  }
  Value createConstant(RankedTensorType type, int64_t value) {
    Attribute element = builder.getIntegerAttr(type.getElementType(), value);
    return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, element));
  }
  Value createSlice(Value sliced, int64_t place);
  Value createStack(unsigned index);

  LoopOp op;
  Location loc;
  OpBuilder builder;
  SmallVector<Value> carried;
  SmallVector<SmallVector<Value>> parts; ///< of each stack
};
} // namespace

/// The type with another first dim; only what the rank says where `type` has one.
static TensorType withFirstDim(TensorType type, std::optional<int64_t> size, unsigned numDropped) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return UnrankedTensorType::get(type.getElementType());
  SmallVector<int64_t> dims(ranked.getShape().drop_front(numDropped));
  if (size)
    dims.insert(dims.begin(), *size);
  return RankedTensorType::get(dims, type.getElementType());
}

Value Unroller::createSlice(Value sliced, int64_t place) {
  auto list = RankedTensorType::get({1}, builder.getI64Type());
  auto type = cast<TensorType>(sliced.getType());
  Value part = SliceToOp::create(builder, loc, withFirstDim(type, 1, 1), sliced, createConstant(list, place),
                                 createConstant(list, place + 1), createConstant(list, 0), Value());
  return SqueezeOp::create(builder, loc, withFirstDim(type, std::nullopt, 1), part, builder.getDenseI64ArrayAttr({0}));
}

void Unroller::addTrip(int64_t trip) {
  IRMapping mapping;
  mapping.map(op.getIteration(), createScalar(builder.getI64Type(), trip));
  mapping.map(op.getStillRunning(), createScalar(builder.getI1Type(), 1));
  mapping.map(op.getCarried(), carried);
  for (auto [sliced, slice] : llvm::zip_equal(op.getSliced(), op.getSlices()))
    mapping.map(slice, createSlice(sliced, trip));
  for (Operation &inner : op.getBody().front().without_terminator())
    builder.clone(inner, mapping);
  carried.clear();
  for (Value next : op.getNext())
    carried.push_back(mapping.lookupOrDefault(next));
  for (auto [stack, value] : llvm::zip_equal(parts, op.getStacked()))
    stack.push_back(mapping.lookupOrDefault(value));
}

Value Unroller::createStack(unsigned index) {
  SmallVector<Value> rows;
  for (Value part : parts[index])
    rows.push_back(UnsqueezeOp::create(builder, loc, withFirstDim(cast<TensorType>(part.getType()), 1, 0), part,
                                       builder.getDenseI64ArrayAttr({0})));
  return ConcatOp::create(builder, loc, op.getStacks()[index].getType(), builder.getI64IntegerAttr(0), rows);
}

SmallVector<Value> Unroller::run(int64_t trips) {
  carried.assign(op.getInitial().begin(), op.getInitial().end());
  for (int64_t trip = 0; trip < trips; ++trip)
    addTrip(trip);
  SmallVector<Value> results = carried;
  for (unsigned index = 0; index < parts.size(); ++index)
    results.push_back(createStack(index));
  // What a model says of the result of a node is said of the op that gives it.
  Attribute declared = op->getDiscardableAttr(DynDialect::kDeclaredDimsAttrName);
  Operation *giver = declared ? results.front().getDefiningOp() : nullptr;
  if (giver && giver->getNumResults() == 1 && !giver->hasAttr(DynDialect::kDeclaredDimsAttrName))
    giver->setAttr(DynDialect::kDeclaredDimsAttrName, declared);
  op.replaceAllUsesWith(results);
  op.erase();
  return results;
}

bool dyn::mayUnrollLoop(LoopOp op, int64_t trips, int64_t maxOps) {
  // Sizes that were inferred may speak of the number of the trip.
  if (op.getCounting() || op.getBinds())
    return false;
  // Of an empty stack, only the types of the body tell the dims.
  if (trips == 0)
    return op.getStacks().empty();
  int64_t numOps = 0;
  op.getBody().walk([&](Operation *) { ++numOps; });
  return trips <= maxOps / numOps;
}

SmallVector<Value> dyn::unrollLoop(LoopOp op, int64_t trips) { return Unroller(op).run(trips); }

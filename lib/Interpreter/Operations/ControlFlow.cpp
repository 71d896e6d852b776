//===- Branches and loops of a run ---------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Run.h"
#include "../SymbolBinding.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

/// The only element of an integer or boolean tensor.
static FailureOr<int64_t> getElement(Operation *op, const Twine &what, const ReferenceTensor &tensor) {
  if (tensor.getNumElements() != 1)
    return emitError(op) << what << " has the dims " << print(tensor.getDims()) << ", must have one element";
  return tensor.getIntegers().front();
}

Results Run::evaluateIf(IfOp op, Operands operands, Frame &frame) {
  FailureOr<int64_t> condition = getElement(op, "the condition", operands[0]);
  if (failed(condition))
    return failure();
  Frame inner((*condition ? op.getThenRegion() : op.getElseRegion()).front(), frame);
  return runBlock(inner, {});
}

namespace {
/// The values of all trips, one after the other.
class Stack {
public:
  LogicalResult push(LoopOp op, unsigned index, const ReferenceTensor &tensor) {
    if (!parts.empty() && parts.front().getDims() != tensor.getDims())
      return emitError(op) << "what is stacked for result " << op.getInitial().size() + index << " has the dims "
                           << print(tensor.getDims()) << " in trip " << parts.size() << ", and "
                           << print(parts.front().getDims()) << " before";
    parts.push_back(tensor);
    return success();
  }

  Result finish(LoopOp op, unsigned index, const ReferenceScope &scope, bool &hasGuessed) const {
    Value result = op.getStacks()[index];
    Dims dims;
    if (parts.empty()) {
      dims = getDimsWithoutTrips(result.getType(), scope, hasGuessed);
    } else {
      llvm::append_range(dims, parts.front().getDims());
      dims.insert(dims.begin(), parts.size());
    }
    Result stack = allocate(op, cast<TensorType>(result.getType()).getElementType(), dims);
    if (failed(stack))
      return failure();
    char *next = stack->getMutableData();
    for (const ReferenceTensor &part : parts)
      next = llvm::copy(part.getBytes(), next);
    return stack;
  }

private:
  /// Sizes that only a trip would tell are 0. Where only a trip would tell the rank, it is 1.
  static Dims getDimsWithoutTrips(Type type, const ReferenceScope &scope, bool &hasGuessed) {
    Dims dims = {0};
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      hasGuessed = true;
      return dims;
    }
    DimsAttr encoding = DimsAttr::of(tensor);
    for (auto [index, size] : llvm::drop_begin(llvm::enumerate(tensor.getShape()))) {
      std::optional<int64_t> value;
      if (ShapedType::isStatic(size))
        value = size;
      else if (encoding)
        value = scope.evaluate(encoding.getDims()[index]);
      hasGuessed |= !value;
      dims.push_back(value.value_or(0));
    }
    return dims;
  }

  SmallVector<ReferenceTensor> parts;
};
} // namespace

/// There are as many trips as slices.
static LogicalResult limitToSlices(LoopOp op, Operands sliced, int64_t &limit) {
  for (auto [index, tensor] : llvm::enumerate(sliced)) {
    if (tensor.getRank() == 0)
      return emitError(op) << "sliced tensor " << index << " has no dim";
    if (tensor.getDim(0) != sliced.front().getDim(0))
      return emitError(op) << "sliced tensors have the lengths " << sliced.front().getDim(0) << " and "
                           << tensor.getDim(0);
    limit = std::min(limit, tensor.getDim(0));
  }
  return success();
}

/// What lies at a place of the first dim.
static ReferenceTensor getSlice(const ReferenceTensor &tensor, int64_t place) {
  int64_t bytes = tensor.getBytes().size() / tensor.getDim(0);
  auto owner = std::make_shared<ReferenceTensor>(tensor);
  return ReferenceTensor::wrap(tensor.getElementType(), tensor.getDims().drop_front(),
                               tensor.getBytes().data() + place * bytes, owner);
}

Results Run::evaluateLoop(LoopOp op, Operands operands, Frame &frame) {
  int64_t limit = INT64_MAX;
  bool isRunning = true;
  if (op.getTripCount()) {
    FailureOr<int64_t> count = getElement(op, "the number of trips", operands.front());
    if (failed(count))
      return failure();
    limit = *count;
    operands = operands.drop_front();
  }
  if (op.getCondition()) {
    FailureOr<int64_t> condition = getElement(op, "the condition", operands.front());
    if (failed(condition))
      return failure();
    isRunning = *condition;
    operands = operands.drop_front();
  }
  size_t numCarried = op.getInitial().size();
  SmallVector<ReferenceTensor> carried(operands.take_front(numCarried));
  Operands sliced = operands.drop_front(numCarried);
  if (failed(limitToSlices(op, sliced, limit)))
    return failure();
  SmallVector<Stack> stacks(op.getStacks().size());
  Builder builder(op.getContext());
  for (int64_t trip = 0; trip < limit && isRunning; ++trip) {
    Frame inner(op.getBody().front(), frame);
    if (op.getCounting())
      inner.scope.bind(*op.getCounting(), trip);
    Result number = makeIntegers(op, trip, {}, builder.getI64Type()),
           isTrue = makeIntegers(op, 1, {}, builder.getI1Type());
    if (failed(number) || failed(isTrue))
      return failure();
    SmallVector<ReferenceTensor> arguments = {*std::move(number), *std::move(isTrue)};
    llvm::append_range(arguments, std::move(carried));
    for (const ReferenceTensor &tensor : sliced)
      arguments.push_back(getSlice(tensor, trip));
    for (auto [index, argument, tensor] : llvm::enumerate(op.getBody().getArguments(), arguments))
      if (failed(checkType(inner.scope, tensor, argument.getType(), /*mayBind=*/true, [&, i = index] {
            return emitError(op) << "argument " << i << " of the region, in trip " << trip << ", ";
          })))
        return failure();
    Results yielded = runBlock(inner, arguments);
    FailureOr<int64_t> condition =
        failed(yielded) ? FailureOr<int64_t>() : getElement(op, "the next condition", yielded->front());
    if (failed(condition))
      return failure();
    isRunning = *condition;
    carried.assign(yielded->begin() + 1, yielded->begin() + 1 + numCarried);
    for (auto [index, tensor] : llvm::enumerate(ArrayRef(*yielded).drop_front(1 + numCarried)))
      if (failed(stacks[index].push(op, index, tensor)))
        return failure();
  }
  for (auto [index, stack] : llvm::enumerate(stacks)) {
    Result result = stack.finish(op, index, frame.scope, watch.hasGuessedSizes);
    if (failed(result))
      return failure();
    carried.push_back(std::move(*result));
  }
  return carried;
}

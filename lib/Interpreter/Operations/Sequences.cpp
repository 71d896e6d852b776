//===- Reference evaluation of sequences and optionals -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "../Strides.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The place that a position says, of `size`.
static FailureOr<size_t> getPlace(Operation *op, const ReferenceTensor &position, size_t size) {
  auto limit = static_cast<int64_t>(size);
  if (position.getNumElements() != 1)
    return emitError(op) << "the position has the dims " << print(position.getDims()) << ", must have one element";
  int64_t place = position.getIntegers().front();
  if (place < -limit || place >= limit)
    return emitError(op) << "position " << place << " is out of range for " << limit;
  return static_cast<size_t>(place < 0 ? place + limit : place);
}

static Result evaluateMake(SequenceMakeOp, Operands operands, const ReferenceScope &) {
  return ReferenceTensor::makeList(operands.vec());
}

static Result evaluateInsert(SequenceInsertOp op, Operands operands, const ReferenceScope &) {
  std::vector<ReferenceTensor> list = operands[0].getList().vec();
  FailureOr<size_t> place = list.size();
  // Behind the last one is a place too, though -1 is that of the last one.
  if (op.getPosition()) {
    bool isEnd =
        operands[2].getNumElements() == 1 && operands[2].getIntegers().front() == static_cast<int64_t>(list.size());
    if (!isEnd)
      place = getPlace(op, operands[2], list.size());
  }
  if (failed(place))
    return failure();
  list.insert(list.begin() + static_cast<ptrdiff_t>(*place), operands[1]);
  return ReferenceTensor::makeList(std::move(list));
}

static Result evaluateErase(SequenceEraseOp op, Operands operands, const ReferenceScope &) {
  std::vector<ReferenceTensor> list = operands[0].getList().vec();
  if (list.empty())
    return emitError(op) << "there is no tensor to erase";
  FailureOr<size_t> place = op.getPosition() ? getPlace(op, operands[1], list.size()) : list.size() - 1;
  if (failed(place))
    return failure();
  list.erase(list.begin() + static_cast<ptrdiff_t>(*place));
  return ReferenceTensor::makeList(std::move(list));
}

static Result evaluateAt(SequenceAtOp op, Operands operands, const ReferenceScope &) {
  FailureOr<size_t> place = getPlace(op, operands[1], operands[0].getList().size());
  if (failed(place))
    return failure();
  return operands[0].getList()[*place];
}

static Result evaluateLength(SequenceLengthOp op, Operands operands, const ReferenceScope &) {
  return makeIntegers(op, static_cast<int64_t>(operands[0].getList().size()), {}, getResultElementType(op));
}

//===----------------------------------------------------------------------===//
// All elements
//===----------------------------------------------------------------------===//

/// Copies between a tensor and its parts along an axis: `copy(place in the whole, place in the part, bytes)`.
static void forEachPiece(const Dims &whole, int64_t axis, int64_t begin, int64_t size, int64_t elementBytes,
                         llvm::function_ref<void(int64_t, int64_t, int64_t)> copy) {
  if (llvm::is_contained(whole, 0))
    return;
  AxisView view(whole, axis);
  int64_t inner = view.behind * elementBytes;
  for (int64_t row = 0; row < view.before; ++row)
    copy((row * view.size + begin) * inner, row * size * inner, size * inner);
}

static Result evaluateJoin(SequenceJoinOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<ReferenceTensor> parts = operands[0].getList();
  if (parts.empty())
    return emitError(op) << "a sequence without tensors has no dims";
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), parts.front().getRank() + (op.getNewAxis() ? 1 : 0));
  if (failed(axis))
    return failure();
  SmallVector<Dims> dims;
  for (const ReferenceTensor &part : parts) {
    if (part.getRank() != parts.front().getRank())
      return emitError(op) << "tensors of the dims " << print(parts.front().getDims()) << " and "
                           << print(part.getDims()) << " differ in rank";
    dims.emplace_back(part.getDims());
    if (op.getNewAxis())
      dims.back().insert(dims.back().begin() + *axis, 1);
  }
  Dims whole = dims.front();
  whole[*axis] = 0;
  for (const Dims &own : dims) {
    Dims fitting = own;
    fitting[*axis] = whole[*axis];
    if (fitting != whole)
      return emitError(op) << "tensors of the dims " << print(dims.front()) << " and " << print(own)
                           << " do not go one behind the other along axis " << *axis;
    if (llvm::AddOverflow(whole[*axis], own[*axis], whole[*axis]))
      return emitError(op) << "the tensors are too long";
  }
  Result result = allocate(op, getResultElementType(op), whole);
  if (failed(result))
    return failure();
  int64_t begin = 0;
  for (auto [part, own] : llvm::zip_equal(parts, dims)) {
    const char *from = part.getBytes().data();
    char *to = result->getMutableData();
    forEachPiece(
        whole, *axis, begin, own[*axis], part.getElementBytes(),
        [&](int64_t inWhole, int64_t inPart, int64_t bytes) { std::copy_n(from + inPart, bytes, to + inWhole); });
    begin += own[*axis];
  }
  return result;
}

/// The sizes of the parts of a dim.
static FailureOr<Dims> getParts(SequenceSplitOp op, Operands operands, int64_t size) {
  if (!op.getSizes())
    return Dims(size, 1);
  Dims sizes = operands[1].getIntegers();
  if (operands[1].getRank() == 0) {
    if (sizes.front() <= 0)
      return emitError(op) << "the size of the parts is " << sizes.front() << ", must be positive";
    int64_t count = llvm::divideCeil(size, sizes.front());
    Dims parts(count, sizes.front());
    if (count)
      parts.back() = size - (count - 1) * sizes.front();
    return parts;
  }
  int64_t sum = 0;
  for (int64_t part : sizes)
    if (part < 0 || llvm::AddOverflow(sum, part, sum))
      return emitError(op) << "the sizes of the parts are " << print(sizes);
  if (sum != size)
    return emitError(op) << "the sizes of the parts, " << print(sizes) << ", make " << sum << ", the dim has " << size;
  return sizes;
}

static Result evaluateSplit(SequenceSplitOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &tensor = operands[0];
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), tensor.getRank());
  FailureOr<Dims> sizes = failed(axis) ? FailureOr<Dims>() : getParts(op, operands, tensor.getDim(*axis));
  if (failed(sizes))
    return failure();
  Dims whole(tensor.getDims());
  std::vector<ReferenceTensor> parts;
  int64_t begin = 0;
  for (int64_t size : *sizes) {
    Dims dims = whole;
    if (op.getSqueeze() && !op.getSizes())
      dims.erase(dims.begin() + *axis);
    else
      dims[*axis] = size;
    Result part = allocate(op, tensor.getElementType(), dims);
    if (failed(part))
      return failure();
    const char *from = tensor.getBytes().data();
    char *to = part->getMutableData();
    forEachPiece(
        whole, *axis, begin, size, tensor.getElementBytes(),
        [&](int64_t inWhole, int64_t inPart, int64_t bytes) { std::copy_n(from + inWhole, bytes, to + inPart); });
    begin += size;
    parts.push_back(std::move(*part));
  }
  return ReferenceTensor::makeList(std::move(parts));
}

//===----------------------------------------------------------------------===//
// Optionals
//===----------------------------------------------------------------------===//

static Result evaluateSome(OptionalSomeOp, Operands operands, const ReferenceScope &) {
  return ReferenceTensor::makeList({operands[0]});
}

static Result evaluateNone(OptionalNoneOp, Operands, const ReferenceScope &) { return ReferenceTensor::makeList({}); }

static Result evaluateHas(OptionalHasOp op, Operands operands, const ReferenceScope &) {
  return makeIntegers(op, operands[0].getList().empty() ? 0 : 1, {}, getResultElementType(op));
}

static Result evaluateGet(OptionalGetOp op, Operands operands, const ReferenceScope &) {
  if (operands[0].getList().empty())
    return emitError(op) << "there is nothing in the optional";
  return operands[0].getList().front();
}

void reference::attachSequenceModels(MLIRContext *context) {
  attach<SequenceMakeOp, evaluateMake>(context);
  attach<SequenceInsertOp, evaluateInsert>(context);
  attach<SequenceEraseOp, evaluateErase>(context);
  attach<SequenceAtOp, evaluateAt>(context);
  attach<SequenceLengthOp, evaluateLength>(context);
  attach<SequenceJoinOp, evaluateJoin>(context);
  attach<SequenceSplitOp, evaluateSplit>(context);
  attach<OptionalSomeOp, evaluateSome>(context);
  attach<OptionalNoneOp, evaluateNone>(context);
  attach<OptionalHasOp, evaluateHas>(context);
  attach<OptionalGetOp, evaluateGet>(context);
}

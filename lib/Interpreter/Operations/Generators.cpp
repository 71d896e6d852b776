//===- Reference evaluation of ops that make tensors from little ------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../Models.h"
#include "../NarrowElements.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "dyn/Target/Weights/WeightFiles.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

static Result evaluateConstant(ConstantOp op, Operands, const ReferenceScope &scope) {
  if (auto weight = dyn_cast<WeightAttr>(op.getValue())) {
    if (!scope.getWeights())
      return emitError(op) << "data of file '" << weight.getFile() << "' are not available";
    llvm::Expected<MappedBytes> bytes =
        scope.getWeights()->get(weight.getFile(), weight.getOffset(), weight.getLength());
    if (!bytes)
      return emitError(op) << llvm::toString(bytes.takeError());
    auto type = cast<RankedTensorType>(op.getType());
    // Elements are read where they lie, if the file has them where a processor reads them well.
    std::optional<int64_t> elementBytes = dyn::getElementBytes(type.getElementType());
    if (elementBytes && reinterpret_cast<uintptr_t>(bytes->bytes.data()) % *elementBytes == 0)
      return ReferenceTensor::wrap(type.getElementType(), type.getShape(), bytes->bytes.data(), bytes->owner);
    Result copy = allocate(op, type.getElementType(), type.getShape());
    if (succeeded(copy))
      llvm::copy(bytes->bytes, copy->getMutableData());
    return copy;
  }
  if (std::optional<ReferenceTensor> tensor = ReferenceTensor::fromAttribute(cast<ElementsAttr>(op.getValue())))
    return *tensor;
  return emitError(op) << "elements of " << op.getType() << " are not supported by the interpreter";
}

static Result evaluateDimValues(DimValuesOp op, Operands, const ReferenceScope &scope) {
  SmallVector<int64_t> values;
  for (ExprAttr expr : op.getValues().getDims()) {
    std::optional<int64_t> value = scope.evaluate(expr);
    if (!value)
      return emitError(op) << "'" << expr.getText() << "' has no value";
    values.push_back(*value);
  }
  auto type = cast<RankedTensorType>(op.getType());
  return makeIntegers(op, values, type.getShape(), type.getElementType());
}

/// A tensor that holds one value.
static Result fill(Operation *op, TypedAttr value, ArrayRef<int64_t> dims) {
  Type type = getResultElementType(op);
  Result result = allocate(op, type, dims);
  if (failed(result))
    return failure();
  if (isNarrowElement(type)) {
    auto number = dyn_cast<FloatAttr>(value);
    double element =
        number ? number.getValueAsDouble() : static_cast<double>(cast<IntegerAttr>(value).getValue().getZExtValue());
    std::fill_n(result->getMutableElements<uint8_t>(), result->getNumElements(), narrowElement(type, element));
    return result;
  }
  dispatchElement(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T element{};
    if constexpr (isFloat<T>)
      element = T(cast<FloatAttr>(value).getValueAsDouble());
    else
      element = static_cast<T>(cast<IntegerAttr>(value).getValue().getZExtValue());
    std::fill_n(result->template getMutableElements<T>(), result->getNumElements(), element);
  });
  return result;
}

static Result evaluateFull(FullOp op, Operands, const ReferenceScope &scope) {
  FailureOr<Dims> dims = getResultDims(op, scope);
  return failed(dims) ? Result(failure()) : fill(op, op.getValue(), *dims);
}

static Result evaluateFullTo(FullToOp op, Operands operands, const ReferenceScope &) {
  SmallVector<int64_t> dims = operands[0].getIntegers();
  auto negative = llvm::find_if(dims, [](int64_t dim) { return dim < 0; });
  if (negative == dims.end())
    return fill(op, op.getValue(), dims);
  std::optional<GuardReason> because = GuardReason::get(op);
  // What must be some number or more has a size beside that.
  if (because && !because->whole.empty())
    return emitError(op) << because->whole << ", and is less by "
                         << static_cast<uint64_t>(0) - static_cast<uint64_t>(*negative);
  return emitError(op) << (because ? because->str() + ": " : "") << "the shape " << print(dims)
                       << " has a negative dim";
}

/// start + i * delta for each place i.
static Result count(Operation *op, const ReferenceTensor &start, const ReferenceTensor &delta, int64_t size) {
  Result result = allocate(op, start.getElementType(), {size});
  if (failed(result))
    return failure();
  dispatchElement(start.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (!isBoolean<T>) {
      // Floats are computed in double and rounded once; integers wrap.
      using Wide = std::conditional_t<isFloat<T>, double, uint64_t>;
      Wide first = static_cast<Wide>(start.getElements<T>()[0]), step = static_cast<Wide>(delta.getElements<T>()[0]);
      T *out = result->template getMutableElements<T>();
      for (int64_t i = 0; i < size; ++i)
        out[i] = T(first + static_cast<Wide>(i) * step);
    }
  });
  return result;
}

static LogicalResult checkScalars(Operation *op, Operands operands) {
  return success(llvm::all_of(llvm::enumerate(operands), [&](const auto &operand) {
    return succeeded(requireOneElement(op, operand.index(), operand.value()));
  }));
}

static Result evaluateIota(IotaOp op, Operands operands, const ReferenceScope &scope) {
  FailureOr<Dims> dims = getResultDims(op, scope);
  if (failed(dims) || failed(checkScalars(op, operands)))
    return failure();
  return count(op, operands[0], operands[1], (*dims)[0]);
}

static Result evaluateRange(RangeOp op, Operands operands, const ReferenceScope &) {
  if (failed(checkScalars(op, operands)))
    return failure();
  std::optional<int64_t> size;
  dispatchElement(operands[0].getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (isFloat<T>) {
      // The distance is a number of the type.
      double start = static_cast<double>(operands[0].getElements<T>()[0]);
      double limit = static_cast<double>(operands[1].getElements<T>()[0]);
      double distance = static_cast<double>(convertElement<T>(limit - start));
      double delta = static_cast<double>(operands[2].getElements<T>()[0]), steps = std::ceil(distance / delta);
      if (delta != 0 && steps < 9e18)
        size = std::max<int64_t>(0, static_cast<int64_t>(std::max(steps, -1.0)));
    } else if constexpr (!isBoolean<T>) {
      // 128 bits hold every difference of 64-bit numbers.
      __int128 start = operands[0].getElements<T>()[0], limit = operands[1].getElements<T>()[0],
               delta = operands[2].getElements<T>()[0];
      if (delta == 0)
        return;
      __int128 distance = delta > 0 ? limit - start : start - limit, stride = delta > 0 ? delta : -delta;
      __int128 steps = distance <= 0 ? 0 : (distance + stride - 1) / stride;
      if (steps <= std::numeric_limits<int64_t>::max())
        size = static_cast<int64_t>(steps);
    }
  });
  if (!size)
    return emitError(op) << "there is no range with these bounds and this step (a step of 0, NaN, or too many numbers)";
  return count(op, operands[0], operands[2], *size);
}

void reference::attachGeneratorModels(MLIRContext *context) {
  attach<ConstantOp, evaluateConstant>(context);
  attach<DimValuesOp, evaluateDimValues>(context);
  attach<FullOp, evaluateFull>(context);
  attach<FullToOp, evaluateFullTo>(context);
  attach<IotaOp, evaluateIota>(context);
  attach<RangeOp, evaluateRange>(context);
}

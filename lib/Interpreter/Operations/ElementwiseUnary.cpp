//===- Reference evaluation of elementwise ops of one operand ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../NarrowElements.h"
#include "Arithmetic.h"
#include "StringCasts.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

/// Applies `function` to each element; `function` may reject a type by not being callable with it.
template <typename In, typename Out, typename Function>
static void mapElements(const ReferenceTensor &operand, ReferenceTensor &result, Function &&function) {
  ArrayRef<In> in = operand.getElements<In>();
  Out *out = result.getMutableElements<Out>();
  for (size_t i = 0; i < in.size(); ++i)
    out[i] = function(in[i]);
}

/// Floats through double.
template <typename Op, double (*function)(double)>
static Result evaluateFloat(Op op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  Result result = allocate(op, operand.getElementType(), operand.getDims());
  if (failed(result))
    return failure();
  bool known = false;
  dispatchElement(operand.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (isFloat<T>) {
      known = true;
      mapElements<T, T>(operand, *result, [](T value) { return T(function(static_cast<double>(value))); });
    }
  });
  if (!known)
    return emitUnsupported(op, operand.getElementType());
  return result;
}

static double reciprocal(double value) { return 1 / value; }
static double sigmoid(double value) {
  // e^-x may be infinite where the result is a number below the smallest normal one.
  return value < 0 ? std::exp(value) / (1 + std::exp(value)) : 1 / (1 + std::exp(-value));
}

/// Numbers; `Function::apply<T>` computes in Arithmetic<T>.
template <typename Op, typename Function>
static Result evaluateNumber(Op op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  Result result = allocate(op, operand.getElementType(), operand.getDims());
  if (failed(result))
    return failure();
  bool known = false;
  dispatchElement(operand.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (!isBoolean<T>) {
      known = true;
      mapElements<T, T>(operand, *result, [](T value) { return T(Function::apply(widen(value))); });
    }
  });
  if (!known)
    return emitUnsupported(op, operand.getElementType());
  return result;
}

namespace {
struct Magnitude {
  template <typename T>
  static T apply(T value) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(value);
    else if constexpr (std::is_signed_v<T>)
      return value < 0 ? Negate::apply(value) : value;
    else
      return value;
  }
};

struct Sign {
  template <typename T>
  static T apply(T value) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(value))
        return value;
    return static_cast<T>((value > 0) - (value < T(0)));
  }
};
} // namespace

static Result evaluateNot(NotOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  Result result = allocate(op, operand.getElementType(), operand.getDims());
  if (failed(result))
    return failure();
  dispatchElement(operand.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (isBoolean<T>)
      mapElements<T, T>(operand, *result, [](T value) { return value == T::True ? T::False : T::True; });
    else if constexpr (!isFloat<T>)
      mapElements<T, T>(operand, *result, [](T value) { return static_cast<T>(~value); });
  });
  return result;
}

/// Tests of floats.
template <typename Op, typename Test>
static Result evaluateTest(Op op, Operands operands, Test &&test) {
  const ReferenceTensor &operand = operands[0];
  Result result = allocate(op, getResultElementType(op), operand.getDims());
  if (failed(result))
    return failure();
  dispatchElement(operand.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (isFloat<T>)
      mapElements<T, Boolean>(operand, *result,
                              [&](T value) { return static_cast<Boolean>(test(static_cast<double>(value))); });
  });
  return result;
}

static Result evaluateIsNan(IsNanOp op, Operands operands, const ReferenceScope &) {
  return evaluateTest(op, operands, [](double value) { return std::isnan(value); });
}

static Result evaluateIsInf(IsInfOp op, Operands operands, const ReferenceScope &) {
  return evaluateTest(op, operands, [&](double value) {
    return std::isinf(value) && (value < 0 ? op.getDetectNegative() : op.getDetectPositive());
  });
}

static Result evaluateCast(CastOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  Type type = getResultElementType(op);
  if (type == operand.getElementType())
    return operand;
  Result result = allocate(op, type, operand.getDims());
  if (failed(result))
    return failure();
  if (isa<StringType>(type) || isa<StringType>(operand.getElementType())) {
    if (failed(castStrings(op, operand, *result)))
      return failure();
    return result;
  }
  if (isNarrowElement(type) || isNarrowElement(operand.getElementType())) {
    castNarrowElements(operand, *result);
    return result;
  }
  dispatchElement(operand.getElementType(), [&](auto from) {
    dispatchElement(type, [&](auto to) {
      using From = typename decltype(from)::Type;
      using To = typename decltype(to)::Type;
      mapElements<From, To>(operand, *result, [](From value) {
        // Rounded twice, as in compiled code and in onnxruntime.
        if constexpr (isSmallFloat<To>)
          return convertElement<To>(convertElement<float>(value));
        else
          return convertElement<To>(value);
      });
    });
  });
  return result;
}

static Result evaluateBitCast(BitCastOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  Result result = allocate(op, getResultElementType(op), operand.getDims());
  if (failed(result))
    return failure();
  if (result->getElementBytes() != operand.getElementBytes())
    return emitUnsupported(op, operand.getElementType());
  llvm::copy(operand.getBytes(), result->getMutableData());
  return result;
}

void reference::attachUnaryModels(MLIRContext *context) {
  attach<AbsOp, evaluateNumber<AbsOp, Magnitude>>(context);
  attach<NegOp, evaluateNumber<NegOp, Negate>>(context);
  attach<SignOp, evaluateNumber<SignOp, Sign>>(context);
  attach<ExpOp, evaluateFloat<ExpOp, std::exp>>(context);
  attach<LogOp, evaluateFloat<LogOp, std::log>>(context);
  attach<SqrtOp, evaluateFloat<SqrtOp, std::sqrt>>(context);
  attach<ReciprocalOp, evaluateFloat<ReciprocalOp, reciprocal>>(context);
  attach<ErfOp, evaluateFloat<ErfOp, std::erf>>(context);
  attach<TanhOp, evaluateFloat<TanhOp, std::tanh>>(context);
  attach<SigmoidOp, evaluateFloat<SigmoidOp, sigmoid>>(context);
  attach<SinOp, evaluateFloat<SinOp, std::sin>>(context);
  attach<CosOp, evaluateFloat<CosOp, std::cos>>(context);
  attach<FloorOp, evaluateFloat<FloorOp, std::floor>>(context);
  attach<CeilOp, evaluateFloat<CeilOp, std::ceil>>(context);
  attach<RoundOp, evaluateFloat<RoundOp, std::nearbyint>>(context);
  attach<NotOp, evaluateNot>(context);
  attach<IsNanOp, evaluateIsNan>(context);
  attach<IsInfOp, evaluateIsInf>(context);
  attach<CastOp, evaluateCast>(context);
  attach<BitCastOp, evaluateBitCast>(context);
}

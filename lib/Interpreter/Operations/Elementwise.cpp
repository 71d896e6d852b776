//===- Reference evaluation of elementwise ops ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../DimTables.h"
#include "../Strings.h"
#include "Arithmetic.h"
#include "Pairs.h"
#include "dyn/Dialect/Dyn/IR/Compare.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

//===----------------------------------------------------------------------===//
// Binary ops
//===----------------------------------------------------------------------===//

/// Elements of one type; `Function::apply<T>` computes in Arithmetic<T>.
template <typename Op, typename Function>
static Result evaluateBinary(Op op, Operands operands, const ReferenceScope &) {
  Result result = allocateBroadcast(op, operands);
  if (failed(result))
    return failure();
  bool known = false;
  dispatchElement(operands[0].getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (Function::template supports<T>) {
      known = true;
      mapPairs<T, T, T>(operands[0], operands[1], *result,
                        [](T lhs, T rhs) { return T(Function::apply(widen(lhs), widen(rhs))); });
    }
  });
  if (!known)
    return emitUnsupported(op, operands[0].getElementType());
  return result;
}

namespace {
template <typename T>
inline constexpr bool isNumber = !isBoolean<T>;

/// Integers wrap: the low bits of the exact result.
template <typename T, typename Function>
T wrap(T lhs, T rhs, Function &&function) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(function(static_cast<uint64_t>(lhs), static_cast<uint64_t>(rhs)));
  else
    return function(lhs, rhs);
}

struct Add {
  template <typename T>
  static constexpr bool supports = isNumber<T>;
  template <typename T>
  static T apply(T lhs, T rhs) {
    return wrap(lhs, rhs, [](auto l, auto r) { return l + r; });
  }
};

struct Subtract {
  template <typename T>
  static constexpr bool supports = isNumber<T>;
  template <typename T>
  static T apply(T lhs, T rhs) {
    return wrap(lhs, rhs, [](auto l, auto r) { return l - r; });
  }
};

struct Multiply {
  template <typename T>
  static constexpr bool supports = isNumber<T>;
  template <typename T>
  static T apply(T lhs, T rhs) {
    return wrap(lhs, rhs, [](auto l, auto r) { return l * r; });
  }
};

/// Divisors of integers are not 0 here: evaluateDivision has refused them.
struct Divide {
  template <typename T>
  static constexpr bool supports = isNumber<T>;
  template <typename T>
  static T apply(T lhs, T rhs) {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      return rhs == T(-1) ? Negate::apply(lhs) : static_cast<T>(lhs / rhs);
    else
      return lhs / rhs;
  }
};

/// The remainder with the sign of the dividend.
struct TruncatedRemainder {
  template <typename T>
  static constexpr bool supports = isNumber<T>;
  template <typename T>
  static T apply(T lhs, T rhs) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fmod(lhs, rhs);
    else
      return rhs == static_cast<T>(-1) && std::is_signed_v<T> ? T(0) : static_cast<T>(lhs % rhs);
  }
};

/// The remainder with the sign of the divisor.
struct FloorRemainder {
  template <typename T>
  static constexpr bool supports = isNumber<T>;
  template <typename T>
  static T apply(T lhs, T rhs) {
    T remainder = TruncatedRemainder::apply(lhs, rhs);
    if (remainder != 0 && (remainder < 0) != (rhs < 0))
      return static_cast<T>(remainder + rhs);
    if constexpr (std::is_floating_point_v<T>)
      if (remainder == 0)
        return std::copysign(remainder, rhs);
    return remainder;
  }
};

struct Minimum {
  template <typename T>
  static constexpr bool supports = true;
  template <typename T>
  static T apply(T lhs, T rhs) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(lhs) || std::isnan(rhs))
        return std::numeric_limits<T>::quiet_NaN();
    return rhs < lhs ? rhs : lhs;
  }
};

struct Maximum {
  template <typename T>
  static constexpr bool supports = true;
  template <typename T>
  static T apply(T lhs, T rhs) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(lhs) || std::isnan(rhs))
        return std::numeric_limits<T>::quiet_NaN();
    return lhs < rhs ? rhs : lhs;
  }
};

template <typename Function>
struct Bits {
  template <typename T>
  static constexpr bool supports = !isFloat<T>;
  template <typename T>
  static T apply(T lhs, T rhs) {
    return static_cast<T>(Function()(static_cast<uint64_t>(lhs), static_cast<uint64_t>(rhs)));
  }
};
} // namespace

/// Integers have no quotient by 0; where the result is empty, nobody divides.
template <typename Op, typename Function>
static Result evaluateDivision(Op op, Operands operands, const ReferenceScope &scope) {
  FailureOr<Dims> dims = broadcast(op, {operands[0].getDims(), operands[1].getDims()});
  if (failed(dims))
    return failure();
  if (isa<IntegerType>(operands[1].getElementType()) && !llvm::is_contained(*dims, 0)) {
    SmallVector<int64_t> divisors = operands[1].getIntegers();
    auto zero = llvm::find(divisors, 0);
    if (zero != divisors.end())
      return emitError(op) << "divides an integer by 0: element " << zero - divisors.begin() << " of operand 1";
  }
  return evaluateBinary<Op, Function>(op, operands, scope);
}

static Result evaluateMod(ModOp op, Operands operands, const ReferenceScope &scope) {
  return op.getFmod() ? evaluateDivision<ModOp, TruncatedRemainder>(op, operands, scope)
                      : evaluateDivision<ModOp, FloorRemainder>(op, operands, scope);
}

static Result evaluatePow(PowOp op, Operands operands, const ReferenceScope &) {
  Result result = allocateBroadcast(op, operands);
  if (failed(result))
    return failure();
  bool known = false;
  dispatchElement(operands[0].getElementType(), [&](auto baseTag) {
    dispatchElement(operands[1].getElementType(), [&](auto exponentTag) {
      using B = typename decltype(baseTag)::Type;
      using E = typename decltype(exponentTag)::Type;
      if constexpr (isNumber<B> && isNumber<E>) {
        known = true;
        mapPairs<B, E, B>(operands[0], operands[1], *result, [](B base, E exponent) {
          double number = static_cast<double>(exponent);
          if constexpr (!isFloat<B>)
            if (number == 2 || number == 3)
              return Multiply::apply(Multiply::apply(base, base), number == 2 ? B(1) : base);
          return convertElement<B>(std::pow(static_cast<double>(base), number));
        });
      }
    });
  });
  if (!known)
    return emitUnsupported(op, operands[0].getElementType());
  return result;
}

static Result evaluateCompare(CompareOp op, Operands operands, const ReferenceScope &) {
  Result result = allocateBroadcast(op, operands);
  if (failed(result))
    return failure();
  CompareDirection direction = op.getDirection();
  if (isa<StringType>(operands[0].getElementType())) {
    // The numbers of strings tell no more than whether they are equal.
    mapPairs<uint64_t, uint64_t, Boolean>(operands[0], operands[1], *result, [&](uint64_t lhs, uint64_t rhs) {
      int order = lhs == rhs ? 0 : getStringOfNumber(lhs).compare(getStringOfNumber(rhs));
      return static_cast<Boolean>(compare(direction, order, 0));
    });
    return result;
  }
  dispatchElement(operands[0].getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    mapPairs<T, T, Boolean>(operands[0], operands[1], *result, [&](T lhs, T rhs) {
      return static_cast<Boolean>(compare(direction, widen(lhs), widen(rhs)));
    });
  });
  return result;
}

//===----------------------------------------------------------------------===//
// SelectOp
//===----------------------------------------------------------------------===//

static Result evaluateSelect(SelectOp op, Operands operands, const ReferenceScope &) {
  FailureOr<Dims> dims = broadcast(op, {operands[0].getDims(), operands[1].getDims(), operands[2].getDims()});
  if (failed(dims))
    return failure();
  Result result = allocate(op, getResultElementType(op), *dims);
  if (failed(result))
    return failure();
  std::array<Dims, 3> strides;
  for (unsigned i = 0; i < 3; ++i)
    strides[i] = getBroadcastStrides(operands[i].getDims(), *dims);
  dispatchWidth(operands[1].getElementBytes(), [&](auto width) {
    using T = decltype(width);
    const Boolean *condition = operands[0].getElements<Boolean>().data();
    const T *onTrue = operands[1].getElements<T>().data(), *onFalse = operands[2].getElements<T>().data();
    T *out = result->template getMutableElements<T>();
    forEachRun<3>(*dims, strides, [&](int64_t count, auto offsets, auto steps) {
      for (int64_t i = 0; i < count; ++i)
        *out++ = condition[offsets[0] + i * steps[0]] == Boolean::True ? onTrue[offsets[1] + i * steps[1]]
                                                                       : onFalse[offsets[2] + i * steps[2]];
    });
  });
  return result;
}

void reference::attachElementwiseModels(MLIRContext *context) {
  attach<AddOp, evaluateBinary<AddOp, Add>>(context);
  attach<SubOp, evaluateBinary<SubOp, Subtract>>(context);
  attach<MulOp, evaluateBinary<MulOp, Multiply>>(context);
  attach<DivOp, evaluateDivision<DivOp, Divide>>(context);
  attach<ModOp, evaluateMod>(context);
  attach<PowOp, evaluatePow>(context);
  attach<MinOp, evaluateBinary<MinOp, Minimum>>(context);
  attach<MaxOp, evaluateBinary<MaxOp, Maximum>>(context);
  attach<AndOp, evaluateBinary<AndOp, Bits<std::bit_and<>>>>(context);
  attach<OrOp, evaluateBinary<OrOp, Bits<std::bit_or<>>>>(context);
  attach<XorOp, evaluateBinary<XorOp, Bits<std::bit_xor<>>>>(context);
  attach<CompareOp, evaluateCompare>(context);
  attach<SelectOp, evaluateSelect>(context);
}

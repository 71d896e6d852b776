//===- Element types in C++ ------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_ELEMENTS_H
#define DYN_LIB_INTERPRETER_ELEMENTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace dyn {

/// A floating-point format of 16 bits. Arithmetic goes through double, which is exact for one operation and then
/// rounds once.
template <unsigned exponentBits, unsigned mantissaBits>
struct SmallFloat {
  uint16_t bits = 0;

  SmallFloat() = default;
  explicit SmallFloat(double value) : bits(round(value)) {}
  explicit operator double() const { return widen(bits); }
  explicit operator float() const { return static_cast<float>(widen(bits)); }

private:
  static constexpr int bias = (1 << (exponentBits - 1)) - 1;
  static constexpr uint16_t infinity = ((1 << exponentBits) - 1) << mantissaBits;

  static double widen(uint16_t bits) {
    int exponent = (bits & infinity) >> mantissaBits;
    int mantissa = bits & ((1 << mantissaBits) - 1);
    double magnitude;
    if ((bits & infinity) == infinity)
      magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
      magnitude = std::ldexp(mantissa, 1 - bias - static_cast<int>(mantissaBits));
    else
      magnitude = std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - static_cast<int>(mantissaBits));
    return bits >> 15 ? -magnitude : magnitude;
  }

  /// To nearest, halves to even.
  static uint16_t round(double value) {
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value))
      return sign | infinity | (1 << (mantissaBits - 1));
    double magnitude = std::fabs(value);
    if (magnitude == 0)
      return sign;
    int exponent = std::isinf(magnitude) ? 1 << exponentBits : std::ilogb(magnitude);
    if (exponent > bias)
      return sign | infinity;
    // Numbers below the least normal one share its spacing.
    exponent = std::max(exponent, 1 - bias);
    double steps = std::nearbyint(std::ldexp(magnitude, static_cast<int>(mantissaBits) - exponent));
    // Steps count from 0 for denormals and from 2^mantissaBits for others; a carry moves on to the next exponent.
    uint32_t result = ((exponent + bias - 1) << mantissaBits) + static_cast<uint32_t>(steps);
    return sign | static_cast<uint16_t>(result > infinity ? infinity : result);
  }
};
using Half = SmallFloat<5, 10>;
using BFloat16 = SmallFloat<8, 7>;

/// One byte, 0 or 1: a type of its own, since arithmetic on booleans is not that of bytes.
enum class Boolean : uint8_t { False = 0, True = 1 };

template <typename T>
inline constexpr bool isSmallFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <typename T>
inline constexpr bool isFloat = std::is_floating_point_v<T> || isSmallFloat<T>;
template <typename T>
inline constexpr bool isBoolean = std::is_same_v<T, Boolean>;

template <typename T>
struct Tag {
  using Type = T;
};

/// Calls `function` with the Tag of the C++ type of an element. False, without a call, where there is none.
template <typename Function>
bool dispatchElement(mlir::Type type, Function &&function) {
  auto call = [&](auto tag) {
    function(tag);
    return true;
  };
  if (type.isF32())
    return call(Tag<float>());
  if (type.isF64())
    return call(Tag<double>());
  if (type.isF16())
    return call(Tag<Half>());
  if (type.isBF16())
    return call(Tag<BFloat16>());
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return false;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return call(Tag<Boolean>());
  case 8:
    return isUnsigned ? call(Tag<uint8_t>()) : call(Tag<int8_t>());
  case 16:
    return isUnsigned ? call(Tag<uint16_t>()) : call(Tag<int16_t>());
  case 32:
    return isUnsigned ? call(Tag<uint32_t>()) : call(Tag<int32_t>());
  case 64:
    return isUnsigned ? call(Tag<uint64_t>()) : call(Tag<int64_t>());
  default:
    return false;
  }
}

/// As `dyn.cast` says.
template <typename To, typename From>
To convertElement(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (isSmallFloat<From>) {
    return convertElement<To>(static_cast<double>(value));
  } else if constexpr (isBoolean<From>) {
    return convertElement<To>(static_cast<uint8_t>(value));
  } else if constexpr (isBoolean<To>) {
    return value != From(0) ? Boolean::True : Boolean::False;
  } else if constexpr (isSmallFloat<To>) {
    return To(static_cast<double>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, uint64_t>) {
      constexpr From half = From(9223372036854775808.0);
      if (value >= half)
        return static_cast<uint64_t>(convertElement<int64_t>(value - half)) ^ uint64_t(1) << 63;
      return static_cast<uint64_t>(convertElement<int64_t>(value));
    } else {
      using Through = std::conditional_t<(sizeof(To) < 4 || std::is_same_v<To, int32_t>), int32_t, int64_t>;
      // The least value is a power of two and exact; the first value too large is its negation.
      constexpr From least = static_cast<From>(std::numeric_limits<Through>::min());
      From whole = std::trunc(value);
      if (!(whole >= least && whole < -least))
        return static_cast<To>(std::numeric_limits<Through>::min());
      return static_cast<To>(static_cast<Through>(whole));
    }
  } else {
    return static_cast<To>(value);
  }
}

} // namespace dyn

#endif // DYN_LIB_INTERPRETER_ELEMENTS_H

//===- Arithmetic of elementwise evaluations ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A function of one element is written once, on a type to compute in: floats of 16
// bits compute in double and round once; transcendental functions compute in double.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_ARITHMETIC_H
#define DYN_LIB_INTERPRETER_ARITHMETIC_H

#include "../Elements.h"
#include "../Models.h"

namespace dyn::reference {

/// The type that arithmetic on `T` computes in; integers wrap, so they compute unsigned.
template <typename T>
using Arithmetic = std::conditional_t<isSmallFloat<T>, double, T>;

template <typename T>
Arithmetic<T> widen(T value) {
  return static_cast<Arithmetic<T>>(value);
}

/// Sign change; the least integer stays what it is.
struct Negate {
  template <typename T>
  static T apply(T value) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(value));
    else
      return -value;
  }
};

/// Reports that an op has no meaning for elements of a type.
inline mlir::LogicalResult emitUnsupported(mlir::Operation *op, mlir::Type type) {
  return emitError(op) << "is not defined for elements of type " << type;
}

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_ARITHMETIC_H

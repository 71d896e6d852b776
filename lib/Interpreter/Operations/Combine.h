//===- How elements are combined ---------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_COMBINE_H
#define DYN_LIB_INTERPRETER_COMBINE_H

#include "../Elements.h"
#include "../Models.h"

namespace dyn::reference {

/// What a reduction accumulates in.
template <typename T>
using Accumulator = std::conditional_t<isFloat<T>, double, std::conditional_t<isBoolean<T>, uint8_t, T>>;

template <typename A>
A combine(ReduceKind kind, A sum, A value) {
  if constexpr (std::is_floating_point_v<A>) {
    if (kind == ReduceKind::Max || kind == ReduceKind::Min) {
      if (std::isnan(sum) || std::isnan(value))
        return std::numeric_limits<A>::quiet_NaN();
      return kind == ReduceKind::Max ? std::max(sum, value) : std::min(sum, value);
    }
    return kind == ReduceKind::Prod ? sum * value : sum + value;
  } else {
    if (kind == ReduceKind::Max || kind == ReduceKind::Min)
      return kind == ReduceKind::Max ? std::max(sum, value) : std::min(sum, value);
    uint64_t left = static_cast<uint64_t>(sum), right = static_cast<uint64_t>(value);
    return static_cast<A>(kind == ReduceKind::Prod ? left * right : left + right);
  }
}

template <typename T>
T combineElements(ReduceKind kind, T lhs, T rhs) {
  using A = Accumulator<T>;
  return convertElement<T>(combine<A>(kind, static_cast<A>(lhs), static_cast<A>(rhs)));
}

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_COMBINE_H

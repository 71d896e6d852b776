//===- The same question in another form ---------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_QUESTIONFORMS_H
#define DYN_LIB_SYMBOLIC_QUESTIONFORMS_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

/// The same question without what all terms of both sides have in common: `b == 0 or s == t` for `b*s == b*t`. Nothing
/// where no factor stands out.
std::optional<Predicate> takeFactorsApart(FactStore &store, const Predicate &question);

/// The same with maxima in place of the broadcasts of sizes that are at least 1, where these have values.
std::optional<Predicate> takeMaxima(FactStore &store, const Predicate &question);

/// The same with maxima of quotients in place of quotients of maxima. As a normal form it would have more terms than
/// what people write.
std::optional<Predicate> distributeQuotients(FactStore &store, const Predicate &question);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_QUESTIONFORMS_H

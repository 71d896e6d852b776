//===- Values at a few points --------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What a polynomial falls below at some point is no lower bound of it, and no search
// needs to look for a proof. The points go by the names of the symbols alone, so that
// the same questions are spared whatever was asked before.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_SAMPLES_H
#define DYN_LIB_SYMBOLIC_SAMPLES_H

#include "Expressions/Polynomial.h"
#include <array>

namespace dyn::symbolic {

class Samples {
public:
  static constexpr unsigned count = 4;
  /// At each point; nothing where there is no value, or none in 64 bits.
  using Values = std::array<std::optional<int64_t>, count>;

  Values get(Terms terms);

private:
  Values get(const Atom *atom);

  llvm::DenseMap<const Atom *, Values> known;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_SAMPLES_H

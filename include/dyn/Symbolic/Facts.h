//===- Facts about one symbol -----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_FACTS_H
#define DYN_SYMBOLIC_FACTS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>

namespace dyn::symbolic {

/// A closed interval; an absent end is unbounded.
struct Range {
  std::optional<int64_t> lower, upper;
  bool operator==(const Range &other) const { return lower == other.lower && upper == other.upper; }
};

/// What is declared about one symbol.
struct SymbolFacts {
  Range range{0, std::nullopt};           ///< of a dim: never below 0
  int64_t modulus = 1, remainder = 0;     ///< value mod modulus == remainder
  llvm::SmallVector<int64_t, 1> notEqual; ///< sorted
  llvm::SmallVector<int64_t, 2> likely;   ///< sizes worth a specialisation; no promise
  std::optional<int64_t> hint;
  bool unique = false; ///< no hypothesis may take it for another size
};

/// A symbol as `#dyn.symbols` declares it.
struct SymbolDeclaration {
  enum class Origin : uint8_t {
    None,          ///< not yet known where it comes from
    ArgumentDim,   ///< `from arg0[1]`: dim `index` of argument `argument`
    ArgumentValue, ///< `from arg0{1}`: element `index` of the integer tensor that argument `argument` is
    Bound,         ///< `bound`: data-dependent, bound by an op
    Defined,       ///< `= text`
  };
  std::string name;
  SymbolFacts facts;
  Origin origin = Origin::None;
  unsigned argument = 0, index = 0;
  std::string definition; ///< expression text of a Defined symbol
};

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_FACTS_H

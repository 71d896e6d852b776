//===- Guards over quotients and products of sizes ----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What depends on sizes through one quotient or product alone, as through
// `(t + 10) floordiv 20`, says of it what it would say of a size.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_SHAPES_NAMEDPARTS_H
#define DYN_LIB_TRANSFORMS_SHAPES_NAMEDPARTS_H

#include "dyn/Symbolic/Solver.h"

namespace dyn {

/// A guard over symbols that stand for parts of it.
struct NamedParts {
  symbolic::Predicate guard;
  symbolic::Solver facts;        ///< what was known, and the ranges of the parts
  symbolic::Substitution values; ///< what the symbols stand for
  /// What has to hold for the guard that was given to have a value, under the names: the renamed guard may lack a
  /// division that stood on both sides.
  std::vector<symbolic::Predicate> obligations;
};

/// The guard with symbols for quotients by numbers, in place of the symbols that it depends on through one quotient
/// each. Nothing where there are none.
std::optional<NamedParts> nameQuotients(const symbolic::Predicate &guard, const symbolic::Solver &facts);

/// The guard with a symbol for the product of two or more symbols that it depends on through that product alone.
/// Nothing where there are none.
std::optional<NamedParts> nameProduct(const symbolic::Predicate &guard, const symbolic::Solver &facts);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_SHAPES_NAMEDPARTS_H

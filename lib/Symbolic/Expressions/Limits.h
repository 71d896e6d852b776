//===- How large expressions get ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_LIMITS_H
#define DYN_LIB_SYMBOLIC_LIMITS_H

#include <cstddef>
#include <cstdint>

/// Far above any budget: what is larger has no expression. What walks through an expression does so recursively, and
/// sees shared parts once for each use.
namespace dyn::symbolic::limits {

constexpr size_t termsOfSum = 1024;
constexpr size_t termsOfProduct = 512; ///< before like ones are joined
constexpr uint32_t factorsOfTerm = 64; ///< counted by their exponents
constexpr unsigned levels = 100;
constexpr unsigned nodes = 20000;
constexpr size_t operandsOfMax = 32;
constexpr size_t operandsOfBcast = 256;

} // namespace dyn::symbolic::limits

#endif // DYN_LIB_SYMBOLIC_LIMITS_H

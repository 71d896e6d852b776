//===- Errors as lines for people -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_MESSAGES_H
#define DYN_LIB_RUNTIME_MESSAGES_H

#include "Descriptor.h"
#include "dyn/Runtime/ArtefactABI.h"
#include <initializer_list>

namespace dyn::runtime {

/// Stores the line that dynGetLastError gives to this thread; always returns 1.
int fail(std::string message);
/// As fail, about the exception that is being handled, so that none leaves a C function.
int failForException() noexcept;
/// Forgets it; always returns 0.
int succeed();

/// A pointer that a caller hands over.
struct Argument {
  const char *name;
  const void *pointer;
  bool isNeeded = true;
};
/// Fails if one that is needed is NULL; 0 otherwise.
int requireArguments(const char *function, std::initializer_list<Argument> arguments);

/// What a run was given: NULL where there is none.
struct RunData {
  const int64_t *symbols = nullptr;
  const void *const *inputs = nullptr;
};

/// One line that names input, dim, symbol, node and values.
std::string describeError(const Descriptor &descriptor, const DynErrorRecord &error, RunData data = {});

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_MESSAGES_H

//===- Errors as lines for people -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_MESSAGES_H
#define DYN_LIB_RUNTIME_MESSAGES_H

#include "Descriptor.h"
#include "dyn/Runtime/ArtefactABI.h"

namespace dyn::runtime {

/// Stores the line that dynGetLastError gives to this thread; always returns 1.
int fail(std::string message);
/// Forgets it; always returns 0.
int succeed();

/// One line that names input, dim, symbol, node and values.
std::string describeError(const Descriptor &descriptor, const DynErrorRecord &error);

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_MESSAGES_H

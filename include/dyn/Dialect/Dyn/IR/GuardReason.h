//===- What a guard is called for people ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_GUARDREASON_H
#define DYN_DIALECT_DYN_IR_GUARDREASON_H

#include "llvm/ADT/StringRef.h"

namespace dyn {

/// A string on an op: what is told of its guards where its own name would tell nothing, because no node of the model is
/// one. `LSTM: elements of `B``; an operator alone, `LSTM`, stands before what the op says itself.
constexpr llvm::StringLiteral kBecauseAttrName{"dyn.because"};

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_GUARDREASON_H

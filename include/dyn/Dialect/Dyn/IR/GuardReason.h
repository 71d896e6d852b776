//===- What a guard is called for people ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_GUARDREASON_H
#define DYN_DIALECT_DYN_IR_GUARDREASON_H

#include "llvm/ADT/StringRef.h"

namespace dyn {

/// A string on `dyn.reshape_to`: what is told of the guard that there are as many elements as the shape says, where
/// "reshape" would tell nothing, because no node of the model is one.
constexpr llvm::StringLiteral kBecauseAttrName{"dyn.because"};

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_GUARDREASON_H

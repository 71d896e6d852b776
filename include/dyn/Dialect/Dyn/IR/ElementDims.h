//===- Declared dims of the tensors in a sequence --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_ELEMENTDIMS_H
#define DYN_DIALECT_DYN_IR_ELEMENTDIMS_H

#include "llvm/ADT/StringRef.h"

namespace dyn {

/// An array on an argument that is a sequence or an optional: the declared dims of each tensor in it. A dim is an
/// integer, the text of an expression over symbols, or a unit where nothing is declared.
constexpr llvm::StringLiteral kElementDimsAttrName{"dyn.element_dims"};

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_ELEMENTDIMS_H

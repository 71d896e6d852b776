//===- Strings in concrete tensors --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// An element of type `!dyn.string` of a ReferenceTensor is a number of 64 bits that
// stands for a string: ops that move elements need not know of strings, and strings
// are equal where their numbers are. 0 stands for the empty string.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_STRINGS_H
#define DYN_LIB_INTERPRETER_STRINGS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace dyn {

/// The number of a string, which the context keeps as long as it lives.
uint64_t getNumberOfString(llvm::StringRef text, mlir::MLIRContext *context);
llvm::StringRef getStringOfNumber(uint64_t number);

} // namespace dyn

#endif // DYN_LIB_INTERPRETER_STRINGS_H

//===- Element types of the operators of com.microsoft ---------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_SCHEMAS_CONTRIBOPERANDS_H
#define DYN_LIB_TARGET_ONNX_SCHEMAS_CONTRIBOPERANDS_H

#include "llvm/ADT/StringRef.h"

namespace dyn::onnx {

/// What elements an operator of com.microsoft takes, which ONNX has no schema of: a letter for each operand, `F` for
/// floats of 16 bits and more, `I` for integers, `B` for booleans, `N` for any numbers, also those of 8 bits and less,
/// and `A` for all; those behind a `*` repeat. Empty for an operator that is not known.
llvm::StringRef getContribOperands(llvm::StringRef opType);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_SCHEMAS_CONTRIBOPERANDS_H

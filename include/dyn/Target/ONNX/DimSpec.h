//===- What users say about declared dims ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The texts behind `--dim`, `--default-dim`, `--input-dims` and `--input-values`,
// shared by every tool that imports a model.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNX_DIMSPEC_H
#define DYN_TARGET_ONNX_DIMSPEC_H

#include "dyn/Symbolic/Expr.h"
#include "dyn/Symbolic/Facts.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <utility>

namespace dyn::onnx {

/// Reads the text of a `dim_param`. Null for one that names nothing: empty, `?`, `-1`, `None`, `unk__…`, which writers
/// use where they know nothing. What is no expression is a name: exporters also write paths of nodes.
symbolic::Expr parseDimText(llvm::StringRef text, symbolic::SymbolicContext &context);

/// Reads `8`, `1..512`, `1..`, `..512`, `1..512:8` (a divisor) and `1..64@{1,8,32}` (likely sizes).
llvm::Expected<symbolic::SymbolFacts> parseDimRange(llvm::StringRef text);

/// Reads `NAME=RANGE`. The name may hold `=` and `.`: the range starts after the last `=`.
llvm::Expected<std::pair<std::string, symbolic::SymbolFacts>> parseDimSpec(llvm::StringRef text);

/// Is the text one of those that exporters write where they know nothing?
bool isUnnamedDim(llvm::StringRef text);

/// Reads `[N, 3, ?, S + P]`; null expressions stand for dims without a name. Stricter with people than the import is
/// with exporters: what they mistype is no name.
llvm::Expected<llvm::SmallVector<symbolic::Expr>> parseDimList(llvm::StringRef list,
                                                               symbolic::SymbolicContext &context);

/// Reads `INPUT=[DIM, DIM, ...]`; the list stays text, whose expressions are read against the symbols of the model.
llvm::Expected<std::pair<std::string, std::string>> parseInputDimsSpec(llvm::StringRef text);

/// Reads `INPUT=1,0,1`; `true` and `false` are 1 and 0. The name may hold `=`: the values start after the last one.
llvm::Expected<InputValues> parseInputValuesSpec(llvm::StringRef text);

/// Says what is wrong with facts that a program put together itself; success if nothing is.
llvm::Error verifyDimFacts(const symbolic::SymbolFacts &facts);

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNX_DIMSPEC_H

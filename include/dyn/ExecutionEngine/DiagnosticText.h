//===- Diagnostics as texts for people --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_EXECUTIONENGINE_DIAGNOSTICTEXT_H
#define DYN_EXECUTIONENGINE_DIAGNOSTICTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace mlir {
class Diagnostic;
} // namespace mlir

namespace dyn {

/// What a diagnostic says, with the place it is about in front: line and column of a file, else the model's node, else
/// the file. A place that the text names itself is left out. Notes follow, indented, a line each.
std::string getText(mlir::Diagnostic &diagnostic);

/// `model.onnx: warning: node '/l0/Add': ...`: the diagnostic of a program that people run on the file `input`, as a
/// line without its notes.
void printDiagnostic(llvm::raw_ostream &os, llvm::StringRef input, mlir::Diagnostic &diagnostic);

/// The text as one line: names that models give may hold anything, also what makes a terminal do things.
std::string getLine(llvm::StringRef text);

} // namespace dyn

#endif // DYN_EXECUTIONENGINE_DIAGNOSTICTEXT_H

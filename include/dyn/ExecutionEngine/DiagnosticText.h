//===- Diagnostics as texts for people --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_EXECUTIONENGINE_DIAGNOSTICTEXT_H
#define DYN_EXECUTIONENGINE_DIAGNOSTICTEXT_H

#include <string>

namespace mlir {
class Diagnostic;
} // namespace mlir

namespace dyn {

/// What a diagnostic says, with the place it is about in front: line and column of a file, else the model's node, else
/// the file. A place that the text names itself is left out. Notes follow, indented, a line each.
std::string getText(mlir::Diagnostic &diagnostic);

} // namespace dyn

#endif // DYN_EXECUTIONENGINE_DIAGNOSTICTEXT_H

//===- What a context says, for Python ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_EXTENSION_FINDINGS_H
#define DYN_PYTHON_EXTENSION_FINDINGS_H

#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include <stdexcept>
#include <string>
#include <vector>

namespace dyn::python {

/// Takes the diagnostics of a context while it lives. Nobody else may use the context meanwhile.
class Findings {
public:
  explicit Findings(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          bool isError = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
          (isError ? errors : warnings).push_back(getText(diagnostic));
        }) {}

  /// Raises the errors as one; `otherwise` where there are none.
  [[noreturn]] void raise(const std::string &otherwise) const {
    throw std::runtime_error(errors.empty() ? otherwise : llvm::join(errors, "\n"));
  }

  std::vector<std::string> errors, warnings;

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace dyn::python

#endif // DYN_PYTHON_EXTENSION_FINDINGS_H

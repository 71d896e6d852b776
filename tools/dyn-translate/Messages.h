//===- Diagnostics of an import as lines ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_TRANSLATE_MESSAGES_H
#define DYN_TOOLS_DYN_TRANSLATE_MESSAGES_H

#include "mlir/IR/Diagnostics.h"

namespace dyn {

/// `model.onnx: warning: ...` on standard error.
void printDiagnostic(llvm::StringRef model, mlir::Diagnostic &diagnostic);

} // namespace dyn

#endif // DYN_TOOLS_DYN_TRANSLATE_MESSAGES_H

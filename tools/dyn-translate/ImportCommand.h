//===- dyn-translate --import-onnx -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_TRANSLATE_IMPORTCOMMAND_H
#define DYN_TOOLS_DYN_TRANSLATE_IMPORTCOMMAND_H

#include "dyn/Target/ONNX/ImportONNX.h"

namespace dyn {

/// Imports a model and writes the module to `output`, `-` for standard output. False after one line on standard error.
bool runImport(llvm::StringRef model, llvm::StringRef output, onnx::ImportOptions options);

} // namespace dyn

#endif // DYN_TOOLS_DYN_TRANSLATE_IMPORTCOMMAND_H

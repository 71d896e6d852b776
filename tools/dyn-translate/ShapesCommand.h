//===- Sizes of ONNX models -------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_TRANSLATE_SHAPESCOMMAND_H
#define DYN_TOOLS_DYN_TRANSLATE_SHAPESCOMMAND_H

#include "dyn/Target/ONNX/ImportONNX.h"

namespace dyn {

/// Writes the model with inferred sizes to `output`, `-` for standard output. The exit status; messages go to standard
/// error.
int runExportShapes(llvm::StringRef model, llvm::StringRef output, onnx::ImportOptions options);

/// Prints what is wrong with the declared dims. 0: nothing; 1: something; 2: the model can't be read.
int runCheckDims(llvm::StringRef model, onnx::ImportOptions options);

/// Prints symbols, guards and the sizes of all values. The exit status.
int runPrintShapes(llvm::StringRef model, onnx::ImportOptions options);

} // namespace dyn

#endif // DYN_TOOLS_DYN_TRANSLATE_SHAPESCOMMAND_H

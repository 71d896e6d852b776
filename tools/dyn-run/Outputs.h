//===- What becomes of outputs ----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_RUN_OUTPUTS_H
#define DYN_TOOLS_DYN_RUN_OUTPUTS_H

#include "Inputs.h"

namespace dyn {

/// The file of an output in the folder of outputs: NAME.npy. What no file name should have is written `%2F`, as in
/// addresses, so that names that differ have files that differ. Of long names there is the beginning, with a hash.
std::string getFileName(llvm::StringRef output);

/// Prints the names and dims of outputs, and writes them to files if `folder` is not empty. Files of inputs are not
/// overwritten.
llvm::Error deliver(const Inputs &outputs, llvm::StringRef folder, llvm::ArrayRef<InputFile> inputs);

/// Prints how far outputs are from the interpreter's; fails if one differs by more than `tolerance`, relative to the
/// largest magnitude.
llvm::Error compareOutputs(const Inputs &expected, const Inputs &actual, double tolerance);

} // namespace dyn

#endif // DYN_TOOLS_DYN_RUN_OUTPUTS_H

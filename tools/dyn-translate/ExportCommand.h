//===- From a module to files -----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_TRANSLATE_EXPORTCOMMAND_H
#define DYN_TOOLS_DYN_TRANSLATE_EXPORTCOMMAND_H

#include "llvm/ADT/StringRef.h"

namespace dyn {

/// Writes the CUDA images of the module in file `input` to `folder`. False after a message on standard error.
bool runExportCUDAImages(llvm::StringRef input, llvm::StringRef folder);

} // namespace dyn

#endif // DYN_TOOLS_DYN_TRANSLATE_EXPORTCOMMAND_H

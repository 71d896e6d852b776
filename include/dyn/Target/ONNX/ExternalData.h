//===- Where external data of a model lies ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNX_EXTERNALDATA_H
#define DYN_TARGET_ONNX_EXTERNALDATA_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace dyn::onnx {

/// The file that a model in `folder` means by `location`, by its real path; empty if there is none. Fails where the
/// location leaves the folder, also through links, or is no regular file.
llvm::Expected<std::string> findExternalFile(llvm::StringRef folder, llvm::StringRef location);

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNX_EXTERNALDATA_H

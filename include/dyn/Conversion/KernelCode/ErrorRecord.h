//===- Errors of a run that kernels record ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_ERRORRECORD_H
#define DYN_CONVERSION_KERNELCODE_ERRORRECORD_H

#include "dyn/Conversion/KernelCode/Code.h"

namespace dyn::codegen {

/// Where a `DynErrorRecord` (`dyn/Runtime/ArtefactABI.h`) lies in the memory that a kernel is given, and the word
/// beside it that the first thread to fail takes from 0 to 1. In bytes.
struct ErrorPlace {
  int64_t state, record;
};

/// Calls a function of `module` (any op with one block that is a symbol table) that writes the record if no other
/// thread has. `guard` and the values, at most two, are of type i64.
void callRecordError(Code &code, mlir::Operation *module, ErrorPlace place, mlir::Value memory, mlir::Value guard,
                     mlir::ValueRange values);

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_ERRORRECORD_H

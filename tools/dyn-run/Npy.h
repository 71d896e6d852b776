//===- NumPy's file format --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_RUN_NPY_H
#define DYN_TOOLS_DYN_RUN_NPY_H

#include "dyn-c/Runtime.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace dyn {

/// A dense row-major tensor.
struct Tensor {
  DynElementType elementType = DYN_FLOAT32;
  std::vector<int64_t> dims;
  std::vector<char> data;
};

/// Makes room for the elements of a tensor whose type and dims are set; they are all 0. Fails where there is none, with
/// the dims and the bytes; `what` says whose they are.
llvm::Error allocate(Tensor &tensor, const llvm::Twine &what);

std::string formatDims(llvm::ArrayRef<int64_t> dims);

/// Bytes of one element.
size_t getElementBytes(DynElementType type);

/// Reads a regular file of format 1, 2 or 3, in either order of bytes and of dims. Refuses other element types by name.
llvm::Expected<Tensor> readNpy(llvm::StringRef path);

/// Writes an `OutputFile`.
llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

} // namespace dyn

#endif // DYN_TOOLS_DYN_RUN_NPY_H

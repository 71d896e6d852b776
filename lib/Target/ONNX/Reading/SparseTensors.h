//===- Tensors of which a file holds what is not 0 ----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_READING_SPARSETENSORS_H
#define DYN_LIB_TARGET_ONNX_READING_SPARSETENSORS_H

#include "../Model.h"
#include "llvm/Support/Error.h"

namespace dyn::onnx {

/// The dense tensor of a SparseTensorProto: 0 but for `values`, a vector, which stand at `indices`. These are places in
/// the flattened tensor, `[count]`, or one index for each dim, `[count, rank]`, in either case in ascending order. The
/// model owns its bytes, which are taken from `bytesLeft`: a small file may hold many of them. Errors name no tensor.
llvm::Expected<Tensor> makeDense(Model &model, const Tensor &values, const Tensor &indices,
                                 llvm::ArrayRef<int64_t> dims, int64_t &bytesLeft);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_READING_SPARSETENSORS_H

//===- Names of values in messages --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_VALUENAME_H
#define DYN_DIALECT_DYN_IR_VALUENAME_H

#include "mlir/IR/Value.h"
#include <string>

namespace dyn {

/// `input 'x'`, `'w'` for a constant, `the result of node '/l0/MatMul'`: as the model calls the value that `user`
/// reads. Empty where it has no name, as what an import makes for the node of `user` alone.
std::string describeValue(mlir::Value value, mlir::Operation *user);

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_VALUENAME_H

//===- Matrix products ---------------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_MATRIXPRODUCT_H
#define DYN_LIB_INTERPRETER_MATRIXPRODUCT_H

#include <cstdint>

namespace dyn::reference {

/// c = a * b for row-major, packed matrices of rows x depth and depth x columns, accumulated in double and rounded
/// once.
void multiply(const float *a, const float *b, float *c, int64_t rows, int64_t columns, int64_t depth);
void multiply(const double *a, const double *b, double *c, int64_t rows, int64_t columns, int64_t depth);

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_MATRIXPRODUCT_H

//===- Elements that sizes are ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_SIZESOURCES_H
#define DYN_LIB_ANALYSIS_SIZESOURCES_H

#include "dyn/Dialect/Dyn/IR/DynOps.h"

namespace dyn {

/// An element of an integer tensor, by its place in row-major order.
using Element = std::pair<mlir::Value, int64_t>;

/// The element that dim `dim` of what the op gives is, whatever it may be, in any run that the op is part of, followed
/// back through ops that only move it; nothing where none is known. Two dims with one source are one size.
std::optional<Element> findSizeSource(mlir::Operation *op, unsigned dim);

} // namespace dyn

#endif // DYN_LIB_ANALYSIS_SIZESOURCES_H

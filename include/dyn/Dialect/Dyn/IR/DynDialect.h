//===- The dyn dialect and its attributes -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNDIALECT_H
#define DYN_DIALECT_DYN_IR_DYNDIALECT_H

#include "dyn/Symbolic/Facts.h"
#include "dyn/Symbolic/Predicate.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"

#include "dyn/Dialect/Dyn/IR/DynDialect.h.inc"

#include "dyn/Dialect/Dyn/IR/DynEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/Dyn/IR/DynAttributes.h.inc"

namespace dyn {

/// The tensor type with these dims: constants are static, others dynamic and, if there are any, carried by a
/// `#dyn.dims` encoding. A null dim is one of which nothing is known; then no encoding is possible.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<symbolic::Expr> dims, mlir::Type elementType);

/// The dims of a ranked type: from its encoding, else static ones as constants and null for dynamic ones.
llvm::SmallVector<symbolic::Expr> getDims(mlir::ShapedType type, symbolic::SymbolicContext &context);

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_DYNDIALECT_H

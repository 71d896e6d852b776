//===- Pieces of op assembly -----------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Directives that `assemblyFormat` names.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DYN_IR_ASSEMBLY_H
#define DYN_LIB_DIALECT_DYN_IR_ASSEMBLY_H

#include "dyn/Dialect/Dyn/IR/DynOps.h"

namespace dyn {

/// `max`: the attribute would print itself with a blank in front of it, beside the one that stands there already.
template <typename AttrType>
mlir::ParseResult parseWord(mlir::OpAsmParser &parser, AttrType &attribute) {
  using Enum = decltype(attribute.getValue());
  mlir::FailureOr<Enum> value = mlir::FieldParser<Enum, Enum>::parse(parser);
  if (failed(value))
    return mlir::failure();
  attribute = AttrType::get(parser.getContext(), *value);
  return mlir::success();
}

template <typename AttrType>
void printWord(mlir::OpAsmPrinter &printer, mlir::Operation *, AttrType attribute) {
  printer << stringifyEnum(attribute.getValue());
}

/// `tensor<?xf32> -> tensor<1xi64>`; the first may also stand in brackets.
mlir::ParseResult parseArrow(mlir::OpAsmParser &parser, mlir::Type &from, mlir::Type &to);
void printArrow(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type from, mlir::Type to);

} // namespace dyn

#endif // DYN_LIB_DIALECT_DYN_IR_ASSEMBLY_H

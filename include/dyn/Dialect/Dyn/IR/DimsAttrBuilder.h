//===- Attributes of many dims -----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DIMSATTRBUILDER_H
#define DYN_DIALECT_DYN_IR_DIMSATTRBUILDER_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace dyn {

/// Makes the attributes that DimsAttr::get makes, for expressions of one SymbolicContext. Few sizes stand in many
/// types: each is printed once.
class DimsAttrBuilder {
public:
  explicit DimsAttrBuilder(mlir::MLIRContext *context) : context(context) {}

  DimsAttr get(llvm::ArrayRef<symbolic::Expr> dims) {
    llvm::SmallVector<ExprAttr> attributes;
    for (symbolic::Expr dim : dims) {
      ExprAttr &attribute = known[dim];
      if (!attribute)
        attribute = ExprAttr::get(context, dim);
      attributes.push_back(attribute);
    }
    return DimsAttr::get(context, attributes);
  }

private:
  mlir::MLIRContext *context;
  llvm::DenseMap<symbolic::Expr, ExprAttr> known;
};

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_DIMSATTRBUILDER_H

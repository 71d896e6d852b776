//===- Names of sizes that inputs do not declare -----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A function keeps them in two attributes: `dyn.aliases`, a `#dyn.constraints` of
// relations such as `total == past + seq`, and `dyn.alias_sources`, of which each
// element says why the relation with the same place holds: what has that size, and
// the node that gives it.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_ALIASES_H
#define DYN_DIALECT_DYN_IR_ALIASES_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/IR/Operation.h"

namespace dyn {

inline constexpr llvm::StringLiteral kAliasSourcesAttrName{"dyn.alias_sources"};

struct Alias {
  PredAttr relation;
  std::string because; ///< "dim 0 of output 'y'"
  std::string where;   ///< the node, as describePlace names it; may be empty
};

llvm::SmallVector<Alias> getAliases(mlir::Operation *function);
void setAliases(mlir::Operation *function, llvm::ArrayRef<Alias> aliases);
/// What the verifier of `dyn.alias_sources` asks.
mlir::LogicalResult verifyAliasSources(mlir::Operation *function, mlir::Attribute sources);

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_ALIASES_H

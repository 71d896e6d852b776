//===- Facts that a function declares -----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_FUNCTIONFACTS_H
#define DYN_ANALYSIS_FUNCTIONFACTS_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Symbolic/Solver.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace dyn {

/// Tells the solver what `dyn.symbols` and `dyn.constraints` of a function say. False if that contradicts itself.
bool addDeclaredFacts(mlir::Operation *function, symbolic::Solver &solver);
/// The same of declarations that stand elsewhere; `constraints` may be null.
bool addDeclaredFacts(llvm::ArrayRef<symbolic::SymbolDeclaration> symbols, ConstraintsAttr constraints,
                      symbolic::Solver &solver);

/// What elements of a type can be, where that is less than 64 bits hold.
symbolic::Range getElementRange(mlir::IntegerType type);

} // namespace dyn

#endif // DYN_ANALYSIS_FUNCTIONFACTS_H

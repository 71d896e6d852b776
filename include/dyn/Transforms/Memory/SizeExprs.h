//===- Sizes in SSA form as expressions, and back ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_MEMORY_SIZEEXPRS_H
#define DYN_TRANSFORMS_MEMORY_SIZEEXPRS_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Symbolic/Solver.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"

namespace dyn {

/// Reads the index values of a function below the waterline as expressions over its symbols, with the facts that its
/// attributes and checks state.
class SizeExprs {
public:
  explicit SizeExprs(mlir::func::FuncOp function);

  /// Fails, with a diagnostic, if the facts contradict each other: then no run of the function is possible.
  llvm::LogicalResult readFacts();
  symbolic::Solver &getSolver() { return solver; }

  /// A value that is no expression of others is a symbol of its own. Null where coefficients overflow.
  symbolic::Expr getExpr(mlir::Value size);
  /// A predicate over `names`, given as `operands`, as one over the function's symbols.
  std::optional<symbolic::Predicate> getPredicate(PredAttr predicate, mlir::ArrayAttr names, mlir::ValueRange operands);
  /// Dims of an allocation, an argument with `dyn.dims`, data, or a view of one of these; null where they are not
  /// known.
  llvm::SmallVector<symbolic::Expr> getDims(mlir::Value buffer);
  symbolic::Expr getBytes(mlir::Value buffer);

  /// Is every symbol of the expression one of the function's?
  bool isOverSymbols(symbolic::Expr expr) const;

  /// The value of a symbol; its op is added at entry if there is none.
  mlir::Value getSymbolValue(mlir::OpBuilder &builder, mlir::Location loc, symbolic::Expr symbol);
  /// The expression, which is not null, as a value, computed at the insertion point.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc, symbolic::Expr expr);
  /// Of a buffer all of whose dims are known.
  llvm::SmallVector<mlir::OpFoldResult> materializeDims(mlir::OpBuilder &builder, mlir::Location loc,
                                                        mlir::Value buffer);

private:
  symbolic::Expr computeExpr(mlir::Value size);
  /// What to put for the symbols `names` of an op's expression, given as its operands. False if there is no expression
  /// for an operand.
  bool getSubstitution(mlir::ArrayAttr names, mlir::ValueRange operands, symbolic::Substitution &substitution);

  mlir::func::FuncOp function;
  symbolic::SymbolicContext context;
  symbolic::Solver solver;
  llvm::DenseMap<mlir::Value, symbolic::Expr> exprs;
  llvm::DenseMap<symbolic::Expr, mlir::Value> valueOfSymbol;
};

/// Bytes that an element takes in memory; booleans take one. Nothing for types that have no memory format.
std::optional<int64_t> getBytesOfElement(mlir::Type type);

} // namespace dyn

#endif // DYN_TRANSFORMS_MEMORY_SIZEEXPRS_H

//===- Integer code for expressions and predicates --------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_HOSTTOLLVM_EXPREMITTER_H
#define DYN_LIB_CONVERSION_HOSTTOLLVM_EXPREMITTER_H

#include "dyn/Symbolic/Facts.h"
#include "dyn/Symbolic/Predicate.h"
#include "mlir/IR/Builders.h"

namespace dyn::host {

/// A 64-bit integer, what is known of it, and where it may have no value.
struct Number {
  mlir::Value value;
  symbolic::Range range{std::nullopt, std::nullopt}; ///< holds wherever the value is valid
  mlir::Value invalid; ///< true where it overflowed or was divided by zero; null if that cannot be
};

/// Emits what computes expressions at the insertion point of a builder. Divisions never trap.
class ExprEmitter {
public:
  /// With `checked`, numbers say where they are invalid; without, the caller knows that they are not.
  ExprEmitter(mlir::OpBuilder &builder, bool checked) : builder(builder), checked(checked) {}

  using Symbols = llvm::function_ref<Number(llvm::StringRef)>;
  Number emit(symbolic::Expr expr, Symbols symbols);
  /// Whether the predicate holds, as an i1; not where something in it has no value that its truth hangs on.
  mlir::Value emit(const symbolic::Predicate &predicate, Symbols symbols);
  struct Truth {
    mlir::Value yes, no;   ///< neither, where the truth hangs on what has no value
    bool isCertain = true; ///< Is it always one of both?
  };
  Truth emitTruth(const symbolic::Predicate &predicate, Symbols symbols);

  Number constant(int64_t value);
  Number add(Number lhs, Number rhs);
  Number subtract(Number lhs, Number rhs);
  Number multiply(Number lhs, Number rhs);
  Number floorDivide(Number lhs, Number rhs);

  /// Location of what is emitted.
  std::optional<mlir::Location> loc;

private:
  struct Sum {
    llvm::SmallVector<mlir::Value> terms;
    Number total;
  };
  Number emitTree(const symbolic::ExprTree &tree, Symbols symbols);
  Number emitSum(llvm::ArrayRef<Number> terms);
  Number divide(Number lhs, Number rhs, symbolic::ExprTree::Kind kind);
  mlir::Value either(mlir::Value lhs, mlir::Value rhs);
  mlir::Value isValid(mlir::Value condition, mlir::Value invalid);

  mlir::OpBuilder &builder;
  bool checked;
  std::optional<Sum> lastSum;
};

} // namespace dyn::host

#endif // DYN_LIB_CONVERSION_HOSTTOLLVM_EXPREMITTER_H

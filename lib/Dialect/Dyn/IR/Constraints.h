//===- What the verifiers of ops share ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Verifiers are local: they look at ranks, static dims, element types and
// attributes, let pass what is not known, and ask no solver. Messages begin with
// the number of the constraint in the op's documentation.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DYN_IR_CONSTRAINTS_H
#define DYN_LIB_DIALECT_DYN_IR_CONSTRAINTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace dyn {

/// The rank where it is known.
std::optional<int64_t> getKnownRank(mlir::Value value);
/// The size of a dim where rank and size are known.
std::optional<int64_t> getKnownDim(mlir::Value value, int64_t dim);

/// One op and the number of one of its constraints.
class Constraint {
public:
  Constraint(mlir::Operation *op, unsigned number) : op(op), number(number) {}

  mlir::InFlightDiagnostic emitError() const { return op->emitOpError() << '(' << number << ") "; }

  mlir::LogicalResult hasRank(llvm::StringRef name, mlir::Value value) const;
  mlir::LogicalResult isRank(llvm::StringRef name, mlir::Value value, std::optional<int64_t> rank) const;
  mlir::LogicalResult isDim(llvm::StringRef name, mlir::Value value, int64_t dim, std::optional<int64_t> size) const;
  mlir::LogicalResult hasOneElement(llvm::StringRef name, mlir::Value value) const;
  mlir::LogicalResult isCount(llvm::StringRef name, size_t count, std::optional<int64_t> expected) const;
  /// `axis` lies in [-rank, rank - 1].
  mlir::LogicalResult isAxis(int64_t axis, std::optional<int64_t> rank) const;
  /// As isAxis for each; none names a dim twice.
  mlir::LogicalResult areAxes(llvm::ArrayRef<int64_t> axes, std::optional<int64_t> rank) const;

  /// `dim 1 of 'lhs'`, with the model's name of the value if it has one: `dim 1 of 'lhs' (input 'x')`.
  std::string describeDim(llvm::StringRef name, mlir::Value value, int64_t dim) const;

private:
  /// `'lhs'`, or `'lhs' (input 'x')`
  std::string describe(llvm::StringRef name, mlir::Value value) const;

  mlir::Operation *op;
  unsigned number;
};

} // namespace dyn

#endif // DYN_LIB_DIALECT_DYN_IR_CONSTRAINTS_H

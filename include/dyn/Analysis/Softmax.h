//===- Softmax among linalg ops ---------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_SOFTMAX_H
#define DYN_ANALYSIS_SOFTMAX_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include <optional>

namespace dyn {

/// e^(x - max x) / sum e^(x - max x) along the last dim, of f32 or f64: generics of which only the last is read by
/// others. The quotient may be rounded to fewer bits, and any step to f16 or bf16.
struct Softmax {
  mlir::linalg::GenericOp maximum, exponential, sum, quotient;
  /// Whether results that are no numbers, which is where a row is all -inf or an element is no number, become 0.
  bool nanBecomesZero = false;
  /// Whether there are 16-bit floats among what the quotient is computed from.
  bool hasRoundedSteps = false;

  /// What it is taken of.
  mlir::Value getInput() { return maximum.getDpsInputs()[0]; }
};

/// The softmax whose last op is `quotient`, if it is one. `mayJoin` tells which ops may be part of it.
std::optional<Softmax> matchSoftmax(mlir::linalg::GenericOp quotient,
                                    llvm::function_ref<bool(mlir::linalg::GenericOp)> mayJoin);

/// The first of what the op's body yields.
mlir::Value getYielded(mlir::linalg::GenericOp op);

/// Whether the op's first result starts from a fill with what the matcher takes.
template <typename Matcher>
bool startsFrom(mlir::linalg::GenericOp op, Matcher matcher) {
  auto fill = op.getDpsInits().front().getDefiningOp<mlir::linalg::FillOp>();
  return fill && mlir::matchPattern(fill.getInputs().front(), matcher);
}

/// Whether all readers of `value` are among `users`, at inputs.
bool isReadOnlyBy(mlir::Value value, llvm::ArrayRef<mlir::linalg::GenericOp> users);

} // namespace dyn

#endif // DYN_ANALYSIS_SOFTMAX_H

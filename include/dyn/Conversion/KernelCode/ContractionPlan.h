//===- The rows and columns of a contraction --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_CONTRACTIONPLAN_H
#define DYN_CONVERSION_KERNELCODE_CONTRACTIONPLAN_H

#include "dyn/Conversion/KernelCode/LoopPlan.h"

namespace dyn::codegen {

/// The loops of a contraction that can be computed in tiles of rows, which only one operand has, times columns, which
/// only the other one has.
class ContractionPlan : public LoopPlan {
public:
  ContractionPlan(KernelCode &kernel, mlir::linalg::GenericOp op, mlir::linalg::GenericOp epilogue);

  /// Whether there are such loops, and more than one index in each; or, `mayHaveOneRow`, in that of the columns. The
  /// body then stands alone: it reads nothing but its arguments.
  static bool isPossible(mlir::linalg::GenericOp op, bool mayHaveOneRow = false);
  /// Whether there is one row, and the columns lie in panels or beside each other: they need not be copied, which would
  /// be more work than the product.
  static bool isRowTimesColumns(mlir::linalg::GenericOp op);

protected:
  Operand &left() { return main.inputs[1 - rhs]; }
  Operand &right() { return main.inputs[rhs]; }

  /// Whether the elements of `operand` that are summed lie one after the other, over several loops.
  bool isReducedInOrder(const Operand &operand);
  /// Whether the innermost loop of several is as short as a convolution's window.
  bool isOverWindows();

  /// The number of the operand that has the columns.
  unsigned rhs = 1;
  unsigned rowLoop = 0, columnLoop = 0;
  /// The other parallel loops.
  llvm::SmallVector<unsigned> outer;

private:
  void choose();
  /// Whether the panels of `operand` divide this loop.
  bool isInPanels(const Operand &operand, unsigned loop);
};

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_CONTRACTIONPLAN_H

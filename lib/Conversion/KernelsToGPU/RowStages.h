//===- The ops of a row, computed by a block --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOGPU_ROWSTAGES_H
#define DYN_LIB_CONVERSION_KERNELSTOGPU_ROWSTAGES_H

#include "GPUKernelCode.h"
#include "dyn/Conversion/KernelCode/Selections.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dyn::gpu {

/// Runs ops over a row with the threads of a block. Nothing but what the kernel returns is stored: what an op computes
/// for a whole row is a value that all threads hold, and any other element is computed again where it is read.
class RowStages {
public:
  /// `rows`: the number of leading loops of each op that are the row.
  RowStages(GPUKernelCode &kernel, llvm::ArrayRef<mlir::linalg::LinalgOp> stages, unsigned rows)
      : kernel(kernel), code(kernel.code), stages(stages), rows(rows) {}

  void emitRow(llvm::ArrayRef<mlir::Value> row);

  /// The largest number of elements of a row that an op computes or combines; nothing if that is not known.
  static std::optional<int64_t> getRowSize(llvm::ArrayRef<mlir::linalg::LinalgOp> stages, unsigned rows);

  /// The same, at run time.
  static mlir::Value emitRowSize(KernelCode &kernel, llvm::ArrayRef<mlir::linalg::LinalgOp> stages, unsigned rows);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// The extents of the loops of an op.
  static Values getExtents(KernelCode &kernel, mlir::linalg::LinalgOp op);
  bool isLight() const;
  /// An element of a tensor of the kernel or of an op's result.
  mlir::Value readElement(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices);
  /// The operand where the loops are at `loops`.
  mlir::Value readOperand(mlir::linalg::LinalgOp op, mlir::OpOperand &operand, llvm::ArrayRef<mlir::Value> loops);
  /// What the body yields; `outputs` are the old values of reductions.
  Values evaluate(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::Value> loops, mlir::ValueRange outputs);
  /// The op's results where the parallel loops are at `loops`; one thread runs reductions.
  Values compute(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::Value> loops);
  Values readStarts(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::Value> loops);
  Values runReductions(mlir::linalg::LinalgOp op, unsigned next, llvm::ArrayRef<mlir::Value> loops,
                       llvm::ArrayRef<mlir::Value> extents, mlir::ValueRange carried);
  /// The op's results for the row, from reductions that all threads share.
  Values reduceRow(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::Value> row);
  /// As `reduceRow`, of an op that keeps what belongs to one of the elements.
  Values selectInRow(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::Value> row, const codegen::Selection &selection);
  void store(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::Value> loops, mlir::ValueRange values);
  bool isReturned(mlir::Value result);

  GPUKernelCode &kernel;
  Code &code;
  llvm::ArrayRef<mlir::linalg::LinalgOp> stages;
  unsigned rows;
  /// Results of the current row that are one element each.
  llvm::DenseMap<mlir::Value, mlir::Value> ofRow;
};

} // namespace dyn::gpu

#endif // DYN_LIB_CONVERSION_KERNELSTOGPU_ROWSTAGES_H

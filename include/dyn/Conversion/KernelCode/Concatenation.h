//===- Kernels that write pieces side by side -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_CONCATENATION_H
#define DYN_CONVERSION_KERNELCODE_CONCATENATION_H

#include "dyn/Conversion/KernelCode/Nest.h"
#include "dyn/Conversion/KernelCode/SliceCopy.h"

namespace dyn::codegen {

/// A kernel that writes inputs, and what generics compute, side by side.
struct Concatenation {
  llvm::SmallVector<mlir::tensor::InsertSliceOp> pieces;
  /// The only dim in which a piece may be shorter than the whole; none if that is not known.
  std::optional<unsigned> axis;
};

/// Nothing for other kernels.
std::optional<Concatenation> matchConcatenation(mlir::func::FuncOp kernel);

/// One piece: an input is copied, a generic computes it where it belongs.
class PieceWriter {
public:
  PieceWriter(KernelCode &kernel, mlir::tensor::InsertSliceOp piece, std::optional<unsigned> axis);

  /// Work that is independent of each other.
  mlir::Value emitItemCount() { return copy ? copy->emitItemCount() : nest->emitItemCount(); }
  void emitItems(mlir::Value begin, mlir::Value end) {
    copy ? copy->emitItems(begin, end) : nest->emitItems(begin, end);
  }

  /// Roughly how many instructions all items take.
  mlir::Value emitCost();

  /// Element by element, where the kernel has no vectors.
  mlir::Value emitElementCount() { return copy ? copy->emitElementCount() : nest->emitItemCount(); }
  void emitElement(mlir::Value element) { copy ? copy->emitElement(element) : nest->emitItem(element); }

private:
  Code &code;
  std::optional<SliceCopy> copy;
  std::optional<Nest> nest;
};

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_CONCATENATION_H

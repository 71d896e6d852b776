//===- Copying slices -------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_SLICECOPY_H
#define DYN_CONVERSION_KERNELCODE_SLICECOPY_H

#include "dyn/Conversion/KernelCode/KernelCode.h"

namespace dyn::codegen {

/// `tensor.insert_slice` of a whole source with unit strides: copies rows, the longest contiguous pieces.
class SliceCopy {
public:
  /// `axis`: the only dim in which the source may be shorter than the destination; none if that is not known.
  SliceCopy(KernelCode &kernel, mlir::tensor::InsertSliceOp op, std::optional<unsigned> axis);

  /// Pieces of rows that are independent of each other.
  mlir::Value emitItemCount();
  void emitItems(mlir::Value begin, mlir::Value end);

  /// Element by element.
  mlir::Value emitElementCount();
  void emitElement(mlir::Value element);

private:
  mlir::Value valueOf(mlir::OpFoldResult value);
  /// Where row `row` begins in the target.
  mlir::Value targetOfRow(mlir::Value row);
  void copy(mlir::Value from, mlir::Value to, mlir::Value length);

  KernelCode &kernel;
  Code &code;
  TensorMemory &source, &target;
  /// Loops over the source, and the strides of the target.
  llvm::SmallVector<mlir::Value> extents, strides;
  mlir::Value base;
};

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_SLICECOPY_H

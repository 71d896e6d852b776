//===- A kernel while its functions are built -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_KERNELCODE_H
#define DYN_CONVERSION_KERNELCODE_KERNELCODE_H

#include "dyn/Conversion/KernelCode/Memory.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include <memory>

namespace dyn::codegen {

/// One of the functions that a kernel becomes, while its body is built: what the kernel's values are in it.
class KernelCode {
public:
  /// Maps the arguments and the index arithmetic of the kernel, at the builder's insertion point. `arguments` are
  /// values of the types of `lowerArgumentTypes`; pointers may be null where nothing is read or written. `rows`: the
  /// number of leading dims of temporary tensors of which only one row is held. `vectorBits`: 0 where there are no
  /// vectors.
  KernelCode(mlir::func::FuncOp kernel, mlir::ValueRange arguments, mlir::OpBuilder &builder, unsigned vectorBits,
             unsigned rows = 0);
  virtual ~KernelCode() = default;

  mlir::func::FuncOp kernel;
  Code code;
  unsigned vectorBits;
  unsigned rows;
  /// The kernel's values that are no tensors.
  mlir::IRMapping scalars;
  /// Whether some code writes past the caches.
  bool writesPastCaches = false;

  /// Where a tensor of the kernel lies. Ops that write a tensor do so in place: their results are their destinations.
  TensorMemory &memoryOf(mlir::Value tensor);
  /// Says where the result of a `tensor.collapse_shape` or `expand_shape` lies, whose operand is contiguous, at the
  /// builder's insertion point: for what stands in a loop.
  void describeView(mlir::Operation *view);

  /// Records an error of the run unless there is one already. `guard` and `values`, at most two, are of type i64.
  virtual void recordError(mlir::Value guard, mlir::ValueRange values) = 0;

private:
  void mapIndexArithmetic();
  mlir::Value valueOf(mlir::OpFoldResult size);
  void describeSlice(mlir::tensor::ExtractSliceOp slice);
  TensorMemory &describe(mlir::Value tensor, mlir::Value base, mlir::ValueRange dims, unsigned heldRows);

  llvm::DenseMap<mlir::Value, std::unique_ptr<TensorMemory>> memories;
};

/// Is it arithmetic: without regions and effects, on no tensors or vectors?
bool isScalar(mlir::Operation &op);

/// The types of the arguments that stand for the kernel's.
llvm::SmallVector<mlir::Type> lowerArgumentTypes(mlir::func::FuncOp kernel);

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_KERNELCODE_H

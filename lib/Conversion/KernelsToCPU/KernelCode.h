//===- A kernel while its functions are built -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOCPU_KERNELCODE_H
#define DYN_LIB_CONVERSION_KERNELSTOCPU_KERNELCODE_H

#include "Memory.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include <memory>

namespace dyn::cpu {

/// One of the functions that a kernel becomes, while its body is built: what the kernel's values are in it.
class KernelCode {
public:
  /// Which function: what runs items of work, or what counts them.
  enum class Role { Run, Count };

  /// Begins the body of `function`: maps the arguments and the index arithmetic of the kernel. `rows`: the number of
  /// leading dims of temporary tensors of which only one row is held.
  KernelCode(mlir::func::FuncOp kernel, mlir::func::FuncOp function, mlir::OpBuilder &builder, Role role,
             unsigned vectorBits, unsigned rows = 0);

  mlir::func::FuncOp kernel;
  Code code;
  unsigned vectorBits;
  unsigned rows;
  /// `!llvm.ptr` to the DynRunContext, and the items to run; null in a function that counts.
  mlir::Value context, begin, end;
  /// The kernel's values that are no tensors.
  mlir::IRMapping scalars;

  /// Where a tensor of the kernel lies. Ops that write a tensor do so in place: their results are their destinations.
  TensorMemory &memoryOf(mlir::Value tensor);

  /// Gives memory to temporary tensors, then builds `body`, which runs if there was enough memory. Tensors of one
  /// element per row are SSA values and take none.
  void withTemporaries(llvm::ArrayRef<mlir::tensor::EmptyOp> temporaries, llvm::function_ref<void()> body);
  /// Memory for `bytes` besides; to be called before `withTemporaries`, which sets it.
  mlir::Value extraScratchBytes, extraScratch;

  /// Memory on the stack of the function, aligned to 64.
  mlir::Value emitStackMemory(int64_t bytes);

  /// Writes an error into the run context unless there is one already. `values` are at most two.
  void recordError(mlir::Value guard, mlir::ValueRange values);

private:
  void mapIndexArithmetic();
  TensorMemory &describe(mlir::Value tensor, mlir::Value base, mlir::ValueRange dims, unsigned heldRows);

  llvm::DenseMap<mlir::Value, std::unique_ptr<TensorMemory>> memories;
};

/// The types of the arguments that stand for the kernel's.
llvm::SmallVector<mlir::Type> lowerArgumentTypes(mlir::func::FuncOp kernel);

} // namespace dyn::cpu

#endif // DYN_LIB_CONVERSION_KERNELSTOCPU_KERNELCODE_H

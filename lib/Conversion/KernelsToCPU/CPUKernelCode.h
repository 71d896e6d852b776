//===- A CPU kernel while its functions are built ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOCPU_CPUKERNELCODE_H
#define DYN_LIB_CONVERSION_KERNELSTOCPU_CPUKERNELCODE_H

#include "dyn/Conversion/KernelCode/KernelCode.h"

namespace dyn::cpu {

using namespace codegen;

/// Lines so far apart share one set of the first-level cache, which has as many as a small page has lines.
inline constexpr int64_t collidingBytes = 4096;

/// What sizes of tiles and blocks are chosen from.
struct CPUModel {
  unsigned vectorBits;
  /// Of the second-level cache of a core.
  int64_t l2Bytes;
  /// Lines a multiple of `collidingBytes` apart that the first-level cache holds.
  int64_t l1Ways;
};

/// One of the functions that a kernel becomes, while its body is built.
class CPUKernelCode : public KernelCode {
public:
  /// Which function: what runs items of work, or what computes a number before that.
  enum class Role { Run, Count };

  /// Begins the body of `function`.
  CPUKernelCode(mlir::func::FuncOp kernel, mlir::func::FuncOp function, mlir::OpBuilder &builder, Role role,
                CPUModel cpu, unsigned rows = 0);

  const CPUModel cpu;

  /// `!llvm.ptr` to the DynRunContext, and the items to run; null in a function that counts.
  mlir::Value context, begin, end;

  /// The bytes of the context's memory that `withTemporaries` takes of each thread; 0 where the stack is enough.
  mlir::Value emitScratchBytes(llvm::ArrayRef<mlir::tensor::EmptyOp> temporaries);
  /// Gives memory to temporary tensors, then builds `body`, which runs if there was enough memory. Tensors of one
  /// element per row are SSA values and take none.
  void withTemporaries(llvm::ArrayRef<mlir::tensor::EmptyOp> temporaries, llvm::function_ref<void()> body);
  /// Memory for so many bytes besides; to be set before the two above, of which `withTemporaries` sets the other.
  mlir::Value extraScratchBytes, extraScratch;

  /// Memory on the stack of the function, aligned to 64.
  mlir::Value emitStackMemory(int64_t bytes);

  /// Makes what was written past the caches visible to other threads.
  void emitFence();

  void recordError(mlir::Value guard, mlir::ValueRange values) override;

private:
  void findLargeOutputs();

  struct Layout;
  Layout layOut(llvm::ArrayRef<mlir::tensor::EmptyOp> temporaries);
};

} // namespace dyn::cpu

#endif // DYN_LIB_CONVERSION_KERNELSTOCPU_CPUKERNELCODE_H

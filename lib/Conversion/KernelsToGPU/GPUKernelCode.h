//===- A GPU kernel while it is built ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOGPU_GPUKERNELCODE_H
#define DYN_LIB_CONVERSION_KERNELSTOGPU_GPUKERNELCODE_H

#include "dyn/Conversion/KernelCode/KernelCode.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace dyn::gpu {

using namespace codegen;

/// Threads that run together and exchange values without memory.
constexpr int64_t warpSize = 32;

/// The `gpu.func` that a kernel becomes, while its body is built. One point is computed at a time: there are no
/// vectors.
class GPUKernelCode : public KernelCode {
public:
  /// Begins the body of `function`, whose arguments are a pointer to the error record, then those of
  /// `lowerArgumentTypes` with i64 for index. `threads`: of a block, all along x.
  GPUKernelCode(mlir::func::FuncOp kernel, mlir::gpu::GPUFuncOp function, mlir::OpBuilder &builder, int64_t threads,
                unsigned rows);

  mlir::gpu::GPUFuncOp function;
  int64_t threads;
  /// Of type index: this thread's number in its block, the number of the block, and how many blocks there are.
  mlir::Value thread, block, blocks;

  /// From here on, each warp is what a block was.
  void divideIntoWarps();

  /// Runs `body` for each index below `count`, divided among all threads of the grid, whatever their number.
  void forEachInGrid(mlir::Value count, llvm::function_ref<void(mlir::Value)> body);
  /// Runs `body` for each index below `count`, the whole block for each; divided among blocks.
  void forEachBlock(mlir::Value count, llvm::function_ref<void(mlir::Value)> body);
  /// Divided among the threads of the block; each thread carries values of its own.
  llvm::SmallVector<mlir::Value> forEachInBlock(mlir::Value count, mlir::ValueRange init, Code::LoopBody body);
  void forEachInBlock(mlir::Value count, llvm::function_ref<void(mlir::Value)> body);

  using Combine = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange, mlir::ValueRange)>;
  /// As `forEachInBlock`, for bodies that combine the element's values with those carried, of which `init` are the
  /// identities: several elements are under way at a time.
  llvm::SmallVector<mlir::Value> reduceInBlock(mlir::Value count, mlir::ValueRange init, Code::LoopBody body,
                                               Combine combine);

  /// Memory that the threads of a block share: a memref of as many elements as stored in memory.
  mlir::Value allocateShared(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  /// Shared memory as a pointer to anything, aligned to 8 bytes.
  mlir::Value allocateSharedBytes(int64_t bytes);
  /// What all threads of a block wrote before it, all see after it. All of them must get here.
  void barrier();

  /// The values of all threads of the block combined, the same in each. All of them must get here.
  llvm::SmallVector<mlir::Value> reduceOverBlock(mlir::ValueRange values, Combine combine);

  void recordError(mlir::Value guard, mlir::ValueRange values) override;

private:
  mlir::Value errors;
  /// For values that warps exchange, by type, as many as are exchanged at a time.
  llvm::DenseMap<mlir::Type, llvm::SmallVector<mlir::Value>> exchange;

  llvm::SmallVector<mlir::Value> forStrided(mlir::Value lower, mlir::Value upper, mlir::Value step,
                                            mlir::ValueRange init, Code::LoopBody body);
  mlir::Value shuffle(mlir::Value value, int32_t distance);
};

/// The number of blocks of a launch, while it is computed in main: a kernel whose tensors have sizes but no memory.
class LaunchCode : public KernelCode {
public:
  LaunchCode(mlir::func::FuncOp kernel, mlir::ValueRange arguments, mlir::OpBuilder &builder, unsigned rows)
      : KernelCode(kernel, arguments, builder, /*vectorBits=*/0, rows) {}

  void recordError(mlir::Value, mlir::ValueRange) override { llvm_unreachable("main computes sizes only"); }
};

} // namespace dyn::gpu

#endif // DYN_LIB_CONVERSION_KERNELSTOGPU_GPUKERNELCODE_H

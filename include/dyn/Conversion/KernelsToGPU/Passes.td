//===- Kernels on tensors to GPU kernels ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELSTOGPU_PASSES_TD
#define DYN_CONVERSION_KERNELSTOGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerKernelsToGPUPass : Pass<"dyn-lower-kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "turns kernels on tensors into GPU kernels, and launches into launches of grids";
  let description = [{
    **Before**: private functions with the attribute `dyn.kernel`, in the form that `dyn-form-kernels` describes, and
    functions that launch them, in the form that `dyn-plan-memory` leaves.

    **After**: the kernels are `gpu.func`s with the attribute `kernel` in one `gpu.module @kernels`. Their arguments are
    a pointer to `DynDeviceErrors` (`dyn/Runtime/ArtefactABI.h`), where an index that `dyn_shape.bound` refuses is
    recorded, then those of the kernel in their order: a tensor becomes `!llvm.ptr` followed by one `i64` for each of its
    dynamic dims, an `index` becomes `i64`. Tensors are contiguous, row-major and aligned to their elements; `i1` takes a
    byte each, 0 or 1. The memory of `outs` overlaps no other argument's. Blocks are one-dimensional, of the size that
    `known_block_size` says; every kernel is right for any number of blocks, sizes of 0 included. Offsets are computed
    in 64 bits. Bodies are `scf`, `arith`, `math`, `gpu`, accesses of the `llvm` dialect to global memory and of
    `memref` to shared memory. No kernel has memory on the stack.
    * "pointwise" and "concat": each thread computes points of the linearised iteration space, a grid apart.
    * "row": a block for each row. A reduction to one value per row is divided among the threads, whose parts are
      exchanged between the lanes of a warp, then through shared memory; other tensors that live in the kernel are not
      stored, but computed again where they are read.
    * "contraction": a block computes 64 rows times 64 columns of the result at a time, from pieces of the operands
      that it holds in shared memory, 4 times 4 elements in the registers of each thread; edges are masked.
    * "sequential": one thread.

    Each `dyn_shape.launch` is a `gpu.launch_func`, whose grid is computed from the sizes of the launch: at least 1 block,
    at most 2^31 - 1. Its first argument is null: where errors lie is known to who runs the program; there
    is no host program for grids yet (`dyn-lower-host` refuses them). Kernels that are not launched are lowered all the same.

    **Refuses**: kernels of another form, naming the op; working memory of a size that is not known in a "sequential"
    kernel, or of more than 32 KiB; launches on tensors.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::dyn::shape::DynShapeDialect"];
}

def VerifyGPUKernelsPass : Pass<"dyn-verify-gpu-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "checks that kernels hold nothing that a GPU has not";
  let description = [{
    **Before**: nothing is taken for granted. **After**: nothing has changed.

    **Refuses**, naming the op and its kernel, what must not reach code generation: memory that is allocated, on the
    stack or elsewhere, loops that are parallel but not mapped to blocks and threads, tensors and vectors.
  }];
}

def LowerGPUToNVVMPass : Pass<"dyn-lower-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "lowers GPU kernels to the nvvm and llvm dialects, with as few calls of libdevice as can be";
  let description = [{
    **Before**: `gpu.func`s of `cf`, `arith`, `math`, `gpu`, `memref` and `llvm`, behind `dyn-expand-math`. **After**:
    functions of the `llvm` and `nvvm` dialects.

    Upstream's `convert-gpu-to-nvvm` makes every function of `math` a call of libdevice, a file of the CUDA toolkit. Here
    those that the code generator has instructions for (absolute value, rounding, square root, sign, fused multiply-add,
    counting bits) become intrinsics, so that the models whose other functions `dyn-expand-math` knows need no such
    file. The rest, such as the functions of f64, are calls as there.

    **Refuses**: ops of other dialects, naming the op.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // DYN_CONVERSION_KERNELSTOGPU_PASSES_TD

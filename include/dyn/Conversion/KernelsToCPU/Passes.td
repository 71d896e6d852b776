//===- Kernels on tensors to CPU code on pointers --------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELSTOCPU_PASSES_TD
#define DYN_CONVERSION_KERNELSTOCPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def PackWeightsPass : Pass<"dyn-pack-weights", "::mlir::ModuleOp"> {
  let summary = "lays out the weights of contractions in the order in which kernels read them";
  let description = [{
    **Before**: launches on memory, as `dyn-plan-memory` leaves them, and kernels on tensors.

    **After**: a weight (`dyn_shape.data #dyn.weight`) that a launch passes to a contraction as the operand which has the
    columns, in any order of its dims, lies in panels: the memref's layout says so, and the kernel's argument has the
    same map as `dyn.layout`. A panel has as many columns as a register tile, so that a kernel reads it from its
    beginning to its end. Where other launches of the kernel pass something else, those with weights get a copy of it.
    A weight that has other readers, too, lies in the artefact twice.

    **Leaves alone**: other operands, small constants, contractions that are not computed in tiles, and launches with
    versions.
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
                        "Width of a vector register of the target: 128, 256 or 512">];
  let dependentDialects = ["::dyn::shape::DynShapeDialect", "::mlir::func::FuncDialect"];
}

def RelaxSoftmaxPass : Pass<"dyn-relax-softmax", "::mlir::func::FuncOp"> {
  let summary = "takes exactness from softmax where it can't be seen in the result";
  let description = [{
    **Before**: kernels on tensors. Functions without `dyn.kernel` are left alone.

    **After**: where generics of f32 are a softmax along the last dim, the maximum passes over NaN (`arith.maxnumf`), which
    takes one instruction instead of four: the sum is NaN all the same. Instead of a division for each element there is
    one for each row, and a multiplication for each element; results are off by at most one ulp more.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerKernelsToCPUPass : Pass<"dyn-lower-kernels-to-cpu", "::mlir::ModuleOp"> {
  let summary = "turns each kernel on tensors into a vectorised function on pointers";
  let description = [{
    **Before**: private functions with the attribute `dyn.kernel`, in the form that `dyn-form-kernels` describes. Other
    functions, and the launches in them, are left alone.

    **After**: for each kernel `@k` four private functions, none of which mentions a tensor:
    * `@k(%context: !llvm.ptr, %begin: index, %end: index, <arguments>)` runs the items [begin, end) of its work; items
      are independent of each other. It keeps `dyn.kernel`.
    * `@k.count(<arguments>) -> index` is the number of items; 0 if there is nothing to write.
    * `@k.grain(<arguments>) -> index` is how many items are worth a task of their own, at least 1: less work than that
      is slower on two threads than on one.
    * `@k.scratch(<arguments>) -> index` is the most bytes that a call of `@k` takes from the context; it reads no tensor.

    `<arguments>` are those of the kernel in their order: a tensor becomes `!llvm.ptr` followed by one `index` for each of
    its dynamic dims, an `index` stays. Tensors are contiguous, row-major and aligned to their elements; `i1` takes a
    byte each, 0 or 1. An argument with `dyn.layout` lies in panels, see `dyn-pack-weights`. The memory of `outs` overlaps
    no other argument's.

    `%context` points to a `DynRunContext` (`dyn/Runtime/ArtefactABI.h`): kernels take memory for their temporary tensors
    from its function `scratch`, and an index that `dyn_shape.bound` refuses is recorded in its `error`.

    Sizes of tiles and blocks follow from the width of vectors, the size of the second-level cache and the ways of the
    first-level one: rows a multiple of 4096 bytes apart are read in tiles of fewer rows. Tensors of 8 times
    that cache and more are written past the caches, rows that are read twice are prefetched the second time.

    The bodies consist of `scf`, `arith`, `math`, `vector` and loads and stores of the `llvm` dialect;
    `addCPUKernelLowerings` takes them to the `llvm` dialect.

    **Refuses**: kernels of another form, naming the op.
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
                        "Width of a vector register of the target: 128, 256 or 512">,
                 Option<"l2Bytes", "l2-bytes", "int64_t", /*default=*/"256 * 1024",
                        "Size of the second-level cache of a core of the target, at least 1024">,
                 Option<"l1Ways", "l1-ways", "int64_t", /*default=*/"8",
                        "Lines a multiple of 4096 bytes apart that the first-level cache of the target holds, at least 2">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandExtremesPass : Pass<"dyn-expand-extremes"> {
  let summary = "turns maxima and minima of floats into comparisons that take few instructions";
  let description = [{
    **Before**: `arith.maximumf`, `arith.minimumf`, `arith.maxnumf`, `arith.minnumf` and reductions of vectors with them.
    **After**: those of f32 and f64 are comparisons and selections with the same results for NaN; which of two zeros
    results is not said. Reductions are done by halves.

    **Leaves alone**: other element types, vectors whose length is no power of two, and those that pass over NaN where
    either operand may be NaN: one operand must begin as a constant and change only by passing over NaN, as the carried
    value of a reduction does.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def HoldBfloat16AsIntegersPass : Pass<"dyn-hold-bfloat16-as-integers", "::mlir::ModuleOp"> {
  let summary = "turns bf16 values of functions in the llvm dialect into i16";
  let description = [{
    LLVM takes vectors of bf16 apart where a processor has no masked access to 16 bits, and converts each element to f32
    and back with a function of a library that artefacts do not have.

    **Before**: functions in the `llvm` dialect that only move bf16 values and look at their bits, as the expansions of
    `addCPUKernelLowerings` leave them.

    **After**: the same functions, in which i16 stands for bf16.

    **Refuses**: arithmetic on bf16; the verifier names it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyCPUKernelsPass : Pass<"dyn-verify-cpu-kernels", "::mlir::ModuleOp"> {
  let summary = "checks the contract between the CPU's kernels and the host program";
  let description = [{
    **Before**: nothing is taken for granted. **After**: nothing has changed.

    **Refuses**, naming the op, the sentence that it breaks and the pass to blame, what is not so: each kernel `@k`, and
    each version of it, that a launch names is there with `@k.count`, `@k.grain` and `@k.scratch`, and all four take what the launch
    passes in the way that `dyn-lower-kernels-to-cpu` says. All of them are private. In functions with `dyn.kernel`, and
    in what goes with them, nothing works on tensors or memrefs, and ops are of `arith`, `func`, `llvm`, `math`, `scf` and
    `vector`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyCodePass : Pass<"dyn-verify-code", "::mlir::ModuleOp"> {
  let summary = "checks that the whole program is in the llvm dialect";
  let description = [{
    **Before**: nothing is taken for granted. **After**: nothing has changed.

    **Refuses**, naming it and the function that it stands in, an op of another dialect than `llvm`: nothing could
    translate it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // DYN_CONVERSION_KERNELSTOCPU_PASSES_TD

//===- Passes that give tensors memory --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_MEMORY_PASSES_TD
#define DYN_TRANSFORMS_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def BufferizePass : Pass<"dyn-bufferize", "::mlir::ModuleOp"> {
  let summary = "turns the tensors of main into buffers; kernels stay on tensors";
  let description = [{
    **Before**: the output of `dyn-form-kernels`.

    **After**: functions without the attribute `dyn.kernel` work on memrefs with identity layout, also at their boundary:
    `memref.alloc` for each `tensor.empty` that a launch writes, `dyn_shape.data` for constants,
    `memref.collapse_shape/expand_shape` for views. Kernels are unchanged: they say what to compute, not where.

    **Refuses**: what upstream's one-shot bufferization refuses.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect",
                           "::dyn::DynDialect", "::dyn::shape::DynShapeDialect"];
}

def ShareSlicesPass : Pass<"dyn-share-slices", "::mlir::ModuleOp"> {
  let summary = "makes pieces of buffers that lie one behind the other parts of them instead of copies";
  let description = [{
    **Before**: the output of `dyn-bufferize`: one block, kernels on tensors.

    **After**: where a concat puts buffers one behind the other, those that are written by launches and not returned are
    parts (`dyn_shape.part`) of the result from the start: what wrote them writes there, and the launch of the concat is
    gone. The other ones are copied into their part with `memref.copy`, if they are proved to be no bigger than the parts
    that are not copied; if not, the launch stays. A buffer that a kernel fills with elements of another one that lie one
    behind the other there (a slice along the outermost dim) becomes a part of that one, and the launch is gone, unless it
    is returned.

    Whether elements lie one behind the other is a question of strides, which are products of dims: it has to be proved
    for all sizes. A key-value cache, concatenated behind heads and batch, is copied as before.

    **Refuses** facts that contradict each other.
  }];
  let statistics = [Statistic<"numConcats", "concats", "Number of concats that need no kernel">,
                    Statistic<"numSlices", "slices", "Number of slices that need no kernel">];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::dyn::shape::DynShapeDialect"];
}

def OrderLaunchesPass : Pass<"dyn-order-launches", "::mlir::ModuleOp"> {
  let summary = "puts launches behind each other that may run at the same time";
  let description = [{
    **Before**: the output of `dyn-bufferize`, or of `dyn-share-slices`.

    **After**: launches between two other ops on memory stand in the order of how many of them must end before them, one
    behind the other, and all other ops in front of them, if they then fall into fewer groups: neighbours of which none
    needs another one of the group. So the layers of two encoders stand side by side. Buffers live longer in that order;
    where, at one of some sizes within the facts, those that are needed at the same time would take more than twice as
    much and 64 KiB, nothing changes.

    **Refuses** facts that contradict each other.
  }];
  let statistics = [Statistic<"numOrdered", "ordered", "Number of launches that were put in another order">];
}

def FindDependencesPass : Pass<"dyn-find-dependences", "::mlir::ModuleOp"> {
  let summary = "finds what each launch waits for";
  let description = [{
    **Before**: the output of `dyn-bufferize`, or of `dyn-share-slices`. Not that of `dyn-plan-memory`, which lets buffers
    share memory that are used at different times.

    **After**: a launch is `after` those of the 15 before it, back to any other op on memory, that write what it reads or
    writes, or read what it writes, but for those that these are after themselves. Parts of one buffer are different things
    if it is proved that they have no byte in common, at any sizes. A launch begins when those that it is after have ended,
    and so have all that are 16 or more before it. One that is after all of the 15, directly or not, has no such attribute. The
    order of launches is not changed. Buffers live longer where launches do not wait; where, at one of some sizes within
    the facts, those that are needed at the same time would take more than twice as much and 64 KiB, launches are also
    after those that are 8 before them, else 4, 2 or 1.

    **Refuses** facts that contradict each other.
  }];
  let statistics = [Statistic<"numConcurrent", "concurrent", "Number of launches that do not wait for all before">];
}

def ComputeInPlacePass : Pass<"dyn-compute-in-place", "::mlir::ModuleOp"> {
  let summary = "lets launches write over operands that nothing needs any more";
  let description = [{
    **Before**: the output of `dyn-find-dependences`: buffers are `memref.alloc`s, kernels are on tensors.

    **After**: where a launch is the last to use a buffer, reads an element of it only to compute that of an output at the
    same place, in the kernel and all its versions, and the output is of the same type, the output is that buffer, and its
    own `memref.alloc` is gone. Both arguments of the kernels carry `dyn.in_place`: targets may not take for granted that
    they do not overlap. A launch is the last to use a buffer if all others that use it have ended when it begins. What is
    an input or part of a larger buffer is not written over.

    **Refuses** nothing.
  }];
  let statistics = [Statistic<"numInPlace", "in-place", "Number of outputs in the place of an operand">];
}

def PlanMemoryPass : Pass<"dyn-plan-memory", "::mlir::ModuleOp"> {
  let summary = "gives every buffer of main a place in one arena or in the caller's memory";
  let description = [{
    **Before**: the output of `dyn-bufferize`: one block, no memory freed.

    **After**: main returns nothing. Its arguments are the inputs, then a buffer for each result, marked with `dyn.output`,
    which carry the results' attributes. Launches write results there directly, through views where there are any; what
    is returned twice, or is an argument or a constant, is copied with `memref.copy`. Every other `memref.alloc` is a
    `memref.view` of the one `dyn_shape.arena`; offsets and the arena's size are `dyn_shape.apply` ops at entry, or, where
    no one plan is good at all sizes, the results of a `dyn_shape.plan`. All ops on index values, and with them the
    checks, stand before the first launch.

    **How.** Two buffers that are never needed at the same time may share memory; launches that may run at the same time
    need their buffers at the same time. Buffers are aligned to 64 bytes. One plan is right at all sizes: a buffer begins
    where another one begins or ends, or at 0, if the solver proves, with the facts of the function, that it then overlaps
    no buffer needed at the same time, at any size; bigger buffers (at typical sizes) choose first, and each takes the
    lowest such place. Where none can be proved, it comes behind all others. This plan is compared, at some hundred sizes within the facts, with the greatest sum of sizes that are needed
    at the same time. Where it is more than a twelfth larger (below 64 KiB: more than 32 KiB), buffers are packed for one
    such size; which buffer then lies on which, read as sums, is another plan, right where what the solver can't prove of
    it holds: its predicate. Up to six such plans are added. The run takes the smallest that is right at its sizes, and
    where that is more than an eighth above the bound (below 64 KiB: more than 32 KiB), lets the runtime pack the buffers.

    **Refuses**: control flow.
  }];
  let statistics = [Statistic<"numBuffers", "buffers", "Number of buffers in the arena">,
                    Statistic<"numPlans", "plans", "Number of plans for arenas">,
                    Statistic<"numDirectResults", "direct-results", "Number of results that no copy is needed for">];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::dyn::DynDialect", "::dyn::shape::DynShapeDialect"];
}

def VerifyBuffersPass : Pass<"dyn-verify-buffers", "::mlir::ModuleOp"> {
  let summary = "checks the contract that the phase of buffers leaves to targets";
  let description = [{
    **Before**: nothing is taken for granted. **After**: nothing has changed.

    **Refuses**, naming the op, the sentence that it breaks and the pass to blame, what is not so in functions without
    `dyn.kernel`: they have one block and return nothing; their arguments are inputs, then outputs (`dyn.output`), all
    memrefs with identity layout. Launches work on memrefs and name kernels. There is one arena at most, every view is one
    of it, and no other memory is taken. Sizes and checks stand before the first launch or copy. Nothing else is left.
    A launch waits, by its `after`, for those before it that write a buffer which it names, or name one which it writes,
    unless both name parts of it that are proved to have no byte in common. A launch that names one buffer as operand and output has kernels that say so (`dyn.in_place`).
  }];
}

#endif // DYN_TRANSFORMS_MEMORY_PASSES_TD

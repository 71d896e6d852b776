//===- Passes below the waterline that form kernels ------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_KERNELS_PASSES_TD
#define DYN_TRANSFORMS_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormKernelsPass : Pass<"dyn-form-kernels", "::mlir::ModuleOp"> {
  let summary = "fuses tensor ops into kernels and outlines each as a function that main launches";
  let description = [{
    **Before**: the output of `dyn-reify-shapes`: functions of `linalg`, `tensor`, `arith` on index values, `dyn_shape`
    and `dyn.constant`, without `#dyn.dims` encodings; two sizes are equal when they are the same SSA value.

    **After**: every public function (`main` in what follows) holds only `dyn_shape.sym/apply/check/launch`, `arith` on
    index values, `tensor.empty`, `dyn.constant`, `arith.constant`, `tensor.collapse_shape/expand_shape` (views) and
    `return`. Each operand of `outs` of a launch is a `tensor.empty` of its own. Each value that main returns is, through
    views, the result of a launch, and no launch result is returned twice, so that a returned tensor never shares
    memory with an argument, a constant or another returned tensor. `dyn-verify-kernels` checks all this.

    **The kernel form.** A kernel is a private function `@k(ins..., sizes..., outs...) -> (types of outs)` with the
    attribute `dyn.kernel`. Its body is one block, kept on tensors: the meaning that every target lowers.
    * `ins` and `outs` are ranked tensors without encoding, dynamic dims `?`, static dims kept; element types are
      signless integers, `i1`, or floats. `sizes` are `index` values: offsets, factors and extents that the body uses.
      Kernels of equal form are one function, whatever weights and symbols they are launched with.
    * It writes every element of every `outs` argument, reads none of them before, and returns for each the tensor
      that was written, in order.
    * Between arguments and return stand only: `linalg.generic`, `linalg.fill`, `tensor.empty` (a tensor that lives
      only in the kernel), `tensor.dim` of arguments, `arith` on index values, `arith.constant`, slices and, by kind, what
      is listed below. A slice (`tensor.extract_slice`) is of an argument, from index 0 on, of its rank, and read by
      contractions only, in kernels of this kind and in attentions: of a tensor that may have to be repeated along a dim.
      Its stride there is one of `sizes`, 1 where the argument is as long as the slice and 0 where it has one element;
      its other strides are 1. It is where the argument lies, and never memory of its own. The dims that one loop of a generic runs over are equal; take its bound from any of them.
    * In a `linalg.generic`, parallel loops come first. An indexing map of an input has loops, or constants (0 for a
      broadcast of a dim of size 1, or the number of a piece), as results; of a convolution's input also sums of loops
      times constants. Maps of outputs are distinct loops (a permutation of the parallel loops). A body holds `arith`,
      `math`, `linalg.index`, `arith.select`, `tensor.extract` from tensors defined outside (at any index computed in the body),
      `dyn_shape.bound`, `scf.if` with results (around a read that may be out of bounds, as in padding) and
      `linalg.yield`. Input tensors may stand in `ins` of the generic or be captured by `tensor.extract`. The body reads its output block argument only if the generic has a reduction loop.

    `dyn.kernel` is one of:
    * `"pointwise"`: one `linalg.generic` without reduction loops, one or more outputs, written to `outs` of the
      function. Every point of the iteration space may run in parallel.
    * `"row"`: a sequence of `linalg.fill` and `linalg.generic`. `dyn.rows = N : i64` leading loops of every generic are
      parallel and mean the same thing in all of them: rows, which are independent of each other. Tensors that live in
      the kernel, and `outs`, are indexed with exactly `d0 ... d(N-1)` in their first N dims, so that one row of them
      is enough to hold; an input is indexed with any of these loops. Later loops are parallel or reductions; a reduction
      combines into the output block argument, which a `linalg.fill` (an identity element) initialises.
      `N` may be 0. Softmax and layer normalisation are of this kind, and so is a lone reduction.
    * `"contraction"`: `linalg.fill` with zero, one `linalg.generic` with at least one reduction loop whose body is
      `out + a * b` (with casts of the operands where types differ), then at most one `linalg.generic` without reduction
      loops, the epilogue, that reads the result with an identity map over the parallel loops and writes `outs`, maybe
      with a permuted map. Loops: batch loops, m, n (the last parallel one), reductions; a vector operand leaves out m or n.
      Without epilogue fill and contraction write to `outs` directly. Transposed operands show in the maps.
    * `"attention"`: `softmax(f(queries . keys)) . values`, all of it summed in f32 or in f64: a contraction, at most one
      generic without reduction loops that reads it with an identity map (scale, mask), the generics of a softmax along
      the last dim of that (maximum, exponential of the difference, sum, quotient, which may turn what is no number into
      0), a contraction with the quotient, and at most one generic that reads it with an identity map and writes the
      `outs`. Nothing else reads what they write. Inputs of the contractions, the quotient among them, may be of f16 or
      bf16; so may steps of the softmax, if sums are of f32. In the maps of contractions, loops of neither rows nor
      reductions may be divided by constants (`d1 floordiv 4`: keys that heads share). Targets need keep neither the
      scores in memory nor what rounds steps of the softmax, the quotient among them, to 16 bits; other roundings stay.
    * `"concat"`: a chain of `tensor.insert_slice` with unit strides into the one of `outs`, which covers it; offsets are
      constants or index values computed in the kernel. What it inserts are `ins`, or what a generic without reduction
      loops computes for it alone, from `ins`; then all offsets but those of one dim, the same for all slices, are 0.
    * `"sequential"`: runs in program order, as one item of work: any of the above ops, `scf.for` and `scf.if`, with
      `tensor.extract` and `tensor.insert` at statement level. Tensors carried by `scf.for` begin as an `outs` argument
      (or the result of writing it) and are updated in place: `tensor.insert` is a store. Scatter and running sums.

    `dyn_shape.bound` in a body carries `guard`, a number that indexes the attribute `dyn.index_guards` of main, which
    holds the node names: kernels that may refuse an index are shared between nodes only if the number is the same.

    **Refuses**: tensor ops with data-dependent result sizes, control flow.
  }];
  let options = [Option<"fuse", "fuse", "bool", /*default=*/"true",
                        "Fuse ops into kernels; otherwise every op becomes a kernel of its own">,
                 Option<"attention", "attention", "bool", /*default=*/"true",
                        "Fuse scores, softmax and the product with values into one kernel">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::dyn::shape::DynShapeDialect"];
  let statistics = [Statistic<"numKernels", "kernels", "Number of distinct kernels">,
                    Statistic<"numLaunches", "launches", "Number of kernel launches">];
}

def VersionKernelsPass : Pass<"dyn-version-kernels", "::mlir::ModuleOp"> {
  let summary = "gives launches of kernels that broadcast where it is not decided a version for equal sizes";
  let description = [{
    **Before**: the output of `dyn-form-kernels`. A kernel that reads a tensor which may have to be repeated along a dim
    computes the index as that of the loop times a factor, an argument of `sizes` that main makes of a `dyn_shape.holds`
    (`arith.index_castui`): 1 where the tensor's dim is as long as the loop, 0 where it repeats.

    **After**: if all factors of such reads are 1 at some sizes, the launch has a version of the kernel whose condition
    is that all of them are: there the tensors are inputs that are read by maps, as if all dims had been known to be
    equal, and a lone sum of products becomes a contraction. Launches of one kernel share versions. Kernels themselves
    stay as they are, right at every size.

    A read is turned into an input if, for each of its dims, the predicate of the factor says that the dim equals the
    loop's size, or this is proved without a factor, or the dim is 1 and read at 0. A launch none of whose reads can be
    turned gets no version. **Refuses** nothing.
  }];
  let statistics = [Statistic<"numVersions", "versions", "Number of versions made">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
}

def VerifyKernelsPass : Pass<"dyn-verify-kernels", "::mlir::ModuleOp"> {
  let summary = "checks the contract that `dyn-form-kernels` leaves to targets";
  let description = [{
    **Before**: nothing is taken for granted. **After**: nothing has changed.

    **Refuses**, naming the op and the pass to blame, what breaks a sentence of the description of `dyn-form-kernels`:
    functions that are no kernels hold sizes, views, constants and launches, and return what launches wrote, each
    once; launches pass what their kernel and its versions take, and write to a `tensor.empty` of their own; kernels are
    private functions of one block and of a known kind, and hold the ops of that kind, with parallel loops outside of
    reductions.
  }];
}

def AnnotateWorkPass : Pass<"dyn-annotate-work", "::mlir::ModuleOp"> {
  let summary = "says for each launch how much it computes and moves, as expressions over symbols";
  let description = [{
    **Before**: the output of `dyn-plan-memory`, or of `dyn-bufferize`: launches on memrefs, kernels on tensors.

    **After**: each `dyn_shape.launch` carries, as `#dyn.expr` over the symbols of its function, `dyn.operations` and
    `dyn.bytes`, as far as they can be told: a loop whose length data determine has no formula. Nothing else changes.

    **Operations** are additions, multiplications, comparisons, functions and the like on elements, one each (a fused
    multiply-add is two), as often as the loops around them run; selections, conversions and computations of indices do
    not count. **Bytes** are those of each distinct tensor that the kernel reads, once, and of each that it writes. A
    tensor that is read only at computed indices counts as often as it is read, if that is less than all of it.

    **Refuses** nothing.
  }];
}

#endif // DYN_TRANSFORMS_KERNELS_PASSES_TD

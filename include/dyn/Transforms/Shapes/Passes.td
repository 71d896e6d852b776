//===- Passes that find, state and check sizes --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_SHAPES_PASSES_TD
#define DYN_TRANSFORMS_SHAPES_PASSES_TD

include "mlir/Pass/PassBase.td"

def UnrollLoopsPass : Pass<"dyn-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "writes the trips of a loop one behind the other, if their number is known";
  let description = [{
    **Before**: `dyn` ops in one block; sizes in loops have not been inferred yet.

    **After**: a `dyn.loop` of which constants, static dims and facts tell the number of trips, and that no condition
    ends before, is the ops of its trips, if these are at most `max-ops`. Slices are slices at constants, stacks are
    concatenations. Other loops stay, and so do those without a trip that stack values.

    **Refuses** nothing: what is wrong with sizes is for `dyn-infer-shapes` to say.
  }];
  let options = [Option<"maxOps", "max-ops", "int64_t", /*default=*/"1000",
                        "Ops that the trips of a loop may be at most">];
  let statistics = [Statistic<"numUnrolled", "unrolled", "Number of loops unrolled">];
  let dependentDialects = ["::dyn::DynDialect"];
}

def InferShapesPass : Pass<"dyn-infer-shapes", "::mlir::func::FuncOp"> {
  let summary = "gives every tensor type its dims as expressions over symbols, and states what that relies on";
  let description = [{
    **Before**: `dyn` ops in one block; input types with a rank. Dynamic dims of inputs without an expression get a
    symbol.

    **After**: every tensor type is ranked; one with a dynamic dim carries `#dyn.dims`. All of them are written under one
    substitution, with the exception of inputs: these keep the dims that they were declared with, which is what a caller
    sees, and a `dyn.assume_shape` follows where facts say more. Obligations that facts do not imply are `dyn.require`
    ops at entry, each with the location of the op that needs it. Symbols that inference made (sizes that elements of
    integer inputs give, sizes that data determine, abbreviations) are declared in `dyn.symbols`. Gathers whose indices
    are proved inside carry `in_bounds`. A reshape whose shape was computed has `allow_zero` where its zeros copy another
    dim only in runs that ONNX refuses at some op. `dyn.declared_dims` are consumed: what holds constants, and with
    `dyn.declared` "trust" everything, is proved or guarded, but a constant that is right at no size is a warning without
    "trust"; "strict" makes what is not proved an error, "override" drops it.

    A branch that every run takes is there without its `dyn.if`: because facts decide the condition, or because only what
    that branch gives fits the ops behind it. Then a `dyn.require` says the condition.

    With `open`, dims that can't be found before the run are symbols which the first value that has them binds, guards
    that mention such stand behind it, and values may stay unranked: for runs op by op.

    **Refuses**: obligations that contradict facts, with the chain of reasons; ranks and dims that can't be found before
    the run, without `open`; functions of several blocks; inputs without a rank.
  }];
  let options = [Option<"open", "open", "bool", /*default=*/"false",
                        "Leave ranks and dims open that only a run can tell">];
  let dependentDialects = ["::dyn::DynDialect"];
}

def SelectBranchesPass : Pass<"dyn-select-branches", "::mlir::func::FuncOp"> {
  let summary = "computes both branches and selects, where neither can fail and both give the same dims";
  let description = [{
    **Before**: the output of `dyn-infer-shapes`.

    **After**: a `dyn.if` is its two regions one behind the other, and a `dyn.select` for each result, if both give
    results of the same dims, and no op in them can fail, be it by an index out of bounds, a division by zero, or sizes
    that it needs and that only the condition sees to. Others stay.

    **Refuses** what `dyn-infer-shapes` refuses.
  }];
  let statistics = [Statistic<"numSelected", "selected", "Number of branches of which both are computed">];
  let dependentDialects = ["::dyn::DynDialect"];
}

def CountLoopsPass : Pass<"dyn-count-loops", "::mlir::func::FuncOp"> {
  let summary = "writes the number of trips of a loop in symbols, in the place of its condition";
  let description = [{
    **Before**: the output of `dyn-infer-shapes`.

    **After**: a `dyn.loop` that is run as often as sizes and elements of inputs say, whatever its condition computes, has
    no condition: its `trips` are a `dyn.constant` or a `dyn.dim_values`, or it has slices only, and its region yields a
    constant. It stays as it is if that is so already. What its region needs of sizes is a `dyn.require` of the function, which runs without a trip meet in any
    case. Other loops stay: those that data end, those whose region needs what differs between trips, and those in
    branches.

    **Refuses** what `dyn-infer-shapes` refuses.
  }];
  let statistics = [Statistic<"numCounted", "counted", "Number of loops that are counted">];
  let dependentDialects = ["::dyn::DynDialect"];
}

def ResolveShapeOpsPass : Pass<"dyn-resolve-shape-ops", "::mlir::func::FuncOp"> {
  let summary = "puts values that are known in symbols in the place of the ops that compute them";
  let description = [{
    **Before**: the output of `dyn-infer-shapes`.

    **After**: a small integer or boolean tensor whose elements are known is a `dyn.constant` or `dyn.dim_values`. Ops
    that take sizes from tensors have become those that have them in types: `dyn.reshape_to`, `squeeze`, `unsqueeze`,
    `flatten` → `dyn.reshape`; `expand_to`, `expand_like` → `broadcast`; `slice_to`, `split` → `slice`; `tile_to` → `tile`; `pad_to` →
    `pad`; `full_to` → `full`; `range` → `iota`. What computed sizes has no user any more and is erased. In loops that
    `dyn-count-loops` has counted so are ops of which nothing differs between trips; others stay there, without an error.

    **Refuses**: slices and pads whose bounds are not known in symbols.
  }];
  let dependentDialects = ["::dyn::DynDialect"];
}

def FoldConstantsPass : Pass<"dyn-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "evaluates ops on constants with the interpreter";
  let description = [{
    **Before**: types of results that can be folded are static, as after `dyn-resolve-shape-ops`.

    **After**: an op without effects whose operands are all constants, or computed from constants, is a `dyn.constant` of
    what the interpreter computes. `dyn.iota`, `dyn.full` and `dyn.broadcast` stay where others than folded ops use them:
    kernels compute them for less than it costs to read them. An evaluation that fails (an index out of bounds) leaves
    the op as it is, so that the run reports it.

    **Limits.** A result takes at most `max-bytes`, or as many as the operands. Results of constants that lie in files
    (`#dyn.weight`) take at most `max-bytes`: bigger ones stay what they are, bytes of a file that are mapped and not
    copied; the transpose of a weight is read in place by contractions. Files are looked for in `weights-directory`; one
    that is not there is no constant.

    **Refuses** nothing.
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"65536",
                        "Bytes that a result may always take">,
                 Option<"weightsDirectory", "weights-directory", "std::string", /*default=*/"",
                        "What relative paths of weights start from; none: the working directory">];
  let statistics = [Statistic<"numFolded", "folded", "Number of ops folded">];
  let dependentDialects = ["::dyn::DynDialect"];
}

def MinimizeGuardsPass : Pass<"dyn-minimize-guards", "::mlir::func::FuncOp"> {
  let summary = "drops guards that the facts and the other guards imply, and states bounds of one symbol as such";
  let description = [{
    **Before**: `dyn.require` ops anywhere in the function. **After**: a subset of them that implies all, the earlier of
    two that imply each other; a guard that says no more of its only symbol than a range or a divisor is written so:
    `seq <= 512` for `min(seq, 512) == seq`. What ops need of sizes that does not visibly follow from these is guarded
    too, for which sizes are inferred again, unless all guards stay right behind `dyn-infer-shapes`. Symbols that nothing
    mentions any more, and that no input dim defines, are not declared any more.

    **Refuses** facts that contradict each other, and what `dyn-infer-shapes` refuses.
  }];
  let dependentDialects = ["::dyn::DynDialect"];
}

def VerifyShapesPass : Pass<"dyn-verify-shapes", "::mlir::func::FuncOp"> {
  let summary = "checks what the shapes phase promises";
  let description = [{
    **Before**: nothing is taken for granted. **After**: nothing has changed.

    **Refuses**, naming the op, the sentence that is broken and the pass that should have dealt with it, what is not so:
    every tensor type is ranked, with `#dyn.dims` where a dim is dynamic; no op takes sizes from tensors; the dims of
    results are, under the facts and guards of the function, those that the ops give; no obligation is left without a
    guard.
  }];
  let dependentDialects = ["::dyn::DynDialect"];
}

def PrintShapesPass : Pass<"dyn-print-shapes", "::mlir::ModuleOp"> {
  let summary = "prints symbols, facts, guards and the dims of every value";
  let description = [{
    For people, on standard output: what the types and attributes of functions say, in the order of the functions.
    Changes and refuses nothing.
  }];
  let dependentDialects = ["::dyn::DynDialect"];
}

def ExplainSizesPass : Pass<"dyn-explain-sizes", "::mlir::func::FuncOp"> {
  let summary = "says whether a relation of sizes holds in the function, and why";
  let description = [{
    Prints `yes`, `no` or `unknown` on standard output and the chain of reasons below it. Changes nothing. Fails for a
    text that is no predicate, or has symbols that the function does not have.
  }];
  let options = [Option<"query", "query", "std::string", /*default=*/"",
                        "A predicate over the function's symbols, `present == past + seq`">];
  let dependentDialects = ["::dyn::DynDialect"];
}

#endif // DYN_TRANSFORMS_SHAPES_PASSES_TD

//===- The waterline: from dyn to linalg and dyn_shape ---------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_DYNTOLINALG_PASSES_TD
#define DYN_CONVERSION_DYNTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ReifyShapesPass : Pass<"dyn-reify-shapes", "::mlir::ModuleOp"> {
  let summary = "turns sizes in types into SSA values and dyn ops into linalg";
  let description = [{
    The waterline. **Before**: the output of the shapes phase: every tensor type is ranked, with a `#dyn.dims` encoding
    where a dim is dynamic; only ops with static forms (no `dyn.reshape_to` and its like).

    **After**: no encoding is left; function arguments and results carry their dims as the attribute `dyn.dims` and,
    where their element type is an unsigned integer, the attribute `dyn.element_type` (below, integers are signless).
    Each distinct expression is one SSA value at the entry of the function: `dyn_shape.sym` for a symbol,
    `dyn_shape.apply` for anything else, so that two sizes are equal when they are the same value. `dyn.require` is
    `dyn_shape.check`. Tensor ops are `linalg.generic` and `linalg.fill` (gathers and slices read with `tensor.extract`),
    `tensor.collapse_shape` and `tensor.expand_shape` for reshapes, `tensor.insert_slice` for concatenations, and
    `scf.for` loops, wrapped in nothing, for running sums and scatters, and for a `dyn.loop` that `dyn-count-loops` has
    counted, with the ops of its trips in it. `dyn.constant` stays for data that is no splat.
    `dyn-verify-reified` checks all this.

    An undecided broadcast (`bcast(M, N)` in the result) reads its operand at index times a factor that is 0 where the
    operand's size is 1, else 1. An index that data determines goes through `dyn_shape.bound`, unless the op carries the
    attribute `in_bounds`.

    **Refuses**: dyn ops without a lowering here, loops of which data decide how often they are run or in which a dim
    differs between trips, unranked tensors, dynamic dims without an expression.
  }];
  let options = [Option<"sortRows", "sort-rows", "bool", /*default=*/"true",
                        "Order rows for dyn.top_k in program order, for few threads; else compare all pairs">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::dyn::shape::DynShapeDialect"];
}

def VerifyReifiedPass : Pass<"dyn-verify-reified", "::mlir::ModuleOp"> {
  let summary = "checks that no op and no type of the dyn dialect but `dyn.constant` is left";
  let description = [{
    **Before**: nothing is taken for granted. **After**: nothing has changed.

    **Refuses**, naming the op, the sentence of the contract of `dyn-reify-shapes` that it breaks and the pass that
    should have dealt with it, what is not so: the only op of `dyn` is `dyn.constant`; every tensor has a rank, no
    encoding, and no signed or unsigned integers as elements.
  }];
}

#endif // DYN_CONVERSION_DYNTOLINALG_PASSES_TD

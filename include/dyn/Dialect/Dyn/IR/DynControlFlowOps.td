//===- Branches and loops -------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNCONTROLFLOWOPS_TD
#define DYN_DIALECT_DYN_IR_DYNCONTROLFLOWOPS_TD

include "dyn/Dialect/Dyn/IR/DynBase.td"

def Dyn_IfOp : Dyn_Op<"if", [SingleBlock, NoRegionArguments, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "the values that one of two regions yields (ONNX If)";
  let description = [{
    Only the region that the condition picks is run; both read values from outside. Ranks and dims of what they yield may
    differ: those of a result hold whichever is run. Facts that a region needs (`dyn.require`) hold inside of it only.
    (1) The condition has one element. (2) Each region yields as many values as there are results, of types that do not
    contradict theirs. `binds` names the symbols, declared `bound` in `dyn.symbols`, of sizes that the branch taken
    decides.
  }];
  let arguments = (ins Dyn_BoolTensor:$condition, OptionalAttr<StrArrayAttr>:$binds);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let assemblyFormat = [{
    $condition (`binds` $binds^)? attr-dict `:` functional-type(operands, results) $then_region `else` $else_region
  }];
  let hasVerifier = 1;
}

def Dyn_LoopOp : Dyn_Op<"loop", [SingleBlock, AttrSizedOperandSegments, RecursiveMemoryEffects]> {
  let summary = "runs a region again and again, handing on values, and stacks others (ONNX Loop and Scan)";
  let description = [{
    `dyn.loop trips %n while %go carrying %x slicing %s : (types) -> (types) { ^bb0(%i, %still, %x_i, %s_i): ... }`. The
    region gets the number of the trip (from 0), the condition, the carried values, and the slice of each sliced tensor
    at that number in its first dim; it yields the condition for the next trip, the values that the next trip carries,
    and values to stack. It is run while the condition holds (a missing `while` holds for the first trip), at most
    `trips` times, and at most once for each slice. Results are the carried values behind the last trip (the operands if
    there was none), then the stacks: the values of all trips along a new first dim, which have the same dims in each
    trip. Carried values may change in rank and dims. Facts that the region needs (`dyn.require`) hold inside of it only.

    (1) `trips` and `while` have one element. (2) The region has an i64 and an i1 argument of rank 0, one for each
    carried value, and one for each sliced tensor. (3) It yields a condition of one element, as many values as are
    carried, and one for each stack. (4) Element types of a carried value agree in operand, argument, yield and result;
    ranks and static dims of its argument do not contradict those of the operand and the yield. (5) The rank of a stack
    or of a sliced tensor is one more than that of what is stacked, or of the slice; element types agree. (6) The first
    dims of sliced tensors are equal. `binds` names the symbols, declared `bound` in `dyn.symbols`, of counts and sizes
    that the trips decide; `counting` that of the number of the trip.
  }];
  let arguments = (ins Optional<Dyn_IndexTensor>:$trip_count, Optional<Dyn_BoolTensor>:$condition,
                       Variadic<AnyType>:$initial, Variadic<Dyn_Tensor>:$sliced, OptionalAttr<StrArrayAttr>:$binds,
                       OptionalAttr<StrAttr>:$counting);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`trips` $trip_count^)? (`while` $condition^)? (`carrying` $initial^)? (`slicing` $sliced^)? (`binds` $binds^)?
    (`counting` $counting^)? attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    YieldOp getYield();
    ::mlir::Value getIteration() { return getBody().getArgument(0); }
    ::mlir::Value getStillRunning() { return getBody().getArgument(1); }
    ::mlir::Block::BlockArgListType getCarried() { return getBody().getArguments().slice(2, getInitial().size()); }
    ::mlir::Block::BlockArgListType getSlices() { return getBody().getArguments().drop_front(2 + getInitial().size()); }
    ::mlir::ResultRange getFinal() { return getResults().take_front(getInitial().size()); }
    ::mlir::ResultRange getStacks() { return getResults().drop_front(getInitial().size()); }
    /// What the region yields: whether to go on, what the next trip carries, what is stacked.
    ::mlir::Value getNextCondition();
    ::mlir::OperandRange getNext();
    ::mlir::OperandRange getStacked();
    /// Do slices, constants and `dyn.dim_values` alone say how often the region is run? So `dyn-count-loops` leaves it.
    bool isCounted();
  }];
}

def Dyn_YieldOp : Dyn_PureOp<"yield", [Terminator, ParentOneOf<["IfOp", "LoopOp"]>]> {
  let summary = "ends a region of `dyn.if` or `dyn.loop` with the values that it gives";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // DYN_DIALECT_DYN_IR_DYNCONTROLFLOWOPS_TD

//===- The dyn_shape dialect: sizes as SSA values ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYNSHAPE_IR_DYNSHAPEOPS_TD
#define DYN_DIALECT_DYNSHAPE_IR_DYNSHAPEOPS_TD

include "dyn/Dialect/Dyn/IR/DynAttributes.td"
include "dyn/Dialect/Dyn/IR/DynBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def DynShape_Dialect : Dialect {
  let name = "dyn_shape";
  let cppNamespace = "::dyn::shape";
  let summary = "Host integer code of a compiled program: sizes, checks and kernel launches";
  let description = [{
    Below the waterline (`dyn-reify-shapes`) each distinct size expression is one SSA value of type `index`; two sizes
    are equal when they are the same value.
  }];
  let dependentDialects = ["::dyn::DynDialect"];
}

class DynShape_Op<string opMnemonic, list<Trait> traits = []> : Op<DynShape_Dialect, opMnemonic, traits>;

def DynShape_SymOp : DynShape_Op<"sym", [Pure]> {
  let summary = "the value of a symbol of the enclosing function that inputs determine, resolved at entry";
  let arguments = (ins StrAttr:$name);
  let results = (outs Index:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

def DynShape_ApplyOp : DynShape_Op<"apply", [Pure]> {
  let summary = "the value of an expression for given values of its symbols";
  let description = [{
    `%n = dyn_shape.apply S + P (S = %S, P = %P) : index`. (1) `names` are distinct and as many as the operands.
    (2) Every symbol of the expression is among them. Symbols are operands, so that nothing can be computed before the
    op that binds them.
  }];
  let arguments = (ins Dyn_ExprAttr:$expr, StrArrayAttr:$names, Variadic<Index>:$operands);
  let results = (outs Index:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def DynShape_AssumeOp : DynShape_Op<"assume", [Pure]> {
  let summary = "its operand, known to lie in [lower, upper] and to be `remainder` modulo `modulus`";
  let description = [{
    `%m = dyn_shape.assume %n {lower = 8, upper = 512, modulus = 8} : index`. (1) `lower` is at most `upper`.
    (2) `remainder` is at least 0 and less than `modulus`.
  }];
  let arguments = (ins Index:$operand, I64Attr:$lower, OptionalAttr<I64Attr>:$upper,
                       DefaultValuedAttr<I64Attr, "1">:$modulus, DefaultValuedAttr<I64Attr, "0">:$remainder);
  let results = (outs Index:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def DynShape_HoldsOp : DynShape_Op<"holds", [Pure]> {
  let summary = "whether a predicate holds for given values of its symbols";
  let description = [{
    `%c = dyn_shape.holds M == N (M = %M, N = %N) : i1`: what versions of kernels are chosen by. (1) `names` are
    distinct and as many as the operands. (2) Every symbol of the predicate is among them.
  }];
  let arguments = (ins Dyn_PredAttr:$predicate, StrArrayAttr:$names, Variadic<Index>:$operands);
  let results = (outs I1:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def DynShape_CheckOp : DynShape_Op<"check", [MemoryEffects<[MemWrite<Dyn_GuardResource>]>]> {
  let summary = "ends the run with an error, before any kernel, unless the predicate holds";
  let description = [{
    `dyn_shape.check S + P <= 4096 (S = %S, P = %P) because "rows of position_embeddings"`. The location names the
    node of the model. (1) `names` are distinct and as many as the operands. (2) Every symbol of the predicate is among
    them.
  }];
  let arguments = (ins Dyn_PredAttr:$predicate, StrAttr:$because, StrArrayAttr:$names, Variadic<Index>:$operands);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def DynShape_LaunchOp : DynShape_Op<"launch", [AttrSizedOperandSegments, DestinationStyleOpInterface,
                                                DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                                DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel";
  let description = [{
    `%r = dyn_shape.launch @kernel ins(%a, %b : ...) sizes(%n) outs(%out : ...) -> ...`. The kernel is a function with
    the attribute `dyn.kernel` whose arguments are those of `ins`, `sizes` and `outs` in this order, with all dynamic
    dims erased to `?`, and whose results are the new contents of `outs`. On tensors there is a result for each of
    `outs`; on memrefs there is none and `outs` are written. A kernel writes every element of `outs` and never reads them.

    `... versions(@fast if %c, @other if %d)`: the first version whose condition holds runs instead of the kernel, which
    is right at every size. A version takes the arguments of the kernel, may rely on its condition, and computes the same;
    it may be of another kind.

    `... after [1, 3]`: it may begin when the launches 1 and 3 before it have ended, those that they were after, and all
    that are 16 (`kLaunchWindow`) or more before it; without `after`, when all have. What may still run then writes
    nothing that it names, and reads nothing that it writes. Any other op that works on memory waits for all launches
    before it, and those behind it wait for the op. `dyn-find-dependences` makes these lists.

    (1) The kernel and its versions exist and are functions with `dyn.kernel`. (2) While their arguments are tensors,
    they are as many as the operands without conditions, and element types, ranks and static dims agree. (3) `outs` are
    all tensors or all memrefs. (4) On tensors there are as many results as `outs`, of the same types; on memrefs none.
    (5) There are as many conditions as versions. (6) A version has the type of the kernel. (7) `after` has distances from
    1 to 15, each greater than the one before.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyShaped>:$inputs, Variadic<Index>:$sizes,
                       Variadic<AnyShaped>:$outputs,
                       DefaultValuedAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "kernels">, "{}">:$versions,
                       Variadic<I1>:$conditions, OptionalAttr<DenseI64ArrayAttr>:$after);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`sizes` `(` $sizes^ `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` (`versions` `(` custom<Versions>($versions, $conditions)^ `)`)?
    (`after` $after^)? attr-dict (`->` type($results)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::FlatSymbolRefAttr":$kernel,
                                 "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$sizes,
                                 "::mlir::ValueRange":$outputs), [{
    build($_builder, $_state, results, kernel, inputs, sizes, outputs, $_builder.getArrayAttr({}),
          ::mlir::ValueRange(), ::mlir::DenseI64ArrayAttr());
  }]>];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// Adds a version behind those that there are.
    void addVersion(::mlir::FlatSymbolRefAttr version, ::mlir::Value condition);
  }];
  let hasVerifier = 1;
}

def DynShape_BoundOp : DynShape_Op<"bound", [MemoryEffects<[MemWrite<Dyn_GuardResource>]>]> {
  let summary = "an index of a kernel that data determines, forced into [0, limit - 1]; records an error if it was not";
  let description = [{
    `%j = dyn_shape.bound %i below %n from_end guard 0 : index`. With `from_end`, an index in [-limit, -1] counts from
    the end. For any other index outside [0, limit - 1] the run ends with an error that names the node, the index as
    given and the limit; the result is then some index inside, so that the kernel may go on. (1) `limit` is at least 1
    wherever the op is executed: main checks it. `guard` is the place of the node's name in the attribute
    `dyn.index_guards` of the function that launches the kernel.
  }];
  let arguments = (ins Index:$index, Index:$limit, UnitAttr:$from_end, I64Attr:$guard);
  let results = (outs Index:$result);
  let assemblyFormat = "$index `below` $limit (`from_end` $from_end^)? `guard` $guard attr-dict `:` type($result)";
}

def DynShape_DataOp : DynShape_Op<"data", [Pure]> {
  let summary = "the memory in which constant data lie";
  let description = [{
    What `dyn.constant` becomes with bufferization: `%w = dyn_shape.data #dyn.weight<"bert.weights", 0, 64> ->
    memref<4x4xf32>`. Nothing writes to it. It is aligned to 64 bytes.
  }];
  let arguments = (ins AnyAttrOf<[ElementsAttr, Dyn_WeightAttr]>:$value);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$value attr-dict `->` type($result)";
}

def DynShape_PartOp : DynShape_Op<"part", [Pure]> {
  let summary = "elements of a buffer that lie one behind the other, as a buffer";
  let description = [{
    `%p = dyn_shape.part %buffer from %offset dims(%n) : memref<?x8xf32> to memref<?x4xf32>`: the memory of `%buffer` from
    element number `%offset` on, row-major. The part lies inside the buffer. (1) Element types are the same and layouts
    the identity. (2) There are as many `dims` as the result has dynamic dims.
  }];
  let arguments = (ins AnyMemRef:$source, Index:$offset, Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source `from` $offset (`dims` `(` $sizes^ `)`)? attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
}

def DynShape_PlanOp : DynShape_Op<"plan", [Pure]> {
  let summary = "the size of the arena and the places of buffers in it, by the smallest plan that fits the sizes";
  let description = [{
    `%bytes, %places:2 = dyn_shape.plan ["S"](%S) {...}`: plan i is right where `predicates[i]` holds, needs `sizes[i]`
    lines of 64 bytes, and begins buffer j at line `offsets[i][j]`. The first is right everywhere. Results are in bytes.

    With `packs`, the runtime places buffers itself where the best plan is far above `live`, the sums of what is needed
    at the same time: buffer j has `lines[j]` lines and is needed from position `lifetimes[2 * j]` to
    `lifetimes[2 * j + 1]`; buffers `beside[2 * k]` and `beside[2 * k + 1]` are needed at the same time, too. The results
    are then those of the runtime. (1) `names` are distinct and as many as the operands. (2) Every symbol of an expression
    is among them. (3) There are as many predicates, sizes and lists of offsets, and at least one. (4) There are as many
    lines, pairs of lifetimes and offsets of each plan as places. (5) `beside` has pairs of places.
  }];
  let arguments = (ins StrArrayAttr:$names, Variadic<Index>:$operands,
                       TypedArrayAttrBase<Dyn_PredAttr, "predicates">:$predicates, Dyn_DimsAttr:$sizes,
                       TypedArrayAttrBase<Dyn_DimsAttr, "lists of offsets">:$offsets, Dyn_DimsAttr:$lines,
                       DenseI64ArrayAttr:$lifetimes, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$beside,
                       Dyn_DimsAttr:$live, UnitAttr:$packs);
  let results = (outs Index:$bytes, Variadic<Index>:$places);
  let assemblyFormat = "$names `(` $operands `)` attr-dict `:` type($places)";
  let hasVerifier = 1;
}

def DynShape_ArenaOp : DynShape_Op<"arena", [MemoryEffects<[MemAlloc]>]> {
  let summary = "the working memory of a run, which the caller gives";
  let description = [{
    `%arena = dyn_shape.arena %bytes : memref<?xi8>`: at least `bytes` bytes, aligned to 64. At most one in a function.
    The entry point `check` tells the caller `bytes`.
  }];
  let arguments = (ins Index:$bytes);
  let results = (outs MemRefRankOf<[I8], [1]>:$result);
  let assemblyFormat = "$bytes attr-dict `:` type($result)";
}

#endif // DYN_DIALECT_DYNSHAPE_IR_DYNSHAPEOPS_TD

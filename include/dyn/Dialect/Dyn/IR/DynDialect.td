//===- The dyn dialect: tensor programs with symbolic sizes --------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNDIALECT_TD
#define DYN_DIALECT_DYN_IR_DYNDIALECT_TD

include "mlir/IR/DialectBase.td"

def Dyn_Dialect : Dialect {
  let name = "dyn";
  let cppNamespace = "::dyn";
  let summary = "Tensor programs whose sizes are expressions over symbols";
  let description = [{
    Ops with numpy and ONNX semantics on tensors whose dims are canonical expressions, carried by the `#dyn.dims`
    encoding of their types. A function that has symbols declares them, with their facts, in the attributes
    `dyn.symbols` and `dyn.constraints`. `docs/rationale.md` says why sizes live in types here and in SSA values below
    the pass `dyn-reify-shapes`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Function attribute: `#dyn.symbols`, the declared symbols of a function and their facts.
    static constexpr ::llvm::StringLiteral kSymbolsAttrName{"dyn.symbols"};
    /// Function attribute: `#dyn.constraints`, relations between symbols.
    static constexpr ::llvm::StringLiteral kConstraintsAttrName{"dyn.constraints"};
    /// Function attribute after `dyn-infer-shapes`: `#dyn.constraints` such as `total == past + seq`: what the names stand
    /// for that inputs do not declare. Nothing relies on it; it is for people who ask.
    static constexpr ::llvm::StringLiteral kAliasesAttrName{"dyn.aliases"};
    /// Argument and result attribute below the waterline: `#dyn.dims`.
    static constexpr ::llvm::StringLiteral kDimsAttrName{"dyn.dims"};
    /// Argument and result attribute: the name that users bind by.
    static constexpr ::llvm::StringLiteral kNameAttrName{"dyn.name"};
    /// Attribute of a function's result, or of an op with one result: `#dyn.dims`, what the model declares about it: an
    /// obligation, not a fact. The symbol `"?"` says nothing.
    static constexpr ::llvm::StringLiteral kDeclaredDimsAttrName{"dyn.declared_dims"};
    /// Function attribute: how `dyn.declared_dims` are met, "refine" (the default), "strict", "override" or "trust".
    static constexpr ::llvm::StringLiteral kDeclaredAttrName{"dyn.declared"};
    /// Argument and result attribute below the waterline, where integers are signless: the unsigned element type.
    static constexpr ::llvm::StringLiteral kElementTypeAttrName{"dyn.element_type"};
    /// Function attribute below the waterline: names of the nodes whose indices `dyn_shape.bound` checks, in the order
    /// of its `guard` numbers.
    static constexpr ::llvm::StringLiteral kIndexGuardsAttrName{"dyn.index_guards"};
    /// Function attribute: the function is a kernel; its kind ("pointwise", "row", ...; see `dyn-form-kernels`).
    static constexpr ::llvm::StringLiteral kKernelAttrName{"dyn.kernel"};
    /// Function attribute of a "row" kernel: the number of leading loops that run over rows.
    static constexpr ::llvm::StringLiteral kRowsAttrName{"dyn.rows"};
    /// Argument attribute of a kernel after `dyn-pack-weights`, and attribute of an `llvm.mlir.global` beside
    /// `dyn.weight`: the affine map from an element's indices to where it lies, if that is not row-major.
    static constexpr ::llvm::StringLiteral kLayoutAttrName{"dyn.layout"};
    /// Argument attribute (unit), after `dyn-plan-memory`: the caller's buffer for a result.
    static constexpr ::llvm::StringLiteral kOutputAttrName{"dyn.output"};
    /// Attributes of a `dyn_shape.launch`, after `dyn-annotate-work`: arithmetic operations of the launch and bytes that
    /// it must read and write, each a `#dyn.expr` over the symbols of the function.
    static constexpr ::llvm::StringLiteral kOperationsAttrName{"dyn.operations"};
    static constexpr ::llvm::StringLiteral kBytesAttrName{"dyn.bytes"};
    /// Module attribute after `dyn-lower-host`: what an artefact says of itself, as JSON (`dyn/Runtime/ArtefactABI.h`).
    static constexpr ::llvm::StringLiteral kDescriptorAttrName{"dyn.descriptor"};
    /// Attribute of an `llvm.mlir.global`, after `dyn-lower-host`: where its data lie, a `#dyn.weight`.
    static constexpr ::llvm::StringLiteral kWeightAttrName{"dyn.weight"};
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // DYN_DIALECT_DYN_IR_DYNDIALECT_TD

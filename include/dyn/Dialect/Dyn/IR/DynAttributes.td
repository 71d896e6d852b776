//===- Attributes of the dyn dialect --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNATTRIBUTES_TD
#define DYN_DIALECT_DYN_IR_DYNATTRIBUTES_TD

include "dyn/Dialect/Dyn/IR/DynDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

// ExprAttr, DimsAttr and SymbolsAttr have unquoted bodies. In op assembly they stand bare, through `custom<...>`
// directives or written by hand, never as `$attr`: MLIR would take a `: type` that follows for the attribute's own.

class Dyn_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Dyn_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Dyn_ExprAttr : Dyn_Attr<"Expr", "expr"> {
  let summary = "a canonical integer expression over size symbols";
  let description = [{
    Holds the normal form of `dyn/Symbolic/Expr.h` as its canonical text, which prints and parses back to the same
    expression, so that equal expressions are the same attribute. Example: `#dyn.expr<S + P>`.
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let extraClassDeclaration = [{
    /// The attribute of an expression of any SymbolicContext.
    static ExprAttr get(::mlir::MLIRContext *context, ::dyn::symbolic::Expr expr);
    /// The expression in `context`. Never null: an attribute exists only for a text that parses.
    ::dyn::symbolic::Expr getExpr(::dyn::symbolic::SymbolicContext &context) const;
    static ExprAttr get(::mlir::MLIRContext *context, int64_t value);
    /// The value, when the expression is a constant.
    std::optional<int64_t> getConstant() const;
  }];
}

def Dyn_DimsAttr : Dyn_Attr<"Dims", "dims", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "the dims of a tensor, one expression for each";
  let description = [{
    As the encoding of a ranked tensor type: (1) as many expressions as the rank; (2) a static dim holds the equal
    constant; (3) a dynamic dim holds no constant. As an argument or result attribute it says the same of the value.
    Example: `tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>>`.
  }];
  let parameters = (ins ArrayRefParameter<"ExprAttr">:$dims);
  let extraClassDeclaration = [{
    static DimsAttr get(::mlir::MLIRContext *context, ::llvm::ArrayRef<::dyn::symbolic::Expr> dims);
    /// The dims of a type as expressions: those of its encoding, or else its static dims. Null if one is unknown.
    static DimsAttr of(::mlir::ShapedType type);
    /// The expressions in `context`.
    ::llvm::SmallVector<::dyn::symbolic::Expr> getExprs(::dyn::symbolic::SymbolicContext &context) const;
  }];
}

def Dyn_SymbolsAttr : Dyn_Attr<"Symbols", "symbols"> {
  let summary = "the symbols of a function with their facts";
  let description = [{
    Example: `#dyn.symbols<B: [1, 64] from arg0[0], S: [1, 512] mod 8 opt [128, 256] from arg0[1], u0: [0, ?] bound>`.
    The syntax is that of `dyn::symbolic::parseSymbolDeclarations`. Holds its canonical text.
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let extraClassDeclaration = [{
    static SymbolsAttr get(::mlir::MLIRContext *context,
                           ::llvm::ArrayRef<::dyn::symbolic::SymbolDeclaration> declarations);
    ::llvm::SmallVector<::dyn::symbolic::SymbolDeclaration> getDeclarations() const;
  }];
}

def Dyn_PredAttr : Dyn_Attr<"Pred", "pred"> {
  let summary = "a predicate over expressions";
  let description = [{
    Quoted, because MLIR balances `<` and `>` in an attribute body before any dialect reads it:
    `#dyn.pred<"S + P <= 4096">`. Holds its canonical text.
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let extraClassDeclaration = [{
    static PredAttr get(::mlir::MLIRContext *context, const ::dyn::symbolic::Predicate &predicate);
    ::dyn::symbolic::Predicate getPredicate(::dyn::symbolic::SymbolicContext &context) const;
  }];
}

def Dyn_ConstraintsAttr : Dyn_Attr<"Constraints", "constraints"> {
  let summary = "relations between the symbols of a function";
  let description = [{ Example: `#dyn.constraints<"S + P <= 4096", "N <= B * S">`. }];
  let parameters = (ins ArrayRefParameter<"PredAttr">:$predicates);
}

def Dyn_WeightAttr : Dyn_Attr<"Weight", "weight", [TypedAttrInterface]> {
  let summary = "constant data that lies in a file";
  let description = [{
    `#dyn.weight<"bert.weights", 4096, 2359296>`: `length` bytes at `offset` of a file, little-endian, row-major,
    densely packed. The path is relative to the folder of the module that holds it, or absolute. Like `dense<...>`, the
    attribute has a type: `#dyn.weight<"bert.weights", 0, 64> : tensor<4x4xf32>`.
  }];
  let parameters = (ins StringRefParameter<"path">:$file, "uint64_t":$offset, "uint64_t":$length,
                    AttributeSelfTypeParameter<"">:$type);
  let builders = [AttrBuilderWithInferredContext<(ins "::mlir::ShapedType":$type, "::llvm::StringRef":$file,
                                                      "uint64_t":$offset, "uint64_t":$length), [{
    return $_get(type.getContext(), file, offset, length, type);
  }]>];
  let hasCustomAssemblyFormat = 0;
  let assemblyFormat = "`<` $file `,` $offset `,` $length `>`";
}

#endif // DYN_DIALECT_DYN_IR_DYNATTRIBUTES_TD

//===- What the op categories of the dyn dialect share ---------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNBASE_TD
#define DYN_DIALECT_DYN_IR_DYNBASE_TD

include "dyn/Dialect/Dyn/IR/DynAttributes.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Ranked or unranked; element type any that ONNX has.
def Dyn_Tensor : TensorOf<[AnyType]>;
def Dyn_IndexTensor : TensorOf<[I32, I64]>;
def Dyn_BoolTensor : TensorOf<[I1]>;
def Dyn_FloatTensor : TensorOf<[AnyFloat]>;
def Dyn_IntegerTensor : TensorOf<[AnyInteger]>;

/// Guards write to a resource of their own, so that CSE and DCE leave them.
def Dyn_GuardResource : Resource<"::dyn::GuardResource">;

class Dyn_Op<string opMnemonic, list<Trait> traits = []> : Op<Dyn_Dialect, opMnemonic, traits>;

/// Result types are written out: they carry what inference has learnt so far.
class Dyn_PureOp<string opMnemonic, list<Trait> traits = []> : Dyn_Op<opMnemonic, !listconcat([Pure], traits)>;

#endif // DYN_DIALECT_DYN_IR_DYNBASE_TD

//===- Op interfaces that carry what passes know about ops -------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNINTERFACES_TD
#define DYN_DIALECT_DYN_IR_DYNINTERFACES_TD

include "mlir/IR/OpBase.td"

def Dyn_ShapeRelationsOpInterface : OpInterface<"ShapeRelationsOpInterface"> {
  let description = [{
    How the ranks and dims of an op's operands and results depend on each other, and, for integer tensors, on each
    other's elements. One description serves inference forwards and backwards.
  }];
  let cppNamespace = "::dyn";
  let methods = [
    InterfaceMethod<[{
        States what is known about the op to `relations`. Called again when more ranks or element values are known;
        stating a fact twice does no harm. Fails, after emitting a diagnostic at the op, only for contradictions.
      }], "::llvm::LogicalResult", "relateShapes", (ins "::dyn::ShapeRelations &":$relations)>,
  ];
}

def Dyn_ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let description = [{ Evaluates an op on concrete tensors: the oracle of every lowering and the constant folder. }];
  let cppNamespace = "::dyn";
  let methods = [
    InterfaceMethod<[{
        Computes the results. Fails with a diagnostic at the op for what has no value (an index out of bounds, dims that
        do not fit).
      }], "::llvm::FailureOr<::llvm::SmallVector<::dyn::ReferenceTensor>>", "evaluate",
      (ins "::llvm::ArrayRef<::dyn::ReferenceTensor>":$operands, "const ::dyn::ReferenceScope &":$scope)>,
  ];
}

#endif // DYN_DIALECT_DYN_IR_DYNINTERFACES_TD

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

#endif // DYN_DIALECT_DYN_IR_DYNINTERFACES_TD

//===- What ops know about their shapes ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_SHAPERELATIONSOPINTERFACE_TD
#define DYN_ANALYSIS_SHAPERELATIONSOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Dyn_ShapeRelationsOpInterface : OpInterface<"ShapeRelationsOpInterface"> {
  let description = [{
    How the ranks and dims of an op's operands and results depend on each other, and, for integer tensors, on each
    other's elements. One description serves inference forwards and backwards.
  }];
  let cppNamespace = "::dyn";
  let methods = [
    InterfaceMethod<[{
        States what is known about the op to `relations`. Called again when more ranks, dims or elements are known;
        stating a fact twice does no harm. Fails, after emitting a diagnostic at the op, only for contradictions.
      }], "::llvm::LogicalResult", "relateShapes", (ins "::dyn::ShapeRelations &":$relations)>,
    InterfaceMethod<[{
        The operands whose elements decide dims: elements of inputs that flow into them become symbols.
      }], "::llvm::SmallVector<::mlir::Value>", "getShapeOperands", (ins), "", [{ return {}; }]>,
  ];
}

#endif // DYN_ANALYSIS_SHAPERELATIONSOPINTERFACE_TD

//===- Evaluation of ops on concrete tensors --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_INTERPRETER_REFERENCEOPINTERFACE_TD
#define DYN_INTERPRETER_REFERENCEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def Dyn_ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let description = [{
    Evaluates an op on concrete tensors: the oracle of every lowering and the constant folder. What an operand or result
    type says about dims is used only where the op gives its sizes by its result type.
  }];
  let cppNamespace = "::dyn";
  let methods = [
    InterfaceMethod<[{
        Computes the results. Fails with a diagnostic at the op for what has no value (an index out of bounds, dims that
        do not fit).
      }], "::llvm::FailureOr<::llvm::SmallVector<::dyn::ReferenceTensor>>", "evaluate",
      (ins "::llvm::ArrayRef<::dyn::ReferenceTensor>":$operands, "const ::dyn::ReferenceScope &":$scope)>,
  ];
}

#endif // DYN_INTERPRETER_REFERENCEOPINTERFACE_TD

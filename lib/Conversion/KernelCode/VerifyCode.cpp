//===- What generated code may consist of -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelCode/VerifyCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

LogicalResult dyn::verifyCode(func::FuncOp function, StringRef culprit,
                              llvm::function_ref<bool(Operation *)> isAllowed) {
  auto isForeign = [](Type type) { return isa<TensorType, BaseMemRefType>(type); };
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (llvm::any_of(op->getOperandTypes(), isForeign) || llvm::any_of(op->getResultTypes(), isForeign))
      return op->emitOpError() << "works on tensors or memrefs in '" << function.getName() << "'" << culprit;
    if (!isa_and_nonnull<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                         vector::VectorDialect>(op->getDialect()) &&
        !(isAllowed && isAllowed(op)))
      return op->emitOpError() << "has no place in '" << function.getName() << "'" << culprit;
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

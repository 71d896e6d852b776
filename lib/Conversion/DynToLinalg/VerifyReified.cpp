//===- dyn-verify-reified: the contract below the waterline ---------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/DynToLinalg/Passes.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"

namespace dyn {
#define GEN_PASS_DEF_VERIFYREIFIEDPASS
#include "dyn/Conversion/DynToLinalg/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {
class VerifyReifiedPass : public dyn::impl::VerifyReifiedPassBase<VerifyReifiedPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (isa_and_nonnull<DynDialect>(op->getDialect()) && !isa<ConstantOp>(op))
        return op->emitOpError() << "is left below the waterline; only 'dyn.constant' may be; "
                                 << "'dyn-reify-shapes' should have lowered it";
      for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
        if (failed(verifyType(op, type)))
          return WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Type type : block.getArgumentTypes())
            if (failed(verifyType(op, type)))
              return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  static LogicalResult verifyType(Operation *op, Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    if (!tensor)
      return success();
    auto ranked = dyn_cast<RankedTensorType>(tensor);
    if (!ranked)
      return op->emitOpError() << "has an unranked tensor below the waterline; the shapes phase should have ranked it";
    if (ranked.getEncoding())
      return op->emitOpError() << "has type " << type << " with an encoding below the waterline; 'dyn-reify-shapes' "
                               << "should have turned it into SSA values";
    if (auto integer = dyn_cast<IntegerType>(ranked.getElementType()); integer && !integer.isSignless())
      return op->emitOpError() << "has type " << type << " with signed or unsigned integers below the waterline; "
                               << "'dyn-reify-shapes' should have made them signless";
    return success();
  }
};
} // namespace

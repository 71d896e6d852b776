//===- Reference evaluation of guards and assumptions --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../FaultTexts.h"
#include "../Models.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

static Results evaluateRequire(RequireOp op, Operands, const ReferenceScope &scope) {
  if (scope.evaluate(op.getPredicate()) == true)
    return SmallVector<ReferenceTensor>();
  return emitGuardError(op->getParentOfType<FunctionOpInterface>(), op.getPredicate(), op.getBecause(),
                        getNodeName(op.getLoc()), scope);
}

/// The assumption itself is checked like every result against its type.
static Result evaluateAssumeShape(AssumeShapeOp, Operands operands, const ReferenceScope &) { return operands[0]; }

void reference::attachFactModels(MLIRContext *context) {
  attachAll<RequireOp, evaluateRequire>(context);
  attach<AssumeShapeOp, evaluateAssumeShape>(context);
}

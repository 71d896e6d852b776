//===- Reference evaluation of guards and assumptions --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

static Results evaluateRequire(RequireOp op, Operands, const ReferenceScope &scope) {
  std::optional<bool> holds = scope.evaluate(op.getPredicate());
  if (holds == true)
    return SmallVector<ReferenceTensor>();
  return emitError(op) << "'" << op.getPredicate().getText() << "' " << (holds ? "does not hold " : "has no value ")
                       << scope.describeSymbols(op.getPredicate()) << ": " << op.getBecause();
}

/// The assumption itself is checked like every result against its type.
static Result evaluateAssumeShape(AssumeShapeOp, Operands operands, const ReferenceScope &) { return operands[0]; }

void reference::attachFactModels(MLIRContext *context) {
  attachAll<RequireOp, evaluateRequire>(context);
  attach<AssumeShapeOp, evaluateAssumeShape>(context);
}

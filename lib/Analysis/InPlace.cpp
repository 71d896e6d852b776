//===- Which tensors a kernel may write over --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/InPlace.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

bool dyn::mayComputeInPlace(func::FuncOp kernel, unsigned input, unsigned output) {
  Operation *end = kernel.getBody().front().getTerminator();
  BlockArgument from = kernel.getArgument(input);
  BlockArgument to = kernel.getArgument(kernel.getNumArguments() - end->getNumOperands() + output);
  auto result = dyn_cast<OpResult>(end->getOperand(output));
  auto writer = result ? dyn_cast<linalg::GenericOp>(result.getOwner()) : linalg::GenericOp();
  if (!writer || writer.getNumReductionLoops() != 0 || !from.hasOneUse() || !to.hasOneUse() ||
      from.getType() != to.getType())
    return false;
  // Where a result is read on, an element may be computed again.
  if (llvm::any_of(writer->getUsers(), [&](Operation *user) { return user != end; }))
    return false;
  OpOperand &read = *from.use_begin(), &written = *to.use_begin();
  if (read.getOwner() != writer || written.getOwner() != writer || !writer.isDpsInput(&read) ||
      writer.getTiedOpResult(&written) != result || writer.payloadUsesValueFromOperand(&written))
    return false;
  AffineMap place = writer.getMatchingIndexingMap(&written);
  return place.isPermutation() && writer.getMatchingIndexingMap(&read) == place;
}

//===- Verifiers of windows ---------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;

LogicalResult WindowsOp::verify() {
  auto count = static_cast<int64_t>(getKernel().size());
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (rank && *rank < count)
    return Constraint(*this, 1).emitError() << "windows of " << count << " dims over an operand of rank " << *rank;
  Constraint entries(*this, 2);
  if (failed(entries.isCount("strides", getStrides().size(), count)) ||
      failed(entries.isCount("dilations", getDilations().size(), count)) ||
      failed(entries.isCount("pads", getPads().size(), 2 * count)))
    return failure();
  for (ArrayRef<int64_t> list : {getKernel(), getStrides(), getDilations()})
    for (int64_t entry : list)
      if (entry < 1)
        return entries.emitError() << "'kernel', 'strides' and 'dilations' must be positive, one is " << entry;
  if (failed(Constraint(*this, 3).isRank("result", getResult(), rank ? std::optional(*rank + count) : std::nullopt)))
    return failure();
  Type element = getElementTypeOrSelf(getOperand());
  if (getValue().getType() != element)
    return Constraint(*this, 4).emitError()
           << "'value' has type " << getValue().getType() << ", the operand elements of type " << element;
  return success();
}

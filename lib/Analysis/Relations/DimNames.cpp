//===- Dims as people know them -------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Relations.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace dyn;

Value relations::findOperandOfNode(Operation *op, Value operand) {
  while (Operation *maker = operand.getDefiningOp()) {
    bool keepsDims = isa<PadToOp, PadOp>(maker) || maker->hasTrait<dyn::OpTrait::Elementwise>();
    if (!keepsDims || maker->getLoc() != op->getLoc())
      break;
    operand = maker->getOperand(0);
  }
  return operand;
}

/// The dim that an op removes of its first operand; nothing where it does something else.
static std::optional<int64_t> findRemovedDim(Operation *op) {
  std::optional<int64_t> removed;
  if (auto squeeze = dyn_cast<SqueezeOp>(op); squeeze && squeeze.getAxes() && squeeze.getAxes()->size() == 1)
    removed = squeeze.getAxes()->front();
  if (auto gather = dyn_cast<GatherOp>(op))
    if (auto indices = dyn_cast<RankedTensorType>(gather.getIndices().getType()); indices && indices.getRank() == 0)
      removed = gather.getAxis();
  return removed && *removed >= 0 ? removed : std::nullopt;
}

std::string relations::describeOperandDim(Operation *op, Value operand, int64_t dim) {
  while (Operation *maker = operand.getDefiningOp()) {
    std::optional<int64_t> removed = maker->getLoc() == op->getLoc() ? findRemovedDim(maker) : std::nullopt;
    if (!removed)
      break;
    operand = maker->getOperand(0);
    dim += dim >= *removed;
  }
  return describeDim(operand, dim);
}

std::string relations::describeDim(Value value, int64_t dim) {
  // A mask is made a boolean one by a cast or by `!= 0`.
  auto isConversion = [](Operation *op) {
    return isa_and_present<CastOp, NotOp, AssumeShapeOp>(op) ||
           (isa_and_present<CompareOp>(op) && op->getOperand(1).getDefiningOp<ConstantOp>());
  };
  while (isConversion(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  std::string what = dim == 0 ? "rows of " : "dim " + std::to_string(dim) + " of ";
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument) {
    bool isConstant = isa<ConstantOp>(value.getDefiningOp());
    return what + (isConstant ? "`" : "the result of `") + describePlace(value.getLoc()) + "`";
  }
  // The op of a region that is being built is still to come.
  Operation *owner = argument.getOwner()->getParentOp();
  auto function = dyn_cast_if_present<FunctionOpInterface>(owner);
  if (!function)
    return what + "a value" + (owner ? " of `" + describePlace(owner->getLoc()) + "`" : "");
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), DynDialect::kNameAttrName);
  return what + "input `" + (name ? name.str() : "arg" + std::to_string(argument.getArgNumber())) + "`";
}

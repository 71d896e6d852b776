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
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function)
    return what + "a value of `" + describePlace(argument.getOwner()->getParentOp()->getLoc()) + "`";
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), DynDialect::kNameAttrName);
  return what + "input `" + (name ? name.str() : "arg" + std::to_string(argument.getArgNumber())) + "`";
}

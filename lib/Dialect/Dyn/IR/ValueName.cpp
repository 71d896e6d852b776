//===- Names of values in messages ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/ValueName.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace dyn;

static std::string quote(StringRef name) { return ("'" + name + "'").str(); }

std::string dyn::describeValue(Value value, Operation *user) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast_if_present<FunctionOpInterface>(argument.getOwner()->getParentOp());
    auto name = function ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), DynDialect::kNameAttrName)
                         : StringAttr();
    return name ? "input " + quote(name) : "";
  }
  Operation *op = value.getDefiningOp();
  StringRef name = getNodeName(op->getLoc());
  if (name.empty() || name == getNodeName(user->getLoc()))
    return "";
  return isa<ConstantOp>(op) ? quote(name) : "the result of node " + quote(name);
}

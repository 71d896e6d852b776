//===- Data movement ops --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  Attribute value;
  SMLoc loc;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.getCurrentLocation(&loc) ||
      parser.parseAttribute(value))
    return failure();
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed)
    return parser.emitError(loc, "expected elements or '#dyn.weight', with a type");
  result.addTypes(typed.getType());
  result.getOrAddProperties<Properties>().setValue(value);
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {getValueAttrName()});
  printer << ' ' << getValue();
}

LogicalResult ConstantOp::verify() {
  Type type = cast<TypedAttr>(getValue()).getType();
  if (type != getType())
    return emitOpError() << "(1) has the type " << getType() << " but its value is " << type;
  auto weight = dyn_cast<WeightAttr>(getValue());
  if (!weight)
    return success();
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped || !shaped.hasStaticShape() || !shaped.getElementType().isIntOrFloat())
    return emitOpError() << "(2) data in a file need a static tensor type of numbers, not " << type;
  uint64_t bytes = llvm::divideCeil(shaped.getElementTypeBitWidth(), 8) * shaped.getNumElements();
  if (bytes != weight.getLength())
    return emitOpError() << "(2) " << type << " takes " << bytes << " bytes but '" << weight.getFile() << "' gives "
                         << weight.getLength();
  return success();
}

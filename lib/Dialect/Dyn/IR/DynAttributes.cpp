//===- Attributes of the dyn dialect ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;

#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/Dyn/IR/DynAttributes.cpp.inc"

void DynDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dyn/Dialect/Dyn/IR/DynAttributes.cpp.inc"
      >();
}

Attribute ExprAttr::parse(AsmParser &parser, Type) { return {}; }
void ExprAttr::print(AsmPrinter &printer) const { printer << '<' << getText() << '>'; }
Attribute DimsAttr::parse(AsmParser &parser, Type) { return {}; }
void DimsAttr::print(AsmPrinter &printer) const {}
LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                       llvm::function_ref<InFlightDiagnostic()> emitError) const {
  return success();
}
Attribute SymbolsAttr::parse(AsmParser &parser, Type) { return {}; }
void SymbolsAttr::print(AsmPrinter &printer) const {}
Attribute PredAttr::parse(AsmParser &parser, Type) { return {}; }
void PredAttr::print(AsmPrinter &printer) const {}
Attribute ConstraintsAttr::parse(AsmParser &parser, Type) { return {}; }
void ConstraintsAttr::print(AsmPrinter &printer) const {}

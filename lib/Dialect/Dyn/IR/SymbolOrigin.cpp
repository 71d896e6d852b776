//===- Symbols as people read them ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/SymbolOrigin.h"
#include "dyn/Symbolic/Parser.h"

using namespace mlir;
using namespace dyn;
using symbolic::SymbolDeclaration;
using Origin = SymbolDeclaration::Origin;

std::string dyn::printSymbolFacts(const SymbolDeclaration &symbol) {
  SymbolDeclaration facts = symbol;
  facts.origin = Origin::None;
  std::string printed = symbolic::printSymbolDeclarations(facts);
  llvm::StringRef text = printed;
  text.consume_front(symbolic::printSymbolName(symbol.name));
  return text.ltrim(": ").str();
}

ExprAttr dyn::getArgumentDim(FunctionOpInterface function, unsigned argument, unsigned index) {
  auto dims = function.getArgAttrOfType<DimsAttr>(argument, DynDialect::kDimsAttrName);
  if (auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[argument]); type && !dims)
    dims = DimsAttr::of(type);
  return dims && index < dims.getDims().size() ? dims.getDims()[index] : ExprAttr();
}

std::string dyn::describeOrigin(const SymbolDeclaration &symbol, InputTexts inputs) {
  auto of = [&] { return " of '" + inputs.getName(symbol.argument) + "'"; };
  switch (symbol.origin) {
  case Origin::None:
    return "";
  case Origin::ArgumentDim: {
    std::string dim = inputs.getDim(symbol.argument, symbol.index);
    bool isSymbol = dim.empty() || dim == symbolic::printSymbolName(symbol.name);
    return "dim " + std::to_string(symbol.index) + of() + (isSymbol ? "" : ", which is " + dim);
  }
  case Origin::ArgumentValue:
    return "element " + std::to_string(symbol.index) + of();
  case Origin::Bound:
    return "data";
  case Origin::Defined:
    return symbol.definition;
  }
  llvm_unreachable("all origins are handled");
}

std::string dyn::describeSymbol(const SymbolDeclaration &symbol, InputTexts inputs) {
  std::string origin = describeOrigin(symbol, inputs);
  return symbolic::printSymbolName(symbol.name) + ": " + printSymbolFacts(symbol) + (origin.empty() ? "" : "  ") +
         origin;
}

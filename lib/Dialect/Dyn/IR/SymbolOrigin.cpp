//===- Symbols as people read them ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/SymbolOrigin.h"
#include "dyn/Symbolic/Parser.h"

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

std::string dyn::describeOrigin(const SymbolDeclaration &symbol,
                                llvm::function_ref<std::string(unsigned)> getInputName) {
  auto of = [&] { return " of '" + getInputName(static_cast<unsigned>(symbol.argument)) + "'"; };
  switch (symbol.origin) {
  case Origin::None:
    return "";
  case Origin::ArgumentDim:
    return "dim " + std::to_string(symbol.index) + of();
  case Origin::ArgumentValue:
    return "element " + std::to_string(symbol.index) + of();
  case Origin::Bound:
    return "data";
  case Origin::Defined:
    return symbol.definition;
  }
  llvm_unreachable("all origins are handled");
}

std::string dyn::describeSymbol(const SymbolDeclaration &symbol,
                                llvm::function_ref<std::string(unsigned)> getInputName) {
  std::string origin = describeOrigin(symbol, getInputName);
  return symbolic::printSymbolName(symbol.name) + ": " + printSymbolFacts(symbol) + (origin.empty() ? "" : "  ") +
         origin;
}

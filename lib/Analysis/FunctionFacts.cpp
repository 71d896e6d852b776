//===- Facts that a function declares ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Symbolic/Parser.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

bool dyn::addDeclaredFacts(ArrayRef<SymbolDeclaration> symbols, ConstraintsAttr constraints, Solver &solver) {
  SymbolicContext &context = solver.getContext();
  ReasonId reason = solver.addReason({"declared", "", 0});
  for (const SymbolDeclaration &declaration : symbols) {
    bool isBound = declaration.origin == SymbolDeclaration::Origin::Bound;
    Expr symbol = context.getSymbol(declaration.name);
    if (!solver.declare(symbol, declaration.facts, isBound ? SymbolClass::DataDependent : SymbolClass::Declared,
                        reason))
      return false;
    ParseError error;
    if (declaration.origin == SymbolDeclaration::Origin::Defined)
      if (Expr definition = parseExpr(declaration.definition, context, error))
        if (!solver.addEqual(symbol, definition, reason))
          return false;
  }
  if (constraints)
    for (PredAttr constraint : constraints.getPredicates())
      if (!solver.addPredicate(constraint.getPredicate(context), reason))
        return false;
  return true;
}

bool dyn::addDeclaredFacts(Operation *function, Solver &solver) {
  auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName);
  return addDeclaredFacts(symbols ? symbols.getDeclarations() : SmallVector<SymbolDeclaration>(),
                          function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName), solver);
}

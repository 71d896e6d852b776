//===- Broadcasts that later ops decide -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/DecidedBroadcasts.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

bool dyn::requireDecidedBroadcasts(FunctionOpInterface function, ShapeAnalysis &analysis) {
  // Abbreviations may have other names in the next analysis, and what data determine has no value at the start.
  llvm::SmallDenseSet<Expr> made;
  for (const SymbolDeclaration &symbol : analysis.getSymbols())
    if (symbol.origin == SymbolDeclaration::Origin::Defined || symbol.origin == SymbolDeclaration::Origin::Bound)
      made.insert(analysis.getContext().getSymbol(symbol.name));
  auto isOfInputs = [&](Expr size) {
    return llvm::none_of(size.getSymbols(), [&](Expr symbol) { return made.contains(symbol); });
  };
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getFunctionBody().front());
  bool found = false;
  for (const ShapeGuard &guard : analysis.getGuards()) {
    const std::vector<Predicate> &cases = guard.predicate.operands;
    if (cases.size() != 3 || cases[0].kind != Predicate::Kind::Equal)
      continue;
    Expr lhs = cases[0].lhs, rhs = cases[0].rhs, both = bcast({lhs, rhs});
    if (!both || !(guard.predicate == Predicate::broadcastable(lhs, rhs)))
      continue;
    bool keepsLhs = analysis.isKnownEqual(both, lhs);
    if (!isOfInputs(lhs) || !isOfInputs(rhs) || (!keepsLhs && !analysis.isKnownEqual(both, rhs)))
      continue;
    Predicate repeated = Predicate::equal(keepsLhs ? rhs : lhs, analysis.getConstant(1));
    RequireOp::create(builder, guard.loc,
                      PredAttr::get(builder.getContext(), Predicate::disjunction({cases[0], repeated})),
                      builder.getStringAttr(guard.because));
    found = true;
  }
  return found;
}

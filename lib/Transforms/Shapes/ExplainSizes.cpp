//===- Why a relation of sizes holds ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Symbolic/Statements.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace dyn {
#define GEN_PASS_DEF_EXPLAINSIZESPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {

struct ExplainSizes : dyn::impl::ExplainSizesPassBase<ExplainSizes> {
  using ExplainSizesPassBase::ExplainSizesPassBase;
  void runOnOperation() override;
};

} // namespace

void ExplainSizes::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration())
    return;
  ShapeAnalysis analysis(function);
  if (failed(analysis.run()))
    return signalPassFailure();
  auto refuse = [&](const Twine &text) {
    // A question is not about the function's text.
    mlir::emitError(function.getLoc()) << "query '" << query << "': " << text;
    signalPassFailure();
  };
  ParseError error;
  std::optional<Statement> question = parseStatement(query, analysis.getContext(), error);
  if (!question)
    return refuse(error.message + " at column " + Twine(error.column));
  // What nothing relies on: names that no input declares.
  Solver &solver = analysis.getSolver();
  llvm::StringSet<> known;
  for (const Alias &alias : getAliases(function)) {
    Predicate relation = alias.relation.getPredicate(analysis.getContext());
    for (Expr symbol : relation.getSymbols())
      known.insert(symbol.getSymbolName());
    // One that the facts contradict is of a size for which the model never runs.
    (void)solver.addPredicate(relation, solver.addReason({alias.because, alias.where, 0}));
  }
  for (const SymbolDeclaration &symbol : analysis.getSymbols())
    known.insert(symbol.name);
  for (Expr symbol : question->predicate.getSymbols())
    if (!known.contains(symbol.getSymbolName()))
      return refuse("the function has no symbol '" + symbol.getSymbolName() + "'");
  Verdict verdict = ask(solver, *question).verdict;
  llvm::outs() << (verdict == Verdict::Yes ? "yes" : verdict == Verdict::No ? "no" : "unknown") << '\n';
  for (const ExplainStep &step : explain(solver, *question)) {
    llvm::outs() << "  " << step.fact << ": " << step.reason.text;
    if (!step.reason.where.empty())
      llvm::outs() << " at " << step.reason.where;
    llvm::outs() << '\n';
  }
}

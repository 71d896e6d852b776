//===- The few guards that are needed ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GuardedNeeds.h"
#include "InsertGuards.h"
#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Transforms/Shapes/NeededGuards.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

namespace dyn {
#define GEN_PASS_DEF_MINIMIZEGUARDSPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {

struct MinimizeGuards : dyn::impl::MinimizeGuardsPassBase<MinimizeGuards> {
  void runOnOperation() override;

private:
  /// True if it added some.
  FailureOr<bool> completeGuards();
  /// True if there were such.
  bool dropUnusedSymbols();
};

} // namespace

/// Sizes that were simplified, and guards that stand for others, may leave an op with a need that the engine does not
/// see to follow from the guards. It is guarded too: a check too many is better than one too few.
FailureOr<bool> MinimizeGuards::completeGuards() {
  func::FuncOp function = getOperation();
  // More facts may mean sizes that are spelled in other ways, and so other needs, but not for long.
  constexpr unsigned maxRounds = 4;
  for (unsigned round = 0; round < maxRounds; ++round) {
    ShapeAnalysis analysis(function);
    if (failed(analysis.run()))
      return failure();
    if (analysis.getGuards().empty())
      return round > 0;
    auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName);
    SmallVector<ShapeGuard> added(analysis.getGuards());
    // Where the engine does not see that the form that reads better is enough, the op's own stands beside it.
    if (round == 0)
      for (ShapeGuard &guard : added)
        guard.predicate = spellGuard(guard.predicate, analysis.getSymbols(), constraints, analysis.getContext());
    insertGuards(function.front(), added, analysis, /*leavesOut=*/false);
    function->setAttr(DynDialect::kSymbolsAttrName, SymbolsAttr::get(&getContext(), analysis.getSymbols()));
  }
  return true;
}

/// Does something outside of the function give the symbol its value, so that it stays whether it is used or not? Of
/// elements of inputs only those of which more is declared than their type says.
static bool isGiven(const SymbolDeclaration &symbol, func::FuncOp function) {
  using Origin = SymbolDeclaration::Origin;
  if (symbol.origin != Origin::ArgumentValue)
    return symbol.origin == Origin::ArgumentDim || symbol.origin == Origin::None;
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(function.getArgument(symbol.argument)));
  const SymbolFacts &facts = symbol.facts;
  return type && (!(facts.range == getElementRange(type)) || facts.modulus != 1 || !facts.notEqual.empty());
}

bool MinimizeGuards::dropUnusedSymbols() {
  func::FuncOp function = getOperation();
  auto attribute = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName);
  SmallVector<SymbolDeclaration> declarations, kept;
  if (attribute)
    declarations = attribute.getDeclarations();
  if (llvm::all_of(declarations, [&](const SymbolDeclaration &symbol) { return isGiven(symbol, function); }))
    return false;
  SymbolicContext context;
  llvm::StringSet<> used;
  auto use = [&](Expr expr) {
    for (Expr symbol : expr.getSymbols())
      used.insert(symbol.getSymbolName());
  };
  AttrTypeWalker walker;
  walker.addWalk([&](DimsAttr dims) { llvm::for_each(dims.getExprs(context), use); });
  walker.addWalk([&](PredAttr predicate) { llvm::for_each(predicate.getPredicate(context).getSymbols(), use); });
  function->walk([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes())
      walker.walk(type);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        walker.walk(argument.getType());
    if (auto loop = dyn_cast<LoopOp>(op); loop && loop.getCounting())
      used.insert(*loop.getCounting());
    if (auto binds = op->getAttrOfType<ArrayAttr>("binds"))
      for (StringRef name : binds.getAsValueRange<StringAttr>())
        used.insert(name);
    if (auto nonZero = dyn_cast<NonZeroOp>(op); nonZero && nonZero.getCount())
      used.insert(*nonZero.getCount());
  });
  for (BlockArgument argument : function.getArguments())
    walker.walk(argument.getType());
  // What a used abbreviation stands for is used; definitions stand behind what they mention.
  for (SymbolDeclaration &declaration : llvm::reverse(declarations)) {
    ParseError error;
    if (declaration.origin == SymbolDeclaration::Origin::Defined && used.contains(declaration.name))
      if (Expr definition = parseExpr(declaration.definition, context, error))
        use(definition);
  }
  for (SymbolDeclaration &declaration : declarations)
    if (used.contains(declaration.name) || isGiven(declaration, function))
      kept.push_back(std::move(declaration));
  if (kept.size() == declarations.size())
    return false;
  function->setAttr(DynDialect::kSymbolsAttrName, SymbolsAttr::get(&getContext(), kept));
  return true;
}

void MinimizeGuards::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration())
    return;
  SymbolicContext context;
  SmallVector<RequireOp> ops;
  std::vector<Predicate> guards;
  // Those of regions hold there only.
  for (auto op : function.front().getOps<RequireOp>()) {
    ops.push_back(op);
    guards.push_back(op.getPredicate().getPredicate(context));
  }
  auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName);
  std::optional<SmallVector<NeededGuard>> needed =
      findNeededGuards(guards, symbols ? symbols.getDeclarations() : SmallVector<SymbolDeclaration>(),
                       function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName), context);
  if (!needed) {
    function.emitOpError("declares facts that contradict each other");
    return signalPassFailure();
  }
  bool hasChanged = needed->size() != guards.size(), hasRewritten = false;
  llvm::SmallDenseSet<unsigned> kept;
  for (const NeededGuard &guard : *needed) {
    kept.insert(guard.index);
    hasChanged |= !(guard.predicate == guards[guard.index]);
    auto predicate = PredAttr::get(&getContext(), guard.predicate);
    hasRewritten |= predicate != ops[guard.index].getPredicateAttr();
    ops[guard.index].setPredicateAttr(predicate);
  }
  for (auto [index, op] : llvm::enumerate(ops))
    if (!kept.contains(index))
      op.erase();
  // What was proved from these guards still is.
  bool isComplete = getCachedAnalysis<GuardedNeeds>() && !hasChanged;
  if (!isComplete) {
    FailureOr<bool> hasAdded = completeGuards();
    if (failed(hasAdded))
      return signalPassFailure();
    hasChanged |= *hasAdded;
  }
  hasChanged |= dropUnusedSymbols();
  // Nobody verifies the function again then.
  if (!hasChanged && !hasRewritten)
    markAllAnalysesPreserved();
}

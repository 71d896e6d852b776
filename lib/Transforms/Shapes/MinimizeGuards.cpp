//===- The few guards that are needed ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace dyn {
#define GEN_PASS_DEF_MINIMIZEGUARDSPASS
#include "dyn/Transforms/Shapes/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// `lower <= symbol and symbol <= upper and symbol mod m == r`, as far as it says more than `facts`.
static Predicate describe(Expr symbol, const SymbolFacts &now, const SymbolFacts &facts) {
  SymbolicContext &context = symbol.getContext();
  std::vector<Predicate> parts;
  if (now.range.lower && now.range.lower != facts.range.lower)
    parts.push_back(Predicate::lessEqual(context.getConstant(*now.range.lower), symbol));
  if (now.range.upper && now.range.upper != facts.range.upper)
    parts.push_back(Predicate::lessEqual(symbol, context.getConstant(*now.range.upper)));
  if (now.modulus > 1 && now.modulus != facts.modulus)
    parts.push_back(
        Predicate::equal(mod(symbol, context.getConstant(now.modulus)), context.getConstant(now.remainder)));
  if (parts.empty())
    return {};
  return parts.size() == 1 ? parts.front() : Predicate::conjunction(std::move(parts));
}

/// The same guard as bounds of its only symbol, if it is no more than that.
static std::optional<Predicate> asBounds(const Predicate &guard, func::FuncOp function, SymbolicContext &context) {
  SmallVector<Expr, 4> symbols = guard.getSymbols();
  if (symbols.size() != 1)
    return std::nullopt;
  Solver with(context), without(context);
  if (!addDeclaredFacts(function, with) || !addDeclaredFacts(function, without))
    return std::nullopt;
  SymbolFacts before = without.getFacts(symbols[0]);
  if (!with.addPredicate(guard, with.addReason({})))
    return std::nullopt;
  Predicate bounds = describe(symbols[0], with.getFacts(symbols[0]), before);
  if (bounds.kind == Predicate::Kind::True || !without.addPredicate(bounds, without.addReason({})) ||
      without.implies(guard) != Verdict::Yes)
    return std::nullopt;
  return bounds;
}

namespace {

struct MinimizeGuards : dyn::impl::MinimizeGuardsPassBase<MinimizeGuards> {
  void runOnOperation() override;

private:
  void dropUnusedSymbols();
};

} // namespace

void MinimizeGuards::dropUnusedSymbols() {
  func::FuncOp function = getOperation();
  auto attribute = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName);
  if (!attribute)
    return;
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
    if (auto nonZero = dyn_cast<NonZeroOp>(op); nonZero && nonZero.getCount())
      used.insert(*nonZero.getCount());
  });
  for (BlockArgument argument : function.getArguments())
    walker.walk(argument.getType());
  SmallVector<SymbolDeclaration> declarations = attribute.getDeclarations(), kept;
  // What a used abbreviation stands for is used; definitions stand behind what they mention.
  for (SymbolDeclaration &declaration : llvm::reverse(declarations)) {
    ParseError error;
    if (declaration.origin == SymbolDeclaration::Origin::Defined && used.contains(declaration.name))
      if (Expr definition = parseExpr(declaration.definition, context, error))
        use(definition);
  }
  for (SymbolDeclaration &declaration : declarations)
    if (used.contains(declaration.name) || declaration.origin == SymbolDeclaration::Origin::ArgumentDim ||
        declaration.origin == SymbolDeclaration::Origin::None)
      kept.push_back(std::move(declaration));
  if (kept.size() != declarations.size())
    function->setAttr(DynDialect::kSymbolsAttrName, SymbolsAttr::get(&getContext(), kept));
}

void MinimizeGuards::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration())
    return;
  SymbolicContext context;
  SmallVector<RequireOp> ops;
  std::vector<Predicate> guards;
  function->walk([&](RequireOp op) {
    ops.push_back(op);
    guards.push_back(op.getPredicate().getPredicate(context));
  });
  Solver solver(context);
  if (!addDeclaredFacts(function, solver)) {
    function.emitOpError("declares facts that contradict each other");
    return signalPassFailure();
  }
  llvm::SmallDenseSet<unsigned> kept;
  for (unsigned index : solver.minimizeGuards(guards))
    kept.insert(index);
  for (auto [index, op] : llvm::enumerate(ops)) {
    if (!kept.contains(index))
      op.erase();
    else if (std::optional<Predicate> bounds = asBounds(guards[index], function, context))
      op.setPredicateAttr(PredAttr::get(&getContext(), *bounds));
  }
  dropUnusedSymbols();
}

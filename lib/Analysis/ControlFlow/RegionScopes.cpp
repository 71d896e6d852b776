//===- What is known in regions, and nowhere else -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/ThreadDiagnostics.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;
using Origin = SymbolDeclaration::Origin;

/// Regions in regions are analysed anew for all that changes around them. Of those beyond the limit nothing is known.
static constexpr unsigned kMaxBlockVisits = 20000;

ShapeAnalysis::Scope &ShapeAnalysis::getScope(Value value) {
  for (Block *block = value.getParentBlock(); block && block != root.block;) {
    if (auto known = scopes.find(block); known != scopes.end())
      return *known->second;
    Operation *parent = block->getParentOp();
    block = parent ? parent->getBlock() : nullptr;
  }
  return root;
}

/// Scopes of regions inside know their surroundings by address.
void ShapeAnalysis::forgetScopes(Block &block) {
  block.walk([&](Operation *op) {
    for (mlir::Region &region : op->getRegions())
      for (Block &inner : region)
        scopes.erase(&inner);
    branches.erase(op);
    takenBranches.erase(op);
    loops.erase(op);
  });
  scopes.erase(&block);
}

ShapeAnalysis::Scope *ShapeAnalysis::relateBlock(Block &block, llvm::function_ref<bool(Scope &)> enter) {
  forgetScopes(block);
  Scope *inner = (scopes[&block] = std::make_unique<Scope>(scope, scope->solver.fork())).get();
  inner->block = &block;
  llvm::SaveAndRestore currentScope(scope, inner);
  llvm::SaveAndRestore currentOp(current);
  llvm::SaveAndRestore whatIsOpen(isSettling, false);
  problem.reset();
  refusals.erase(&block);
  ThreadDiagnostics silence(block.getParentOp()->getContext(), [&](Diagnostic &diagnostic) {
    if (!problem && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      problem.emplace(diagnostic.getLocation(), diagnostic.str());
    return success();
  });
  for (BlockArgument argument : block.getArguments())
    (void)initialize(argument);
  if (enter(*inner) && (++numBlockVisits > kMaxBlockVisits || succeeded(relateScope())))
    return inner;
  forgetScopes(block);
  refusals.insert({&block, problem ? problem->first : block.getParentOp()->getLoc()});
  return nullptr;
}

std::optional<Location> ShapeAnalysis::findRefusal(Block *block) const {
  while (block != root.block) {
    if (auto refusal = refusals.find(block); refusal != refusals.end())
      return refusal->second;
    block = block->getParentOp()->getBlock();
  }
  return std::nullopt;
}

LogicalResult ShapeAnalysis::emitProblem() {
  if (problem)
    return mlir::emitError(problem->first) << problem->second;
  return mlir::emitError(current->getLoc()) << "no branch can be taken";
}

Expr ShapeAnalysis::getOutside(Scope &inner, Expr expr) {
  auto isOwn = [&](Expr symbol) { return inner.ownSymbols.contains(symbol); };
  if (!expr || llvm::none_of(expr.getSymbols(), isOwn))
    return expr;
  Expr told = substitute(expr, chosenSizes), simple = inner.solver.simplify(told ? told : expr);
  return simple && llvm::none_of(simple.getSymbols(), isOwn) ? simple : Expr();
}

Expr ShapeAnalysis::getRegionSymbol(Operation *op, Value value, unsigned dim, StringRef prefix,
                                    const SymbolFacts &facts, SymbolFacts declared) {
  Expr &symbol = regionSymbols[{op, value, dim}];
  if (!symbol) {
    // A second analysis of the same function finds what the first one declared.
    auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
    DimsAttr dims = type ? DimsAttr::of(type) : DimsAttr();
    Expr declared = dims && dim < dims.getDims().size() ? dims.getDims()[dim].getExpr(context) : Expr();
    auto binds = op->getAttrOfType<ArrayAttr>("binds");
    bool isDeclared = declared && declared.isSymbol() && binds &&
                      llvm::is_contained(binds.getAsValueRange<StringAttr>(), declared.getSymbolName());
    symbol = isDeclared ? declared : context.createSymbol(prefix);
  }
  symbolsOfRegions[op].insert(symbol);
  SymbolDeclaration *known = findDeclaration(symbol);
  // Facts are those of the last analysis: before, less may have been known of what can change.
  if (!known) {
    SymbolDeclaration declaration;
    declaration.name = symbol.getSymbolName().str();
    known = &addDeclaration(symbol, std::move(declaration));
  }
  declared.range.lower = std::max<int64_t>(declared.range.lower.value_or(0), 0);
  known->facts = std::move(declared);
  tellUnguarded(symbol);
  known->origin = Origin::Bound;
  known->definition.clear();
  chosenSizes.erase(symbol.getNode());
  scope->ownSymbols.insert(symbol);
  (void)scope->solver.declare(symbol, facts, SymbolClass::DataDependent,
                              scope->solver.addReason({"size that branches or trips decide", "", 0}));
  return symbol;
}

bool ShapeAnalysis::isOpen(Value result, unsigned dim) {
  std::optional<Dims> dims = getDims(result);
  return !dims || dim >= dims->size() || !(*dims)[dim];
}

LogicalResult ShapeAnalysis::settleRegion(Operation *op) {
  auto hasOpenDim = [&](Value result) {
    std::optional<Dims> dims = getDims(result);
    for (unsigned dim = 0; dims && dim < dims->size(); ++dim)
      if (!(*dims)[dim] && isOneSize(result, dim))
        return true;
    return false;
  };
  if (llvm::none_of(op->getResults(), hasOpenDim))
    return success();
  current = op;
  if (auto branch = dyn_cast<IfOp>(op))
    return conclude(branch, /*settles=*/true);
  return conclude(cast<LoopOp>(op), /*settles=*/true);
}

LogicalResult ShapeAnalysis::settle() {
  for (Operation *op : scope->open) {
    auto isOpen = [&](Value result) { return isa<TensorType>(result.getType()) && !findDims(result); };
    if (leftOut.contains(op))
      continue;
    LogicalResult result = success();
    if (isa<IfOp, LoopOp>(op)) {
      result = settleRegion(op);
    } else if (llvm::any_of(op->getResults(), isOpen)) {
      isSettling = true;
      result = relateAll(op);
      isSettling = false;
    }
    if (failed(result) || failed(relatePending()))
      return failure();
  }
  return success();
}

SmallVector<Expr> ShapeAnalysis::getBoundSymbols(Operation *op) const {
  auto symbols = symbolsOfRegions.find(op);
  return symbols == symbolsOfRegions.end() ? SmallVector<Expr>() : llvm::to_vector(symbols->second);
}

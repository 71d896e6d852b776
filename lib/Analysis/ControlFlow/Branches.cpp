//===- Sizes behind branches ---------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Choices.h"
#include "ControlOperands.h"
#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Symbolic/Scopes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;
using Origin = SymbolDeclaration::Origin;

/// The same as its negation, in the form that people write.
static Predicate getOpposite(const Predicate &predicate) {
  switch (predicate.kind) {
  case Predicate::Kind::Equal:
    return Predicate::notEqual(predicate.lhs, predicate.rhs);
  case Predicate::Kind::NotEqual:
    return Predicate::equal(predicate.lhs, predicate.rhs);
  case Predicate::Kind::Less:
    return Predicate::lessEqual(predicate.rhs, predicate.lhs);
  case Predicate::Kind::LessEqual:
    return Predicate::less(predicate.rhs, predicate.lhs);
  case Predicate::Kind::Not:
    return predicate.operands.front();
  default:
    return Predicate::negation(predicate);
  }
}

ElementValue dyn::getCondition(ShapeRelations &relations, Value condition) {
  std::optional<ElementValues> elements = relations.getElements(condition);
  return elements && elements->size() == 1 ? elements->front() : ElementValue();
}

std::optional<bool> ShapeAnalysis::getTruth(Value condition) {
  return ShapeRelations::getTruth(getCondition(*this, condition));
}

std::string dyn::describeForced(const ForcedBranch &branch) {
  return "branch, the only one that fits " +
         (branch.refusal ? "node '" + describePlace(*branch.refusal) + "'" : "what stands behind it");
}

FailureOr<std::optional<bool>> ShapeAnalysis::decide(IfOp op, const ElementValue &condition) {
  std::optional<bool> taken = ShapeRelations::getTruth(condition);
  auto branch = forced.find(op);
  if (taken || branch == forced.end() || condition.kind != ElementValue::Kind::Boolean)
    return taken;
  const ForcedBranch &decided = branch->second;
  const Predicate &predicate = condition.getPredicate();
  Predicate holds = decided.taken ? predicate : getOpposite(predicate);
  forcedConditions.insert_or_assign(op, holds);
  if (failed(require(holds, describeForced(decided), ReasonPlace::Alone)))
    return failure();
  return std::optional(decided.taken);
}

/// What a branch needs that every run takes, every run needs.
LogicalResult ShapeAnalysis::adoptGuards(Scope &inner) {
  for (const ShapeGuard &guard : inner.guards) {
    bool isInside =
        llvm::any_of(guard.predicate.getSymbols(), [&](Expr symbol) { return inner.ownSymbols.contains(symbol); });
    if (!isInside && failed(addGuard(guard)))
      return failure();
  }
  return success();
}

LogicalResult ShapeAnalysis::adoptGuardsOfAllRuns(Scope &inner, const std::optional<Predicate> &unless) {
  bool isConditional = unless && areKnownAtEntry(unless->getSymbols());
  for (const ShapeGuard &guard : inner.guards) {
    if (!guard.isOfAllRuns)
      continue;
    ShapeGuard adopted = guard;
    // Sizes that branches in the region choose have no names outside of it.
    if (Predicate told = substitute(guard.predicate, chosenSizes); symbolic::isComplete(told))
      adopted.predicate = std::move(told);
    auto holdsAnyway = [&] {
      Solver there = scope->solver.fork();
      return !there.addPredicate(*unless, there.addReason({})) || there.implies(adopted.predicate) == Verdict::Yes;
    };
    if (isConditional && !holdsAnyway())
      adopted.predicate = Predicate::disjunction({*unless, adopted.predicate});
    adopted.isOfAllRuns = scope != &root;
    if (failed(addGuard(std::move(adopted))))
      return failure();
  }
  return success();
}

void ShapeAnalysis::adoptSymbols(Scope &inner) {
  for (Expr symbol : inner.ownSymbols) {
    scope->ownSymbols.insert(symbol);
    if (const SymbolDeclaration *declaration = findDeclaration(symbol))
      (void)scope->solver.declare(symbol, declaration->facts, SymbolClass::DataDependent,
                                  scope->solver.addReason({"size that a branch decides", "", 0}));
  }
  inner.ownSymbols.clear();
}

/// The values of one boolean that a condition of this truth tells, itself among them.
static SmallVector<std::pair<Value, bool>> findTruths(Value condition, bool truth) {
  constexpr size_t kMaxTruths = 64;
  SmallVector<std::pair<Value, bool>> truths = {{condition, truth}};
  for (size_t i = 0; i < truths.size() && truths.size() < kMaxTruths; ++i) {
    auto [value, isTrue] = truths[i];
    Operation *op = value.getDefiningOp();
    if (!op || !getElementTypeOrSelf(value).isInteger(1))
      continue;
    if (isa<NotOp>(op))
      truths.emplace_back(op->getOperand(0), !isTrue);
    else if (isTrue ? isa<AndOp>(op) : isa<OrOp>(op))
      for (Value operand : op->getOperands())
        truths.emplace_back(operand, isTrue);
  }
  return truths;
}

LogicalResult ShapeAnalysis::learnCondition(IfOp op, bool truth) {
  for (auto [value, isTrue] : findTruths(op.getCondition(), truth)) {
    ElementValue known = getCondition(*this, value);
    if (known.kind == ElementValue::Kind::Boolean) {
      Predicate holds = isTrue ? known.getPredicate() : getOpposite(known.getPredicate());
      if (failed(addFact(holds, truth ? "condition of the branch" : "condition of the other branch", op.getLoc())))
        return failure();
    } else if (std::optional<SmallVector<int64_t>> dims = getSmallDims(value);
               known.isUnknown() && dims && llvm::all_of(*dims, [](int64_t dim) { return dim == 1; })) {
      // What data decide is decided here.
      setElements(value, ElementValues(1, ElementValue::getBoolean(isTrue)));
    }
  }
  return success();
}

LogicalResult dyn::requireOneElement(ShapeRelations &relations, Value value, const Twine &what) {
  std::optional<Dims> dims = value ? relations.getKnownDims(value) : std::nullopt;
  if (!dims)
    return success();
  return relations.requireEqual(relations.getNumElements(*dims), relations.getConstant(1), "elements of " + what,
                                ReasonPlace::Alone);
}

LogicalResult ShapeAnalysis::relateIf(IfOp op) {
  if (failed(requireOneElement(*this, op.getCondition(), "the condition")))
    return failure();
  ElementValue condition = getCondition(*this, op.getCondition());
  FailureOr<std::optional<bool>> decided = decide(op, condition);
  if (failed(decided))
    return failure();
  std::optional<bool> taken = *decided;
  takenBranches.erase(op);
  if (taken)
    takenBranches[op] = *taken;
  std::array<Scope *, 2> regions = {nullptr, nullptr};
  auto relateBranch = [&](bool truth) {
    if (taken && *taken != truth)
      return;
    Block &block = (truth ? op.getThenRegion() : op.getElseRegion()).front();
    regions[truth ? 0 : 1] = relateBlock(block, [&](Scope &) { return taken || succeeded(learnCondition(op, truth)); });
  };
  relateBranch(true);
  relateBranch(false);
  if (!regions[0] && !regions[1])
    return emitProblem();
  branches[op] = regions;
  if (taken && failed(adoptGuards(*regions[*taken ? 0 : 1])))
    return failure();
  for (auto [region, truth] : llvm::zip(regions, std::array{true, false})) {
    std::optional<Predicate> unless;
    if (condition.kind == ElementValue::Kind::Boolean)
      unless = truth ? getOpposite(condition.getPredicate()) : condition.getPredicate();
    if (!taken && region && failed(adoptGuardsOfAllRuns(*region, unless)))
      return failure();
  }
  return conclude(op, /*settles=*/false);
}

Expr ShapeAnalysis::joinDims(IfOp op, OpResult result, unsigned dim, Expr whenTrue, Expr whenFalse, bool settles) {
  auto [thenScope, elseScope] = branches[op];
  Expr outsideTrue = getOutside(*thenScope, whenTrue), outsideFalse = getOutside(*elseScope, whenFalse);
  // Either branch may know more than what holds behind them.
  for (Expr candidate : {outsideTrue, outsideFalse})
    if (candidate && whenTrue && whenFalse && thenScope->solver.isEqual(whenTrue, candidate) == Verdict::Yes &&
        elseScope->solver.isEqual(whenFalse, candidate) == Verdict::Yes)
      return candidate;
  // Where sizes decide the condition, they decide the size.
  ElementValue condition = getCondition(*this, op.getCondition());
  bool isDecided = condition.kind == ElementValue::Kind::Boolean && outsideTrue && outsideFalse;
  Expr definition = isDecided ? choose(condition.getPredicate(), outsideTrue, outsideFalse, scope->solver) : Expr();
  // `max(T, 6)` says more than a symbol, and the solver computes with it; of a long one the symbol is what people read.
  constexpr size_t kMostText = 20;
  if (definition && definition.str().size() <= kMostText)
    return definition;
  if (!settles)
    return {};
  SymbolFacts facts, declared;
  if (whenTrue && whenFalse) {
    facts = joinFacts(describeSize(thenScope->solver, whenTrue), describeSize(elseScope->solver, whenFalse));
    declared = describeUnguarded({whenTrue, whenFalse});
  }
  Expr symbol = getRegionSymbol(op, result, dim, "u", facts, declared);
  if (!definition) {
    if (outsideTrue && outsideFalse)
      limitSize(op, symbol, {min({outsideTrue, outsideFalse}), max({outsideTrue, outsideFalse})});
    return symbol;
  }
  SymbolDeclaration &declaration = *findDeclaration(symbol);
  declaration.origin = Origin::Defined;
  declaration.definition = definition.str();
  // It may choose between sizes that were chosen themselves.
  Expr told = substitute(definition, chosenSizes);
  chosenSizes[symbol.getNode()] = told ? told : definition;
  noteDefinition(symbol, definition);
  // The definition is evaluated at entry, at sizes for which nothing in the block is run, too.
  declaration.facts = describeUnguarded(definition);
  tellUnguarded(symbol);
  symbolsOfRegions[op].remove(symbol);
  return symbol;
}

ElementValue ShapeAnalysis::joinElement(IfOp op, const ElementValue &whenTrue, const ElementValue &whenFalse) {
  if (whenTrue == whenFalse)
    return whenTrue;
  ElementValue condition = getCondition(*this, op.getCondition());
  if (condition.kind != ElementValue::Kind::Boolean || !whenTrue.isInteger() || !whenFalse.isInteger())
    return {};
  return ElementValue::getInteger(choose(condition.getPredicate(), whenTrue.integer, whenFalse.integer, scope->solver));
}

void ShapeAnalysis::joinElements(IfOp op, OpResult result) {
  std::array<Scope *, 2> regions = branches[op];
  unsigned index = result.getResultNumber();
  // What both hand on is what it is outside.
  auto [first, second] = std::pair(op.getThenRegion().front().getTerminator()->getOperand(index),
                                   op.getElseRegion().front().getTerminator()->getOperand(index));
  if (first == second) {
    if (const Knowledge *known = find(first); known && known->elements)
      setElements(result, *known->elements);
    return;
  }
  SmallVector<std::pair<Scope *, const Knowledge *>, 2> yielded;
  for (auto [scope, region] : llvm::zip(regions, op->getRegions()))
    if (scope)
      yielded.emplace_back(scope, find(*scope, region.front().getTerminator()->getOperand(index)));
  if (llvm::any_of(yielded, [](const auto &entry) { return !entry.second || !entry.second->elements; }))
    return;
  size_t count = yielded.front().second->elements->size();
  if (yielded.back().second->elements->size() != count)
    return;
  ElementValues elements(count);
  for (auto [place, element] : llvm::enumerate(elements)) {
    for (auto [branchIndex, entry] : llvm::enumerate(yielded)) {
      auto [scope, known] = entry;
      const ElementValue &branch = (*known->elements)[place];
      ElementValue outside;
      if (branch.isInteger())
        outside = ElementValue::getInteger(getOutside(*scope, branch.integer));
      else if (branch.kind == ElementValue::Kind::Number)
        outside = branch;
      else if (branch.kind == ElementValue::Kind::Boolean &&
               scope->solver.implies(branch.getPredicate()) != Verdict::Unknown)
        outside = ElementValue::getBoolean(scope->solver.implies(branch.getPredicate()) == Verdict::Yes);
      element = branchIndex == 0 ? outside : joinElement(op, element, outside);
    }
  }
  setElements(result, std::move(elements));
}

void ShapeAnalysis::joinBounds(IfOp op, OpResult result) {
  auto [thenScope, elseScope] = branches[op];
  auto type = dyn_cast<TensorType>(result.getType());
  if (!thenScope || !elseScope || !type || !isa<IntegerType>(type.getElementType()))
    return;
  SmallVector<Expr, 2> lower, upper;
  for (auto [scope, region] : llvm::zip(branches[op], op->getRegions())) {
    const Knowledge *known = find(*scope, region.front().getTerminator()->getOperand(result.getResultNumber()));
    if (!known)
      return;
    bool isOne = known->elements && known->elements->size() == 1 && known->elements->front().isInteger();
    Expr element = isOne ? known->elements->front().integer : Expr();
    lower.push_back(getOutside(*scope, element ? element : known->bounds.lower));
    upper.push_back(getOutside(*scope, element ? element : known->bounds.upper));
  }
  setBounds(result, {min(lower), max(upper)});
}

static bool isEmptySequence(Value value, const std::optional<Dims> &dims) {
  return isa<SequenceType>(value.getType()) && dims && dims->size() == 1 && dims->front() &&
         dims->front().isConstant(0);
}

LogicalResult ShapeAnalysis::conclude(IfOp op, bool settles) {
  std::array<Scope *, 2> regions = branches[op];
  llvm::DenseMap<std::pair<Expr, Expr>, Expr> joined; ///< the size behind the branches, by the sizes in both
  for (OpResult result : op->getResults()) {
    unsigned index = result.getResultNumber();
    SmallVector<std::optional<Dims>, 2> yielded;
    for (auto [scope, region] : llvm::zip(regions, op->getRegions()))
      if (scope) {
        const Knowledge *known = find(*scope, region.front().getTerminator()->getOperand(index));
        yielded.push_back(known ? known->dims : std::nullopt);
      }
    // Of tensors in an empty sequence all is true that is true of those in the other.
    for (unsigned branch = 0; yielded.size() == 2 && branch < 2; ++branch)
      if (const std::optional<Dims> &other = yielded[1 - branch]; other && isEmptySequence(result, yielded[branch]))
        for (Expr dim : ArrayRef(*other).drop_front())
          yielded[branch]->push_back(getOutside(*regions[1 - branch], dim));
    if (!yielded.front() || !yielded.back() || yielded.front()->size() != yielded.back()->size())
      continue;
    Dims dims;
    for (auto [dim, first, last] : llvm::enumerate(*yielded.front(), *yielded.back())) {
      bool needsSymbol = settles && isOpen(result, dim) && isOneSize(result, dim);
      if (regions[0] && regions[1]) {
        Expr size = first && last ? joined.lookup({first, last}) : Expr();
        if (!size)
          size = joinDims(op, result, dim, first, last, needsSymbol);
        if (first && last)
          joined[{first, last}] = size;
        dims.push_back(size);
      } else {
        dims.push_back(getOutside(*(regions[0] ? regions[0] : regions[1]), first));
      }
      if (!dims.back() && needsSymbol) {
        Scope &taken = *(regions[0] ? regions[0] : regions[1]);
        if (!first || !takenBranches.contains(op))
          dims.back() =
              first ? getRegionSymbol(op, result, dim, "u", describeSize(taken.solver, first), describeUnguarded(first))
                    : getRegionSymbol(op, result, dim, "u", SymbolFacts());
        else if (adoptSymbols(taken); failed(adoptGuards(taken)))
          return failure();
        else
          dims.back() = first;
      }
    }
    if (failed(setDims(result, dims)))
      return failure();
    joinElements(op, result);
    joinBounds(op, result);
  }
  return success();
}

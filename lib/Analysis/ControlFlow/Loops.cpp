//===- Sizes behind loops ---------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A carried dim is taken to be the same in each trip, and to change freely where
// that is not proved; this ends, as each step takes one more dim to change. Of those
// that change by the same step in each trip, the size is a line over the trip's
// number.
//
//===----------------------------------------------------------------------===//

#include "../Relations/Relations.h"
#include "ControlOperands.h"
#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Symbolic/Scopes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;
using Origin = SymbolDeclaration::Origin;

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// The symbol of the number of the trip, from 0; those that an earlier analysis declared are found again.
static Expr getTripNumber(LoopOp op, SymbolicContext &context, Expr &symbol) {
  if (!symbol)
    symbol = op.getCounting() ? context.getSymbol(*op.getCounting()) : context.createSymbol("i");
  return symbol;
}

ShapeAnalysis::Scope *ShapeAnalysis::relateBody(LoopOp op, const LoopFacts &facts) {
  return relateBlock(op.getBody().front(), [&](Scope &inner) {
    Expr trip = getTripNumber(op, context, tripSymbols[op]);
    if (!findDeclaration(trip)) {
      SymbolDeclaration declaration;
      declaration.name = trip.getSymbolName().str();
      declaration.origin = Origin::Bound;
      addDeclaration(trip, std::move(declaration));
    }
    inner.ownSymbols.insert(trip);
    if (!inner.solver.declare(trip, SymbolFacts(), SymbolClass::DataDependent,
                              inner.solver.addReason({"number of a trip", "", 0})))
      return false;
    // Of a body that is never run, what it would give says the dims of empty stacks.
    if (facts.limit && !facts.limit.isConstant(0) &&
        failed(addFact(Predicate::less(trip, facts.limit), "number of trips", op.getLoc())))
      return false;
    auto setElement = [&](Value value, ElementValue element) {
      inner.knowledge[value].elements = ElementValues(1, std::move(element));
    };
    setElement(op.getIteration(), ElementValue::getInteger(trip));
    setElement(op.getStillRunning(), ElementValue::getBoolean(true));
    for (auto [argument, counter] : llvm::zip_equal(op.getCarried(), facts.counters)) {
      if (!counter.step)
        continue;
      Expr value = counter.initial + counter.step * trip;
      setElement(argument, ElementValue::getInteger(value));
      if (!counter.exactLimit && counter.step.isConstant(0))
        continue;
      Range range = counter.exactLimit ? Range{-*counter.exactLimit, *counter.exactLimit}
                                       : getElementRange(cast<IntegerType>(getElementTypeOrSelf(argument)));
      // The type that the next one is computed in holds both; requireExact and mayWrap see to it.
      for (Expr held : {value, value + counter.step}) {
        if (!held)
          continue;
        for (const Predicate &bound : relations::getComparisons(held, range))
          if (failed(addFact(bound, "a counter that its type holds", op.getLoc())))
            return false;
      }
    }
    // What a trip hands on as it is has the elements that it begins with.
    for (auto [initial, argument, next] : llvm::zip_equal(op.getInitial(), op.getCarried(), op.getNext()))
      if (std::optional<ElementValues> elements = next == argument ? getElements(initial) : std::nullopt)
        inner.knowledge[argument].elements = std::move(*elements);
    for (auto [index, argument, carried] : llvm::enumerate(op.getCarried(), facts.carried)) {
      if (!carried)
        continue;
      Dims dims;
      for (auto [dim, size] : llvm::enumerate(carried->inTrip)) {
        // A size that changes in an unknown way is a symbol of the region.
        bool needsSymbol = !size && isOneSize(argument, dim);
        dims.push_back(needsSymbol ? getRegionSymbol(op, argument, dim, "c", SymbolFacts()) : size);
      }
      Knowledge &known = inner.knowledge[argument];
      known.dims = std::move(dims);
      known.isComputed = llvm::SmallBitVector(known.dims->size());
    }
    for (auto [sliced, slice] : llvm::zip_equal(op.getSliced(), op.getSlices()))
      if (std::optional<Dims> dims = getDims(sliced); dims && !dims->empty())
        if (failed(setDims(slice, ArrayRef(*dims).drop_front())))
          return false;
    return true;
  });
}

/// A sequence that begins without tensors has what the first trip puts into it, until the next one is looked at.
static bool fillEmpty(Value argument, Dims &initial, ArrayRef<Expr> next) {
  bool isEmpty =
      isa<SequenceType>(argument.getType()) && initial.size() == 1 && initial.front() && initial.front().isConstant(0);
  if (isEmpty)
    llvm::append_range(initial, next.drop_front());
  return isEmpty;
}

/// Drops what the body contradicts; whether there was anything.
bool ShapeAnalysis::weakenCarried(LoopOp op, LoopFacts &facts) {
  bool changed = false;
  for (auto [argument, carried, next] : llvm::zip(op.getCarried(), facts.carried, op.getNext())) {
    if (!carried)
      continue;
    const Knowledge *known = find(*facts.body, next);
    if (!known || !known->dims || known->dims->size() != carried->inTrip.size()) {
      if (known && known->dims) {
        Dims outside = llvm::map_to_vector(*known->dims, [&](Expr dim) { return getOutside(*facts.body, dim); });
        if (fillEmpty(argument, carried->initial, outside)) {
          carried->inTrip = carried->initial;
          carried->step.assign(carried->initial.size(), getConstant(0));
          changed = true;
          continue;
        }
      }
      carried.reset();
      changed = true;
      continue;
    }
    for (auto [size, after] : llvm::zip_equal(carried->inTrip, *known->dims)) {
      if (!size || (after && facts.body->solver.isEqual(size, after) == Verdict::Yes))
        continue;
      size = Expr();
      changed = true;
    }
  }
  return changed;
}

void ShapeAnalysis::findCarried(LoopOp op, LoopFacts &facts) {
  for (Value value : op.getInitial()) {
    std::optional<LoopFacts::Carried> &carried = facts.carried.emplace_back();
    if (std::optional<Dims> dims = getDims(value)) {
      carried.emplace();
      carried->initial = carried->inTrip = *dims;
      carried->step.assign(dims->size(), getConstant(0));
    }
  }
  while (true) {
    facts.body = relateBody(op, facts);
    if (facts.body) {
      if (!weakenCarried(op, facts))
        return;
      continue;
    }
    // The body may contradict what was assumed, and not itself.
    bool assumed = false;
    for (std::optional<LoopFacts::Carried> &carried : facts.carried)
      if (carried)
        for (Expr &size : carried->inTrip) {
          assumed |= bool(size);
          size = Expr();
        }
    if (!assumed)
      return;
  }
}

/// Finds sizes that grow or shrink by the same step in each trip.
void ShapeAnalysis::findSteps(LoopOp op, LoopFacts &facts, bool mayGuess) {
  if (!facts.body)
    return;
  LoopFacts lines = facts;
  bool isAny = false, isGuessed = false;
  Expr trip = tripSymbols[op];
  for (auto [index, carried] : llvm::enumerate(lines.carried)) {
    if (!carried)
      continue;
    const Dims &next = *find(*facts.body, op.getNext()[index])->dims;
    for (unsigned dim = 0; dim < next.size(); ++dim) {
      if (carried->inTrip[dim])
        continue;
      facts.carried[index]->step[dim] = Expr();
      if (!isOneSize(op.getCarried()[index], dim)) {
        carried->step[dim] = Expr();
        continue;
      }
      Expr symbol = regionSymbols.lookup({op, op.getCarried()[index], dim});
      CarriedSize size = widen(facts.body->solver, carried->initial[dim], symbol, next[dim], /*tripCount=*/{});
      // What is no smaller than at first stays so if each trip adds to it then.
      if (size.kind == CarriedSize::Widened && carried->initial[dim] && symbol) {
        Solver growing = facts.body->solver.fork();
        if (growing.addPredicate(Predicate::lessEqual(carried->initial[dim], symbol), growing.addReason({})))
          if (CarriedSize grown = widen(growing, carried->initial[dim], symbol, next[dim], /*tripCount=*/{});
              grown.kind != CarriedSize::Widened && growing.isLessEqual(getConstant(0), grown.step) == Verdict::Yes)
            size = grown;
      }
      Expr step = size.kind == CarriedSize::Widened ? Expr() : getOutside(*facts.body, size.step);
      // A step that depends on the size is tried as it is at first: `min(s, 1)` stays the same while s grows by it.
      if (Expr change = !step && mayGuess && symbol && next[dim] ? next[dim] - symbol : Expr();
          change && carried->initial[dim]) {
        step = getOutside(*facts.body, substitute(change, {{symbol.getNode(), carried->initial[dim]}}));
        isGuessed |= bool(step);
      }
      carried->step[dim] = step;
      if (step) {
        carried->inTrip[dim] = carried->initial[dim] + step * trip;
        isAny |= bool(carried->inTrip[dim]);
      }
    }
  }
  if (!isAny)
    return;
  lines.body = relateBody(op, lines);
  bool holds = lines.body;
  for (auto [carried, next] : llvm::zip(lines.carried, op.getNext())) {
    if (!holds || !carried)
      continue;
    const Knowledge *known = find(*lines.body, next);
    holds = known && known->dims && known->dims->size() == carried->step.size();
    for (unsigned dim = 0; holds && dim < carried->step.size(); ++dim) {
      Expr now = carried->inTrip[dim], step = carried->step[dim], after = (*known->dims)[dim];
      holds = !now || (after && lines.body->solver.isEqual(now + step, after) == Verdict::Yes);
    }
  }
  if (!holds) {
    facts.body = relateBody(op, facts);
    if (isGuessed)
      findSteps(op, facts, /*mayGuess=*/false);
    return;
  }
  // What is a line needs no symbol any more.
  for (auto [argument, carried] : llvm::zip(op.getCarried(), lines.carried))
    for (unsigned dim = 0; carried && dim < carried->inTrip.size(); ++dim)
      if (carried->inTrip[dim])
        symbolsOfRegions[op].remove(regionSymbols.lookup({op, argument, dim}));
  facts = lines;
}

void ShapeAnalysis::relateTrips(LoopOp op, std::optional<bool> starts, LoopFacts &facts) {
  // Each look at the body is dear, and dearer where any number of trips is possible.
  if (starts != false)
    limitByCondition(op, starts, facts);
  if (!facts.carried.empty())
    return;
  findCarried(op, facts);
  findSteps(op, facts);
  facts.runsToLimit = starts == false;
  if (!facts.body || starts == false)
    return;
  std::optional<bool> goesOn;
  {
    llvm::SaveAndRestore inside(scope, facts.body);
    goesOn = getTruth(op.getNextCondition());
  }
  facts.runsToLimit = facts.areLimitsKnown && starts == true && goesOn == true;
  if (goesOn != true)
    limitByCondition(op, starts, facts);
}

LogicalResult ShapeAnalysis::relateLoop(LoopOp op) {
  if (failed(requireOneElement(*this, op.getTripCount(), "the number of trips")) ||
      failed(requireOneElement(*this, op.getCondition(), "the condition")))
    return failure();
  LoopFacts facts;
  if (op.getTripCount()) {
    Expr count = getScalar(op.getTripCount());
    if (!count)
      facts.areLimitsKnown = false;
    else if (count.getConstant() != INT64_MAX)
      facts.limit = max({count, getConstant(0)});
  }
  Expr length;
  for (Value sliced : op.getSliced()) {
    std::optional<Dims> dims = getDims(sliced);
    if (!dims || dims->empty() || !dims->front())
      continue;
    if (failed(requireEqual(length, dims->front(), "lengths of what a loop slices", ReasonPlace::Alone)))
      return failure();
    length = dims->front();
  }
  if (length)
    facts.limit = facts.limit ? min({facts.limit, length}) : length;
  else
    facts.areLimitsKnown &= op.getSliced().empty();
  if (facts.limit)
    if (Expr simple = scope->solver.simplify(facts.limit))
      facts.limit = simple;
  std::optional<bool> starts = op.getCondition() ? getTruth(op.getCondition()) : true;
  if (starts == false)
    facts.limit = getConstant(0);
  findCounters(op, facts);
  relateCounted(op, starts, facts);
  std::optional<Predicate> unless;
  if (facts.limit)
    unless = Predicate::lessEqual(facts.limit, getConstant(0));
  if (facts.body && starts != false && failed(adoptGuardsOfAllRuns(*facts.body, unless)))
    return failure();
  loops[op] = std::move(facts);
  return conclude(op, /*settles=*/false);
}

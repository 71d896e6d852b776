//===- What loops give ------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Of dims that change by the same step in each trip, the last trip tells the size.
// What nothing tells is a symbol of the loop, once all else has been tried.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/ShapeAnalysis.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Symbolic/Scopes.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

bool ShapeAnalysis::isOneSize(Value value, unsigned dim) {
  return isa<TensorType>(value.getType()) || (dim == 0 && isa<SequenceType>(value.getType()));
}

Expr ShapeAnalysis::getTripCount(LoopOp op, const LoopFacts &facts, bool settles) {
  // No trip ends well in a body that contradicts itself.
  if (!facts.body)
    return getConstant(0);
  if (facts.runsToLimit && facts.limit)
    return facts.limit;
  if (!settles)
    return {};
  SymbolFacts range, declared;
  if (facts.limit) {
    range.range.upper = scope->solver.getRange(facts.limit).upper;
    declared.range.upper = describeUnguarded(facts.limit).range.upper;
  }
  Expr count = getRegionSymbol(op, Value(), 0, "t", range, declared);
  if (facts.limit) {
    (void)addFact(Predicate::lessEqual(count, facts.limit), "most trips", op.getLoc());
    sizeLimits[count] = {{}, facts.limit};
  }
  return count;
}

std::optional<int64_t> ShapeAnalysis::getKnownTrips(LoopOp op) const {
  auto known = loops.find(op);
  if (known == loops.end() || !known->second.runsToLimit || !known->second.limit)
    return std::nullopt;
  return known->second.limit.getConstant();
}

std::optional<CountedLoop> ShapeAnalysis::findCounted(LoopOp op) {
  auto known = loops.find(op);
  if (known == loops.end() || !known->second.runsToLimit || !known->second.limit || !known->second.body)
    return std::nullopt;
  CountedLoop counted{known->second.limit, known->second.body->guards};
  auto isKnownBefore = [&](const ShapeGuard &need) { return areKnownAtEntry(need.predicate.getSymbols()); };
  if (!areKnownAtEntry(counted.trips) || !llvm::all_of(counted.needs, isKnownBefore))
    return std::nullopt;
  return counted;
}

void ShapeAnalysis::askInside(LoopOp op, llvm::function_ref<void()> ask) {
  auto known = loops.find(op);
  if (known == loops.end() || !known->second.body)
    return;
  llvm::SaveAndRestore inside(scope, known->second.body);
  ask();
}

LogicalResult ShapeAnalysis::concludeCarried(LoopOp op, unsigned index, Expr trips, bool settles) {
  LoopFacts &facts = loops[op];
  const std::optional<LoopFacts::Carried> &carried = facts.carried[index];
  OpResult result = op.getFinal()[index];
  if (!carried)
    return success();
  const Knowledge *next = facts.body ? find(*facts.body, op.getNext()[index]) : nullptr;
  Dims dims;
  for (unsigned dim = 0; dim < carried->initial.size(); ++dim) {
    Expr initial = carried->initial[dim], step = carried->step[dim], size;
    if (!facts.body || (step && step.isConstant(0)))
      size = initial;
    else if (step && trips && initial)
      size = initial + step * trips;
    if (!size && settles && isOpen(result, dim) && isOneSize(result, dim)) {
      SymbolFacts sizes, declared;
      Expr after = next && next->dims ? (*next->dims)[dim] : Expr();
      if (initial && after) {
        sizes = joinFacts(describeSize(scope->solver, initial), describeSize(facts.body->solver, after));
        declared = describeUnguarded({initial, after});
      }
      size = getRegionSymbol(op, result, dim, "u", sizes, declared);
    }
    dims.push_back(size);
  }
  if (failed(setDims(result, dims)))
    return failure();
  concludeElements(op, index, trips);
  return success();
}

void ShapeAnalysis::concludeElements(LoopOp op, unsigned index, Expr trips) {
  LoopFacts &facts = loops[op];
  Value initial = op.getInitial()[index];
  OpResult result = op.getFinal()[index];
  if (!facts.body || op.getNext()[index] == op.getCarried()[index]) {
    if (std::optional<ElementValues> elements = getElements(initial))
      setElements(result, std::move(*elements));
    return;
  }
  const LoopFacts::Counter &counter = facts.counters[index];
  Expr last = counter.step && trips ? counter.initial + counter.step * trips : Expr();
  if (last)
    setElements(result, ElementValues(1, ElementValue::getInteger(last)));
}

LogicalResult ShapeAnalysis::concludeStack(LoopOp op, unsigned index, Expr trips, bool settles) {
  LoopFacts &facts = loops[op];
  OpResult result = op.getStacks()[index];
  const Knowledge *part = facts.body ? find(*facts.body, op.getStacked()[index]) : nullptr;
  if (!part || !part->dims)
    return success();
  Dims dims = {trips};
  for (Expr inside : *part->dims) {
    Expr size = getOutside(*facts.body, inside);
    // Where there is no trip, nobody has seen to it that the size is one.
    if (size && scope->solver.isLessEqual(getConstant(0), size) != Verdict::Yes)
      size = max({size, getConstant(0)});
    unsigned dim = dims.size();
    if (!size && settles && isOpen(result, dim)) {
      SymbolFacts sizes = inside ? describeSize(facts.body->solver, inside) : SymbolFacts();
      sizes = joinFacts(sizes, describeSize(scope->solver, getConstant(0)));
      size = getRegionSymbol(op, result, dim, "u", sizes,
                             inside ? describeUnguarded({inside, getConstant(0)}) : SymbolFacts());
    }
    dims.push_back(size);
  }
  return setDims(result, dims);
}

LogicalResult ShapeAnalysis::conclude(LoopOp op, bool settles) {
  Expr trips = getTripCount(op, loops[op], settles);
  for (unsigned index = 0; index < op.getInitial().size(); ++index)
    if (failed(concludeCarried(op, index, trips, settles)))
      return failure();
  for (unsigned index = 0; index < op.getStacks().size(); ++index)
    if (failed(concludeStack(op, index, trips, settles)))
      return failure();
  return success();
}

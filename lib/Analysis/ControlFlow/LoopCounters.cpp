//===- Loops that count ----------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A carried integer to which each trip adds the same is a line over the trip's
// number.
//
// A counter that each trip casts to floats and back, as PaddlePaddle's exporters
// count, is a line as long as the floats hold it. The body is analysed as if they do,
// and this is required of the last trip: each is one that the ones before it, in
// which they did, let start.
//
//===----------------------------------------------------------------------===//

#include "LoopCounters.h"
#include "../Relations/Relations.h"
#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Analysis/ShapeAnalysis.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

Expr dyn::getInvariant(Value value, ShapeRelations &relations) {
  DenseIntElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.getNumElements() == 1)
    return relations.getConstant((*constant.begin()).getSExtValue());
  // Nothing is known yet of values of the body.
  return relations.getScalar(value);
}

/// What a trip adds to a carried integer; null where that is not known before the loop.
static Expr findStep(BlockArgument argument, Value next, ShapeRelations &relations) {
  if (next == argument)
    return relations.getConstant(0);
  if (auto sum = next.getDefiningOp<AddOp>()) {
    if (sum.getLhs() == argument)
      return getInvariant(sum.getRhs(), relations);
    return sum.getRhs() == argument ? getInvariant(sum.getLhs(), relations) : Expr();
  }
  if (auto difference = next.getDefiningOp<SubOp>(); difference && difference.getLhs() == argument)
    if (Expr step = getInvariant(difference.getRhs(), relations))
      return -step;
  return {};
}

/// The whole number, of a magnitude up to `limit`, that a value is in each trip; nothing where it is none, or not
/// known.
static std::optional<int64_t> getWholeNumber(Value value, int64_t limit, ShapeRelations &relations) {
  ElementValue number;
  DenseFPElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.getNumElements() == 1) {
    APFloat held = *constant.begin();
    bool losesInfo;
    held.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    number = ElementValue::getNumber(held.convertToDouble());
  } else if (std::optional<ElementValues> elements = relations.getElements(value); elements && elements->size() == 1) {
    number = elements->front();
  }
  Expr whole = relations::getWhole(number, limit, relations);
  std::optional<int64_t> integer = whole ? whole.getConstant() : std::nullopt;
  return integer && std::abs(*integer) <= limit ? integer : std::nullopt;
}

/// What floats add to a carried integer that they are cast from; nothing where that is no known number.
static std::optional<int64_t> findFloatStep(BlockArgument argument, Value sum, int64_t limit,
                                            ShapeRelations &relations) {
  if (auto cast = sum.getDefiningOp<CastOp>())
    return cast.getOperand() == argument ? std::optional<int64_t>(0) : std::nullopt;
  Operation *op = sum.getDefiningOp();
  if (!isa_and_nonnull<AddOp, SubOp, MulOp>(op))
    return std::nullopt;
  // The number stands on the right, or on either side.
  for (unsigned side : {1, 0}) {
    std::optional<int64_t> number = getWholeNumber(op->getOperand(side), limit, relations);
    if (!number || (side == 0 && isa<SubOp>(op)))
      continue;
    std::optional<int64_t> before = findFloatStep(argument, op->getOperand(1 - side), limit, relations);
    if (isa<MulOp>(op))
      return number == 1 ? before : std::nullopt;
    // With several sums, the floats might not hold those in between.
    if (before != 0)
      return std::nullopt;
    return isa<SubOp>(op) ? -*number : number;
  }
  return std::nullopt;
}

void ShapeAnalysis::findCounters(LoopOp op, LoopFacts &facts) {
  for (auto [initial, argument, next] : llvm::zip_equal(op.getInitial(), op.getCarried(), op.getNext())) {
    LoopFacts::Counter &counter = facts.counters.emplace_back();
    auto type = dyn_cast<TensorType>(initial.getType());
    if (!type || !(type.getElementType().isSignlessInteger(32) || type.getElementType().isSignlessInteger(64)))
      continue;
    counter.initial = getScalar(initial);
    counter.step = counter.initial ? findStep(argument, next, *this) : Expr();
    auto cast = next.getDefiningOp<CastOp>();
    if (!cast || !counter.initial)
      continue;
    std::optional<int64_t> limit = relations::getExactLimit(getElementTypeOrSelf(cast.getOperand()));
    if (std::optional<int64_t> step =
            limit ? findFloatStep(argument, cast.getOperand(), *limit, *this) : std::nullopt) {
      counter.step = getConstant(*step);
      // Of 32 bits it does not wrap around below that either.
      counter.exactLimit = std::min(*limit, llvm::maxIntN(type.getElementType().getIntOrFloatBitWidth()));
    }
  }
}

bool ShapeAnalysis::mayWrap(LoopOp op, const LoopFacts &facts, unsigned width) {
  for (auto [initial, counter] : llvm::zip_equal(op.getInitial(), facts.counters)) {
    // What floats are required to hold does not wrap around either.
    if (!counter.step || counter.step.isConstant(0) || counter.exactLimit ||
        !getElementTypeOrSelf(initial).isInteger(width))
      continue;
    // Of symbols it is taken for granted that 64 bits hold what is computed from them.
    Expr last = counter.initial + counter.step * facts.limit;
    Range held = getElementRange(cast<IntegerType>(getElementTypeOrSelf(initial)));
    if (relations::isWithin(last, held, *this) != Verdict::Yes)
      return true;
  }
  return false;
}

bool ShapeAnalysis::requireExact(const LoopFacts &facts) {
  SmallVector<Predicate> open;
  for (const LoopFacts::Counter &counter : facts.counters) {
    if (!counter.exactLimit)
      continue;
    // A line is nowhere farther from 0 than at one of its ends.
    for (Expr value : {counter.initial, counter.initial + counter.step * facts.limit}) {
      if (!value)
        return false;
      for (const Predicate &bound : relations::getComparisons(value, {-*counter.exactLimit, *counter.exactLimit})) {
        Verdict verdict = scope->solver.implies(bound);
        if (verdict == Verdict::Yes)
          continue;
        // Of a loop that not every run comes to, nothing is asked of all of them.
        if (verdict == Verdict::No || scope->parent || !areKnownAtEntry(value))
          return false;
        open.push_back(bound);
      }
    }
  }
  return llvm::all_of(open, [&](const Predicate &bound) {
    return succeeded(require(bound, "a counter of floats", ReasonPlace::Alone));
  });
}

void ShapeAnalysis::relateCounted(LoopOp op, std::optional<bool> starts, LoopFacts &facts) {
  const LoopFacts before = facts;
  bool usesNarrow = true, usesFloats = false;
  auto relate = [&] {
    facts = before;
    for (auto [initial, counter] : llvm::zip_equal(op.getInitial(), facts.counters))
      if (counter.exactLimit ? !usesFloats : !usesNarrow && getElementTypeOrSelf(initial).isInteger(32))
        counter = {};
    relateTrips(op, starts, facts);
  };
  relate();
  // Elements of 32 bits would be required not to wrap around: a loop may do that.
  if (mayWrap(op, facts, 32)) {
    usesNarrow = false;
    relate();
  }
  // Sizes for which floats come to a number from which nothing moves them are refused: a loop that nothing else ends
  // would run forever there.
  usesFloats = !before.limit &&
               llvm::any_of(before.counters, [](const auto &counter) { return counter.exactLimit.has_value(); });
  if (!usesFloats || facts.runsToLimit)
    return;
  relate();
  if (!facts.runsToLimit || !requireExact(facts)) {
    usesFloats = false;
    relate();
  }
}

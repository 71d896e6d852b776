//===- Questions about orders along facts -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Differences/Walk.h"
#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Maxima of which a question may try each operand, and the effort for ranges.
static constexpr unsigned expansionsOfQuestion = 32, fuelOfQuestion = 1000;

/// Of one range.
static constexpr unsigned fuelOfRange = 500;

/// Of terms that cancel each other, by what atoms mean.
Interval DifferenceGraph::getRange(Terms terms) {
  context.spend(terms.size());
  Interval sum = getSum(terms);
  if (sum.hasLower() || terms.size() < 2 || context.fuel == 0 ||
      llvm::all_of(getAtoms(terms), [](const Atom *atom) { return atom->isSymbol(); }))
    return sum;
  findRanges(terms);
  prover.forget();
  SymbolicContext::Impl::FuelSlice slice(context, fuelOfRange);
  return prover.getRange(terms, /*usesInequalities=*/false);
}

void DifferenceGraph::useBounds(Terms terms) {
  if (!used)
    return;
  for (const Term &term : terms)
    for (Expr symbol : context.getExpr(Term{term.monomial, 1}).getSymbols())
      if (const SymbolBounds *known = bounds.find(getSymbolAtom(symbol)))
        for (FactId fact : {known->lowerFact, known->upperFact})
          if (fact != noFact)
            used->push_back(fact);
}

bool DifferenceGraph::ask(const Predicate &predicate, bool truth, llvm::SmallVectorImpl<FactId> *usedFacts) {
  if (edges.empty())
    return false;
  context.refuel(fuelOfQuestion);
  used = usedFacts;
  looks = looksOfQuestion;
  expansions = expansionsOfQuestion;
  bool result = holds(predicate, truth);
  if (used) {
    llvm::sort(*used);
    used->erase(llvm::unique(*used), used->end());
  }
  return result;
}

void DifferenceGraph::startQuestion() {
  ++questions;
  ends.clear();
  gaps.clear();
}

Verdict DifferenceGraph::decide(const Predicate &question, llvm::SmallVectorImpl<FactId> *usedFacts) {
  startQuestion();
  return ask(question, true, usedFacts)    ? Verdict::Yes
         : ask(question, false, usedFacts) ? Verdict::No
                                           : Verdict::Unknown;
}

bool DifferenceGraph::refutes(const Predicate &predicate, llvm::SmallVectorImpl<FactId> *usedFacts) {
  startQuestion();
  return ask(predicate, false, usedFacts);
}

Interval DifferenceGraph::getBounds(Expr expr) {
  Interval result;
  startQuestion();
  for (bool isUpper : {false, true}) {
    context.refuel(fuelOfQuestion);
    used = nullptr;
    looks = looksOfQuestion;
    expansions = expansionsOfQuestion;
    Expr side = isUpper ? builder.scale(expr, -1) : expr;
    std::optional<int64_t> least = side ? getLeastFromEnds(getTerms(side)) : std::nullopt;
    if (least && isUpper)
      result.upper = checkedSub(0, *least).value_or(Interval::plusInfinity);
    else if (least)
      result.lower = *least;
  }
  return result;
}

bool DifferenceGraph::holds(const Predicate &predicate, bool truth) {
  using Kind = Predicate::Kind;
  switch (predicate.kind) {
  case Kind::True:
  case Kind::False:
    return truth == (predicate.kind == Kind::True);
  case Kind::Not:
    return holds(predicate.operands.front(), !truth);
  case Kind::And:
  case Kind::Or: {
    auto holdsToo = [&](const Predicate &operand) { return holds(operand, truth); };
    return truth == (predicate.kind == Kind::And) ? llvm::all_of(predicate.operands, holdsToo)
                                                  : llvm::any_of(predicate.operands, holdsToo);
  }
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::LessEqual:
  case Kind::Less:
    break;
  }
  auto [kind, difference] = compareToZero(builder, predicate, truth);
  if (kind == Knowledge::Task::NonNegative)
    return isNonNegative(difference);
  Expr negated = builder.scale(difference, -1);
  if (kind == Knowledge::Task::Zero)
    return isNonNegative(difference) && isNonNegative(negated);
  Expr minusOne = context.getConstant(-1);
  return isNonNegative(builder.add(difference, minusOne)) || isNonNegative(builder.add(negated, minusOne));
}

/// rule replace-max: R - x >= 0 and R - y >= 0 |- R - max(x, y) >= 0
/// rule choose-of-max: R + x >= 0 |- R + max(x, y) >= 0
bool DifferenceGraph::isNonNegative(Expr expr) {
  if (!expr || looks == 0 || context.fuel == 0)
    return false;
  --looks;
  Terms terms = getTerms(expr);
  context.spend(1 + terms.size());
  if (getRange(terms).lower >= 0) {
    useBounds(terms);
    return true;
  }
  size_t usedBefore = used ? used->size() : 0;
  if (followsFromPair(terms) || followsFromEnds(terms))
    return true;
  auto replace = [&](const Term &term, Expr operand) {
    Expr rest = builder.subtract(expr, context.getExpr(term));
    return isNonNegative(builder.add(rest, builder.scale(operand, term.coefficient)));
  };
  for (const Term &term : terms) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || atom->kind != AtomKind::Max || expansions == 0)
      continue;
    --expansions;
    auto holdsFor = [&](Expr operand) { return replace(term, operand); };
    if (term.coefficient < 0 ? llvm::all_of(atom->operands, holdsFor) : llvm::any_of(atom->operands, holdsFor))
      return true;
    break;
  }
  if (used)
    used->truncate(usedBefore);
  return false;
}

/// c*(x - y) + R >= 0 where x - y is large enough.
bool DifferenceGraph::followsFromPair(Terms terms) {
  for (const Term &upper : dropConstant(terms))
    for (const Term &lower : dropConstant(terms)) {
      const unsigned *from = places.find(lower.monomial), *to = places.find(upper.monomial);
      if (!from || !to)
        continue;
      if (context.fuel == 0)
        return false;
      std::optional<int64_t> factor = getCommonFactor(upper, lower);
      if (!factor)
        continue;
      MaybePoly rest = combine(terms, 1, getPartialDifference(upper.monomial, lower.monomial, *factor), -1);
      Interval range = rest ? getRange(*rest) : Interval();
      if (!range.hasLower() || range.lower == Interval::plusInfinity)
        continue;
      int64_t least = *checkedCeilDiv(-range.lower, *factor);
      // Only facts that contradict each other could show that.
      Interval above = getRange(Term{upper.monomial, 1}), below = getRange(Term{lower.monomial, 1});
      if (above.hasUpper() && below.hasLower() && checkedSub(above.upper, below.lower).value_or(least) < least)
        continue;
      if (!isApart(*from, *to, least))
        continue;
      useBounds(*rest);
      return true;
    }
  return false;
}

int64_t DifferenceGraph::getLimitOfEnd(Interval range, Direction direction) const {
  if (direction == Down) {
    std::optional<int64_t> limit = longestWalk ? checkedAdd(largestLower, *longestWalk) : std::nullopt;
    return std::min(range.upper, limit.value_or(Interval::plusInfinity));
  }
  bool isLimited = longestWalk && smallestUpper != Interval::plusInfinity;
  std::optional<int64_t> limit = isLimited ? checkedSub(smallestUpper, *longestWalk) : std::nullopt;
  return std::max(range.lower, limit.value_or(Interval::minusInfinity));
}

/// Could facts that do not contradict each other make the terms at least 0 by where walks end?
bool DifferenceGraph::mayFollowFromEnds(Terms terms) {
  Interval sum{0, 0};
  for (const Term &term : terms) {
    if (term.coefficient < 0 && !hasUpper && !term.monomial->isOne())
      return false;
    Interval range = getRange(Term{term.monomial, 1});
    bool isNode = places.contains(term.monomial);
    // Nobody walks from what is no node.
    if (term.coefficient < 0 && !isNode && !range.hasUpper())
      return false;
    Direction direction = term.coefficient > 0 ? Down : Up;
    int64_t end = isNode ? getLimitOfEnd(range, direction) : direction == Down ? range.lower : range.upper;
    bool isFinite = end != Interval::minusInfinity && end != Interval::plusInfinity;
    sum = isFinite ? symbolic::add(sum, multiply({end, end}, {term.coefficient, term.coefficient})) : Interval();
  }
  return sum.upper >= 0;
}

bool DifferenceGraph::followsFromEnds(Terms terms) {
  if (!mayFollowFromEnds(terms))
    return false;
  size_t usedBefore = used ? used->size() : 0;
  if (getLeastFromEnds(terms).value_or(-1) >= 0)
    return true;
  if (used)
    used->truncate(usedBefore);
  return false;
}

std::optional<int64_t> DifferenceGraph::getLeastFromEnds(Terms terms) {
  Interval sum{0, 0};
  // Those that need an upper bound first, which fewer have.
  for (Direction direction : {Up, Down})
    for (const Term &term : terms) {
      if ((term.coefficient < 0) != (direction == Up) || !sum.hasLower())
        continue;
      std::optional<int64_t> end = term.monomial->isOne() ? 1 : getEnd(term.monomial, direction);
      sum = end ? symbolic::add(sum, multiply({*end, *end}, {term.coefficient, term.coefficient})) : Interval();
    }
  return sum.hasLower() ? std::optional(sum.lower) : std::nullopt;
}

/// rule walk: y - x >= a and z - y >= b |- z - x >= a + b
bool DifferenceGraph::isApart(unsigned lower, unsigned upper, int64_t least) {
  Gap &gap = gaps[{lower, upper}];
  bool isEnough = gap.distance && *gap.distance >= least;
  if (!used && (isEnough || gap.isLargest))
    return isEnough;
  // From both ends in turn, until both have come to the same node: what leads nowhere from one of them ends soon.
  Walk up(*this, lower, Up), down(*this, upper, Down);
  auto meetsAt = [&](unsigned node) {
    std::optional<int64_t> below = up.getDistance(node), above = down.getDistance(node);
    std::optional<int64_t> distance = below && above ? checkedAdd(*below, *above) : std::nullopt;
    if (!distance || *distance < least)
      return false;
    up.use(node);
    down.use(node);
    gap.distance = distance;
    return true;
  };
  while (true) {
    for (auto [walk, end] : {std::pair(&up, upper), std::pair(&down, lower)}) {
      size_t known = walk->getNodes().size();
      if (!walk->step()) {
        gap = {walk->getDistance(end), true};
        return false;
      }
      if (llvm::any_of(walk->getNodes().drop_front(known), meetsAt))
        return true;
    }
  }
}

std::optional<int64_t> DifferenceGraph::getEnd(const Monomial *monomial, Direction direction) {
  auto known = ends.find({monomial, direction});
  if (known != ends.end() && !used)
    return known->second;
  return ends[{monomial, direction}] = findEnd(monomial, direction);
}

std::optional<int64_t> DifferenceGraph::findEnd(const Monomial *monomial, Direction direction) {
  Term alone{monomial, 1};
  const unsigned *place = places.find(monomial);
  auto getBound = [&](Interval range) -> std::optional<int64_t> {
    if (direction == Up)
      return range.hasUpper() ? std::optional(range.upper) : std::nullopt;
    return range.hasLower() ? std::optional(range.lower) : std::nullopt;
  };
  if (!place) {
    useBounds(alone);
    return getBound(getRange(alone));
  }
  Walk walk(*this, *place, direction);
  while (walk.step())
    ;
  std::optional<int64_t> best;
  unsigned bestNode = 0;
  for (unsigned node : walk.getNodes()) {
    context.spend(1);
    std::optional<int64_t> bound = getBound(getNodeRange(node));
    int64_t distance = *walk.getDistance(node);
    bound = !bound ? bound : direction == Down ? checkedAdd(*bound, distance) : checkedSub(*bound, distance);
    if (bound && (!best || (direction == Down ? *bound > *best : *bound < *best)))
      best = bound, bestNode = node;
  }
  if (best) {
    walk.use(bestNode);
    useBounds(Term{nodes[bestNode].monomial, 1});
  }
  return best;
}

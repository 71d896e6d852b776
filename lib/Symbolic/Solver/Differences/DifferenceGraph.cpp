//===- Orders of sizes along any number of facts ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Differences/DifferenceGraph.h"
#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Maxima of a fact that it is put down for each operand of.
static constexpr unsigned expansionsOfFact = 4;

DifferenceGraph::DifferenceGraph(const DifferenceGraph &other)
    : context(other.context), prover(other.context, this), builder(other.context), nodes(other.nodes),
      edges(other.edges), places(other.places), bounds(other.bounds), changes(other.changes), hasUpper(other.hasUpper),
      largestLower(other.largestLower), smallestUpper(other.smallestUpper), longestWalk(other.longestWalk) {}

//===----------------------------------------------------------------------===//
// Bounds of symbols
//===----------------------------------------------------------------------===//

Interval DifferenceGraph::getSymbolRange(const Atom *symbol) const {
  const SymbolBounds *known = bounds.find(symbol);
  return known ? known->range : Interval{0, Interval::plusInfinity};
}

void DifferenceGraph::restrict(const Atom *symbol, Interval range, FactId fact) {
  range = withFiniteEnds(range);
  SymbolBounds &known = *bounds.try_emplace(symbol, SymbolBounds{{0, Interval::plusInfinity}}).first;
  // A fact, that a declaration does not take back.
  if (range.lower == known.range.lower && known.lowerFact == noFact)
    known.lowerFact = fact;
  if (range.lower <= known.range.lower && range.upper >= known.range.upper)
    return;
  if (range.lower > known.range.lower)
    known.range.lower = range.lower, known.lowerFact = fact;
  if (range.upper < known.range.upper)
    known.range.upper = range.upper, known.upperFact = fact;
  hasUpper |= known.range.hasUpper();
  largestLower = std::max(largestLower, known.range.lower);
  smallestUpper = std::min(smallestUpper, known.range.upper);
  ++changes;
  forgetRangesWith(symbol);
}

void DifferenceGraph::forgetRangesWith(const Atom *symbol) {
  for (auto known = atomRanges.begin(); known != atomRanges.end(); ++known)
    if ((known->first->symbolMask & symbol->symbolMask) != 0)
      atomRanges.erase(known);
}

std::optional<Interval> DifferenceGraph::getKnownRange(const Atom *atom) const {
  auto known = atomRanges.find(atom);
  return known == atomRanges.end() ? std::nullopt : std::optional(known->second);
}

/// With an effort of its own: it is known or not, which must not make a difference to the question at hand. Those of
/// the atoms inside of it come first, each with its own effort too, so that an atom has the same range whether it was
/// asked for by itself or as part of another.
Interval DifferenceGraph::getAtomRange(const Atom *atom) {
  if (atom->isSymbol())
    return getSymbolRange(atom);
  if (std::optional<Interval> known = getKnownRange(atom))
    return *known;
  for (Expr operand : atom->operands)
    findRanges(getTerms(operand));
  SymbolicContext::Impl::Unpaid unpaid(context);
  constexpr unsigned fuelOfAtom = 500;
  context.refuel(fuelOfAtom);
  prover.forget();
  return atomRanges[atom] = prover.getAtomRange(atom);
}

void DifferenceGraph::findRanges(Terms terms) {
  for (const Atom *atom : getAtomsInAnyOrder(terms))
    getAtomRange(atom);
}

Interval DifferenceGraph::getSum(Terms terms) {
  Interval sum{0, 0};
  for (const Term &term : terms) {
    Interval product{1, 1};
    for (const Power &factor : term.monomial->getPowers())
      product = multiply(product, power(getAtomRange(factor.atom), factor.exponent));
    sum = symbolic::add(sum, multiply(product, {term.coefficient, term.coefficient}));
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void DifferenceGraph::declare(const Atom *symbol, const SymbolFacts &facts, FactId fact) {
  Interval range{facts.range.lower.value_or(Interval::minusInfinity),
                 facts.range.upper.value_or(Interval::plusInfinity)};
  auto [known, isNew] = bounds.try_emplace(symbol);
  // That a symbol which is not declared is a size is a default, not a fact.
  if (isNew || (known->range.lower == 0 && known->lowerFact == noFact)) {
    known->range.lower = Interval::minusInfinity;
    ++changes;
    forgetRangesWith(symbol);
  }
  restrict(symbol, range, fact);
}

void DifferenceGraph::add(const Predicate &fact, FactId id) {
  using Kind = Predicate::Kind;
  if (fact.kind == Kind::And) {
    for (const Predicate &operand : fact.operands)
      add(operand, id);
    return;
  }
  bool truth = fact.kind != Kind::Not;
  const Predicate &comparison = truth ? fact : fact.operands.front();
  if (!comparison.operands.empty() || !comparison.lhs || !comparison.rhs)
    return;
  auto [kind, difference] = compareToZero(builder, comparison, truth);
  if (!difference || kind == Knowledge::Task::NonZero)
    return;
  expansions = expansionsOfFact;
  addNonNegative(difference, id);
  if (Expr negated = kind == Knowledge::Task::Zero ? builder.scale(difference, -1) : Expr())
    addNonNegative(negated, id);
  while (!meanings.empty()) {
    Expr meaning = meanings.back();
    meanings.pop_back();
    addPairs(meaning, noFact);
  }
  while (!products.empty()) {
    const Monomial *product = products.back();
    products.pop_back();
    addFactors(product);
  }
}

/// rule below-max: R - max(x, y) >= 0 |- R - x >= 0 and R - y >= 0
void DifferenceGraph::addNonNegative(Expr expr, FactId fact) {
  Terms terms = getTerms(expr), variable = dropConstant(terms);
  const Atom *atom = variable.size() == 1 ? variable[0].monomial->getAtom() : nullptr;
  if (!atom || !atom->isSymbol()) {
    addPairs(expr, fact);
    for (const Term &term : variable)
      if (const Atom *max = term.coefficient < 0 ? term.monomial->getAtom() : nullptr;
          max && max->kind == AtomKind::Max && expansions > 0) {
        --expansions;
        Expr rest = builder.subtract(expr, context.getExpr(term));
        for (Expr operand : max->operands)
          if (Expr replaced = builder.add(rest, builder.scale(operand, term.coefficient)))
            addNonNegative(replaced, fact);
      }
    return;
  }
  int64_t coefficient = variable[0].coefficient, constant = getConstantTerm(terms);
  std::optional<int64_t> end = checkedFloorDiv(constant, std::abs(coefficient));
  if (coefficient < 0 && end)
    restrict(atom, {Interval::minusInfinity, *end}, fact);
  else if (end && *end != INT64_MIN)
    restrict(atom, {-*end, Interval::plusInfinity}, fact);
}

std::optional<int64_t> DifferenceGraph::getCommonFactor(const Term &upper, const Term &lower) {
  if (upper.coefficient < 0 || lower.coefficient > 0)
    return std::nullopt;
  return std::min(upper.coefficient, -lower.coefficient);
}

Poly DifferenceGraph::getPartialDifference(const Monomial *upper, const Monomial *lower, int64_t factor) {
  Poly poly{{upper, factor}, {lower, -factor}};
  if (compare(upper, lower) > 0)
    std::swap(poly[0], poly[1]);
  return poly;
}

MaybePoly DifferenceGraph::getSlack(const Edge &edge) const {
  Poly difference = getPartialDifference(nodes[edge.upper].monomial, nodes[edge.lower].monomial, edge.factor);
  return combine(difference, 1, dropConstant(getTerms(edge.given)), -1);
}

/// Of each two terms with different signs, as far as their coefficients go; the rest has some bound, or none.
/// rule difference: c >= 1 and c*(x - y) + R >= 0 and R <= -l |- x - y >= ceildiv(l, c)
void DifferenceGraph::addPairs(Expr expr, FactId fact) {
  constexpr size_t maximalPairs = 16;
  Terms terms = getTerms(expr), variable = dropConstant(terms);
  size_t positive = llvm::count_if(variable, [](const Term &term) { return term.coefficient > 0; });
  if (positive * (variable.size() - positive) > maximalPairs)
    return;
  for (const Term &upper : variable)
    for (const Term &lower : variable) {
      std::optional<int64_t> least = checkedSub(0, getConstantTerm(terms));
      std::optional<int64_t> factor = getCommonFactor(upper, lower);
      if (!factor || !least)
        continue;
      Edge edge{getNode(lower.monomial), getNode(upper.monomial), *least, *factor, {}, fact, {}};
      if (variable.size() > 2 || upper.coefficient != -lower.coefficient)
        edge.given = expr;
      context.spend(2 * terms.size());
      addEdge(edge);
    }
}

void DifferenceGraph::addEdge(const Edge &edge) {
  auto index = static_cast<unsigned>(edges.size());
  std::optional<int64_t> difference = edge.given ? std::nullopt : checkedCeilDiv(edge.least, edge.factor);
  longestWalk = longestWalk && difference ? checkedAdd(*longestWalk, std::max<int64_t>(*difference, 0)) : std::nullopt;
  edges.push_back(edge);
  insertStep(nodes.get(edge.lower).up, {index, edge.upper, difference});
  insertStep(nodes.get(edge.upper).down, {index, edge.lower, difference});
}

bool DifferenceGraph::isBefore(const Step &a, const Step &b) const {
  // What needs no look at bounds first, and what leads farther.
  if (a.difference != b.difference)
    return a.difference && (!b.difference || *a.difference > *b.difference);
  if (a.node != b.node)
    return compare(nodes[a.node].monomial, nodes[b.node].monomial) < 0;
  const Edge &first = edges[a.edge], &second = edges[b.edge];
  if (first.given != second.given)
    return first.given && (!second.given || compare(first.given, second.given) < 0);
  return std::tuple(first.least, first.factor) < std::tuple(second.least, second.factor);
}

void DifferenceGraph::insertStep(llvm::SmallVectorImpl<Step> &steps, const Step &step) {
  steps.insert(llvm::upper_bound(steps, step, [&](const Step &a, const Step &b) { return isBefore(a, b); }), step);
  if (steps.size() > looksOfQuestion)
    steps.pop_back();
}

unsigned DifferenceGraph::getNode(const Monomial *monomial) {
  bool isNew = places.try_emplace(monomial, nodes.size()).second;
  if (isNew) {
    nodes.push_back({monomial, {}, {}, {}, UINT_MAX});
    limitEnds(monomial);
    if (const Atom *atom = monomial->getAtom(); atom && !atom->isSymbol())
      addMeaning(atom);
    if (monomial->degree > 1)
      products.push_back(monomial);
  }
  return places.lookup(monomial);
}

void DifferenceGraph::limitEnds(const Monomial *monomial) {
  const Atom *atom = monomial->getAtom();
  if (atom && atom->isSymbol())
    return;
  if (!atom || atom->kind != AtomKind::Max)
    longestWalk.reset();
  else
    for (Expr operand : atom->operands)
      if (std::optional<int64_t> constant = operand.getConstant())
        largestLower = std::max(largestLower, *constant);
      else if (!operand.isSymbol())
        longestWalk.reset();
}

/// rule operand-of-max: True |- max(x, y) - x >= 0
/// rule quotient-between: q >= 1 |- P - q*floordiv(P, q) >= 0 and q*floordiv(P, q) + q - 1 - P >= 0
void DifferenceGraph::addMeaning(const Atom *atom) {
  Expr self = context.getExpr(atom);
  if (atom->kind == AtomKind::Max)
    for (Expr operand : atom->operands)
      if (Expr meaning = builder.subtract(self, operand))
        meanings.push_back(meaning);
  std::optional<int64_t> divisor = atom->kind == AtomKind::FloorDiv ? atom->operands[1].getConstant() : std::nullopt;
  if (!divisor || *divisor < 1)
    return;
  Expr product = builder.scale(self, *divisor);
  Expr most = builder.add(product, context.getConstant(*divisor - 1));
  for (Expr meaning : {builder.subtract(atom->operands[0], product), builder.subtract(most, atom->operands[0])})
    if (meaning)
      meanings.push_back(meaning);
}

/// A product is at least as large as what is left without one of its factors, as far as bounds tell when it is walked.
void DifferenceGraph::addFactors(const Monomial *product) {
  constexpr uint32_t maximalDegree = 3;
  if (product->degree > maximalDegree)
    return;
  for (const Power &power : product->getPowers()) {
    const Monomial *rest = divide(context, product, context.getMonomial(power.atom));
    context.spend(4);
    unsigned lower = getNode(rest), upper = getNode(product);
    addEdge({lower, upper, 0, 1, context.getConstant(0), noFact, {}, UINT_MAX, power.atom});
  }
}

/// rule product-grows: 0 <= l <= x and 1 <= k <= y |- x*y - x >= l*(k - 1)
std::optional<int64_t> DifferenceGraph::getGrowth(const Edge &edge) {
  Interval rest = getSum(Term{nodes[edge.lower].monomial, 1}), factor = getAtomRange(edge.added);
  if (rest.lower < 0 || factor.lower < 1)
    return std::nullopt;
  return checkedMul(rest.lower, factor.lower - 1);
}

std::optional<int64_t> DifferenceGraph::getDifference(unsigned place) {
  const Edge &known = edges[place];
  if (!known.given)
    return checkedCeilDiv(known.least, known.factor);
  // What it takes to compute it is part of the question, also where another one has: no other makes a difference.
  constexpr unsigned looksOfDifference = 3;
  chargedTo.resize(edges.size());
  if (std::exchange(chargedTo[place], questions) != questions)
    looks -= std::min(looks, looksOfDifference);
  if (known.knownAt == changes)
    return known.difference;
  std::optional<int64_t> difference;
  if (known.added) {
    difference = getGrowth(known);
  } else {
    MaybePoly slack = getSlack(known);
    Interval range = slack ? getSum(*slack) : Interval();
    std::optional<int64_t> least = range.hasLower() ? checkedAdd(range.lower, known.least) : std::nullopt;
    difference = least ? checkedCeilDiv(*least, known.factor) : std::nullopt;
  }
  Edge &edge = edges.get(place);
  edge.knownAt = changes;
  return edge.difference = difference;
}

Interval DifferenceGraph::getNodeRange(unsigned place) {
  if (nodes[place].rangeKnownAt == changes)
    return nodes[place].range;
  Node &node = nodes.get(place);
  node.rangeKnownAt = changes;
  return node.range = getSum(Term{node.monomial, 1});
}

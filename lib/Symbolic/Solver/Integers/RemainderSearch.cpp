//===- Questions that remainders decide -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/RemainderSearch.h"
#include "Expressions/Polynomial.h"
#include "Solver/Integers/PointFacts.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

/// No more combinations of remainders are tried.
static constexpr int64_t maximalPoints = 2048;
/// A larger modulus is not one that sizes are told to have.
static constexpr int64_t largestModulus = 1024;
/// Quotients in one comparison.
static constexpr unsigned maximalQuotients = 8;
/// How many parts of facts are evaluated for a unit of work.
static constexpr unsigned partsOfUnit = 16;

namespace {
class RemainderSearch {
public:
  explicit RemainderSearch(FactStore &store) : store(store) {}

  /// Do remainders tell whether the question holds, however many there are?
  bool isTold(const Predicate &question) const;
  Verdict decide(const Predicate &question);

private:
  /// For each symbol the modulus of the remainder that tells enough of it.
  using Moduli = llvm::MapVector<const Atom *, int64_t>;

  static bool require(Expr expr, int64_t modulus, Moduli &moduli);
  static bool require(const Atom *atom, int64_t modulus, Moduli &moduli);
  bool requireOfComparison(Terms difference, Moduli &moduli) const;
  std::optional<Predicate> requireOf(const Predicate &predicate, Moduli &moduli) const;
  static bool areFew(const Moduli &moduli);
  void takeFacts();
  std::optional<Predicate> takeModulo(const Predicate &fact) const;
  void listRemainders();
  bool holds(const Predicate &question);
  bool findPoint(PointFacts &points, size_t level);

  FactStore &store;
  Moduli moduli;
  std::vector<Predicate> facts;
  std::vector<llvm::SmallVector<int64_t, 8>> remainders; ///< in the order of `moduli`
  bool isExhausted = false;
};
} // namespace

static const Atom *getQuotientByNumber(const Term &term) {
  const Atom *atom = term.monomial->getAtom();
  bool isQuotient = atom && atom->kind == AtomKind::FloorDiv && atom->operands[1].getConstant();
  return isQuotient ? atom : nullptr;
}

/// Demands what tells the expression up to multiples of the modulus. `floordiv(s, 2)` is told up to multiples of 3 by
/// the remainder of s by 6, and so is `10*floordiv(s, 2)` up to multiples of 30.
bool RemainderSearch::require(Expr expr, int64_t modulus, Moduli &moduli) {
  if (modulus > largestModulus)
    return false;
  return llvm::all_of(getTerms(expr), [&](const Term &term) {
    int64_t ofFactors = modulus / std::gcd(modulus, term.coefficient % modulus);
    return llvm::all_of(term.monomial->getPowers(),
                        [&](const Power &power) { return require(power.atom, ofFactors, moduli); });
  });
}

bool RemainderSearch::require(const Atom *atom, int64_t modulus, Moduli &moduli) {
  if (atom->isSymbol()) {
    int64_t &known = moduli.try_emplace(atom, 1).first->second;
    known = std::lcm(known, modulus);
    return known <= largestModulus;
  }
  if (atom->kind != AtomKind::FloorDiv)
    return false;
  std::optional<int64_t> divisor = atom->operands[1].getConstant();
  std::optional<int64_t> product = divisor && *divisor > 0 ? checkedMul(*divisor, modulus) : std::nullopt;
  return product && require(atom->operands[0], *product, moduli);
}

/// A quotient `e floordiv m` is `(e - e mod m) / m`. Where nothing is left of a difference but such remainders and a
/// number, they tell whether it is 0, and whether it is negative.
///
/// rule quotient-by-remainder: m >= 1 |- m*floordiv(e, m) == e - mod(e, m)
/// rule remainder-tells-quotient: m >= 1 |- floordiv(r + m*k, m) == floordiv(r, m) + k
/// rule remainders-of-factors: m >= 1 |- mod((a + m*i)*(b + m*j), m) == mod(a*b, m)
bool RemainderSearch::requireOfComparison(Terms difference, Moduli &moduli) const {
  SymbolicContext::Impl &context = store.getContext();
  Poly left(difference.begin(), difference.end());
  for (unsigned quotients = 0; !isConstant(left); ++quotients) {
    // The outermost first: inner ones may cancel out.
    const Term *outermost = nullptr;
    for (const Term &term : left) {
      const Atom *atom = getQuotientByNumber(term);
      if (atom && (!outermost || atom->expr.getNode()->depth > outermost->monomial->getAtom()->expr.getNode()->depth))
        outermost = &term;
    }
    if (!outermost || quotients == maximalQuotients)
      return false;
    const Atom *atom = outermost->monomial->getAtom();
    int64_t divisor = *atom->operands[1].getConstant(), coefficient = outermost->coefficient;
    context.spend(left.size());
    if (divisor <= 0 || !require(atom->operands[0], divisor, moduli))
      return false;
    Poly rest;
    for (const Term &term : left)
      if (&term != outermost)
        rest.push_back(term);
    MaybePoly replaced = combine(rest, divisor, getTerms(atom->operands[0]), coefficient);
    if (!replaced)
      return false;
    left = std::move(*replaced);
  }
  return true;
}

/// The same with differences compared to 0, which may have fewer symbols; nothing where remainders do not tell it.
std::optional<Predicate> RemainderSearch::requireOf(const Predicate &predicate, Moduli &moduli) const {
  Predicate result{predicate.kind, {}, {}, {}};
  for (const Predicate &operand : predicate.operands) {
    std::optional<Predicate> part = requireOf(operand, moduli);
    if (!part)
      return std::nullopt;
    result.operands.push_back(std::move(*part));
  }
  if (!predicate.lhs || !predicate.rhs)
    return result;
  result.lhs = predicate.lhs - predicate.rhs;
  result.rhs = store.getContext().getConstant(0);
  bool isTold = result.lhs && requireOfComparison(getTerms(result.lhs), moduli);
  return isTold ? std::optional(std::move(result)) : std::nullopt;
}

bool RemainderSearch::areFew(const Moduli &moduli) {
  int64_t points = 1;
  return llvm::all_of(moduli, [&](const auto &entry) {
    return entry.second <= maximalPoints && (points *= entry.second) <= maximalPoints;
  });
}

/// Of an equation of products, that both sides have the same remainder.
std::optional<Predicate> RemainderSearch::takeModulo(const Predicate &fact) const {
  Expr difference = fact.kind == Predicate::Kind::Equal && fact.lhs && fact.rhs ? fact.lhs - fact.rhs : Expr();
  if (!difference || difference.getNode()->depth != 0)
    return std::nullopt;
  int64_t common = 0;
  for (const Atom *symbol : getAtomsInAnyOrder(getTerms(difference)))
    common = std::gcd(common, moduli.lookup(symbol));
  if (common <= 1)
    return std::nullopt;
  SymbolicContext::Impl &context = store.getContext();
  Expr remainder = ExprBuilder(context).mod(difference, context.getConstant(common));
  return remainder ? std::optional(Predicate::equal(remainder, context.getConstant(0))) : std::nullopt;
}

static std::vector<Predicate> listOpenFacts(const FactStore &store) {
  Expr zero = store.getContext().getConstant(0);
  llvm::ArrayRef<std::vector<Expr>> open = store.getOpenExprs();
  std::vector<Predicate> facts;
  for (Expr expr : open[FactStore::Equation])
    facts.push_back(Predicate::equal(expr, zero));
  for (Expr expr : open[FactStore::Inequality])
    facts.push_back(Predicate::lessEqual(zero, expr));
  for (Expr expr : open[FactStore::Disequality])
    facts.push_back(Predicate::notEqual(expr, zero));
  for (const FactStore::Disjunction &disjunction : store.getDisjunctions())
    facts.push_back(*disjunction.predicate);
  return facts;
}

/// All that lead to the question, as far as few points are left.
void RemainderSearch::takeFacts() {
  std::vector<Predicate> left = listOpenFacts(store);
  auto take = [&](const Predicate &fact) {
    auto isKnown = [&](Expr symbol) { return moduli.contains(getSymbolAtom(symbol)); };
    if (llvm::none_of(fact.getSymbols(), isKnown))
      return false;
    Moduli more = moduli;
    std::optional<Predicate> taken = requireOf(fact, more);
    if (!taken) {
      more = moduli;
      std::optional<Predicate> modulo = takeModulo(fact);
      taken = modulo ? requireOf(*modulo, more) : std::nullopt;
    }
    if (!taken || !areFew(more))
      return false;
    moduli = std::move(more);
    facts.push_back(std::move(*taken));
    return true;
  };
  while (true) {
    size_t before = left.size();
    llvm::erase_if(left, take);
    if (left.size() == before)
      return;
  }
}

/// Those that a symbol may have by itself.
void RemainderSearch::listRemainders() {
  for (auto [symbol, modulus] : moduli) {
    Expr inner = store.getInner(symbol->expr);
    auto [known, remainder] = inner ? store.getCongruence(inner) : std::pair<int64_t, int64_t>(1, 0);
    // Of a constant the modulus is 0.
    int64_t common = known == 0 ? modulus : std::gcd(known, modulus);
    Interval range = inner ? store.getRange(inner) : Interval();
    llvm::SmallVector<int64_t, 8> &possible = remainders.emplace_back();
    for (int64_t value = floorMod(remainder, common); value < modulus; value += common) {
      // The least value from the lower end on that has this remainder.
      std::optional<int64_t> least =
          range.hasLower() ? checkedAdd(range.lower, floorMod(value - floorMod(range.lower, modulus), modulus))
                           : std::nullopt;
      if (!least || !range.hasUpper() || *least <= range.upper)
        possible.push_back(value);
    }
  }
}

/// One at which the facts hold and the question does not, or may not.
bool RemainderSearch::findPoint(PointFacts &points, size_t level) {
  if (level == remainders.size())
    return true;
  for (int64_t value : remainders[level]) {
    store.getContext().spend(1 + points.countParts(level) / partsOfUnit);
    if (store.getContext().fuel == 0)
      isExhausted = true;
    if (isExhausted || (points.mayHold(level, value) && findPoint(points, level + 1)))
      return true;
  }
  return false;
}

/// At each point at which the facts hold.
bool RemainderSearch::holds(const Predicate &question) {
  llvm::SmallVector<const Atom *, 8> order;
  for (const auto &entry : moduli)
    order.push_back(entry.first);
  PointFacts points(store.getContext(), order, /*factsHaveValues=*/true);
  points.addQuestion(question);
  for (const Predicate &fact : facts)
    points.add(fact);
  return !findPoint(points, 0);
}

bool RemainderSearch::isTold(const Predicate &question) const {
  Moduli ofQuestion;
  return requireOf(question, ofQuestion) && !ofQuestion.empty();
}

Verdict RemainderSearch::decide(const Predicate &question) {
  std::optional<Predicate> asked = requireOf(question, moduli);
  if (!asked || moduli.empty() || !areFew(moduli))
    return Verdict::Unknown;
  takeFacts();
  listRemainders();
  if (holds(*asked))
    return Verdict::Yes;
  return !isExhausted && holds(Predicate::negation(std::move(*asked))) ? Verdict::No : Verdict::Unknown;
}

Verdict dyn::symbolic::decideByRemainders(FactStore &store, const Predicate &question) {
  // An inner form is not to be had for nothing.
  if (!RemainderSearch(store).isTold(question))
    return Verdict::Unknown;
  Predicate inner = store.getInner(question);
  Verdict verdict = isComplete(inner) ? RemainderSearch(store).decide(inner) : Verdict::Unknown;
  // Where facts tell a symbol in terms of others, its remainders may be fewer than theirs.
  return verdict == Verdict::Unknown && !(inner == question) ? RemainderSearch(store).decide(question) : verdict;
}

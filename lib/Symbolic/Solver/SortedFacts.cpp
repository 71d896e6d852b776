//===- Facts in an order of their own ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/SortedFacts.h"
#include "Expressions/Comparison.h"
#include "Solver/Integers/MixedRadix.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

using Kind = Predicate::Kind;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

unsigned SortedFacts::getRank(const Predicate &predicate) {
  bool isDisjunction = !predicate.operands.empty();
  if (isDisjunction)
    return 4;
  Expr difference = predicate.kind == Kind::LessEqual ? predicate.rhs : predicate.lhs;
  if (difference && difference.getNode()->depth == 0 && getTerms(difference).size() <= 2 &&
      difference.getSymbols().size() == 1)
    return 0;
  return predicate.kind == Kind::Equal ? 1 : predicate.kind == Kind::NotEqual ? 3 : 2;
}

/// By structure and names.
static int compareStructure(const Predicate &a, const Predicate &b) {
  if (a.kind != b.kind)
    return a.kind < b.kind ? -1 : 1;
  for (auto side : {&Predicate::lhs, &Predicate::rhs}) {
    if (!(a.*side) || !(b.*side)) {
      if (bool(a.*side) != bool(b.*side))
        return a.*side ? 1 : -1;
      continue;
    }
    if (int order = dyn::symbolic::compare(a.*side, b.*side))
      return order;
  }
  if (a.operands.size() != b.operands.size())
    return a.operands.size() < b.operands.size() ? -1 : 1;
  for (auto [first, second] : llvm::zip_equal(a.operands, b.operands))
    if (int order = compareStructure(first, second))
      return order;
  return 0;
}

bool SortedFacts::comesBefore(const Predicate &a, const Predicate &b) {
  std::pair first(getRank(a), countNodes(a)), second(getRank(b), countNodes(b));
  return first != second ? first < second : compareStructure(a, b) < 0;
}

//===----------------------------------------------------------------------===//
// Form
//===----------------------------------------------------------------------===//

static Predicate getConstant(bool truth) {
  Predicate result;
  result.kind = truth ? Kind::True : Kind::False;
  return result;
}

/// Exact quotients are multiplied out, while they still say that nothing is left over: where the divisor turns out to
/// be a number, they become quotients rounded down. Each of them is, or it would be up to the names of symbols which.
///
/// rule multiply-out: q != 0 and P == q*k and k + R == 0 |- P + q*R == 0
static std::optional<Predicate> multiplyOut(ExprBuilder &builder, Expr difference) {
  Expr zero = builder.getContext().getConstant(0);
  std::vector<Predicate> products;
  for (const Term &term : getTerms(difference)) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || atom->kind != AtomKind::ExactDiv || !isUnit(term.coefficient))
      continue;
    Expr rest = builder.subtract(difference, builder.getContext().getExpr(term)), divisor = atom->operands[1];
    Expr value = builder.scale(rest, -term.coefficient);
    Expr product = builder.subtract(atom->operands[0], builder.multiply(divisor, value));
    if (!product || (product.getNode()->symbolMask & ~difference.getNode()->symbolMask))
      continue;
    products.push_back(Predicate::equal(product, zero));
    products.push_back(Predicate::notEqual(divisor, zero));
  }
  return products.empty() ? std::nullopt : std::optional(Predicate::conjunction(std::move(products)));
}

static Predicate getNormalForm(const Predicate &predicate, bool truth);

static Predicate getNormalComparison(const Predicate &predicate, bool truth) {
  Predicate asGiven = truth ? predicate : Predicate::negation(predicate);
  if (!predicate.lhs || !predicate.rhs)
    return asGiven;
  ExprBuilder builder(predicate.lhs.getContext().getImpl());
  auto [kind, difference] = compareToZero(builder, predicate, truth);
  if (!difference)
    return asGiven;
  if (std::optional<int64_t> constant = difference.getConstant())
    return getConstant(kind == Knowledge::Task::NonNegative ? *constant >= 0
                                                            : (*constant == 0) == (kind == Knowledge::Task::Zero));
  SymbolicContext::Impl &context = builder.getContext();
  if (int64_t content = getContent(dropConstant(getTerms(difference)));
      kind == Knowledge::Task::NonNegative || getConstantTerm(getTerms(difference)) % content == 0)
    if (MaybePoly divided = divideContent(context, getTerms(difference)))
      difference = context.getExpr(*divided);
  Expr zero = builder.getContext().getConstant(0);
  if (kind == Knowledge::Task::NonNegative)
    return Predicate::lessEqual(zero, difference);
  if (std::optional<Predicate> product =
          kind == Knowledge::Task::Zero ? multiplyOut(builder, difference) : std::nullopt)
    return getNormalForm(*product, true);
  if (!getTerms(difference).empty() && getTerms(difference)[0].coefficient < 0)
    if (Expr negated = -difference)
      difference = negated;
  return kind == Knowledge::Task::Zero ? Predicate::equal(difference, zero) : Predicate::notEqual(difference, zero);
}

/// Differences to 0 joined by `and` and `or`, each of which has its operands in order and only once, and none that is
/// the same at all values.
static Predicate getNormalForm(const Predicate &predicate, bool truth) {
  switch (predicate.kind) {
  case Kind::True:
  case Kind::False:
    return getConstant(truth == (predicate.kind == Kind::True));
  case Kind::Not:
    return getNormalForm(predicate.operands.front(), !truth);
  case Kind::And:
  case Kind::Or:
    break;
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::LessEqual:
  case Kind::Less:
    return getNormalComparison(predicate, truth);
  }
  Predicate result;
  result.kind = truth == (predicate.kind == Kind::And) ? Kind::And : Kind::Or;
  for (const Predicate &operand : predicate.operands) {
    Predicate inner = getNormalForm(operand, truth);
    bool isConstant = inner.kind == Kind::True || inner.kind == Kind::False;
    if (isConstant && (inner.kind == Kind::True) == (result.kind == Kind::Or))
      return inner;
    if (isConstant)
      continue;
    if (inner.kind == result.kind)
      llvm::append_range(result.operands, inner.operands);
    else
      result.operands.push_back(std::move(inner));
  }
  llvm::sort(result.operands, SortedFacts::comesBefore);
  result.operands.erase(llvm::unique(result.operands), result.operands.end());
  if (result.operands.size() == 1)
    return Predicate(result.operands.front());
  return result.operands.empty() ? getConstant(result.kind == Kind::And) : result;
}

//===----------------------------------------------------------------------===//
// SortedFacts
//===----------------------------------------------------------------------===//

std::vector<Predicate> SortedFacts::getParts(const Predicate &predicate) {
  Predicate normal = getNormalForm(predicate, true);
  if (normal.kind == Kind::True)
    return {};
  return normal.kind == Kind::And ? normal.operands : std::vector<Predicate>{normal};
}

void SortedFacts::add(const Predicate &predicate) {
  for (const Predicate &fact : getParts(predicate)) {
    if (!isComplete(fact))
      continue;
    auto place = llvm::lower_bound(facts, fact, comesBefore);
    if (place == facts.end() || !(*place == fact)) {
      facts.insert(place, fact);
      nodes += countNodes(fact);
    }
  }
}

bool SortedFacts::includes(const Predicate &predicate) const {
  return isComplete(predicate) && llvm::all_of(getParts(predicate), [&](const Predicate &part) {
           auto place = llvm::lower_bound(facts, part, comesBefore);
           return place != facts.end() && *place == part;
         });
}

/// `2 <= s` and `s <= 7` for `s == 2 or s == 5 or s == 7`. What is told of s before that needs to know.
///
/// rule ends-of-alternatives: (x == c or x == d) and c <= d |- x - c >= 0 and d - x >= 0
static std::optional<std::array<Predicate, 2>> getEnds(const Predicate &fact) {
  if (fact.kind != Kind::Or)
    return std::nullopt;
  const Atom *symbol = nullptr;
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (const Predicate &alternative : fact.operands) {
    const Atom *own = alternative.kind == Kind::Equal ? getLinearSymbol(alternative.lhs) : nullptr;
    if (!own || (symbol && own != symbol) || getTerms(alternative.lhs).front().coefficient != 1)
      return std::nullopt;
    symbol = own;
    std::optional<int64_t> value = checkedSub(0, getConstantTerm(getTerms(alternative.lhs)));
    if (!value)
      return std::nullopt;
    least = std::min(least, *value);
    most = std::max(most, *value);
  }
  SymbolicContext &context = fact.operands.front().lhs.getContext();
  return std::array{Predicate::lessEqual(context.getConstant(least), symbol->expr),
                    Predicate::lessEqual(symbol->expr, context.getConstant(most))};
}

bool SortedFacts::tell(FactStore &store) const {
  // What is told last has to do with what the others leave.
  constexpr unsigned fuelOfFact = SymbolicContext::Impl::fuelOfAttempt / 2;
  unsigned &fuel = store.getContext().fuel, budget = 2 * fuelOfFact;
  for (const Predicate &fact : facts)
    if (auto ends = getEnds(fact))
      for (const Predicate &end : *ends)
        if (!store.assertTrue(end))
          return false;
  auto tellOne = [&](const Predicate &fact) {
    unsigned given = fuel = std::min(budget, fuelOfFact);
    bool holds = budget > 0 ? store.assertTrue(fact) : store.keepTrue(fact);
    budget -= given - fuel;
    return holds;
  };
  auto others = llvm::find_if(facts, [](const Predicate &fact) { return getRank(fact) > 0; });
  if (!llvm::all_of(llvm::make_range(facts.begin(), others), tellOne))
    return false;
  // What they are together is told in their place, and before the others, which become simpler.
  std::vector<Expr> digits;
  llvm::SmallPtrSet<const ExprNode *, 8> split;
  if (std::vector<Expr> sums = MixedRadix::getZeroSums(store.getContext(), facts); !sums.empty()) {
    unsigned given = fuel = std::min(budget, fuelOfFact);
    MixedRadix radices(store, facts);
    for (Expr sum : sums) {
      std::vector<Expr> own = radices.getDigits(sum);
      if (!own.empty())
        split.insert(sum.getNode());
      llvm::append_range(digits, own);
    }
    budget -= given - fuel;
  }
  Expr zero = store.getContext().getConstant(0);
  return llvm::all_of(digits, [&](Expr digit) { return tellOne(Predicate::equal(digit, zero)); }) &&
         llvm::all_of(llvm::make_range(others, facts.end()), [&](const Predicate &fact) {
           return (fact.kind == Kind::Equal && split.contains(fact.lhs.getNode())) || tellOne(fact);
         });
}

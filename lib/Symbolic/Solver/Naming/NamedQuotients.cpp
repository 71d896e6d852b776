//===- Quotients as sizes of their own -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What a quotient is by its definition, `d*q <= P` and `P <= d*q + d - 1`, are two facts
// about a size q. Beside products with it, and with facts about P, these say more than
// the quotient itself, which eliminations take for P as soon as they can:
//   y < 8*m and b < n |- (y floordiv 8)*n + b < m*n
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Expressions/Polynomial.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

namespace {
/// A quotient, or its opposite where that is the size: `s ceildiv 4` is `-(-s floordiv 4)`. Half of a size that is
/// rounded up, `s - s floordiv 2`, may have the name in place of the half that is rounded down.
struct NamedQuotient {
  const Atom *atom = nullptr;
  Expr symbol; ///< stands for `value`
  Expr value;
  Expr dividend; ///< of `value`, which is rounded up where it is the opposite
  bool isRoundedUp = false;

  Expr getDivisor() const { return atom->operands[1]; }
};

/// Gives quotients names, and tells what they are.
class NamedQuotients {
public:
  /// Of what is known of the symbols.
  explicit NamedQuotients(FactStore &known)
      : known(known), context(known.getContext()), builder(context), one(context.getConstant(1)) {}

  Predicate name(const Predicate &predicate) {
    return mapSides(predicate, [&](Expr side) { return name(side); });
  }

  /// Names halves that are rounded up where the sides of a comparison have fewer terms with them.
  void chooseHalves(const Predicate &comparison);

  bool areAny() const { return !quotients.empty(); }

  /// Tells those that are named by now. False where they are too many, and where one may have no value, unless that is
  /// to be assumed.
  bool tell(FactStore &store, SortedFacts &facts, bool areDefined) {
    for (; told < quotients.size(); ++told) {
      // What it consists of may get a name.
      NamedQuotient quotient = (quotients.begin() + told)->second;
      Expr divisor = quotient.getDivisor();
      bool isPositive = isNonNegative(builder.subtract(divisor, one));
      if (told == maximalQuotients || (!isPositive && !(areDefined && isNonNegative(divisor))) ||
          !store.declare(getSymbolAtom(quotient.symbol), getFacts(quotient.value), SymbolClass::Internal))
        return false;
      addBounds(quotient, facts, isPositive);
      for (const auto &[atom, other] : llvm::make_range(quotients.begin(), quotients.begin() + told)) {
        // Of different sizes, nothing but facts tells.
        bool mayBeOrdered =
            (quotient.value.getNode()->symbolMask & other.value.getNode()->symbolMask) != 0 || known.hasOpenFacts();
        if (mayBeOrdered && !addOrder(quotient, other, facts))
          addOrder(other, quotient, facts);
      }
    }
    return true;
  }

private:
  static constexpr size_t maximalQuotients = 4;

  Expr name(Expr expr) {
    return builder.rebuild(expr, [&](const Atom *atom) { return getName(atom); }, memo);
  }

  Expr getName(const Atom *atom) {
    if (atom->kind != AtomKind::FloorDiv)
      return {};
    NamedQuotient &quotient = quotients[atom];
    if (!quotient.atom && roundedUp.contains(atom)) {
      quotient = {atom, makeSymbol(), builder.subtract(atom->operands[0], context.getExpr(atom)), atom->operands[0],
                  true};
    } else if (!quotient.atom) {
      quotient.atom = atom;
      quotient.symbol = makeSymbol();
      quotient.isRoundedUp = getRange(context.getExpr(atom)).upper <= 0;
      int64_t sign = quotient.isRoundedUp ? -1 : 1;
      quotient.value = builder.scale(context.getExpr(atom), sign);
      quotient.dividend = builder.scale(atom->operands[0], sign);
    }
    if (roundedUp.contains(atom))
      return builder.subtract(atom->operands[0], quotient.symbol);
    return quotient.isRoundedUp ? builder.scale(quotient.symbol, -1) : quotient.symbol;
  }
  Expr makeSymbol() { return context.getExpr(context.getSymbol("o" + std::to_string(quotients.size()))); }

  /// In inner form, with what it takes to look at it; null where it has none.
  Expr lookAt(Expr expr) {
    context.refuel(FactStore::fuelOfLook);
    return expr ? known.getInner(expr) : Expr();
  }
  Interval getRange(Expr expr) {
    Expr inner = lookAt(expr);
    return inner ? known.getRange(inner) : Interval();
  }
  bool isNonNegative(Expr expr) {
    Expr inner = lookAt(expr);
    return inner && known.decideNonNegative(inner) == Verdict::Yes;
  }
  bool isAtMost(Expr small, Expr large) { return isNonNegative(builder.subtract(large, small)); }
  bool isLess(Expr small, Expr large) { return isAtMost(builder.add(small, one), large); }

  SymbolFacts getFacts(Expr value) {
    SymbolFacts facts;
    Interval range = getRange(value);
    // Of what is left of a size, the range has no end.
    if (range.lower < 0 && isNonNegative(value))
      range.lower = 0;
    if (range.lower == 0 && isAtMost(one, value))
      range.lower = 1;
    facts.range = {range.hasLower() ? std::optional(range.lower) : std::nullopt,
                   range.hasUpper() ? std::optional(range.upper) : std::nullopt};
    return facts;
  }

  void addBounds(const NamedQuotient &quotient, SortedFacts &facts, bool isPositive);
  /// Is the first one known to be no larger?
  bool addOrder(const NamedQuotient &small, const NamedQuotient &large, SortedFacts &facts);

  FactStore &known;
  SymbolicContext::Impl &context;
  ExprBuilder builder;
  ExprBuilder::Memo memo;
  const Expr one;
  llvm::MapVector<const Atom *, NamedQuotient> quotients;
  llvm::SmallPtrSet<const Atom *, 4> roundedUp; ///< halves that are named by what is left of their dividend
  size_t told = 0;
};
} // namespace

/// rule named-half: True |- x <= 2*(x - floordiv(x, 2)) and 2*(x - floordiv(x, 2)) <= x + 1
void NamedQuotients::chooseHalves(const Predicate &comparison) {
  // Of a product with such a half there are two terms, and one of something else.
  constexpr size_t fewestTerms = 3;
  Expr difference = builder.subtract(comparison.lhs, comparison.rhs);
  if (!difference || difference.getNode()->depth != 1 || getTerms(difference).size() < fewestTerms)
    return;
  for (const Atom *atom : getAtoms(getTerms(difference))) {
    bool isHalf = atom->kind == AtomKind::FloorDiv && atom->operands[1].isConstant(2);
    if (!isHalf)
      continue;
    context.spend(ExprBuilder::costOfAtom);
    std::optional<LinearSplit> split = splitLinear(context, getTerms(difference), atom);
    if (!split)
      continue;
    // c*half + rest is c*x + rest less c times the half that is rounded up.
    Expr coefficient = context.getExpr(split->coefficient), rest = context.getExpr(split->rest);
    Expr whole = builder.add(builder.multiply(coefficient, atom->operands[0]), rest);
    if (whole && getTerms(whole).size() < split->rest.size())
      roundedUp.insert(atom);
  }
}

/// rule named-quotient: d >= 1 |- d*floordiv(P, d) <= P and P <= d*floordiv(P, d) + d - 1
void NamedQuotients::addBounds(const NamedQuotient &quotient, SortedFacts &facts, bool isPositive) {
  Expr dividend = name(quotient.dividend), divisor = name(quotient.getDivisor());
  Expr product = builder.multiply(divisor, quotient.symbol), last = builder.subtract(divisor, one);
  Expr least = quotient.isRoundedUp ? dividend : product, most = quotient.isRoundedUp ? product : dividend;
  facts.add(Predicate::lessEqual(least, most));
  facts.add(Predicate::lessEqual(most, builder.add(least, last)));
  if (!isPositive)
    facts.add(Predicate::lessEqual(one, divisor));
}

/// rule below-floordiv: d >= 1 and d*x <= P |- x <= floordiv(P, d)
/// rule above-floordiv: d >= 1 and P < d*x |- floordiv(P, d) < x
bool NamedQuotients::addOrder(const NamedQuotient &small, const NamedQuotient &large, SortedFacts &facts) {
  Expr smallProduct = builder.multiply(small.value, large.getDivisor()),
       largeProduct = builder.multiply(large.value, small.getDivisor());
  bool isSmaller = isLess(small.value, large.value) || (!small.isRoundedUp && isLess(small.dividend, largeProduct)) ||
                   (large.isRoundedUp && isLess(smallProduct, large.dividend));
  bool isNoLarger = isSmaller || isAtMost(small.value, large.value) ||
                    (small.isRoundedUp && isAtMost(small.dividend, largeProduct)) ||
                    (!large.isRoundedUp && isAtMost(smallProduct, large.dividend));
  if (isNoLarger)
    facts.add(isSmaller ? Predicate::less(small.symbol, large.symbol)
                        : Predicate::lessEqual(small.symbol, large.symbol));
  return isNoLarger;
}

Verdict NamedFacts::decideByNamedQuotients(const Predicate &named, unsigned fuelOfAttempt) {
  SymbolicContext::Impl &context = own->getImpl();
  SymbolicContext::Impl::WorkLimit limit(context, fuelOfAttempt);
  NamedQuotients quotients(sorted ? *sorted : declared);
  quotients.chooseHalves(named);
  Predicate question = quotients.name(named);
  if (!isComplete(question))
    return Verdict::Unknown;
  SortedFacts all;
  FactStore store(declared);
  store.forgetAnswers();
  // Where the question has a value, its quotients have one.
  if (!quotients.tell(store, all, /*areDefined=*/true))
    return Verdict::Unknown;
  for (const Predicate &fact : namedFacts.get())
    all.add(quotients.name(fact));
  if (!quotients.areAny() || !quotients.tell(store, all, /*areDefined=*/false))
    return Verdict::Unknown;
  context.refuel(fuelOfAttempt);
  for (const Predicate &fact : all.get()) {
    // What orders of products lead to has been found for the quotients themselves, and takes much.
    bool isTold = fact.kind == Predicate::Kind::Equal || SortedFacts::getRank(fact) == 0;
    // That facts contradict each other is found elsewhere.
    if (!(isTold ? store.assertTrue(fact) : store.keepTrue(fact)))
      return Verdict::Unknown;
  }
  context.refuel(fuelOfAttempt);
  return decideWithSplits(store, question, /*witnesses=*/nullptr);
}

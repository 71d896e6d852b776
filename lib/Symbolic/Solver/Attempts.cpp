//===- Attempts at a question ----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/PointSearch.h"
#include "Solver/QuestionKeys.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// What is left for all facts where the nearest have been asked first.
static constexpr unsigned getFuelAfterNearest(unsigned fuelOfAttempt) { return 5 * fuelOfAttempt / 8; }

Verdict Solver::Impl::decideAmongFew(const Predicate &predicate, unsigned fuelOfAttempt) {
  NamedFacts::Work work(named);
  Predicate contracted = contract(predicate);
  llvm::SmallVector<Expr, 4> symbols = contracted.getSymbols();
  using Places = std::optional<std::vector<unsigned>>; ///< nothing for all
  auto askThem = [&](const Places &places) {
    return places ? askSome(named, regions, symbols, *places) : std::optional(ask(symbols));
  };
  auto decideBy = [&](const Places &places, unsigned fuel,
                      llvm::function_ref<std::optional<Verdict>()> proveElsewhere = {}) {
    std::optional<Known> known = askThem(places);
    return known ? decide(*known, known->getInside(contracted), contracted, fuel, proveElsewhere) : Verdict::Unknown;
  };
  constexpr size_t mostFacts = 12, nearFacts = 4;
  Places last;
  Verdict verdict = Verdict::Unknown;
  unsigned fuelOfForms = fuelOfAttempt;
  auto decideByNeeded = [&]() -> std::optional<Verdict> {
    last = named.findNeeded(symbols);
    return last ? std::optional(decideBy(last, fuelOfAttempt)) : std::nullopt;
  };
  if (named.countFacts() <= mostFacts) {
    verdict = decideBy(std::nullopt, fuelOfAttempt, decideByNeeded);
  } else {
    // The nearest mostly suffice, and take little.
    std::vector<unsigned> nearest = named.findNearest(symbols, nearFacts);
    if (!nearest.empty())
      verdict = decideBy(nearest, fuelOfAttempt / 4);
    if (std::optional<Verdict> byNeeded = verdict == Verdict::Unknown ? decideByNeeded() : std::nullopt) {
      verdict = *byNeeded;
    } else if (verdict == Verdict::Unknown) {
      verdict = decideBy(std::nullopt, getFuelAfterNearest(fuelOfAttempt));
      // What comes after other attempts has less.
      last = std::move(nearest);
      fuelOfForms = fuelOfAttempt / 3;
    }
  }
  return verdict == Verdict::Unknown ? decideByOtherForms(askThem(last), contracted, fuelOfForms) : verdict;
}

/// Of products, or of quotients by sizes? Of nothing else integers are searched already.
static bool isOfProducts(const Predicate &comparison) {
  Expr difference = comparison.lhs - comparison.rhs;
  auto isProduct = [](const Term &term) {
    const Atom *atom = term.monomial->getAtom();
    return term.monomial->degree > 1 || (atom && atom->kind == AtomKind::FloorDiv && !atom->operands[1].getConstant());
  };
  return difference && llvm::any_of(getTerms(difference), isProduct);
}

Verdict Solver::Impl::decideByOtherForms(const std::optional<Known> &known, const Predicate &contracted,
                                         unsigned fuel) {
  if (!known || !known->names)
    return Verdict::Unknown;
  Predicate asked = known->getInside(contracted);
  // It is undecided where points show that.
  Witnesses::Seen seen = known->witnesses.look(asked);
  if (seen.areBoth())
    return Verdict::Unknown;
  SymbolicContext::Impl &own = known->store.getContext();
  NamedFacts &names = *known->names;
  using Attempt = Verdict (NamedFacts::*)(const Predicate &, unsigned);
  auto decideBy = [&](Attempt attempt, unsigned most) {
    // Whatever was computed before makes no difference.
    known->store.forgetAnswers();
    own.refuel(fuel);
    uint64_t before = own.work;
    Verdict verdict = (names.*attempt)(asked, std::min(fuel, most));
    fuel -= std::min<uint64_t>(fuel, own.work - before);
    return verdict;
  };
  // Of those that are joined, the others would take the effort for each of their parts.
  if (!asked.operands.empty())
    return decideBy(&NamedFacts::decideByHighDigits, fuel / 4);
  // An equation that fails at a point fails at all of them where digits differ, and rarely otherwise.
  bool isUnlikely = seen.isFalse && asked.kind == Predicate::Kind::Equal;
  Verdict byDigits = decideBy(&NamedFacts::decideByDigits, fuel / (isUnlikely ? 8 : 2));
  if (byDigits != Verdict::Unknown || isUnlikely)
    return byDigits;
  using Share = std::pair<Attempt, unsigned>;
  for (auto [attempt, part] : {Share(&NamedFacts::decideByPlaces, 2), Share(&NamedFacts::decideByHighDigits, 4)})
    if (Verdict verdict = decideBy(attempt, fuel / part); verdict != Verdict::Unknown)
      return verdict;
  return isOfProducts(asked) ? decideBy(&NamedFacts::decideByNamedQuotients, fuel) : Verdict::Unknown;
}

Solver::Impl::Answer &Solver::Impl::getAnswer(Memory &memory, const Predicate &predicate) {
  if (predicate.lhs && predicate.rhs)
    return memory.comparisons[getComparison(predicate)];
  llvm::SmallVector<uintptr_t, 8> words;
  flatten(predicate, words);
  return memory.verdicts[words];
}

/// `s*t == 5` has become an equation of the halves of s and t, which says less of how large they are than what was
/// told.
Verdict Solver::Impl::decideWhereProductsAre(Known &known, const Predicate &predicate, unsigned fuel) {
  constexpr size_t mostParts = 4;
  auto isProduct = [](Expr side) {
    return side && llvm::any_of(getTerms(side), [](const Term &term) { return term.monomial->degree > 1; });
  };
  std::vector<Predicate> told = known.names->getTold();
  bool hasProducts = llvm::any_of(told, [&](const Predicate &fact) {
    return fact.kind == Predicate::Kind::Equal && (isProduct(fact.lhs) || isProduct(fact.rhs));
  });
  if (!hasProducts)
    return Verdict::Unknown;
  auto refuel = [&](unsigned amount) {
    known.store.forgetAnswers();
    known.store.getContext().refuel(amount);
  };
  auto hold = [&](const Predicate &asked) {
    return searchCounterexample(known.store, asked, told) == Feasibility::Infeasible;
  };
  Verdict found = Verdict::Unknown;
  if (predicate.kind != Predicate::Kind::And || predicate.operands.size() > mostParts) {
    refuel(fuel);
    found = hold(predicate) ? Verdict::Yes : Verdict::Unknown;
  } else {
    // Of the symbols of the whole there may be too many points for those of one part.
    found = decideByParts(predicate, [&](const Predicate &part) {
      Verdict verdict = known.names->findTold(part);
      if (verdict != Verdict::Unknown)
        return verdict;
      refuel(fuel / 4);
      verdict = known.store.decide(part);
      refuel(fuel / 2);
      return verdict == Verdict::Unknown && hold(part) ? Verdict::Yes : verdict;
    });
  }
  // The next attempt has all of its effort.
  refuel(SymbolicContext::Impl::fuelOfFact);
  return found;
}

Verdict Solver::Impl::decide(Known &known, const Predicate &predicate, const Predicate &given, unsigned fuelOfAttempt,
                             llvm::function_ref<std::optional<Verdict>()> proveElsewhere) {
  // What was computed for other questions took none of the effort of this one.
  known.store.forgetAnswers();
  known.store.getContext().refuel(fuelOfAttempt);
  // Most questions come to one about the same few sizes.
  Expr lhs = known.store.getInner(predicate.lhs), rhs = known.store.getInner(predicate.rhs);
  if (std::optional<Verdict> verdict = decideConstant(predicate.kind, lhs, rhs))
    return *verdict;
  Answer own;
  // An answer that was looked for with less is not kept for those who ask with more.
  bool isKept = fuelOfAttempt >= getFuelAfterNearest(SymbolicContext::Impl::fuelOfAttempt);
  // As it is spelled: what is told of it, and proofs, go by that, and questions of one inner form may differ in it.
  Answer &answer = isKept ? getAnswer(known.memory, predicate) : own;
  if (!std::exchange(answer.isLookedUp, true)) {
    known.store.getContext().refuel(fuelOfAttempt);
    answer.verdict = known.store.decide(predicate);
  }
  if (answer.verdict != Verdict::Unknown)
    return answer.verdict;
  if (std::optional<Verdict> verdict = proveElsewhere ? proveElsewhere() : std::nullopt)
    return *verdict;
  // Walks start at what was given, of which an inner form may show less. Of sums it shows the same, and nothing is
  // known of these but their ranges where no fact was left open.
  auto isSimple = [&](Expr inner) { return inner && known.store.isNamedPolynomial(inner); };
  if (known.store.hasOpenFacts() || !isSimple(lhs) || !isSimple(rhs)) {
    Verdict verdict = known.names ? known.names->getDifferences().decide(predicate) : differences.decide(given);
    if (verdict != Verdict::Unknown)
      return verdict;
  }
  if (!std::exchange(answer.isProved, true)) {
    known.store.getContext().refuel();
    answer.verdict = known.names ? known.names->findTold(predicate) : Verdict::Unknown;
    if (answer.verdict == Verdict::Unknown && known.names) {
      answer.verdict = known.names->decideByToldValues(predicate, fuelOfAttempt / 4);
      known.store.getContext().refuel();
    }
    // What few points tell takes less than a proof.
    if (answer.verdict == Verdict::Unknown && known.names)
      answer.verdict = decideWhereProductsAre(known, predicate, fuelOfAttempt / 2);
    if (answer.verdict == Verdict::Unknown)
      answer.verdict = proveWithSplits(known.store, predicate, &known.witnesses, fuelOfAttempt);
  }
  return answer.verdict;
}

const Solver::Impl::Equality &Solver::Impl::getEquality(Known &known, Expr lhs, Expr rhs) {
  constexpr unsigned fuelOfAttempt = SymbolicContext::Impl::fuelOfForm / 2;
  // Whoever asks goes on as if the answer had been there, also with what was computed on the way.
  known.store.forgetAnswers();
  auto [found, isNew] = known.memory.equalities.try_emplace(std::pair(lhs, rhs));
  if (!isNew)
    return found->second;
  SymbolicContext::Impl &own = known.store.getContext();
  uint64_t before = own.work;
  unsigned left = own.fuel;
  // Points of other questions would make it cheaper, and so leave effort for more of them.
  Witnesses witnesses(known.witnesses);
  auto isEqual = [&] {
    SymbolicContext::Impl::WorkLimit limit(own, 5 * fuelOfAttempt / 2);
    own.refuel(fuelOfAttempt);
    return isTrueWithSplits(known.store, Predicate::equal(lhs, rhs), &witnesses, fuelOfAttempt);
  };
  found->second.isProved = isEqual();
  found->second.cost = own.work - before;
  own.refuel(left);
  known.store.forgetAnswers();
  return found->second;
}

//===- How a question is answered -------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Solver/Cases/MissingValues.h"
#include "Solver/Integers/PointSearch.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace dyn::symbolic;

/// The structure of a predicate as a list of words.
static void flatten(const Predicate &predicate, llvm::SmallVectorImpl<uintptr_t> &words) {
  words.push_back(static_cast<uintptr_t>(predicate.kind));
  if (predicate.lhs || predicate.rhs) {
    words.push_back(reinterpret_cast<uintptr_t>(predicate.lhs.getNode()));
    words.push_back(reinterpret_cast<uintptr_t>(predicate.rhs.getNode()));
  }
  words.push_back(predicate.operands.size());
  for (const Predicate &operand : predicate.operands)
    flatten(operand, words);
}

/// Comparisons of constants, and of an expression with itself.
static std::optional<Verdict> decideConstant(Predicate::Kind kind, Expr left, Expr right) {
  if (!left || !right)
    return std::nullopt;
  std::optional<int64_t> lhs = left.getConstant(), rhs = right.getConstant();
  if (left == right)
    lhs = rhs = 0;
  if (!lhs || !rhs)
    return std::nullopt;
  return holdsBetween(kind, *lhs, *rhs) ? Verdict::Yes : Verdict::No;
}

/// Values that lie next to each other, as a range: `s == 3 or s == 4 or s == 5` is `3 <= s and s <= 5`.
static std::optional<Predicate> joinValues(const Predicate &predicate) {
  if (predicate.kind != Predicate::Kind::Or)
    return std::nullopt;
  Expr first;
  std::vector<int64_t> values;
  for (const Predicate &operand : predicate.operands) {
    Expr difference = operand.kind == Predicate::Kind::Equal ? operand.lhs - operand.rhs : Expr();
    first = values.empty() ? difference : first;
    Expr below = difference ? first - difference : Expr(), above = difference ? first + difference : Expr();
    std::optional<int64_t> value = below ? below.getConstant() : std::nullopt;
    if (!value && above)
      value = above.getConstant();
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  llvm::sort(values);
  values.erase(llvm::unique(values), values.end());
  if (values.empty() || checkedSub(values.back(), values.front()) != static_cast<int64_t>(values.size()) - 1)
    return std::nullopt;
  SymbolicContext &context = first.getContext();
  return Predicate::conjunction({Predicate::lessEqual(context.getConstant(values.front()), first),
                                 Predicate::lessEqual(first, context.getConstant(values.back()))});
}

static std::tuple<unsigned, const ExprNode *, const ExprNode *> getComparison(const Predicate &comparison) {
  return {static_cast<unsigned>(comparison.kind), comparison.lhs.getNode(), comparison.rhs.getNode()};
}

/// Do the facts contradict each other, though none was refused? Each of few is asked of the others. No is only what a
/// point shows at which all hold.
Verdict Solver::Impl::decideContradiction() {
  constexpr size_t maximalFacts = 4;
  if (named.areFew() && trialPoints.isAnyLeft())
    return Verdict::No;
  auto isFact = [](const Entry &entry) { return !entry.symbol; };
  if (static_cast<size_t>(llvm::count_if(log, isFact)) > maximalFacts)
    return Verdict::Unknown;
  Predicate all = Predicate::conjunction({});
  for (const Entry &entry : log) {
    if (!isFact(entry))
      continue;
    Solver others(context);
    for (const Entry &other : log)
      if (&other != &entry)
        others.impl->add(other);
    if (others.implies(entry.predicate) == Verdict::No)
      return Verdict::Yes;
    all.operands.push_back(entry.predicate);
  }
  NamedFacts::Work work(named);
  Known known = ask(all.getSymbols());
  known.store.getContext().refuel();
  if (known.names && searchPoint(known.store, known.names->getTold()) == Feasibility::Feasible)
    return Verdict::No;
  known.store.getContext().refuel();
  known.witnesses.startQuestion();
  Witnesses::Seen seen = known.witnesses.lookAtEarlier(Predicate());
  seen.isFalse = true;
  known.witnesses.vary(known.store, Predicate(), seen);
  return seen.isTrue ? Verdict::No : Verdict::Unknown;
}

/// What counts as true, or as false, where a side left 64 bits: whatever the truth of such a comparison may be, the
/// predicate lies between the two.
static Predicate replaceIncomplete(const Predicate &predicate, bool truth) {
  using Kind = Predicate::Kind;
  if (isComplete(predicate))
    return predicate;
  if (predicate.operands.empty())
    return {truth ? Kind::True : Kind::False, {}, {}, {}};
  Predicate result{predicate.kind, {}, {}, {}};
  Kind neutral = predicate.kind == Kind::And ? Kind::True : Kind::False;
  for (const Predicate &operand : predicate.operands) {
    Predicate part = replaceIncomplete(operand, predicate.kind == Kind::Not ? !truth : truth);
    bool isConstant = part.kind == Kind::True || part.kind == Kind::False;
    if (isConstant && predicate.kind == Kind::Not)
      return {part.kind == Kind::True ? Kind::False : Kind::True, {}, {}, {}};
    if (isConstant && part.kind != neutral)
      return part;
    if (!isConstant)
      result.operands.push_back(std::move(part));
  }
  return result.operands.empty() ? Predicate{neutral, {}, {}, {}} : result;
}

Verdict Solver::Impl::decideIncomplete(const Predicate &predicate) {
  Predicate least = replaceIncomplete(predicate, false), most = replaceIncomplete(predicate, true);
  if (least.kind != Predicate::Kind::False && decide(least) == Verdict::Yes)
    return Verdict::Yes;
  return most.kind != Predicate::Kind::True && decide(most) == Verdict::No ? Verdict::No : Verdict::Unknown;
}

/// The same without parts that stand there twice, and without those that make no difference, which take effort from
/// the others; nothing where all make one. Of what divides, the parts say which divisors have to have a value.
static std::optional<Predicate> dropRepeated(const Predicate &joined) {
  if (!isTotal(joined))
    return std::nullopt;
  bool isAnd = joined.kind == Predicate::Kind::And;
  std::vector<Predicate> parts;
  std::set<llvm::SmallVector<uintptr_t, 8>> seen; // there may be thousands
  for (const Predicate &part : joined.operands) {
    llvm::SmallVector<uintptr_t, 8> words;
    flatten(part, words);
    bool isNeutral = part.kind == (isAnd ? Predicate::Kind::True : Predicate::Kind::False) ||
                     decideConstant(part.kind, part.lhs, part.rhs) == (isAnd ? Verdict::Yes : Verdict::No);
    if (!isNeutral && seen.insert(std::move(words)).second)
      parts.push_back(part);
  }
  if (parts.size() == joined.operands.size() || parts.empty())
    return std::nullopt;
  return parts.size() == 1
             ? parts.front()
             : (isAnd ? Predicate::conjunction(std::move(parts)) : Predicate::disjunction(std::move(parts)));
}

/// `a <= b` for `not a > b`: an order and its opposite speak of the same points, as equations do whose sides have
/// values everywhere. Of those, `a != b or c != d` for `not (a == b and c == d)`.
static std::optional<Predicate> turnRound(const Predicate &denied) {
  const Predicate &comparison = denied.operands.front();
  const auto &[kind, lhs, rhs, operands] = comparison;
  switch (kind) {
  case Predicate::Kind::Less:
    return Predicate::lessEqual(rhs, lhs);
  case Predicate::Kind::LessEqual:
    return Predicate::less(rhs, lhs);
  case Predicate::Kind::Equal:
    return isTotal(comparison) ? std::optional(Predicate::notEqual(lhs, rhs)) : std::nullopt;
  case Predicate::Kind::NotEqual:
    return isTotal(comparison) ? std::optional(Predicate::equal(lhs, rhs)) : std::nullopt;
  case Predicate::Kind::Not:
    return operands.front();
  case Predicate::Kind::And:
  case Predicate::Kind::Or: {
    if (!isTotal(comparison))
      return std::nullopt;
    std::vector<Predicate> parts;
    for (const Predicate &operand : operands) {
      Predicate negated = Predicate::negation(operand);
      parts.push_back(turnRound(negated).value_or(negated));
    }
    return kind == Predicate::Kind::And ? Predicate::disjunction(std::move(parts))
                                        : Predicate::conjunction(std::move(parts));
  }
  default:
    return std::nullopt;
  }
}

std::optional<Predicate> Solver::Impl::findOnlyPart(const Predicate &joined) {
  constexpr unsigned fuelOfLook = 250;
  Verdict neutral = joined.kind == Predicate::Kind::And ? Verdict::Yes : Verdict::No;
  auto isAboutOneSymbol = [](const Predicate &part) {
    // Of what divides, a part says which divisors have to have a value.
    Expr difference = part.lhs && part.rhs && isTotal(part) ? part.lhs - part.rhs : Expr();
    return difference && difference.getNode()->depth == 0 && difference.getSymbols().size() == 1;
  };
  auto isNeutral = [&](const Predicate &part) {
    if (!isAboutOneSymbol(part))
      return false;
    NamedFacts::Work work(named);
    Predicate contracted = contract(part);
    Known known = ask(contracted.getSymbols());
    known.store.forgetAnswers();
    known.store.getContext().refuel(fuelOfLook);
    return known.store.decide(known.getInside(contracted)) == neutral;
  };
  const Predicate *only = nullptr;
  for (const Predicate &part : joined.operands) {
    if (isNeutral(part))
      continue;
    if (only)
      return std::nullopt;
    only = &part;
  }
  return only ? std::optional(*only) : std::nullopt;
}

Verdict Solver::Impl::decide(const Predicate &predicate) {
  if (!isComplete(predicate))
    return decideIncomplete(predicate);
  if (predicate.kind == Predicate::Kind::False) {
    auto [answer, isNew] = compoundAnswers.try_emplace({}, Verdict::Unknown);
    if (isNew)
      answer->second = decideContradiction();
    return answer->second;
  }
  if (std::optional<Verdict> verdict = decideConstant(predicate.kind, predicate.lhs, predicate.rhs))
    return *verdict;
  if (predicate.lhs && predicate.rhs) {
    auto [answer, isNew] = answers.try_emplace(getComparison(predicate), Verdict::Unknown);
    if (isNew)
      answer->second = find(predicate);
    return answer->second;
  }
  if (predicate.kind == Predicate::Kind::Not)
    if (std::optional<Predicate> turned = turnRound(predicate))
      return decide(*turned);
  if (predicate.operands.size() == 1)
    return decideByParts(predicate, [&](const Predicate &part) { return decide(part); });
  if (std::optional<Predicate> shorter = dropRepeated(predicate))
    return decide(*shorter);
  if (std::optional<Predicate> only = named.areFew() ? findOnlyPart(predicate) : std::nullopt)
    return decide(*only);
  llvm::SmallVector<uintptr_t, 8> words;
  flatten(predicate, words);
  auto [answer, isNew] = compoundAnswers.try_emplace(words, Verdict::Unknown);
  if (isNew)
    answer->second = find(joinValues(predicate).value_or(predicate));
  return answer->second;
}

Verdict Solver::Impl::find(const Predicate &predicate) {
  if (named.areFew() && trialPoints.leaveOpen(predicate))
    return Verdict::Unknown;
  Verdict found = findByRest(predicate, SymbolicContext::Impl::fuelOfAttempt);
  Verdict kept = keepWithoutValues(found, predicate);
  if (found == kept || !isAskedByParts(predicate))
    return kept;
  // A part that has a value may decide what another one has none for. Most of the effort went into the whole.
  return decideByParts(predicate, [&](const Predicate &part) {
    if (std::optional<Verdict> verdict = decideConstant(part.kind, part.lhs, part.rhs))
      return *verdict;
    return keepWithoutValues(findByRest(part, SymbolicContext::Impl::fuelOfAttempt / 3), part);
  });
}

Verdict Solver::Impl::findByRest(const Predicate &predicate, unsigned fuelOfAttempt) {
  return named.areFew() ? decideAmongFew(predicate, fuelOfAttempt) : decideAmongMany(predicate, fuelOfAttempt);
}

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
  unsigned fuelOfNames = fuelOfAttempt;
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
      fuelOfNames = fuelOfAttempt / 3;
    }
  }
  return verdict == Verdict::Unknown ? decideByNamedQuotients(askThem(last), contracted, fuelOfNames) : verdict;
}

Verdict Solver::Impl::decideByNamedQuotients(const std::optional<Known> &known, const Predicate &contracted,
                                             unsigned fuel) {
  // Those that are joined would take the effort for each of their parts.
  if (!known || !known->names || !contracted.operands.empty())
    return Verdict::Unknown;
  Predicate asked = known->getInside(contracted);
  // It is undecided where points show that, and an equation that fails at a point rarely fails at all of them.
  Witnesses::Seen seen = known->witnesses.look(asked);
  bool isOpen = seen.areBoth() || (seen.isFalse && asked.kind == Predicate::Kind::Equal);
  return isOpen ? Verdict::Unknown : known->names->decideByNamedQuotients(asked, fuel);
}

/// Whoever found an answer found it by what is left of both sides, which may divide no more.
Verdict Solver::Impl::keepWithoutValues(Verdict verdict, const Predicate &predicate) {
  if (verdict == Verdict::Unknown || !mayDivideByZero(predicate))
    return verdict;
  NamedFacts::Work work(named);
  // Its divisors too: those of what is asked may be fewer.
  std::vector<Predicate> parts = {contract(predicate)};
  llvm::SmallVector<Expr, 4> divisors = getDivisors(predicate);
  for (Expr divisor : divisors)
    parts.push_back(Predicate::notEqual(contract(divisor), context.getConstant(0)));
  Predicate all = Predicate::conjunction(std::move(parts));
  Known known = askNearest(all.getSymbols());
  std::optional<Renaming> names = known.names ? std::optional(known.names->getNames(all)) : std::nullopt;
  auto translate = [&](Expr divisor) { return names ? (*names)(contract(divisor)) : contract(divisor); };
  Predicate asked = names ? (*names)(all.operands.front()) : all.operands.front();
  bool isTold = known.names && getDivisors(asked).size() == divisors.size() &&
                known.names->wasTold(verdict == Verdict::Yes ? asked : Predicate::negation(asked));
  bool isKept = isTold || isTrueWithoutValues(known.store, predicate, asked, verdict, translate);
  return isKept ? verdict : Verdict::Unknown;
}

Solver::Impl::Answer &Solver::Impl::getAnswer(Memory &memory, Expr lhs, Expr rhs, const Predicate &predicate) {
  if (lhs && rhs)
    return memory.comparisons[getComparison({predicate.kind, lhs, rhs, {}})];
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
  // A question with a broadcast or a division is asked where that has a value, which its inner form may no longer say:
  // where bcast(a, s) has become s, `bcast(a, s) < a` is not `s < a`.
  bool isTotalQuestion = lhs && rhs && isTotal(predicate.lhs) && isTotal(predicate.rhs);
  Answer own;
  // An answer that was looked for with less is not kept for those who ask with more.
  bool isKept = fuelOfAttempt >= getFuelAfterNearest(SymbolicContext::Impl::fuelOfAttempt);
  Answer &answer = isKept ? getAnswer(known.memory, isTotalQuestion ? lhs : Expr(), rhs, predicate) : own;
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

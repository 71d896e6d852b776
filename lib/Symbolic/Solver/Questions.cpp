//===- How a question is answered -------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Solver/Cases/MissingValues.h"
#include "Solver/Integers/PointSearch.h"
#include "Solver/QuestionKeys.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace dyn::symbolic;

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

static Predicate shortenParts(const Predicate &predicate) {
  if (predicate.operands.empty())
    return shorten(predicate).value_or(predicate);
  Predicate result = predicate;
  for (Predicate &operand : result.operands)
    operand = shortenParts(operand);
  return result;
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
    if (!isNew)
      return answer->second;
    std::optional<Predicate> shorter = shorten(predicate);
    Verdict verdict = shorter ? decide(*shorter) : find(predicate);
    return answers[getComparison(predicate)] = verdict;
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
    answer->second = find(joinValues(predicate).value_or(shortenParts(predicate)));
  return answer->second;
}

Verdict Solver::Impl::find(const Predicate &predicate) {
  SeenTruths seen = named.areFew() ? trialPoints.look(predicate) : SeenTruths();
  if (seen.areBoth())
    return Verdict::Unknown;
  // Of a comparison and its opposite, that is looked for proofs of which may hold.
  if (seen.isFalse && predicate.operands.empty())
    if (std::optional<Predicate> opposite = turnRound(Predicate::negation(predicate)))
      return negate(decide(*opposite));
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

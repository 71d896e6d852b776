//===- The few guards that are needed ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Transforms/Shapes/NeededGuards.h"
#include "GuardForms.h"
#include "ProductForms.h"
#include "RangeGuards.h"
#include "ShorterForms.h"
#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Symbolic/Obligations.h"

using namespace dyn;
using namespace dyn::symbolic;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

constexpr ExprTree::Kind kChoices[] = {ExprTree::Kind::Min, ExprTree::Kind::Max, ExprTree::Kind::Bcast},
                         kExtremes[] = {ExprTree::Kind::Min, ExprTree::Kind::Max};

static bool contains(const Predicate &guard, llvm::ArrayRef<ExprTree::Kind> kinds) {
  auto containsAny = [&](Expr side) { return side && getTree(side)->contains(kinds); };
  return containsAny(guard.lhs) || containsAny(guard.rhs) ||
         llvm::any_of(guard.operands, [&](const Predicate &operand) { return contains(operand, kinds); });
}

bool dyn::hasExtremes(const Predicate &guard) { return contains(guard, kExtremes); }

/// Are there any that facts may decide? Not the broadcasts in a disjunction, which mostly says that they are none.
static bool hasChoices(const Predicate &guard) {
  return guard.operands.empty() ? contains(guard, kChoices) : hasExtremes(guard);
}

/// Do the facts and one predicate imply another?
static bool isImpliedBy(const Predicate &conclusion, const Predicate &premise, const Solver &facts) {
  Solver with = facts.fork();
  return with.addPredicate(premise, with.addReason({})) && with.implies(conclusion) == Verdict::Yes;
}

/// Another way to say a guard, better to read, if it says the same: bounds of its only symbol, or one of its parts.
static std::optional<Predicate> simplifyGuard(const Predicate &guard, Solver &facts,
                                              llvm::function_ref<bool(const Predicate &)> isWanted) {
  SmallVector<Expr, 4> symbols = guard.getSymbols();
  std::vector<Predicate> candidates = getParts(guard);
  if (symbols.size() != 1 && candidates.empty())
    return std::nullopt;
  Solver with = facts.fork();
  if (!with.addPredicate(guard, with.addReason({})))
    return std::nullopt;
  if (symbols.size() == 1)
    candidates.insert(candidates.begin(),
                      describeFacts(symbols[0], with.getFacts(symbols[0]), facts.getFacts(symbols[0])));
  for (const Predicate &candidate : candidates)
    if (candidate.kind != Predicate::Kind::True && isWanted(candidate) && with.implies(candidate) == Verdict::Yes &&
        isImpliedBy(guard, candidate, facts) && hasValueWhere(guard, candidate, facts))
      return candidate;
  return std::nullopt;
}

/// A disjunction or conjunction with another comparison for some of its own, each of which says the same; nothing if
/// there is none.
static std::optional<Predicate> simplifyComparisons(const Predicate &guard, Solver &facts) {
  Predicate result = guard;
  for (Predicate &operand : result.operands) {
    auto isOther = [&](const Predicate &form) { return form.operands.empty() && !(form == operand); };
    std::optional<Predicate> simpler =
        operand.operands.empty() ? simplifyGuard(operand, facts, isOther) : simplifyComparisons(operand, facts);
    if (simpler)
      operand = cancelTerms(std::move(*simpler));
  }
  if (result == guard || !hasValueWhere(guard, result, facts))
    return std::nullopt;
  return result;
}

static std::optional<Predicate> simplifyGuard(const Predicate &guard, Solver &facts) {
  if (auto simpler = simplifyGuard(guard, facts, [](const Predicate &) { return true; }))
    return simpler;
  return !guard.operands.empty() && hasChoices(guard) ? simplifyComparisons(guard, facts) : std::nullopt;
}

/// Visits the guards that are of interest, one after another, with the facts and all other guards as they are then.
/// Halves of them share what they assume, so that each guard is told a logarithm of times.
static void visitWithOthers(llvm::MutableArrayRef<NeededGuard> guards, Solver &others,
                            llvm::function_ref<bool(const Predicate &)> isOfInterest,
                            llvm::function_ref<void(Predicate &, Solver &)> visit) {
  if (llvm::none_of(guards, [&](const NeededGuard &guard) { return isOfInterest(guard.predicate); }))
    return;
  if (guards.size() == 1)
    return visit(guards.front().predicate, others);
  auto first = guards.take_front(guards.size() / 2), second = guards.drop_front(first.size());
  for (auto [half, assumed] : {std::pair(first, second), std::pair(second, first)}) {
    Solver with = others.fork();
    for (const NeededGuard &guard : assumed)
      (void)with.addPredicate(guard.predicate, with.addReason({}));
    visitWithOthers(half, with, isOfInterest, visit);
  }
}

/// The guards, each without the cases that the facts and the other guards rule out.
static bool dropCases(llvm::MutableArrayRef<NeededGuard> guards, Solver &facts) {
  auto hasCases = [](const Predicate &guard) { return guard.kind == Predicate::Kind::Or; };
  bool hasChanged = false;
  visitWithOthers(guards, facts, hasCases, [&](Predicate &guard, Solver &others) {
    std::vector<Predicate> possible;
    for (const Predicate &operand : guard.operands)
      if (others.implies(operand) != Verdict::No)
        possible.push_back(operand);
    if (possible.empty() || possible.size() == guard.operands.size())
      return;
    guard = possible.size() == 1 ? possible.front() : Predicate::disjunction(std::move(possible));
    hasChanged = true;
  });
  return hasChanged;
}

/// The guards, comparisons that say no more than that their divisors are not 0 as just that: `1 <= b` for `1 <= (b*s)
/// floordiv b` where s is at least 1. One without a value fails.
static bool dropDivisions(llvm::MutableArrayRef<NeededGuard> guards, Solver &facts) {
  auto hasObligations = [&](const Predicate &guard) { return !getObligations(guard).empty(); };
  bool hasChanged = false;
  visitWithOthers(guards, facts, hasObligations, [&](Predicate &guard, Solver &others) {
    std::vector<Predicate> open = getObligations(guard);
    llvm::erase_if(open, [&](const Predicate &obligation) { return others.implies(obligation) == Verdict::Yes; });
    if (open.empty())
      return;
    Predicate isDefined = open.size() == 1 ? open.front() : Predicate::conjunction(std::move(open));
    if (!isImpliedBy(guard, isDefined, others))
      return;
    guard = simplifyGuard(isDefined, others).value_or(isDefined);
    hasChanged = true;
  });
  return hasChanged;
}

/// The same where the facts hold, with their sides for minima and maxima that they decide.
static Expr dropChoices(const ExprTree &tree, Solver &facts, SymbolicContext &context) {
  auto simplify = [&](const ExprTree &operand) { return dropChoices(operand, facts, context); };
  Expr expr = buildExpr(tree, context, simplify);
  return llvm::is_contained(kChoices, tree.kind) ? facts.simplify(expr) : expr;
}

static Predicate dropChoices(Predicate guard, Solver &facts, SymbolicContext &context) {
  for (Predicate &operand : guard.operands)
    operand = dropChoices(std::move(operand), facts, context);
  if (!guard.lhs || !guard.rhs || !hasChoices(guard))
    return guard;
  Predicate simpler = guard;
  simpler.lhs = dropChoices(*getTree(guard.lhs), facts, context);
  simpler.rhs = dropChoices(*getTree(guard.rhs), facts, context);
  return simpler.lhs && simpler.rhs ? cancelTerms(simpler) : guard;
}

/// Guards without minima and maxima that the facts and the other guards decide. One by one, so that all guards together
/// say the same after each.
static bool dropChoices(llvm::MutableArrayRef<NeededGuard> guards, Solver &facts, SymbolicContext &context) {
  bool hasChanged = false;
  visitWithOthers(guards, facts, hasChoices, [&](Predicate &guard, Solver &others) {
    Predicate simpler = dropChoices(guard, others, context);
    // A broadcast that is one of its operands where it has a value may have none.
    if (simpler == guard || !hasValueWhere(guard, simpler, others))
      return;
    guard = std::move(simpler);
    hasChanged = true;
  });
  return hasChanged;
}

/// Equations without factors that the facts and the other guards say are not 0.
static bool dropFactors(llvm::MutableArrayRef<NeededGuard> guards, Solver &facts) {
  bool hasChanged = false;
  visitWithOthers(guards, facts, hasFactor, [&](Predicate &guard, Solver &others) {
    auto isComparison = [](const Predicate &form) { return form.operands.empty(); };
    auto simplify = [&](const Predicate &form) {
      return form.operands.empty() ? simplifyGuard(form, others, isComparison) : simplifyComparisons(form, others);
    };
    std::optional<Predicate> simpler = simplify(guard);
    // What is left may be an order: `b <= 1` for `max(b, 1) == 1`.
    if (std::optional<Predicate> order = simpler ? simplify(*simpler) : std::nullopt)
      simpler = std::move(order);
    if (!simpler || !hasValueWhere(guard, *simpler, others))
      return;
    guard = std::move(*simpler);
    hasChanged = true;
  });
  return hasChanged;
}

/// Comparisons of products as what they say of the factors.
static bool separateFactors(llvm::MutableArrayRef<NeededGuard> guards, Solver &facts) {
  bool hasChanged = false;
  visitWithOthers(guards, facts, comparesProducts, [&](Predicate &guard, Solver &others) {
    std::optional<Predicate> separate = separateProducts(guard, others);
    if (!separate || !hasValueWhere(guard, *separate, others))
      return;
    guard = std::move(*separate);
    hasChanged = true;
  });
  return hasChanged;
}

/// A search for a shorter form takes long.
static constexpr unsigned kMostShortened = 8;

/// Long guards in few words, which say the same where the facts and the other guards hold.
static bool shorten(llvm::MutableArrayRef<NeededGuard> guards, ConstraintsAttr constraints, Solver &facts,
                    SymbolicContext &context) {
  unsigned numTried = 0;
  bool hasChanged = false;
  std::vector<Predicate> declared;
  if (constraints)
    for (PredAttr constraint : constraints.getPredicates())
      declared.push_back(constraint.getPredicate(context));
  visitWithOthers(guards, facts, mayHaveShorterForm, [&](Predicate &guard, Solver &others) {
    if (numTried++ >= kMostShortened)
      return;
    std::vector<Predicate> known = declared;
    for (const NeededGuard &other : guards)
      if (&other.predicate != &guard)
        known.push_back(other.predicate);
    if (std::optional<Predicate> shorter = findShorterForm(guard, known, others)) {
      // What is left may be bounds: `t <= 99` for `t floordiv 20 <= 4`.
      guard = simplifyGuard(*shorter, others).value_or(*shorter);
      hasChanged = true;
    }
  });
  return hasChanged;
}

/// The same for a guard together with others that only say that it has a value: `s mod 4 == 0` for what a size times
/// `s floordiv 4` is over `s`, and that `s` divides it. These go then.
static bool shortenWithObligations(SmallVectorImpl<NeededGuard> &guards, ConstraintsAttr constraints,
                                   const Solver &facts, SymbolicContext &context) {
  unsigned numTried = 0;
  bool hasChanged = false;
  for (size_t index = 0; index < guards.size(); ++index) {
    std::vector<Predicate> obligations = getObligations(guards[index].predicate), known, together;
    auto saysValue = [&](const NeededGuard &other) { return llvm::is_contained(obligations, other.predicate); };
    if (!mayHaveShorterForm(guards[index].predicate) || llvm::none_of(guards, saysValue) ||
        numTried++ >= kMostShortened)
      continue;
    if (constraints)
      for (PredAttr constraint : constraints.getPredicates())
        known.push_back(constraint.getPredicate(context));
    Solver others = facts.fork();
    for (auto [place, other] : llvm::enumerate(guards)) {
      if (place == index || saysValue(other))
        continue;
      known.push_back(other.predicate);
      (void)others.addPredicate(other.predicate, others.addReason({}));
    }
    together = obligations;
    together.push_back(multiplyOut(guards[index].predicate, others).value_or(guards[index].predicate));
    std::optional<Predicate> shorter = findShorterForm(Predicate::conjunction(std::move(together)), known, others);
    if (!shorter)
      continue;
    // The form may be one of the obligations, so the others go before it comes.
    SmallVector<NeededGuard> kept;
    size_t keptAt = 0;
    for (auto [place, other] : llvm::enumerate(guards)) {
      if (place == index)
        keptAt = kept.size();
      else if (saysValue(other))
        continue;
      kept.push_back(std::move(other));
    }
    kept[keptAt].predicate = std::move(*shorter);
    guards = std::move(kept);
    index = keptAt;
    hasChanged = true;
  }
  return hasChanged;
}

/// What is longer may hide that the others imply it. Simple guards have their final forms, so that they stay.
static void dropImplied(SmallVectorImpl<NeededGuard> &guards, Solver &facts) {
  std::vector<Predicate> predicates;
  for (const NeededGuard &guard : guards)
    predicates.push_back(guard.predicate);
  SmallVector<NeededGuard> kept;
  for (unsigned index : facts.minimizeGuards(predicates, Solver::Minimization::Thorough))
    kept.push_back(std::move(guards[index]));
  guards = std::move(kept);
}

static bool declaresRangesOnly(llvm::ArrayRef<SymbolDeclaration> symbols, ConstraintsAttr constraints) {
  return !constraints && llvm::none_of(symbols, [](const SymbolDeclaration &symbol) {
    return symbol.origin == SymbolDeclaration::Origin::Defined;
  });
}

/// The guard, better to read, if there is another form that says the same where the facts hold.
static Predicate spell(const Predicate &guard, Solver &facts, llvm::ArrayRef<SymbolDeclaration> symbols,
                       bool areRanges) {
  std::optional<Predicate> simpler = areRanges ? simplifyBound(guard, symbols) : std::nullopt;
  if (!simpler)
    simpler = simplifyGuard(guard, facts);
  Predicate spelled = simpler ? *simpler : guard, shorter = cancelTerms(spelled);
  // What relied on the guard must see it in the other form, too.
  bool isShorter = !(shorter == spelled) &&
                   (haveSameDifferences(spelled, shorter) || isImpliedBy(spelled, shorter, facts)) &&
                   hasValueWhere(spelled, shorter, facts);
  return isShorter ? shorter : spelled;
}

Predicate dyn::spellGuard(const Predicate &guard, llvm::ArrayRef<SymbolDeclaration> symbols,
                          ConstraintsAttr constraints, SymbolicContext &context) {
  Solver facts(context);
  return addDeclaredFacts(symbols, constraints, facts)
             ? spell(guard, facts, symbols, declaresRangesOnly(symbols, constraints))
             : guard;
}

std::optional<SmallVector<NeededGuard>> dyn::findNeededGuards(llvm::ArrayRef<Predicate> guards,
                                                              llvm::ArrayRef<SymbolDeclaration> symbols,
                                                              ConstraintsAttr constraints, SymbolicContext &context) {
  if (!constraints)
    if (std::optional<SmallVector<NeededGuard>> needed = findNeededOfRanges(guards, symbols))
      return needed;
  Solver facts(context);
  if (!addDeclaredFacts(symbols, constraints, facts))
    return std::nullopt;
  bool areRanges = declaresRangesOnly(symbols, constraints);
  SmallVector<NeededGuard> needed;
  bool isAnyShorter = false;
  for (unsigned index : facts.minimizeGuards(guards)) {
    needed.push_back({index, spell(guards[index], facts, symbols, areRanges)});
    isAnyShorter |= !(needed.back().predicate == guards[index]);
  }
  // What is said in few words now may imply what is not.
  bool hasChanged = isAnyShorter && llvm::any_of(needed, [](const auto &guard) { return hasChoices(guard.predicate); });
  hasChanged |= dropCases(needed, facts);
  hasChanged |= dropDivisions(needed, facts);
  hasChanged |= dropChoices(needed, facts, context);
  hasChanged |= dropFactors(needed, facts);
  hasChanged |= separateFactors(needed, facts);
  auto hasCases = [](const NeededGuard &guard) { return guard.predicate.kind == Predicate::Kind::Or; };
  if (hasChanged || llvm::any_of(needed, hasCases))
    dropImplied(needed, facts);
  bool isShorter = shortenWithObligations(needed, constraints, facts, context);
  if (shorten(needed, constraints, facts, context) || isShorter) {
    // A factor that has to be no 0 for a guard to have a value may be one where the guard is said without it.
    separateFactors(needed, facts);
    dropImplied(needed, facts);
  }
  for (NeededGuard &guard : needed) {
    guard.predicate = spellBroadcast(guard.predicate);
    if (Predicate shorter = dropIdle(guard.predicate); !(shorter == guard.predicate) &&
                                                       isImpliedBy(guard.predicate, shorter, facts) &&
                                                       hasValueWhere(guard.predicate, shorter, facts))
      guard.predicate = std::move(shorter);
    guard.predicate = putNumbersLast(std::move(guard.predicate));
  }
  return needed;
}

//===- The few guards that are needed ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Transforms/Shapes/NeededGuards.h"
#include "RangeGuards.h"
#include "ShorterForms.h"
#include "dyn/Analysis/FunctionFacts.h"
#include "dyn/Symbolic/Obligations.h"
#include <numeric>

using namespace dyn;
using namespace dyn::symbolic;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// The expression of a tree, whose operands are built by another function.
static Expr build(const ExprTree &tree, SymbolicContext &context, llvm::function_ref<Expr(const ExprTree &)> build) {
  SmallVector<Expr, 2> operands;
  for (const std::shared_ptr<const ExprTree> &operand : tree.operands)
    operands.push_back(build(*operand));
  auto fold = [&](auto combine) {
    return std::accumulate(std::next(operands.begin()), operands.end(), operands.front(), combine);
  };
  switch (tree.kind) {
  case ExprTree::Kind::Constant:
    return context.getConstant(tree.value);
  case ExprTree::Kind::Symbol:
    return context.getSymbol(tree.symbol);
  case ExprTree::Kind::Add:
    return fold([](Expr lhs, Expr rhs) { return lhs + rhs; });
  case ExprTree::Kind::Mul:
    return fold([](Expr lhs, Expr rhs) { return lhs * rhs; });
  case ExprTree::Kind::FloorDiv:
    return floorDiv(operands[0], operands[1]);
  case ExprTree::Kind::CeilDiv:
    return ceilDiv(operands[0], operands[1]);
  case ExprTree::Kind::Mod:
    return mod(operands[0], operands[1]);
  case ExprTree::Kind::ExactDiv:
    return exactDiv(operands[0], operands[1]);
  case ExprTree::Kind::Min:
    return symbolic::min(operands);
  case ExprTree::Kind::Max:
    return symbolic::max(operands);
  case ExprTree::Kind::Bcast:
    return bcast(operands);
  }
  llvm_unreachable("all kinds are covered");
}

static Expr build(const ExprTree &tree, SymbolicContext &context) {
  return build(tree, context, [&](const ExprTree &operand) { return build(operand, context); });
}

/// The terms of a sum.
static SmallVector<std::shared_ptr<const ExprTree>> getTerms(Expr expr) {
  std::shared_ptr<const ExprTree> tree = getTree(expr);
  if (tree->kind == ExprTree::Kind::Add)
    return llvm::to_vector_of<std::shared_ptr<const ExprTree>>(tree->operands);
  return {tree};
}

/// Is it a constant below 0, or a product with one?
static bool isNegative(const ExprTree &term) {
  if (term.kind == ExprTree::Kind::Constant)
    return term.value < 0;
  return term.kind == ExprTree::Kind::Mul && isNegative(*term.operands.front());
}

/// Grows with the terms, and with those that are taken away.
static size_t getLength(const Predicate &comparison) {
  size_t length = 0;
  for (Expr side : {comparison.lhs, comparison.rhs})
    for (const std::shared_ptr<const ExprTree> &term : getTerms(side))
      length += isNegative(*term) ? 2 : 1;
  return length;
}

/// The same without terms that stand on both sides of a comparison: `past + seq <= total` for
/// `batch*total + past + seq - total <= batch*total`.
static Predicate cancelTerms(Predicate predicate) {
  for (Predicate &operand : predicate.operands)
    operand = cancelTerms(std::move(operand));
  auto isTerm = [](Expr side) { return !side || side.isSymbol() || side.getConstant(); };
  if (isTerm(predicate.lhs) && isTerm(predicate.rhs))
    return predicate;
  Expr difference = predicate.lhs && predicate.rhs ? predicate.lhs - predicate.rhs : Expr();
  if (!difference || difference.getConstant())
    return predicate;
  SymbolicContext &context = difference.getContext();
  Predicate shorter = predicate;
  shorter.lhs = shorter.rhs = context.getConstant(0);
  for (const std::shared_ptr<const ExprTree> &term : getTerms(difference)) {
    Expr value = build(*term, context);
    if (isNegative(*term))
      shorter.rhs = shorter.rhs - value;
    else
      shorter.lhs = shorter.lhs + value;
  }
  return shorter.lhs && shorter.rhs && getLength(shorter) < getLength(predicate) ? shorter : predicate;
}

/// `a <= c` and `a <= a` for `min(a, c) == a`.
static std::vector<Predicate> getUpperBounds(const Predicate &guard) {
  std::vector<Predicate> bounds;
  if (guard.kind != Predicate::Kind::Equal)
    return bounds;
  for (auto [side, other] : {std::pair(guard.lhs, guard.rhs), std::pair(guard.rhs, guard.lhs)}) {
    if (side.isSymbol() || side.getConstant())
      continue;
    if (std::shared_ptr<const ExprTree> tree = getTree(side); tree->kind == ExprTree::Kind::Min)
      for (const std::shared_ptr<const ExprTree> &bound : tree->operands)
        bounds.push_back(Predicate::lessEqual(other, build(*bound, side.getContext())));
  }
  return bounds;
}

/// Do the facts and one predicate imply another?
static bool isImpliedBy(const Predicate &conclusion, const Predicate &premise, const Solver &facts) {
  Solver with = facts.fork();
  return with.addPredicate(premise, with.addReason({})) && with.implies(conclusion) == Verdict::Yes;
}

/// Are they the same but for terms that stand on both sides of comparisons? Of those, the engine sees the differences
/// of the sides only, so that it need not be asked.
static bool haveSameDifferences(const Predicate &guard, const Predicate &other) {
  if (guard.kind != other.kind || guard.operands.size() != other.operands.size())
    return false;
  if (!guard.operands.empty())
    return llvm::all_of(llvm::zip_equal(guard.operands, other.operands),
                        [](const auto &pair) { return haveSameDifferences(std::get<0>(pair), std::get<1>(pair)); });
  Expr difference = guard.lhs && guard.rhs ? guard.lhs - guard.rhs : Expr();
  return guard == other || (difference && other.lhs && other.rhs && difference == other.lhs - other.rhs);
}

/// Another way to say a guard, better to read, if it says the same: bounds of its only symbol, or of what a minimum is.
static std::optional<Predicate> simplifyGuard(const Predicate &guard, Solver &facts) {
  SmallVector<Expr, 4> symbols = guard.getSymbols();
  std::vector<Predicate> candidates = getUpperBounds(guard);
  if (symbols.size() != 1 && candidates.empty())
    return std::nullopt;
  Solver with = facts.fork();
  if (!with.addPredicate(guard, with.addReason({})))
    return std::nullopt;
  if (symbols.size() == 1)
    candidates.insert(candidates.begin(),
                      describeFacts(symbols[0], with.getFacts(symbols[0]), facts.getFacts(symbols[0])));
  for (const Predicate &candidate : candidates)
    if (candidate.kind != Predicate::Kind::True && with.implies(candidate) == Verdict::Yes &&
        isImpliedBy(guard, candidate, facts))
      return candidate;
  return std::nullopt;
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
static void dropCases(llvm::MutableArrayRef<NeededGuard> guards, Solver &facts) {
  auto hasCases = [](const Predicate &guard) { return guard.kind == Predicate::Kind::Or; };
  visitWithOthers(guards, facts, hasCases, [](Predicate &guard, Solver &others) {
    std::vector<Predicate> possible;
    for (const Predicate &operand : guard.operands)
      if (others.implies(operand) != Verdict::No)
        possible.push_back(operand);
    if (!possible.empty() && possible.size() < guard.operands.size())
      guard = possible.size() == 1 ? possible.front() : Predicate::disjunction(std::move(possible));
  });
}

/// What has to hold for both sides of a comparison to have a value.
static std::vector<Predicate> getObligations(const Predicate &guard) {
  std::vector<Predicate> obligations;
  if (guard.lhs && guard.rhs)
    for (Expr side : {guard.lhs, guard.rhs})
      llvm::append_range(obligations, getDefinedness(side));
  return obligations;
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

static bool isChoice(const ExprTree &tree) {
  return tree.kind == ExprTree::Kind::Min || tree.kind == ExprTree::Kind::Max || tree.kind == ExprTree::Kind::Bcast;
}

static bool hasChoice(const ExprTree &tree) {
  return isChoice(tree) || llvm::any_of(tree.operands, [](const auto &operand) { return hasChoice(*operand); });
}

/// The same where the facts hold, with their sides for minima and maxima that they decide.
static Expr dropChoices(const ExprTree &tree, Solver &facts, SymbolicContext &context) {
  auto simplify = [&](const ExprTree &operand) { return dropChoices(operand, facts, context); };
  Expr expr = build(tree, context, simplify);
  return isChoice(tree) ? facts.simplify(expr) : expr;
}

/// Comparisons without minima and maxima that the facts and the other guards decide. One by one, so that all guards
/// together say the same after each.
static bool dropChoices(llvm::MutableArrayRef<NeededGuard> guards, Solver &facts, SymbolicContext &context) {
  if (guards.size() < 2)
    return false;
  auto hasChoices = [](const Predicate &guard) {
    return guard.lhs && guard.rhs && (hasChoice(*getTree(guard.lhs)) || hasChoice(*getTree(guard.rhs)));
  };
  bool hasChanged = false;
  visitWithOthers(guards, facts, hasChoices, [&](Predicate &guard, Solver &others) {
    Predicate simpler = guard;
    simpler.lhs = dropChoices(*getTree(guard.lhs), others, context);
    simpler.rhs = dropChoices(*getTree(guard.rhs), others, context);
    simpler = cancelTerms(simpler);
    // A broadcast that is one of its operands where it has a value may have none.
    if (!llvm::all_of(getObligations(guard), [&](const Predicate &obligation) {
          return others.implies(obligation) == Verdict::Yes || isImpliedBy(obligation, simpler, others);
        }))
      return;
    guard = std::move(simpler);
    hasChanged = true;
  });
  return hasChanged;
}

/// Long guards in few words, which say the same where the facts and the other guards hold.
static bool shorten(llvm::MutableArrayRef<NeededGuard> guards, ConstraintsAttr constraints, Solver &facts,
                    SymbolicContext &context) {
  constexpr unsigned mostTried = 8;
  unsigned numTried = 0;
  bool hasChanged = false;
  std::vector<Predicate> declared;
  if (constraints)
    for (PredAttr constraint : constraints.getPredicates())
      declared.push_back(constraint.getPredicate(context));
  visitWithOthers(guards, facts, mayHaveShorterForm, [&](Predicate &guard, Solver &others) {
    if (numTried++ == mostTried)
      return;
    std::vector<Predicate> known = declared;
    for (const NeededGuard &other : guards)
      if (&other.predicate != &guard)
        known.push_back(other.predicate);
    if (std::optional<Predicate> shorter = findShorterForm(guard, known, others)) {
      guard = std::move(*shorter);
      hasChanged = true;
    }
  });
  return hasChanged;
}

/// `bcast(m, s) == s` says `m == s or m == 1`, of which nobody has to know what a broadcast is.
static void spellBroadcasts(llvm::MutableArrayRef<NeededGuard> guards, SymbolicContext &context) {
  auto build = [&](const ExprTree &tree) { return ::build(tree, context); };
  for (NeededGuard &guard : guards) {
    Predicate &predicate = guard.predicate;
    if (predicate.kind != Predicate::Kind::Equal)
      continue;
    for (auto [side, other] : {std::pair(predicate.lhs, predicate.rhs), std::pair(predicate.rhs, predicate.lhs)}) {
      auto tree = getTree(side);
      if (tree->kind != ExprTree::Kind::Bcast || tree->operands.size() != 2)
        continue;
      Expr first = build(*tree->operands[0]), second = build(*tree->operands[1]);
      Expr spread = first == other ? second : second == other ? first : Expr();
      if (!spread)
        continue;
      predicate =
          Predicate::disjunction({Predicate::equal(spread, other), Predicate::equal(spread, context.getConstant(1))});
      break;
    }
  }
}

/// A comparison without the numbers among the operands of a minimum or maximum that is a side of it, where these decide
/// nothing: `n <= 64` for `max(n, 0) <= 64`, `n <= 32` for `min(n, 33) <= 32`.
static Predicate dropNumbers(const Predicate &predicate, SymbolicContext &context) {
  if (!predicate.operands.empty()) {
    Predicate result = predicate;
    for (Predicate &operand : result.operands)
      operand = dropNumbers(operand, context);
    return result;
  }
  using Kind = Predicate::Kind;
  if (predicate.kind != Kind::LessEqual && predicate.kind != Kind::Less)
    return predicate;
  for (bool isLeft : {true, false}) {
    std::optional<int64_t> number = (isLeft ? predicate.rhs : predicate.lhs).getConstant();
    auto tree = getTree(isLeft ? predicate.lhs : predicate.rhs);
    bool isMax = tree->kind == ExprTree::Kind::Max;
    if (!number || (!isMax && tree->kind != ExprTree::Kind::Min))
      continue;
    // A maximum is no greater, and a minimum no less, where all operands are; else where one of them is.
    bool decidesNothing = isMax == isLeft;
    Expr left;
    for (const auto &operand : tree->operands) {
      Expr expr = build(*operand, context);
      std::optional<int64_t> value = expr ? expr.getConstant() : std::nullopt;
      int64_t small = isLeft ? value.value_or(0) : *number, large = isLeft ? *number : value.value_or(0);
      bool holds = predicate.kind == Kind::Less ? small < large : small <= large;
      if (value && holds == decidesNothing)
        continue;
      if (!expr || left)
        return predicate;
      left = expr;
    }
    if (!left)
      return predicate;
    Predicate shorter = predicate;
    (isLeft ? shorter.lhs : shorter.rhs) = left;
    return cancelTerms(shorter);
  }
  return predicate;
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

std::optional<SmallVector<NeededGuard>> dyn::findNeededGuards(llvm::ArrayRef<Predicate> guards,
                                                              llvm::ArrayRef<SymbolDeclaration> symbols,
                                                              ConstraintsAttr constraints, SymbolicContext &context) {
  if (!constraints)
    if (std::optional<SmallVector<NeededGuard>> needed = findNeededOfRanges(guards, symbols))
      return needed;
  Solver facts(context);
  if (!addDeclaredFacts(symbols, constraints, facts))
    return std::nullopt;
  bool areRanges = !constraints && llvm::none_of(symbols, [](const SymbolDeclaration &symbol) {
    return symbol.origin == SymbolDeclaration::Origin::Defined;
  });
  SmallVector<NeededGuard> needed;
  for (unsigned index : facts.minimizeGuards(guards)) {
    std::optional<Predicate> simpler = areRanges ? simplifyBound(guards[index], symbols) : std::nullopt;
    if (!simpler)
      simpler = simplifyGuard(guards[index], facts);
    Predicate guard = simpler ? *simpler : guards[index], shorter = cancelTerms(guard);
    // What relied on the guard must see it in the other form, too.
    if (!(shorter == guard) && (haveSameDifferences(guard, shorter) || isImpliedBy(guard, shorter, facts)))
      guard = shorter;
    needed.push_back({index, std::move(guard)});
  }
  dropCases(needed, facts);
  bool hasChanged = dropDivisions(needed, facts);
  hasChanged |= dropChoices(needed, facts, context);
  auto hasCases = [](const NeededGuard &guard) { return guard.predicate.kind == Predicate::Kind::Or; };
  if (hasChanged || llvm::any_of(needed, hasCases))
    dropImplied(needed, facts);
  if (shorten(needed, constraints, facts, context))
    dropImplied(needed, facts);
  spellBroadcasts(needed, context);
  for (NeededGuard &guard : needed)
    if (Predicate shorter = dropNumbers(guard.predicate, context);
        !(shorter == guard.predicate) && isImpliedBy(guard.predicate, shorter, facts))
      guard.predicate = std::move(shorter);
  return needed;
}

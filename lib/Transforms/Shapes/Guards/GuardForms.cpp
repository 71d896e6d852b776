//===- Ways to write a guard --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GuardForms.h"
#include "dyn/Symbolic/Obligations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace dyn;
using namespace dyn::symbolic;
using llvm::SmallVector;

Expr dyn::buildExpr(const ExprTree &tree, SymbolicContext &context, llvm::function_ref<Expr(const ExprTree &)> build) {
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

Expr dyn::buildExpr(const ExprTree &tree, SymbolicContext &context) {
  return buildExpr(tree, context, [&](const ExprTree &operand) { return buildExpr(operand, context); });
}

std::vector<Predicate> dyn::getObligations(const Predicate &guard) {
  std::vector<Predicate> obligations;
  for (Expr side : {guard.lhs, guard.rhs})
    if (side)
      llvm::append_range(obligations, getDefinedness(side));
  for (const Predicate &operand : guard.operands)
    llvm::append_range(obligations, getObligations(operand));
  return obligations;
}

bool dyn::implyAll(const Solver &facts, const Predicate &premise, llvm::ArrayRef<Predicate> conclusions) {
  if (conclusions.empty())
    return true;
  Solver with = facts.fork();
  return !with.addPredicate(premise, with.addReason({})) || llvm::all_of(conclusions, [&](const Predicate &conclusion) {
    return isComplete(conclusion) && with.implies(conclusion) == Verdict::Yes;
  });
}

bool dyn::hasValueWhere(const Predicate &guard, const Predicate &form, const Solver &facts) {
  return implyAll(facts, form, getObligations(guard));
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

Predicate dyn::cancelTerms(Predicate predicate) {
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
    Expr value = buildExpr(*term, context);
    if (isNegative(*term))
      shorter.rhs = shorter.rhs - value;
    else
      shorter.lhs = shorter.lhs + value;
  }
  return shorter.lhs && shorter.rhs && getLength(shorter) < getLength(predicate) ? shorter : predicate;
}

/// The operands of a side that is a choice of this kind.
static SmallVector<Expr, 4> getChoices(Expr side, ExprTree::Kind kind) {
  SmallVector<Expr, 4> choices;
  if (std::shared_ptr<const ExprTree> tree = getTree(side); tree->kind == kind)
    for (const std::shared_ptr<const ExprTree> &operand : tree->operands)
      choices.push_back(buildExpr(*operand, side.getContext()));
  return choices;
}

/// The symbols that all terms are multiples of.
static SmallVector<Expr, 2> getFactors(Expr sum) {
  SmallVector<std::shared_ptr<const ExprTree>> terms = getTerms(sum);
  auto isFactor = [&](Expr symbol) {
    auto isIt = [&](const ExprTree &tree) {
      return tree.kind == ExprTree::Kind::Symbol && tree.symbol == symbol.getSymbolName();
    };
    return llvm::all_of(terms, [&](const std::shared_ptr<const ExprTree> &term) {
      return isIt(*term) || (term->kind == ExprTree::Kind::Mul &&
                             llvm::any_of(term->operands, [&](const auto &operand) { return isIt(*operand); }));
    });
  };
  SmallVector<Expr, 2> factors;
  llvm::copy_if(sum.getSymbols(), std::back_inserter(factors), isFactor);
  return factors;
}

/// What a comparison of a sum with 0 says of a symbol that is a factor of it, and of the rest.
static void addFactors(Expr sum, bool isEquation, std::vector<Predicate> &parts) {
  if (!sum || sum.isSymbol() || sum.getConstant())
    return;
  SymbolicContext &context = sum.getContext();
  Expr zero = context.getConstant(0);
  for (Expr symbol : getFactors(sum)) {
    if (!isEquation) {
      parts.push_back(Predicate::lessEqual(context.getConstant(1), symbol));
      continue;
    }
    Expr rest = exactDiv(sum, symbol);
    while (rest && llvm::is_contained(getFactors(rest), symbol))
      rest = exactDiv(rest, symbol);
    if (!rest)
      continue;
    Predicate other = cancelTerms(Predicate::equal(rest, zero));
    parts.push_back(other);
    // Longer alternatives read no better, and hide what follows from the product.
    auto isTerm = [](Expr side) { return side.isSymbol() || side.getConstant(); };
    if (isTerm(other.lhs) && isTerm(other.rhs))
      parts.push_back(Predicate::disjunction({Predicate::equal(symbol, zero), std::move(other)}));
  }
}

using TreePtr = std::shared_ptr<const ExprTree>;

/// What a term is a product of.
static SmallVector<TreePtr> getOperands(const TreePtr &term) {
  return term->kind == ExprTree::Kind::Mul ? llvm::to_vector_of<TreePtr>(term->operands) : SmallVector<TreePtr>{term};
}

std::optional<Predicate> dyn::multiplyOut(const Predicate &guard, Solver &facts) {
  Expr difference = guard.kind == Predicate::Kind::Equal ? guard.lhs - guard.rhs : Expr(), quotient, dividend, divisor;
  if (!difference)
    return std::nullopt;
  SymbolicContext &context = difference.getContext();
  SmallVector<TreePtr> terms = getTerms(difference);
  for (const TreePtr &term : terms)
    for (const TreePtr &operand : getOperands(term))
      if (operand->kind == ExprTree::Kind::ExactDiv && !quotient) {
        quotient = buildExpr(*operand, context);
        dividend = buildExpr(*operand->operands[0], context);
        divisor = buildExpr(*operand->operands[1], context);
      }
  Expr sum = context.getConstant(0);
  for (const TreePtr &term : terms) {
    Expr product = context.getConstant(1);
    bool isOver = false;
    for (const TreePtr &operand : getOperands(term)) {
      Expr factor = buildExpr(*operand, context);
      bool isQuotient = factor == quotient && !isOver;
      isOver |= isQuotient;
      product = product * (isQuotient ? dividend : factor);
    }
    sum = sum + (isOver ? product : product * divisor);
  }
  if (!quotient || !sum || sum.getConstant())
    return std::nullopt;
  for (const TreePtr &operand : getOperands(getTerms(sum).front())) {
    Expr factor = buildExpr(*operand, context), rest = factor.getConstant() ? Expr() : exactDiv(sum, factor);
    bool isPositive = rest && facts.isLessEqual(context.getConstant(1), factor) == Verdict::Yes;
    if (isPositive && !getTree(rest)->contains(ExprTree::Kind::ExactDiv))
      sum = rest;
  }
  return cancelTerms(Predicate::equal(sum, context.getConstant(0)));
}

bool dyn::hasFactor(const Predicate &guard) {
  if (guard.kind == Predicate::Kind::Equal)
    if (Expr sum = guard.lhs - guard.rhs; sum && !sum.isSymbol() && !sum.getConstant())
      return !getFactors(sum).empty();
  return llvm::any_of(guard.operands, hasFactor);
}

std::vector<Predicate> dyn::getParts(const Predicate &guard) {
  using Kind = Predicate::Kind;
  std::vector<Predicate> parts;
  if (guard.kind == Kind::LessEqual || guard.kind == Kind::Less) {
    for (Expr upper : getChoices(guard.rhs, ExprTree::Kind::Min))
      parts.push_back({guard.kind, guard.lhs, upper, {}});
    for (Expr lower : getChoices(guard.lhs, ExprTree::Kind::Max))
      parts.push_back({guard.kind, lower, guard.rhs, {}});
    Expr above = guard.rhs - guard.lhs;
    addFactors(guard.kind == Kind::Less ? above : above + 1, /*isEquation=*/false, parts);
  }
  if (guard.kind != Kind::Equal)
    return parts;
  for (auto [side, other] : {std::pair(guard.lhs, guard.rhs), std::pair(guard.rhs, guard.lhs)}) {
    if (side.isSymbol() || side.getConstant())
      continue;
    for (Expr bound : getChoices(side, ExprTree::Kind::Min))
      parts.push_back(Predicate::lessEqual(other, bound));
    for (Expr bound : getChoices(side, ExprTree::Kind::Max))
      parts.push_back(Predicate::lessEqual(bound, other));
  }
  addFactors(guard.lhs - guard.rhs, /*isEquation=*/true, parts);
  return parts;
}

bool dyn::haveSameDifferences(const Predicate &guard, const Predicate &other) {
  if (guard.kind != other.kind || guard.operands.size() != other.operands.size())
    return false;
  if (!guard.operands.empty())
    return llvm::all_of(llvm::zip_equal(guard.operands, other.operands),
                        [](const auto &pair) { return haveSameDifferences(std::get<0>(pair), std::get<1>(pair)); });
  Expr difference = guard.lhs && guard.rhs ? guard.lhs - guard.rhs : Expr();
  return guard == other || (difference && other.lhs && other.rhs && difference == other.lhs - other.rhs);
}

Predicate dyn::putNumbersLast(Predicate guard) {
  for (Predicate &operand : guard.operands)
    operand = putNumbersLast(std::move(operand));
  if (guard.kind == Predicate::Kind::Equal && guard.lhs.getConstant())
    std::swap(guard.lhs, guard.rhs);
  return guard;
}

Predicate dyn::spellBroadcast(const Predicate &guard) {
  if (guard.kind != Predicate::Kind::Equal)
    return guard;
  for (auto [side, other] : {std::pair(guard.lhs, guard.rhs), std::pair(guard.rhs, guard.lhs)}) {
    SymbolicContext &context = side.getContext();
    auto tree = getTree(side);
    if (tree->kind != ExprTree::Kind::Bcast || tree->operands.size() != 2)
      continue;
    Expr first = buildExpr(*tree->operands[0], context), second = buildExpr(*tree->operands[1], context);
    Expr spread = first == other ? second : second == other ? first : Expr();
    if (spread)
      return Predicate::disjunction(
          {Predicate::equal(spread, other), Predicate::equal(spread, context.getConstant(1))});
  }
  return guard;
}

/// A comparison without the numbers among the operands of a minimum or maximum that is a side of it, where these decide
/// nothing: `n <= 64` for `max(n, 0) <= 64`, `n <= 32` for `min(n, 33) <= 32`.
static Predicate dropNumbers(const Predicate &predicate) {
  using Kind = Predicate::Kind;
  if (predicate.kind != Kind::LessEqual && predicate.kind != Kind::Less)
    return predicate;
  SymbolicContext &context = predicate.lhs.getContext();
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
      Expr expr = buildExpr(*operand, context);
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

/// `1 <= h` for `1 <= h ceildiv 8`, `t <= 99` for `t floordiv 20 <= 4`: an order of a number and a quotient by a
/// number.
static Predicate dropRounding(const Predicate &predicate) {
  using Kind = Predicate::Kind;
  if (predicate.kind != Kind::LessEqual && predicate.kind != Kind::Less)
    return predicate;
  SymbolicContext &context = predicate.lhs.getContext();
  bool isUpper = predicate.rhs.getConstant().has_value();
  auto tree = getTree(isUpper ? predicate.lhs : predicate.rhs);
  std::optional<int64_t> bound = (isUpper ? predicate.rhs : predicate.lhs).getConstant();
  bool isRoundedUp = tree->kind == ExprTree::Kind::CeilDiv;
  if (!bound || (!isRoundedUp && tree->kind != ExprTree::Kind::FloorDiv) ||
      tree->operands[1]->kind != ExprTree::Kind::Constant || tree->operands[1]->value < 1)
    return predicate;
  // Of `quotient <= bound`, or `bound <= quotient`, the last or first dividend.
  int64_t divisor = tree->operands[1]->value, strict = predicate.kind == Kind::Less, end;
  int64_t rest = isUpper && !isRoundedUp ? divisor - 1 : !isUpper && isRoundedUp ? 1 - divisor : 0;
  if (llvm::AddOverflow(*bound, isUpper ? -strict : strict, end) || llvm::MulOverflow(end, divisor, end) ||
      llvm::AddOverflow(end, rest, end))
    return predicate;
  Expr dividend = buildExpr(*tree->operands[0], context), last = context.getConstant(end);
  if (!dividend)
    return predicate;
  return cancelTerms(isUpper ? Predicate::lessEqual(dividend, last) : Predicate::lessEqual(last, dividend));
}

/// `1 <= b` for `1 <= 3*b`: a comparison of sums over what all terms but numbers are multiples of.
static Predicate divideFactor(const Predicate &predicate) {
  using Kind = Predicate::Kind;
  if ((predicate.kind != Kind::LessEqual && predicate.kind != Kind::Equal) || !predicate.lhs || !predicate.rhs)
    return predicate;
  int64_t factor = 0, number = 0; // of the right side
  std::vector<std::pair<std::shared_ptr<const ExprTree>, bool>> products;
  for (bool isLeft : {true, false})
    for (const std::shared_ptr<const ExprTree> &term : getTerms(isLeft ? predicate.lhs : predicate.rhs)) {
      if (term->kind == ExprTree::Kind::Constant) {
        if (isLeft ? llvm::SubOverflow(number, term->value, number) : llvm::AddOverflow(number, term->value, number))
          return predicate;
        continue;
      }
      bool isMultiple = term->kind == ExprTree::Kind::Mul && term->operands[0]->kind == ExprTree::Kind::Constant;
      int64_t coefficient = isMultiple ? term->operands[0]->value : 1;
      if (coefficient == INT64_MIN)
        return predicate;
      factor = std::gcd(factor, coefficient);
      products.push_back({term, isLeft});
    }
  if (factor < 2 || (predicate.kind == Kind::Equal && number % factor != 0))
    return predicate;
  SymbolicContext &context = predicate.lhs.getContext();
  int64_t bound = llvm::divideFloorSigned(number, factor);
  Predicate result = predicate;
  result.lhs = context.getConstant(bound < 0 ? -bound : 0);
  result.rhs = context.getConstant(bound > 0 ? bound : 0);
  for (const auto &[term, isLeft] : products) {
    Expr rest = context.getConstant(term->operands[0]->value / factor);
    for (const auto &operand : llvm::ArrayRef(term->operands).drop_front())
      rest = rest * buildExpr(*operand, context);
    Expr &side = isLeft ? result.lhs : result.rhs;
    side = side + rest;
  }
  return result.lhs && result.rhs ? result : predicate;
}

/// The predicate where some comparisons are known to be true, or to be false.
static Predicate dropKnown(const Predicate &predicate, llvm::ArrayRef<std::pair<Predicate, bool>> known) {
  using Kind = Predicate::Kind;
  if (predicate.kind != Kind::And && predicate.kind != Kind::Or) {
    for (const auto &[comparison, truth] : known)
      if (comparison == predicate)
        return {truth ? Kind::True : Kind::False, {}, {}, {}};
    return predicate;
  }
  bool isAnd = predicate.kind == Kind::And;
  std::vector<Predicate> parts = predicate.operands;
  for (size_t index = 0; index < parts.size();) {
    SmallVector<std::pair<Predicate, bool>> more(known);
    for (size_t other = 0; other < parts.size(); ++other)
      if (other != index && parts[other].operands.empty())
        more.push_back({parts[other], isAnd});
    parts[index] = dropKnown(parts[index], more);
    if (parts[index].kind == (isAnd ? Kind::False : Kind::True))
      return parts[index];
    if (parts[index].kind == (isAnd ? Kind::True : Kind::False))
      parts.erase(parts.begin() + index);
    else
      ++index;
  }
  if (parts.size() == 1)
    return parts.front();
  if (parts.empty())
    return {isAnd ? Kind::True : Kind::False, {}, {}, {}};
  return isAnd ? Predicate::conjunction(std::move(parts)) : Predicate::disjunction(std::move(parts));
}

static Predicate dropIdleNumbers(const Predicate &guard) {
  if (guard.operands.empty())
    return guard.lhs && guard.rhs ? divideFactor(dropRounding(dropNumbers(guard))) : guard;
  Predicate result = guard;
  for (Predicate &operand : result.operands)
    operand = dropIdleNumbers(operand);
  return result;
}

Predicate dyn::dropIdle(const Predicate &guard) { return dropKnown(dropIdleNumbers(guard), {}); }

//===- Comparisons of products, factor by factor ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ProductForms.h"
#include "GuardForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace dyn;
using namespace dyn::symbolic;
using llvm::SmallVector;

namespace {
/// A number, above 0, times factors that are none.
struct Product {
  int64_t number = 1;
  SmallVector<Expr, 4> factors;
};
} // namespace

/// Nothing for a sum, and for what is negative or 0.
static std::optional<Product> getProduct(Expr expr) {
  auto tree = getTree(expr);
  auto operands = tree->kind == ExprTree::Kind::Mul ? llvm::ArrayRef(tree->operands) : llvm::ArrayRef(tree);
  Product product;
  for (const auto &operand : operands) {
    Expr factor = buildExpr(*operand, expr.getContext());
    std::optional<int64_t> number = factor ? factor.getConstant() : std::nullopt;
    if (!factor || operand->kind == ExprTree::Kind::Add || (number && *number < 1))
      return std::nullopt;
    if (number)
      product.number = *number; // one at most
    else
      product.factors.push_back(factor);
  }
  return product;
}

static bool isPositive(Expr expr, Solver &facts) {
  return facts.isLessEqual(expr.getContext().getConstant(1), expr) == Verdict::Yes;
}

/// Each of them is at least 1, which their product says of sizes that are not negative.
static std::optional<Predicate> separatePositive(Expr product, Solver &facts) {
  SymbolicContext &context = product.getContext();
  std::optional<Product> parts = getProduct(product);
  if (!parts || parts->number != 1 || parts->factors.size() < 2)
    return std::nullopt;
  std::vector<Predicate> all;
  for (Expr factor : parts->factors) {
    if (facts.isLessEqual(context.getConstant(0), factor) != Verdict::Yes)
      return std::nullopt;
    Predicate bound = dropIdle(Predicate::lessEqual(context.getConstant(1), factor));
    if (!isPositive(factor, facts) && !llvm::is_contained(all, bound))
      all.push_back(std::move(bound));
  }
  if (all.empty())
    return std::nullopt;
  return all.size() == 1 ? all.front() : Predicate::conjunction(std::move(all));
}

/// Takes out of both what they have in common.
static SmallVector<Expr, 2> takeCommon(Product &lhs, Product &rhs) {
  SmallVector<Expr, 2> common;
  for (Expr factor : SmallVector<Expr, 4>(lhs.factors))
    if (auto *found = llvm::find(rhs.factors, factor); found != rhs.factors.end()) {
      common.push_back(factor);
      rhs.factors.erase(found);
      lhs.factors.erase(llvm::find(lhs.factors, factor));
    }
  return common;
}

/// The equations of factors that products of two each say, where each factor on the left is at least 1 and at most
/// that on the right: one that is less would have to be made up for.
static std::optional<Predicate> pair(const Product &lhs, const Product &rhs, Solver &facts) {
  SymbolicContext &context = facts.getContext();
  if (lhs.number != 1 || lhs.factors.size() != 2 || rhs.factors.size() != 2 ||
      !llvm::all_of(lhs.factors, [&](Expr factor) { return isPositive(factor, facts); }))
    return std::nullopt;
  // The number belongs to both of the factors on the right.
  constexpr int64_t mostShares = 256;
  for (int64_t share = 1; share <= std::min(rhs.number, mostShares); ++share)
    for (bool isSwapped : {false, true}) {
      if (rhs.number % share != 0)
        continue;
      Expr first = context.getConstant(share) * rhs.factors[isSwapped],
           second = context.getConstant(rhs.number / share) * rhs.factors[!isSwapped];
      if (first && second && facts.isLessEqual(lhs.factors[0], first) == Verdict::Yes &&
          facts.isLessEqual(lhs.factors[1], second) == Verdict::Yes)
        return Predicate::conjunction(
            {Predicate::equal(lhs.factors[0], first), Predicate::equal(lhs.factors[1], second)});
    }
  return std::nullopt;
}

static std::optional<Predicate> separateEqual(const Predicate &guard, Solver &facts) {
  SymbolicContext &context = facts.getContext();
  std::optional<Product> lhs = getProduct(guard.lhs), rhs = getProduct(guard.rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  SmallVector<Expr, 2> common = takeCommon(*lhs, *rhs);
  std::optional<Predicate> pairs = pair(*lhs, *rhs, facts);
  if (!pairs)
    pairs = pair(*rhs, *lhs, facts);
  if (!pairs)
    return std::nullopt;
  std::vector<Predicate> cases;
  for (Expr factor : common)
    if (!isPositive(factor, facts))
      cases.push_back(Predicate::equal(factor, context.getConstant(0)));
  if (cases.empty())
    return pairs;
  cases.push_back(std::move(*pairs));
  return Predicate::disjunction(std::move(cases));
}

bool dyn::comparesProducts(const Predicate &guard) {
  auto isProduct = [](Expr side) {
    auto tree = side ? getTree(side) : nullptr;
    return tree && tree->kind == ExprTree::Kind::Mul &&
           tree->operands.size() > (tree->operands[0]->kind == ExprTree::Kind::Constant ? 2 : 1);
  };
  return isComplete(guard) && guard.operands.empty() && (isProduct(guard.lhs) || isProduct(guard.rhs));
}

std::optional<Predicate> dyn::separateProducts(const Predicate &guard, Solver &facts) {
  if (guard.kind == Predicate::Kind::Equal)
    return separateEqual(guard, facts);
  bool isPositive = (guard.kind == Predicate::Kind::LessEqual && guard.lhs.getConstant() == 1) ||
                    (guard.kind == Predicate::Kind::Less && guard.lhs.getConstant() == 0);
  return isPositive ? separatePositive(guard.rhs, facts) : std::nullopt;
}

//===- Guards over quotients and products of sizes -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "NamedParts.h"
#include "GuardForms.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <functional>

using namespace dyn;
using namespace dyn::symbolic;
using llvm::SmallVector;

constexpr ExprTree::Kind kDivisions[] = {ExprTree::Kind::FloorDiv, ExprTree::Kind::CeilDiv, ExprTree::Kind::Mod,
                                         ExprTree::Kind::ExactDiv};

/// Visits the sides of all comparisons.
static void visitSides(const Predicate &guard, llvm::function_ref<void(Expr)> visit) {
  for (Expr side : {guard.lhs, guard.rhs})
    if (side)
      visit(side);
  for (const Predicate &operand : guard.operands)
    visitSides(operand, visit);
}

using Replace = llvm::function_ref<Expr(const ExprTree &)>;

/// With another expression for each part that `find` has one for.
static Expr replace(const ExprTree &tree, SymbolicContext &context, Replace find) {
  if (Expr other = find(tree))
    return other;
  return buildExpr(tree, context, [&](const ExprTree &operand) { return replace(operand, context, find); });
}

/// The difference of the sides alone is looked at: what stands on both may be what has no other place.
static Predicate replace(Predicate guard, Replace find) {
  if (guard.lhs && guard.rhs) {
    SymbolicContext &context = guard.lhs.getContext();
    guard.lhs = replace(*getTree(guard.lhs), context, find);
    guard.rhs = replace(*getTree(guard.rhs), context, find);
    if (Expr difference = guard.lhs && guard.rhs ? guard.lhs - guard.rhs : Expr())
      guard = cancelTerms({guard.kind, difference, context.getConstant(0), {}});
  }
  for (Predicate &operand : guard.operands)
    operand = replace(std::move(operand), find);
  return guard;
}

/// Takes the renamed guard if it has the name and none of the symbols that this stands for. One that is true or false
/// wherever the symbols are may have neither.
static bool take(NamedParts &named, Replace find, Expr name, Expr value, llvm::ArrayRef<Expr> symbols) {
  Predicate renamed = replace(named.guard, find);
  SmallVector<Expr, 4> left = isComplete(renamed) ? renamed.getSymbols() : SmallVector<Expr, 4>(symbols);
  SymbolFacts range;
  if (!llvm::is_contained(left, name) ||
      llvm::any_of(symbols, [&](Expr symbol) { return llvm::is_contained(left, symbol); }))
    return false;
  range.range = named.facts.getRange(value);
  if (!named.facts.declare(name, range, SymbolClass::Internal, named.facts.addReason({})))
    return false;
  named.guard = std::move(renamed);
  for (Predicate &obligation : named.obligations)
    obligation = replace(std::move(obligation), find);
  named.values[name.getNode()] = value;
  return true;
}

static std::optional<NamedParts> getIfAny(NamedParts named) {
  return named.values.empty() ? std::nullopt : std::optional(std::move(named));
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

namespace {
/// `dividend floordiv divisor`, which quotients that are rounded up are, too.
struct Quotient {
  Expr value, dividend;
  int64_t divisor;
};
} // namespace

/// A quotient by a number, of a dividend without divisions; nothing for what is something else.
static std::optional<Quotient> getQuotient(const ExprTree &tree, SymbolicContext &context) {
  bool isUp = tree.kind == ExprTree::Kind::CeilDiv;
  if ((!isUp && tree.kind != ExprTree::Kind::FloorDiv) || tree.operands[1]->kind != ExprTree::Kind::Constant ||
      tree.operands[1]->value < 1 || tree.operands[0]->contains(kDivisions))
    return std::nullopt;
  Quotient quotient{buildExpr(tree, context), buildExpr(*tree.operands[0], context), tree.operands[1]->value};
  if (isUp && quotient.dividend)
    quotient.dividend = quotient.dividend + (quotient.divisor - 1);
  return quotient.value && quotient.dividend ? std::optional(quotient) : std::nullopt;
}

/// The quotients of one symbol each, by the symbol, in the order in which they stand in the guard.
using Quotients = llvm::SmallMapVector<Expr, SmallVector<Quotient, 2>, 4>;

static void collectQuotients(const ExprTree &tree, SymbolicContext &context, Quotients &quotients) {
  if (std::optional<Quotient> quotient = getQuotient(tree, context)) {
    SmallVector<Expr, 4> symbols = quotient->value.getSymbols();
    if (symbols.size() != 1)
      return;
    quotients[symbols[0]].push_back(*quotient);
    // The other half, which the normal form writes as the rest.
    if (Expr other = quotient->divisor == 2 ? quotient->dividend - quotient->value : Expr())
      quotients[symbols[0]].push_back({other, quotient->dividend + 1, 2});
    return;
  }
  for (const auto &operand : tree.operands)
    collectQuotients(*operand, context, quotients);
}

/// What a quotient is where another one has a name: `t floordiv 2` is t less `t ceildiv 2`, and `(t + 7) floordiv 8`
/// what `(t + 3) floordiv 4` and 1 are, halved.
static Expr express(const Quotient &quotient, const Quotient &named, Expr name) {
  auto isPlain = [](Expr expr) { return expr && !getTree(expr)->contains(kDivisions); };
  Expr distance = quotient.dividend - named.dividend, sum = quotient.value + named.value;
  std::optional<int64_t> number = distance ? distance.getConstant() : std::nullopt;
  if (number && *number % named.divisor == 0 && quotient.divisor % named.divisor == 0)
    return floorDiv(name + *number / named.divisor, quotient.divisor / named.divisor);
  return isPlain(sum) ? sum - name : Expr();
}

std::optional<NamedParts> dyn::nameQuotients(const Predicate &guard, const Solver &facts) {
  Quotients quotients;
  visitSides(guard, [&](Expr side) { collectQuotients(*getTree(side), side.getContext(), quotients); });
  NamedParts named{guard, facts.fork(), Substitution(), getObligations(guard)};
  for (const auto &[symbol, candidates] : quotients) {
    SymbolicContext &context = symbol.getContext();
    Expr name = context.createSymbol("quotient");
    llvm::SmallDenseSet<Expr> tried;
    for (const Quotient &candidate : candidates) {
      auto find = [&, symbol = symbol](const ExprTree &tree) {
        std::optional<Quotient> quotient = getQuotient(tree, context);
        bool isOfSymbol = quotient && llvm::is_contained(quotient->value.getSymbols(), symbol);
        return isOfSymbol ? express(*quotient, candidate, name) : Expr();
      };
      if (tried.insert(candidate.value).second && take(named, find, name, candidate.value, symbol))
        break;
    }
  }
  return getIfAny(std::move(named));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The symbols among the factors of a product, each with its exponent.
static llvm::SmallMapVector<Expr, unsigned, 4> getPowers(const ExprTree &product, SymbolicContext &context) {
  llvm::SmallMapVector<Expr, unsigned, 4> powers;
  for (const auto &operand : product.operands)
    if (operand->kind == ExprTree::Kind::Symbol)
      ++powers[context.getSymbol(operand->symbol)];
  return powers;
}

/// The product with a name for that of some symbols, which all have the same exponent in it; else nothing.
static Expr replaceFactors(const ExprTree &tree, llvm::ArrayRef<Expr> symbols, Expr name, Replace find) {
  if (tree.kind != ExprTree::Kind::Mul)
    return {};
  SymbolicContext &context = name.getContext();
  llvm::SmallMapVector<Expr, unsigned, 4> powers = getPowers(tree, context);
  unsigned exponent = powers.lookup(symbols.front());
  if (exponent == 0 || llvm::any_of(symbols, [&](Expr symbol) { return powers.lookup(symbol) != exponent; }))
    return {};
  Expr product = context.getConstant(1);
  for (unsigned i = 0; i < exponent; ++i)
    product = product * name;
  for (const auto &operand : tree.operands)
    if (operand->kind != ExprTree::Kind::Symbol || !llvm::is_contained(symbols, context.getSymbol(operand->symbol)))
      product = product * replace(*operand, context, find);
  return product;
}

static void collectProducts(const ExprTree &tree, SymbolicContext &context,
                            llvm::SmallVectorImpl<SmallVector<Expr, 4>> &products) {
  if (tree.kind == ExprTree::Kind::Mul) {
    llvm::SmallMapVector<Expr, unsigned, 4> powers = getPowers(tree, context);
    SmallVector<Expr, 4> symbols;
    for (auto [symbol, exponent] : powers)
      symbols.push_back(symbol);
    if (symbols.size() > 1 && !llvm::is_contained(products, symbols))
      products.push_back(std::move(symbols));
  }
  for (const auto &operand : tree.operands)
    collectProducts(*operand, context, products);
}

std::optional<NamedParts> dyn::nameProduct(const Predicate &guard, const Solver &facts) {
  SmallVector<SmallVector<Expr, 4>> products;
  visitSides(guard, [&](Expr side) { collectProducts(*getTree(side), side.getContext(), products); });
  NamedParts named{guard, facts.fork(), Substitution(), getObligations(guard)};
  for (llvm::ArrayRef<Expr> symbols : products) {
    SymbolicContext &context = symbols.front().getContext();
    Expr name = context.createSymbol("product"), value = context.getConstant(1);
    for (Expr symbol : symbols)
      value = value * symbol;
    std::function<Expr(const ExprTree &)> find = [&](const ExprTree &tree) {
      return replaceFactors(tree, symbols, name, find);
    };
    if (take(named, find, name, value, symbols))
      return getIfAny(std::move(named));
  }
  return std::nullopt;
}

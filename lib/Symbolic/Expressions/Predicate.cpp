//===- Predicates over expressions --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Predicate.h"
#include "Expressions/Comparison.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

Predicate Predicate::broadcastable(Expr lhs, Expr rhs) {
  if (!lhs || !rhs)
    return equal(lhs, rhs);
  Expr one = lhs.getContext().getConstant(1);
  return disjunction({equal(lhs, rhs), equal(lhs, one), equal(rhs, one)});
}

bool Predicate::operator==(const Predicate &other) const {
  return kind == other.kind && lhs == other.lhs && rhs == other.rhs && operands == other.operands;
}

bool dyn::symbolic::isComplete(const Predicate &predicate) {
  switch (predicate.kind) {
  case Predicate::Kind::Equal:
  case Predicate::Kind::NotEqual:
  case Predicate::Kind::LessEqual:
  case Predicate::Kind::Less:
    return predicate.lhs && predicate.rhs;
  default:
    return llvm::all_of(predicate.operands, isComplete);
  }
}

uint64_t dyn::symbolic::getSymbolMask(const Predicate &predicate) {
  uint64_t mask = 0;
  for (Expr side : {predicate.lhs, predicate.rhs})
    mask |= side ? side.getNode()->symbolMask : 0;
  for (const Predicate &operand : predicate.operands)
    mask |= getSymbolMask(operand);
  return mask;
}

static void collectSymbols(const Predicate &predicate, SymbolCollector &symbols) {
  for (Expr side : {predicate.lhs, predicate.rhs})
    if (side)
      symbols.add(side);
  for (const Predicate &operand : predicate.operands)
    collectSymbols(operand, symbols);
}

/// A side, if there is one.
static Expr findSide(const Predicate &predicate) {
  Expr side = predicate.lhs ? predicate.lhs : predicate.rhs;
  for (const Predicate &operand : predicate.operands)
    side = side ? side : findSide(operand);
  return side;
}

llvm::SmallVector<Expr, 4> Predicate::getSymbols() const {
  llvm::SmallVector<Expr, 4> result;
  Expr side = findSide(*this);
  if (!side || side.getNode()->context->listSymbols(getSymbolMask(*this), result))
    return result;
  SymbolCollector symbols;
  collectSymbols(*this, symbols);
  for (const Atom *symbol : symbols.get())
    result.push_back(symbol->expr);
  return result;
}

unsigned dyn::symbolic::countNodes(const Predicate &predicate) {
  unsigned count = 1;
  for (Expr side : {predicate.lhs, predicate.rhs})
    count += side ? side.getNode()->nodeCount : 0;
  for (const Predicate &operand : predicate.operands)
    count += countNodes(operand);
  return count;
}

Predicate dyn::symbolic::substitute(const Predicate &predicate, const Substitution &substitution) {
  return mapSides(predicate, [&](Expr side) { return substitute(side, substitution); });
}

/// Conjunctions and disjunctions are decided by one operand if it decides them.
static std::optional<bool> evaluateJoined(const Predicate &predicate, bool deciding,
                                          llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> valueOf) {
  bool allKnown = true;
  for (const Predicate &operand : predicate.operands) {
    std::optional<bool> value = evaluate(operand, valueOf);
    if (value == deciding)
      return deciding;
    allKnown &= value.has_value();
  }
  return allKnown ? std::optional(!deciding) : std::nullopt;
}

std::optional<bool> dyn::symbolic::evaluate(const Predicate &predicate,
                                            llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> valueOf) {
  using Kind = Predicate::Kind;
  switch (predicate.kind) {
  case Kind::True:
    return true;
  case Kind::False:
    return false;
  case Kind::And:
    return evaluateJoined(predicate, false, valueOf);
  case Kind::Or:
    return evaluateJoined(predicate, true, valueOf);
  case Kind::Not: {
    std::optional<bool> operand = evaluate(predicate.operands.front(), valueOf);
    return operand ? std::optional(!*operand) : std::nullopt;
  }
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::LessEqual:
  case Kind::Less:
    break;
  }
  std::optional<int64_t> lhs = evaluate(predicate.lhs, valueOf), rhs = evaluate(predicate.rhs, valueOf);
  if (!lhs || !rhs)
    return std::nullopt;
  return holdsBetween(predicate.kind, *lhs, *rhs);
}

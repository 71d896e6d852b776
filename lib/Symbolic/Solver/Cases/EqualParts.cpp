//===- Products that are equal factor by factor ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Cases/EqualParts.h"
#include "Solver/Cases/Splits.h"
#include "dyn/Symbolic/Obligations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace dyn::symbolic;

/// Quotients and maxima in products among which pairs are looked for.
static constexpr size_t maximalParts = 6;

/// Do they round the same multiple, so that facts may make the same of them? `h floordiv 32` and `h ceildiv 32`.
static bool mayBeTheSame(const Atom *a, const Atom *b) {
  if (a->kind != AtomKind::FloorDiv || b->kind != AtomKind::FloorDiv || a->operands[1] != b->operands[1])
    return false;
  Expr difference = a->operands[0] - b->operands[0];
  return a->operands[1].getConstant() && difference && difference.getConstant();
}

/// What the difference may be, if it is constant: what it is at points, which need not be possible.
static std::optional<int64_t> guessDifference(const Atom *a, const Atom *b) {
  if (mayBeTheSame(a, b))
    return 0;
  std::optional<int64_t> guessed;
  for (int64_t factor : {2, 3}) {
    auto valueOf = [&](llvm::StringRef name) -> std::optional<int64_t> {
      int64_t value = 11;
      for (char letter : name)
        value += factor * static_cast<unsigned char>(letter);
      return value;
    };
    std::optional<int64_t> first = evaluate(a->expr, valueOf), second = evaluate(b->expr, valueOf);
    std::optional<int64_t> difference = first && second ? checkedSub(*first, *second) : std::nullopt;
    if (!difference || (guessed && guessed != difference))
      return std::nullopt;
    guessed = difference;
  }
  return guessed;
}

/// Quotients and maxima that are factors of products, in quotients of products too.
static void collectParts(Expr expr, llvm::SmallSetVector<const Atom *, 8> &parts) {
  for (const Term &term : getTerms(expr))
    for (const Power &power : term.monomial->getPowers()) {
      if (power.atom->isSymbol())
        continue;
      if (term.monomial->degree > 1)
        parts.insert(power.atom);
      for (Expr operand : power.atom->operands)
        collectParts(operand, parts);
    }
}

bool dyn::symbolic::isEqualByParts(FactStore &store, const Predicate &equation,
                                   llvm::function_ref<bool(const Predicate &)> isTrue) {
  SymbolicContext::Impl &context = store.getContext();
  ExprBuilder builder(context);
  Expr lhs = equation.lhs, rhs = equation.rhs;
  llvm::SmallSetVector<const Atom *, 8> parts;
  collectParts(lhs, parts);
  collectParts(rhs, parts);
  if (parts.size() < 2 || parts.size() > maximalParts)
    return false;
  // Nothing is gained where a divisor may be 0; that a division leaves nothing may follow from equal parts.
  auto hasNoZeroDivisor = [&](Expr side) {
    Expr plain = withoutPromises(side);
    return plain && hasValue(store, plain);
  };
  if (!hasNoZeroDivisor(lhs) || !hasNoZeroDivisor(rhs))
    return false;
  llvm::SmallPtrSet<const Atom *, 8> replaced;
  for (const Atom *part : parts)
    for (const Atom *other : parts) {
      // What is nested in another one is not replaced by it.
      if (part == other || part->depth < other->depth || part->symbolMask != other->symbolMask ||
          replaced.count(part) || replaced.count(other))
        continue;
      std::optional<int64_t> offset = guessDifference(part, other);
      Expr value = offset ? builder.add(context.getExpr(other), context.getConstant(*offset)) : Expr();
      if (!value || !isTrue(Predicate::equal(context.getExpr(part), value)))
        continue;
      replaced.insert(part);
      ExprBuilder::Memo memo;
      auto replace = [&](const Atom *atom) { return atom == part ? value : Expr(); };
      lhs = builder.rebuild(lhs, replace, memo);
      rhs = builder.rebuild(rhs, replace, memo);
      if (!lhs || !rhs)
        return false;
    }
  // What is left may have a value at fewer points than the sides, or be decided by facts.
  return !replaced.empty() && ((lhs == rhs && hasValue(store, equation.lhs) && hasValue(store, equation.rhs)) ||
                               isTrue(Predicate::equal(lhs, rhs)));
}

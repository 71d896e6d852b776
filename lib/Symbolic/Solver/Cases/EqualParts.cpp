//===- Products that are equal factor by factor ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Cases/EqualParts.h"
#include "Solver/Cases/Splits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace dyn::symbolic;

/// Quotients and maxima in products among which pairs are looked for.
static constexpr size_t maximalParts = 6;

/// What the difference may be, if it is constant: what it is at points, which need not be possible.
static std::optional<int64_t> guessDifference(const Atom *a, const Atom *b) {
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

bool dyn::symbolic::isEqualByParts(FactStore &store, const Predicate &equation,
                                   llvm::function_ref<bool(const Predicate &)> isTrue) {
  SymbolicContext::Impl &context = store.getContext();
  ExprBuilder builder(context);
  Expr difference = builder.subtract(equation.lhs, equation.rhs);
  if (!difference || difference.getNode()->depth == 0 || !hasValue(store, difference))
    return false;
  llvm::SmallSetVector<const Atom *, 8> parts;
  for (const Term &term : getTerms(difference))
    for (const Power &power : term.monomial->getPowers())
      if (term.monomial->degree > 1 && !power.atom->isSymbol())
        parts.insert(power.atom);
  if (parts.size() < 2 || parts.size() > maximalParts)
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
      difference = builder.rebuild(difference, replace, memo);
      if (!difference)
        return false;
    }
  return difference.isConstant(0);
}

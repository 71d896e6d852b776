//===- What symbols stand for ------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace dyn::symbolic;

/// The symbol that a value is, but for a constant.
static const Atom *getLinkedSymbol(Expr value) {
  Terms variable = dropConstant(getTerms(value));
  bool isOne = variable.size() == 1 && variable[0].coefficient == 1;
  const Atom *atom = isOne ? variable[0].monomial->getAtom() : nullptr;
  return atom && atom->isSymbol() ? atom : nullptr;
}

void FactStore::setValue(const Atom *symbol, Expr value) {
  constexpr size_t maximalRecent = 32;
  // Of sizes that are halved and rounded up one after the other, each has fewer quotients so, and so have products.
  value = builder.joinHalves(value);
  getSymbol(symbol).value = value;
  if (getLinkedSymbol(value))
    return;
  recentlyValued.push_back(symbol);
  if (hypothetical || recentlyValued.size() <= maximalRecent)
    return;
  if (!valueUsers || valueUsers.use_count() > 1)
    valueUsers = valueUsers ? std::make_shared<ValueUsers>(*valueUsers) : std::make_shared<ValueUsers>();
  for (const Atom *recent : recentlyValued)
    if (Expr known = look(recent).value)
      valueUsers->add(recent, known);
  recentlyValued.clear();
}

static bool isLinear(Expr value) {
  return value.getNode()->depth == 0 &&
         llvm::all_of(getTerms(value), [](const Term &term) { return term.monomial->degree <= 1; });
}

/// A symbol of a sum that has a value by now.
const Atom *FactStore::findRemoved(Expr sum) const {
  if (isLinear(sum))
    for (const Term &term : dropConstant(getTerms(sum)))
      if (const Atom *symbol = term.monomial->getAtom(); symbol && look(symbol).value)
        return symbol;
  return nullptr;
}

/// The last symbol with a value along values that are other symbols, but for a constant.
const Atom *FactStore::getLastLinked(const Atom *symbol) const {
  while (const Atom *next = getLinkedSymbol(look(symbol).value)) {
    if (!look(next).value)
      break;
    symbol = next;
  }
  return symbol;
}

/// A symbol whose value is a sum that mentions a removed symbol, on the way from a sum.
const Atom *FactStore::findLate(Expr sum) const {
  if (isLinear(sum))
    for (const Term &term : dropConstant(getTerms(sum)))
      if (const Atom *symbol = term.monomial->getAtom(); symbol && look(symbol).value) {
        const Atom *last = getLastLinked(symbol);
        if (!getLinkedSymbol(look(last).value) && findRemoved(look(last).value))
          return last;
      }
  return nullptr;
}

/// Of a symbol whose value is a sum. What it mentions comes first, so that each value changes once, however long the
/// way is, and nothing is left for others to bring up to date.
void FactStore::updateValue(const Atom *symbol) {
  llvm::SmallVector<const Atom *> path;
  for (path.push_back(symbol); !path.empty();) {
    const Atom *last = path.back();
    if (const Atom *further = findLate(look(last).value)) {
      path.push_back(further);
      continue;
    }
    path.pop_back();
    ExprBuilder::Memo memo;
    auto replace = [&](const Atom *atom) { return atom->isSymbol() ? getValue(atom) : Expr(); };
    Expr updated = builder.rebuild(look(last).value, replace, memo);
    // What is too large, or leaves 64 bits, is lost: the symbol stands for itself again. Kept as it is, it would be
    // beside what it mentions, and values could go in circles.
    if (updated && !isTooLarge(updated))
      setValue(last, updated);
    else
      getSymbol(last).value = Expr();
  }
}

/// Follows values that are other symbols, but for a constant. Those on the way get the last symbol as theirs, so that a
/// long way is gone once only, or some of them.
Expr FactStore::getValue(const Atom *symbol) {
  if (!look(symbol).value)
    return {};
  if (const Atom *last = getLastLinked(symbol); !getLinkedSymbol(look(last).value) && findRemoved(look(last).value))
    updateValue(last);
  Expr value = look(symbol).value;
  if (!value)
    return {};
  const Atom *last = getLinkedSymbol(value);
  if (!last || !look(last).value)
    return value;
  llvm::SmallVector<const Atom *> passed = {symbol};
  for (; last && look(last).value; last = getLinkedSymbol(look(last).value))
    passed.push_back(last);
  Expr end = look(passed.pop_back_val()).value;
  auto getOffset = [&](Expr link) { return getConstantTerm(getTerms(link)); };
  Expr target = last ? context.getExpr(last) : context.getExpr(getLinkedSymbol(look(passed.back()).value));
  std::optional<int64_t> offset = last ? getOffset(end) : 0;
  // Of a long way every few symbols, so that no question pays for all: others have as few steps to one of these.
  constexpr size_t maximalRelinked = 256;
  size_t stride = passed.size() / maximalRelinked + 1;
  for (size_t place = passed.size(); place-- > 0;) {
    offset = checkedAdd(*offset, getOffset(look(passed[place]).value));
    // What leaves 64 bits stays as it is.
    if (!offset)
      return value;
    if (place % stride != 0)
      continue;
    Expr link = builder.add(target, context.getConstant(*offset));
    if (!link)
      return value;
    if (look(passed[place]).value != link)
      getSymbol(passed[place]).value = link;
  }
  Expr result = last ? look(symbol).value : builder.add(end, context.getConstant(*offset));
  return result ? result : value;
}

llvm::SmallVector<const Atom *> FactStore::getValueUsers(const Atom *symbol, size_t limit) const {
  llvm::SmallVector<const Atom *> users;
  llvm::SmallPtrSet<const Atom *, 16> seen;
  auto add = [&](llvm::ArrayRef<const Atom *> candidates) {
    for (const Atom *candidate : candidates)
      if (Expr value = look(candidate).value;
          candidate != symbol && value && (value.getNode()->symbolMask & symbol->symbolMask) &&
          !getLinkedSymbol(value) && mentions(getTerms(value), symbol) && seen.insert(candidate).second) {
        users.push_back(candidate);
        if (users.size() >= limit)
          return;
      }
  };
  if (valueUsers)
    add(valueUsers->look(symbol));
  if (users.size() < limit)
    add(recentlyValued);
  return users;
}

/// Where many values mention a symbol that gets one, sums do not change before they are looked at: of a row of `s1 ==
/// s0 + 8*p`, `s2 == s1 + 8*p` and so on, each equation takes away what all values before it mention, if the last one
/// comes first. As long as no sum gets longer by it.
static bool isUpdatedLate(Expr sum, Expr value) {
  if (!isLinear(sum) || !isLinear(value))
    return false;
  auto isIn = [&](const Term &term) {
    return llvm::any_of(getTerms(sum), [&](const Term &other) { return other.monomial == term.monomial; });
  };
  return llvm::count_if(dropConstant(getTerms(value)), [&](const Term &term) { return !isIn(term); }) <= 1;
}

bool FactStore::assign(const Atom *symbol, Expr value) {
  constexpr size_t maximalUpdates = 16;
  if (Expr known = look(symbol).value) {
    push(Task::Zero, builder.subtract(known, value));
    return true;
  }
  // Nothing is lost but strength.
  if (!value || mentions(getTerms(value), symbol))
    return true;
  // What leaves 64 bits along values that are other symbols mentions one with a value, perhaps in terms of this one. So
  // what a value mentions got its value later, if it has one, and no way along values leads in circles.
  auto hasValue = [&](Expr inside) { return bool(look(getSymbolAtom(inside)).value); };
  if (llvm::any_of(value.getSymbols(), hasValue))
    return store(builder.subtract(context.getExpr(symbol), value));
  setValue(symbol, value);
  changed();
  // Values that are no other symbol never mention removed symbols, but for sums.
  llvm::SmallVector<std::pair<const Atom *, Expr>> updates;
  llvm::SmallVector<const Atom *> users = getValueUsers(symbol);
  for (const Atom *other : users) {
    if (users.size() > maximalUpdates && isUpdatedLate(look(other).value, value))
      continue;
    updates.emplace_back(other, getInner(look(other).value));
    if (!updates.back().second) {
      // Too large to be written out: leave the equation unsolved.
      getSymbol(symbol).value = Expr();
      changed();
      return store(builder.subtract(context.getExpr(symbol), value));
    }
  }
  // No effort, since none may be left over, but work.
  context.work += updates.size();
  // What has become the same, but for a constant, has it from this symbol from now on: of a row of `t0 == bcast(q,
  // t1)`, `t1 == bcast(q, t2)` and so on, each fact changes one value.
  Terms variable = dropConstant(getTerms(value));
  for (auto [other, updated] : updates) {
    bool isAlike = dropConstant(getTerms(updated)) == variable;
    Expr offset = isAlike ? builder.subtract(updated, value) : Expr();
    Expr link = offset ? builder.add(context.getExpr(symbol), offset) : Expr();
    setValue(other, link ? link : updated);
  }
  removed.push_back(symbol);
  changed();
  for (Expr inside : value.getSymbols()) {
    unsigned &uses = getSymbol(getSymbolAtom(inside)).uses;
    uses = llvm::SaturatingAdd(uses, llvm::SaturatingAdd(look(symbol).uses, 1u));
  }

  const Symbol info = look(symbol);
  if (info.range.hasLower())
    push(Task::NonNegative, builder.subtract(value, context.getConstant(info.range.lower)));
  if (info.range.hasUpper())
    push(Task::NonNegative, builder.subtract(context.getConstant(info.range.upper), value));
  for (int64_t excluded : info.notEqual)
    push(Task::NonZero, builder.subtract(value, context.getConstant(excluded)));
  revisit(symbol);
  return true;
}

/// Brings the values of removed symbols into the form that an equation gives them which rewrites that term. All its
/// symbols stand in what it rewrites, so the values that mention one of them are enough.
void FactStore::refreshValues(Term rewritten) {
  Expr term = context.getExpr(Term{rewritten.monomial, 1});
  const ExprNode *node = term.getNode();
  // Further values are brought into that form where they are used.
  constexpr size_t maximalUsers = 128;
  std::optional<llvm::SmallVector<const Atom *>> fewest;
  for (Expr symbol : term.getSymbols())
    if (llvm::SmallVector<const Atom *> found = getValueUsers(getSymbolAtom(symbol), maximalUsers);
        !fewest || found.size() < fewest->size())
      fewest = std::move(found);
  // Nothing where it has no symbols: operands that do not broadcast.
  if (!fewest)
    return;
  llvm::SmallVector<std::pair<const Atom *, Expr>> updates;
  for (const Atom *symbol : *fewest) {
    Expr value = look(symbol).value;
    if ((value.getNode()->symbolMask & node->symbolMask) != node->symbolMask || value.getNode()->depth < node->depth)
      continue;
    if (Expr updated = getInner(value); updated && updated != value)
      updates.emplace_back(symbol, updated);
  }
  for (auto [symbol, updated] : updates)
    setValue(symbol, updated);
  if (!updates.empty())
    changed();
}

//===- Symbols, their ranges and inner forms ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace dyn::symbolic;

static constexpr int64_t minusInfinity = Interval::minusInfinity, plusInfinity = Interval::plusInfinity;

/// Range changes of one symbol; further ones are ignored, which is weaker and therefore right.
static constexpr unsigned maximalTightenings = 64;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

Interval FactStore::getSymbolRange(const Atom *symbol) const { return look(symbol).range; }

const Atom *FactStore::createParameter(const Atom *owner, Expr definition) {
  // A name that nobody writes. What it stands for is known to this store and its copies only.
  const Atom *parameter = context.getSymbol("\x01" + std::to_string(parameters++));
  const Symbol info = look(owner);
  Symbol &symbol = getSymbol(parameter);
  symbol.symbolClass = info.symbolClass;
  symbol.order = info.order;
  symbol.isParameter = true;
  symbol.range = Interval();
  prover.forgetRangesWith(parameter);
  symbol.definition = definition;
  return parameter;
}

void FactStore::changed() {
  innerAtoms.forget();
  innerForms.forget();
  prover.forgetCutRanges();
}

void FactStore::forgetAnswers() {
  changed();
  prover.forget();
}

void FactStore::shareResults(const FactStore &other) {
  innerAtoms = other.innerAtoms;
  innerForms = other.innerForms;
  prover.share(other.prover);
}

bool FactStore::isPreferred(const Atom *a, const Atom *b) {
  const Symbol &first = look(a), &second = look(b);
  if (first.symbolClass != second.symbolClass)
    return first.symbolClass > second.symbolClass;
  if (first.order != second.order)
    return first.order < second.order;
  // Of symbols that were not declared, the one with the shorter name: which was mentioned first depends on the order of
  // the facts.
  if (first.isParameter != second.isParameter)
    return second.isParameter;
  if (!first.isParameter && first.order == UINT_MAX)
    return a->name.size() != b->name.size() ? a->name.size() < b->name.size() : a->name < b->name;
  return context.comesBefore(a, b);
}

size_t FactStore::countUses(const Atom *symbol) const {
  buildUsers();
  size_t uses = look(symbol).uses;
  for (FactKind kind : {Equation, Inequality, Disequality})
    uses += users.exprs[kind].look(symbol->index).size();
  return uses + users.disjunctions.look(symbol->index).size();
}

bool FactStore::isLeftRather(const Atom *a, const Atom *b) {
  const Symbol &first = look(a), &second = look(b);
  auto isAnyone = [](const Symbol &info) { return info.order == UINT_MAX && !info.isParameter; };
  if (keepsUsed && isAnyone(first) && isAnyone(second) && first.symbolClass == second.symbolClass)
    if (size_t usesOfFirst = countUses(a), usesOfSecond = countUses(b); usesOfFirst != usesOfSecond)
      return usesOfFirst > usesOfSecond;
  return isPreferred(a, b);
}

bool FactStore::declare(const Atom *symbol, const SymbolFacts &facts, SymbolClass symbolClass) {
  Symbol &info = getSymbol(symbol);
  bool first = info.order == UINT_MAX;
  if (first) {
    info.symbolClass = symbolClass;
    info.order = declarations++;
  }
  Interval range{facts.range.lower.value_or(minusInfinity), facts.range.upper.value_or(plusInfinity)};
  Expr value = getInner(context.getExpr(symbol));
  if (!value)
    return true;
  if (first && !info.value) {
    // The range of a symbol that was not declared is a default, not a fact.
    info.range = {minusInfinity, plusInfinity};
    prover.forgetRangesWith(symbol);
    changed();
  }
  if (range.isEmpty())
    return contradict();
  if (!info.value) {
    if (!restrictRange(symbol, range))
      return false;
  } else {
    if (range.hasLower())
      push(Task::NonNegative, builder.subtract(value, context.getConstant(range.lower)));
    if (range.hasUpper())
      push(Task::NonNegative, builder.subtract(context.getConstant(range.upper), value));
  }
  if (facts.modulus > 1 && !assertCongruent(value, facts.modulus, facts.remainder))
    return false;
  for (int64_t excluded : facts.notEqual)
    push(Task::NonZero, builder.subtract(value, context.getConstant(excluded)));
  return settle();
}

void FactStore::widen(const Atom *symbol) {
  Symbol &info = getSymbol(symbol);
  if (info.order != UINT_MAX || info.value || !info.range.hasLower())
    return;
  info.range = {};
  prover.forgetRangesWith(symbol);
  changed();
}

void FactStore::refine(Expr expr, SymbolFacts &facts) {
  Expr value = getInner(expr);
  if (!value)
    return;
  Interval range = getRange(value);
  facts.range.lower = range.hasLower() ? std::optional(range.lower) : std::nullopt;
  facts.range.upper = range.hasUpper() ? std::optional(range.upper) : std::nullopt;
  std::tie(facts.modulus, facts.remainder) = getCongruence(value);
  if (facts.modulus == 0)
    facts.modulus = 1, facts.remainder = 0;
  if (expr.isSymbol()) {
    const Atom *symbol = getSymbolAtom(expr);
    facts.notEqual.append(look(symbol).notEqual.begin(), look(symbol).notEqual.end());
  }
  llvm::sort(facts.notEqual);
  facts.notEqual.erase(llvm::unique(facts.notEqual), facts.notEqual.end());
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

void FactStore::revisit(const Atom *symbol) {
  for (Expr equation : take(Equation, symbol))
    push(Task::Zero, equation);
  for (Expr inequality : take(Inequality, symbol))
    push(Task::NonNegative, inequality);
  for (Expr disequality : take(Disequality, symbol))
    push(Task::NonZero, disequality);
  touch(symbol);
}

void FactStore::touch(Expr expr) {
  if (disjunctions.empty() || !expr)
    return;
  for (Expr symbol : expr.getSymbols())
    touch(getSymbolAtom(symbol));
}

bool FactStore::restrictRange(const Atom *symbol, Interval range) {
  Symbol &info = getSymbol(symbol);
  if (info.value) {
    if (range.hasLower())
      push(Task::NonNegative, builder.subtract(info.value, context.getConstant(range.lower)));
    if (range.hasUpper())
      push(Task::NonNegative, builder.subtract(context.getConstant(range.upper), info.value));
    return true;
  }
  Interval narrowed = intersect(info.range, withFiniteEnds(range));
  auto isExcluded = [&](int64_t value) { return llvm::is_contained(info.notEqual, value); };
  while (narrowed.hasLower() && !narrowed.isEmpty() && isExcluded(narrowed.lower))
    ++narrowed.lower;
  while (narrowed.hasUpper() && !narrowed.isEmpty() && isExcluded(narrowed.upper))
    --narrowed.upper;
  narrowed = withFiniteEnds(narrowed);
  // The range says it of the others.
  llvm::erase_if(info.notEqual, [&](int64_t value) { return !narrowed.contains(value); });
  if (narrowed == info.range)
    return true;
  if (narrowed.isEmpty())
    return contradict();
  if (info.tightenings >= maximalTightenings && !narrowed.isSingleton())
    return true;
  ++info.tightenings;
  info.range = narrowed;
  prover.forgetRangesWith(symbol);
  changed();
  if (narrowed.isSingleton())
    return assign(symbol, context.getConstant(narrowed.lower));
  revisit(symbol);
  return true;
}

bool FactStore::excludeValue(const Atom *symbol, int64_t value) {
  Symbol &info = getSymbol(symbol);
  if (!info.range.contains(value) || llvm::is_contained(info.notEqual, value))
    return true;
  info.notEqual.push_back(value);
  touch(symbol);
  return restrictRange(symbol, info.range);
}

//===----------------------------------------------------------------------===//
// Inner form
//===----------------------------------------------------------------------===//

/// The symbol that an expression is, else null.
static const Atom *getLoneSymbol(Expr expr) {
  Terms terms = getTerms(expr);
  if (terms.size() != 1 || terms[0].coefficient != 1)
    return nullptr;
  const Atom *atom = terms[0].monomial->getAtom();
  return atom && atom->isSymbol() ? atom : nullptr;
}

bool FactStore::isTooLarge(Expr inner) {
  constexpr unsigned maximalDepth = 16, maximalNodes = 600;
  return inner.getNode()->depth > maximalDepth || inner.getNode()->nodeCount > maximalNodes;
}

Expr FactStore::getInner(Expr expr) {
  if (!expr)
    return {};
  // What is most often asked about.
  if (const Atom *symbol = open[Equation].empty() ? getLoneSymbol(expr) : nullptr)
    if (Expr value = getValue(symbol); !value || getLoneSymbol(value) || value.getConstant())
      return value ? value : expr;
  auto found = innerForms.get().find(expr);
  if (found != innerForms.get().end())
    return found->second;
  auto replace = [&](const Atom *atom) -> Expr {
    if (atom->isSymbol()) {
      Expr value = getValue(atom);
      // What was learnt since may tell its quotients by sizes. A hypothesis has no effort to spare.
      bool mayBeTold = value && !hypothetical && !open[Inequality].empty();
      return mayBeTold && !getSizesThatDivide(value).empty() ? getInner(value) : value;
    }
    auto found = innerAtoms.get().find(atom);
    if (found != innerAtoms.get().end())
      return found->second;
    llvm::SmallVector<Expr, 4> operands =
        llvm::map_to_vector(atom->operands, [&](Expr operand) { return getInner(operand); });
    // Without effort, only what has changed is looked at.
    bool isKept = context.fuel == 0 && operands == atom->operands;
    if (!isKept)
      context.spend(ExprBuilder::costOfAtom);
    // What bounds tell of one atom is to leave something for the others, and for equations that rewrite.
    constexpr unsigned fuelOfAtom = 500;
    SymbolicContext::Impl::FuelSlice slice(context, fuelOfAtom);
    if (Expr quotient = isKept ? Expr() : divideByEquation(atom->kind, operands))
      return innerAtoms.get()[atom] = quotient;
    if (Expr quotient = isKept ? Expr() : divideByInequality(atom->kind, operands))
      return innerAtoms.get()[atom] = quotient;
    return innerAtoms.get()[atom] = isKept ? context.getExpr(atom) : builder.build(atom->kind, operands);
  };
  Expr rebuilt = builder.rebuild(expr, replace, innerAtoms.get());
  Expr result = open[Equation].empty() || context.fuel == 0 ? rebuilt : reduceByEquations(rebuilt);
  if (result && isTooLarge(result))
    result = {};
  innerForms.get()[expr] = result;
  return result;
}

bool FactStore::isNamedPolynomial(Expr inner) const {
  return inner.getNode()->depth == 0 &&
         llvm::none_of(inner.getSymbols(), [&](Expr symbol) { return look(getSymbolAtom(symbol)).isParameter; });
}

Predicate FactStore::getInner(const Predicate &predicate) {
  Predicate result = predicate;
  Expr lhs = getInner(predicate.lhs), rhs = getInner(predicate.rhs);
  if (lhs && rhs)
    result.lhs = lhs, result.rhs = rhs;
  for (Predicate &operand : result.operands)
    operand = getInner(operand);
  return result;
}

void dyn::symbolic::appendPredicates(SymbolicContext &context, Expr size, const SymbolFacts &facts,
                                     std::vector<Predicate> &predicates) {
  for (int64_t excluded : facts.notEqual)
    predicates.push_back(Predicate::notEqual(size, context.getConstant(excluded)));
  if (facts.range.lower)
    predicates.push_back(Predicate::lessEqual(context.getConstant(*facts.range.lower), size));
  if (facts.range.upper)
    predicates.push_back(Predicate::lessEqual(size, context.getConstant(*facts.range.upper)));
  if (facts.modulus > 1)
    predicates.push_back(
        Predicate::equal(mod(size, context.getConstant(facts.modulus)), context.getConstant(facts.remainder)));
}

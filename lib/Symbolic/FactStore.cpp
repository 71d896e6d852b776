//===- Symbols, their values and their ranges ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <numeric>

using namespace dyn::symbolic;

static constexpr int64_t minusInfinity = Interval::minusInfinity, plusInfinity = Interval::plusInfinity;

/// Larger inner forms are not looked at.
static constexpr unsigned maximalDepth = 16, maximalNodes = 2000;

/// Range changes of one symbol; further ones are ignored, which is weaker and therefore right.
static constexpr unsigned maximalTightenings = 64;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

Knowledge::Symbol &FactStore::getSymbol(const Atom *symbol) {
  if (symbol->index >= symbols.size())
    symbols.resize(symbol->index + 1);
  return symbols[symbol->index];
}

Interval FactStore::getSymbolRange(const Atom *symbol) const {
  return symbol->index < symbols.size() ? symbols[symbol->index].range : Symbol().range;
}

const Atom *FactStore::createParameter(const Atom *owner, Expr definition) {
  // A name that nobody writes. What it stands for is known to this store and its copies only.
  const Atom *parameter = context.getSymbol("\x01" + std::to_string(parameters++));
  Symbol info = getSymbol(owner);
  Symbol &symbol = getSymbol(parameter);
  symbol.symbolClass = info.symbolClass;
  symbol.order = info.order;
  symbol.isParameter = true;
  symbol.range = Interval();
  symbol.definition = definition ? replaceParameters(definition) : Expr();
  return parameter;
}

void FactStore::changed() {
  atomMemo.clear();
  outerMemo.clear();
  innerMemo.clear();
  prover.forget();
}

bool FactStore::isPreferred(const Atom *a, const Atom *b) {
  const Symbol first = getSymbol(a), second = getSymbol(b);
  if (first.symbolClass != second.symbolClass)
    return first.symbolClass > second.symbolClass;
  if (first.order != second.order)
    return first.order < second.order;
  return a->index < b->index;
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

void FactStore::refine(const Atom *symbol, SymbolFacts &facts) {
  Expr value = getInner(context.getExpr(symbol));
  if (!value)
    return;
  Interval range = getRange(value);
  facts.range.lower = range.hasLower() ? std::optional(range.lower) : std::nullopt;
  facts.range.upper = range.hasUpper() ? std::optional(range.upper) : std::nullopt;
  std::tie(facts.modulus, facts.remainder) = getCongruence(value);
  if (facts.modulus == 0)
    facts.modulus = 1, facts.remainder = 0;
  facts.notEqual.append(getSymbol(symbol).notEqual.begin(), getSymbol(symbol).notEqual.end());
  llvm::sort(facts.notEqual);
  facts.notEqual.erase(llvm::unique(facts.notEqual), facts.notEqual.end());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool FactStore::assign(const Atom *symbol, Expr value) {
  if (Expr known = getSymbol(symbol).value) {
    push(Task::Zero, builder.subtract(known, value));
    return true;
  }
  // Nothing is lost but strength.
  if (!value || mentions(getTerms(value), symbol))
    return true;
  getSymbol(symbol).value = value;
  changed();
  // Values never mention removed symbols.
  llvm::SmallVector<std::pair<const Atom *, Expr>> updates;
  for (const Atom *other : removed) {
    Expr old = getSymbol(other).value;
    if (!(old.getNode()->symbolMask & symbol->symbolMask) || !mentions(getTerms(old), symbol))
      continue;
    updates.emplace_back(other, getInner(old));
    if (!updates.back().second) {
      // Too large to be written out: leave the equation unsolved.
      getSymbol(symbol).value = Expr();
      changed();
      return store(builder.subtract(context.getExpr(symbol), value));
    }
  }
  for (auto [other, updated] : updates)
    getSymbol(other).value = updated;
  removed.push_back(symbol);
  changed();

  const Symbol info = getSymbol(symbol);
  if (info.range.hasLower())
    push(Task::NonNegative, builder.subtract(value, context.getConstant(info.range.lower)));
  if (info.range.hasUpper())
    push(Task::NonNegative, builder.subtract(context.getConstant(info.range.upper), value));
  for (int64_t excluded : info.notEqual)
    push(Task::NonZero, builder.subtract(value, context.getConstant(excluded)));
  revisit(symbol);
  return true;
}

/// Brings the values of removed symbols into the form that the equations give them.
void FactStore::refreshValues() {
  llvm::SmallVector<std::pair<const Atom *, Expr>> updates;
  for (const Atom *symbol : removed)
    if (Expr value = getSymbol(symbol).value, updated = getInner(value); updated && updated != value)
      updates.emplace_back(symbol, updated);
  for (auto [symbol, updated] : updates)
    getSymbol(symbol).value = updated;
  if (!updates.empty())
    changed();
}

void FactStore::revisit(const Atom *symbol) {
  auto mentionsSymbol = [&](Expr expr) {
    return (expr.getNode()->symbolMask & symbol->symbolMask) && mentions(getTerms(expr), symbol);
  };
  auto move = [&](std::vector<Expr> &list, Task::Kind kind) {
    for (Expr expr : list)
      if (mentionsSymbol(expr))
        push(kind, expr);
    llvm::erase_if(list, mentionsSymbol);
  };
  for (Expr equation : equations)
    if (mentionsSymbol(equation))
      push(Task::Zero, equation);
  size_t kept = 0;
  for (size_t i = 0; i < equations.size(); ++i)
    if (!mentionsSymbol(equations[i])) {
      equations[kept] = equations[i];
      rewritten[kept++] = rewritten[i];
    }
  equations.resize(kept);
  rewritten.resize(kept);
  move(inequalities, Task::NonNegative);
  move(disequalities, Task::NonZero);
  disjunctionsStale = !disjunctions.empty();
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
  Interval narrowed = intersect(info.range, range);
  auto isExcluded = [&](int64_t value) { return llvm::is_contained(info.notEqual, value); };
  while (narrowed.hasLower() && !narrowed.isEmpty() && isExcluded(narrowed.lower))
    ++narrowed.lower;
  while (narrowed.hasUpper() && !narrowed.isEmpty() && isExcluded(narrowed.upper))
    --narrowed.upper;
  if (narrowed == info.range)
    return true;
  if (narrowed.isEmpty())
    return contradict();
  if (info.tightenings >= maximalTightenings && !narrowed.isSingleton())
    return true;
  ++info.tightenings;
  info.range = narrowed;
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
  disjunctionsStale = !disjunctions.empty();
  return restrictRange(symbol, info.range);
}

//===----------------------------------------------------------------------===//
// Inner form
//===----------------------------------------------------------------------===//

Expr FactStore::getInner(Expr expr) {
  if (!expr)
    return {};
  auto found = innerMemo.find(expr);
  if (found != innerMemo.end())
    return found->second;
  auto replace = [&](const Atom *atom) -> Expr {
    if (atom->isSymbol())
      return atom->index < symbols.size() ? symbols[atom->index].value : Expr();
    auto found = atomMemo.find(atom);
    if (found != atomMemo.end())
      return found->second;
    llvm::SmallVector<Expr, 4> operands =
        llvm::map_to_vector(atom->operands, [&](Expr operand) { return getInner(operand); });
    return atomMemo[atom] = builder.build(atom->kind, operands);
  };
  Expr rebuilt = builder.rebuild(expr, replace, atomMemo);
  Expr result = equations.empty() ? rebuilt : reduceByEquations(rebuilt);
  if (result && (result.getNode()->depth > maximalDepth || result.getNode()->nodeCount > maximalNodes))
    result = {};
  innerMemo[expr] = result;
  return result;
}

/// Total degree of the atoms of that depth.
static uint32_t getDegree(const Monomial *monomial, uint16_t depth) {
  uint32_t degree = 0;
  for (const Power &power : monomial->powers)
    degree += power.atom->depth == depth ? power.exponent : 0;
  return degree;
}

/// Which of two monomials does an equation rewrite? The one with the most deeply nested atoms, so that rewriting inside
/// of atoms too comes to an end: b == max(b, t) + floordiv(s, b) does not rewrite b. Then the one of higher degree,
/// then that of the less important symbols. The order is compatible with multiplication.
bool FactStore::isRewrittenRather(const Monomial *a, const Monomial *b, uint16_t depth) {
  for (int level = depth; level > 0; --level)
    if (uint32_t first = getDegree(a, level), second = getDegree(b, level); first != second)
      return first > second;
  if (a->degree != b->degree)
    return a->degree > b->degree;
  const Atom *least = nullptr;
  for (const Monomial *monomial : {a, b})
    for (const Power &power : monomial->powers)
      if (power.atom->isSymbol() && a->getExponent(power.atom) != b->getExponent(power.atom) &&
          (!least || isPreferred(least, power.atom)))
        least = power.atom;
  return least ? a->getExponent(least) > b->getExponent(least) : compare(a, b) < 0;
}

Term FactStore::getRewrittenTerm(Expr equation) {
  Terms terms = getTerms(equation);
  const Term *best = &terms.front();
  for (const Term &term : terms.drop_front())
    if (isRewrittenRather(term.monomial, best->monomial, equation.getNode()->depth))
      best = &term;
  return *best;
}

/// Rewrites products by the equations that could not be solved: with B*S == 12*D, 3*B*S becomes 36*D.
Expr FactStore::reduceByEquations(Expr expr) {
  constexpr unsigned maximalRewrites = 32;
  for (unsigned step = 0; expr && step < maximalRewrites; ++step) {
    Expr next;
    for (auto [equation, leading] : llvm::zip_equal(equations, rewritten)) {
      if (std::abs(leading.coefficient) != 1)
        continue;
      for (const Term &term : getTerms(expr)) {
        const Monomial *factor = divide(context, term.monomial, leading.monomial);
        if (!factor)
          continue;
        MaybePoly multiple = multiply(context, getTerms(equation), Term{factor, term.coefficient});
        MaybePoly difference =
            multiple ? combine(getTerms(expr), 1, *multiple, leading.coefficient > 0 ? -1 : 1) : std::nullopt;
        if (difference) {
          next = context.getExpr(*difference);
          break;
        }
      }
      if (next)
        break;
    }
    if (!next)
      return expr;
    expr = next;
  }
  return expr;
}

/// As above, where leading coefficients are no units: a multiple of the expression is reduced.
bool FactStore::isZeroByEquations(Expr expr) {
  constexpr unsigned maximalRewrites = 16;
  Poly rest(getTerms(expr));
  for (unsigned step = 0; step < maximalRewrites; ++step) {
    bool reduced = false;
    for (auto [equation, leading] : llvm::zip_equal(equations, rewritten)) {
      for (const Term &term : rest) {
        const Monomial *factor = divide(context, term.monomial, leading.monomial);
        if (!factor)
          continue;
        int64_t common = getContent({Term{nullptr, term.coefficient}, Term{nullptr, leading.coefficient}});
        MaybePoly multiple = multiply(context, getTerms(equation), Term{factor, term.coefficient / common});
        std::optional<int64_t> negated = checkedMul(leading.coefficient / common, -1);
        MaybePoly difference = multiple && negated ? combine(rest, *negated, *multiple, 1) : std::nullopt;
        if (!difference)
          continue;
        rest = std::move(*difference);
        reduced = true;
        break;
      }
      if (reduced)
        break;
    }
    if (rest.empty())
      return true;
    if (!reduced)
      return false;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Outer form
//===----------------------------------------------------------------------===//

/// parameter * c, for each c that occurs, in terms of named symbols: with s == m*parameter + r, that is
/// (c / g) * floordiv(s - r, m / g) with g = gcd(c, m).
Expr FactStore::replaceParameter(const Atom *parameter, Expr expr) {
  struct Base {
    const Atom *symbol;
    int64_t factor;
    Expr rest;
  };
  // Values that mention each other's parameters are no help.
  if (llvm::is_contained(beingReplaced, parameter))
    return {};
  beingReplaced.push_back(parameter);
  llvm::SmallVector<Base> bases;
  for (const Atom *symbol : removed) {
    const Symbol info = symbols[symbol->index];
    if (info.isParameter || !(info.value.getNode()->symbolMask & parameter->symbolMask))
      continue;
    std::optional<LinearSplit> split = splitLinear(context, getTerms(info.value), parameter);
    if (!split || !isConstant(split->coefficient) || split->coefficient.empty() || mentions(split->rest, parameter) ||
        getConstantTerm(split->coefficient) == INT64_MIN)
      continue;
    if (Expr rest = replaceParameters(context.getExpr(split->rest)))
      bases.push_back({symbol, getConstantTerm(split->coefficient), rest});
  }
  beingReplaced.pop_back();
  llvm::sort(bases, [&](const Base &a, const Base &b) { return isPreferred(a.symbol, b.symbol); });
  ExprBuilder factFree(context);

  auto getMultiple = [&](int64_t coefficient) -> Expr {
    if (bases.empty())
      return factFree.scale(getSymbol(parameter).definition, coefficient);
    // Of the symbols of the best class, one that needs no division, else the best symbol.
    const Base *best = &bases.front();
    for (const Base &base : bases)
      if (getSymbol(base.symbol).symbolClass == getSymbol(bases.front().symbol).symbolClass &&
          coefficient % base.factor == 0) {
        best = &base;
        break;
      }
    int64_t common = std::gcd(coefficient, best->factor), sign = best->factor < 0 ? -1 : 1;
    int64_t divisor = std::abs(best->factor) / common;
    Expr difference = factFree.scale(factFree.subtract(context.getExpr(best->symbol), best->rest), sign);
    if (divisor != 1 && difference) {
      // The divisor divides the difference, so what is left of the constant may be rounded away.
      int64_t excess = floorMod(-floorMod(getConstantTerm(getTerms(difference)), divisor), divisor);
      difference =
          factFree.floorDiv(factFree.add(difference, context.getConstant(excess)), context.getConstant(divisor));
    }
    return factFree.scale(difference, coefficient / common);
  };

  Expr result = context.getConstant(0);
  const Monomial *alone = context.getMonomial(parameter);
  for (const Term &term : getTerms(expr)) {
    Term rest = term;
    Expr product = context.getConstant(1);
    while (const Monomial *others = divide(context, rest.monomial, alone)) {
      // The whole coefficient goes with the first power, which is enough to be exact for most.
      product = factFree.multiply(product, getMultiple(rest.coefficient));
      rest = {others, 1};
    }
    result = factFree.add(result, factFree.multiply(product, context.getExpr(rest)));
  }
  return result;
}

/// Null if an expression is too large, or a parameter has no expression.
Expr FactStore::replaceParameters(Expr expr) {
  // Inside of atoms first.
  auto replace = [&](const Atom *atom) -> Expr {
    if (atom->isSymbol())
      return {};
    llvm::SmallVector<Expr, 4> operands =
        llvm::map_to_vector(atom->operands, [&](Expr operand) { return replaceParameters(operand); });
    return ExprBuilder(context).build(atom->kind, operands);
  };
  llvm::SmallVector<const Atom *, 4> parameters;
  auto isParameter = [&](const Atom *atom) { return atom->isSymbol() && getSymbol(atom).isParameter; };
  ExprBuilder::Memo memo;
  Expr result = ExprBuilder(context).rebuild(expr, replace, memo);
  if (!result)
    return {};
  for (const Atom *atom : getAtoms(getTerms(result)))
    if (isParameter(atom))
      parameters.push_back(atom);
  for (const Atom *parameter : parameters) {
    result = replaceParameter(parameter, result);
    if (!result)
      return {};
  }
  return result;
}

Expr FactStore::getOuter(Expr expr) {
  Expr inner = getInner(expr);
  return inner ? replaceParameters(inner) : Expr();
}

//===- Inequalities, disequalities, disjunctions --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

static constexpr int64_t minusInfinity = Interval::minusInfinity;

/// Steps that one fact may cause, and those after its fuel is used up. What is left then is kept as it is.
static constexpr unsigned maximalTasks = 4000, maximalHypotheticalTasks = 100, maximalTasksWithoutFuel = 2;

/// Disjunctions that are looked at again because of one fact.
static constexpr size_t maximalDisjunctions = 256;

/// Symbols that one fact may replace by parameters: congruences and equations could do so in turn for long.
static constexpr unsigned maximalParameters = 32;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// The symbol x of c*x + d, else null.
static const Atom *getSymbolOfRange(Expr expr) {
  Terms variable = dropConstant(getTerms(expr));
  const Atom *atom = variable.size() == 1 ? variable.front().monomial->getAtom() : nullptr;
  return atom && atom->isSymbol() ? atom : nullptr;
}

bool FactStore::settle() {
  unsigned limit = hypothetical ? maximalHypotheticalTasks : maximalTasks;
  size_t looks = 0;
  unsigned parameterLimit = parameters + maximalParameters;
  unsigned withoutFuel = 0;
  for (unsigned step = 0; !contradictory && step < limit && parameters <= parameterLimit; ++step) {
    // A hypothesis shares the effort of its question.
    constexpr unsigned costOfTask = 20;
    if (context.fuel < costOfTask && (hypothetical || ++withoutFuel > maximalTasksWithoutFuel))
      break;
    context.spend(costOfTask);
    if (tasks.empty()) {
      if (stale.empty())
        return true;
      // Not in the order in which they were mentioned first.
      llvm::sort(stale, [](const Atom *a, const Atom *b) { return a->name < b->name; });
      stale.erase(llvm::unique(stale), stale.end());
      // Those that are left out stay as they are, which is weaker and therefore right.
      llvm::SmallVector<Disjunction> taken = takeDisjunctions(stale, maximalDisjunctions - looks);
      looks += taken.size();
      for (const Disjunction &disjunction : taken)
        tasks.push_back({Task::Disjunction, Expr(), *disjunction.predicate});
      stale.clear();
      continue;
    }
    // Equations first: they make the other facts simpler. Then ranges of symbols, which cost least and which products
    // need, for which there may be no fuel left otherwise.
    auto next = llvm::find_if(tasks, [](const Task &task) { return task.kind == Task::Zero; });
    if (next == tasks.end())
      next = llvm::find_if(tasks, [](const Task &task) {
        return task.kind == Task::NonNegative && task.expr && getSymbolOfRange(task.expr);
      });
    if (next == tasks.end())
      next = std::prev(tasks.end());
    Task task = std::move(*next);
    tasks.erase(next);
    bool holds = true;
    switch (task.kind) {
    case Task::Zero:
      holds = assertZero(getInner(task.expr));
      break;
    case Task::NonNegative:
      holds = assertNonNegative(getInner(task.expr));
      break;
    case Task::NonZero:
      holds = assertNonZero(getInner(task.expr));
      break;
    case Task::Disjunction:
      holds = assertDisjunction(task.disjunction);
      break;
    }
    if (!holds)
      return contradict();
  }
  // A hypothesis that knows less refutes less.
  if (hypothetical)
    tasks.clear();
  for (const Task &task : std::exchange(tasks, {}))
    if (!contradictory)
      keepUnsolved(task);
  changed();
  return !contradictory;
}

void FactStore::keepUnsolved(const Task &task) {
  if (task.kind == Task::Disjunction)
    return keep(std::make_shared<const Predicate>(getInner(task.disjunction)));
  Expr inner = getInner(task.expr);
  FactKind kind = task.kind == Task::Zero ? Equation : task.kind == Task::NonNegative ? Inequality : Disequality;
  if (inner && !inner.getConstant() && !contains(kind, inner))
    keep(kind, inner);
}

bool FactStore::keepTrue(const Predicate &predicate) {
  bool holds = !contradictory && assume(predicate, true);
  for (const Task &task : std::exchange(tasks, {}))
    if (holds)
      keepUnsolved(task);
  return holds;
}

bool FactStore::assertTrue(const Predicate &predicate) { return !contradictory && assume(predicate, true) && settle(); }

/// rule strict: x < y |- y - x - 1 >= 0
/// rule not-less: not x < y |- x - y >= 0
ComparisonToZero dyn::symbolic::compareToZero(ExprBuilder &builder, const Predicate &comparison, bool truth) {
  using Kind = Predicate::Kind;
  using Task = Knowledge::Task;
  Expr difference = builder.subtract(comparison.rhs, comparison.lhs);
  if (comparison.kind == Kind::Equal || comparison.kind == Kind::NotEqual)
    return {truth == (comparison.kind == Kind::Equal) ? Task::Zero : Task::NonZero, difference};
  // lhs <= rhs, and not lhs < rhs is rhs <= lhs; strict ones are one apart.
  bool strict = truth == (comparison.kind == Kind::Less);
  Expr oriented = truth ? difference : builder.scale(difference, -1);
  return {Task::NonNegative, strict ? builder.add(oriented, builder.getContext().getConstant(-1)) : oriented};
}

/// Turns a predicate, or its negation, into tasks.
bool FactStore::assume(const Predicate &predicate, bool truth) {
  using Kind = Predicate::Kind;
  switch (predicate.kind) {
  case Kind::True:
    return truth || contradict();
  case Kind::False:
    return !truth || contradict();
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::LessEqual:
  case Kind::Less: {
    auto [kind, difference] = compareToZero(builder, predicate, truth);
    push(kind, difference);
    if (truth && !hypothetical)
      equateBroadcasts(difference);
    return true;
  }
  case Kind::Not:
    return assume(predicate.operands.front(), !truth);
  case Kind::And:
  case Kind::Or:
    break;
  }
  if (truth == (predicate.kind == Kind::And))
    return llvm::all_of(predicate.operands, [&](const Predicate &operand) { return assume(operand, truth); });
  std::vector<Predicate> alternatives;
  for (const Predicate &operand : predicate.operands)
    alternatives.push_back(truth ? operand : Predicate::negation(operand));
  tasks.push_back({Task::Disjunction, Expr(), Predicate::disjunction(std::move(alternatives))});
  return true;
}

bool FactStore::assertDisjunction(const Predicate &predicate) {
  std::vector<Predicate> open;
  for (const Predicate &alternative : predicate.operands) {
    switch (decide(alternative)) {
    case Verdict::Yes:
      return true;
    case Verdict::No:
      break;
    case Verdict::Unknown:
      // In inner form, so that it is found by the symbols that are left.
      open.push_back(getInner(alternative));
      break;
    }
  }
  if (open.empty())
    return contradict();
  if (open.size() == 1)
    return assume(open.front(), true);
  Predicate left = Predicate::disjunction(std::move(open));
  llvm::SmallVector<Expr, 4> symbols = left.getSymbols();
  auto isKnown = [&](const Disjunction &known) { return *known.predicate == left; };
  if (symbols.empty() || llvm::none_of(getDisjunctions(getTerms(symbols[0])[0].monomial->getAtom()), isKnown))
    keep(std::make_shared<const Predicate>(std::move(left)));
  return true;
}

//===----------------------------------------------------------------------===//
// Inequalities
//===----------------------------------------------------------------------===//

/// rule tighten: c >= 1 and c*E + d >= 0 |- E + floordiv(d, c) >= 0
/// rule positive-factor: m >= 1 and m*R >= 0 |- R >= 0
/// rule max-below: R - max(x, y) >= 0 |- R - x >= 0 and R - y >= 0
/// rule max-above: R + max(x, y) >= 0 and R + x <= -1 |- R + y >= 0
/// rule quotient-above: Q >= 1 and floordiv(P, Q) + R >= 0 |- P + Q*R >= 0
/// rule quotient-below: Q >= 1 and R - floordiv(P, Q) >= 0 |- Q*R + Q - 1 - P >= 0
bool FactStore::assertNonNegative(Expr expr) {
  if (!expr)
    return true;
  Terms variable = dropConstant(getTerms(expr));
  int64_t constant = getConstantTerm(getTerms(expr));
  if (variable.empty())
    return constant >= 0 || contradict();
  if (int64_t content = getContent(variable); content > 1) {
    MaybePoly reduced =
        addConstant(context, divideCoefficients(variable, content), *checkedFloorDiv(constant, content));
    if (!reduced)
      return true;
    expr = context.getExpr(*reduced);
  }
  const Atom *symbol = getSymbolOfRange(expr);
  // m*R >= 0 with m >= 1 says R >= 0.
  if (Expr rest = symbol ? expr : cancelNonZeroFactors(expr); rest != expr && constant == 0) {
    Expr factor =
        context.getExpr(Term{divide(context, getTerms(expr).front().monomial, getTerms(rest).front().monomial), 1});
    if (prover.isAtLeast(factor, 1))
      return assertNonNegative(rest);
  }
  Terms terms = getTerms(expr);
  variable = dropConstant(terms);
  constant = getConstantTerm(terms);
  if (prover.isAtMost(expr, -1))
    return contradict();
  bool isNew = !prover.isAtLeast(expr, 0);
  if (isNew && prover.isAtMost(expr, 0)) {
    push(Task::Zero, expr);
    return true;
  }

  // The range of a symbol says it even where other facts do, which are not looked at wherever ranges are.
  if (symbol) {
    // The coefficient is 1 or -1, the content being out.
    Interval range;
    if (variable.front().coefficient > 0)
      range.lower = checkedSub(0, constant).value_or(minusInfinity);
    else
      range.upper = constant;
    return restrictRange(symbol, range);
  }
  if (isNew)
    narrowFactors(expr);
  for (const Term &term : isNew ? variable : Terms()) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || std::abs(term.coefficient) != 1 || atom->isSymbol())
      continue;
    Expr rest = builder.subtract(expr, context.getExpr(term));
    if (!rest || mentions(getTerms(rest), atom))
      continue;
    // R - max(x...) >= 0 says R - x >= 0 of each.
    if (atom->kind == AtomKind::Max && term.coefficient < 0) {
      for (Expr operand : atom->operands)
        push(Task::NonNegative, builder.subtract(rest, operand));
      return true;
    }
    // R + max(x...) >= 0 says R + x >= 0 of an x, and of that x where all others are excluded.
    if (atom->kind == AtomKind::Max) {
      Expr possible;
      unsigned count = 0;
      for (Expr operand : atom->operands)
        if (Expr sum = builder.add(rest, operand); !sum || !prover.isAtMost(sum, -1)) {
          possible = sum;
          ++count;
        }
      if (count == 0)
        return contradict();
      if (count == 1 && possible) {
        push(Task::NonNegative, possible);
        return true;
      }
    }
    // floordiv(P, Q) + R >= 0 is P + Q*R >= 0; R - floordiv(P, Q) >= 0 is Q*R + Q - 1 - P >= 0.
    if (atom->kind == AtomKind::FloorDiv && prover.isAtLeast(atom->operands[1], 1)) {
      Expr product = builder.multiply(atom->operands[1], rest);
      Expr bound = term.coefficient > 0
                       ? builder.add(atom->operands[0], product)
                       : builder.subtract(builder.add(builder.add(product, atom->operands[1]), context.getConstant(-1)),
                                          atom->operands[0]);
      if (bound.isWithinBudget()) {
        push(Task::NonNegative, bound);
        return true;
      }
    }
  }
  if (isNew && !contains(Inequality, expr)) {
    keep(Inequality, expr);
    changed();
    touch(expr);
  }
  return propagateBounds(expr);
}

/// a*s + R >= 0 bounds s where R has an upper bound. With a product in place of s, its factors are bounded.
/// rule bound-below: a >= 1 and a*s + R >= 0 and R <= u |- s >= ceildiv(-u, a)
/// rule bound-above: a >= 1 and R - a*s >= 0 and R <= u |- s <= floordiv(u, a)
bool FactStore::propagateBounds(Expr inequality) {
  Poly terms(getTerms(inequality));
  for (const Term &term : dropConstant(terms)) {
    if (context.fuel == 0)
      break;
    if (term.monomial->degree > 1) {
      propagateToFactors(terms, term);
      continue;
    }
    const Atom *atom = term.monomial->getAtom();
    if (!atom->isSymbol() || look(atom).value)
      continue;
    Poly rest(terms);
    rest.erase(rest.begin() + (&term - terms.begin()));
    Interval range = prover.getRange(rest);
    if (!range.hasUpper() || term.coefficient == INT64_MIN)
      continue;
    Interval bound;
    if (term.coefficient > 0)
      bound.lower = *checkedCeilDiv(-range.upper, term.coefficient);
    else
      bound.upper = *checkedFloorDiv(range.upper, -term.coefficient);
    if (!restrictRange(atom, bound))
      return false;
  }
  return true;
}

/// a*m + R >= 0 for a product m of factors that are at least 0.
/// rule factors-not-zero: x >= 0 and y >= 0 and a >= 1 and a*x*y + R >= 0 and R <= -1 |- x >= 1 and y >= 1
/// rule factor-above: x >= 0 and y >= o >= 1 and a >= 1 and a*x*y <= R <= u |- x <= floordiv(floordiv(u, a), o)
void FactStore::propagateToFactors(Terms terms, const Term &product) {
  Poly rest(terms);
  rest.erase(rest.begin() + (&product - terms.begin()));
  for (const Power &power : product.monomial->getPowers())
    if (prover.getAtomRange(power.atom).lower < 0)
      return;
  Interval range = prover.getRange(rest);
  if (!range.hasUpper() || product.coefficient == INT64_MIN)
    return;
  if (product.coefficient > 0) {
    // The product is not zero.
    if (range.upper < 0)
      for (const Power &power : product.monomial->getPowers())
        push(Task::NonNegative, builder.add(context.getExpr(power.atom), context.getConstant(-1)));
    return;
  }
  int64_t most = *checkedFloorDiv(range.upper, -product.coefficient);
  for (const Power &factor : product.monomial->getPowers()) {
    Interval others{1, 1};
    for (const Power &power : product.monomial->getPowers())
      if (uint32_t exponent = power.exponent - (&power == &factor))
        others = multiply(others, symbolic::power(prover.getAtomRange(power.atom), exponent));
    if (others.lower >= 1)
      push(Task::NonNegative, builder.subtract(context.getConstant(most / others.lower), context.getExpr(factor.atom)));
  }
}

/// rule not-zero: x != 0 and x >= 0 |- x - 1 >= 0
/// rule product-not-zero: x*y != 0 |- x != 0 and y != 0
bool FactStore::assertNonZero(Expr expr) {
  if (!expr)
    return true;
  switch (decideZero(expr)) {
  case Verdict::Yes:
    return contradict();
  case Verdict::No:
    return true;
  case Verdict::Unknown:
    break;
  }
  Terms terms = getTerms(expr), variable = dropConstant(terms);
  int64_t content = getContent(variable), constant = getConstantTerm(terms);
  // decideZero has refused constants that the content does not divide.
  if (content > 1)
    expr = context.getExpr(divideCoefficients(terms, content));
  constant /= content;
  terms = getTerms(expr);
  variable = dropConstant(terms);
  if (variable.size() == 1 && std::abs(variable[0].coefficient) == 1 && constant != INT64_MIN)
    if (const Atom *atom = variable[0].monomial->getAtom(); atom && atom->isSymbol())
      return excludeValue(atom, variable[0].coefficient > 0 ? -constant : constant);
  if (terms.size() == 1) {
    for (const Power &power : terms[0].monomial->getPowers())
      push(Task::NonZero, context.getExpr(power.atom));
    if (terms[0].monomial->degree > 1)
      return true;
  }
  if (prover.isAtLeast(expr, 0)) {
    push(Task::NonNegative, builder.add(expr, context.getConstant(-1)));
    return true;
  }
  if (prover.isAtMost(expr, 0)) {
    push(Task::NonNegative, builder.add(builder.scale(expr, -1), context.getConstant(-1)));
    return true;
  }
  if (getTerms(expr).front().coefficient < 0)
    if (Expr negated = builder.scale(expr, -1))
      expr = negated;
  if (!contains(Disequality, expr)) {
    keep(Disequality, expr);
    touch(expr);
    changed();
  }
  return true;
}

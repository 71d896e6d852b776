//===- Calls, branches, loops and large sizes -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Scopes.h"
#include "Expressions/Polynomial.h"
#include "Solver/FactStore.h"
#include "dyn/Symbolic/LinearForms.h"
#include "dyn/Symbolic/Obligations.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::vector<Predicate> dyn::symbolic::instantiate(llvm::ArrayRef<SymbolDeclaration> callee, SymbolicContext &context,
                                                  const Substitution &arguments) {
  std::vector<Predicate> demands;
  for (const SymbolDeclaration &symbol : callee) {
    Expr size = arguments.lookup(context.getSymbol(symbol.name).getNode());
    if (!size)
      continue;
    appendPredicates(context, size, symbol.facts, demands);
    ParseError error;
    if (symbol.origin == SymbolDeclaration::Origin::Defined)
      if (Expr definition = parseExpr(symbol.definition, context, error))
        demands.push_back(Predicate::equal(size, substitute(definition, arguments)));
  }
  return demands;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// The congruence of a constant has modulus 0.
static std::pair<int64_t, int64_t> getCongruence(const SymbolFacts &facts) {
  if (facts.range.lower && facts.range.lower == facts.range.upper)
    return {0, *facts.range.lower};
  return {facts.modulus, facts.remainder};
}

SymbolFacts dyn::symbolic::joinFacts(const SymbolFacts &lhs, const SymbolFacts &rhs) {
  SymbolFacts result;
  result.range = {};
  if (lhs.range.lower && rhs.range.lower)
    result.range.lower = std::min(*lhs.range.lower, *rhs.range.lower);
  if (lhs.range.upper && rhs.range.upper)
    result.range.upper = std::max(*lhs.range.upper, *rhs.range.upper);
  // Granger: m1*x + r1 and m2*y + r2 lie in gcd(m1, m2, r1 - r2)*z + r1.
  auto [leftModulus, leftRemainder] = getCongruence(lhs);
  auto [rightModulus, rightRemainder] = getCongruence(rhs);
  std::optional<int64_t> distance = checkedSub(leftRemainder, rightRemainder);
  int64_t modulus =
      distance && *distance != INT64_MIN ? std::gcd(std::gcd(leftModulus, rightModulus), std::abs(*distance)) : 1;
  if (modulus > 1) {
    result.modulus = modulus;
    result.remainder = floorMod(leftRemainder, modulus);
  }
  for (const SymbolFacts *facts : {&lhs, &rhs}) {
    const SymbolFacts &other = facts == &lhs ? rhs : lhs;
    for (int64_t value : facts->notEqual)
      if (!allows(other, value) && !llvm::is_contained(result.notEqual, value))
        result.notEqual.push_back(value);
    for (int64_t value : facts->likely)
      if (!llvm::is_contained(result.likely, value))
        result.likely.push_back(value);
  }
  llvm::sort(result.notEqual);
  llvm::sort(result.likely);
  return result;
}

SymbolFacts dyn::symbolic::describeSize(Solver &solver, Expr expr) {
  if (expr.isSymbol())
    return solver.getFacts(expr);
  SymbolFacts facts;
  facts.range = solver.getRange(expr);
  std::tie(facts.modulus, facts.remainder) = solver.getCongruence(expr);
  if (facts.modulus == 0) {
    facts.range = {facts.remainder, facts.remainder};
    facts.modulus = 1;
    facts.remainder = 0;
  }
  return facts;
}

AbbreviatedSize dyn::symbolic::abbreviate(Solver &solver, Expr size, llvm::StringRef prefix) {
  if (Expr simple = solver.simplify(size))
    size = simple;
  if (!size || size.isWithinBudget())
    return {size, std::nullopt};
  SymbolFacts facts = describeSize(solver, size);
  Expr symbol = solver.getContext().createSymbol(prefix);
  solver.declare(symbol, facts, SymbolClass::Internal, solver.addReason({"abbreviation", "", 0}));
  return {symbol, std::move(facts)};
}

JoinedSize dyn::symbolic::joinSizes(Solver &after, Solver &thenFacts, Expr whenTrue, Solver &elseFacts, Expr whenFalse,
                                    llvm::StringRef prefix) {
  if (!whenTrue || !whenFalse)
    return {};
  // Equal in both branches, each of which may know more than what holds behind them. Sizes are equal where both have
  // values, so what stands for another one has to have one there.
  auto standsFor = [](Solver &facts, Expr candidate, Expr size) {
    return candidate == size ||
           (facts.isEqual(size, candidate) == Verdict::Yes && getDefinedness(facts, candidate).empty());
  };
  for (Expr candidate : {whenTrue, whenFalse})
    if (standsFor(thenFacts, candidate, whenTrue) && standsFor(elseFacts, candidate, whenFalse))
      return {candidate, std::nullopt, whenTrue, whenFalse};
  JoinedSize result;
  result.value = after.getContext().createSymbol(prefix);
  result.facts = joinFacts(describeSize(thenFacts, whenTrue), describeSize(elseFacts, whenFalse));
  result.whenTrue = whenTrue;
  result.whenFalse = whenFalse;
  after.declare(result.value, *result.facts, SymbolClass::Internal, after.addReason({"join of branches", "", 0}));
  return result;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

CarriedSize dyn::symbolic::widen(Solver &solver, Expr initial, Expr carried, Expr next, Expr tripCount,
                                 std::optional<int64_t> limit) {
  CarriedSize result{CarriedSize::Widened, {}, {}, {0, limit}};
  if (!initial || !carried || !next)
    return result;
  Expr step = solver.simplify(next - carried);
  if (step && step.isConstant(0))
    return {CarriedSize::Invariant, step, initial, solver.getRange(initial)};
  // A step that depends on the size itself is no line.
  if (!step || llvm::is_contained(step.getSymbols(), carried))
    return result;
  result.kind = CarriedSize::Linear;
  result.step = step;
  // Without trips nobody computes the step, so that it need not have a value.
  auto hasValue = [&] {
    return getDefinedness(solver, step).empty() ||
           solver.isLess(solver.getContext().getConstant(0), tripCount) == Verdict::Yes;
  };
  Expr zero = solver.getContext().getConstant(0);
  if (tripCount && hasValue())
    result.exit =
        initial +
        (solver.isLessEqual(zero, tripCount) == Verdict::Yes ? tripCount : symbolic::max({tripCount, zero})) * step;
  // At the start of every trip: the first value and what the steps before have added.
  Range first = solver.getRange(initial), steps = solver.getRange(step);
  result.range = {std::nullopt, limit};
  if (steps.lower && *steps.lower >= 0)
    result.range.lower = first.lower;
  if (steps.upper && *steps.upper <= 0 && first.upper)
    result.range.upper = limit ? std::min(*limit, *first.upper) : *first.upper;
  if (!result.range.lower)
    result.range.lower = 0;
  return result;
}

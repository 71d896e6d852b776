//===- Orders, guards and control flow for other compilers -----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SymbolicSupport.h"
#include "dyn/Symbolic/Obligations.h"
#include "dyn/Symbolic/Orders.h"
#include "dyn/Symbolic/Scopes.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::capi;

static const char *keepText(DynSymbolicContext &context, std::string text) {
  context.text = std::move(text);
  return context.text.c_str();
}

static Expr unwrapSymbol(DynSymbolicContext &context, DynSymbolicExpr expr) {
  Expr symbol = unwrapExpr(context, expr);
  if (!symbol.isSymbol())
    throw Refusal{"expected a symbol, found " + symbol.str()};
  return symbol;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

DynSymbolicOrder dynSymbolicSolverCompareSizes(DynSymbolicSolver *solver, DynSymbolicExpr lhs, DynSymbolicExpr rhs) {
  return guarded(solver, DYN_SYMBOLIC_ORDER_UNKNOWN, [&] {
    auto [left, right] = unwrapSides(*solver, lhs, rhs);
    switch (compareSizes(solver->solver, left, right)) {
    case Order::Less:
      return DYN_SYMBOLIC_ORDER_LESS;
    case Order::LessOrEqual:
      return DYN_SYMBOLIC_ORDER_LESS_OR_EQUAL;
    case Order::Equal:
      return DYN_SYMBOLIC_ORDER_EQUAL;
    case Order::GreaterOrEqual:
      return DYN_SYMBOLIC_ORDER_GREATER_OR_EQUAL;
    case Order::Greater:
      return DYN_SYMBOLIC_ORDER_GREATER;
    case Order::Unknown:
      break;
    }
    return DYN_SYMBOLIC_ORDER_UNKNOWN;
  });
}

size_t dynSymbolicSolverGetSigns(DynSymbolicSolver *solver, DynSymbolicExpr difference, DynSymbolicExpr symbol,
                                 DynSymbolicSignInterval *intervals, size_t capacity) {
  return guarded(solver, size_t(0), [&] {
    Expr expr = unwrapExpr(solver->owner, difference), variable = unwrapSymbol(solver->owner, symbol);
    if (!intervals || capacity == 0)
      throw Refusal{"expected room for intervals, found none"};
    constexpr size_t maximalIntervals = 1024;
    std::vector<SignInterval> found =
        getSigns(solver->solver, expr, variable, static_cast<unsigned>(std::min(capacity, maximalIntervals)));
    for (auto [index, interval] : llvm::enumerate(found))
      intervals[index] = {interval.range.lower.has_value(), interval.range.upper.has_value(),
                          interval.range.lower.value_or(0), interval.range.upper.value_or(0),
                          interval.sign.has_value(),        interval.sign.value_or(0)};
    return found.size();
  });
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

const char *dynSymbolicSolverGetDefinedness(DynSymbolicSolver *solver, DynSymbolicExpr expr) {
  return guarded(solver, static_cast<const char *>(nullptr), [&] {
    std::string text;
    for (const Predicate &obligation : getDefinedness(solver->solver, unwrapExpr(solver->owner, expr)))
      text += obligation.str() + "\n";
    return keepText(solver->owner, std::move(text));
  });
}

const char *dynSymbolicSolverPlanGuards(DynSymbolicSolver *solver, const char *const *obligations, size_t count,
                                        DynSymbolicStageOf stageOf, void *userData) {
  return guarded(solver, static_cast<const char *>(nullptr), [&] {
    if (!obligations && count > 0)
      throw Refusal{"expected obligations, found NULL"};
    std::vector<Predicate> predicates;
    for (size_t index = 0; index < count; ++index)
      predicates.push_back(readStatement(solver->owner, obligations[index]).predicate);
    auto getStage = [&](Expr symbol) { return stageOf ? stageOf(symbol.getSymbolName().str().c_str(), userData) : 0; };
    std::string text;
    for (const PlannedGuard &guard : planGuards(solver->solver, predicates, getStage)) {
      text += std::to_string(guard.index) + "\t" + std::to_string(guard.stage) + "\t" + std::to_string(guard.cost);
      char separator = '\t';
      for (unsigned place : guard.reliedOnBy)
        text += std::exchange(separator, ' ') + std::to_string(place);
      text += "\n";
    }
    return keepText(solver->owner, std::move(text));
  });
}

//===----------------------------------------------------------------------===//
// Control flow and large sizes
//===----------------------------------------------------------------------===//

const char *dynSymbolicInstantiate(DynSymbolicContext *context, const char *declarations,
                                   const DynSymbolicExpr *symbols, const DynSymbolicExpr *sizes, size_t count) {
  return guarded(context, static_cast<const char *>(nullptr), [&] {
    ParseError error;
    auto callee = parseSymbolDeclarations(checkText(declarations), error);
    if (!callee)
      throw refuse(error);
    std::string text;
    for (const Predicate &demand : instantiate(*callee, context->context, unwrapPairs(*context, symbols, sizes, count)))
      text += demand.str() + "\n";
    return keepText(*context, std::move(text));
  });
}

DynSymbolicSolver *dynSymbolicSolverFork(const DynSymbolicSolver *solver) {
  return guarded(solver, static_cast<DynSymbolicSolver *>(nullptr),
                 [&] { return new DynSymbolicSolver(solver->owner, solver->solver.fork()); });
}

DynSymbolicExpr dynSymbolicSolverJoin(DynSymbolicSolver *after, DynSymbolicSolver *thenFacts, DynSymbolicExpr whenTrue,
                                      DynSymbolicSolver *elseFacts, DynSymbolicExpr whenFalse, const char *prefix) {
  return guarded(after, DynSymbolicExpr{nullptr}, [&] {
    for (DynSymbolicSolver *branch : {thenFacts, elseFacts})
      if (!branch || &branch->owner != &after->owner)
        throw Refusal{branch ? "a solver of another context" : "the solver of a branch is NULL"};
    Expr first = unwrapExpr(after->owner, whenTrue), second = unwrapExpr(after->owner, whenFalse);
    JoinedSize joined =
        joinSizes(after->solver, thenFacts->solver, first, elseFacts->solver, second, checkText(prefix));
    return wrap(joined.value);
  });
}

DynSymbolicExpr dynSymbolicSolverAbbreviate(DynSymbolicSolver *solver, DynSymbolicExpr size, const char *prefix) {
  return guarded(solver, DynSymbolicExpr{nullptr}, [&] {
    return wrap(abbreviate(solver->solver, unwrapExpr(solver->owner, size), checkText(prefix)).value);
  });
}

DynSymbolicCarried dynSymbolicSolverWiden(DynSymbolicSolver *solver, DynSymbolicExpr initial, DynSymbolicExpr carried,
                                          DynSymbolicExpr next, DynSymbolicExpr tripCount, DynSymbolicExpr *exit) {
  if (exit)
    exit->node = nullptr;
  return guarded(solver, DYN_SYMBOLIC_WIDENED, [&] {
    DynSymbolicContext &context = solver->owner;
    CarriedSize size = widen(solver->solver, unwrapExpr(context, initial), unwrapSymbol(context, carried),
                             unwrapExpr(context, next), unwrap(context, tripCount));
    if (exit)
      *exit = wrap(size.exit);
    return size.kind == CarriedSize::Invariant ? DYN_SYMBOLIC_INVARIANT
           : size.kind == CarriedSize::Linear  ? DYN_SYMBOLIC_LINEAR
                                               : DYN_SYMBOLIC_WIDENED;
  });
}

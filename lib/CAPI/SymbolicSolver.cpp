//===- Facts and questions for other compilers ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SymbolicSupport.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::capi;

static std::string orEmpty(const char *text) { return text ? text : ""; }

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

DynSymbolicSolver *dynSymbolicSolverCreate(DynSymbolicContext *context) {
  return guarded(context, static_cast<DynSymbolicSolver *>(nullptr),
                 [&] { return new DynSymbolicSolver(*context, Solver(context->context)); });
}

void dynSymbolicSolverFree(DynSymbolicSolver *solver) { delete solver; }

static std::string printStep(const ExplainStep &step, const char *separator) {
  std::string text = step.fact;
  for (const std::string *part : {&step.reason.text, &step.reason.where})
    text += separator + *part;
  return text;
}

/// The outcome of learning: a contradiction is reported with its chain.
static DynSymbolicResult report(DynSymbolicSolver &solver, bool consistent) {
  if (consistent)
    return DYN_SYMBOLIC_OK;
  const std::optional<Conflict> &conflict = solver.solver.getConflict();
  solver.owner.error = conflict ? conflict->message : "the facts contradict each other";
  if (conflict)
    for (const ExplainStep &step : conflict->chain)
      solver.owner.error += "; " + printStep(step, " ");
  return DYN_SYMBOLIC_CONTRADICTION;
}

DynSymbolicResult dynSymbolicSolverDeclare(DynSymbolicSolver *solver, const char *declarations, const char *where) {
  return guarded(solver, DYN_SYMBOLIC_ERROR, [&] {
    ParseError error;
    auto symbols = parseSymbolDeclarations(checkText(declarations), error);
    if (!symbols)
      throw refuse(error);
    ReasonId reason = solver->solver.addReason({"declared", orEmpty(where), 0});
    for (const SymbolDeclaration &symbol : *symbols) {
      bool isBound = symbol.origin == SymbolDeclaration::Origin::Bound;
      SymbolClass symbolClass = isBound ? SymbolClass::DataDependent : SymbolClass::Declared;
      if (!solver->solver.declare(solver->owner.context.getSymbol(symbol.name), symbol.facts, symbolClass, reason))
        return report(*solver, false);
    }
    return DYN_SYMBOLIC_OK;
  });
}

static DynSymbolicResult learn(DynSymbolicSolver &solver, const Statement &fact, const char *reason,
                               const char *where) {
  ReasonId id = solver.solver.addReason({reason ? reason : "given", orEmpty(where), 0});
  return report(solver, addStatement(solver.solver, fact, id));
}

DynSymbolicResult dynSymbolicSolverLearn(DynSymbolicSolver *solver, const char *predicate, const char *reason,
                                         const char *where) {
  return guarded(solver, DYN_SYMBOLIC_ERROR,
                 [&] { return learn(*solver, readStatement(solver->owner, predicate), reason, where); });
}

DynSymbolicResult dynSymbolicSolverLearnEqual(DynSymbolicSolver *solver, DynSymbolicExpr lhs, DynSymbolicExpr rhs,
                                              const char *reason, const char *where) {
  return guarded(solver, DYN_SYMBOLIC_ERROR, [&] {
    auto [left, right] = unwrapSides(*solver, lhs, rhs);
    return learn(*solver, {Predicate::equal(left, right), {}}, reason, where);
  });
}

DynSymbolicResult dynSymbolicSolverLearnLessEqual(DynSymbolicSolver *solver, DynSymbolicExpr lhs, DynSymbolicExpr rhs,
                                                  const char *reason, const char *where) {
  return guarded(solver, DYN_SYMBOLIC_ERROR, [&] {
    auto [left, right] = unwrapSides(*solver, lhs, rhs);
    return learn(*solver, {Predicate::lessEqual(left, right), {}}, reason, where);
  });
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static DynSymbolicVerdict wrap(Verdict verdict) {
  return verdict == Verdict::Yes ? DYN_SYMBOLIC_YES : verdict == Verdict::No ? DYN_SYMBOLIC_NO : DYN_SYMBOLIC_UNKNOWN;
}

DynSymbolicVerdict dynSymbolicSolverAsk(DynSymbolicSolver *solver, DynSymbolicExpr lhs, DynSymbolicRelation relation,
                                        DynSymbolicExpr rhs) {
  return guarded(solver, DYN_SYMBOLIC_UNKNOWN, [&] {
    auto [left, right] = unwrapSides(*solver, lhs, rhs);
    switch (relation) {
    case DYN_SYMBOLIC_EQUAL:
      return wrap(solver->solver.isEqual(left, right));
    case DYN_SYMBOLIC_NOT_EQUAL:
      return wrap(solver->solver.implies(Predicate::notEqual(left, right)));
    case DYN_SYMBOLIC_LESS_EQUAL:
      return wrap(solver->solver.isLessEqual(left, right));
    case DYN_SYMBOLIC_LESS:
      return wrap(solver->solver.isLess(left, right));
    case DYN_SYMBOLIC_BROADCASTABLE:
      return wrap(solver->solver.isBroadcastable(left, right));
    case DYN_SYMBOLIC_DIVISIBLE: {
      std::optional<int64_t> divisor = right.getConstant();
      if (!divisor || *divisor == 0)
        throw Refusal{"expected a constant divisor other than 0"};
      return wrap(solver->solver.isDivisible(left, *divisor));
    }
    }
    throw Refusal{"no relation has the number " + std::to_string(relation)};
  });
}

DynSymbolicVerdict dynSymbolicSolverImplies(DynSymbolicSolver *solver, const char *predicate) {
  return guarded(solver, DYN_SYMBOLIC_UNKNOWN,
                 [&] { return wrap(ask(solver->solver, readStatement(solver->owner, predicate)).verdict); });
}

bool dynSymbolicSolverMayAssumeEqual(DynSymbolicSolver *solver, DynSymbolicExpr lhs, DynSymbolicExpr rhs) {
  return guarded(solver, false, [&] {
    auto [left, right] = unwrapSides(*solver, lhs, rhs);
    return solver->solver.mayAssumeEqual(left, right);
  });
}

const char *dynSymbolicSolverExplain(DynSymbolicSolver *solver, const char *predicate) {
  return guarded(solver, static_cast<const char *>(nullptr), [&] {
    std::string text;
    for (const ExplainStep &step : explain(solver->solver, readStatement(solver->owner, predicate)))
      text += printStep(step, "\t") + "\n";
    solver->owner.text = std::move(text);
    return solver->owner.text.c_str();
  });
}

DynSymbolicExpr dynSymbolicSolverSimplify(DynSymbolicSolver *solver, DynSymbolicExpr expr) {
  return guarded(solver, DynSymbolicExpr{nullptr},
                 [&] { return wrap(solver->solver.simplify(unwrapExpr(solver->owner, expr))); });
}

bool dynSymbolicSolverGetBounds(DynSymbolicSolver *solver, DynSymbolicExpr expr, DynSymbolicBounds *bounds) {
  return guarded(solver, false, [&] {
    Expr operand = unwrapExpr(solver->owner, expr);
    if (!bounds)
      throw Refusal{"expected room for bounds, found NULL"};
    Range range = solver->solver.getRange(operand);
    auto [modulus, remainder] = solver->solver.getCongruence(operand);
    *bounds = {range.lower.has_value(),
               range.upper.has_value(),
               range.lower.value_or(0),
               range.upper.value_or(0),
               modulus,
               remainder};
    return true;
  });
}

//===- The symbolic engine for other compilers -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Every entry goes through `guarded`, which turns exceptions into error values and
// keeps the line for people. What C hands over is checked before the engine sees it:
// the engine takes operands of two contexts for an error of its caller.
//
//===----------------------------------------------------------------------===//

#include "dyn-c/Symbolic.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Symbolic/Solver.h"
#include "llvm/ADT/STLExtras.h"
#include <exception>

using namespace dyn::symbolic;

struct DynSymbolicContext {
  SymbolicContext context;
  std::string error, text;
  size_t errorColumn = 0;
};

struct DynSymbolicSolver {
  explicit DynSymbolicSolver(DynSymbolicContext &owner) : owner(owner), solver(owner.context) {}
  DynSymbolicContext &owner;
  Solver solver;
};

namespace {
/// A call that can't go on; caught at the border.
struct Refusal {
  std::string message;
  size_t column = 0;
};
} // namespace

static DynSymbolicExpr wrap(Expr expr) { return {expr.getNode()}; }

/// The operand, which is of this context; null stays null.
static Expr unwrap(DynSymbolicContext &context, DynSymbolicExpr expr) {
  Expr result(static_cast<const ExprNode *>(expr.node));
  if (result && &result.getContext() != &context.context)
    throw Refusal{"an expression of another context"};
  return result;
}

static llvm::StringRef checkText(const char *text) {
  if (!text)
    throw Refusal{"expected a text, found NULL"};
  return text;
}

static std::string orEmpty(const char *text) { return text ? text : ""; }

/// Runs a call; what it throws becomes the context's error, and the call returns `failed`.
template <typename Result, typename Call>
static Result guarded(DynSymbolicContext *context, Result failed, Call call) {
  if (!context)
    return failed;
  try {
    context->error.clear();
    context->errorColumn = 0;
    return call();
  } catch (Refusal &refusal) {
    context->error = std::move(refusal.message);
    context->errorColumn = refusal.column;
  } catch (const std::exception &exception) {
    context->error.assign("out of resources");
  } catch (...) {
    context->error.assign("out of resources");
  }
  return failed;
}

template <typename Result, typename Call>
static Result guarded(DynSymbolicSolver *solver, Result failed, Call call) {
  return guarded(solver ? &solver->owner : nullptr, failed, call);
}

static Refusal refuse(const ParseError &error) {
  return {"column " + std::to_string(error.column) + ": " + error.message, error.column};
}

static Predicate readPredicate(DynSymbolicContext &context, const char *text) {
  ParseError error;
  std::optional<Predicate> predicate = parsePredicate(checkText(text), context.context, error);
  if (!predicate)
    throw refuse(error);
  return std::move(*predicate);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

DynSymbolicContext *dynSymbolicContextCreate(void) {
  try {
    return new DynSymbolicContext;
  } catch (...) {
    return nullptr;
  }
}

void dynSymbolicContextFree(DynSymbolicContext *context) { delete context; }

const char *dynSymbolicContextGetError(const DynSymbolicContext *context) {
  return context ? context->error.c_str() : "the context is NULL";
}

size_t dynSymbolicContextGetErrorColumn(const DynSymbolicContext *context) {
  return context ? context->errorColumn : 0;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

DynSymbolicExpr dynSymbolicConstant(DynSymbolicContext *context, int64_t value) {
  return guarded(context, DynSymbolicExpr{nullptr}, [&] { return wrap(context->context.getConstant(value)); });
}

DynSymbolicExpr dynSymbolicSymbol(DynSymbolicContext *context, const char *name) {
  return guarded(context, DynSymbolicExpr{nullptr}, [&] {
    llvm::StringRef text = checkText(name);
    // The engine names its own parameters by a character that nobody writes.
    if (text.empty() || text.front() < ' ')
      throw Refusal{"expected the name of a symbol"};
    return wrap(context->context.getSymbol(text));
  });
}

static Expr apply(DynSymbolicOperation operation, llvm::ArrayRef<Expr> operands) {
  auto fold = [&](Expr (*join)(Expr, Expr)) {
    Expr result = operands.front();
    for (Expr operand : operands.drop_front())
      result = join(result, operand);
    return result;
  };
  auto binary = [&](Expr (*join)(Expr, Expr)) {
    if (operands.size() != 2)
      throw Refusal{"expected 2 operands, found " + std::to_string(operands.size())};
    return join(operands[0], operands[1]);
  };
  if (operands.empty())
    throw Refusal{"expected operands"};
  switch (operation) {
  case DYN_SYMBOLIC_ADD:
    return fold([](Expr lhs, Expr rhs) { return lhs + rhs; });
  case DYN_SYMBOLIC_SUB:
    return binary([](Expr lhs, Expr rhs) { return lhs - rhs; });
  case DYN_SYMBOLIC_MUL:
    return fold([](Expr lhs, Expr rhs) { return lhs * rhs; });
  case DYN_SYMBOLIC_FLOOR_DIV:
    return binary([](Expr lhs, Expr rhs) { return floorDiv(lhs, rhs); });
  case DYN_SYMBOLIC_CEIL_DIV:
    return binary([](Expr lhs, Expr rhs) { return ceilDiv(lhs, rhs); });
  case DYN_SYMBOLIC_MOD:
    return binary([](Expr lhs, Expr rhs) { return mod(lhs, rhs); });
  case DYN_SYMBOLIC_EXACT_DIV:
    return binary([](Expr lhs, Expr rhs) { return exactDiv(lhs, rhs); });
  case DYN_SYMBOLIC_MIN:
    return min(operands);
  case DYN_SYMBOLIC_MAX:
    return max(operands);
  case DYN_SYMBOLIC_BCAST:
    return bcast(operands);
  }
  throw Refusal{"no operation has the number " + std::to_string(operation)};
}

DynSymbolicExpr dynSymbolicApply(DynSymbolicContext *context, DynSymbolicOperation operation,
                                 const DynSymbolicExpr *operands, size_t count) {
  return guarded(context, DynSymbolicExpr{nullptr}, [&] {
    if (!operands && count > 0)
      throw Refusal{"expected operands, found NULL"};
    llvm::SmallVector<Expr, 4> exprs;
    for (size_t i = 0; i < count; ++i) {
      exprs.push_back(unwrap(*context, operands[i]));
      if (!exprs.back())
        throw Refusal{"operand " + std::to_string(i) + " is null"};
    }
    Expr result = apply(operation, exprs);
    if (!result)
      throw Refusal{"a coefficient leaves 64 bits, or the result is too large"};
    return wrap(result);
  });
}

DynSymbolicExpr dynSymbolicParse(DynSymbolicContext *context, const char *text) {
  return guarded(context, DynSymbolicExpr{nullptr}, [&] {
    ParseError error;
    Expr expr = parseExpr(checkText(text), context->context, error);
    if (!expr)
      throw refuse(error);
    return wrap(expr);
  });
}

DynSymbolicExpr dynSymbolicSubstitute(DynSymbolicContext *context, DynSymbolicExpr expr, const DynSymbolicExpr *symbols,
                                      const DynSymbolicExpr *values, size_t count) {
  return guarded(context, DynSymbolicExpr{nullptr}, [&] {
    if (count > 0 && (!symbols || !values))
      throw Refusal{"expected symbols and values, found NULL"};
    Substitution substitution;
    for (size_t i = 0; i < count; ++i) {
      Expr symbol = unwrap(*context, symbols[i]), value = unwrap(*context, values[i]);
      if (!symbol || !symbol.isSymbol() || !value)
        throw Refusal{"pair " + std::to_string(i) + " is no symbol with a value"};
      substitution[symbol.getNode()] = value;
    }
    return wrap(substitute(unwrap(*context, expr), substitution));
  });
}

bool dynSymbolicExprGetConstant(DynSymbolicContext *context, DynSymbolicExpr expr, int64_t *value) {
  return guarded(context, false, [&] {
    std::optional<int64_t> constant = unwrap(*context, expr).getConstant();
    if (constant && value)
      *value = *constant;
    return constant.has_value();
  });
}

const char *dynSymbolicExprGetText(DynSymbolicContext *context, DynSymbolicExpr expr, DynSymbolicSyntax syntax) {
  return guarded(context, static_cast<const char *>(nullptr), [&] {
    Expr shown = unwrap(*context, expr);
    if (!shown)
      throw Refusal{"the expression is null"};
    context->text = shown.str(syntax == DYN_SYMBOLIC_SYNTAX_SYMPY ? Syntax::SymPy : Syntax::Dyn);
    return context->text.c_str();
  });
}

bool dynSymbolicExprEvaluate(DynSymbolicContext *context, DynSymbolicExpr expr, const char *const *names,
                             const int64_t *values, size_t count, int64_t *result) {
  return guarded(context, false, [&] {
    if (count > 0 && (!names || !values))
      throw Refusal{"expected names and values, found NULL"};
    auto valueOf = [&](llvm::StringRef name) -> std::optional<int64_t> {
      for (size_t i = 0; i < count; ++i)
        if (name == checkText(names[i]))
          return values[i];
      return std::nullopt;
    };
    std::optional<int64_t> value = evaluate(unwrap(*context, expr), valueOf);
    if (value && result)
      *result = *value;
    return value.has_value();
  });
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

DynSymbolicSolver *dynSymbolicSolverCreate(DynSymbolicContext *context) {
  return guarded(context, static_cast<DynSymbolicSolver *>(nullptr), [&] { return new DynSymbolicSolver(*context); });
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
    for (const SymbolDeclaration &symbol : *symbols)
      if (!solver->solver.declare(solver->owner.context.getSymbol(symbol.name), symbol.facts, SymbolClass::Declared,
                                  reason))
        return report(*solver, false);
    return DYN_SYMBOLIC_OK;
  });
}

static DynSymbolicResult learn(DynSymbolicSolver &solver, const Predicate &predicate, const char *reason,
                               const char *where) {
  ReasonId id = solver.solver.addReason({reason ? reason : "given", orEmpty(where), 0});
  return report(solver, solver.solver.addPredicate(predicate, id));
}

DynSymbolicResult dynSymbolicSolverLearn(DynSymbolicSolver *solver, const char *predicate, const char *reason,
                                         const char *where) {
  return guarded(solver, DYN_SYMBOLIC_ERROR,
                 [&] { return learn(*solver, readPredicate(solver->owner, predicate), reason, where); });
}

/// Both sides, none of which is null.
static std::pair<Expr, Expr> unwrapSides(DynSymbolicSolver &solver, DynSymbolicExpr lhs, DynSymbolicExpr rhs) {
  Expr left = unwrap(solver.owner, lhs), right = unwrap(solver.owner, rhs);
  if (!left || !right)
    throw Refusal{"a side is null"};
  return {left, right};
}

DynSymbolicResult dynSymbolicSolverLearnEqual(DynSymbolicSolver *solver, DynSymbolicExpr lhs, DynSymbolicExpr rhs,
                                              const char *reason, const char *where) {
  return guarded(solver, DYN_SYMBOLIC_ERROR, [&] {
    auto [left, right] = unwrapSides(*solver, lhs, rhs);
    return learn(*solver, Predicate::equal(left, right), reason, where);
  });
}

DynSymbolicResult dynSymbolicSolverLearnLessEqual(DynSymbolicSolver *solver, DynSymbolicExpr lhs, DynSymbolicExpr rhs,
                                                  const char *reason, const char *where) {
  return guarded(solver, DYN_SYMBOLIC_ERROR, [&] {
    auto [left, right] = unwrapSides(*solver, lhs, rhs);
    return learn(*solver, Predicate::lessEqual(left, right), reason, where);
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
                 [&] { return wrap(solver->solver.implies(readPredicate(solver->owner, predicate))); });
}

const char *dynSymbolicSolverExplain(DynSymbolicSolver *solver, const char *predicate) {
  return guarded(solver, static_cast<const char *>(nullptr), [&] {
    std::string text;
    for (const ExplainStep &step : solver->solver.explain(readPredicate(solver->owner, predicate)))
      text += printStep(step, "\t") + "\n";
    solver->owner.text = std::move(text);
    return solver->owner.text.c_str();
  });
}

DynSymbolicExpr dynSymbolicSolverSimplify(DynSymbolicSolver *solver, DynSymbolicExpr expr) {
  return guarded(solver, DynSymbolicExpr{nullptr}, [&] {
    Expr operand = unwrap(solver->owner, expr);
    if (!operand)
      throw Refusal{"the expression is null"};
    return wrap(solver->solver.simplify(operand));
  });
}

bool dynSymbolicSolverGetBounds(DynSymbolicSolver *solver, DynSymbolicExpr expr, DynSymbolicBounds *bounds) {
  return guarded(solver, false, [&] {
    Expr operand = unwrap(solver->owner, expr);
    if (!operand || !bounds)
      throw Refusal{operand ? "expected room for bounds, found NULL" : "the expression is null"};
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

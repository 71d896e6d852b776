//===- What the C functions of the engine share ----------------*- C++ -*-===//
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

#ifndef DYN_LIB_CAPI_SYMBOLICSUPPORT_H
#define DYN_LIB_CAPI_SYMBOLICSUPPORT_H

#include "dyn-c/Symbolic.h"
#include "dyn/Symbolic/Statements.h"
#include <exception>

struct DynSymbolicContext {
  dyn::symbolic::SymbolicContext context;
  std::string error, text;
  size_t errorColumn = 0;
};

struct DynSymbolicSolver {
  DynSymbolicSolver(DynSymbolicContext &owner, dyn::symbolic::Solver &&solver)
      : owner(owner), solver(std::move(solver)) {}
  DynSymbolicContext &owner;
  dyn::symbolic::Solver solver;
};

namespace dyn::symbolic::capi {

/// A call that can't go on; caught at the border.
struct Refusal {
  std::string message;
  size_t column = 0;
};

inline DynSymbolicExpr wrap(Expr expr) { return {expr.getNode()}; }

/// The operand, which is of this context; null stays null.
inline Expr unwrap(DynSymbolicContext &context, DynSymbolicExpr expr) {
  Expr result(static_cast<const ExprNode *>(expr.node));
  if (result && &result.getContext() != &context.context)
    throw Refusal{"an expression of another context"};
  return result;
}

inline llvm::StringRef checkText(const char *text) {
  if (!text)
    throw Refusal{"expected a text, found NULL"};
  return text;
}

inline Refusal refuse(const ParseError &error) {
  return {"column " + std::to_string(error.column) + ": " + error.message, error.column};
}

/// Runs a call; what it throws becomes the context's error, and the call returns `failed`.
template <typename Result, typename Call>
Result guarded(DynSymbolicContext *context, Result failed, Call call) {
  if (!context)
    return failed;
  try {
    context->error.clear();
    context->errorColumn = 0;
    return call();
  } catch (Refusal &refusal) {
    context->error = std::move(refusal.message);
    context->errorColumn = refusal.column;
  } catch (const std::bad_alloc &) {
    context->error.assign("out of memory");
  } catch (const std::exception &exception) {
    context->error.assign(exception.what());
  } catch (...) {
    context->error.assign("out of resources");
  }
  return failed;
}

template <typename Result, typename Call>
Result guarded(const DynSymbolicSolver *solver, Result failed, Call call) {
  return guarded(solver ? &solver->owner : nullptr, failed, call);
}

inline Statement readStatement(DynSymbolicContext &context, const char *text) {
  ParseError error;
  std::optional<Statement> statement = parseStatement(checkText(text), context.context, error);
  if (!statement)
    throw refuse(error);
  return std::move(*statement);
}

/// The operand, which is not null.
inline Expr unwrapExpr(DynSymbolicContext &context, DynSymbolicExpr expr) {
  Expr operand = unwrap(context, expr);
  if (!operand)
    throw Refusal{"the expression is null"};
  return operand;
}

/// Both sides, none of which is null.
inline std::pair<Expr, Expr> unwrapSides(DynSymbolicSolver &solver, DynSymbolicExpr lhs, DynSymbolicExpr rhs) {
  Expr left = unwrap(solver.owner, lhs), right = unwrap(solver.owner, rhs);
  if (!left || !right)
    throw Refusal{"a side is null"};
  return {left, right};
}

/// Symbols and what is to stand for them.
Substitution unwrapPairs(DynSymbolicContext &context, const DynSymbolicExpr *symbols, const DynSymbolicExpr *values,
                         size_t count);

} // namespace dyn::symbolic::capi

#endif // DYN_LIB_CAPI_SYMBOLICSUPPORT_H

//===- Expressions for other compilers --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SymbolicSupport.h"
#include "dyn/Symbolic/Names.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::capi;

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
    if (text.empty() || isReservedName(text))
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

Substitution capi::unwrapPairs(DynSymbolicContext &context, const DynSymbolicExpr *symbols,
                               const DynSymbolicExpr *values, size_t count) {
  if (count > 0 && (!symbols || !values))
    throw Refusal{"expected symbols and values, found NULL"};
  Substitution substitution;
  for (size_t i = 0; i < count; ++i) {
    Expr symbol = unwrap(context, symbols[i]), value = unwrap(context, values[i]);
    if (!symbol || !symbol.isSymbol() || !value)
      throw Refusal{"pair " + std::to_string(i) + " is no symbol with a value"};
    substitution[symbol.getNode()] = value;
  }
  return substitution;
}

DynSymbolicExpr dynSymbolicSubstitute(DynSymbolicContext *context, DynSymbolicExpr expr, const DynSymbolicExpr *symbols,
                                      const DynSymbolicExpr *values, size_t count) {
  return guarded(context, DynSymbolicExpr{nullptr}, [&] {
    return wrap(substitute(unwrap(*context, expr), unwrapPairs(*context, symbols, values, count)));
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

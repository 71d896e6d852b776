//===- Public operations on expressions -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Expr.h"
#include "Expressions/Builder.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Expr
//===----------------------------------------------------------------------===//

SymbolicContext &Expr::getContext() const { return node->context->owner; }

std::optional<int64_t> Expr::getConstant() const {
  if (!node || !symbolic::isConstant(node->getTerms()))
    return std::nullopt;
  return getConstantTerm(node->getTerms());
}

llvm::StringRef Expr::getSymbolName() const {
  if (!node || node->getTerms().size() != 1 || node->getTerms()[0].coefficient != 1)
    return {};
  const Atom *atom = node->getTerms()[0].monomial->getAtom();
  return atom && atom->isSymbol() ? atom->name : llvm::StringRef();
}

void SymbolCollector::add(Expr expr) {
  for (const Term &term : getTerms(expr))
    for (const Power &power : term.monomial->getPowers())
      if (power.atom->isSymbol()) {
        found.push_back(power.atom);
      } else if (seen.insert(power.atom).second) {
        llvm::append_range(found, power.atom->getListedSymbols());
        if (!power.atom->symbols)
          for (Expr operand : power.atom->operands)
            add(operand);
      }
}

llvm::ArrayRef<const Atom *> SymbolCollector::get() {
  auto comesBefore = [](const Atom *a, const Atom *b) { return a->expr.getNode()->context->comesBefore(a, b); };
  if (!llvm::is_sorted(found, comesBefore))
    llvm::sort(found, comesBefore);
  found.erase(llvm::unique(found), found.end());
  return found;
}

llvm::SmallVector<Expr, 4> Expr::getSymbols() const {
  if (!node)
    return {};
  llvm::SmallVector<Expr, 4> result;
  if (node->context->listSymbols(node->symbolMask, result))
    return result;
  SymbolCollector symbols;
  symbols.add(*this);
  for (const Atom *symbol : symbols.get())
    result.push_back(symbol->expr);
  return result;
}

bool Expr::isWithinBudget() const {
  constexpr size_t maximalTerms = 32;
  constexpr unsigned maximalDepth = 6, maximalNodes = 256;
  return node && node->getTerms().size() <= maximalTerms && node->depth <= maximalDepth &&
         node->nodeCount <= maximalNodes;
}

//===----------------------------------------------------------------------===//
// Constructors
//===----------------------------------------------------------------------===//

static SymbolicContext::Impl &getImpl(Expr expr) { return *expr.getNode()->context; }

/// Calls `build` with a builder of the operands' context, if there are operands and none is null.
template <typename Build>
static Expr buildFrom(llvm::ArrayRef<Expr> operands, Build build) {
  if (operands.empty() || !llvm::all_of(operands, [](Expr operand) { return bool(operand); }))
    return {};
  SymbolicContext::Impl &context = getImpl(operands.front());
  assert(llvm::all_of(operands, [&](Expr operand) { return &getImpl(operand) == &context; }) &&
         "operands of different contexts");
  ExprBuilder builder(context);
  return build(builder);
}

static Expr getConstantLike(Expr expr, int64_t value) { return expr ? getImpl(expr).getConstant(value) : Expr(); }

Expr dyn::symbolic::operator+(Expr lhs, Expr rhs) {
  return buildFrom({lhs, rhs}, [&](ExprBuilder &builder) { return builder.add(lhs, rhs); });
}
Expr dyn::symbolic::operator-(Expr lhs, Expr rhs) {
  return buildFrom({lhs, rhs}, [&](ExprBuilder &builder) { return builder.subtract(lhs, rhs); });
}
Expr dyn::symbolic::operator*(Expr lhs, Expr rhs) {
  return buildFrom({lhs, rhs}, [&](ExprBuilder &builder) { return builder.multiply(lhs, rhs); });
}
Expr dyn::symbolic::operator-(Expr operand) {
  return buildFrom(operand, [&](ExprBuilder &builder) { return builder.scale(operand, -1); });
}
Expr dyn::symbolic::operator+(Expr lhs, int64_t rhs) { return lhs + getConstantLike(lhs, rhs); }
Expr dyn::symbolic::operator-(Expr lhs, int64_t rhs) { return lhs - getConstantLike(lhs, rhs); }
Expr dyn::symbolic::operator*(Expr lhs, int64_t rhs) { return lhs * getConstantLike(lhs, rhs); }

Expr dyn::symbolic::floorDiv(Expr lhs, Expr rhs) {
  return buildFrom({lhs, rhs}, [&](ExprBuilder &builder) { return builder.floorDiv(lhs, rhs); });
}
Expr dyn::symbolic::floorDiv(Expr lhs, int64_t rhs) { return floorDiv(lhs, getConstantLike(lhs, rhs)); }
Expr dyn::symbolic::ceilDiv(Expr lhs, Expr rhs) {
  return buildFrom({lhs, rhs}, [&](ExprBuilder &builder) { return builder.ceilDiv(lhs, rhs); });
}
Expr dyn::symbolic::ceilDiv(Expr lhs, int64_t rhs) { return ceilDiv(lhs, getConstantLike(lhs, rhs)); }
Expr dyn::symbolic::mod(Expr lhs, Expr rhs) {
  return buildFrom({lhs, rhs}, [&](ExprBuilder &builder) { return builder.mod(lhs, rhs); });
}
Expr dyn::symbolic::exactDiv(Expr lhs, Expr rhs) {
  return buildFrom({lhs, rhs}, [&](ExprBuilder &builder) { return builder.exactDiv(lhs, rhs); });
}
Expr dyn::symbolic::max(llvm::ArrayRef<Expr> operands) {
  return buildFrom(operands, [&](ExprBuilder &builder) { return builder.max(operands); });
}
Expr dyn::symbolic::min(llvm::ArrayRef<Expr> operands) {
  return buildFrom(operands, [&](ExprBuilder &builder) { return builder.min(operands); });
}
Expr dyn::symbolic::bcast(llvm::ArrayRef<Expr> operands) {
  return buildFrom(operands, [&](ExprBuilder &builder) { return builder.bcast(operands); });
}

//===----------------------------------------------------------------------===//
// Substitution and import
//===----------------------------------------------------------------------===//

Expr dyn::symbolic::substitute(Expr expr, const Substitution &substitution) {
  if (!expr || substitution.empty())
    return expr;
  SymbolicContext::Impl &context = getImpl(expr);
  ExprBuilder builder(context);
  ExprBuilder::Memo memo;
  return builder.rebuild(
      expr,
      [&](const Atom *atom) -> Expr {
        return atom->isSymbol() ? substitution.lookup(context.getExpr(atom).getNode()) : Expr();
      },
      memo);
}

namespace {
/// Nodes are canonical in every context, so they are copied as they are.
class Importer {
public:
  explicit Importer(SymbolicContext::Impl &into) : into(into) {}

  Expr import(Expr expr) {
    Poly terms;
    for (const Term &term : getTerms(expr)) {
      llvm::SmallVector<Power, 4> powers;
      for (const Power &power : term.monomial->getPowers())
        powers.push_back({import(power.atom), power.exponent});
      terms.push_back({into.getMonomial(powers), term.coefficient});
    }
    return into.getExpr(terms);
  }

private:
  const Atom *import(const Atom *atom) {
    if (atom->isSymbol())
      return into.getSymbol(atom->name);
    auto found = memo.find(atom);
    if (found != memo.end())
      return found->second;
    llvm::SmallVector<Expr, 4> operands;
    for (Expr operand : atom->operands)
      operands.push_back(import(operand));
    return memo[atom] = into.getAtom(atom->kind, operands);
  }

  SymbolicContext::Impl &into;
  llvm::DenseMap<const Atom *, const Atom *> memo;
};
} // namespace

Expr dyn::symbolic::importExpr(Expr expr, SymbolicContext &into) {
  if (!expr || &expr.getContext() == &into)
    return expr;
  return Importer(into.getImpl()).import(expr);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

std::optional<int64_t> dyn::symbolic::evaluate(AtomKind kind, llvm::ArrayRef<int64_t> values) {
  switch (kind) {
  case AtomKind::Symbol:
    break;
  case AtomKind::FloorDiv:
    return checkedFloorDiv(values[0], values[1]);
  case AtomKind::ExactDiv:
    if (values[1] == 0 || floorMod(values[0], values[1]) != 0)
      return std::nullopt;
    return checkedFloorDiv(values[0], values[1]);
  case AtomKind::Max:
    return *std::max_element(values.begin(), values.end());
  case AtomKind::Bcast: {
    int64_t size = 1;
    for (int64_t value : values) {
      if (value != 1 && size != 1 && value != size)
        return std::nullopt;
      size = value != 1 ? value : size;
    }
    return size;
  }
  }
  return std::nullopt;
}

namespace {
class Evaluator {
public:
  using Values = llvm::function_ref<std::optional<int64_t>(llvm::StringRef)>;
  explicit Evaluator(Values valueOf) : valueOf(valueOf) {}

  std::optional<int64_t> evaluate(Expr expr) {
    std::optional<int64_t> sum = 0;
    for (const Term &term : getTerms(expr)) {
      std::optional<int64_t> product = term.coefficient;
      for (const Power &power : term.monomial->getPowers()) {
        std::optional<int64_t> value = evaluate(power.atom);
        for (uint32_t i = 0; i < power.exponent && product; ++i)
          product = value ? checkedMul(*product, *value) : std::nullopt;
      }
      sum = sum && product ? checkedAdd(*sum, *product) : std::nullopt;
      if (!sum)
        return std::nullopt;
    }
    return sum;
  }

private:
  std::optional<int64_t> evaluate(const Atom *atom) {
    if (atom->isSymbol())
      return valueOf(atom->name);
    auto found = memo.find(atom);
    if (found != memo.end())
      return found->second;
    return memo[atom] = compute(atom);
  }

  std::optional<int64_t> compute(const Atom *atom) {
    llvm::SmallVector<int64_t, 4> values;
    for (Expr operand : atom->operands) {
      std::optional<int64_t> value = evaluate(operand);
      if (!value)
        return std::nullopt;
      values.push_back(*value);
    }
    return dyn::symbolic::evaluate(atom->kind, values);
  }

  Values valueOf;
  llvm::SmallDenseMap<const Atom *, std::optional<int64_t>, 8> memo;
};
} // namespace

std::optional<int64_t> dyn::symbolic::evaluate(Expr expr,
                                               llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> valueOf) {
  return expr ? Evaluator(valueOf).evaluate(expr) : std::nullopt;
}

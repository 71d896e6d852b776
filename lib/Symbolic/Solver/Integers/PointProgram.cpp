//===- What is evaluated at many points ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/PointProgram.h"
#include "Expressions/Comparison.h"
#include "Expressions/Polynomial.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

PointProgram::Slice PointProgram::compile(Expr expr, SymbolPlaces &places) {
  // Operations first, so that the products of a sum stand side by side.
  llvm::SmallVector<Product, 8> own;
  for (const Term &term : getTerms(expr)) {
    llvm::SmallVector<Factor, 4> ownFactors;
    for (const Power &power : term.monomial->getPowers()) {
      Factor factor{power.atom->isSymbol(), 0};
      if (factor.isSymbol) {
        factor.place = places.get(power.atom);
      } else if (auto known = operationOf.find(power.atom); known != operationOf.end()) {
        factor.place = known->second;
      } else {
        Operation operation{power.atom->kind, {}};
        for (Expr operand : power.atom->operands)
          operation.operands.push_back(compile(operand, places));
        factor.place = operationOf[power.atom] = operations.size();
        operations.push_back(std::move(operation));
      }
      ownFactors.append(power.exponent, factor);
    }
    unsigned begin = factors.size();
    factors.append(ownFactors);
    own.push_back({term.coefficient, {begin, static_cast<unsigned>(factors.size())}});
  }
  unsigned begin = products.size();
  products.append(own);
  return {begin, static_cast<unsigned>(products.size())};
}

PointProgram::Index PointProgram::add(Expr expr, SymbolPlaces &places) {
  sums.push_back(compile(expr, places));
  return sums.size() - 1;
}

PointProgram::Index PointProgram::add(const Predicate &predicate, SymbolPlaces &places) {
  Condition condition{predicate.kind, predicate.lhs && predicate.rhs, {0, 0}, {0, 0}, {}};
  if (condition.hasSides) {
    condition.lhs = compile(predicate.lhs, places);
    condition.rhs = compile(predicate.rhs, places);
  }
  for (const Predicate &operand : predicate.operands)
    condition.operands.push_back(add(operand, places));
  conditions.push_back(std::move(condition));
  return conditions.size() - 1;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

void PointProgram::visit(const Values &point, unsigned &effort) {
  ++visits;
  values = &point;
  this->effort = &effort;
}

std::optional<int64_t> PointProgram::evaluate(Operation &operation) {
  if (std::exchange(operation.visit, visits) == visits)
    return operation.value;
  // About as much as three values.
  constexpr unsigned costOfOperation = 3;
  *effort -= std::min(*effort, costOfOperation);
  operation.value = std::nullopt;
  llvm::SmallVector<int64_t, 4> operands;
  for (Slice operand : operation.operands) {
    std::optional<int64_t> value = evaluate(operand);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  return operation.value = dyn::symbolic::evaluate(operation.kind, operands);
}

std::optional<int64_t> PointProgram::evaluate(Slice sum) {
  int64_t result = 0;
  for (unsigned index = sum.begin; index < sum.end; ++index) {
    const Product &product = products[index];
    int64_t value = product.coefficient;
    for (unsigned place = product.factors.begin; place < product.factors.end; ++place) {
      Factor factor = factors[place];
      *effort -= factor.isSymbol && *effort > 0;
      std::optional<int64_t> known = !factor.isSymbol                ? evaluate(operations[factor.place])
                                     : factor.place < values->size() ? (*values)[factor.place]
                                                                     : std::nullopt;
      if (!known || __builtin_mul_overflow(value, *known, &value))
        return std::nullopt;
    }
    if (__builtin_add_overflow(result, value, &result))
      return std::nullopt;
  }
  return result;
}

std::optional<bool> PointProgram::evaluatePredicate(Index index) {
  using Kind = Predicate::Kind;
  const Condition &condition = conditions[index];
  switch (condition.kind) {
  case Kind::True:
    return true;
  case Kind::False:
    return false;
  case Kind::And:
  case Kind::Or: {
    bool deciding = condition.kind == Kind::Or, areAllKnown = true;
    for (Index operand : condition.operands) {
      std::optional<bool> truth = evaluatePredicate(operand);
      if (truth == deciding)
        return deciding;
      areAllKnown &= truth.has_value();
    }
    return areAllKnown ? std::optional(!deciding) : std::nullopt;
  }
  case Kind::Not: {
    std::optional<bool> truth = evaluatePredicate(condition.operands.front());
    return truth ? std::optional(!*truth) : std::nullopt;
  }
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::LessEqual:
  case Kind::Less:
    break;
  }
  if (!condition.hasSides)
    return std::nullopt;
  std::optional<int64_t> lhs = evaluate(condition.lhs), rhs = lhs ? evaluate(condition.rhs) : std::nullopt;
  if (!rhs)
    return std::nullopt;
  return holdsBetween(condition.kind, *lhs, *rhs);
}

//===- What predicates come to under values of their symbols ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Naming/FactHashes.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void FactHashes::push(Step step, unsigned operands) {
  steps.push_back(step);
  depth += 1 - operands;
  if (depth > stack.size())
    stack.resize(depth);
}

void FactHashes::compile(const Atom *atom, GetPlace getPlace) {
  if (atom->isSymbol())
    return push({Symbol, false, getPlace(atom)}, 0);
  for (Expr operand : atom->operands)
    compile(operand, getPlace);
  auto count = static_cast<uint32_t>(atom->operands.size());
  switch (atom->kind) {
  case AtomKind::Symbol:
    break;
  case AtomKind::FloorDiv:
    return push({FloorDiv}, count);
  case AtomKind::ExactDiv:
    return push({ExactDiv}, count);
  case AtomKind::Max:
    return push({Max, false, count}, count);
  case AtomKind::Bcast:
    return push({Bcast, false, count}, count);
  }
}

void FactHashes::compile(Expr expr, GetPlace getPlace) {
  bool isFirstTerm = true;
  for (const Term &term : getTerms(expr)) {
    bool isFirstFactor = term.coefficient == 1 && !term.monomial->isOne();
    if (!isFirstFactor)
      push({Constant, false, 0, static_cast<uint64_t>(term.coefficient)}, 0);
    for (const auto &power : term.monomial->getPowers()) {
      compile(power.atom, getPlace);
      if (power.exponent > 1)
        push({Power, false, power.exponent}, 1);
      if (!std::exchange(isFirstFactor, false))
        push({Multiply}, 2);
    }
    if (!std::exchange(isFirstTerm, false))
      push({Add}, 2);
  }
  if (isFirstTerm)
    push({Constant}, 0);
}

void FactHashes::compile(const Predicate &predicate, GetPlace getPlace) {
  for (const Predicate &operand : predicate.operands)
    compile(operand, getPlace);
  for (Expr side : {predicate.lhs, predicate.rhs})
    if (side)
      compile(side, getPlace);
    else
      push({Constant}, 0);
  // A fact that says that something is 0 says the same of its opposite, and names decide which of them is written.
  bool isEquation = predicate.kind == Predicate::Kind::Equal || predicate.kind == Predicate::Kind::NotEqual;
  bool isUnsigned = isEquation && predicate.rhs && predicate.rhs.isConstant(0);
  auto count = static_cast<uint32_t>(predicate.operands.size());
  push({Hash, isUnsigned, count, static_cast<uint64_t>(predicate.kind) + 1}, count + 2);
}

void FactHashes::add(const Predicate &predicate, GetPlace getPlace) {
  depth = 0;
  compile(predicate, getPlace);
  ends.push_back(steps.size());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// It need not divide: what is left over tells symbols apart too. A multiple of the divisor, and the signs of both, may
/// stand inside or outside, as names decide.
static std::optional<int64_t> divideAlmost(int64_t dividend, int64_t divisor) {
  constexpr unsigned hiddenBits = 50;
  std::optional<int64_t> quotient = checkedFloorDiv(dividend, divisor);
  if (!quotient || divisor == INT64_MIN)
    return std::nullopt;
  int64_t remainder = std::abs(floorMod(dividend, divisor));
  uint64_t rest = remainder == 0 ? 0 : mix(remainder, std::abs(divisor)) >> hiddenBits;
  return static_cast<int64_t>(*quotient + rest);
}

/// In whatever order.
static uint64_t addHashes(llvm::ArrayRef<uint64_t> operands) {
  uint64_t sum = 0;
  for (uint64_t operand : operands)
    sum += mix(operand, 1);
  return sum;
}

uint64_t FactHashes::evaluate(unsigned predicate, llvm::ArrayRef<int64_t> values) {
  constexpr unsigned hiddenBits = 50;
  auto isLess = [](uint64_t a, uint64_t b) { return static_cast<int64_t>(a) < static_cast<int64_t>(b); };
  bool hasValue = true; // what was evaluated since the last hash
  uint64_t *top = stack.data();
  unsigned begin = predicate == 0 ? 0 : ends[predicate - 1];
  for (const Step &step : llvm::ArrayRef(steps).slice(begin, ends[predicate] - begin)) {
    switch (step.kind) {
    case Constant:
      *top++ = step.value;
      break;
    case Symbol:
      *top++ = values[step.number];
      break;
    // Sums and products wrap around, which keeps equal polynomials equal.
    case Add:
      --top;
      top[-1] += top[0];
      break;
    case Multiply:
      --top;
      top[-1] *= top[0];
      break;
    case Power: {
      uint64_t base = top[-1];
      for (uint32_t i = 1; i < step.number; ++i)
        top[-1] *= base;
      break;
    }
    case FloorDiv:
    case ExactDiv: {
      --top;
      std::optional<int64_t> quotient =
          step.kind == FloorDiv ? checkedFloorDiv(top[-1], top[0]) : divideAlmost(top[-1], top[0]);
      hasValue &= quotient.has_value();
      top[-1] = quotient.value_or(0);
      break;
    }
    case Max:
      for (uint32_t i = 1; i < step.number; ++i) {
        --top;
        top[-1] = std::max(top[-1], top[0], isLess);
      }
      break;
    case Bcast:
      // Of all operands, since they need not broadcast.
      top -= step.number;
      *top = addHashes({top, step.number}) >> hiddenBits;
      ++top;
      break;
    case Hash: {
      top -= step.number + 2;
      uint64_t lhs = top[step.number], rhs = top[step.number + 1];
      if (step.isUnsigned && isLess(lhs, 0))
        lhs = 0 - lhs;
      uint64_t sides = std::exchange(hasValue, true) ? mix(mix(step.value, lhs), rhs) : step.value;
      *top = mix(sides, addHashes({top, step.number}));
      ++top;
      break;
    }
    }
  }
  return stack.front();
}

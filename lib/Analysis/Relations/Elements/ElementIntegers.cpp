//===- Integers that are computed from two ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ElementEvaluator.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

bool ElementEvaluator::isPositive(Expr divisor) {
  if (isAtLeast(divisor, 1))
    return true;
  if (divisor.getConstant() || !isAtLeast(divisor, 0))
    return false;
  divisors.push_back(divisor);
  return true;
}

ElementValue ElementEvaluator::divide(Expr lhs, Expr rhs) {
  std::optional<int64_t> l = lhs.getConstant(), r = rhs.getConstant();
  if (l && r)
    return *r == 0 || (*r == -1 && *l == std::numeric_limits<int64_t>::min()) ? ElementValue()
                                                                              : integer(constant(*l / *r));
  // Towards zero, whatever the signs are.
  if (r && *r < 0 && *r != std::numeric_limits<int64_t>::min()) {
    ElementValue opposite = divide(lhs, constant(-*r));
    return opposite.isUnknown() ? opposite : integer(-opposite.integer);
  }
  if (!isPositive(rhs))
    return {};
  if (!r && relations.isKnownLessEqual(lhs + 1, rhs) && relations.isKnownLessEqual(constant(1) - rhs, lhs))
    return integer(constant(0));
  // Rounding towards zero is downwards or upwards, whatever the sign is, and either where there is nothing to round.
  bool isExact = r && relations.getSolver().isDivisible(lhs, *r) == Verdict::Yes;
  if (isExact || isAtLeast(lhs, 0))
    return integer(floorDiv(lhs, rhs));
  return integer(symbolic::max({floorDiv(lhs, rhs), symbolic::min({ceilDiv(lhs, rhs), constant(0)})}));
}

/// What is at least 0, times whether it is not 0, is itself: `c * -cast(c != 0)` is how tf2onnx negates what it crops.
Expr ElementEvaluator::multiply(Expr lhs, Expr rhs) {
  if (lhs.getConstant() || rhs.getConstant())
    return lhs * rhs;
  for (auto [value, other] : {std::pair(lhs, rhs), std::pair(rhs, lhs)})
    for (bool isNegated : {false, true}) {
      Expr truth = isNegated ? -other : other;
      if (!truth || !isAtLeast(truth, 0) || !relations.isKnownLessEqual(truth, constant(1)))
        continue;
      for (bool isValueNegated : {false, true}) {
        Expr size = isValueNegated ? -value : value;
        if (size && isAtLeast(size, 0) && relations.isKnownEqual(truth, symbolic::min({size, constant(1)})))
          return isNegated == isValueNegated ? size : -size;
      }
    }
  return lhs * rhs;
}

ElementValue ElementEvaluator::evaluateBits(uint64_t lhs, uint64_t rhs) {
  return llvm::TypeSwitch<Operation *, ElementValue>(op)
      .Case<AndOp>([&](auto) { return integer(constant(lhs & rhs)); })
      .Case<OrOp>([&](auto) { return integer(constant(lhs | rhs)); })
      .Case<XorOp>([&](auto) { return integer(constant(lhs ^ rhs)); })
      .Default([](Operation *) { return ElementValue(); });
}

/// All bits but the lowest, or these alone: `x & -8` is x rounded down to a multiple of 8, `x & 7` what that leaves.
ElementValue ElementEvaluator::maskBits(Expr value, int64_t mask) {
  bool keepsLowest = mask >= 0, isSigned = !elementType.isUnsignedInteger();
  uint64_t step = keepsLowest ? static_cast<uint64_t>(mask) + 1 : -static_cast<uint64_t>(mask);
  if (!llvm::isPowerOf2_64(step) || step > INT64_MAX || !(keepsLowest || isSigned))
    return {};
  Expr rest = symbolic::mod(value, constant(static_cast<int64_t>(step)));
  return integer(keepsLowest ? rest : value - rest);
}

ElementValue ElementEvaluator::evaluateIntegers(Expr lhs, Expr rhs) {
  return llvm::TypeSwitch<Operation *, ElementValue>(op)
      .Case<AddOp>([&](auto) { return integer(lhs + rhs); })
      .Case<SubOp>([&](auto) { return integer(lhs - rhs); })
      .Case<MulOp>([&](auto) { return integer(multiply(lhs, rhs)); })
      .Case<DivOp>([&](auto) { return divide(lhs, rhs); })
      .Case<ModOp>([&](ModOp mod) {
        // Of the sign of the divisor, or else of the dividend.
        bool isNegative = rhs.getConstant().value_or(0) < 0;
        bool agrees = (!mod.getFmod() || (isAtLeast(lhs, 0) && !isNegative)) && (isNegative || isPositive(rhs));
        return agrees ? integer(symbolic::mod(lhs, rhs)) : ElementValue();
      })
      .Case<MinOp>([&](auto) { return integer(symbolic::min({lhs, rhs})); })
      .Case<MaxOp>([&](auto) { return integer(symbolic::max({lhs, rhs})); })
      .Case<AndOp, OrOp, XorOp>([&](auto) {
        std::optional<int64_t> l = lhs.getConstant(), r = rhs.getConstant();
        if (l && r)
          return evaluateBits(*l, *r);
        return isa<AndOp>(op) && (l || r) ? maskBits(l ? rhs : lhs, l ? *l : *r) : ElementValue();
      })
      .Default([](Operation *) { return ElementValue(); });
}

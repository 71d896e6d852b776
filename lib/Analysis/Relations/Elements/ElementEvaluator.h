//===- Elementwise ops on known elements --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_RELATIONS_ELEMENTEVALUATOR_H
#define DYN_LIB_ANALYSIS_RELATIONS_ELEMENTEVALUATOR_H

#include "../Relations.h"
#include "mlir/IR/TypeUtilities.h"

namespace dyn::relations {

/// The limit where only the order counts, which rounding keeps: each number is what it is.
inline constexpr int64_t kMostWhole = int64_t(1) << 53;

/// Evaluates one elementwise op on elements of its operands, which are unknown where they must be.
class ElementEvaluator {
public:
  ElementEvaluator(mlir::Operation *op, ShapeRelations &relations)
      : op(op), relations(relations), elementType(mlir::getElementTypeOrSelf(op->getResult(0))) {}

  ElementValue evaluate(llvm::ArrayRef<ElementValue> operands);
  /// Requires what makes sense of the integers that were given: that they fit into the result's type, that nothing was
  /// divided by a size of 0.
  mlir::LogicalResult requireValid();

  /// An integer of the result's type. Constants are checked at once, because masks are made of extreme ones; the host
  /// computes sizes with 64 bits and refuses more, so that narrower ones remain to be checked.
  ElementValue integer(symbolic::Expr value);
  /// The same, but where the result is one of floats, the integer rounded to its type.
  ElementValue integerOrRounded(symbolic::Expr value) {
    return mlir::isa<mlir::FloatType>(elementType) ? ElementValue::getInteger(value) : integer(value);
  }

private:
  symbolic::Expr constant(int64_t value) { return relations.getConstant(value); }
  bool isAtLeast(symbolic::Expr expr, int64_t lower) { return relations.isKnownLessEqual(constant(lower), expr); }
  /// Whether that is proved of a divisor, or to be required of a size.
  bool isPositive(symbolic::Expr divisor);
  /// The same of a divisor of floats, which may be 0 where no size depends on the result.
  bool isPositiveSize(symbolic::Expr divisor);
  /// Does what is required of the value become a guard? Where it has none, nothing may rely on it.
  bool mayRequire(symbolic::Expr value);
  /// A float of the result's type. What is computed in a wider one may be rounded later, so that only results are known
  /// with which that makes no difference.
  ElementValue number(double value) {
    ElementValue rounded = round(value);
    bool isComputedWider = !rounded.isUnknown() && elementType.getIntOrFloatBitWidth() < 32;
    return isComputedWider && rounded.number != value ? ElementValue() : rounded;
  }
  /// A float rounded to the result's type, as casts do: to one of 16 bits by way of 32.
  ElementValue round(double value) {
    if (!getExactLimit(elementType))
      return {};
    if (elementType.getIntOrFloatBitWidth() < 32)
      value = static_cast<float>(value);
    return ElementValue::getNumber(roundTo(mlir::cast<mlir::FloatType>(elementType), value));
  }

  /// An Integer in a float tensor is rounded to its type. Is this one held exactly?
  bool isExact(symbolic::Expr value, mlir::Type type) {
    std::optional<int64_t> limit = getExactLimit(type);
    return limit && isWithin(value, {-*limit, *limit}, relations) == symbolic::Verdict::Yes;
  }
  ElementValue evaluateRounded(const ElementValue &lhs, const ElementValue &rhs);
  ElementValue evaluateUnary(const ElementValue &operand);
  ElementValue evaluateUnary(double value);
  ElementValue evaluateUnary(symbolic::Expr value);
  ElementValue evaluateBinary(const ElementValue &lhs, const ElementValue &rhs);
  ElementValue evaluateNumbers(double lhs, double rhs);
  ElementValue evaluateIntegers(symbolic::Expr lhs, symbolic::Expr rhs);
  symbolic::Expr multiply(symbolic::Expr lhs, symbolic::Expr rhs);
  ElementValue evaluateBits(uint64_t lhs, uint64_t rhs);
  ElementValue maskBits(symbolic::Expr value, int64_t mask);
  ElementValue evaluateLogic(const symbolic::Predicate &lhs, const symbolic::Predicate &rhs);
  ElementValue divide(symbolic::Expr lhs, symbolic::Expr rhs);
  ElementValue power(const ElementValue &base, const ElementValue &exponent);
  ElementValue compare(CompareDirection direction, const ElementValue &lhs, const ElementValue &rhs);
  /// Of floats, at least one of which is an integer that is rounded.
  ElementValue compareRounded(CompareDirection direction, const ElementValue &lhs, const ElementValue &rhs);
  ElementValue compareTruths(CompareDirection direction, const symbolic::Predicate &lhs,
                             const symbolic::Predicate &rhs);
  ElementValue select(const ElementValue &condition, const ElementValue &onTrue, const ElementValue &onFalse);
  ElementValue cast(const ElementValue &operand);
  ElementValue castFloat(const ElementValue &operand, mlir::Type from);
  bool isSame(const ElementValue &lhs, const ElementValue &rhs);

  //===--- Quotients: sizes on the way through floats ---===//

  /// An element of a tensor of `type` as a quotient; unknown where it is none.
  ElementValue getQuotient(const ElementValue &element, mlir::Type type);
  ElementValue evaluateQuotients(const ElementValue &lhs, const ElementValue &rhs);
  ElementValue evaluateQuotient(const ElementValue &operand);
  /// `factor` times `by`, divided by `divisor`.
  ElementValue scale(const ElementValue &factor, symbolic::Expr by, int64_t divisor, int64_t limit, bool isExact);
  /// `lhs / rhs` where that is a whole number of times; unknown where it is not known to be.
  ElementValue divideWhole(const ElementValue &lhs, const ElementValue &rhs, int64_t limit);
  ElementValue evaluateRatios(const ElementValue &lhs, const ElementValue &rhs);
  ElementValue evaluateNear(const ElementValue &operand);
  /// The integer that a quotient becomes, if it holds at all sizes, or is required to.
  ElementValue truncate(const ElementValue &quotient);

  mlir::Operation *op;
  ShapeRelations &relations;
  mlir::Type elementType;
  llvm::SmallVector<symbolic::Expr> narrow;   ///< symbolic integers of 32 bits
  llvm::SmallVector<symbolic::Expr> divisors; ///< that may be 0 as far as facts say
  /// Of each of these, a magnitude that floats hold.
  llvm::SmallVector<std::pair<symbolic::Expr, int64_t>> magnitudes;
};

} // namespace dyn::relations

#endif // DYN_LIB_ANALYSIS_RELATIONS_ELEMENTEVALUATOR_H

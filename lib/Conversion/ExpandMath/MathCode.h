//===- Arithmetic on f32 scalars and vectors --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_EXPANDMATH_MATHCODE_H
#define DYN_LIB_CONVERSION_EXPANDMATH_MATHCODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include <optional>

namespace dyn::math_code {

/// Builds arithmetic on values of one shape, scalar or vector, that approximations consist of.
class MathCode {
public:
  /// `like`: a value with the shape to compute in; `vectorBits`: see `populateExpandMathPatterns`.
  MathCode(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value like, unsigned vectorBits);

  mlir::Value number(double value);
  mlir::Value number64(double value);
  mlir::Value bits(int32_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value div(mlir::Value lhs, mlir::Value rhs);
  /// lhs * rhs + addend, rounded once where the target can.
  mlir::Value fma(mlir::Value lhs, mlir::Value rhs, mlir::Value addend);
  mlir::Value negate(mlir::Value value);
  mlir::Value abs(mlir::Value value);
  mlir::Value copySign(mlir::Value magnitude, mlir::Value sign);
  mlir::Value sqrt(mlir::Value value);
  mlir::Value floor(mlir::Value value);
  mlir::Value roundEven(mlir::Value value);
  /// coefficients[0] * x^n + ... + coefficients[n]
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value then, mlir::Value otherwise);
  /// At least (most) `bound`; NaN stays.
  mlir::Value clampBelow(mlir::Value value, double bound);
  mlir::Value clampAbove(mlir::Value value, double bound);
  mlir::Value toBits(mlir::Value value);
  mlir::Value fromBits(mlir::Value value);
  mlir::Value toInteger(mlir::Value value);
  mlir::Value toFloat(mlir::Value integer);
  mlir::Value to64(mlir::Value value);
  mlir::Value to32(mlir::Value value);
  mlir::Value addBits(mlir::Value lhs, mlir::Value rhs);
  mlir::Value subBits(mlir::Value lhs, mlir::Value rhs);
  mlir::Value andBits(mlir::Value lhs, mlir::Value rhs);
  mlir::Value orBits(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mulBits(mlir::Value lhs, mlir::Value rhs);
  mlir::Value isEqual(mlir::Value lhs, mlir::Value rhs);
  mlir::Value both(mlir::Value lhs, mlir::Value rhs);
  mlir::Value shiftLeft(mlir::Value value, int32_t count);
  mlir::Value shiftLeft(mlir::Value value, mlir::Value count);
  mlir::Value shiftRight(mlir::Value value, int32_t count);
  /// 2^exponent for an integer exponent in [-126, 127].
  mlir::Value powerOfTwo(mlir::Value exponent);
  /// value * 2^exponent for an exponent in [-252, 254] that is integral, also where 2^exponent is no normal number.
  mlir::Value scale(mlir::Value value, mlir::Value exponent);

  //===--- Integers of 64 bits ---===//
  mlir::Value bits64(int64_t value);
  /// Of an integer of 32 bits that is not negative.
  mlir::Value widen(mlir::Value value);
  mlir::Value shiftLeft64(mlir::Value value, int64_t count);
  /// Fills with zeros.
  mlir::Value shiftRight64(mlir::Value value, int64_t count);
  mlir::Value toFloat64(mlir::Value integer);
  mlir::Value fromBits64(mlir::Value value);

  /// What `then` gives where the condition holds anywhere, else `otherwise`.
  llvm::SmallVector<mlir::Value> ifAny(mlir::Value condition, mlir::ValueRange otherwise,
                                       llvm::function_ref<llvm::SmallVector<mlir::Value>()> then);

private:
  static constexpr int64_t registerLanes = 16;

  mlir::Value scaleInRegisters(mlir::Value value, mlir::Value exponent);
  mlir::Type shaped(mlir::Type elementType);
  mlir::Value constant(mlir::TypedAttr value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type like;
  unsigned vectorBits;
};

/// The number that a scalar or all lanes of a vector are known to be.
std::optional<float> getConstant(mlir::Value value);

/// e^x, also a building block of others; see the pattern for its error.
mlir::Value emitExp(MathCode &code, mlir::Value x);
mlir::Value emitLog(MathCode &code, mlir::Value x);

void populateExponentialPatterns(mlir::RewritePatternSet &patterns, unsigned vectorBits);
void populateLogarithmPatterns(mlir::RewritePatternSet &patterns, unsigned vectorBits);
void populatePowerPatterns(mlir::RewritePatternSet &patterns, unsigned vectorBits);
void populateTrigonometricPatterns(mlir::RewritePatternSet &patterns, unsigned vectorBits);

/// Replaces `Op` on f32 by what `emit` builds.
template <typename Op>
struct ExpandF32 : mlir::OpRewritePattern<Op> {
  using Emit = mlir::Value (*)(MathCode &, mlir::Value);
  ExpandF32(mlir::MLIRContext *context, Emit emit, unsigned vectorBits)
      : mlir::OpRewritePattern<Op>(context), emit(emit), vectorBits(vectorBits) {}

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    if (!mlir::getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    MathCode code(rewriter, op.getLoc(), op.getOperand(), vectorBits);
    rewriter.replaceOp(op, emit(code, op.getOperand()));
    return mlir::success();
  }
  Emit emit;
  unsigned vectorBits;
};

} // namespace dyn::math_code

#endif // DYN_LIB_CONVERSION_EXPANDMATH_MATHCODE_H

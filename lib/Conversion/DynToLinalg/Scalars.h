//===- Scalar code for elements ----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Numpy's meaning in terms of arith and math. Values have signless types; whether
// integers are unsigned is said beside them.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_DYNTOLINALG_SCALARS_H
#define DYN_LIB_CONVERSION_DYNTOLINALG_SCALARS_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/IR/Builders.h"

namespace dyn {

/// Booleans and unsigned integers.
bool isUnsigned(mlir::Type elementType);
/// An element type that scalar code handles.
bool isSupportedElementType(mlir::Type type);
/// Fails, with a diagnostic, for others.
llvm::LogicalResult requireSupported(mlir::Operation *op, mlir::Type elementType);

class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  /// Of a signless type.
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value integer(mlir::Type type, const llvm::APInt &value);

  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  /// Integers: towards zero; the divisor is not 0; the lowest number divided by -1 is itself.
  mlir::Value div(mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
  /// The sign of the divisor, or of the dividend if `fmod`; the divisor of integers is not 0.
  mlir::Value mod(mlir::Value lhs, mlir::Value rhs, bool isUnsigned, bool fmod);
  /// By the rule of `dyn.pow`.
  mlir::Value pow(mlir::Value base, mlir::Value exponent, bool isBaseUnsigned, bool isExponentUnsigned);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
  mlir::Value max(mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
  /// As a reduction takes up another element; a mean as a sum.
  mlir::Value combine(ReduceKind kind, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
  mlir::Value compare(CompareDirection direction, mlir::Value lhs, mlir::Value rhs, bool isUnsigned);
  mlir::Value select(mlir::Value condition, mlir::Value onTrue, mlir::Value onFalse);
  mlir::Value abs(mlir::Value value, bool isUnsigned);
  mlir::Value sign(mlir::Value value, bool isUnsigned);
  /// 1 / (1 + e^-x) of a float, also where e^-x is too great for the type. At most 2.5 ulp off in f32.
  mlir::Value sigmoid(mlir::Value value);
  mlir::Value isInf(mlir::Value value, bool detectNegative, bool detectPositive);
  /// Conversion between element types as they are above the waterline, by the rule of `dyn.cast`.
  mlir::Value cast(mlir::Value value, mlir::Type from, mlir::Type to);

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  mlir::Value castFloatToInt(mlir::Value value, mlir::IntegerType type, bool isUnsigned);
  /// A power of doubles that is that of integers of 64 bits.
  mlir::Value makeExact(mlir::Value power, mlir::Value base, mlir::Value exponent);
  /// 1 << exponent in the place of a power of 2 where the power's type holds it.
  mlir::Value chooseShift(mlir::Value power, mlir::Value exponent, bool isUnsigned);
  mlir::Value powByConstant(mlir::Value base, const llvm::APFloat &exponent);
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_DYNTOLINALG_SCALARS_H

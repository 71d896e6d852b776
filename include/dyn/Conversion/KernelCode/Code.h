//===- Building the code of kernels -----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_CODE_H
#define DYN_CONVERSION_KERNELCODE_CODE_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace dyn::codegen {

/// The integer that an index value is known to be.
std::optional<int64_t> constantOf(mlir::Value value);
inline bool isConstant(mlir::Value value, int64_t expected) { return constantOf(value) == expected; }

/// What a value is at the points that are computed together: the same at all of them, or linear in the place of the
/// point (integers only), or something else in each lane of a vector. Where one point is computed at a time, all is
/// uniform.
struct Lanes {
  /// The value at the first point, if uniform or linear.
  mlir::Value first;
  /// How much the value grows from each point to the next, if linear.
  mlir::Value step;
  /// If neither uniform nor linear.
  mlir::Value vector;

  static Lanes uniform(mlir::Value value) { return {value, {}, {}}; }
  static Lanes linear(mlir::Value first, mlir::Value step) { return {first, step, {}}; }
  static Lanes varying(mlir::Value vector) { return {{}, {}, vector}; }
  bool isUniform() const { return first && !step; }
  bool isLinear() const { return first && step; }
  bool isVarying() const { return bool(vector); }
  bool isSet() const { return first || vector; }
  /// The type at one point.
  mlir::Type elementType() const;
};

/// The points that one piece of code computes: one, or one in each lane.
struct Points {
  /// 0: one point, no vectors.
  unsigned lanes = 0;
  /// The lanes that count; null for all.
  mlir::Value mask;
};

/// A builder with a location that folds constants, with names for the arithmetic that kernels need.
class Code {
public:
  Code(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs);
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);
  /// Of values that are not negative.
  mlir::Value div(mlir::Value lhs, mlir::Value rhs);
  mlir::Value rem(mlir::Value lhs, mlir::Value rhs);
  mlir::Value ceilDiv(mlir::Value lhs, int64_t rhs);
  mlir::Value product(mlir::ValueRange values);
  /// The indices below `extents` that number `item` stands for, the last fastest.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value item, mlir::ValueRange extents);
  mlir::Value isLess(mlir::Value lhs, mlir::Value rhs);
  mlir::Value both(mlir::Value lhs, mlir::Value rhs);
  mlir::Value either(mlir::Value lhs, mlir::Value rhs);
  mlir::Value toInt64(mlir::Value index);

  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;
  /// `for i in [lower, upper) step`, carrying `init`; the body returns the next values.
  llvm::SmallVector<mlir::Value> forLoop(mlir::Value lower, mlir::Value upper, int64_t step, mlir::ValueRange init,
                                         LoopBody body);
  void forLoop(mlir::Value lower, mlir::Value upper, llvm::function_ref<void(mlir::Value)> body);
  /// `if (condition) { then() } else { otherwise }`
  llvm::SmallVector<mlir::Value> ifThen(mlir::Value condition, mlir::ValueRange otherwise,
                                        llvm::function_ref<llvm::SmallVector<mlir::Value>()> then);
  void ifThen(mlir::Value condition, llvm::function_ref<void()> then);
  /// `condition ? then() : otherwise()`, of which one is done.
  mlir::Value choose(mlir::Value condition, llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);

  /// The value of all lanes as a vector; where one point is computed, its scalar.
  mlir::Value materialize(const Lanes &value, const Points &points);
  /// What a scalar or vector that holds a value of each of `points` is.
  Lanes lanesOf(mlir::Value value, const Points &points);
  mlir::Type typeAt(mlir::Type elementType, const Points &points);
  Lanes add(const Lanes &lhs, const Lanes &rhs, const Points &points);
  Lanes mul(const Lanes &lhs, mlir::Value rhs, const Points &points);
  /// A mask of the first `count` lanes.
  mlir::Value maskOf(mlir::Value count, unsigned lanes);
};

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_CODE_H

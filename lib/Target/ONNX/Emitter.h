//===- dyn ops with result types filled in -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What operator importers build their results with. Result types carry element
// types, ranks where they follow from the operands, and few static dims: shape
// inference does the rest.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_EMITTER_H
#define DYN_LIB_TARGET_ONNX_EMITTER_H

#include "Constants.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"

namespace dyn::onnx {

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, ConstantPool &constants)
      : builder(builder), loc(loc), constants(constants) {}

  static mlir::Type getElementType(mlir::Value value) {
    return mlir::cast<mlir::TensorType>(value.getType()).getElementType();
  }
  static bool isFloat(mlir::Value value) { return mlir::isa<mlir::FloatType>(getElementType(value)); }
  /// Nothing where the rank is not known.
  static std::optional<int64_t> getRank(mlir::Value value);
  /// Tells the rank of what an op gives, if it is not known. What enters a graph or leaves another one, and what a
  /// function is called with, stays as it is. Inference refuses what has another rank.
  static void setRank(mlir::Value value, int64_t rank);
  /// The dims as the type has them; nothing where the rank is not known.
  static std::optional<llvm::ArrayRef<int64_t>> getDims(mlir::Value value);

  static mlir::Type makeType(std::optional<llvm::ArrayRef<int64_t>> dims, mlir::Type elementType);
  /// The type without encoding, with other elements if `elementType` is given.
  static mlir::Type makeTypeLike(mlir::Value value, mlir::Type elementType = {});
  /// Files may say ranks that no tensor has; such a one counts as not known.
  static constexpr int64_t kMostDims = 1024;
  static mlir::Type makeDynamicType(std::optional<int64_t> rank, mlir::Type elementType);
  static mlir::Type makeBroadcastType(mlir::ValueRange values, mlir::Type elementType);

  //===--- Constants ---===//
  /// A tensor of rank 0 with the element type of another.
  mlir::Value scalar(double value, mlir::Value like);
  mlir::Value scalar(double value, mlir::Type elementType);
  mlir::Value i64Scalar(int64_t value);
  mlir::Value i64Vector(llvm::ArrayRef<int64_t> values);
  mlir::Value constant(mlir::ElementsAttr elements);

  //===--- Elementwise ---===//
  template <typename OpType>
  mlir::Value unary(mlir::Value operand) {
    return OpType::create(builder, loc, makeTypeLike(operand), operand);
  }
  template <typename OpType>
  mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return OpType::create(builder, loc, makeBroadcastType({lhs, rhs}, getElementType(lhs)), lhs, rhs);
  }
  mlir::Value abs(mlir::Value x) { return unary<AbsOp>(x); }
  mlir::Value exp(mlir::Value x) { return unary<ExpOp>(x); }
  mlir::Value log(mlir::Value x) { return unary<LogOp>(x); }
  mlir::Value sqrt(mlir::Value x) { return unary<SqrtOp>(x); }
  mlir::Value neg(mlir::Value x) { return unary<NegOp>(x); }
  mlir::Value reciprocal(mlir::Value x) { return unary<ReciprocalOp>(x); }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) { return binary<AddOp>(lhs, rhs); }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) { return binary<SubOp>(lhs, rhs); }
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs) { return binary<MulOp>(lhs, rhs); }
  mlir::Value div(mlir::Value lhs, mlir::Value rhs) { return binary<DivOp>(lhs, rhs); }
  mlir::Value max(mlir::Value lhs, mlir::Value rhs) { return binary<MaxOp>(lhs, rhs); }
  mlir::Value min(mlir::Value lhs, mlir::Value rhs) { return binary<MinOp>(lhs, rhs); }
  mlir::Value compare(CompareDirection direction, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value onTrue, mlir::Value onFalse);
  /// As ONNX Cast: a number becomes true unless it is 0. The same value if it has the type already.
  mlir::Value cast(mlir::Value operand, mlir::Type elementType);

  //===--- Contraction and reduction ---===//
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs);
  /// Over all axes without `axes`.
  mlir::Value reduce(ReduceKind kind, mlir::Value operand, std::optional<llvm::ArrayRef<int64_t>> axes, bool keepDims);

  //===--- Data movement ---===//
  mlir::Value shapeOf(mlir::Value operand);
  /// `shape` is an i64 vector; 0 stands for the size 0.
  mlir::Value reshapeTo(mlir::Value operand, mlir::Value shape, bool allowZero);
  mlir::Value unsqueeze(mlir::Value operand, llvm::ArrayRef<int64_t> axes);
  mlir::Value squeeze(mlir::Value operand, std::optional<llvm::ArrayRef<int64_t>> axes);
  /// Reversed order without `perm`.
  mlir::Value transpose(mlir::Value operand, std::optional<llvm::ArrayRef<int64_t>> perm);
  /// The last two of `rank` dims swapped, of which there are at least two; the type of the operand may not say how
  /// many.
  mlir::Value transposeLast(mlir::Value operand, int64_t rank);
  mlir::Value concat(int64_t axis, mlir::ValueRange operands);
  mlir::Value flatten(mlir::Value operand, int64_t axis);
  /// What broadcasts to `like`, and not the other way round, repeated to its dims.
  mlir::Value expandLike(mlir::Value operand, mlir::Value like);
  /// Elements [start, end) of an axis, bounds as in ONNX Slice.
  mlir::Value slice(mlir::Value operand, int64_t start, int64_t end, int64_t axis);
  mlir::Value gather(mlir::Value data, mlir::Value indices, int64_t axis);

  /// The value of an integer tensor that is known at import: of what constants and static dims decide.
  static std::optional<llvm::SmallVector<int64_t>> getConstantInts(mlir::Value value);
  /// The value of a tensor with one element that is known at import.
  static std::optional<double> getConstantNumber(mlir::Value value);
  /// The value of a float tensor that is known at import.
  static std::optional<llvm::SmallVector<double>> getConstantNumbers(mlir::Value value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  ConstantPool &constants;
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_EMITTER_H

//===- How relations of ops are written ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Each op has a plain function `relate(op, relations)`; `attach` makes it the op's
// implementation of ShapeRelationsOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_RELATIONS_RELATIONS_H
#define DYN_LIB_ANALYSIS_RELATIONS_RELATIONS_H

#include "dyn/Analysis/ShapeRelations.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"

namespace dyn::relations {

template <typename Op>
using Relate = mlir::LogicalResult (*)(Op, ShapeRelations &);

/// `shapeOperands` are indices of operand groups as ODS numbers them.
template <typename Op, Relate<Op> function, unsigned... shapeOperands>
struct Model : ShapeRelationsOpInterface::ExternalModel<Model<Op, function, shapeOperands...>, Op> {
  mlir::LogicalResult relateShapes(mlir::Operation *op, ShapeRelations &relations) const {
    return function(llvm::cast<Op>(op), relations);
  }
  llvm::SmallVector<mlir::Value> getShapeOperands(mlir::Operation *op) const {
    llvm::SmallVector<mlir::Value> values;
    (llvm::append_range(values, llvm::cast<Op>(op).getODSOperands(shapeOperands)), ...);
    return values;
  }
};

template <typename Op, Relate<Op> function, unsigned... shapeOperands>
void attach(mlir::MLIRContext *context) {
  Op::template attachInterface<Model<Op, function, shapeOperands...>>(*context);
}

/// Up to this magnitude a float type holds every integer.
std::optional<int64_t> getExactLimit(mlir::Type type);

/// The comparisons that say that an integer lies in an interval, such as dyn::getElementRange: one for each end that
/// there is.
llvm::SmallVector<symbolic::Predicate, 2> getComparisons(symbolic::Expr value, const symbolic::Range &range);
/// Does it lie there, as far as is known?
symbolic::Verdict isWithin(symbolic::Expr value, const symbolic::Range &range, ShapeRelations &relations);

/// Rounds to the precision of a type.
double roundTo(mlir::FloatType type, double value);

/// The integer that an element is; null if it is none. In a tensor of floats it is rounded to their type, but for the
/// numbers, of which those beyond `limit` are left out.
symbolic::Expr getWhole(const ElementValue &element, int64_t limit, ShapeRelations &relations);

/// The dim that an axis names, negative ones counted from the end. Verifiers know it is in range where they know the
/// rank; else an error at the op.
mlir::FailureOr<int64_t> getAxis(mlir::Operation *op, int64_t axis, int64_t rank);
/// One flag for each dim, set for those that `axes` name.
mlir::FailureOr<llvm::SmallVector<bool>> getAxes(mlir::Operation *op, llvm::ArrayRef<int64_t> axes, int64_t rank);

/// States for each of two values that it has the other's rank.
mlir::LogicalResult relateRanks(ShapeRelations &relations, mlir::Value operand, mlir::Value result);
/// A dim of a value as people know it: "rows of `table`".
std::string describeDim(mlir::Value value, int64_t dim);
/// As describeDim, of an operand of `op`: where the ops of its node have made it of an operand of the node by taking
/// one entry of a dim, of the dim of that.
std::string describeOperandDim(mlir::Operation *op, mlir::Value operand, int64_t dim);

/// What a node is given, of which its ops before `op` have made an operand of the same dims but for pads.
mlir::Value findOperandOfNode(mlir::Operation *op, mlir::Value operand);

void attachContractionRelations(mlir::MLIRContext *context);
void attachElementwiseRelations(mlir::MLIRContext *context);
void attachGeneratorRelations(mlir::MLIRContext *context);
void attachIndexingRelations(mlir::MLIRContext *context);
void attachMovementRelations(mlir::MLIRContext *context);
void attachNonZeroRelations(mlir::MLIRContext *context);
void attachProcedureRelations(mlir::MLIRContext *context);
void attachRecurrenceRelations(mlir::MLIRContext *context);
void attachPaddingRelations(mlir::MLIRContext *context);
void attachReductionRelations(mlir::MLIRContext *context);
void attachReshapeRelations(mlir::MLIRContext *context);
void attachSequenceRelations(mlir::MLIRContext *context);
void attachSliceRelations(mlir::MLIRContext *context);
void attachUnitDimRelations(mlir::MLIRContext *context);
void attachWindowRelations(mlir::MLIRContext *context);

} // namespace dyn::relations

#endif // DYN_LIB_ANALYSIS_RELATIONS_RELATIONS_H

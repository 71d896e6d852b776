//===- How evaluations of ops are written --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Each op has a plain function `evaluate(op, operands, scope)`; `attach` makes it
// the op's implementation of ReferenceOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_MODELS_H
#define DYN_LIB_INTERPRETER_MODELS_H

#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Interpreter/Interpreter.h"

namespace dyn::reference {

using Operands = llvm::ArrayRef<ReferenceTensor>;
using Results = mlir::FailureOr<llvm::SmallVector<ReferenceTensor>>;
using Result = mlir::FailureOr<ReferenceTensor>;
using Dims = llvm::SmallVector<int64_t>;

/// An error at an op that names its node.
mlir::InFlightDiagnostic emitError(mlir::Operation *op);

/// "operand 1 (input 'x')", "operand 0 (of node '/m/MatMul')": by what a user knows of it, if anything.
std::string describeOperand(mlir::Operation *op, unsigned index);

/// An error at the op unless the tensor, its operand `index`, has exactly one element. Types need not tell.
mlir::LogicalResult requireOneElement(mlir::Operation *op, size_t index, const ReferenceTensor &tensor);

/// `[2, 3]`
std::string print(llvm::ArrayRef<int64_t> dims);

/// A result of these dims, or an error at the op.
Result allocate(mlir::Operation *op, mlir::Type elementType, llvm::ArrayRef<int64_t> dims);
/// The same with these elements, row by row.
Result makeIntegers(mlir::Operation *op, llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> dims,
                    mlir::Type elementType);
/// The dims that the type of the op's result `index` gives it, or an error at the op.
mlir::FailureOr<Dims> getResultDims(mlir::Operation *op, const ReferenceScope &scope, unsigned index = 0);
/// The element type of the op's result `index`.
mlir::Type getResultElementType(mlir::Operation *op, unsigned index = 0);

/// The dim that `axis` names, negative ones counted from the end, or an error at the op.
mlir::FailureOr<int64_t> getAxis(mlir::Operation *op, int64_t axis, int64_t rank);
/// A bit for each dim that `axes` name.
mlir::FailureOr<llvm::SmallVector<bool>> getAxes(mlir::Operation *op, llvm::ArrayRef<int64_t> axes, int64_t rank);

template <typename Op>
using EvaluateAll = Results (*)(Op, Operands, const ReferenceScope &);
template <typename Op>
using EvaluateOne = Result (*)(Op, Operands, const ReferenceScope &);

template <typename Op, EvaluateAll<Op> function>
struct ModelOfAll : ReferenceOpInterface::ExternalModel<ModelOfAll<Op, function>, Op> {
  Results evaluate(mlir::Operation *op, Operands operands, const ReferenceScope &scope) const {
    return function(llvm::cast<Op>(op), operands, scope);
  }
};

template <typename Op, EvaluateOne<Op> function>
struct ModelOfOne : ReferenceOpInterface::ExternalModel<ModelOfOne<Op, function>, Op> {
  Results evaluate(mlir::Operation *op, Operands operands, const ReferenceScope &scope) const {
    Result result = function(llvm::cast<Op>(op), operands, scope);
    if (mlir::failed(result))
      return mlir::failure();
    return llvm::SmallVector<ReferenceTensor>{std::move(*result)};
  }
};

/// For ops with any number of results.
template <typename Op, EvaluateAll<Op> function>
void attachAll(mlir::MLIRContext *context) {
  Op::template attachInterface<ModelOfAll<Op, function>>(*context);
}
/// For ops with one result.
template <typename Op, EvaluateOne<Op> function>
void attach(mlir::MLIRContext *context) {
  Op::template attachInterface<ModelOfOne<Op, function>>(*context);
}

void attachContractionModels(mlir::MLIRContext *context);
void attachDataMovementModels(mlir::MLIRContext *context);
void attachPaddingModels(mlir::MLIRContext *context);
void attachElementwiseModels(mlir::MLIRContext *context);
void attachFactModels(mlir::MLIRContext *context);
void attachGeneratorModels(mlir::MLIRContext *context);
void attachIndexingModels(mlir::MLIRContext *context);
void attachProcedureModels(mlir::MLIRContext *context);
void attachRecurrenceModels(mlir::MLIRContext *context);
void attachReductionModels(mlir::MLIRContext *context);
void attachReshapeModels(mlir::MLIRContext *context);
void attachSequenceModels(mlir::MLIRContext *context);
void attachStringModels(mlir::MLIRContext *context);
void attachUnaryModels(mlir::MLIRContext *context);
void attachWindowModels(mlir::MLIRContext *context);

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_MODELS_H

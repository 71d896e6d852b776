//===- Reference interpreter of the dyn dialect ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Runs functions of the dyn dialect op by op on concrete tensors, before or after
// shape inference, ranks known or not. It is the oracle that lowerings are compared
// with, so it prefers the plain formula and wide accumulators to speed.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_INTERPRETER_INTERPRETER_H
#define DYN_INTERPRETER_INTERPRETER_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Interpreter/ReferenceTensor.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace dyn {

class ReferenceScope;
class WeightFiles;

} // namespace dyn

#include "dyn/Interpreter/ReferenceOpInterface.h.inc"

namespace dyn {

/// What ops may ask for beside their operands: values of symbols and of weights.
class ReferenceScope {
public:
  /// Without `weights`, constants that lie in files have no value.
  explicit ReferenceScope(WeightFiles *weights = nullptr) : weights(weights) {}

  void bind(llvm::StringRef symbol, int64_t value);
  std::optional<int64_t> getValue(llvm::StringRef symbol) const;
  std::optional<int64_t> evaluate(ExprAttr expr) const;
  std::optional<bool> evaluate(PredAttr predicate) const;
  /// The dims of a type: static ones, and those of a `#dyn.dims` encoding whose symbols have values.
  std::optional<llvm::SmallVector<int64_t>> getDims(mlir::Type type) const;

  WeightFiles *getWeights() const { return weights; }

private:
  WeightFiles *weights;
  llvm::StringMap<int64_t> symbols;
};

/// What a run asks whoever wants it, and what it tells.
struct RunWatch {
  /// Asked before each op, if it is not null: data may let a loop run forever. The run fails where it says so.
  llvm::function_ref<bool()> isInterrupted = nullptr;
  /// Has a loop without trips scanned tensors of which a size is not known? It was taken to be 0.
  bool hasGuessedSizes = false;
};

/// Runs a function. Binds the symbols that `dyn.symbols` declares from `inputs`, checks the facts declared of them, and
/// checks each tensor against the dims of its type. Fails with a diagnostic that names the node, operand and values.
mlir::FailureOr<llvm::SmallVector<ReferenceTensor>> interpretFunction(mlir::FunctionOpInterface function,
                                                                      llvm::ArrayRef<ReferenceTensor> inputs,
                                                                      WeightFiles &weights, RunWatch *watch = nullptr);

/// What interpretFunction() checks before it runs an op: inputs against their types, facts of symbols, and the guards
/// of what inputs determine. Fails with a diagnostic in the words of compiled models.
llvm::LogicalResult checkInputs(mlir::FunctionOpInterface function, llvm::ArrayRef<ReferenceTensor> inputs);

/// The results of an op on concrete tensors, if it is an op that can be evaluated and the results exist. Says nothing
/// if not.
mlir::FailureOr<llvm::SmallVector<ReferenceTensor>>
tryEvaluate(mlir::Operation *op, llvm::ArrayRef<ReferenceTensor> operands, const ReferenceScope &scope);

/// The same for constants; an operand without a value is null.
mlir::FailureOr<llvm::SmallVector<mlir::DenseElementsAttr>>
foldConstants(mlir::Operation *op, llvm::ArrayRef<mlir::ElementsAttr> operands, const ReferenceScope &scope);

/// What is wrong with a pattern of `dyn.string_match`; empty if nothing.
std::string findPatternError(llvm::StringRef pattern);

/// Gives the ops of the dyn dialect the ReferenceOpInterface.
void registerReferenceModels(mlir::DialectRegistry &registry);

} // namespace dyn

#endif // DYN_INTERPRETER_INTERPRETER_H

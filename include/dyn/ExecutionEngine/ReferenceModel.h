//===- Models in the reference interpreter -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_EXECUTIONENGINE_REFERENCEMODEL_H
#define DYN_EXECUTIONENGINE_REFERENCEMODEL_H

#include "dyn/ExecutionEngine/SourceModule.h"
#include "dyn/Interpreter/ReferenceTensor.h"
#include "dyn/Symbolic/SizeInference.h"
#include "dyn/Target/Weights/WeightFiles.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace dyn {

/// A model that the interpreter runs: as imported, without any pass, or with its shapes inferred, which are then
/// checked against the dims that every value has. Where sizes or ranks can't all be known before the run, what can be
/// known of them is checked, op by op.
class ReferenceModel {
public:
  /// All that a context needs.
  static mlir::DialectRegistry getRegistry();

  struct Options {
    bool inferShapes = false;
    bool mayHaveSequences = false; ///< among inputs and outputs, and optionals and strings
    /// Check before each run, of what is known of sizes then, all that compiled models check. Without it, that is
    /// looked at when a node fails, so that a run hangs on no inference and says the same.
    bool checksSizes = false;
  };
  /// What is wrong with the file goes to the diagnostics of the context.
  ReferenceModel(llvm::StringRef input, const onnx::ImportOptions &import, mlir::MLIRContext &context, Options options);
  explicit operator bool() const { return static_cast<bool>(function); }

  struct Port {
    std::string name;
    std::string kind; ///< "tensor", "sequence", "optional" or "optional sequence"
    mlir::Type elementType;
    std::optional<std::vector<std::string>> dims; ///< expressions; nothing where the rank is not known
  };
  std::vector<Port> getInputs();
  std::vector<Port> getOutputs();

  /// What is known of sizes before a run.
  struct Sizes {
    std::string declarations; ///< of symbols, as SizeProblem has them
    std::vector<symbolic::SizeProblem::Fact> guards, aliases;
    std::vector<Port> inputs, outputs;
    std::vector<Port> listed; ///< inputs that are lists, with the dims that are declared of each tensor in them
  };
  /// Infers shapes of a copy if that was not done before. Fails after diagnostics of the context, where nodes
  /// contradict each other at every size.
  mlir::FailureOr<Sizes> findSizes();

  /// Fails after diagnostics of the context, and where `isInterrupted`, which is asked before each op, says so.
  mlir::FailureOr<llvm::SmallVector<ReferenceTensor>> run(llvm::ArrayRef<ReferenceTensor> inputs,
                                                          llvm::function_ref<bool()> isInterrupted = nullptr);

private:
  /// Nothing where shapes can't all be inferred; silent then.
  mlir::OwningOpRef<mlir::ModuleOp> inferBeforeRun();
  /// Fails where the inputs don't fit what the inference knows; what can't be inferred fits.
  llvm::LogicalResult checkSizes(llvm::ArrayRef<ReferenceTensor> inputs);
  /// The program with what is known of its sizes, for runs that need more than the file says; null if that is nothing.
  mlir::FunctionOpInterface findKnownSizes();
  static llvm::LogicalResult inferOpen(mlir::ModuleOp module);

  SourceModule source;
  mlir::OwningOpRef<mlir::ModuleOp> inferred; ///< after the shapes phase
  /// What findKnownSizes() gives of what is run as imported; made when it is needed.
  std::optional<mlir::OwningOpRef<mlir::ModuleOp>> sizes;
  WeightFiles weights;
  mlir::FunctionOpInterface function;
  bool checksFirst;
  bool hasInferred; ///< `function` has the types that shape inference finds
};

} // namespace dyn

#endif // DYN_EXECUTIONENGINE_REFERENCEMODEL_H

//===- Models in the reference interpreter -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_RUN_REFERENCE_H
#define DYN_TOOLS_DYN_RUN_REFERENCE_H

#include "Prepare.h"
#include "Sizes.h"
#include "dyn/ExecutionEngine/ReferenceModel.h"
#include "mlir/IR/MLIRContext.h"

namespace dyn {

/// A model that the interpreter runs, with inputs and outputs as files hold them.
class ReferenceRun {
public:
  /// Null after a line on standard error.
  static std::unique_ptr<ReferenceRun> load(llvm::StringRef input, const onnx::ImportOptions &options,
                                            bool showsWarnings);

  std::vector<InputSignature> getInputSignatures();
  /// What is known of sizes before a run. Nothing where nodes contradict each other: the run tells that.
  ModelSizes getSizes();
  /// The outputs with their names; nothing after a line on standard error. `inputs` are all that `verifyNames` asks
  /// for.
  std::optional<Inputs> run(const Inputs &inputs);

private:
  ReferenceRun(llvm::StringRef input, const onnx::ImportOptions &options, bool showsWarnings);

  mlir::MLIRContext context;
  DiagnosticPrinter printer;
  ReferenceModel model;
};

/// The largest difference of two outputs and the largest magnitude of the first, as a line; nothing if they are of
/// different types or dims. NaN equals NaN, an infinity itself.
struct Difference {
  double largest = 0, magnitude = 0;
};
std::optional<Difference> compare(const Tensor &reference, const Tensor &actual);

} // namespace dyn

#endif // DYN_TOOLS_DYN_RUN_REFERENCE_H

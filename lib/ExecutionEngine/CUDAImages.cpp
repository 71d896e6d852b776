//===- CUDA images of models as files ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/CUDAImages.h"
#include "dyn/Target/CUDA/Images.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

LogicalResult dyn::writeCUDAImages(ModuleOp module, const CompileOptions &options, StringRef folder) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(options.verify);
  PipelineOptions pipeline;
  pipeline.target = Target::CUDA;
  pipeline.weightsDirectory = options.weightsDirectory;
  for (const std::string &architecture : options.cudaArchitectures)
    pipeline.cudaArch.push_back(architecture);
  pipeline.ptxas = options.ptxas;
  addPhases(manager, options.from, Phase::Target, pipeline);
  if (options.configure)
    options.configure(manager);
  if (failed(manager.run(module)))
    return failure();
  if (llvm::Error error = exportCUDAImages(module, folder))
    return mlir::emitError(module.getLoc()) << llvm::toString(std::move(error));
  return success();
}

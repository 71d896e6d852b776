//===- From imported models to artefacts ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/Compiler.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Target/Artefact/Artefact.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace dyn;

void dyn::registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<DynDialect, shape::DynShapeDialect, func::FuncDialect>();
  registerBufferizableOpInterfaceModels(registry);
  registerArtefactTranslations(registry);
}

LogicalResult dyn::compileModule(ModuleOp module, const CompileOptions &options, llvm::StringRef path) {
  auto refuse = [&](llvm::Error error) -> LogicalResult { return module.emitError(llvm::toString(std::move(error))); };
  if (options.target != "cpu")
    return module.emitError("unknown target '") << options.target << "': expected 'cpu'";
  llvm::Expected<CPUTarget> cpu = CPUTarget::get(options.targetCPU);
  if (!cpu)
    return refuse(cpu.takeError());

  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(options.verify);
  PipelineOptions pipeline;
  pipeline.target = options.target;
  pipeline.vectorBits = cpu->vectorBits;
  addPhases(manager, options.from, Phase::Code, pipeline);
  if (options.configure)
    options.configure(manager);
  if (failed(manager.run(module)))
    return failure();

  ArtefactOptions artefact;
  artefact.cpu = std::move(*cpu);
  artefact.weightsDirectory = options.weightsDirectory;
  artefact.optimization = options.optimization;
  if (llvm::Error error = writeArtefact(module, artefact, path))
    return refuse(std::move(error));
  return success();
}

//===- From imported models to artefacts ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/Compiler.h"
#include "dyn/Analysis/ShapeRelations.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Target/Artefact/Artefact.h"
#include "dyn/Target/Files/OutputFile.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace dyn;

void dyn::registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<DynDialect, shape::DynShapeDialect, arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  registerBufferizableOpInterfaceModels(registry);
  registerArtefactTranslations(registry);
  registerShapeRelations(registry);
}

LogicalResult dyn::compileModule(ModuleOp module, const CompileOptions &options, llvm::StringRef path) {
  // A diagnostic is one line for people; the ops it is about may be whole programs.
  MLIRContext *context = module.getContext();
  bool printsOps = context->shouldPrintOpOnDiagnostic();
  context->printOpOnDiagnostic(false);
  auto restore = llvm::make_scope_exit([&] { context->printOpOnDiagnostic(printsOps); });
  auto refuse = [&](llvm::Error error) -> LogicalResult {
    return emitError(module.getLoc()) << llvm::toString(std::move(error));
  };
  if (options.target != "cpu")
    return emitError(module.getLoc()) << "unknown target '" << options.target << "': expected 'cpu'";
  llvm::Expected<OutputFile> output = OutputFile::create(path);
  if (!output)
    return refuse(output.takeError());
  llvm::Expected<CPUTarget> cpu = CPUTarget::get(options.targetCPU);
  if (!cpu)
    return refuse(cpu.takeError());

  PassManager manager(context, ModuleOp::getOperationName());
  manager.enableVerifier(options.verify);
  PipelineOptions pipeline;
  pipeline.weightsDirectory = options.weightsDirectory;
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
  if (llvm::Error error = writeArtefact(module, artefact, output->getTemporaryPath()))
    return refuse(std::move(error));
  if (llvm::Error error = output->commit())
    return refuse(std::move(error));
  return success();
}

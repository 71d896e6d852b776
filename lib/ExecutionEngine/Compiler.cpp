//===- From imported models to artefacts ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/Compiler.h"
#include "dyn/Analysis/ShapeRelations.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Target/Artefact/Artefact.h"
#include "dyn/Target/CUDA/Images.h"
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

/// What the phases are told for CUDA.
static void setCUDAOptions(PipelineOptions &pipeline, const CompileOptions &options) {
  pipeline.target = Target::CUDA;
  pipeline.weightsDirectory = options.weightsDirectory;
  for (const std::string &architecture : options.cudaArchitectures)
    pipeline.cudaArch.push_back(architecture);
  pipeline.ptxas = options.ptxas;
}

static LogicalResult runPhases(ModuleOp module, Phase first, Phase last, const PipelineOptions &pipeline,
                               const CompileOptions &options) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(options.verify);
  addPhases(manager, first, last, pipeline);
  if (options.configure)
    options.configure(manager);
  return manager.run(module);
}

LogicalResult dyn::writeCUDAImages(ModuleOp module, const CompileOptions &options, StringRef folder) {
  PipelineOptions pipeline;
  setCUDAOptions(pipeline, options);
  if (failed(runPhases(module, options.from, Phase::Target, pipeline, options)))
    return failure();
  if (llvm::Error error = exportCUDAImages(module, folder))
    return mlir::emitError(module.getLoc()) << llvm::toString(std::move(error));
  return success();
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
  bool isForCUDA = options.target == "cuda";
  if (!isForCUDA && options.target != "cpu")
    return emitError(module.getLoc()) << "unknown target '" << options.target << "': expected 'cpu' or 'cuda'";
  if (isForCUDA && options.from > Phase::Buffers)
    return emitError(module.getLoc()) << "kernels have a target already, which is not CUDA";
  llvm::Expected<OutputFile> output = OutputFile::create(path);
  if (!output)
    return refuse(output.takeError());
  llvm::Expected<std::vector<CPUTarget>> cpus = CPUTarget::getList(options.targetCPU);
  if (!cpus)
    return refuse(cpus.takeError());

  ArtefactOptions artefact;
  artefact.weightsDirectory = options.weightsDirectory;
  artefact.optimization = options.optimization;
  Phase done = options.from;
  if (isForCUDA) {
    // Targets form kernels each in their way: the images come from a copy, the program itself runs on the CPU.
    PipelineOptions pipeline;
    setCUDAOptions(pipeline, options);
    if (failed(runPhases(module, done, Phase::Reify, pipeline, options)))
      return failure();
    done = std::max(done, Phase::Reify);
    OwningOpRef<ModuleOp> device = module.clone();
    if (failed(runPhases(*device, done, Phase::Target, pipeline, options)))
      return failure();
    llvm::Expected<std::vector<CUDAImage>> images = getCUDAImages(*device);
    if (!images)
      return refuse(images.takeError());
    artefact.images = std::move(*images);
  }
  PipelineOptions pipeline;
  pipeline.weightsDirectory = options.weightsDirectory;
  if (done < Phase::Buffers && failed(runPhases(module, done, Phase::Buffers, pipeline, options)))
    return failure();
  done = std::max(done, Phase::Buffers);
  // Kernels are for one kind of CPU each; all before is the same. The last takes the module itself.
  std::vector<OwningOpRef<ModuleOp>> copies;
  std::vector<ArtefactProgram> programs;
  for (CPUTarget &cpu : *cpus) {
    ModuleOp program = module;
    if (programs.size() + 1 < cpus->size())
      program = *copies.emplace_back(module.clone());
    pipeline.vectorBits = cpu.vectorBits;
    pipeline.l2Bytes = cpu.l2Bytes;
    pipeline.l1Ways = cpu.l1Ways;
    if (failed(runPhases(program, done, Phase::Code, pipeline, options)))
      return failure();
    programs.push_back({program, std::move(cpu)});
  }
  if (llvm::Error error = writeArtefact(programs, artefact, output->getTemporaryPath()))
    return refuse(std::move(error));
  if (llvm::Error error = output->commit())
    return refuse(std::move(error));
  return success();
}

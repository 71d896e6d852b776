//===- CUDA images of models as files ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/CUDAImages.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static LogicalResult writeImage(gpu::BinaryOp binary, gpu::ObjectAttr image, StringRef folder) {
  auto target = dyn_cast<NVVM::NVVMTargetAttr>(image.getTarget());
  if (!target)
    return success();
  bool isText = image.getFormat() == gpu::CompilationTarget::Assembly;
  StringRef content = image.getObject().getValue();
  if (isText)
    content = content.rtrim('\0');
  std::string path = (folder + "/" + binary.getName() + "." + target.getChip() + (isText ? ".ptx" : ".cubin")).str();
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << content;
    return llvm::Error::success();
  });
  if (error)
    return binary.emitError() << "can't write '" << path << "': " << llvm::toString(std::move(error));
  return success();
}

LogicalResult dyn::writeCUDAImages(ModuleOp module, const CompileOptions &options, StringRef folder) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(options.verify);
  PipelineOptions pipeline;
  pipeline.target = Target::CUDA;
  for (const std::string &architecture : options.cudaArchitectures)
    pipeline.cudaArch.push_back(architecture);
  pipeline.ptxas = options.ptxas;
  addPhases(manager, options.from, Phase::Target, pipeline);
  if (options.configure)
    options.configure(manager);
  if (failed(manager.run(module)))
    return failure();
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return mlir::emitError(module.getLoc()) << "can't make the folder '" << folder << "': " << error.message();
  for (auto binary : module.getOps<gpu::BinaryOp>())
    for (Attribute image : binary.getObjects())
      if (failed(writeImage(binary, cast<gpu::ObjectAttr>(image), folder)))
        return failure();
  return success();
}

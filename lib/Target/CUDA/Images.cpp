//===- CUDA images of a module --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/CUDA/Images.h"
#include "dyn/Target/Files/OutputFile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"

using namespace dyn;

std::string CUDAImage::getFileName() const { return module + "." + arch + "." + getKind().str(); }

llvm::Expected<std::vector<CUDAImage>> dyn::getCUDAImages(mlir::ModuleOp module) {
  std::vector<CUDAImage> images;
  for (auto binary : module.getOps<mlir::gpu::BinaryOp>())
    for (auto object : binary.getObjects().getAsRange<mlir::gpu::ObjectAttr>()) {
      auto target = mlir::dyn_cast<mlir::NVVM::NVVMTargetAttr>(object.getTarget());
      bool isPtx = object.getFormat() == mlir::gpu::CompilationTarget::Assembly;
      if (!target || (!isPtx && object.getFormat() != mlir::gpu::CompilationTarget::Binary))
        return llvm::createStringError("gpu.binary '%s' has an object that is neither PTX nor a cubin",
                                       binary.getName().str().c_str());
      images.push_back({binary.getName().str(), target.getChip().str(), isPtx, object.getObject().getValue()});
    }
  return images;
}

llvm::Error dyn::exportCUDAImages(mlir::ModuleOp module, llvm::StringRef folder) {
  llvm::Expected<std::vector<CUDAImage>> images = getCUDAImages(module);
  if (!images)
    return images.takeError();
  if (images->empty())
    return llvm::createStringError("the module has no gpu.binary; dyn-serialize-gpu-modules should have made one");
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError("cannot make folder '%s': %s", folder.str().c_str(), error.message().c_str());
  for (const CUDAImage &image : *images) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, image.getFileName());
    if (llvm::Error error = writeOutputFile(path, [&](llvm::raw_ostream &os) { os << image.bytes; }))
      return error;
  }
  return llvm::Error::success();
}

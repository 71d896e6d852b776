//===- Kernels on tensors to GPU kernels ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelForm.h"
#include "Launches.h"
#include "dyn/Analysis/InPlace.h"
#include "dyn/Conversion/KernelsToGPU/Passes.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace dyn {
#define GEN_PASS_DEF_LOWERKERNELSTOGPUPASS
#include "dyn/Conversion/KernelsToGPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn::gpu;

static std::unique_ptr<GPUKernelForm> matchForm(func::FuncOp kernel) {
  StringRef kind = cast<StringAttr>(kernel->getAttr(dyn::DynDialect::kKernelAttrName)).getValue();
  std::unique_ptr<GPUKernelForm> form;
  if (kind == "concat")
    form = matchConcatKernel(kernel);
  else if (kind != "sequential")
    for (auto match : {matchContractionKernel, matchReductionKernel, matchPointKernel, matchRowKernel})
      if (!form)
        form = match(kernel);
  // Whatever has no better form still runs.
  return form ? std::move(form) : matchSequentialKernel(kernel);
}

/// A name that PTX and tools for object files take.
static std::string getDeviceName(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) || c == '_' ? c : '_';
  return result.empty() || llvm::isDigit(result.front()) ? "k" + result : result;
}

/// What is written overlaps nothing else, what is only read is written by nobody.
static void setPointerAttributes(func::FuncOp kernel, mlir::gpu::GPUFuncOp function) {
  auto unit = UnitAttr::get(kernel.getContext());
  llvm::SmallDenseSet<Value> written;
  kernel.walk([&](Operation *op) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      written.insert(linalgOp.getDpsInits().begin(), linalgOp.getDpsInits().end());
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      written.insert(insert.getDest());
    else if (auto insert = dyn_cast<tensor::InsertOp>(op))
      written.insert(insert.getDest());
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      written.insert(loop.getInitArgs().begin(), loop.getInitArgs().end());
    else if (isa<scf::YieldOp>(op))
      written.insert(op->operand_begin(), op->operand_end());
  });
  unsigned next = 1;
  for (BlockArgument argument : kernel.getArguments()) {
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType())) {
      if (!kernel.getArgAttr(argument.getArgNumber(), dyn::kInPlaceAttrName))
        function.setArgAttr(next, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
      if (!written.contains(argument))
        function.setArgAttr(next, LLVM::LLVMDialect::getReadonlyAttrName(), unit);
      next += tensor.getNumDynamicDims();
    }
    ++next;
  }
}

namespace {

struct LowerKernelsToGPUPass : public dyn::impl::LowerKernelsToGPUPassBase<LowerKernelsToGPUPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> kernels, others;
    for (auto function : module.getOps<func::FuncOp>())
      (function->hasAttrOfType<StringAttr>(dyn::DynDialect::kKernelAttrName) ? kernels : others).push_back(function);
    if (kernels.empty())
      return;
    SymbolTable table(module);
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto device = mlir::gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    table.insert(device);
    module->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(), builder.getUnitAttr());

    llvm::StringMap<LoweredKernel> lowered;
    SymbolTable deviceTable(device);
    for (func::FuncOp kernel : kernels)
      if (failed(lower(kernel, deviceTable, lowered[kernel.getName()])))
        return signalPassFailure();
    for (func::FuncOp function : others)
      if (failed(lowerLaunches(function, lowered)))
        return signalPassFailure();
    for (func::FuncOp kernel : kernels)
      kernel.erase();
  }

private:
  LogicalResult lower(func::FuncOp kernel, SymbolTable &device, LoweredKernel &lowered) {
    if (failed(verifyKernel(kernel)))
      return failure();
    allowFusedMultiplyAdd(kernel);
    lowered.source = kernel;
    std::unique_ptr<GPUKernelForm> form = matchForm(kernel);
    if (!form)
      return failure();
    for (std::unique_ptr<GPUKernelForm> &variant : form->getVariants())
      lowered.variants.push_back({std::move(variant), {}});
    lowered.variants.push_back({std::move(form), {}});
    std::string name = getDeviceName(kernel.getName());
    for (LoweredKernel::Variant &variant : llvm::drop_end(lowered.variants))
      build(kernel, device, variant, name + "_" + variant.form->getName().str());
    build(kernel, device, lowered.variants.back(), name);
    return success();
  }

  void build(func::FuncOp kernel, SymbolTable &device, LoweredKernel::Variant &variant, StringRef name) {
    OpBuilder builder(&getContext());
    SmallVector<Type> arguments{LLVM::LLVMPointerType::get(&getContext())};
    for (Type type : lowerArgumentTypes(kernel))
      arguments.push_back(type.isIndex() ? builder.getI64Type() : type);
    auto function =
        mlir::gpu::GPUFuncOp::create(builder, kernel.getLoc(), name, builder.getFunctionType(arguments, {}));
    variant.function = function;
    device.insert(function);
    function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    int64_t threads = variant.form->getThreads();
    function.setKnownBlockSize(ArrayRef<int32_t>{int32_t(threads), 1, 1});
    setPointerAttributes(kernel, function);

    GPUKernelCode code(kernel, function, builder, threads, variant.form->getRows());
    variant.form->emit(code);
    builder.setInsertionPointToEnd(&function.getBody().front());
    mlir::gpu::ReturnOp::create(builder, kernel.getLoc());
  }
};

} // namespace

//===- The road from a model to code, phase by phase ------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Pipelines/Pipelines.h"
#include "dyn/Conversion/DynToLinalg/Passes.h"
#include "dyn/Conversion/GPUToBinary/Passes.h"
#include "dyn/Conversion/HostToLLVM/Passes.h"
#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "dyn/Conversion/KernelsToGPU/Passes.h"
#include "dyn/Transforms/Kernels/Passes.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace dyn;

/// `dyn`: every dim a canonical expression over symbols, guards as `dyn.require`.
static void addShapes(OpPassManager &manager, const PipelineOptions &options) {
  auto &functions = manager.nest<func::FuncOp>();
  functions.addPass(createUnrollLoopsPass());
  functions.addPass(createInferShapesPass());
  functions.addPass(createSelectBranchesPass());
  functions.addPass(createCountLoopsPass());
  functions.addPass(createResolveShapeOpsPass());
  FoldConstantsPassOptions fold;
  fold.weightsDirectory = options.weightsDirectory;
  functions.addPass(createFoldConstantsPass(fold));
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createMinimizeGuardsPass());
  functions.addPass(createVerifyShapesPass());
}

/// `linalg`, `tensor`, `scf`, `dyn_shape`, `dyn.constant`: sizes are SSA values.
static void addReify(OpPassManager &manager, const PipelineOptions &options) {
  // No canonicalizer behind it: that unrolls loops of one iteration, and what they update, into main.
  ReifyShapesPassOptions reify;
  // Grids have room for comparisons of all pairs, and little memory for one thread that sorts.
  reify.sortRows = options.target == Target::CPU;
  manager.addPass(createReifyShapesPass(reify));
  manager.addPass(createVerifyReifiedPass());
}

/// main of sizes and launches; kernels on tensors.
static void addKernels(OpPassManager &manager, const PipelineOptions &options) {
  FormKernelsPassOptions form;
  // Grids have no code for whole attentions.
  form.attention = options.target == Target::CPU;
  manager.addPass(createFormKernelsPass(form));
  manager.addPass(createVersionKernelsPass());
  manager.addPass(createVerifyKernelsPass());
}

/// main on buffers in one arena.
static void addBuffers(OpPassManager &manager) {
  manager.addPass(createBufferizePass());
  manager.addPass(createShareSlicesPass());
  manager.addPass(createOrderLaunchesPass());
  manager.addPass(createFindDependencesPass());
  manager.addPass(createComputeInPlacePass());
  manager.addPass(createPlanMemoryPass());
  manager.addPass(createVerifyBuffersPass());
}

/// CPU: kernels on pointers. CUDA: images and launches of grids.
static void addTarget(OpPassManager &manager, const PipelineOptions &options) {
  if (options.target == Target::CUDA) {
    manager.addPass(createLowerKernelsToGPUPass());
    addGPUKernelLowerings(manager.nest<gpu::GPUModuleOp>());
    SerializeGPUModulesPassOptions serialize;
    serialize.archs.assign(options.cudaArch.begin(), options.cudaArch.end());
    serialize.ptxas = options.ptxas;
    serialize.libdevice = options.libdevice;
    manager.addPass(createSerializeGPUModulesPass(serialize));
    manager.addPass(createVerifyGPUBinariesPass());
    return;
  }
  manager.addPass(createAnnotateWorkPass());
  manager.addPass(createPackWeightsPass({options.vectorBits}));
  manager.addNestedPass<func::FuncOp>(createRelaxSoftmaxPass());
  manager.addPass(createLowerKernelsToCPUPass({options.vectorBits, options.l2Bytes, options.l1Ways}));
  manager.addPass(createVerifyCPUKernelsPass());
}

/// Entry points and kernels of integer and vector code.
static void addHost(OpPassManager &manager) {
  manager.addPass(createLowerHostPass());
  manager.addPass(createVerifyHostPass());
}

/// The `llvm` dialect.
static void addCode(OpPassManager &manager, unsigned vectorBits) {
  addCPUKernelLowerings(manager, vectorBits);
  manager.addPass(createVerifyCodePass());
}

void dyn::addPhases(OpPassManager &manager, Phase first, Phase last, const PipelineOptions &options) {
  auto includes = [&](Phase phase) { return first < phase && phase <= last; };
  if (includes(Phase::Shapes))
    addShapes(manager, options);
  if (includes(Phase::Reify))
    addReify(manager, options);
  if (includes(Phase::Kernels))
    addKernels(manager, options);
  if (includes(Phase::Buffers))
    addBuffers(manager);
  if (includes(Phase::Target))
    addTarget(manager, options);
  if (includes(Phase::Host))
    addHost(manager);
  if (includes(Phase::Code))
    addCode(manager, options.vectorBits);
}

/// What an option can be: `import, shapes, ...`.
template <typename Option>
static std::string listValues(Option &option) {
  std::string names;
  for (unsigned i = 0; i < option.getParser().getNumOptions(); ++i)
    names += (i ? ", " : "") + option.getParser().getOption(i).str();
  return names;
}

void dyn::registerPipelines() {
  auto build = [](OpPassManager &manager, StringRef text, function_ref<LogicalResult(const Twine &)> fail) {
    PipelineOptions options;
    if (failed(options.parseFromString(text)))
      return fail("phases are " + listValues(options.to) + "; targets are " + listValues(options.target));
    if (options.to < options.from)
      return fail("the phase of 'to' comes before that of 'from'");
    addPhases(manager, options.from, options.to, options);
    return success();
  };
  static const bool once = [&] {
    registerPassPipeline("dyn-pipeline", "The phases of the road, up to one", build,
                         [](function_ref<void(const mlir::detail::PassOptions &)> show) { show(PipelineOptions()); });
    return true;
  }();
  (void)once;
}

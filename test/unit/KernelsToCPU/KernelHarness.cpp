//===- Compiling and running single kernels -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include <algorithm>
#include <cstdlib>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace dyn::test;

static constexpr unsigned char pattern = 0xA5;

GuardedBytes::GuardedBytes(size_t bytes) {
  size_t page = sysconf(_SC_PAGESIZE);
  size_t body = (bytes + page) / page * page;
  mapped = body + page;
  mapping = static_cast<char *>(mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(mapping + body, page, PROT_NONE);
  begin = mapping + body - bytes;
  memset(mapping, pattern, begin - mapping);
}

GuardedBytes::~GuardedBytes() { munmap(mapping, mapped); }

bool GuardedBytes::isIntact() const {
  return std::all_of(mapping, begin, [](char c) { return static_cast<unsigned char>(c) == pattern; });
}

struct CompiledKernel::Implementation {
  MLIRContext context;
  std::unique_ptr<ExecutionEngine> engine;
  /// For each argument, its dynamic dims; none for an index.
  std::vector<std::vector<unsigned>> dynamicDims;
  std::vector<bool> isTensor;
  std::string name;
  std::map<std::string, void *> addresses;

  std::vector<int64_t> flatten(const std::vector<Argument> &arguments) const {
    std::vector<int64_t> flat;
    for (size_t i = 0; i < arguments.size(); ++i) {
      flat.push_back(isTensor[i] ? reinterpret_cast<int64_t>(arguments[i].data) : arguments[i].index);
      for (unsigned dim : dynamicDims[i])
        flat.push_back(arguments[i].dims[dim]);
    }
    return flat;
  }

  void *lookUp(const std::string &function) {
    void *&address = addresses[function];
    if (!address)
      address = llvm::cantFail(engine->lookup(function));
    return address;
  }

  int64_t call(const std::string &function, std::vector<int64_t> a) {
    // Callers clean up, so that too many arguments do no harm.
    a.resize(24);
    using Function = int64_t (*)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                                 int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                                 int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
    return reinterpret_cast<Function>(lookUp(function))(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                                                        a[10], a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18],
                                                        a[19], a[20], a[21], a[22], a[23]);
  }

  void runItems(DynRunContext &run, int64_t begin, int64_t end, const std::vector<int64_t> &flat) {
    std::vector<int64_t> all{reinterpret_cast<int64_t>(&run), begin, end};
    all.insert(all.end(), flat.begin(), flat.end());
    call(name, all);
  }
};

CompiledKernel::CompiledKernel(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}
CompiledKernel::~CompiledKernel() = default;

/// So small that tensors of the tests are large for it.
static constexpr int64_t smallL2Bytes = 1024;

bool dyn::test::hasExponentials(unsigned vectorBits) {
  return vectorBits < 512 || llvm::sys::getHostCPUFeatures().lookup("avx512f");
}

std::vector<unsigned> dyn::test::getVectorBits() {
  return hasExponentials(512) ? std::vector<unsigned>{256, 512} : std::vector<unsigned>{256};
}

std::unique_ptr<CompiledKernel> CompiledKernel::compile(llvm::StringRef source, unsigned vectorBits,
                                                        std::string &errors) {
  static bool isInitialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)isInitialized;
  auto implementation = std::make_unique<Implementation>();
  MLIRContext &context = implementation->context;
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, index::IndexDialect,
                  LLVM::LLVMDialect, linalg::LinalgDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect, dyn::shape::DynShapeDialect>();
  registerAllToLLVMIRTranslations(registry);
  context.appendDialectRegistry(registry);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    return nullptr;
  for (auto function : module->getOps<func::FuncOp>()) {
    implementation->name = function.getName().str();
    for (Type type : function.getArgumentTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      implementation->isTensor.push_back(bool(tensor));
      std::vector<unsigned> dynamic;
      for (unsigned d = 0; tensor && d < tensor.getRank(); ++d)
        if (tensor.isDynamicDim(d))
          dynamic.push_back(d);
      implementation->dynamicDims.push_back(dynamic);
    }
  }
  PassManager manager(&context);
  manager.addPass(dyn::createLowerKernelsToCPUPass({vectorBits, smallL2Bytes}));
  dyn::addCPUKernelLowerings(manager, vectorBits);
  if (failed(manager.run(*module)))
    return nullptr;

  auto machineBuilder = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  std::unique_ptr<llvm::TargetMachine> machine = llvm::cantFail(machineBuilder.createTargetMachine());
  auto optimize = makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0, machine.get());
  ExecutionEngineOptions options;
  options.transformer = optimize;
  auto engine = ExecutionEngine::create(*module, options, std::move(machine));
  if (!engine) {
    errors += toString(engine.takeError());
    return nullptr;
  }
  implementation->engine = std::move(*engine);
  return std::unique_ptr<CompiledKernel>(new CompiledKernel(std::move(implementation)));
}

static thread_local std::vector<void *> scratchBlocks;

static DynRunContext makeContext() {
  DynRunContext context{};
  context.scratch = [](DynRunContext *, int64_t bytes) {
    void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(block, pattern, (bytes + 63) / 64 * 64);
    scratchBlocks.push_back(block);
    return block;
  };
  return context;
}

static void releaseScratch() {
  for (void *block : scratchBlocks)
    free(block);
  scratchBlocks.clear();
}

DynRunContext CompiledKernel::run(const std::vector<Argument> &arguments) {
  DynRunContext context = makeContext();
  std::vector<int64_t> flat = implementation->flatten(arguments);
  int64_t items = count(arguments);
  int64_t pieces = std::min<int64_t>(items, 3);
  for (int64_t piece = pieces; piece-- > 0;)
    implementation->runItems(context, items * piece / pieces, items * (piece + 1) / pieces, flat);
  releaseScratch();
  return context;
}

void CompiledKernel::runAtOnce(const std::vector<Argument> &arguments) {
  DynRunContext context = makeContext();
  implementation->runItems(context, 0, count(arguments), implementation->flatten(arguments));
  releaseScratch();
}

int64_t CompiledKernel::count(const std::vector<Argument> &arguments) {
  return implementation->call(implementation->name + ".count", implementation->flatten(arguments));
}

int64_t CompiledKernel::grain(const std::vector<Argument> &arguments) {
  return implementation->call(implementation->name + ".grain", implementation->flatten(arguments));
}

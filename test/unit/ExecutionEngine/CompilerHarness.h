//===- Compiles programs and calls their entry points -------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Programs are written as `dyn-form-kernels` leaves them. The host side of the
// runtime is the few lines that call the entry points.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_EXECUTIONENGINE_COMPILERHARNESS_H
#define DYN_TEST_UNIT_EXECUTIONENGINE_COMPILERHARNESS_H

#include "dyn/ExecutionEngine/Compiler.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "dyn/Target/Artefact/Artefact.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <dlfcn.h>

namespace dyn::test {

using namespace mlir;

/// `@twice`: out[i] = 2 * in[i]; `@sum`: out[i, j] = a[i, j] + b[j].
constexpr const char *kKernels = R"mlir(
  func.func private @twice(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
      attributes {dyn.kernel = "pointwise"} {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]} ins(%in : tensor<?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %y = arith.addf %x, %x : f32
      linalg.yield %y : f32
    } -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func private @widen(%in: tensor<?xf32>, %out: tensor<?xf64>) -> tensor<?xf64>
      attributes {dyn.kernel = "pointwise"} {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]} ins(%in : tensor<?xf32>) outs(%out : tensor<?xf64>) {
    ^bb0(%x: f32, %o: f64):
      %y = arith.extf %x : f32 to f64
      linalg.yield %y : f64
    } -> tensor<?xf64>
    return %0 : tensor<?xf64>
  }
  func.func private @sum(%a: tensor<?x4xf32>, %b: tensor<4xf32>, %out: tensor<?x4xf32>) -> tensor<?x4xf32>
      attributes {dyn.kernel = "pointwise"} {
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                          affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : tensor<?x4xf32>, tensor<4xf32>) outs(%out : tensor<?x4xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %z = arith.addf %x, %y : f32
      linalg.yield %z : f32
    } -> tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
)mlir";

/// Runs work at once, one item at a time.
inline void runSerially(DynRunContext *context, const DynLaunch *launch) {
  for (int64_t item = 0; item < launch->count; ++item)
    launch->work(context, launch->arguments, item, item + 1);
}

class CompilerTest : public ::testing::Test {
protected:
  CompilerTest() {
    DialectRegistry registry;
    dyn::registerCompilerDialects(registry);
    registry.insert<memref::MemRefDialect>();
    context.appendDialectRegistry(registry);
    handler.emplace(&context, [this](Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
  }
  ~CompilerTest() override {
    if (library)
      dlclose(library);
  }

  LogicalResult compileTo(const std::string &main, llvm::StringRef path, dyn::CompileOptions options = {}) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(main + kKernels, &context);
    if (!module)
      return failure();
    options.from = from;
    return dyn::compileModule(*module, options, path);
  }

  void compile(const std::string &main, dyn::CompileOptions options = {}) {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("dyn-test", "so", path));
    ASSERT_TRUE(succeeded(compileTo(main, path, options))) << messages;
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    llvm::sys::fs::remove(path);
    ASSERT_TRUE(library) << dlerror();
    artefact = static_cast<const DynArtefact *>(dlsym(library, "dyn_artefact"));
    ASSERT_TRUE(artefact);
    EXPECT_EQ(artefact->magic, DYN_ARTEFACT_MAGIC);
    llvm::Expected<llvm::json::Value> value =
        llvm::json::parse(llvm::StringRef(artefact->descriptor, artefact->descriptorBytes));
    ASSERT_TRUE(bool(value));
    descriptor = std::move(*value);
  }

  int32_t check(std::vector<int64_t> dims) {
    error = {};
    int32_t status = artefact->check(dims.data(), nullptr, symbols, outputDims, &arenaBytes, &error);
    if (status == 0)
      EXPECT_EQ(artefact->arena(symbols), arenaBytes);
    return status;
  }
  /// Kind and predicate of the guard that refused the last check.
  std::string getFailure() {
    const llvm::json::Object &guard = *(*descriptor.getAsObject()->getArray("guards"))[error.guard].getAsObject();
    std::string text = guard.getString("kind")->str() + ": " + guard.getString("predicate")->str();
    for (int64_t index = 0; index < error.numValues; ++index)
      text += (index ? ", " : " | ") + std::to_string(error.values[index]);
    return text;
  }
  int32_t run(std::vector<const void *> inputs, std::vector<void *> outputs) {
    DynRunContext runContext = {};
    runContext.submit = runSerially;
    runContext.finish = [](DynRunContext *) {};
    return run(runContext, inputs, outputs);
  }
  int32_t run(DynRunContext &runContext, std::vector<const void *> inputs, std::vector<void *> outputs) {
    // What nothing has written is no number.
    std::vector<char> arena(arenaBytes + 64, char(0xff));
    void *aligned = arena.data() + 64 - reinterpret_cast<uintptr_t>(arena.data()) % 64;
    return artefact->run(&runContext, symbols, inputs.data(), outputs.data(), aligned);
  }

  dyn::Phase from = dyn::Phase::Kernels; ///< what programs have been through
  MLIRContext context;
  std::optional<ScopedDiagnosticHandler> handler;
  std::string messages;
  void *library = nullptr;
  const DynArtefact *artefact = nullptr;
  llvm::json::Value descriptor = nullptr;
  int64_t symbols[8] = {}, outputDims[8] = {}, arenaBytes = -1;
  DynErrorRecord error = {};
};

} // namespace dyn::test

#endif // DYN_TEST_UNIT_EXECUTIONENGINE_COMPILERHARNESS_H

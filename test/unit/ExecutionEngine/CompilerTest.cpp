//===- Compiled programs do what they say ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Programs are written as `dyn-form-kernels` leaves them. The host side of the
// runtime is the few lines that call the entry points.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/Compiler.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "dyn/Target/Artefact/Artefact.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <dlfcn.h>

using namespace mlir;

namespace {

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

#if defined(__x86_64__)
TEST(CPUTargetTest, NamesStandForAllThatTheirFeaturesImply) {
  for (auto [name, bits] : {std::pair("x86-64-v2", 128u), {"x86-64-v3", 256u}, {"x86-64-v4", 512u}}) {
    llvm::Expected<dyn::CPUTarget> target = dyn::CPUTarget::get(name);
    ASSERT_TRUE(bool(target));
    EXPECT_EQ(target->vectorBits, bits) << name;
    EXPECT_TRUE(llvm::is_contained(target->features, "ssse3")) << name;
  }
}
#endif

/// Runs work at once, one item at a time.
void runSerially(DynRunContext *context, const DynLaunch *launches, int64_t numLaunches) {
  for (const DynLaunch &launch : llvm::ArrayRef(launches, numLaunches))
    for (int64_t item = 0; item < launch.count; ++item)
      launch.work(context, launch.arguments, item, item + 1);
}

class CompilerTest : public ::testing::Test {
protected:
  CompilerTest() {
    DialectRegistry registry;
    dyn::registerCompilerDialects(registry);
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
    options.from = dyn::Phase::Kernels;
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
    return artefact->check(dims.data(), nullptr, symbols, outputDims, &arenaBytes, &error);
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
    runContext.parallelFor = runSerially;
    std::vector<char> arena(arenaBytes + 64);
    void *aligned = arena.data() + 64 - reinterpret_cast<uintptr_t>(arena.data()) % 64;
    return artefact->run(&runContext, symbols, inputs.data(), outputs.data(), aligned);
  }

  MLIRContext context;
  std::optional<ScopedDiagnosticHandler> handler;
  std::string messages;
  void *library = nullptr;
  const DynArtefact *artefact = nullptr;
  llvm::json::Value descriptor = nullptr;
  int64_t symbols[8] = {}, outputDims[8] = {}, arenaBytes = -1;
  DynErrorRecord error = {};
};

constexpr const char *kAddWeights = R"mlir(
    func.func @main(%x: tensor<?x4xf32> {dyn.dims = #dyn.dims<[N, 4]>})
        -> (tensor<?x4xf32> {dyn.dims = #dyn.dims<[N, 4]>})
        attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
      %N = dyn_shape.sym "N" : index
      %v = dyn.constant #dyn.weight<"model.weights", 4, 16> : tensor<4xf32>
      %w = dyn.constant #dyn.weight<"model.weights", 20, 16> : tensor<4xf32>
      %e0 = tensor.empty(%N) : tensor<?x4xf32>
      %0 = dyn_shape.launch @sum ins(%x, %v : tensor<?x4xf32>, tensor<4xf32>) outs(%e0 : tensor<?x4xf32>)
          -> tensor<?x4xf32>
      %e1 = tensor.empty(%N) : tensor<?x4xf32>
      %1 = dyn_shape.launch @sum ins(%0, %w : tensor<?x4xf32>, tensor<4xf32>) outs(%e1 : tensor<?x4xf32>)
          -> tensor<?x4xf32>
      return %1 : tensor<?x4xf32>
    })mlir";

/// A folder with nothing in it, gone at the end.
struct Folder {
  Folder() { EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("dyn-test", path)); }
  ~Folder() { llvm::sys::fs::remove_directories(path); }
  std::string file(llvm::StringRef name) { return (path + "/" + name).str(); }
  std::vector<std::string> list() {
    std::vector<std::string> names;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator entry(path, error), end; entry != end && !error; entry.increment(error))
      names.push_back(llvm::sys::path::filename(entry->path()).str());
    return names;
  }
  llvm::SmallString<128> path;
};

} // namespace

TEST_F(CompilerTest, RunsAtEverySizeThatItsChecksAllow) {
  compile(R"mlir(
    func.func @main(%x: tensor<?x4xf32> {dyn.dims = #dyn.dims<[2 * N, 4]>, dyn.name = "x"})
        -> (tensor<?x4xf32> {dyn.dims = #dyn.dims<[2 * N, 4]>, dyn.name = "y"})
        attributes {dyn.symbols = #dyn.symbols<N: [0, 100] from arg0[0]>} {
      %N = dyn_shape.sym "N" : index
      %rows = dyn_shape.apply 2 * N (N = %N) : index
      %size = dyn_shape.apply 8 * N (N = %N) : index
      dyn_shape.check N ne 7 (N = %N) because "sevens are unlucky"
      %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
      %e0 = tensor.empty(%size) : tensor<?xf32>
      %0 = dyn_shape.launch @twice ins(%flat : tensor<?xf32>) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
      %e1 = tensor.empty(%size) : tensor<?xf32>
      %1 = dyn_shape.launch @twice ins(%0 : tensor<?xf32>) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
      %w = dyn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %2 = tensor.expand_shape %1 [[0, 1]] output_shape [%rows, 4] : tensor<?xf32> into tensor<?x4xf32>
      %e2 = tensor.empty(%rows) : tensor<?x4xf32>
      %3 = dyn_shape.launch @sum ins(%2, %w : tensor<?x4xf32>, tensor<4xf32>) outs(%e2 : tensor<?x4xf32>)
          -> tensor<?x4xf32>
      return %3 : tensor<?x4xf32>
    })mlir");
  ASSERT_TRUE(artefact);
  for (int64_t n : {0, 1, 3, 50}) {
    ASSERT_EQ(check({2 * n, 4}), 0) << getFailure();
    EXPECT_EQ(symbols[0], n);
    EXPECT_EQ(outputDims[0], 2 * n);
    EXPECT_EQ(outputDims[1], 4);
    // Two buffers of 32 * n bytes are needed at the same time.
    EXPECT_EQ(arenaBytes, 2 * 64 * ((32 * n + 63) / 64));
    std::vector<float> x(8 * n), y(8 * n, -1);
    for (int64_t index = 0; index < 8 * n; ++index)
      x[index] = index;
    ASSERT_EQ(run({x.data()}, {y.data()}), 0);
    for (int64_t index = 0; index < 8 * n; ++index)
      EXPECT_EQ(y[index], 4 * index + 1 + index % 4);
  }
}

TEST_F(CompilerTest, NamesTheCheckThatFailsAndItsValues) {
  compile(R"mlir(
    func.func @main(%x: tensor<?x?xf32> {dyn.dims = #dyn.dims<[2 * N + M, M]>},
                    %u: tensor<?xf32> {dyn.dims = #dyn.dims<[N]>, dyn.name = "u"},
                    %v: tensor<?x4xf32> {dyn.dims = #dyn.dims<[M * N, 4]>})
        -> (tensor<?xf32> {dyn.dims = #dyn.dims<[N]>})
        attributes {dyn.symbols = #dyn.symbols<N: [1, 100] mod 2 rem 1 ne {5} from arg1[0], M: [0, ?] from arg0[1]>,
                    dyn.constraints = #dyn.constraints<"N + M <= 150">} {
      %N = dyn_shape.sym "N" : index
      %M = dyn_shape.sym "M" : index
      dyn_shape.check N floordiv M >= 1 or M == 60 (N = %N, M = %M) because "windows"
      %e0 = tensor.empty(%N) : tensor<?xf32>
      %0 = dyn_shape.launch @twice ins(%u : tensor<?xf32>) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(artefact);
  auto checkSizes = [&](int64_t n, int64_t m) { return check({2 * n + m, m, n, m * n, 4}) ? getFailure() : "fine"; };
  EXPECT_EQ(checkSizes(7, 3), "fine");
  EXPECT_EQ(checkSizes(7, 60), "fine");
  EXPECT_EQ(checkSizes(0, 3), "range: N in 1..100 | 0");
  EXPECT_EQ(checkSizes(101, 3), "range: N in 1..100 | 101");
  EXPECT_EQ(checkSizes(8, 3), "range: N mod 2 == 1 | 8");
  EXPECT_EQ(checkSizes(5, 3), "range: N != 5 | 5");
  EXPECT_EQ(checkSizes(7, -1), "range: M >= 0 | -1");
  EXPECT_EQ(checkSizes(99, 60).substr(0, 11), "constraint:");
  EXPECT_EQ(error.values[0], 99);
  EXPECT_EQ(error.values[1], 60);
  // M == 0: no division, and the guard's other half decides.
  EXPECT_EQ(checkSizes(7, 0).substr(0, 6), "guard:");
  EXPECT_EQ(checkSizes(7, 8).substr(0, 6), "guard:");
  ASSERT_EQ(check({18, 3, 7, 21, 4}), 1);
  EXPECT_EQ(getFailure().substr(0, 10), "input_dim:");
  EXPECT_EQ(std::vector<int64_t>(error.values, error.values + error.numValues), (std::vector<int64_t>{18, 17, 7, 3}));
  ASSERT_EQ(check({17, 3, 7, 21, 5}), 1);
  EXPECT_EQ(getFailure(), "input_dim: 4 | 5, 4");
}

TEST_F(CompilerTest, SolvesForSymbolsAndRefusesWhatIsNotExact) {
  compile(R"mlir(
    func.func @main(%x: tensor<?x?xf32> {dyn.dims = #dyn.dims<[4 * H, S + H]>})
        -> (tensor<?xf32> {dyn.dims = #dyn.dims<[S]>, dyn.name = "y"})
        attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[1], H: [0, ?] from arg0[0]>} {
      %S = dyn_shape.sym "S" : index
      %e0 = tensor.empty(%S) : tensor<?xf32>
      return %e0 : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(artefact);
  ASSERT_EQ(check({8, 7}), 0) << getFailure();
  EXPECT_EQ(symbols[0], 5);
  EXPECT_EQ(symbols[1], 2);
  EXPECT_EQ(check({9, 7}), 1);
  EXPECT_EQ(getFailure(), "input_dim: 4 * H | 9, 8, 2");
  EXPECT_EQ(check({8, 1}), 1);
  EXPECT_EQ(getFailure(), "range: S >= 0 | -1");
}

TEST_F(CompilerTest, RefusesSizesThatNeedMoreThan64Bits) {
  compile(R"mlir(
    func.func @main(%x: tensor<?xf32> {dyn.dims = #dyn.dims<[N]>}) -> (tensor<?xf32> {dyn.dims = #dyn.dims<[N]>})
        attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
      %N = dyn_shape.sym "N" : index
      %big = dyn_shape.apply N * N (N = %N) : index
      %e0 = tensor.empty(%big) : tensor<?xf32>
      %0 = dyn_shape.launch @twice ins(%x : tensor<?xf32>) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
      %e1 = tensor.empty(%N) : tensor<?xf32>
      %1 = dyn_shape.launch @twice ins(%0 : tensor<?xf32>) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
      return %1 : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(artefact);
  EXPECT_EQ(check({1 << 20}), 0);
  // N * N fits, but not the bytes; then not even N * N.
  for (int64_t n : {int64_t(1) << 31, int64_t(1) << 40, INT64_MAX}) {
    ASSERT_EQ(check({n}), 1);
    EXPECT_EQ(getFailure().substr(0, 5), "size:");
    EXPECT_EQ(error.values[0], n);
  }
}

TEST_F(CompilerTest, ReadsSymbolsFromElements) {
  compile(R"mlir(
    func.func @main(%k: tensor<2xi64> {dyn.name = "k"}) -> (tensor<?xf32> {dyn.dims = #dyn.dims<[K]>})
        attributes {dyn.symbols = #dyn.symbols<K: [0, 9] from arg0{1}>} {
      %K = dyn_shape.sym "K" : index
      %e0 = tensor.empty(%K) : tensor<?xf32>
      return %e0 : tensor<?xf32>
    })mlir");
  ASSERT_TRUE(artefact);
  EXPECT_EQ(check({2}), 1);
  EXPECT_EQ(getFailure(), "input_data: ");
  int64_t dims[] = {2}, data[] = {100, 8};
  const void *inputs[] = {data};
  ASSERT_EQ(artefact->check(dims, inputs, symbols, outputDims, nullptr, &error), 0) << getFailure();
  EXPECT_EQ(outputDims[0], 8);
  data[1] = 10;
  ASSERT_EQ(artefact->check(dims, inputs, symbols, nullptr, nullptr, &error), 1);
  EXPECT_EQ(getFailure(), "range: K in 0..9 | 10");
}

TEST_F(CompilerTest, CopiesResultsThatNoLaunchWrites) {
  compile(R"mlir(
    func.func @main(%x: tensor<?xf32> {dyn.dims = #dyn.dims<[N]>})
        -> (tensor<?xf32> {dyn.dims = #dyn.dims<[N]>}, tensor<?xf32> {dyn.dims = #dyn.dims<[N]>},
            tensor<?xf32> {dyn.dims = #dyn.dims<[N]>}, tensor<2xi1>)
        attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
      %N = dyn_shape.sym "N" : index
      %w = dyn.constant dense<[true, false]> : tensor<2xi1>
      %e0 = tensor.empty(%N) : tensor<?xf32>
      %0 = dyn_shape.launch @twice ins(%x : tensor<?xf32>) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
      return %0, %x, %0, %w : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<2xi1>
    })mlir");
  ASSERT_TRUE(artefact);
  ASSERT_EQ(check({3}), 0) << getFailure();
  EXPECT_EQ(arenaBytes, 0);
  float x[] = {1, 2, 3}, a[3], b[3], c[3];
  uint8_t d[2] = {7, 7};
  ASSERT_EQ(run({x}, {a, b, c, d}), 0);
  EXPECT_EQ(a[2], 6);
  EXPECT_EQ(b[2], 3);
  EXPECT_EQ(c[2], 6);
  EXPECT_EQ(d[0], 1);
  EXPECT_EQ(d[1], 0);
}

TEST_F(CompilerTest, TakesWeightsFromTheirFile) {
  Folder folder;
  {
    std::error_code error;
    llvm::raw_fd_ostream os(folder.file("model.weights"), error);
    float values[] = {-1, 1, 2, 3, 4, 10, 20, 30, 40};
    os.write(reinterpret_cast<const char *>(values), sizeof(values));
  }
  dyn::CompileOptions options;
  options.weightsDirectory = folder.path.str();
  compile(kAddWeights, options);
  ASSERT_TRUE(artefact);
  ASSERT_EQ(check({2, 4}), 0);
  float x[8] = {}, y[8] = {};
  ASSERT_EQ(run({x}, {y}), 0);
  EXPECT_EQ(std::vector<float>(y, y + 8), (std::vector<float>{11, 22, 33, 44, 11, 22, 33, 44}));
}

TEST_F(CompilerTest, LeavesNoFileWhenWeightsAreMissing) {
  Folder folder;
  dyn::CompileOptions options;
  options.weightsDirectory = folder.path.str();
  EXPECT_TRUE(failed(compileTo(kAddWeights, folder.file("model.so"), options)));
  EXPECT_NE(messages.find("cannot read weights"), std::string::npos) << messages;
  EXPECT_TRUE(folder.list().empty());

  messages.clear();
  {
    std::error_code error;
    llvm::raw_fd_ostream os(folder.file("model.weights"), error);
    os << "short";
  }
  EXPECT_TRUE(failed(compileTo(kAddWeights, folder.file("model.so"), options)));
  EXPECT_NE(messages.find("have 5 bytes, but 16 at offset"), std::string::npos) << messages;
  EXPECT_EQ(folder.list(), std::vector<std::string>{"model.weights"});
}

TEST_F(CompilerTest, RefusesWhatItCannotCompileForOrWriteTo) {
  Folder folder;
  dyn::CompileOptions options;
  options.targetCPU = "z80";
  EXPECT_TRUE(failed(compileTo("func.func @main() { return }", folder.file("model.so"), options)));
  EXPECT_NE(messages.find("unknown CPU 'z80'"), std::string::npos) << messages;
  messages.clear();
  EXPECT_TRUE(failed(compileTo("func.func @main() { return }", folder.file("none/model.so"))));
  EXPECT_NE(messages.find("cannot write"), std::string::npos) << messages;
  EXPECT_TRUE(folder.list().empty());
}

TEST_F(CompilerTest, KeepsTheOptionsOfTheProgramThatItIsPartOf) {
  // lld, as a library, resets all that it sees.
  llvm::cl::opt<std::string> named("dyn-test-named", llvm::cl::init("default"));
  llvm::cl::opt<std::string> positional(llvm::cl::Positional, llvm::cl::init("default"));
  const char *arguments[] = {"test", "--dyn-test-named=kept", "kept too"};
  ASSERT_TRUE(llvm::cl::ParseCommandLineOptions(3, arguments));
  compile("func.func @main() { return }");
  EXPECT_EQ(named, "kept");
  EXPECT_EQ(positional, "kept too");
  EXPECT_EQ(llvm::cl::getRegisteredOptions().count("dyn-test-named"), 1u);
}

//===- Compiled programs do what they say ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CompilerHarness.h"

using namespace mlir;
using dyn::test::CompilerTest;

namespace {

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
  // Options are for ever, but for these.
  named.removeArgument();
  positional.removeArgument();
}

//===- Runs and compiles models ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Prepare.h"
#include "Reference.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <optional>

namespace cl = llvm::cl;
using namespace dyn;
using llvm::StringRef;

namespace {

enum ExitCode { kRan = 0, kFailed = 1, kUsage = 2 };

struct Options {
  cl::OptionCategory category{"dyn-run options"};
  cl::opt<std::string> model{cl::Positional, cl::Required, cl::desc("<model.onnx|.mlir|.so>"), cl::cat(category)};
  cl::opt<bool> compile{"compile", cl::desc("Compile only, to the file of -o"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Artefact that --compile writes; for cuda a folder of images"),
                              cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("cpu, or, with --compile, cuda"), cl::init("cpu"), cl::cat(category)};
  cl::list<std::string> cudaArchitectures{"cuda-arch", cl::CommaSeparated, cl::value_desc("sm_90[,sm_80...]"),
                                          cl::desc("CUDA architectures; default sm_80,sm_90"), cl::cat(category)};
  cl::opt<std::string> ptxas{"ptxas", cl::desc("The program ptxas; by default that of the PATH"), cl::cat(category)};
  cl::opt<std::string> targetCPU{"target-cpu", cl::desc("native, x86-64-v3, ..."), cl::init("native"),
                                 cl::cat(category)};
  cl::opt<unsigned> threads{"threads", cl::desc("Threads of a run; 0: one for each core"), cl::init(0),
                            cl::cat(category)};
  cl::list<std::string> inputs{"input", cl::desc("NAME=FILE.npy; repeatable"), cl::cat(category)};
  cl::opt<unsigned> random{"random", cl::desc("Seed of random values for inputs that are not given"),
                           cl::value_desc("seed"), cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("NAME=V[,V...]: sizes of random inputs; several make one run each"),
                             cl::cat(category)};
  cl::opt<std::string> outputFolder{"output-dir", cl::desc("Folder that receives NAME.npy for each output"),
                                    cl::value_desc("folder"), cl::cat(category)};
  cl::opt<bool> reference{"reference", cl::desc("Interpret the model instead of compiling it"), cl::cat(category)};
  cl::opt<std::string> compare{"compare",
                               cl::desc("reference: compare outputs with the interpreter's; fails if one "
                                        "differs by more than --tolerance"),
                               cl::value_desc("with"), cl::cat(category)};
  cl::opt<double> tolerance{"tolerance", cl::desc("Difference allowed, relative to the largest magnitude of an output"),
                            cl::init(1e-3), cl::cat(category)};
  cl::opt<bool> printShapes{"print-shapes", cl::desc("Print symbols, facts, guards and the dims of every value"),
                            cl::cat(category)};
  cl::opt<std::string> device{"device", cl::desc("cpu"), cl::init("cpu"), cl::cat(category)};
  cl::opt<bool> memory{"memory", cl::desc("Print the bytes of working memory"), cl::cat(category)};
  cl::opt<unsigned> benchmark{"benchmark", cl::desc("Time so many runs (10 without a number)"), cl::ValueOptional,
                              cl::init(0), cl::cat(category)};

  static constexpr unsigned kDefaultRuns = 10;
};

/// One set of sizes.
using Sizes = llvm::StringMap<int64_t>;

struct FreeBinding {
  void operator()(DynBinding *binding) const { dynBindingFree(binding); }
};

} // namespace

static int report(ExitCode code, const llvm::Twine &message) {
  llvm::errs() << message << '\n';
  return code;
}

/// Run i takes the i-th value of each dim; a dim with fewer keeps its last.
static llvm::Expected<std::vector<Sizes>> readSizes(const Options &options) {
  std::vector<Sizes> result(1);
  for (StringRef text : options.dims) {
    auto [name, list] = text.rsplit('=');
    llvm::SmallVector<StringRef> values;
    list.split(values, ',');
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t value;
      if (name.empty() || values[i].getAsInteger(10, value) || value < 0)
        return llvm::createStringError("--dim=" + text + ": must be NAME=V[,V...] with sizes V");
      if (i == result.size())
        result.push_back(result.back());
      for (size_t j = i; j < result.size(); ++j)
        result[j][name] = value;
    }
  }
  return result;
}

static size_t getBytes(const Tensor &tensor) {
  size_t bytes = getElementBytes(tensor.elementType);
  for (int64_t dim : tensor.dims)
    bytes *= size_t(dim);
  return bytes;
}

static std::string formatDims(const std::vector<int64_t> &dims) {
  std::string result = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    result += (i ? ", " : "") + std::to_string(dims[i]);
  return result + "]";
}

static void timeRuns(DynBinding &binding, unsigned runs) {
  std::vector<double> times;
  for (unsigned i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    dynBindingRun(&binding);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  llvm::sort(times);
  llvm::outs() << llvm::format("median %.3f ms, least %.3f ms, %u runs\n", times[times.size() / 2], times[0], runs);
}

/// Prints the dims of outputs, and writes them if a folder is given.
static int deliver(const Inputs &outputs, const Options &options) {
  for (const auto &[name, tensor] : outputs) {
    llvm::outs() << name << ": " << formatDims(tensor.dims) << '\n';
    if (options.outputFolder.empty())
      continue;
    if (llvm::Error error = writeNpy(options.outputFolder + "/" + name + ".npy", tensor))
      return report(kFailed, llvm::toString(std::move(error)));
  }
  return kRan;
}

/// Prints how far outputs are from the interpreter's.
static int compareOutputs(const Inputs &expected, const Inputs &actual, double tolerance) {
  ExitCode status = kRan;
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto &[name, reference] = expected[i];
    std::optional<Difference> difference = compare(reference, actual[i].second);
    if (!difference)
      return report(kFailed, "output '" + name + "' has the dims " + formatDims(actual[i].second.dims) +
                                 ", the reference " + formatDims(reference.dims) + ", or another element type");
    llvm::outs() << llvm::format("%s: largest difference %.3g of %.3g\n", name.c_str(), difference->largest,
                                 difference->magnitude);
    if (difference->largest > tolerance * difference->magnitude)
      status = kFailed;
  }
  return status == kRan ? kRan : report(kFailed, "outputs differ from the reference by more than --tolerance");
}

static int runOnce(const DynModel &model, ReferenceRun *reference, const Options &options, const Inputs &inputs) {
  DynBinding *raw = nullptr;
  dynBindingCreate(&model, &raw);
  std::unique_ptr<DynBinding, FreeBinding> binding(raw);
  for (const auto &[name, tensor] : inputs)
    if (dynBindingSetInput(raw, name.c_str(), tensor.elementType, tensor.dims.data(), tensor.dims.size(),
                           tensor.data.data()))
      return report(kFailed, dynGetLastError());
  if (dynBindingRun(raw))
    return report(kFailed, dynGetLastError());
  Inputs outputs;
  for (size_t i = 0; i < dynModelGetNumOutputs(&model); ++i) {
    DynTensorInfo info = dynModelGetOutput(&model, i);
    const int64_t *dims;
    size_t rank;
    void *data;
    dynBindingGetOutput(raw, info.name, &dims, &rank, &data);
    Tensor tensor{info.elementType, {dims, dims + rank}, {}};
    const char *bytes = static_cast<const char *>(data);
    tensor.data.assign(bytes, bytes + getBytes(tensor));
    outputs.emplace_back(info.name, std::move(tensor));
  }
  if (int status = deliver(outputs, options))
    return status;
  if (reference) {
    std::optional<Inputs> expected = reference->run(inputs);
    if (!expected)
      return kFailed;
    if (int status = compareOutputs(*expected, outputs, options.tolerance))
      return status;
  }
  if (options.benchmark.getNumOccurrences())
    timeRuns(*raw, options.benchmark ? unsigned(options.benchmark) : Options::kDefaultRuns);
  return kRan;
}

static int printMemory(const DynModel &model, const Inputs &inputs) {
  std::vector<int64_t> dims, symbols(dynModelGetNumSymbols(&model));
  std::vector<const void *> data;
  for (size_t i = 0; i < dynModelGetNumInputs(&model); ++i)
    for (const auto &[name, tensor] : inputs)
      if (name == dynModelGetInput(&model, i).name) {
        dims.insert(dims.end(), tensor.dims.begin(), tensor.dims.end());
        data.push_back(tensor.data.data());
      }
  size_t bytes = 0;
  if (dynModelCheck(&model, dims.data(), data.data(), symbols.data(), nullptr, &bytes))
    return report(kFailed, dynGetLastError());
  llvm::outs() << "arena: " << bytes << " bytes\n";
  return kRan;
}

/// Calls `runOnce` with the inputs of each set of sizes.
static int runAll(const Options &options, llvm::ArrayRef<InputSignature> signatures,
                  llvm::function_ref<int(const Inputs &)> runOnce) {
  auto given = readInputs(options.inputs);
  if (!given)
    return report(kFailed, llvm::toString(given.takeError()));
  auto sizes = readSizes(options);
  if (!sizes)
    return report(kUsage, llvm::toString(sizes.takeError()));
  if (!options.outputFolder.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(options.outputFolder))
      return report(kFailed, "'" + options.outputFolder + "': " + error.message());
  for (const Sizes &point : *sizes) {
    Inputs inputs = *given;
    if (options.random.getNumOccurrences())
      if (llvm::Error error = addRandomInputs(signatures, point, options.random, inputs))
        return report(kFailed, llvm::toString(std::move(error)));
    if (int status = runOnce(inputs))
      return status;
  }
  return kRan;
}

static int runReference(ReferenceRun &model, const Options &options) {
  return runAll(options, model.getInputSignatures(), [&](const Inputs &inputs) -> int {
    std::optional<Inputs> outputs = model.run(inputs);
    return outputs ? deliver(*outputs, options) : kFailed;
  });
}

static int runCompiled(const DynModel &model, ReferenceRun *reference, const Options &options) {
  return runAll(options, getInputSignatures(model), [&](const Inputs &inputs) -> int {
    if (int status = runOnce(model, reference, options, inputs))
      return status;
    return options.memory ? printMemory(model, inputs) : kRan;
  });
}

/// LLVM's DWARF linker, which comes along with lld, registers `threads` as well.
static void releaseOptionNames() {
  auto &registered = cl::getRegisteredOptions();
  if (auto it = registered.find("threads"); it != registered.end())
    it->second->removeArgument();
}

int main(int argc, char **argv) {
  releaseOptionNames();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (!cl::ParseCommandLineOptions(argc, argv, "runs and compiles models\n", &stream))
    return report(kUsage, StringRef(errors).rtrim());
  if (options.target != "cpu" && options.target != "cuda")
    return report(kUsage, "--target=" + options.target + ": must be cpu or cuda");
  if (options.target == "cuda" && !options.compile)
    return report(kUsage, "--target=cuda: such images can be compiled (--compile), but not run yet");
  if (options.device != "cpu")
    return report(kUsage, "--device=" + options.device + ": models run on cpu only yet");
  PrepareOptions prepare;
  prepare.compile.targetCPU = options.targetCPU;
  prepare.compile.target = options.target;
  prepare.compile.cudaArchitectures.assign(options.cudaArchitectures.begin(), options.cudaArchitectures.end());
  prepare.compile.ptxas = options.ptxas;
  prepare.threads = options.threads;
  if (options.threads > DYN_MAX_THREADS)
    return report(kUsage, "--threads=" + llvm::Twine(options.threads) + ": must be 0 (one for each core) or at most " +
                              llvm::Twine(DYN_MAX_THREADS));
  if (options.compile) {
    if (options.output.empty())
      return report(kUsage, "--compile needs -o FILE");
    if (options.output == "-")
      return report(kUsage, "-o -: an artefact is a file, and needs a name");
    return compileTo(options.model, options.output, prepare) ? kRan : kFailed;
  }
  if (options.printShapes)
    return printShapes(options.model, prepare) ? kRan : kFailed;
  if (!options.compare.empty() && options.compare != "reference")
    return report(kUsage, "--compare=" + options.compare + ": only the reference can be compared with");
  std::unique_ptr<ReferenceRun> reference;
  if (options.reference || !options.compare.empty()) {
    reference = ReferenceRun::load(options.model, prepare.import);
    if (!reference)
      return kFailed;
    if (options.reference)
      return runReference(*reference, options);
  }
  LoadedModel model = prepareModel(options.model, prepare);
  return model ? runCompiled(*model, reference.get(), options) : kFailed;
}

//===- Runs and compiles models ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "Inputs.h"
#include "Outputs.h"
#include "Prepare.h"
#include "Reference.h"
#include "Sizes.h"
#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/Profile/Profile.h"
#include "dyn/Target/Files/OutputFile.h"
#include "dyn/Target/ONNX/ImportTexts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
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
  cl::opt<std::string> output{"o",
                              cl::desc("Artefact that --compile writes; for cuda a .so file that holds the images "
                                       "too, or a folder for the images alone"),
                              cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("cpu, or, with --compile, cuda"), cl::init("cpu"), cl::cat(category)};
  cl::list<std::string> cudaArchitectures{"cuda-arch", cl::CommaSeparated, cl::value_desc("sm_90[,sm_80...]"),
                                          cl::desc("CUDA architectures; default sm_80,sm_90"), cl::cat(category)};
  cl::opt<std::string> ptxas{"ptxas", cl::desc("The program ptxas; by default that of the PATH"), cl::cat(category)};
  cl::opt<std::string> targetCPU{
      "target-cpu",
      cl::desc("native, x86-64-v3, ...; several with commas between them, of which loading takes the best"),
      cl::init("native"), cl::cat(category)};
  cl::opt<unsigned> threads{"threads", cl::desc("Threads of a run; 0: one for each core"), cl::init(0),
                            cl::cat(category)};
  cl::list<std::string> inputs{"input", cl::desc("NAME=FILE.npy; repeatable"), cl::cat(category)};
  cl::opt<unsigned> random{"random", cl::desc("Seed of random values for inputs that are not given"),
                           cl::value_desc("seed"), cl::cat(category)};
  onnx::ImportFlags import{
      category, "NAME=V[,V...]: sizes of random inputs or of outputs; several make a run each. A range, such "
                "as NAME=1..512, NAME=1..512:8 (a divisor) or NAME=1..64@{1,8,32} (likely sizes), is what "
                "the model is compiled for, and so is NAME=8 where nothing runs"};
  cl::opt<std::string> outputFolder{"output-dir",
                                    cl::desc("Folder that receives NAME.npy for each output; several runs "
                                             "have folders 1, 2, ... in it"),
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
  cl::opt<std::string> benchmark{"benchmark", cl::desc("Time so many runs (10 without a number)"),
                                 cl::value_desc("runs"), cl::ValueOptional, cl::cat(category)};
  cl::opt<bool> profile{"profile",
                        cl::desc("With --benchmark: print the time of each kernel, what it computes and "
                                 "moves, and its share of the roofline"),
                        cl::cat(category)};
  cl::opt<std::string> trace{"trace",
                             cl::desc("With --benchmark: write the timeline of the fastest run, for Perfetto "
                                      "or chrome://tracing"),
                             cl::value_desc("file.json"), cl::cat(category)};

  bool runs() const { return !compile && !printShapes; }
  /// Is what `--dim` gives the size of a run? All else are facts.
  bool isSize(StringRef dim) const { return runs() && !dim.rsplit('=').second.contains(".."); }
  std::vector<std::string> getSizes() const {
    std::vector<std::string> sizes;
    llvm::copy_if(import.dims, std::back_inserter(sizes), [&](StringRef dim) { return isSize(dim); });
    return sizes;
  }
  onnx::ImportTexts getImportTexts() const {
    onnx::ImportTexts texts = import.getTexts();
    llvm::erase_if(texts.dims, [&](StringRef dim) { return isSize(dim); });
    return texts;
  }

  /// The number of runs to time; nothing for what is no such number.
  std::optional<unsigned> getNumTimedRuns() const {
    if (!benchmark.getNumOccurrences())
      return 0;
    constexpr unsigned whenNotSaid = 10;
    unsigned runs = whenNotSaid;
    if (!benchmark.empty() && (StringRef(benchmark).getAsInteger(10, runs) || !runs))
      return std::nullopt;
    return runs;
  }
};

struct FreeBinding {
  void operator()(DynBinding *binding) const { dynBindingFree(binding); }
};

} // namespace

static int report(ExitCode code, const llvm::Twine &message) {
  llvm::errs() << getLine(message.str()) << '\n';
  return code;
}

static int timeRuns(DynBinding &binding, unsigned runs) {
  std::vector<double> times;
  for (unsigned i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (dynBindingRun(&binding))
      return report(kFailed, dynGetLastError());
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  llvm::sort(times);
  llvm::outs() << llvm::format("median %.3f ms, least %.3f ms, %u runs\n", times[times.size() / 2], times[0], runs);
  return kRan;
}

/// Prints where the time of runs goes, and writes a timeline, as far as asked for.
static int profileRuns(const DynModel &model, DynBinding &binding, unsigned runs, const Options &options) {
  Profile profile(model, dynBindingGetSymbols(&binding));
  for (unsigned i = 0; i < runs; ++i) {
    int status = profile.addRun([&](DynProfileCallback callback, void *data) {
      dynBindingSetProfile(&binding, callback, data);
      return dynBindingRun(&binding);
    });
    if (status)
      return report(kFailed, dynGetLastError());
  }
  dynBindingSetProfile(&binding, nullptr, nullptr);
  if (options.profile)
    profile.printTable(llvm::outs(), measureRoofline(unsigned(dynModelGetNumThreads(&model))));
  if (options.trace.empty())
    return kRan;
  llvm::Error error = writeOutputFile(options.trace, [&](llvm::raw_ostream &os) { profile.writeTrace(os); });
  return error ? report(kFailed, llvm::toString(std::move(error))) : int(kRan);
}

namespace {
/// What one run starts from.
struct Run {
  llvm::ArrayRef<InputFile> files; ///< of inputs
  Inputs inputs;
  std::string outputFolder; ///< "" for none
};
} // namespace

static int runOnce(const DynModel &model, ReferenceRun *reference, const Options &options, const Run &run) {
  DynBinding *raw = nullptr;
  dynBindingCreate(&model, &raw);
  std::unique_ptr<DynBinding, FreeBinding> binding(raw);
  for (const auto &[name, tensor] : run.inputs)
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
    if (llvm::Error error = allocate(tensor, "a copy of output '" + llvm::Twine(info.name) + "'"))
      return report(kFailed, llvm::toString(std::move(error)));
    if (!tensor.data.empty())
      std::memcpy(tensor.data.data(), data, tensor.data.size());
    outputs.emplace_back(info.name, std::move(tensor));
  }
  if (llvm::Error error = deliver(outputs, run.outputFolder, run.files))
    return report(kFailed, llvm::toString(std::move(error)));
  if (reference) {
    std::optional<Inputs> expected = reference->run(run.inputs);
    if (!expected)
      return kFailed;
    if (llvm::Error error = compareOutputs(*expected, outputs, options.tolerance))
      return report(kFailed, llvm::toString(std::move(error)));
  }
  unsigned runs = *options.getNumTimedRuns();
  if (!runs)
    return kRan;
  if (int status = timeRuns(*raw, runs))
    return status;
  return options.profile || !options.trace.empty() ? profileRuns(model, *raw, runs, options) : int(kRan);
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
  llvm::outs() << "arena: " << bytes << " bytes";
  if (std::optional<int64_t> live = getLiveBytes(model, symbols.data()))
    llvm::outs() << llvm::format(", %.3f of the %lld that are needed at the same time",
                                 *live ? double(bytes) / double(*live) : 1.0, static_cast<long long>(*live));
  llvm::outs() << '\n';
  return kRan;
}

/// Calls `runOnce` for each set of sizes.
static int runAll(const Options &options, const PrepareOptions &prepare, llvm::ArrayRef<InputSignature> signatures,
                  llvm::function_ref<ModelSizes()> getSizes, llvm::function_ref<int(const Run &)> runOnce) {
  auto files = parseInputFiles(options.inputs, signatures);
  if (!files)
    return report(kUsage, llvm::toString(files.takeError()));
  auto sizes = parseSizes(options.getSizes());
  if (!sizes)
    return report(kUsage, llvm::toString(sizes.takeError()));
  if (!options.trace.empty() && sizes->size() > 1)
    return report(kUsage, "--trace shows runs at one set of sizes, --dim gives " + std::to_string(sizes->size()));
  bool isRandom = options.random.getNumOccurrences();
  auto given = readInputs(*files);
  if (!given)
    return report(kFailed, llvm::toString(given.takeError()));
  if (llvm::Error error = addGivenValues(prepare.import.inputValues, signatures, *given))
    return report(kUsage, llvm::toString(std::move(error)));
  if (llvm::Error error = verifyRanks(signatures, *given))
    return report(kFailed, llvm::toString(std::move(error)));
  if (llvm::Error error = verifyNames(signatures, *given, /*areAllGiven=*/!isRandom))
    return report(kFailed, llvm::toString(std::move(error)));
  // All before the first run, so that none is in vain.
  std::vector<std::vector<std::vector<int64_t>>> dims;
  for (const Sizes &point : *sizes)
    if (isRandom) {
      auto inferred = inferInputDims(signatures, point, *given, getSizes);
      if (!inferred)
        return report(kUsage, llvm::toString(inferred.takeError()));
      dims.push_back(std::move(*inferred));
    }
  for (size_t number = 0; number < sizes->size(); ++number) {
    Run run{*files, *given, options.outputFolder};
    if (isRandom)
      if (llvm::Error error = addRandomInputs(signatures, dims[number], options.random, run.inputs))
        return report(kFailed, llvm::toString(std::move(error)));
    if (!run.outputFolder.empty()) {
      if (sizes->size() > 1)
        run.outputFolder += "/" + std::to_string(number + 1);
      if (std::error_code error = llvm::sys::fs::create_directories(run.outputFolder))
        return report(kFailed, "'" + run.outputFolder + "': " + error.message());
    }
    if (int status = runOnce(run)) {
      if (std::string advice = isRandom ? adviseValues(signatures, *given, getSizes().declarations) : "";
          !advice.empty())
        llvm::errs() << getLine(advice) << '\n';
      return status;
    }
  }
  return kRan;
}

static int runReference(ReferenceRun &model, const Options &options, const PrepareOptions &prepare) {
  return runAll(
      options, prepare, model.getInputSignatures(), [&] { return model.getSizes(); },
      [&](const Run &run) -> int {
        std::optional<Inputs> outputs = model.run(run.inputs);
        if (!outputs)
          return kFailed;
        if (llvm::Error error = deliver(*outputs, run.outputFolder, run.files))
          return report(kFailed, llvm::toString(std::move(error)));
        return kRan;
      });
}

static int runCompiled(const DynModel &model, ReferenceRun *reference, const Options &options,
                       const PrepareOptions &prepare) {
  return runAll(
      options, prepare, getInputSignatures(model), [&] { return getModelSizes(model); },
      [&](const Run &run) -> int {
        if (int status = runOnce(model, reference, options, run))
          return status;
        return options.memory ? printMemory(model, run.inputs) : kRan;
      });
}

/// What only models in ONNX can be imported with, of one that is none; "" if there is nothing.
static std::string findImportMisuse(const Options &options) {
  StringRef kind = llvm::sys::path::extension(options.model);
  if (kind != ".so" && kind != ".mlir")
    return "";
  std::string what;
  if (const cl::Option *given = options.import.findGiven())
    what = "--" + given->ArgStr.str();
  // A run takes the elements as it takes files.
  else if (options.import.inputValues.getNumOccurrences() && !options.runs())
    what = "--input-values";
  if (onnx::ImportTexts texts = options.getImportTexts(); what.empty() && !texts.dims.empty())
    what = "--dim=" + texts.dims.front();
  if (what.empty())
    return "";
  return what + " is about importing ONNX models; '" + options.model + "' is " +
         (kind == ".so" ? "compiled already" : "a module, which declares its own");
}

/// What the options say that makes no sense; "" if they do.
static std::string findMisuse(const Options &options) {
  auto findGiven = [](std::initializer_list<std::reference_wrapper<const cl::Option>> others) -> std::string {
    for (const cl::Option &option : others)
      if (option.getNumOccurrences())
        return "--" + option.ArgStr.str();
    return "";
  };
  if (options.target != "cpu" && options.target != "cuda")
    return "--target=" + options.target + ": must be cpu or cuda";
  if (options.target == "cuda" && !options.compile)
    return "--target=cuda: such images can be compiled (--compile), but not run yet";
  if (std::string other = findGiven({options.cudaArchitectures, options.ptxas});
      options.target != "cuda" && !other.empty())
    return other + " is about images for CUDA: add --compile --target=cuda";
  if (options.device != "cpu" && options.device != "cuda")
    return "--device=" + options.device + ": must be cpu; models do not run on other devices yet";
  if (options.threads > DYN_MAX_THREADS)
    return "--threads=" + std::to_string(options.threads) + ": must be 0 (one for each core) or at most " +
           std::to_string(DYN_MAX_THREADS);
  if (!options.compare.empty() && options.compare != "reference")
    return "--compare=" + options.compare + ": only the reference can be compared with";
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance))
    return "--tolerance=" + std::to_string(options.tolerance) + ": must be a number from 0 on";
  if (!options.getNumTimedRuns())
    return "--benchmark=" + options.benchmark + ": must be a number of runs from 1 on";
  if (std::string other = findGiven({options.profile, options.trace}); !other.empty() && !*options.getNumTimedRuns())
    return other + " says where the time of --benchmark goes: give that too";
  if (options.compile && options.output.empty())
    return "--compile needs -o FILE";
  if (!options.compile && options.output.getNumOccurrences())
    return "-o names the file of --compile; outputs of a run go to --output-dir";
  if (options.output == "-")
    return "-o -: an artefact is a file, and needs a name";
  bool isArtefact = llvm::sys::path::extension(options.model) == ".so";
  if (std::string other = findGiven({options.compile, options.reference, options.compare});
      isArtefact && !other.empty())
    return other + " needs a model; '" + options.model + "' is compiled already";
  if (std::string problem = findImportMisuse(options); !problem.empty())
    return problem;
  if (!options.runs()) {
    std::string other = findGiven({options.inputs, options.random, options.outputFolder, options.reference,
                                   options.compare, options.memory, options.benchmark});
    if (!other.empty())
      return other + " is about runs, and there is none with " + (options.compile ? "--compile" : "--print-shapes");
    if (options.compile && options.printShapes)
      return "--print-shapes and --compile exclude each other";
  }
  if (options.reference)
    if (std::string other = findGiven({options.compare, options.memory, options.benchmark}); !other.empty())
      return other + " is about compiled models, and there is none with --reference";
  if (!options.getSizes().empty() && !options.random.getNumOccurrences())
    return "--dim gives the sizes of random inputs: add --random=SEED";
  return "";
}

/// An option that has one value, but is given several; "" if there is none. LLVM would take the last.
static std::string findRepeated() {
  for (const auto &[name, option] : cl::getRegisteredOptions()) {
    cl::NumOccurrencesFlag allowed = option->getNumOccurrencesFlag();
    if (option->getNumOccurrences() > 1 && (allowed == cl::Optional || allowed == cl::Required))
      return name.str();
  }
  return "";
}

/// LLVM's DWARF linker, which comes along with lld, registers `threads` as well.
static void releaseOptionNames() {
  auto &registered = cl::getRegisteredOptions();
  if (auto it = registered.find("threads"); it != registered.end())
    it->second->removeArgument();
}

static int run(int argc, char **argv) {
  releaseOptionNames();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (!cl::ParseCommandLineOptions(argc, argv, "runs and compiles models\n", &stream)) {
    llvm::errs() << StringRef(errors).trim() << '\n';
    return kUsage;
  }
  if (std::string repeated = findRepeated(); !repeated.empty())
    return report(kUsage, "--" + repeated + " is given more than once");
  if (std::string misuse = findMisuse(options); !misuse.empty())
    return report(kUsage, misuse);
  if (options.device == "cuda")
    return report(kFailed, "--device=cuda: " + getCUDAProblem());
  PrepareOptions prepare;
  prepare.compile.targetCPU = options.targetCPU;
  prepare.compile.target = options.target;
  prepare.compile.cudaArchitectures.assign(options.cudaArchitectures.begin(), options.cudaArchitectures.end());
  prepare.compile.ptxas = options.ptxas;
  prepare.threads = options.threads;
  if (llvm::Error error = onnx::readImportTexts(options.getImportTexts(), prepare.import))
    return report(kUsage, llvm::toString(std::move(error)));
  if (options.compile)
    return compileTo(options.model, options.output, prepare) ? kRan : kFailed;
  if (options.printShapes)
    return printShapes(options.model, prepare) ? kRan : kFailed;
  std::unique_ptr<ReferenceRun> reference;
  if (options.reference || !options.compare.empty()) {
    reference = ReferenceRun::load(options.model, prepare.import, /*showsWarnings=*/options.reference);
    if (!reference)
      return kFailed;
    if (options.reference)
      return runReference(*reference, options, prepare);
  }
  LoadedModel model = prepareModel(options.model, prepare);
  return model ? runCompiled(*model, reference.get(), options, prepare) : kFailed;
}

int main(int argc, char **argv) {
  handleSignalsOfFiles();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) {
    return report(kFailed, "not enough memory");
  }
}

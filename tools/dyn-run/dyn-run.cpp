//===- Runs and compiles models ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "Inputs.h"
#include "Options.h"
#include "Outputs.h"
#include "Prepare.h"
#include "Reference.h"
#include "Sizes.h"
#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/Profile/Profile.h"
#include "dyn/Target/Files/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstring>
#include <optional>

using namespace dyn;
using llvm::StringRef;

namespace {

enum ExitCode { kRan = 0, kFailed = 1, kUsage = 2 };

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
  const Sizes &sizes;       ///< that were given
};
} // namespace

static int runOnce(const DynModel &model, ReferenceRun *reference, const Options &options, const Run &run) {
  DynBinding *raw = nullptr;
  if (dynBindingCreate(&model, &raw))
    return report(kFailed, dynGetLastError());
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
    Run run{*files, *given, options.outputFolder, (*sizes)[number]};
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
        if (llvm::Error error =
                verifyOutputs(model.getInputSignatures(), run.sizes, *outputs, [&] { return model.getSizes(); }))
          return report(kFailed, llvm::toString(std::move(error)));
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

//===- What the command line says, and what makes no sense in it ---------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "dyn-c/Runtime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <functional>

using namespace dyn;
using llvm::StringRef;

std::vector<std::string> Options::getSizes() const {
  std::vector<std::string> sizes;
  llvm::copy_if(import.dims, std::back_inserter(sizes), [&](StringRef dim) { return isSize(dim); });
  return sizes;
}

onnx::ImportTexts Options::getImportTexts() const {
  onnx::ImportTexts texts = import.getTexts();
  llvm::erase_if(texts.dims, [&](StringRef dim) { return isSize(dim); });
  return texts;
}

std::optional<unsigned> Options::getNumTimedRuns() const {
  if (!benchmark.getNumOccurrences())
    return 0;
  constexpr unsigned whenNotSaid = 10;
  unsigned runs = whenNotSaid;
  if (!benchmark.empty() && (StringRef(benchmark).getAsInteger(10, runs) || !runs))
    return std::nullopt;
  return runs;
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

std::string dyn::findMisuse(const Options &options) {
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

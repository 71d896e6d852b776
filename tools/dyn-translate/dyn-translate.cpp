//===- Between ONNX and dyn ----------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ExportCommand.h"
#include "ImportCommand.h"
#include "ShapesCommand.h"
#include "dyn/Target/Files/TemporaryFile.h"
#include "dyn/Target/ONNX/ImportTexts.h"
#include "dyn/Target/ONNX/ListOperators.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

namespace {

struct Options {
  cl::OptionCategory category{"dyn-translate options"};
  cl::opt<std::string> model{cl::Positional, cl::desc("<model>"), cl::cat(category)};
  cl::opt<bool> importONNX{"import-onnx", cl::desc("Read an ONNX model, write a module of the dyn dialect"),
                           cl::cat(category)};
  cl::opt<bool> exportCUDAImages{"export-cuda-images",
                                 cl::desc("Read a compiled module, write its PTX and cubins to a folder"),
                                 cl::cat(category)};
  cl::opt<bool> exportONNXShapes{
      "export-onnx-shapes",
      cl::desc("Write the ONNX model again, with the dims of all values as expressions (+ - * // %, Max, Min) in "
               "value_info and outputs; external data is copied beside it if it goes to another folder"),
      cl::cat(category)};
  cl::opt<bool> checkDims{
      "check-dims",
      cl::desc("Say which declared dims of an ONNX model the graph contradicts, forces to a constant or equates, and "
               "why; exit status 0: none, 1: some, 2: the model can't be read"),
      cl::cat(category)};
  cl::opt<bool> printShapes{"print-shapes",
                            cl::desc("Print symbols, guards and the dims of every value of an ONNX model"),
                            cl::cat(category)};
  cl::opt<bool> listOperators{
      "list-operators",
      cl::desc("Print all operators that ONNX defines or Dyn imports: name, opsets that define it anew, and whether "
               "it is imported by Dyn's own code (own), by ONNX's definition (function) or not at all (none)"),
      cl::cat(category)};
  cl::opt<std::string> output{
      "o",
      cl::desc(
          "File (of images: folder) to write; weights above 4 KiB of an imported module OUT.mlir go to OUT.weights "
          "beside it"),
      cl::value_desc("file"), cl::init("-"), cl::cat(category)};
  dyn::onnx::ImportFlags import{category};
  cl::opt<bool> inlineWeights{"inline-weights", cl::desc("Write all weights into the module"), cl::cat(category)};
};

} // namespace

static void printOperators() {
  using Import = dyn::onnx::ListedOperator::Import;
  for (const auto &entry : dyn::onnx::listOperators()) {
    llvm::outs() << entry.name << '\t';
    llvm::interleave(entry.versions, llvm::outs(), ",");
    llvm::outs() << '\t'
                 << (entry.import == Import::Own        ? "own"
                     : entry.import == Import::Function ? "function"
                                                        : "none")
                 << '\n';
  }
}

int main(int argc, char **argv) {
  constexpr int usageError = 2;
  dyn::handleSignalsOfFiles();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  if (!cl::ParseCommandLineOptions(argc, argv, "Between ONNX and the dyn dialect\n", &llvm::errs()))
    return usageError;
  if (options.importONNX + options.exportCUDAImages + options.exportONNXShapes + options.checkDims +
          options.printShapes + options.listOperators !=
      1) {
    llvm::errs() << "dyn-translate: say one thing to do: --import-onnx, --export-onnx-shapes, --check-dims, "
                    "--print-shapes, --export-cuda-images or --list-operators\n";
    return usageError;
  }
  if (options.listOperators) {
    printOperators();
    return 0;
  }
  if (options.model.empty()) {
    llvm::errs() << "dyn-translate: the model is missing\n";
    return usageError;
  }
  if (options.exportCUDAImages) {
    if (options.output == "-") {
      llvm::errs() << "dyn-translate: --export-cuda-images needs -o FOLDER\n";
      return usageError;
    }
    return dyn::runExportCUDAImages(options.model, options.output) ? 0 : 1;
  }
  dyn::onnx::ImportOptions importOptions;
  importOptions.inlineWeights = options.inlineWeights;
  if (llvm::Error error = dyn::onnx::readImportTexts(options.import.getTexts(), importOptions)) {
    llvm::errs() << "dyn-translate: " << llvm::toString(std::move(error)) << '\n';
    return usageError;
  }
  if (options.exportONNXShapes)
    return dyn::runExportShapes(options.model, options.output, importOptions);
  if (options.checkDims)
    return dyn::runCheckDims(options.model, importOptions);
  if (options.printShapes)
    return dyn::runPrintShapes(options.model, importOptions);
  return dyn::runImport(options.model, options.output, importOptions) ? 0 : 1;
}

//===- mlir-opt with the dialects, passes and pipelines of Dyn -----------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/InitAllDialects.h"
#include "dyn/InitAllPasses.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  dyn::registerAllDialects(registry);
  dyn::registerAllPasses();
  // A pass takes its options as NAME=VALUE; a question should be typed as it is.
  cl::opt<std::string> question("dyn-explain", cl::value_desc("EXPR == EXPR"),
                                cl::desc("Say whether a relation of sizes holds after the other passes, and why"));
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "Dyn optimizer driver\n", registry);
  if (!question.getNumOccurrences())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));

  // As MlirOptMain does by itself.
  llvm::InitLLVM init(argc, argv);
  dyn::symbolic::SymbolicContext symbols;
  dyn::symbolic::ParseError mistake;
  if (!dyn::symbolic::parsePredicate(question, symbols, mistake)) {
    llvm::errs() << "--dyn-explain=" << question << ": " << mistake.message << " at column " << mistake.column << '\n';
    return 2;
  }

  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions(), given = config;
  config.setPassPipelineSetupFn([&](mlir::PassManager &manager) {
    if (failed(given.setupPassPipeline(manager)))
      return mlir::failure();
    manager.nest<mlir::func::FuncOp>().addPass(dyn::createExplainSizesPass({question}));
    return mlir::success();
  });
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = mlir::openInputFile(input, &error);
  std::unique_ptr<llvm::ToolOutputFile> file = buffer ? mlir::openOutputFile(output, &error) : nullptr;
  if (!file) {
    llvm::errs() << error << '\n';
    return 1;
  }
  if (failed(mlir::MlirOptMain(file->os(), std::move(buffer), registry, config)))
    return 1;
  file->keep();
  return 0;
}

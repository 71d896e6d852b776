//===- Compilation for Python -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "Findings.h"
#include "Options.h"
#include "dyn/ExecutionEngine/SourceModule.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Signals.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace dyn;

using Texts = std::vector<std::string>;

namespace {

/// What a compilation says; it failed if there are errors.
struct Report {
  Texts errors, warnings;
};

} // namespace

static Report compile(const std::string &input, const std::string &output, const onnx::ImportOptions &import,
                      const std::string &target, const std::string &targetCPU) {
  CompileOptions options;
  options.target = target;
  options.targetCPU = targetCPU;
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  python::Findings findings(context);
  if (failed(compileFile(input, output, import, options, context)) && findings.errors.empty())
    findings.errors.push_back("the compilation failed");
  return {std::move(findings.errors), std::move(findings.warnings)};
}

void python::registerCompile(nanobind::module_ &module) {
  module.def(
      "compile_file",
      [](const std::string &input, const std::string &output, const python::ImportArguments &arguments,
         const std::string &target, const std::string &targetCPU) {
        onnx::ImportOptions import = python::readImport(arguments);
        Report report;
        {
          nanobind::gil_scoped_release release;
          report = compile(input, output, import, target, targetCPU);
        }
        return std::pair(report.errors, report.warnings);
      },
      nanobind::arg("input"), nanobind::arg("output"), nanobind::arg("options"), nanobind::arg("target"),
      nanobind::arg("target_cpu"), "Compiles a file to an artefact; gives (errors, warnings).");
  module.def(
      "remove_on_signal", [](const std::string &path) { llvm::sys::RemoveFileOnSignal(path); }, nanobind::arg("path"),
      "Removes a file when a signal ends the process.");
  module.def(
      "keep_on_signal", [](const std::string &path) { llvm::sys::DontRemoveFileOnSignal(path); }, nanobind::arg("path"),
      "Undoes remove_on_signal.");
}

//===- Sizes of ONNX models -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ShapesCommand.h"
#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/Target/ONNXShapes/CheckDims.h"
#include "dyn/Target/ONNXShapes/ExportShapes.h"
#include "dyn/Target/ONNXShapes/ShapeTable.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace dyn;

static void printLine(StringRef model, StringRef severity, const Twine &text) {
  llvm::errs() << model << ": " << severity << ": " << getLine(text.str()) << '\n';
}

/// Infers the model's sizes and hands them to `use`, which gives the exit status; `unreadable` is that of a model which
/// can't be imported.
static int withShapes(StringRef model, onnx::ImportOptions options, int unreadable,
                      llvm::function_ref<int(onnx::ModelShapes &)> use) {
  DialectRegistry registry;
  onnx::registerModelShapesDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(&context,
                                  [&](Diagnostic &diagnostic) { printDiagnostic(llvm::errs(), model, diagnostic); });
  std::unique_ptr<onnx::ModelShapes> shapes = onnx::ModelShapes::inferFile(model, std::move(options), &context);
  if (!shapes)
    return unreadable;
  for (const std::string &line : shapes->describeForeignNodes())
    printLine(model, "warning", line);
  return use(*shapes);
}

int dyn::runExportShapes(StringRef model, StringRef output, onnx::ImportOptions options) {
  return withShapes(model, std::move(options), 1, [&](onnx::ModelShapes &shapes) {
    auto fail = [&](const Twine &text) {
      printLine(model, "error", text);
      return 1;
    };
    for (const std::string &conflict : shapes.getConflicts())
      return fail(conflict);
    if (output != "-") {
      if (llvm::Error error = onnx::exportWithShapes(shapes, model, output,
                                                     [&](const Twine &text) { printLine(model, "warning", text); }))
        return fail(llvm::toString(std::move(error)));
      return 0;
    }
    llvm::Expected<std::string> bytes = onnx::serializeWithShapes(shapes);
    if (!bytes)
      return fail(llvm::toString(bytes.takeError()));
    llvm::outs() << *bytes;
    return 0;
  });
}

int dyn::runCheckDims(StringRef model, onnx::ImportOptions options) {
  return withShapes(model, std::move(options), 2, [&](onnx::ModelShapes &shapes) {
    onnx::DimCheck check = onnx::checkDims(shapes);
    onnx::printCheck(check, llvm::outs());
    return check.findings.empty() ? 0 : 1;
  });
}

int dyn::runPrintShapes(StringRef model, onnx::ImportOptions options) {
  return withShapes(model, std::move(options), 1, [&](onnx::ModelShapes &shapes) {
    onnx::printShapeTable(onnx::getShapeTable(shapes), llvm::outs());
    return shapes.getConflicts().empty() ? 0 : 1;
  });
}

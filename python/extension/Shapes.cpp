//===- Sizes of ONNX models for Python ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "Findings.h"
#include "Options.h"
#include "dyn/Target/ONNXShapes/CheckDims.h"
#include "dyn/Target/ONNXShapes/ExportShapes.h"
#include "dyn/Target/ONNXShapes/ShapeTable.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <stdexcept>

using namespace dyn;

using Texts = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

namespace {

/// A model whose sizes are inferred; what is said on the way goes to texts.
class Inferred {
public:
  Inferred(const std::string &path, const Texts &dims, const Pairs &inputDims, const std::string &declared,
           const std::optional<std::string> &folder)
      : path(path), context(getRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    onnx::ImportOptions import;
    import.inputDims = inputDims;
    import.dataDirectory = folder;
    import.declared = getMode(declared);
    if (std::string error = python::readDims(dims, import); !error.empty())
      throw std::runtime_error(error);
    context.printOpOnDiagnostic(false);
    nanobind::gil_scoped_release release;
    python::Findings findings(context);
    shapes = onnx::ModelShapes::inferFile(path, import, &context);
    if (!shapes)
      findings.raise("the sizes can't be inferred");
    warnings = std::move(findings.warnings);
    llvm::append_range(warnings, shapes->describeForeignNodes());
  }

  Texts warnings;

  Texts getConflicts() { return shapes->getConflicts(); }

  /// The model with sizes, serialized.
  nanobind::bytes serialize() {
    std::string bytes = take(onnx::serializeWithShapes(*shapes));
    return nanobind::bytes(bytes.data(), bytes.size());
  }

  void write(const std::string &output) {
    if (llvm::Error error = onnx::exportWithShapes(*shapes, path, output,
                                                   [&](const llvm::Twine &text) { warnings.push_back(text.str()); }))
      throw std::runtime_error(llvm::toString(std::move(error)));
  }

  using Value = std::tuple<std::string, std::string, std::string, std::optional<Texts>>;
  using Symbol = std::tuple<std::string, std::string, std::string>;
  using Table = std::tuple<std::vector<Symbol>, std::vector<Symbol>, std::vector<Value>, std::vector<Value>,
                           std::vector<Value>, std::string>;

  /// Symbols, guards, inputs, outputs, values, and all of it as text.
  Table getTable() {
    onnx::ShapeTable table = onnx::getShapeTable(*shapes);
    Table result;
    for (const auto &symbol : table.symbols)
      std::get<0>(result).emplace_back(symbol.name, symbol.facts, symbol.origin);
    for (const auto &guard : table.guards)
      std::get<1>(result).emplace_back(guard.predicate, guard.because, guard.node);
    auto add = [](const std::vector<onnx::ShapeTable::Value> &values, std::vector<Value> &to) {
      for (const auto &value : values)
        to.emplace_back(value.name, value.elementType, value.node, value.dims);
    };
    add(table.inputs, std::get<2>(result));
    add(table.outputs, std::get<3>(result));
    add(table.values, std::get<4>(result));
    llvm::raw_string_ostream os(std::get<5>(result));
    onnx::printShapeTable(table, os);
    return result;
  }

  /// Findings with their reasons, other names, guards, and all of it as text.
  std::tuple<std::vector<std::pair<std::string, Texts>>, Texts, Texts, std::string> check() {
    onnx::DimCheck check = onnx::checkDims(*shapes);
    std::vector<std::pair<std::string, Texts>> findings;
    for (const onnx::DimFinding &finding : check.findings)
      findings.emplace_back(finding.text, finding.reasons);
    std::string text;
    llvm::raw_string_ostream os(text);
    onnx::printCheck(check, os);
    return {findings, check.names, check.guards, text};
  }

private:
  static mlir::DialectRegistry getRegistry() {
    mlir::DialectRegistry registry;
    onnx::registerModelShapesDialects(registry);
    return registry;
  }

  static onnx::DeclaredDims getMode(const std::string &text) {
    if (text == "refine")
      return onnx::DeclaredDims::Refine;
    if (text == "strict")
      return onnx::DeclaredDims::Strict;
    if (text == "override")
      return onnx::DeclaredDims::Override;
    if (text == "trust")
      return onnx::DeclaredDims::Trust;
    throw nanobind::value_error("declared must be 'refine', 'strict', 'override' or 'trust'");
  }

  template <typename T>
  static T take(llvm::Expected<T> value) {
    if (!value)
      throw std::runtime_error(llvm::toString(value.takeError()));
    return std::move(*value);
  }

  std::string path;
  mlir::MLIRContext context;
  std::unique_ptr<onnx::ModelShapes> shapes;
};

} // namespace

void python::registerShapes(nanobind::module_ &module) {
  nanobind::class_<Inferred>(module, "Shapes")
      .def(nanobind::init<const std::string &, const Texts &, const Pairs &, const std::string &,
                          const std::optional<std::string> &>(),
           nanobind::arg("path"), nanobind::arg("dims"), nanobind::arg("input_dims"), nanobind::arg("declared"),
           nanobind::arg("folder").none())
      .def_ro("warnings", &Inferred::warnings)
      .def("conflicts", &Inferred::getConflicts)
      .def("serialize", &Inferred::serialize)
      .def("write", &Inferred::write)
      .def("table", &Inferred::getTable)
      .def("check", &Inferred::check);
}

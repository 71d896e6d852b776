//===- Sizes of ONNX models for Python ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ContextPool.h"
#include "Extension.h"
#include "Findings.h"
#include "Options.h"
#include "dyn/Target/ONNXShapes/CheckDims.h"
#include "dyn/Target/ONNXShapes/ExportShapes.h"
#include "dyn/Target/ONNXShapes/ShapeTable.h"
#include "llvm/Support/FileSystem.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <stdexcept>

using namespace dyn;

using Texts = std::vector<std::string>;

namespace {

/// A model whose sizes are inferred; what is said on the way goes to texts.
class Inferred {
public:
  /// The model is `content` if that is given, and called `path` then.
  Inferred(std::shared_ptr<python::ContextPool> contexts, const std::string &path,
           std::optional<nanobind::bytes> content, const python::ImportArguments &arguments)
      : path(path), content(std::move(content)), lease(std::move(contexts)) {
    onnx::ImportOptions import = python::readImport(arguments);
    llvm::ArrayRef<char> bytes;
    uint64_t size = 0;
    if (this->content)
      bytes = llvm::ArrayRef(this->content->c_str(), size = this->content->size());
    nanobind::gil_scoped_release release;
    // A file that can't be opened is refused below.
    if (!this->content)
      (void)llvm::sys::fs::file_size(path, size);
    lease.noteModel(size);
    mlir::MLIRContext &context = lease.getContext();
    python::Findings findings(context);
    shapes = this->content ? onnx::ModelShapes::infer(bytes, path, import, &context)
                           : onnx::ModelShapes::inferFile(path, import, &context);
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

  onnx::ShapeTable getTable() {
    nanobind::gil_scoped_release release;
    return onnx::getShapeTable(*shapes);
  }

  /// Findings with their reasons, other names, what is not decided, guards, and all of it as text.
  std::tuple<std::vector<std::pair<std::string, Texts>>, Texts, Texts, Texts, std::string> check() {
    onnx::DimCheck check = findDimCheck();
    std::vector<std::pair<std::string, Texts>> findings;
    for (const onnx::DimFinding &finding : check.findings)
      findings.emplace_back(finding.text, finding.reasons);
    std::string text;
    llvm::raw_string_ostream os(text);
    onnx::printCheck(check, os);
    return {findings, check.names, check.undecided, check.guards, text};
  }

private:
  onnx::DimCheck findDimCheck() {
    nanobind::gil_scoped_release release;
    return onnx::checkDims(*shapes);
  }

  template <typename T>
  static T take(llvm::Expected<T> value) {
    if (!value)
      throw std::runtime_error(llvm::toString(value.takeError()));
    return std::move(*value);
  }

  std::string path;
  std::optional<nanobind::bytes> content;
  python::ContextPool::Lease lease;
  std::unique_ptr<onnx::ModelShapes> shapes; ///< in the context
};

nanobind::str makeText(llvm::StringRef text) { return nanobind::str(text.data(), text.size()); }

/// A tuple of what `make` gives for each of the items.
template <typename Items, typename Make>
nanobind::tuple makeTuple(const Items &items, Make make) {
  nanobind::list list;
  for (const auto &item : items)
    list.append(make(item));
  return nanobind::tuple(list);
}

/// Name, element type, node, dims or None, and length or None of each value.
nanobind::tuple makeValues(const std::vector<onnx::ShapeTable::Value> &values) {
  return makeTuple(values, [](const onnx::ShapeTable::Value &value) {
    nanobind::object dims = nanobind::none();
    if (value.dims)
      dims = makeTuple(*value.dims, makeText);
    return nanobind::make_tuple(makeText(value.name), makeText(value.elementType), makeText(value.node), dims,
                                value.length ? nanobind::object(makeText(*value.length)) : nanobind::none());
  });
}

void registerTable(nanobind::module_ &module) {
  using Table = onnx::ShapeTable;
  nanobind::class_<Table>(module, "ShapeTable")
      .def("symbols",
           [](const Table &table) {
             return makeTuple(table.symbols, [](const Table::Symbol &symbol) {
               return nanobind::make_tuple(symbol.name, symbol.facts, symbol.origin);
             });
           })
      .def("guards",
           [](const Table &table) {
             return makeTuple(table.guards, [](const Table::Guard &guard) {
               return nanobind::make_tuple(guard.predicate, guard.because, guard.node);
             });
           })
      .def("inputs", [](const Table &table) { return makeValues(table.inputs); })
      .def("outputs", [](const Table &table) { return makeValues(table.outputs); })
      .def("values", [](const Table &table) { return makeValues(table.values); })
      .def("text", [](const Table &table) {
        std::string text;
        llvm::raw_string_ostream os(text);
        onnx::printShapeTable(table, os);
        return text;
      });
}

} // namespace

void python::registerShapes(nanobind::module_ &module) {
  registerTable(module);
  nanobind::class_<python::ContextPool>(module, "ContextPool").def("__init__", [](python::ContextPool *self) {
    new (self) python::ContextPool(onnx::registerModelShapesDialects);
  });
  nanobind::class_<Inferred>(module, "Shapes")
      .def(nanobind::init<std::shared_ptr<python::ContextPool>, const std::string &, std::optional<nanobind::bytes>,
                          const python::ImportArguments &>(),
           nanobind::arg("contexts"), nanobind::arg("path"), nanobind::arg("content").none(), nanobind::arg("options"))
      .def_ro("warnings", &Inferred::warnings)
      .def("conflicts", &Inferred::getConflicts)
      .def("serialize", &Inferred::serialize)
      .def("write", &Inferred::write)
      .def("table", &Inferred::getTable)
      .def("check", &Inferred::check);
}

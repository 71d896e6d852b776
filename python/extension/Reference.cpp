//===- Models in the reference interpreter ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "Options.h"
#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/ExecutionEngine/ReferenceModel.h"
#include "dyn/Target/ONNX/ElementTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <stdexcept>

using namespace dyn;

using Texts = std::vector<std::string>;
using Integers = std::vector<int64_t>;
/// Name, number of the element type, dims.
using Port = std::tuple<std::string, int, std::optional<Texts>>;

namespace {

class Reference {
public:
  Reference(const std::string &path, const Texts &dims,
            const std::vector<std::pair<std::string, std::string>> &inputDims, const std::optional<std::string> &folder,
            bool inferShapes)
      : context(ReferenceModel::getRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
    onnx::ImportOptions import;
    import.inputDims = inputDims;
    import.dataDirectory = folder;
    if (std::string error = python::readDims(dims, import); !error.empty())
      throw std::runtime_error(error);
    Collector collector(*this);
    model.emplace(path, import, context, inferShapes);
    collector.raiseIf(!*model);
  }

  std::vector<Port> getInputs() { return describe(model->getInputs()); }
  std::vector<Port> getOutputs() { return describe(model->getOutputs()); }
  Texts getWarnings() const { return warnings; }

  /// Inputs are (type, dims, address of dense data), outputs (type, dims, bytes).
  std::vector<std::tuple<int, Integers, nanobind::bytes>>
  run(const std::vector<std::tuple<int, Integers, uintptr_t>> &inputs) {
    llvm::SmallVector<ReferenceTensor> operands;
    for (const auto &[number, dims, data] : inputs)
      operands.push_back(ReferenceTensor::wrap(onnx::getTypeOfNumber(number, &context), dims,
                                               reinterpret_cast<const char *>(data), nullptr));
    mlir::FailureOr<llvm::SmallVector<ReferenceTensor>> results = mlir::failure();
    {
      Collector collector(*this);
      {
        nanobind::gil_scoped_release release;
        results = model->run(operands);
      }
      collector.raiseIf(failed(results));
    }
    std::vector<std::tuple<int, Integers, nanobind::bytes>> outputs;
    for (const ReferenceTensor &result : *results)
      outputs.emplace_back(onnx::getNumberOfType(result.getElementType()),
                           Integers(result.getDims().begin(), result.getDims().end()),
                           nanobind::bytes(result.getBytes().data(), result.getBytes().size()));
    return outputs;
  }

private:
  /// Takes the context's diagnostics while it lives.
  class Collector {
  public:
    explicit Collector(Reference &owner)
        : handler(&owner.context, [this, &owner](mlir::Diagnostic &diagnostic) {
            bool isError = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
            std::string text = getText(diagnostic);
            if (!isError)
              owner.warnings.push_back(text);
            else
              errors += (errors.empty() ? "" : "\n") + text;
          }) {}

    void raiseIf(bool hasFailed) const {
      if (hasFailed)
        throw std::runtime_error(errors.empty() ? "the model can't be run" : errors);
    }

  private:
    std::string errors;
    mlir::ScopedDiagnosticHandler handler;
  };

  static std::vector<Port> describe(const std::vector<ReferenceModel::Port> &ports) {
    std::vector<Port> result;
    for (const ReferenceModel::Port &port : ports)
      result.emplace_back(port.name, onnx::getNumberOfType(port.elementType), port.dims);
    return result;
  }

  mlir::MLIRContext context;
  Texts warnings;
  std::optional<ReferenceModel> model;
};

} // namespace

void python::registerReference(nanobind::module_ &module) {
  nanobind::class_<Reference>(module, "Reference")
      .def(nanobind::init<const std::string &, const Texts &, const std::vector<std::pair<std::string, std::string>> &,
                          const std::optional<std::string> &, bool>(),
           nanobind::arg("path"), nanobind::arg("dims"), nanobind::arg("input_dims"), nanobind::arg("folder").none(),
           nanobind::arg("infer_shapes"))
      .def("inputs", &Reference::getInputs)
      .def("outputs", &Reference::getOutputs)
      .def("warnings", &Reference::getWarnings)
      .def("run", &Reference::run);
}

//===- Models in the reference interpreter ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "Findings.h"
#include "Options.h"
#include "dyn/ExecutionEngine/ReferenceModel.h"
#include "dyn/Target/ONNX/ElementTypes.h"
#include "mlir/IR/MLIRContext.h"
#include <mutex>
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

/// Runs wait for each other: they share a context, which one thread at a time may use.
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
    nanobind::gil_scoped_release release;
    python::Findings findings(context);
    model.emplace(path, import, context, inferShapes);
    if (!*model)
      findings.raise("the model can't be read");
    warnings = std::move(findings.warnings);
    inputs = describe(model->getInputs());
    outputs = describe(model->getOutputs());
  }

  std::vector<Port> getInputs() const { return inputs; }
  std::vector<Port> getOutputs() const { return outputs; }
  Texts getWarnings() const { return warnings; }

  /// Element type, dims, bytes.
  using Output = std::tuple<int, Integers, nanobind::bytes>;
  /// Inputs are (type, dims, address of dense data). Gives the outputs, and what the run warns of.
  std::pair<std::vector<Output>, Texts> run(const std::vector<std::tuple<int, Integers, uintptr_t>> &inputs) {
    mlir::FailureOr<llvm::SmallVector<ReferenceTensor>> results = mlir::failure();
    Texts notes;
    {
      nanobind::gil_scoped_release release;
      std::lock_guard<std::mutex> lock(mutex);
      llvm::SmallVector<ReferenceTensor> operands;
      for (const auto &[number, dims, data] : inputs)
        operands.push_back(ReferenceTensor::wrap(onnx::getTypeOfNumber(number, &context), dims,
                                                 reinterpret_cast<const char *>(data), nullptr));
      python::Findings findings(context);
      results = model->run(operands);
      if (failed(results))
        findings.raise("the model can't be run");
      notes = std::move(findings.warnings);
    }
    std::vector<Output> outputs;
    for (const ReferenceTensor &result : *results)
      outputs.emplace_back(onnx::getNumberOfType(result.getElementType()),
                           Integers(result.getDims().begin(), result.getDims().end()),
                           nanobind::bytes(result.getBytes().data(), result.getBytes().size()));
    return {std::move(outputs), std::move(notes)};
  }

private:
  static std::vector<Port> describe(const std::vector<ReferenceModel::Port> &ports) {
    std::vector<Port> result;
    for (const ReferenceModel::Port &port : ports)
      result.emplace_back(port.name, onnx::getNumberOfType(port.elementType), port.dims);
    return result;
  }

  std::mutex mutex;
  mlir::MLIRContext context; ///< in runs guarded by `mutex`
  std::optional<ReferenceModel> model;
  std::vector<Port> inputs, outputs;
  Texts warnings;
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

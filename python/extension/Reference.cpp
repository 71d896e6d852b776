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
#include <chrono>
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
/// Name, number of the element type, dims, kind.
using Port = std::tuple<std::string, int, std::optional<Texts>, std::string>;

namespace {

/// Lets Python handle the signals of a run that goes on without it, as Ctrl-C.
class Signals {
public:
  /// Has a handler raised an exception? It is then the thread's.
  bool haveRaised() {
    constexpr std::chrono::milliseconds interval(50);
    auto now = std::chrono::steady_clock::now();
    if (!raised && now - last >= interval) {
      nanobind::gil_scoped_acquire acquire;
      raised = PyErr_CheckSignals() != 0;
      last = now;
    }
    return raised;
  }

  bool raised = false;

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// Runs wait for each other: they share a context, which one thread at a time may use.
class Reference {
public:
  Reference(const std::string &path, const python::ImportArguments &arguments, bool inferShapes)
      : context(ReferenceModel::getRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
    onnx::ImportOptions import = python::readImport(arguments);
    nanobind::gil_scoped_release release;
    python::Findings findings(context);
    ReferenceModel::Options options;
    options.inferShapes = inferShapes;
    options.mayHaveSequences = true;
    model.emplace(path, import, context, options);
    if (!*model)
      findings.raise("the model can't be read");
    warnings = std::move(findings.warnings);
    inputs = describe(model->getInputs());
    outputs = describe(model->getOutputs());
  }

  std::vector<Port> getInputs() const { return inputs; }
  std::vector<Port> getOutputs() const { return outputs; }
  Texts getWarnings() const { return warnings; }

  using Triples = std::vector<std::tuple<std::string, std::string, std::string>>;
  /// Declarations of symbols; guards and aliases as predicate, reason and node; inputs and outputs with inferred dims;
  /// inputs that are lists with the declared dims of their tensors.
  std::tuple<std::string, Triples, Triples, std::vector<Port>, std::vector<Port>, std::vector<Port>> findSizes() {
    nanobind::gil_scoped_release release;
    std::lock_guard<std::mutex> lock(mutex);
    python::Findings findings(context);
    mlir::FailureOr<ReferenceModel::Sizes> sizes = model->findSizes();
    if (failed(sizes))
      findings.raise("the sizes can't be inferred");
    auto tell = [](const std::vector<symbolic::SizeProblem::Fact> &facts) {
      Triples triples;
      for (const symbolic::SizeProblem::Fact &fact : facts)
        triples.emplace_back(fact.predicate, fact.because, fact.node);
      return triples;
    };
    return {sizes->declarations,     tell(sizes->guards),      tell(sizes->aliases),
            describe(sizes->inputs), describe(sizes->outputs), describe(sizes->listed)};
  }

  /// Inputs are (type, dims, address of dense data), outputs (type, dims, bytes), both with a list of bytes in the last
  /// place where elements are strings, or lists of such. Gives the outputs, and what the run warns of; raises what
  /// handlers of signals raise.
  std::pair<nanobind::list, Texts> run(const nanobind::list &inputs) {
    std::vector<Input> values;
    for (nanobind::handle input : inputs)
      values.push_back(read(input));
    mlir::FailureOr<llvm::SmallVector<ReferenceTensor>> results = mlir::failure();
    Texts notes;
    Signals signals;
    {
      nanobind::gil_scoped_release release;
      std::lock_guard<std::mutex> lock(mutex);
      llvm::SmallVector<ReferenceTensor> operands;
      for (const Input &value : values)
        operands.push_back(wrap(value));
      python::Findings findings(context);
      results = model->run(operands, [&] { return signals.haveRaised(); });
      if (failed(results) && !signals.raised)
        findings.raise("the model can't be run");
      notes = std::move(findings.warnings);
    }
    if (failed(results))
      throw nanobind::python_error();
    nanobind::list outputs;
    for (const ReferenceTensor &result : *results)
      outputs.append(write(result));
    return {std::move(outputs), std::move(notes)};
  }

private:
  /// What Python gives for an input.
  struct Input {
    int number = 0;
    Integers dims;
    uintptr_t data = 0;
    std::optional<Texts> strings;               ///< instead of data
    std::optional<std::vector<Input>> elements; ///< of a list, which has nothing of the others
  };

  static Input read(nanobind::handle object) {
    Input input;
    if (!nanobind::isinstance<nanobind::list>(object)) {
      auto [number, dims, data] = nanobind::cast<std::tuple<int, Integers, nanobind::object>>(object);
      input.number = number;
      input.dims = std::move(dims);
      if (!nanobind::isinstance<nanobind::list>(data)) {
        input.data = nanobind::cast<uintptr_t>(data);
        return input;
      }
      input.strings.emplace();
      for (nanobind::handle text : nanobind::cast<nanobind::list>(data)) {
        auto bytes = nanobind::cast<nanobind::bytes>(text);
        input.strings->emplace_back(bytes.c_str(), bytes.size());
      }
      return input;
    }
    input.elements.emplace();
    for (nanobind::handle element : nanobind::cast<nanobind::list>(object))
      input.elements->push_back(read(element));
    return input;
  }

  ReferenceTensor wrap(const Input &input) {
    if (input.strings) {
      std::optional<ReferenceTensor> tensor = ReferenceTensor::fromStrings(*input.strings, input.dims, &context);
      return tensor ? *tensor : throw std::bad_alloc();
    }
    if (!input.elements)
      return ReferenceTensor::wrap(onnx::getTypeOfNumber(input.number, &context), input.dims,
                                   reinterpret_cast<const char *>(input.data), nullptr);
    std::vector<ReferenceTensor> elements;
    for (const Input &element : *input.elements)
      elements.push_back(wrap(element));
    return ReferenceTensor::makeList(std::move(elements));
  }

  static nanobind::object write(const ReferenceTensor &value) {
    nanobind::list elements;
    auto tell = [&](nanobind::object data) {
      return nanobind::make_tuple(onnx::getNumberOfType(value.getElementType()),
                                  Integers(value.getDims().begin(), value.getDims().end()), std::move(data));
    };
    if (auto strings = value.getStrings()) {
      for (llvm::StringRef text : *strings)
        elements.append(nanobind::bytes(text.data(), text.size()));
      return tell(std::move(elements));
    }
    if (!value.isList())
      return tell(nanobind::bytes(value.getBytes().data(), value.getBytes().size()));
    for (const ReferenceTensor &element : value.getList())
      elements.append(write(element));
    return elements;
  }

  static std::vector<Port> describe(const std::vector<ReferenceModel::Port> &ports) {
    std::vector<Port> result;
    for (const ReferenceModel::Port &port : ports)
      result.emplace_back(port.name, onnx::getNumberOfType(port.elementType), port.dims, port.kind);
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
      .def(nanobind::init<const std::string &, const python::ImportArguments &, bool>(), nanobind::arg("path"),
           nanobind::arg("options"), nanobind::arg("infer_shapes"))
      .def("inputs", &Reference::getInputs)
      .def("outputs", &Reference::getOutputs)
      .def("warnings", &Reference::getWarnings)
      .def("sizes", &Reference::findSizes)
      .def("run", &Reference::run);
}

//===- Models in the reference interpreter ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/Target/ONNX/ElementTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace dyn;
using namespace mlir;

ReferenceRun::ReferenceRun(StringRef input, const onnx::ImportOptions &options, bool showsWarnings)
    : context(ReferenceModel::getRegistry(), MLIRContext::Threading::DISABLED), printer(context, input, showsWarnings),
      model(input, options, context, {false, false, /*checksSizes=*/showsWarnings}) {}

std::unique_ptr<ReferenceRun> ReferenceRun::load(StringRef input, const onnx::ImportOptions &options,
                                                 bool showsWarnings) {
  std::unique_ptr<ReferenceRun> run(new ReferenceRun(input, options, showsWarnings));
  return run->model ? std::move(run) : nullptr;
}

/// That of the runtime has names for what compiled models take; the interpreter's others have ONNX's numbers, too.
static DynElementType getElementType(Type type) {
  int32_t number = onnx::getNumberOfType(type);
  return number ? static_cast<DynElementType>(number) : DYN_FLOAT32;
}

std::vector<InputSignature> ReferenceRun::getInputSignatures() {
  std::vector<InputSignature> signatures;
  for (const ReferenceModel::Port &port : model.getInputs()) {
    bool isNamed = port.dims && !llvm::is_contained(*port.dims, "?");
    signatures.push_back({port.name, getElementType(port.elementType), isNamed ? port.dims : std::nullopt});
  }
  return signatures;
}

ModelSizes ReferenceRun::getSizes() {
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) { return success(); });
  FailureOr<ReferenceModel::Sizes> sizes = model.findSizes();
  if (failed(sizes))
    return ModelSizes();
  ModelSizes result{sizes->declarations, sizes->guards, sizes->aliases, {}};
  for (const ReferenceModel::Port &port : sizes->outputs)
    result.outputs.push_back({port.name, getElementType(port.elementType), port.dims});
  return result;
}

std::optional<Inputs> ReferenceRun::run(const Inputs &inputs) {
  SmallVector<ReferenceTensor> operands;
  std::vector<InputSignature> signatures = getInputSignatures();
  for (const InputSignature &signature : signatures) {
    auto input = llvm::find_if(inputs, [&](const auto &each) { return each.first == signature.name; });
    assert(input != inputs.end() && "inputs are verified before");
    // The caller keeps the data as long as this runs.
    operands.push_back(ReferenceTensor::wrap(onnx::getTypeOfNumber(input->second.elementType, &context),
                                             input->second.dims, input->second.data.data(), nullptr));
  }
  FailureOr<SmallVector<ReferenceTensor>> results = model.run(operands);
  if (failed(results))
    return std::nullopt;
  Inputs outputs;
  for (auto [port, result] : llvm::zip_equal(model.getOutputs(), *results)) {
    Tensor tensor;
    tensor.elementType = getElementType(result.getElementType());
    tensor.dims.assign(result.getDims().begin(), result.getDims().end());
    if (llvm::Error error = allocate(tensor, "a copy of output '" + port.name + "'")) {
      llvm::errs() << getLine(llvm::toString(std::move(error))) << '\n';
      return std::nullopt;
    }
    llvm::copy(result.getBytes(), tensor.data.begin());
    outputs.emplace_back(port.name, std::move(tensor));
  }
  return outputs;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Elements as double; 64-bit integers lose digits that no difference worth reporting has.
static std::vector<double> getValues(const Tensor &tensor) {
  std::vector<double> values;
  size_t bytes = getElementBytes(tensor.elementType);
  for (size_t i = 0; i + bytes <= tensor.data.size(); i += bytes) {
    const char *at = tensor.data.data() + i;
    auto read = [&](auto value) {
      std::memcpy(&value, at, sizeof(value));
      return static_cast<double>(value);
    };
    auto readSmall = [&](const llvm::fltSemantics &semantics) {
      uint16_t bits;
      std::memcpy(&bits, at, sizeof(bits));
      llvm::APFloat value(semantics, llvm::APInt(16, bits));
      bool lossy;
      value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
      return value.convertToDouble();
    };
    switch (tensor.elementType) {
    case DYN_FLOAT32:
      values.push_back(read(float()));
      break;
    case DYN_FLOAT64:
      values.push_back(read(double()));
      break;
    case DYN_FLOAT16:
      values.push_back(readSmall(llvm::APFloat::IEEEhalf()));
      break;
    case DYN_BFLOAT16:
      values.push_back(readSmall(llvm::APFloat::BFloat()));
      break;
    case DYN_INT8:
      values.push_back(read(int8_t()));
      break;
    case DYN_INT16:
      values.push_back(read(int16_t()));
      break;
    case DYN_INT32:
      values.push_back(read(int32_t()));
      break;
    case DYN_INT64:
      values.push_back(read(int64_t()));
      break;
    case DYN_BOOL:
    case DYN_UINT8:
      values.push_back(read(uint8_t()));
      break;
    case DYN_UINT16:
      values.push_back(read(uint16_t()));
      break;
    case DYN_UINT32:
      values.push_back(read(uint32_t()));
      break;
    case DYN_UINT64:
      values.push_back(read(uint64_t()));
      break;
    }
  }
  return values;
}

std::optional<Difference> dyn::compare(const Tensor &reference, const Tensor &actual) {
  if (reference.elementType != actual.elementType || reference.dims != actual.dims)
    return std::nullopt;
  Difference result;
  for (auto [expected, value] : llvm::zip_equal(getValues(reference), getValues(actual))) {
    if (std::isfinite(expected))
      result.magnitude = std::max(result.magnitude, std::fabs(expected));
    if (expected == value || (std::isnan(expected) && std::isnan(value)))
      continue;
    double difference = std::fabs(expected - value);
    result.largest = std::max(result.largest, std::isnan(difference) ? HUGE_VAL : difference);
  }
  return result;
}

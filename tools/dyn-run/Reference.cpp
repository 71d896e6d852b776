//===- Models in the reference interpreter ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "dyn/Interpreter/Interpreter.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace dyn;
using namespace mlir;

static DialectRegistry getRegistry() {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  registerReferenceModels(registry);
  return registry;
}

/// Element types of the interface and of the IR, one for one.
static Type getType(DynElementType type, MLIRContext *context) {
  auto integer = [&](unsigned width) -> Type { return IntegerType::get(context, width); };
  auto natural = [&](unsigned width) -> Type { return IntegerType::get(context, width, IntegerType::Unsigned); };
  switch (type) {
  case DYN_FLOAT32:
    return Float32Type::get(context);
  case DYN_FLOAT64:
    return Float64Type::get(context);
  case DYN_FLOAT16:
    return Float16Type::get(context);
  case DYN_BFLOAT16:
    return BFloat16Type::get(context);
  case DYN_BOOL:
    return integer(1);
  case DYN_INT8:
    return integer(8);
  case DYN_INT16:
    return integer(16);
  case DYN_INT32:
    return integer(32);
  case DYN_INT64:
    return integer(64);
  case DYN_UINT8:
    return natural(8);
  case DYN_UINT16:
    return natural(16);
  case DYN_UINT32:
    return natural(32);
  case DYN_UINT64:
    return natural(64);
  }
  return {};
}

static std::optional<DynElementType> getElementType(Type type) {
  for (DynElementType candidate : {DYN_FLOAT32, DYN_FLOAT64, DYN_FLOAT16, DYN_BFLOAT16, DYN_BOOL, DYN_INT8, DYN_INT16,
                                   DYN_INT32, DYN_INT64, DYN_UINT8, DYN_UINT16, DYN_UINT32, DYN_UINT64})
    if (getType(candidate, type.getContext()) == type)
      return candidate;
  return std::nullopt;
}

ReferenceModel::ReferenceModel(StringRef input, const onnx::ImportOptions &options)
    : context(getRegistry(), MLIRContext::Threading::DISABLED), printer(context, input),
      source(input, options, context), weights(source.getWeightsDirectory()) {
  if (!source)
    return;
  function = source.get().lookupSymbol<FunctionOpInterface>("main");
  if (!function)
    source.get().emitError() << "there is no function 'main'";
}

std::unique_ptr<ReferenceModel> ReferenceModel::load(StringRef input, const onnx::ImportOptions &options) {
  std::unique_ptr<ReferenceModel> model(new ReferenceModel(input, options));
  return model->function ? std::move(model) : nullptr;
}

/// The name that users bind by, or the place.
static std::string getName(StringAttr name, unsigned index) { return name ? name.str() : std::to_string(index); }

std::vector<InputSignature> ReferenceModel::getInputSignatures() {
  std::vector<InputSignature> signatures;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    InputSignature signature;
    signature.name = getName(function.getArgAttrOfType<StringAttr>(index, DynDialect::kNameAttrName), index);
    auto tensor = dyn_cast<RankedTensorType>(type);
    signature.elementType = getElementType(getElementTypeOrSelf(type)).value_or(DYN_FLOAT32);
    if (DimsAttr dims = tensor ? DimsAttr::of(tensor) : DimsAttr())
      for (ExprAttr dim : dims.getDims())
        signature.dims.push_back(dim.getText().str());
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

std::optional<Inputs> ReferenceModel::run(const Inputs &inputs) {
  SmallVector<ReferenceTensor> operands;
  std::vector<InputSignature> signatures = getInputSignatures();
  for (const auto &[name, tensor] : inputs)
    if (llvm::none_of(signatures, [&, &name = name](const InputSignature &each) { return each.name == name; })) {
      llvm::errs() << "the model has no input '" << name << "'; its inputs: " << (signatures.empty() ? "none" : "");
      llvm::interleaveComma(signatures, llvm::errs(),
                            [](const InputSignature &each) { llvm::errs() << '\'' << each.name << '\''; });
      llvm::errs() << '\n';
      return std::nullopt;
    }
  for (const InputSignature &signature : signatures) {
    auto input = llvm::find_if(inputs, [&](const auto &each) { return each.first == signature.name; });
    if (input == inputs.end()) {
      llvm::errs() << "input '" << signature.name << "' is not given\n";
      return std::nullopt;
    }
    // The caller keeps the data as long as this runs.
    operands.push_back(ReferenceTensor::wrap(getType(input->second.elementType, &context), input->second.dims,
                                             input->second.data.data(), nullptr));
  }
  FailureOr<SmallVector<ReferenceTensor>> results = interpretFunction(function, operands, weights);
  if (failed(results))
    return std::nullopt;
  Inputs outputs;
  for (auto [index, result] : llvm::enumerate(*results)) {
    Tensor tensor;
    tensor.elementType = getElementType(result.getElementType()).value_or(DYN_FLOAT32);
    tensor.dims.assign(result.getDims().begin(), result.getDims().end());
    tensor.data.assign(result.getBytes().begin(), result.getBytes().end());
    outputs.emplace_back(getName(function.getResultAttrOfType<StringAttr>(index, DynDialect::kNameAttrName), index),
                         std::move(tensor));
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

//===- Inputs from files, and random ones -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <random>

using namespace dyn;
using llvm::StringRef;

/// Where the name of an input ends in `NAME=FILE`: both may have a `=`.
static size_t findNameEnd(StringRef text, llvm::ArrayRef<InputSignature> inputs) {
  for (size_t end = text.find('='); end != StringRef::npos; end = text.find('=', end + 1))
    if (llvm::any_of(inputs, [&](const InputSignature &input) { return text.take_front(end) == input.name; }))
      return end;
  return text.find('=');
}

llvm::Expected<std::vector<InputFile>> dyn::parseInputFiles(llvm::ArrayRef<std::string> texts,
                                                            llvm::ArrayRef<InputSignature> inputs) {
  std::vector<InputFile> files;
  for (StringRef text : texts) {
    size_t end = findNameEnd(text, inputs);
    StringRef name = text.take_front(end),
              path = text.drop_front(std::min(text.size(), end)).drop_front(end < text.size());
    if (name.empty() || path.empty())
      return llvm::createStringError("--input=" + text + ": must be NAME=FILE.npy");
    if (llvm::any_of(files, [&](const InputFile &file) { return file.name == name; }))
      return llvm::createStringError("--input=" + text + ": '" + name + "' is given twice");
    files.push_back({name.str(), path.str()});
  }
  return files;
}

llvm::Expected<Inputs> dyn::readInputs(llvm::ArrayRef<InputFile> files) {
  Inputs result;
  for (const InputFile &file : files) {
    auto tensor = readNpy(file.path);
    if (!tensor)
      return tensor.takeError();
    result.emplace_back(file.name, std::move(*tensor));
  }
  return result;
}

llvm::Error dyn::verifyRanks(llvm::ArrayRef<InputSignature> signatures, const Inputs &inputs) {
  for (const InputSignature &signature : signatures)
    for (const auto &[name, tensor] : inputs)
      if (name == signature.name && signature.dims && tensor.dims.size() != signature.dims->size())
        return llvm::createStringError(
            "input '" + name + "' has rank " + llvm::Twine(tensor.dims.size()) + " (dims [" +
            llvm::join(llvm::map_range(tensor.dims, [](int64_t dim) { return std::to_string(dim); }), ", ") +
            "]), must be " + llvm::Twine(signature.dims->size()) + ": [" + llvm::join(*signature.dims, ", ") + "]");
  return llvm::Error::success();
}

llvm::Error dyn::verifyNames(llvm::ArrayRef<InputSignature> signatures, const Inputs &inputs, bool areAllGiven) {
  auto isNamed = [](StringRef name) { return [name](const auto &each) { return name == each; }; };
  auto names = llvm::to_vector(llvm::map_range(signatures, [](const InputSignature &each) { return each.name; }));
  for (const auto &[name, tensor] : inputs)
    if (llvm::none_of(names, isNamed(name)))
      return llvm::createStringError("the model has no input '" + name + "'; its inputs: " +
                                     (names.empty() ? "none" : "'" + llvm::join(names, "', '") + "'"));
  auto missing = llvm::find_if(signatures, [&](const InputSignature &signature) {
    return llvm::none_of(llvm::make_first_range(inputs), isNamed(signature.name));
  });
  if (!areAllGiven || missing == signatures.end())
    return llvm::Error::success();
  std::string dims = missing->dims ? " [" + llvm::join(*missing->dims, ", ") + "]" : "";
  // Integers are often sizes, which random ones do not fit.
  bool isInteger = llvm::is_contained({DYN_INT32, DYN_INT64}, missing->elementType);
  return llvm::createStringError("input '" + missing->name + "'" + dims + " is missing: --input=" + missing->name +
                                 "=FILE.npy gives it, " +
                                 (isInteger ? "--input-values=" + missing->name + "=V,... all of its elements, " : "") +
                                 "--random=SEED gives random values");
}

llvm::Error dyn::addGivenValues(llvm::ArrayRef<onnx::InputValues> values, llvm::ArrayRef<InputSignature> signatures,
                                Inputs &inputs) {
  for (const onnx::InputValues &given : values) {
    auto signature = llvm::find_if(signatures, [&](const auto &each) { return each.name == given.input; });
    if (signature == signatures.end())
      return llvm::createStringError("--input-values=" + given.input + "=...: the model has no input '" + given.input +
                                     "'");
    if (llvm::any_of(inputs, [&](const auto &input) { return input.first == given.input; }))
      continue;
    Tensor tensor;
    tensor.elementType = signature->elementType;
    int64_t count = 1;
    for (const std::string &text : signature->dims.value_or(std::vector<std::string>{"?"})) {
      int64_t size;
      if (StringRef(text).getAsInteger(10, size))
        return llvm::createStringError("--input-values=" + given.input + "=...: dim '" + text + "' of input '" +
                                       given.input + "' is not one size");
      tensor.dims.push_back(size);
      count *= size;
    }
    bool isFloat = llvm::is_contained({DYN_FLOAT16, DYN_BFLOAT16, DYN_FLOAT32, DYN_FLOAT64}, tensor.elementType);
    if (isFloat || count != static_cast<int64_t>(given.values.size()))
      return llvm::createStringError("--input-values=" + given.input + "=...: input '" + given.input + "' has " +
                                     llvm::Twine(count) + (isFloat ? " floats" : " elements") + ", but " +
                                     llvm::Twine(given.values.size()) + " integers were given");
    if (llvm::Error error = allocate(tensor, "input '" + given.input + "'"))
      return error;
    // The bytes of an integer of less than 64 bits are the first ones.
    size_t bytes = getElementBytes(tensor.elementType);
    for (auto [index, value] : llvm::enumerate(given.values)) {
      if (bytes < sizeof(value) && value >> (8 * bytes) != 0 && value >> (8 * bytes - 1) != -1)
        return llvm::createStringError("--input-values=" + given.input + "=...: " + llvm::Twine(value) +
                                       " does not fit into the elements of input '" + given.input + "'");
      std::memcpy(tensor.data.data() + index * bytes, &value, bytes);
    }
    inputs.emplace_back(given.input, std::move(tensor));
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Random values
//===----------------------------------------------------------------------===//

template <typename T, typename Draw>
static void fill(Tensor &tensor, Draw draw) {
  for (size_t i = 0; i + sizeof(T) <= tensor.data.size(); i += sizeof(T)) {
    T value = T(draw());
    std::memcpy(tensor.data.data() + i, &value, sizeof(T));
  }
}

static void fillRandomly(Tensor &tensor, std::mt19937 &generator) {
  std::normal_distribution<double> normal;
  auto real = [&] { return normal(generator); };
  auto bit = [&] { return generator() & 1; };
  switch (tensor.elementType) {
  case DYN_FLOAT32:
    return fill<float>(tensor, real);
  case DYN_FLOAT64:
    return fill<double>(tensor, real);
  case DYN_FLOAT16:
    return fill<uint16_t>(tensor, [&] { return bit() ? 0x3C00 : 0; });
  case DYN_BFLOAT16:
    return fill<uint16_t>(tensor, [&] { return bit() ? 0x3F80 : 0; });
  default:
    break;
  }
  switch (getElementBytes(tensor.elementType)) {
  case 1:
    return fill<uint8_t>(tensor, bit);
  case 2:
    return fill<uint16_t>(tensor, bit);
  case 4:
    return fill<uint32_t>(tensor, bit);
  default:
    return fill<uint64_t>(tensor, bit);
  }
}

std::vector<InputSignature> dyn::getInputSignatures(const DynModel &model) {
  std::vector<InputSignature> signatures;
  for (size_t i = 0; i < dynModelGetNumInputs(&model); ++i) {
    DynTensorInfo info = dynModelGetInput(&model, i);
    signatures.push_back({info.name, info.elementType, std::vector<std::string>(info.dims, info.dims + info.rank)});
  }
  return signatures;
}

llvm::Error dyn::addRandomInputs(llvm::ArrayRef<InputSignature> signatures, llvm::ArrayRef<std::vector<int64_t>> dims,
                                 unsigned seed, Inputs &inputs) {
  std::mt19937 generator(seed);
  for (const auto &[signature, sizes] : llvm::zip_equal(signatures, dims)) {
    if (llvm::any_of(inputs, [&, &name = signature.name](const auto &each) { return each.first == name; }))
      continue;
    if (!signature.dims)
      return llvm::createStringError("input '" + signature.name + "' has no rank or dims without names: give --input=" +
                                     signature.name + "=FILE.npy");
    Tensor tensor;
    tensor.elementType = signature.elementType;
    tensor.dims = sizes;
    if (llvm::Error error = allocate(tensor, "input '" + signature.name + "'"))
      return error;
    fillRandomly(tensor, generator);
    inputs.emplace_back(signature.name, std::move(tensor));
  }
  return llvm::Error::success();
}

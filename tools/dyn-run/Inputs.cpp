//===- Inputs from files, and random ones -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <random>

using namespace dyn;
using llvm::StringRef;

llvm::Expected<Inputs> dyn::readInputs(llvm::ArrayRef<std::string> texts) {
  Inputs result;
  for (StringRef text : texts) {
    // Names may hold '='; files are not likely to.
    auto [name, file] = text.rsplit('=');
    if (name.empty() || file.empty())
      return llvm::createStringError("--input=" + text + ": must be NAME=FILE.npy");
    auto tensor = readNpy(file);
    if (!tensor)
      return tensor.takeError();
    result.emplace_back(name.str(), std::move(*tensor));
  }
  return result;
}

static llvm::Expected<int64_t> computeDim(StringRef input, StringRef text, const llvm::StringMap<int64_t> &sizes) {
  symbolic::SymbolicContext context;
  symbolic::ParseError error;
  symbolic::Expr expr = symbolic::parseExpr(text, context, error);
  if (!expr)
    return llvm::createStringError("input '" + input + "': dim '" + text + "' can't be read: " + error.message);
  for (symbolic::Expr symbol : expr.getSymbols())
    if (!sizes.contains(symbol.getSymbolName()))
      return llvm::createStringError("input '" + input + "' needs a value for '" + symbol.getSymbolName() +
                                     "': give --dim=" + symbol.getSymbolName() + "=VALUE");
  std::optional<int64_t> value =
      symbolic::evaluate(expr, [&](StringRef name) { return std::optional<int64_t>(sizes.lookup(name)); });
  if (!value || *value < 0)
    return llvm::createStringError("input '" + input + "': dim '" + text + "' is no size for these values");
  return *value;
}

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
    signatures.push_back({info.name, info.elementType, {info.dims, info.dims + info.rank}});
  }
  return signatures;
}

llvm::Error dyn::addRandomInputs(llvm::ArrayRef<InputSignature> signatures, const llvm::StringMap<int64_t> &sizes,
                                 unsigned seed, Inputs &inputs) {
  std::mt19937 generator(seed);
  for (const InputSignature &signature : signatures) {
    if (llvm::any_of(inputs, [&](const auto &input) { return input.first == signature.name; }))
      continue;
    Tensor tensor;
    tensor.elementType = signature.elementType;
    size_t bytes = getElementBytes(signature.elementType);
    for (StringRef text : signature.dims) {
      auto dim = computeDim(signature.name, text, sizes);
      if (!dim)
        return dim.takeError();
      tensor.dims.push_back(*dim);
      if (__builtin_mul_overflow(bytes, size_t(*dim), &bytes))
        return llvm::createStringError("input '" + signature.name + "' is larger than the address space");
    }
    tensor.data.resize(bytes);
    fillRandomly(tensor, generator);
    inputs.emplace_back(signature.name, std::move(tensor));
  }
  return llvm::Error::success();
}

//===- Errors as lines for people ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include "dyn/Runtime/GuardText.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

using namespace dyn;
using namespace dyn::runtime;

static thread_local std::string lastError;

int dyn::runtime::fail(std::string message) {
  lastError = std::move(message);
  return 1;
}

int dyn::runtime::failForException() noexcept {
  // Short enough that no memory is needed for it.
  static constexpr char outOfMemory[] = "out of memory";
  try {
    throw;
  } catch (const std::bad_alloc &) {
    lastError = outOfMemory;
  } catch (const std::exception &exception) {
    try {
      lastError = exception.what();
    } catch (...) {
      lastError = outOfMemory;
    }
  }
  return 1;
}

int dyn::runtime::succeed() {
  lastError.clear();
  return 0;
}

int dyn::runtime::requireArguments(const char *function, std::initializer_list<Argument> arguments) {
  for (const Argument &argument : arguments)
    if (argument.isNeeded && !argument.pointer)
      return fail(std::string(function) + ": '" + argument.name + "' is NULL");
  return 0;
}

extern "C" const char *dynGetLastError(void) { return lastError.c_str(); }

/// "dim 1 of input 'ids'"; empty where no input gives the symbol.
static std::string describeSourceOf(const Descriptor &descriptor, const std::string &symbol) {
  size_t index =
      size_t(std::find(descriptor.symbols.begin(), descriptor.symbols.end(), symbol) - descriptor.symbols.begin());
  if (index >= descriptor.symbolSources.size())
    return "";
  const SymbolSource &source = descriptor.symbolSources[index];
  for (const TensorDescriptor &input : descriptor.inputs)
    if (input.name == source.input && source.dim >= 0 && size_t(source.dim) < input.dims.size())
      return describeSource(source, symbol, input.dims[size_t(source.dim)]);
  return describeSource(source, symbol, "");
}

/// Of a guard's symbols; `skip` values of the record come before theirs.
static std::vector<SymbolText> getSymbols(const Descriptor &descriptor, const GuardDescriptor &guard,
                                          const DynErrorRecord &error, int64_t skip) {
  std::vector<SymbolText> result;
  for (size_t i = 0; i < guard.symbols.size() && int64_t(i) + skip < error.numValues; ++i)
    result.push_back({guard.symbols[i], std::to_string(error.values[i + size_t(skip)]),
                      describeSourceOf(descriptor, guard.symbols[i])});
  return result;
}

/// Of input dim `dim`, which is not what it must be.
static std::string describeInputDim(const Descriptor &descriptor, const GuardDescriptor &guard,
                                    const DynErrorRecord &error) {
  auto value = [&](int i) { return std::to_string(i < error.numValues ? error.values[i] : 0); };
  return describeWrongDim(describeInput(guard.input), guard.dim, value(0), guard.predicate, value(1),
                          getSymbols(descriptor, guard, error, 2));
}

/// The value of a dim that is a number or a symbol; nothing for other expressions.
static std::optional<int64_t> getDim(const Descriptor &descriptor, const std::string &dim, const int64_t *symbols) {
  if (!dim.empty() && dim.find_first_not_of("0123456789") == std::string::npos)
    return std::strtoll(dim.c_str(), nullptr, 10);
  auto symbol = std::find(descriptor.symbols.begin(), descriptor.symbols.end(), dim);
  if (symbol == descriptor.symbols.end())
    return std::nullopt;
  return symbols[symbol - descriptor.symbols.begin()];
}

static int64_t readInteger(const char *place, DynElementType type) {
  auto read = [&](auto value) {
    std::memcpy(&value, place, sizeof(value));
    return int64_t(value);
  };
  switch (type) {
  case DYN_INT8:
    return read(int8_t());
  case DYN_UINT8:
    return read(uint8_t());
  case DYN_INT16:
    return read(int16_t());
  case DYN_UINT16:
    return read(uint16_t());
  case DYN_INT32:
    return read(int32_t());
  case DYN_UINT32:
    return read(uint32_t());
  default:
    return read(int64_t());
  }
}

/// " (element [1, 2])": the first one of an input that is `value`; empty where that can't be said.
static std::string findElement(const Descriptor &descriptor, const std::string &name, int64_t value, RunData data) {
  auto input = std::find_if(descriptor.inputs.begin(), descriptor.inputs.end(),
                            [&](const TensorDescriptor &each) { return each.name == name; });
  if (!data.symbols || !data.inputs || input == descriptor.inputs.end() || input->dims.empty())
    return "";
  std::vector<int64_t> dims;
  int64_t count = 1;
  for (const std::string &text : input->dims) {
    std::optional<int64_t> dim = getDim(descriptor, text, data.symbols);
    if (!dim)
      return "";
    dims.push_back(*dim);
    count *= *dim;
  }
  auto elements = static_cast<const char *>(data.inputs[input - descriptor.inputs.begin()]);
  for (int64_t i = 0; i < count; ++i) {
    if (readInteger(elements + size_t(i) * getElementBytes(input->elementType), input->elementType) != value)
      continue;
    std::string place;
    for (size_t dim = dims.size(); dim-- > 0; i /= dims[dim])
      place = std::to_string(i % dims[dim]) + (place.empty() ? "" : ", ") + place;
    return " (element [" + place + "])";
  }
  return "";
}

static std::string describeIndex(const Descriptor &descriptor, const GuardDescriptor &guard,
                                 const DynErrorRecord &error, RunData data) {
  int64_t index = error.numValues > 0 ? error.values[0] : 0, limit = error.numValues > 1 ? error.values[1] : 0;
  // Indices from -limit on count from the end. Of other numbers `because` says what they are.
  bool isCount = guard.kind == "count";
  std::string bound = index < 0 ? "must be at least " + std::to_string(isCount ? 0 : -limit)
                                : "must be less than " + std::to_string(limit);
  std::string of =
      guard.input.empty() ? "" : " of input '" + guard.input + "'" + findElement(descriptor, guard.input, index, data);
  return (isCount ? guard.because : "index") + " " + std::to_string(index) + of + " is out of bounds: " + bound +
         describeNode(guard.node) + (isCount ? "" : inParentheses(guard.because));
}

std::string dyn::runtime::describeError(const Descriptor &descriptor, const DynErrorRecord &error, RunData data) {
  if (error.guard < 0 || size_t(error.guard) >= descriptor.guards.size())
    return "not enough memory: a kernel asked for " + std::to_string(error.values[0]) + " bytes";
  const GuardDescriptor &guard = descriptor.guards[size_t(error.guard)];
  if (guard.kind == "input_dim")
    return describeInputDim(descriptor, guard, error);
  if (guard.kind == "input_data")
    return describeInput(guard.input, guard.dim) + ": sizes depend on its elements, but its data were not given";
  if (guard.kind == "index" || guard.kind == "count")
    return describeIndex(descriptor, guard, error, data);
  if (guard.kind == "divisor")
    return "an integer is divided by 0" + describeNode(guard.node);
  std::vector<SymbolText> symbols = getSymbols(descriptor, guard, error, 0);
  if (guard.kind == "size" && !guard.input.empty())
    return describeInput(guard.input, guard.dim) + " must be " + guard.predicate +
           ", which does not fit in 64 bits or divides by zero" + describeValues(symbols);
  if (guard.kind == "size" && !guard.because.empty())
    return describeUndecided(guard.predicate, guard.because, guard.node, symbols);
  if (guard.kind == "size")
    return describeInvalidSize(guard.predicate, guard.node, symbols);
  return describeGuard(guard.predicate, guard.because, guard.node, symbols);
}

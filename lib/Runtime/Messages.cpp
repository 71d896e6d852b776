//===- Errors as lines for people ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include <algorithm>

using namespace dyn::runtime;

static thread_local std::string lastError;

int dyn::runtime::fail(std::string message) {
  lastError = std::move(message);
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

static std::string describeInput(const std::string &input, int64_t dim) {
  std::string result = "input '" + input + "'";
  return dim < 0 ? result : result + " dim " + std::to_string(dim);
}

/// "dim 1 of input 'ids'"; empty where no input gives the symbol.
static std::string describeSource(const Descriptor &descriptor, const std::string &symbol) {
  size_t index =
      size_t(std::find(descriptor.symbols.begin(), descriptor.symbols.end(), symbol) - descriptor.symbols.begin());
  if (index >= descriptor.symbolSources.size() || descriptor.symbolSources[index].input.empty())
    return "";
  const SymbolSource &source = descriptor.symbolSources[index];
  std::string of = " of input '" + source.input + "'";
  if (source.dim < 0)
    return "element " + std::to_string(source.element) + of;
  std::string dim = "dim " + std::to_string(source.dim) + of;
  for (const TensorDescriptor &input : descriptor.inputs)
    if (input.name == source.input && size_t(source.dim) < input.dims.size() &&
        input.dims[size_t(source.dim)] != symbol)
      return dim + ", which is " + input.dims[size_t(source.dim)];
  return dim;
}

static std::string inParentheses(const std::string &text) { return text.empty() ? "" : " (" + text + ")"; }

/// "S = 600 (dim 1 of input 'ids'), P = 4 (dim 2 of input 'past')"; `skip` values of the record come before those of
/// the symbols.
static std::string describeSymbols(const Descriptor &descriptor, const GuardDescriptor &guard,
                                   const DynErrorRecord &error, int64_t skip) {
  std::string result;
  for (size_t i = 0; i < guard.symbols.size() && int64_t(i) + skip < error.numValues; ++i)
    result += (i ? ", " : "") + guard.symbols[i] + " = " + std::to_string(error.values[i + size_t(skip)]) +
              inParentheses(describeSource(descriptor, guard.symbols[i]));
  return result;
}

static std::string describeNode(const GuardDescriptor &guard) {
  return guard.node.empty() ? "" : ", node " + guard.node;
}

/// "`S` must be <= 512" where one symbol is compared with a number, else "'S + P <= 512' must hold".
static std::string describePredicate(const GuardDescriptor &guard) {
  if (guard.symbols.size() == 1) {
    const std::string &symbol = guard.symbols.front(), &text = guard.predicate;
    auto startsWith = [&](const std::string &start) { return text.compare(0, start.size(), start) == 0; };
    size_t number = std::string::npos;
    for (const char *comparison : {"<= ", ">= ", "< ", "> ", "== ", "!= ", "in "})
      if (number == std::string::npos && startsWith(symbol + " " + comparison))
        number = symbol.size() + 1 + std::string(comparison).size();
    if (number != std::string::npos && text.find_first_not_of("-.0123456789", number) == std::string::npos)
      return "`" + symbol + "` must be " + text.substr(symbol.size() + 1);
    size_t end = text.find_first_not_of("-0123456789");
    if (end != std::string::npos && end > 0 && text.substr(end) == " <= " + symbol)
      return "`" + symbol + "` must be >= " + text.substr(0, end);
  }
  return "'" + guard.predicate + "' must hold";
}

/// Of input dim `dim`, which is not what it must be.
static std::string describeInputDim(const Descriptor &descriptor, const GuardDescriptor &guard,
                                    const DynErrorRecord &error) {
  auto value = [&](int i) { return std::to_string(i < error.numValues ? error.values[i] : 0); };
  std::string result = describeInput(guard.input, guard.dim) + " is " + value(0) + ", must be " + guard.predicate;
  if (guard.predicate != value(1))
    result += " = " + value(1);
  // The value of a lone symbol is the expected dim itself.
  if (guard.symbols.size() == 1 && guard.symbols[0] == guard.predicate)
    return result + inParentheses(describeSource(descriptor, guard.symbols[0]));
  std::string symbols = describeSymbols(descriptor, guard, error, 2);
  return symbols.empty() ? result : result + "; got " + symbols;
}

static std::string describeIndex(const GuardDescriptor &guard, const DynErrorRecord &error) {
  int64_t index = error.numValues > 0 ? error.values[0] : 0, limit = error.numValues > 1 ? error.values[1] : 0;
  // Indices from -limit on count from the end.
  std::string bound =
      index < 0 ? "must be at least " + std::to_string(-limit) : "must be less than " + std::to_string(limit);
  return "index " + std::to_string(index) + " is out of bounds: " + bound + describeNode(guard) +
         inParentheses(guard.because);
}

std::string dyn::runtime::describeError(const Descriptor &descriptor, const DynErrorRecord &error) {
  if (error.guard < 0 || size_t(error.guard) >= descriptor.guards.size())
    return "not enough memory: a kernel asked for " + std::to_string(error.values[0]) + " bytes";
  const GuardDescriptor &guard = descriptor.guards[size_t(error.guard)];
  if (guard.kind == "input_dim")
    return describeInputDim(descriptor, guard, error);
  if (guard.kind == "input_data")
    return describeInput(guard.input, guard.dim) + ": sizes depend on its elements, but its data were not given";
  if (guard.kind == "index")
    return describeIndex(guard, error);
  if (guard.kind == "divisor")
    return "an integer is divided by 0" + describeNode(guard);
  std::string symbols = describeSymbols(descriptor, guard, error, 0);
  std::string got = symbols.empty() ? "" : "; got " + symbols;
  if (guard.kind == "size")
    return (guard.predicate.empty() ? "a size" : "size '" + guard.predicate + "'") +
           " does not fit in 64 bits or divides by zero" + describeNode(guard) + got;
  std::string because = guard.because.empty() ? "" : ": " + guard.because;
  return describePredicate(guard) + because + describeNode(guard) + got;
}

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

/// "S = 600, P = 4"; `skip` values of the record come before those of the symbols.
static std::string describeSymbols(const GuardDescriptor &guard, const DynErrorRecord &error, int64_t skip) {
  std::string result;
  for (size_t i = 0; i < guard.symbols.size() && int64_t(i) + skip < error.numValues; ++i)
    result += (i ? ", " : "") + guard.symbols[i] + " = " + std::to_string(error.values[i + size_t(skip)]);
  return result;
}

static std::string describeNode(const GuardDescriptor &guard) {
  return guard.node.empty() ? "" : ", node " + guard.node;
}

static std::string describeInput(const GuardDescriptor &guard) {
  std::string result = "input '" + guard.input + "'";
  return guard.dim < 0 ? result : result + " dim " + std::to_string(guard.dim);
}

std::string dyn::runtime::describeError(const Descriptor &descriptor, const DynErrorRecord &error) {
  if (error.guard < 0 || size_t(error.guard) >= descriptor.guards.size())
    return "not enough memory: a kernel asked for " + std::to_string(error.values[0]) + " bytes";
  const GuardDescriptor &guard = descriptor.guards[size_t(error.guard)];
  auto value = [&](int i) { return std::to_string(i < error.numValues ? error.values[i] : 0); };
  if (guard.kind == "input_dim") {
    // The value of a lone symbol is the expected dim itself.
    bool lone = guard.symbols.size() == 1 && guard.symbols[0] == guard.predicate;
    std::string symbols = lone ? "" : describeSymbols(guard, error, 2);
    return describeInput(guard) + " is " + value(0) + ", must be " + guard.predicate +
           (guard.predicate == value(1) ? "" : " = " + value(1)) + (symbols.empty() ? "" : " (" + symbols + ")");
  }
  if (guard.kind == "input_data")
    return describeInput(guard) + ": sizes depend on its elements, but its data were not given";
  if (guard.kind == "index")
    return "index " + value(0) + " is out of bounds: must be less than " + value(1) + describeNode(guard) +
           (guard.because.empty() ? "" : " (" + guard.because + ")");
  if (guard.kind == "divisor")
    return "an integer is divided by 0" + describeNode(guard);
  std::string symbols = describeSymbols(guard, error, 0);
  std::string got = symbols.empty() ? "" : "; got " + symbols;
  if (guard.kind == "size")
    return (guard.predicate.empty() ? "a size" : "size '" + guard.predicate + "'") +
           " does not fit in 64 bits or divides by zero" + describeNode(guard) + got;
  std::string text = "'" + guard.predicate + "' must hold";
  if (!guard.because.empty())
    text += ": " + guard.because;
  text += describeNode(guard);
  if (!guard.input.empty())
    text += " (" + describeInput(guard) + ")";
  return text + got;
}

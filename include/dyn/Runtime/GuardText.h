//===- What people read of sizes that do not fit -----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Compiled models and the interpreter say the same of the same fault. Of the
// standard library only, as the runtime is.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_GUARDTEXT_H
#define DYN_RUNTIME_GUARDTEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace dyn {

/// What gives a symbol its value: a dim or an element of an input; the other one, or both, are -1.
struct SymbolSource {
  std::string input;
  int64_t dim = -1, element = -1;
};

/// A symbol in a run, and where its value comes from: "dim 1 of input 'ids'", or empty.
struct SymbolText {
  std::string name, value, source;
};

inline std::string describeInput(const std::string &input, int64_t dim = -1) {
  std::string result = "input '" + input + "'";
  return dim < 0 ? result : result + " dim " + std::to_string(dim);
}

/// "dim 1 of input 'ids', which is 2*s"; `expression` is that dim. Empty where no input gives the symbol.
inline std::string describeSource(const SymbolSource &source, const std::string &symbol,
                                  const std::string &expression) {
  if (source.input.empty())
    return "";
  std::string of = " of input '" + source.input + "'";
  if (source.dim < 0)
    return "element " + std::to_string(source.element) + of;
  std::string dim = "dim " + std::to_string(source.dim) + of;
  return expression.empty() || expression == symbol ? dim : dim + ", which is " + expression;
}

inline std::string inParentheses(const std::string &text) { return text.empty() ? "" : " (" + text + ")"; }

/// "; got S = 600 (dim 1 of input 'ids'), P = 4 (dim 2 of input 'past')"; empty without symbols.
inline std::string describeValues(const std::vector<SymbolText> &symbols) {
  std::string result;
  for (const SymbolText &symbol : symbols)
    result += (result.empty() ? "; got " : ", ") + symbol.name + " = " + symbol.value + inParentheses(symbol.source);
  return result;
}

inline std::string describeNode(const std::string &node) { return node.empty() ? "" : ", node " + node; }

/// "`S` must be <= 512" where one symbol is compared with a number, else "'S + P <= 512' must hold".
inline std::string describePredicate(const std::string &predicate, const std::vector<SymbolText> &symbols) {
  if (symbols.size() == 1) {
    const std::string &symbol = symbols.front().name;
    auto startsWith = [&](const std::string &start) { return predicate.compare(0, start.size(), start) == 0; };
    size_t number = std::string::npos;
    for (const char *comparison : {"<= ", ">= ", "< ", "> ", "== ", "!= ", "in "})
      if (number == std::string::npos && startsWith(symbol + " " + comparison))
        number = symbol.size() + 1 + std::string(comparison).size();
    if (number != std::string::npos && predicate.find_first_not_of("-.0123456789", number) == std::string::npos)
      return "`" + symbol + "` must be " + predicate.substr(symbol.size() + 1);
    size_t end = predicate.find_first_not_of("-0123456789");
    if (end != std::string::npos && end > 0 && predicate.substr(end) == " <= " + symbol)
      return "`" + symbol + "` must be >= " + predicate.substr(0, end);
  }
  return "'" + predicate + "' must hold";
}

/// Of a guard that does not hold.
inline std::string describeGuard(const std::string &predicate, const std::string &because, const std::string &node,
                                 const std::vector<SymbolText> &symbols) {
  // Nobody reads long formulas: what they are for comes first.
  constexpr size_t mostRead = 150;
  if (predicate.size() > mostRead && !because.empty())
    return because + describeNode(node) + describeValues(symbols) + "; the formula that does not hold: " + predicate;
  return describePredicate(predicate, symbols) + (because.empty() ? "" : ": " + because) + describeNode(node) +
         describeValues(symbols);
}

/// Of a guard on a size that has no value, whose values alone may look as if it held.
inline std::string describeUndecided(const std::string &predicate, const std::string &because, const std::string &node,
                                     const std::vector<SymbolText> &symbols) {
  return "a size in '" + predicate + "' does not fit in 64 bits or divides by zero" +
         (because.empty() ? "" : ": " + because) + describeNode(node) + describeValues(symbols);
}

/// Of a dim of `what`, such as "input 'x'", which is not the expected one.
inline std::string describeWrongDim(const std::string &what, int64_t dim, const std::string &actual,
                                    const std::string &expression, const std::string &expected,
                                    const std::vector<SymbolText> &symbols) {
  std::string result = what + " dim " + std::to_string(dim) + " is " + actual + ", must be " + expression;
  if (expression != expected)
    result += " = " + expected;
  // The value of a lone symbol is the expected dim itself.
  if (symbols.size() == 1 && symbols.front().name == expression)
    return result + inParentheses(symbols.front().source);
  return result + describeValues(symbols);
}

inline std::string describeList(const std::vector<std::string> &dims) {
  std::string result;
  for (const std::string &dim : dims)
    result += (result.empty() ? "" : ", ") + dim;
  return "[" + result + "]";
}

/// Of what has another number of dims than the model says.
inline std::string describeWrongRank(const std::string &what, const std::vector<std::string> &dims,
                                     const std::vector<std::string> &expected) {
  return what + " has rank " + std::to_string(dims.size()) + " (dims " + describeList(dims) + "), must be " +
         std::to_string(expected.size()) + ": " + describeList(expected);
}

/// Of a size that has no value; `expression` may be empty.
inline std::string describeInvalidSize(const std::string &expression, const std::string &node,
                                       const std::vector<SymbolText> &symbols) {
  return (expression.empty() ? "a size" : "size '" + expression + "'") + " does not fit in 64 bits or divides by zero" +
         describeNode(node) + describeValues(symbols);
}

} // namespace dyn

#endif // DYN_RUNTIME_GUARDTEXT_H

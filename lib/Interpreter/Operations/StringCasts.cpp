//===- Numbers and what they are written as --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "StringCasts.h"
#include "../Elements.h"
#include "../Strings.h"
#include "Arithmetic.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

/// ONNX has the names of what is no finite number in large letters; all writers' letters are taken.
static std::optional<double> parseFloat(StringRef text) {
  StringRef magnitude = text;
  bool isNegative = magnitude.consume_front("-");
  if (!isNegative)
    magnitude.consume_front("+");
  double value;
  if (magnitude.equals_insensitive("nan"))
    value = std::numeric_limits<double>::quiet_NaN();
  else if (magnitude.equals_insensitive("inf") || magnitude.equals_insensitive("infinity"))
    value = std::numeric_limits<double>::infinity();
  else if (magnitude.empty() || !(llvm::isDigit(magnitude.front()) || magnitude.front() == '.') ||
           magnitude.getAsDouble(value))
    return std::nullopt;
  return isNegative ? -value : value;
}

/// The low 64 bits; nothing where no integer of 64 bits, signed or not, is written so.
static std::optional<uint64_t> parseInteger(StringRef text) {
  bool isNegative = text.starts_with("-");
  if (!isNegative)
    text.consume_front("+");
  int64_t value;
  uint64_t magnitude;
  if (isNegative)
    return text.getAsInteger(10, value) ? std::nullopt : std::optional(static_cast<uint64_t>(value));
  return text.getAsInteger(10, magnitude) ? std::nullopt : std::optional(magnitude);
}

template <typename T>
static std::optional<T> parse(StringRef text) {
  text = text.trim();
  if constexpr (isFloat<T>) {
    std::optional<double> value = parseFloat(text);
    return value ? std::optional(convertElement<T>(*value)) : std::nullopt;
  } else {
    std::optional<uint64_t> value = parseInteger(text);
    return value ? std::optional(convertElement<T>(*value)) : std::nullopt;
  }
}

/// With as many digits as onnxruntime writes.
static std::string printFloat(double value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value < 0 ? "-INF" : "INF";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.8g", value);
  return text;
}

template <typename T>
static std::string write(T value) {
  if constexpr (isFloat<T>)
    return printFloat(static_cast<double>(value));
  else if constexpr (std::is_same_v<T, uint64_t>)
    return llvm::utostr(value);
  else
    return llvm::itostr(convertElement<int64_t>(value));
}

LogicalResult reference::castStrings(Operation *op, const ReferenceTensor &operand, ReferenceTensor &result) {
  std::optional<StringRef> wrong;
  bool known;
  if (isa<StringType>(operand.getElementType())) {
    known = dispatchElement(result.getElementType(), [&](auto tag) {
      using T = typename decltype(tag)::Type;
      T *out = result.getMutableElements<T>();
      for (uint64_t number : operand.getElements<uint64_t>()) {
        StringRef text = getStringOfNumber(number);
        std::optional<T> value = parse<T>(text);
        if (!value && !wrong)
          wrong = text;
        *out++ = value.value_or(T());
      }
    });
  } else {
    known = dispatchElement(operand.getElementType(), [&](auto tag) {
      using T = typename decltype(tag)::Type;
      uint64_t *out = result.getMutableElements<uint64_t>();
      for (T value : operand.getElements<T>())
        *out++ = getNumberOfString(write(value), op->getContext());
    });
  }
  if (!known)
    return emitUnsupported(op, operand.getElementType());
  if (wrong)
    return emitError(op) << "'" << *wrong << "' is no number of type " << result.getElementType();
  return success();
}

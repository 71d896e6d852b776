//===- Options of command lines for Python ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Command lines in Python read what those in C++ do, by the same functions.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "dyn/Target/ONNX/DimSpec.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace dyn;

/// Lower and upper bound, divisor, likely sizes.
using Facts = std::tuple<int64_t, std::optional<int64_t>, int64_t, std::vector<int64_t>>;

/// The value; raises ValueError with what is wrong with the text.
template <typename T>
static T take(llvm::Expected<T> value) {
  if (!value)
    throw nanobind::value_error(llvm::toString(value.takeError()).c_str());
  return std::move(*value);
}

static Facts makeFacts(const symbolic::SymbolFacts &facts) {
  return {facts.range.lower.value_or(0), facts.range.upper, facts.modulus,
          std::vector<int64_t>(facts.likely.begin(), facts.likely.end())};
}

void python::registerOptions(nanobind::module_ &module) {
  module.def("parse_dim_range", [](const std::string &text) { return makeFacts(take(onnx::parseDimRange(text))); });
  module.def("parse_dim", [](const std::string &text) {
    auto [name, facts] = take(onnx::parseDimSpec(text));
    return std::pair(name, makeFacts(facts));
  });
  module.def("parse_input_dims", [](const std::string &text) { return take(onnx::parseInputDimsSpec(text)); });
  module.def("parse_input_values", [](const std::string &text) {
    onnx::InputValues values = take(onnx::parseInputValuesSpec(text));
    return std::pair(values.input, std::vector<int64_t>(values.values.begin(), values.values.end()));
  });
}

//===- Options of imports as Python gives them -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_EXTENSION_OPTIONS_H
#define DYN_PYTHON_EXTENSION_OPTIONS_H

#include "dyn/Target/ONNX/DimSpec.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include <string>
#include <vector>

namespace dyn::python {

/// Adds the facts of `NAME=SPEC` texts. Returns what is wrong; empty if nothing is.
inline std::string readDims(const std::vector<std::string> &specs, onnx::ImportOptions &options) {
  for (const std::string &spec : specs) {
    auto parsed = onnx::parseDimSpec(spec);
    if (!parsed) {
      std::string place = "dim '" + llvm::StringRef(spec).rsplit('=').first.str() + "'",
                  text = llvm::toString(parsed.takeError());
      return llvm::StringRef(text).starts_with(place) ? text : place + ": " + text;
    }
    options.dims.push_back(std::move(*parsed));
  }
  return {};
}

/// Adds the elements of inputs that `INPUT=VALUE,...` texts give. Returns what is wrong; empty if nothing is.
inline std::string readInputValues(const std::vector<std::string> &specs, onnx::ImportOptions &options) {
  for (const std::string &spec : specs) {
    auto parsed = onnx::parseInputValuesSpec(spec);
    if (!parsed)
      return llvm::toString(parsed.takeError());
    options.inputValues.push_back(std::move(*parsed));
  }
  return {};
}

} // namespace dyn::python

#endif // DYN_PYTHON_EXTENSION_OPTIONS_H

//===- Options of imports as Python gives them -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_EXTENSION_OPTIONS_H
#define DYN_PYTHON_EXTENSION_OPTIONS_H

#include "dyn/Target/ONNX/ImportTexts.h"
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <stdexcept>

namespace dyn::python {

/// What `ImportOptions` of the package holds: dims, dims of inputs, elements of inputs, facts about dims without a
/// name, the mode of declared dims, and the folder of external data.
using ImportArguments = std::tuple<std::vector<std::string>, std::vector<std::string>, std::vector<std::string>,
                                   std::optional<std::string>, std::string, std::optional<std::string>>;

/// Throws what is wrong with them.
inline onnx::ImportOptions readImport(const ImportArguments &arguments) {
  onnx::ImportTexts texts;
  std::string declared;
  onnx::ImportOptions options;
  std::tie(texts.dims, texts.inputDims, texts.inputValues, texts.defaultDim, declared, options.dataDirectory) =
      arguments;
  auto mode = onnx::parseDeclaredDims(declared);
  if (!mode)
    throw nanobind::value_error("declared must be 'refine', 'strict', 'override' or 'trust'");
  texts.declared = *mode;
  if (llvm::Error error = onnx::readImportTexts(texts, options))
    throw std::runtime_error(llvm::toString(std::move(error)));
  return options;
}

} // namespace dyn::python

#endif // DYN_PYTHON_EXTENSION_OPTIONS_H

//===- What users say about an import -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ONNX/ImportTexts.h"
#include "dyn/Target/ONNX/DimSpec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <functional>

using namespace dyn;
using namespace dyn::onnx;
namespace cl = llvm::cl;

llvm::Error onnx::readImportTexts(const ImportTexts &texts, ImportOptions &options) {
  options.declared = texts.declared;
  for (const std::string &text : texts.dims) {
    auto dim = parseDimSpec(text);
    if (!dim)
      return dim.takeError();
    options.dims.push_back(std::move(*dim));
  }
  for (const std::string &text : texts.inputDims) {
    auto dims = parseInputDimsSpec(text);
    if (!dims)
      return dims.takeError();
    if (llvm::any_of(options.inputDims, [&](const auto &other) { return other.first == dims->first; }))
      return llvm::createStringError("dims of input '" + dims->first + "' are given twice");
    options.inputDims.push_back(std::move(*dims));
  }
  for (const std::string &text : texts.inputValues) {
    auto values = parseInputValuesSpec(text);
    if (!values)
      return values.takeError();
    options.inputValues.push_back(std::move(*values));
  }
  if (!texts.defaultDim)
    return llvm::Error::success();
  auto facts = parseDimRange(*texts.defaultDim);
  if (!facts)
    return llvm::createStringError("dims without a name: " + llvm::toString(facts.takeError()));
  options.defaultDim = std::move(*facts);
  return llvm::Error::success();
}

std::optional<DeclaredDims> onnx::parseDeclaredDims(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<DeclaredDims>>(text)
      .Case("refine", DeclaredDims::Refine)
      .Case("strict", DeclaredDims::Strict)
      .Case("override", DeclaredDims::Override)
      .Case("trust", DeclaredDims::Trust)
      .Default(std::nullopt);
}

ImportFlags::ImportFlags(cl::OptionCategory &category, llvm::StringRef dimDescription)
    : dims("dim",
           cl::desc(!dimDescription.empty() ? dimDescription
                                            : "Facts about a declared dim: NAME=8, NAME=1..512, NAME=1..512:8 (a "
                                              "divisor), NAME=1..64@{1,8,32} (likely sizes); repeatable"),
           cl::value_desc("NAME=RANGE"), cl::cat(category)),
      inputDims("input-dims", cl::desc("Dims of an input, such as x=[N,3,H,S + P]; repeatable"),
                cl::value_desc("INPUT=[DIM,...]"), cl::cat(category)),
      inputValues(
          "input-values",
          cl::desc("Elements of an input of integers or booleans, such as sr=16000, for which the model is "
                   "imported, and which a run checks; a run without a file for the input takes them; repeatable"),
          cl::value_desc("INPUT=VALUE,..."), cl::cat(category)),
      defaultDim("default-dim", cl::desc("Facts about input dims without a name"), cl::value_desc("RANGE"),
                 cl::cat(category)),
      declared(
          "declared", cl::desc("How declared dims and inferred ones are brought together"),
          cl::values(clEnumValN(DeclaredDims::Refine, "refine", "input dims and constants bind (default)"),
                     clEnumValN(DeclaredDims::Strict, "strict", "a difference is an error"),
                     clEnumValN(DeclaredDims::Override, "override", "what is inferred wins"),
                     clEnumValN(DeclaredDims::Trust, "trust", "what is declared wins, and is checked at run time")),
          cl::init(DeclaredDims::Refine), cl::cat(category)) {}

ImportTexts ImportFlags::getTexts() const {
  ImportTexts texts;
  texts.dims.assign(dims.begin(), dims.end());
  texts.inputDims.assign(inputDims.begin(), inputDims.end());
  texts.inputValues.assign(inputValues.begin(), inputValues.end());
  if (defaultDim.getNumOccurrences())
    texts.defaultDim = defaultDim;
  texts.declared = declared;
  return texts;
}

const cl::Option *ImportFlags::findGiven() const {
  for (const cl::Option &option :
       std::initializer_list<std::reference_wrapper<const cl::Option>>{inputDims, defaultDim, declared})
    if (option.getNumOccurrences())
      return &option;
  return nullptr;
}

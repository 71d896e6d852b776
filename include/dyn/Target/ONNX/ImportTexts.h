//===- What users say about an import ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The options that users have wherever a model is imported: command lines declare
// them with `ImportFlags`, Python and C give the same texts.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNX_IMPORTTEXTS_H
#define DYN_TARGET_ONNX_IMPORTTEXTS_H

#include "dyn/Target/ONNX/ImportONNX.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace dyn::onnx {

/// Texts as DimSpec.h describes them.
struct ImportTexts {
  std::vector<std::string> dims, inputDims, inputValues;
  std::optional<std::string> defaultDim;
  DeclaredDims declared = DeclaredDims::Refine;
};

/// Adds what the texts say to the options; says what is wrong with them.
llvm::Error readImportTexts(const ImportTexts &texts, ImportOptions &options);

/// Reads `refine`, `strict`, `override` or `trust`; nothing for other texts.
std::optional<DeclaredDims> parseDeclaredDims(llvm::StringRef text);

/// The options of a command line. One that gives `--dim` more than one meaning says so in `dimDescription`.
struct ImportFlags {
  explicit ImportFlags(llvm::cl::OptionCategory &category, llvm::StringRef dimDescription = "");

  llvm::cl::list<std::string> dims, inputDims, inputValues;
  llvm::cl::opt<std::string> defaultDim;
  llvm::cl::opt<DeclaredDims> declared;

  ImportTexts getTexts() const;
  /// One of those about the import alone that was given; null if there is none.
  const llvm::cl::Option *findGiven() const;
};

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNX_IMPORTTEXTS_H

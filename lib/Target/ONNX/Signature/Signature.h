//===- Symbols and types of a model's inputs ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_SIGNATURE_SIGNATURE_H
#define DYN_LIB_TARGET_ONNX_SIGNATURE_SIGNATURE_H

#include "../Model.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "llvm/Support/Error.h"

namespace dyn::onnx {

/// Reads the dims that a model declares. The texts of inputs define symbols; those of outputs refer to them, or name
/// what inference is to find.
class Signature {
public:
  /// `inputs` are those that become arguments; `allInputs` all that the model has, of which others name dims too.
  Signature(llvm::ArrayRef<const ValueInfo *> inputs, llvm::ArrayRef<ValueInfo> allInputs,
            llvm::ArrayRef<ValueInfo> outputs, const ImportOptions &options)
      : inputs(inputs.begin(), inputs.end()), allInputs(allInputs), outputs(outputs), options(options) {}

  llvm::Error build();

  /// The dims of an argument, with fixed symbols replaced; nothing where the rank is not declared.
  const std::optional<llvm::SmallVector<symbolic::Expr>> &getDims(size_t input) const { return dims[input]; }
  /// Every symbol of the arguments' dims, in the order of first use.
  const std::vector<symbolic::SymbolDeclaration> &getSymbols() const { return symbols; }
  /// What the names stand for of which there is one size: `batch == 1`.
  std::vector<symbolic::Predicate> getFixed();
  /// Declared dims with fixed symbols replaced. A dim without name is the symbol `?`.
  llvm::SmallVector<symbolic::Expr> readDims(llvm::ArrayRef<Dim> declared);
  /// The dims that an output declares; empty if they are all without name.
  llvm::SmallVector<symbolic::Expr> readOutputDims(llvm::ArrayRef<Dim> declared);
  /// The names that the model uses anywhere, which fresh symbols must not have.
  llvm::StringMap<char> collectNames();

private:
  symbolic::Expr readText(llvm::StringRef text);
  symbolic::Expr readDim(const Dim &dim);
  llvm::Error readInput(const ValueInfo &input);
  llvm::Error addFacts(llvm::StringRef name, const symbolic::SymbolFacts &given);
  llvm::StringMap<llvm::StringRef> findNamesInLists(const llvm::StringMap<char> &known);
  llvm::Error applyFacts();
  void findNames();
  void nameUnnamed();
  llvm::Error checkDetermined();
  void declareSymbols();
  void findTellingDims();

  std::vector<const ValueInfo *> inputs;
  llvm::ArrayRef<ValueInfo> allInputs, outputs;
  const ImportOptions &options;
  symbolic::SymbolicContext context;
  /// Null expressions stand for dims without a name until `nameUnnamed`.
  std::vector<std::optional<llvm::SmallVector<symbolic::Expr>>> dims;
  llvm::StringMap<char> names; ///< texts that are names, though they read as expressions
  llvm::StringMap<symbolic::SymbolFacts> facts;
  symbolic::Substitution fixed;
  llvm::StringMap<symbolic::Expr> texts; ///< those that were read as expressions; null for a dim without a name
  std::vector<symbolic::SymbolDeclaration> symbols;
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_SIGNATURE_SIGNATURE_H

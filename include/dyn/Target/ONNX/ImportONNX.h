//===- ONNX to dyn -----------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Reads an ONNX model into a module of the dyn dialect with one function @main.
// Arguments and results carry `dyn.name`; the function declares the symbols of
// the inputs' dims in `dyn.symbols`. Result attributes `dyn.declared_dims` hold
// what the model says about its outputs: an obligation, not a fact. A dim about
// which nothing is said there is the symbol `"?"`.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNX_IMPORTONNX_H
#define DYN_TARGET_ONNX_IMPORTONNX_H

#include "dyn/Symbolic/Facts.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace dyn::onnx {

/// How declared dims and inferred ones are brought together (read by the shapes phase from `dyn.declared`).
enum class DeclaredDims {
  Refine,   ///< input dims and constants bind, other names are defined by inference
  Strict,   ///< a difference is an error
  Override, ///< what is inferred wins
  Trust,    ///< what is declared wins, and is checked at run time
};

/// What all elements of an input are, in their order.
struct InputValues {
  std::string input;
  std::vector<int64_t> values;
};

struct ImportOptions {
  /// Facts about declared dims, by name. A range of one value makes the dim static.
  std::vector<std::pair<std::string, symbolic::SymbolFacts>> dims;
  /// Dims of inputs, given or overridden: name and a list such as `[N, 3, H, S + P]`.
  std::vector<std::pair<std::string, std::string>> inputDims;
  /// Inputs of integers or booleans that every run gives these elements, which is checked: the graph is imported as if
  /// they were constants.
  std::vector<InputValues> inputValues;
  /// Facts about dims of inputs that have no name.
  std::optional<symbolic::SymbolFacts> defaultDim;
  DeclaredDims declared = DeclaredDims::Refine;

  /// Folder of the module that refers to weight files: paths below it are written relative to it, others absolute.
  std::string moduleDirectory;
  /// Where weights above `inlineLimit` bytes go; with an empty name they are refused, unless they are in a file of
  /// their own. The file is replaced only when the import succeeds, and not written when nothing goes there.
  std::string weightsFile;
  /// Weights that are already in a file of their own go to `weightsFile` too; else the module refers to that file.
  bool copyExternalData = false;
  /// Weights inside of the model's file stay there too, and the module refers to it: it must not change while they are
  /// needed. Without effect together with `copyExternalData`.
  bool referToModel = false;
  /// Files that somebody is about to write, `weightsFile` aside: neither the model nor its data may be one of them.
  std::vector<std::string> outputs;
  /// Weights of up to so many bytes are held in the module.
  uint64_t inlineLimit = 4096;
  /// Holds all weights in the module.
  bool inlineWeights = false;
  /// For those who ask for sizes only: weights above `inlineLimit` bytes are not read, copied or looked for, smaller
  /// ones may be missing, and ONNX's checker is not asked. A constant that was not read has a `#dyn.weight` that leads
  /// nowhere.
  bool omitWeights = false;
  /// For those who ask for sizes only: a node that can't be imported becomes a call of a function without a body, so
  /// that the rest can be.
  bool allowForeign = false;
  /// Folder of external data; by default that of the model's file. With none, or an empty one, a model that was given
  /// as bytes must not have any.
  std::optional<std::string> dataDirectory;
};

/// A node that became a call of a function without a body.
struct ForeignNode {
  mlir::Operation *call;
  std::string operatorName;          ///< `com.microsoft.Attention`
  std::string output;                ///< its first one
  std::vector<std::string> operands; ///< their names; what a graph of the node reads is among them
  std::vector<unsigned> results;     ///< which of the node's outputs the call has
  bool lacksOperands = false;        ///< it reads what another such node does not give
  std::string reason;                ///< why; begins with the node's description
  bool isContradiction;              ///< the reason is that no run can mean it, not something that is missing here
};

/// A sequence of which the import knows each tensor.
struct KnownSequence {
  mlir::Type elementType; ///< of the tensors
  llvm::SmallVector<mlir::Value> tensors;
};

/// Of names that many are added to and few are taken from.
using ValuesByName = llvm::StringMap<mlir::Value, llvm::BumpPtrAllocator>;

struct Model;

/// What became of a model's parts, for those who answer in its terms.
struct ImportRecord {
  /// Every value of the model that the module has, by name; several names may have one value.
  ValuesByName values;
  /// The `::onnx::ModelProto` that was read, as it stands in the file, but perhaps for large raw data.
  std::shared_ptr<void> message;
  /// Copies those into the message too. The bytes that the model was given as have to be there still.
  std::function<void()> completeMessage;
  /// The file that the model was read from.
  std::unique_ptr<llvm::MemoryBuffer> file;
  std::vector<ForeignNode> foreign;
  llvm::StringMap<KnownSequence> sequences; ///< by name; other sequences are among the values
  std::shared_ptr<const Model> model;       ///< of which the message is a part
};

/// Reads the model in a file. Null, after diagnostics through `context`, if that is impossible.
mlir::OwningOpRef<mlir::ModuleOp> importONNXFile(llvm::StringRef path, const ImportOptions &options,
                                                 mlir::MLIRContext *context, ImportRecord *record = nullptr);

/// Reads a serialized model; `name` stands for it in messages and locations.
mlir::OwningOpRef<mlir::ModuleOp> importONNX(llvm::ArrayRef<char> bytes, llvm::StringRef name,
                                             const ImportOptions &options, mlir::MLIRContext *context,
                                             ImportRecord *record = nullptr);

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNX_IMPORTONNX_H

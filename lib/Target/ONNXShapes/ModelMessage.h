//===- What is read from and written to a model's message -------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Keeps protobuf's headers out of files that see MLIR's. A `message` is a
// `::onnx::ModelProto`.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNXSHAPES_MODELMESSAGE_H
#define DYN_LIB_TARGET_ONNXSHAPES_MODELMESSAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace dyn::onnx {

/// What value_info or an output says of a tensor of known rank. A dim is the text of its number or name.
struct DeclaredType {
  std::string name;
  bool isOutput;
  std::vector<std::string> dims;
};

/// Of outputs, of value_info and of inputs that have initializers, in this order.
std::vector<DeclaredType> readDeclaredTypes(const void *message);
std::vector<DeclaredType> readInputTypes(const void *message);

/// Calls `use` for each node of the main graph that computes values, in their order, with its label: its name, or that
/// of its first output.
void forEachComputingNode(const void *message,
                          llvm::function_ref<void(llvm::StringRef label, llvm::ArrayRef<llvm::StringRef> values)> use);
std::vector<std::string> listOutputs(const void *message);

/// What is to be written for a tensor, or a sequence of tensors.
struct InferredType {
  int elementType; ///< ONNX's number; written only where the file has none
  /// The text of a dim, a number or an expression; empty for one that keeps what the file says of it. Nothing where
  /// the rank is not known.
  std::optional<std::vector<std::string>> dims;
  bool isSequence;         ///< a sequence of such tensors
  bool isOptional = false; ///< known to be one, whatever its nodes tell
};
using GetType = llvm::function_ref<std::optional<InferredType>(llvm::StringRef name)>;

/// Writes the types of inputs, outputs and, in value_info, of all values that nodes compute: an optional, which has the
/// type of what is in it here, as an optional. A value for which there is none keeps what the file says of it; graphs
/// of nodes do so, but for dims whose texts have symbols, as `isSymbol` says, that come up around them.
void writeTypes(void *message, GetType getInputType, GetType getType,
                llvm::function_ref<bool(llvm::StringRef)> isSymbol);

/// The files that hold external data, relative to the model's folder, each once; those of subgraphs and functions too.
std::vector<std::string> listExternalFiles(const void *message);

/// Fails for a model beyond protobuf's 2 GiB.
llvm::Expected<std::string> serialize(const void *message);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNXSHAPES_MODELMESSAGE_H

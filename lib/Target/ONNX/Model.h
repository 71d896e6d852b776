//===- An ONNX model without protobuf ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What the importer needs of a model, as plain structs. Keeps protobuf's headers
// out of files that see MLIR dialects: either is slow to compile, both together
// are worse. Texts belong to the Model: they stand in its messages, or are made for
// it. Nothing here is checked beyond its own form; what does not exist in
// a hostile file (a value, a type, an attribute kind) is simply absent.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_MODEL_H
#define DYN_LIB_TARGET_ONNX_MODEL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dyn::onnx {

/// The numbers of TensorProto.DataType. A file may hold others.
enum class ElementType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26,
};

/// Bytes of one element in memory; 0 for types that can't be imported.
unsigned getByteSize(ElementType type);
/// How many elements share a byte in files.
unsigned getElementsPerByte(ElementType type);
/// A byte for each of elements that share bytes.
std::string unpackElements(ElementType type, llvm::StringRef bytes, uint64_t count);
/// For messages, which say that it is a type: `float`, `int64`, `string`; the number of one that is unknown.
std::string getElementTypeName(ElementType type);

struct ExternalData {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  /// What is wrong with the entry itself; empty if nothing is.
  std::string error;
};

struct Tensor {
  llvm::StringRef name;
  ElementType type = ElementType::Undefined;
  llvm::SmallVector<int64_t, 4> dims;
  /// Little-endian, row-major, dense; owned by the Model. Of no meaning if `external` is set.
  llvm::StringRef bytes;
  std::optional<ExternalData> external;
  /// Of elements that are strings, which have no bytes; owned by the Model.
  std::vector<llvm::StringRef> strings;
};

struct Dim {
  enum class Kind { Unnamed, Value, Text } kind = Kind::Unnamed;
  int64_t value = 0;
  llvm::StringRef text;
};

/// What a type wraps around that of a dense tensor.
enum class Container { None, Sequence, Optional, OptionalSequence };

struct ValueInfo {
  llvm::StringRef name;
  ElementType type = ElementType::Undefined;
  /// `a sequence`, `a map`, ... where the type is not that of a dense tensor.
  std::string notTensor;
  std::optional<std::vector<Dim>> dims;
  Container container = Container::None;
  std::optional<std::vector<Dim>> elementDims; ///< of each tensor in a container
  bool hasType = true;                         ///< files may leave types of outputs and of values between nodes out
};

struct Graph;

struct NodeAttribute {
  enum class Kind { Int, Float, String, Ints, Floats, Strings, Tensor, Graph, Other } kind = Kind::Other;
  llvm::StringRef name;
  /// Inside a function: the name of the function's attribute whose value this one takes.
  llvm::StringRef reference;
  int64_t i = 0;
  float f = 0;
  llvm::StringRef s;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<llvm::StringRef> strings;
  onnx::Tensor tensor;
  std::shared_ptr<onnx::Graph> graph; ///< of kind Graph, unless it is a list of graphs
  std::shared_ptr<ValueInfo> typeOf;  ///< of an attribute that is a type: a value of that type
};

struct Node {
  llvm::StringRef name, opType, domain, overload;
  /// Opset of its domain that the node is to be read by.
  int64_t version = 0;
  llvm::SmallVector<llvm::StringRef, 3> inputs;
  llvm::SmallVector<llvm::StringRef, 1> outputs;
  std::vector<NodeAttribute> attributes;

  const NodeAttribute *getAttribute(llvm::StringRef attributeName) const;
  /// `node '/l0/Add' (Add)`; a node without name is called by its first output.
  std::string describe() const;
  /// The name, or the first output's.
  llvm::StringRef getLabel() const;
};

struct Function {
  llvm::StringRef name, domain, overload;
  std::vector<llvm::StringRef> inputs, outputs;
  std::vector<NodeAttribute> defaults;
  std::vector<Node> nodes;
};

/// Nodes that stand on their own, or the body of a node, which also reads values around it.
struct Graph {
  std::vector<ValueInfo> inputs, outputs, values;
  std::vector<Tensor> initializers;
  std::vector<Node> nodes;
};

struct Model : Graph {
  std::vector<Function> functions;
  /// Of the model's own graph, once its nodes are in order: those that no output needs, in an order in which each
  /// stands after those that it reads.
  std::vector<Node> unneeded;
  /// Bytes of tensors that are not views into the serialized message.
  std::deque<std::string> ownedBytes;
  std::vector<std::shared_ptr<void>> messages;
  /// Of names that no message has.
  llvm::BumpPtrAllocator textMemory;
  llvm::StringSaver texts{textMemory};
};

/// Calls `read` for every value that a node needs: its inputs, and what graphs among its attributes read from outside.
void forEachRead(const Node &node, llvm::function_ref<void(llvm::StringRef)> read);
/// Calls `visit` for each graph among the attributes of a node.
void forEachGraph(const Node &node, llvm::function_ref<void(Graph &)> visit);

/// A name for messages: control characters escaped, overlong names cut.
std::string quoteName(llvm::StringRef name);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_MODEL_H

//===- An ONNX model without protobuf ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn::onnx;

unsigned dyn::onnx::getByteSize(ElementType type) {
  switch (type) {
  case ElementType::UInt8:
  case ElementType::Int8:
  case ElementType::Bool:
  case ElementType::Float8E4M3FN:
  case ElementType::Float8E4M3FNUZ:
  case ElementType::Float8E5M2:
  case ElementType::Float8E5M2FNUZ:
  case ElementType::Float8E8M0:
  case ElementType::Float4E2M1:
  case ElementType::UInt4:
  case ElementType::Int4:
  case ElementType::UInt2:
  case ElementType::Int2:
    return 1;
  case ElementType::UInt16:
  case ElementType::Int16:
  case ElementType::Float16:
  case ElementType::BFloat16:
    return 2;
  case ElementType::Float:
  case ElementType::Int32:
  case ElementType::UInt32:
    return 4;
  case ElementType::Double:
  case ElementType::Int64:
  case ElementType::UInt64:
    return 8;
  default:
    return 0;
  }
}

unsigned dyn::onnx::getElementsPerByte(ElementType type) {
  switch (type) {
  case ElementType::Float4E2M1:
  case ElementType::UInt4:
  case ElementType::Int4:
    return 2;
  case ElementType::UInt2:
  case ElementType::Int2:
    return 4;
  default:
    return 1;
  }
}

std::string dyn::onnx::unpackElements(ElementType type, llvm::StringRef bytes, uint64_t count) {
  unsigned perByte = getElementsPerByte(type), bits = 8 / perByte;
  std::string elements(count, '\0');
  for (uint64_t i = 0; i < count; ++i) {
    auto byte = static_cast<unsigned char>(bytes[i / perByte]);
    elements[i] = static_cast<char>((byte >> (i % perByte * bits)) & ((1u << bits) - 1));
  }
  return elements;
}

std::string dyn::onnx::getElementTypeName(ElementType type) {
  static constexpr llvm::StringLiteral names[] = {
      "undefined", "float",      "uint8",      "int8",         "uint16",         "int16",      "int32",
      "int64",     "string",     "bool",       "float16",      "double",         "uint32",     "uint64",
      "complex64", "complex128", "bfloat16",   "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
      "uint4",     "int4",       "float4e2m1", "float8e8m0",   "uint2",          "int2"};
  auto number = static_cast<int32_t>(type);
  if (number >= 0 && number < static_cast<int32_t>(std::size(names)))
    return names[number].str();
  return std::to_string(number);
}

const NodeAttribute *Node::getAttribute(llvm::StringRef attributeName) const {
  for (const NodeAttribute &attribute : attributes)
    if (attribute.name == attributeName)
      return &attribute;
  return nullptr;
}

llvm::StringRef Node::getLabel() const {
  if (!name.empty())
    return name;
  for (llvm::StringRef output : outputs)
    if (!output.empty())
      return output;
  return opType;
}

std::string Node::describe() const {
  std::string text = name.empty() ? "unnamed node that computes " : "node ";
  text += quoteName(getLabel()) + " (";
  if (!domain.empty())
    text += domain.str() + ".";
  return text + (opType.empty() ? "no operator" : opType.str()) + ")";
}

void dyn::onnx::forEachGraph(const Node &node, llvm::function_ref<void(Graph &)> visit) {
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.graph)
      visit(*attribute.graph);
}

/// What a graph reads that it does not define.
static void forEachFreeName(const Graph &graph, llvm::function_ref<void(llvm::StringRef)> read) {
  llvm::StringSet<> defined;
  for (const ValueInfo &input : graph.inputs)
    defined.insert(input.name);
  for (const Tensor &tensor : graph.initializers)
    defined.insert(tensor.name);
  for (const Node &node : graph.nodes)
    for (llvm::StringRef output : node.outputs)
      defined.insert(output);
  auto readFree = [&](llvm::StringRef name) {
    if (!name.empty() && !defined.contains(name))
      read(name);
  };
  for (const Node &node : graph.nodes)
    forEachRead(node, readFree);
  for (const ValueInfo &output : graph.outputs)
    readFree(output.name);
}

void dyn::onnx::forEachRead(const Node &node, llvm::function_ref<void(llvm::StringRef)> read) {
  for (llvm::StringRef input : node.inputs)
    if (!input.empty())
      read(input);
  forEachGraph(node, [&](Graph &graph) { forEachFreeName(graph, read); });
}

static bool isUTF8(llvm::StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  return llvm::isLegalUTF8String(&begin, begin + text.size());
}

std::string dyn::onnx::quoteName(llvm::StringRef name) {
  size_t limit = 200;
  // Not within a letter.
  while (limit < name.size() && limit > 0 && (name[limit] & 0xC0) == 0x80)
    --limit;
  llvm::StringRef shown = name.take_front(limit);
  bool hasLetters = isUTF8(shown);
  std::string text = "'";
  llvm::raw_string_ostream os(text);
  for (char byte : shown)
    if (hasLetters && !llvm::isASCII(byte))
      os << byte;
    else
      os.write_escaped(llvm::StringRef(&byte, 1));
  if (name.size() > limit)
    os << "...";
  os << '\'';
  return text;
}

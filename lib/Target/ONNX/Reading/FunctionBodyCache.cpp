//===- Bodies of operators that nodes share -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionBodyCache.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn::onnx;

namespace {
/// Numbers and texts one after the other, so that different lists have different texts.
class KeyWriter {
public:
  explicit KeyWriter(std::string &key) : os(key) {}

  KeyWriter &operator<<(int64_t number) {
    os << number << ' ';
    return *this;
  }
  KeyWriter &operator<<(llvm::StringRef text) {
    os << text.size() << ':' << text;
    return *this;
  }
  /// By its bits: NaN is a value as others are.
  KeyWriter &operator<<(float number) {
    uint32_t bits = 0;
    memcpy(&bits, &number, sizeof(bits));
    return *this << static_cast<int64_t>(bits);
  }
  template <typename List>
  void addAll(const List &list) {
    *this << static_cast<int64_t>(list.size());
    for (const auto &element : list)
      *this << element;
  }

private:
  llvm::raw_string_ostream os;
};
} // namespace

/// Can't it be told by a short text?
static bool isLarge(const NodeAttribute &attribute) {
  using Kind = NodeAttribute::Kind;
  return attribute.kind == Kind::Tensor || attribute.kind == Kind::Graph || attribute.kind == Kind::Other;
}

/// What ONNX's builders see of a node: which operands and results there are, but not their names.
static std::string makeKey(const Node &node, llvm::ArrayRef<OperandType> operands) {
  std::string key;
  KeyWriter writer(key);
  writer << node.domain << node.opType << node.version << static_cast<int64_t>(node.inputs.size());
  for (llvm::StringRef input : node.inputs)
    writer << int64_t(input.empty());
  writer << static_cast<int64_t>(node.outputs.size());
  for (llvm::StringRef output : node.outputs)
    writer << int64_t(output.empty());
  for (const NodeAttribute &attribute : node.attributes) {
    writer << attribute.name << static_cast<int64_t>(attribute.kind) << attribute.i << attribute.f << attribute.s;
    writer.addAll(attribute.ints);
    writer.addAll(attribute.floats);
    writer.addAll(attribute.strings);
  }
  for (const OperandType &operand : operands) {
    writer << static_cast<int64_t>(operand.type) << int64_t(operand.dims.has_value());
    if (operand.dims)
      writer.addAll(*operand.dims);
  }
  return key;
}

const Function *FunctionBodyCache::keep(std::optional<Function> body) {
  return body ? &bodies.emplace_back(std::move(*body)) : nullptr;
}

const Function *FunctionBodyCache::find(const Node &node, llvm::ArrayRef<OperandType> operands) {
  if (llvm::any_of(node.attributes, isLarge))
    return keep(findFunctionBody(node, operands, model));
  auto [entry, isNew] = known.try_emplace(makeKey(node, operands));
  if (isNew)
    entry->second = keep(findFunctionBody(node, operands, model));
  return entry->second;
}

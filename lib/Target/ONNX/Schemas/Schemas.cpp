//===- What ONNX defines about operators ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Schemas.h"
#include "onnx/defs/schema.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace dyn::onnx;
using ::onnx::OpSchema;
using ::onnx::OpSchemaRegistry;

int64_t dyn::onnx::resolveOpset(llvm::StringRef name, int64_t declared) {
  if (declared < 1 || declared > std::numeric_limits<int>::max())
    return declared;
  std::string opType = name.str();
  // What an operator was before, it still is where no schema came between.
  if (declared < kOldestOpset) {
    const OpSchema *then = OpSchemaRegistry::Schema(opType, static_cast<int>(declared));
    const OpSchema *now = OpSchemaRegistry::Schema(opType, static_cast<int>(kOldestOpset));
    if (then && now && then->SinceVersion() == now->SinceVersion())
      return kOldestOpset;
  }
  const OpSchema *latest = OpSchemaRegistry::Schema(opType);
  for (int64_t opset = declared; latest && opset <= latest->SinceVersion(); ++opset)
    if (OpSchemaRegistry::Schema(opType, static_cast<int>(opset)))
      return opset;
  return declared;
}

int64_t dyn::onnx::getNewestOpset() {
  static const int64_t newest = OpSchemaRegistry::DomainToVersionRange::Instance().Map().at(::onnx::ONNX_DOMAIN).second;
  return newest;
}

static const OpSchema *lookUp(const Node &node) {
  if (!node.domain.empty() || node.version < 1 || node.version > std::numeric_limits<int>::max())
    return nullptr;
  return OpSchemaRegistry::Schema(node.opType.str(), static_cast<int>(node.version));
}

int64_t OperatorSchemas::resolveOpset(llvm::StringRef opType, int64_t declared) {
  auto &known = resolved[opType];
  auto found = llvm::find_if(known, [&](const auto &entry) { return entry.first == declared; });
  if (found != known.end())
    return found->second;
  return known.emplace_back(declared, dyn::onnx::resolveOpset(opType, declared)).second;
}

/// The bit of an element type by what ONNX calls tensors of it, of which there is one text; 0 for types that are none.
static uint64_t getTypeBit(const std::string *type) {
  static const llvm::DenseMap<const std::string *, uint64_t> bits = [] {
    llvm::DenseMap<const std::string *, uint64_t> all;
    for (auto number = static_cast<unsigned>(ElementType::Float); number <= static_cast<unsigned>(ElementType::Int2);
         ++number)
      try {
        std::string name = "tensor(" + getElementTypeName(static_cast<ElementType>(number)) + ")";
        all[::onnx::Utils::DataTypeUtils::ToType(name)] = uint64_t(1) << number;
      } catch (const std::exception &) {
        // A type that this ONNX does not know.
      }
    return all;
  }();
  return bits.lookup(type);
}

const OperatorSchemas::Operands &OperatorSchemas::getOperands(const Node &node) {
  auto &known = operandsOf[node.opType];
  auto found = llvm::find_if(known, [&](const auto &entry) { return entry.first == node.version; });
  if (found != known.end())
    return found->second;
  Operands &operands = known.emplace_back(node.version, Operands()).second;
  const OpSchema *schema = lookUp(node);
  if (!schema)
    return operands;
  for (const OpSchema::FormalParameter &formal : schema->inputs()) {
    Operand &operand = operands.emplace_back();
    operand.isVariadic = formal.GetOption() == OpSchema::Variadic;
    for (const std::string *type : formal.GetTypes())
      operand.types |= getTypeBit(type);
  }
  return operands;
}

std::string OperatorSchemas::findTypeError(const Node &node, llvm::ArrayRef<ElementType> operands) {
  if (!node.domain.empty())
    return {};
  const Operands &formals = getOperands(node);
  if (formals.empty())
    return {};
  for (auto [index, type] : llvm::enumerate(operands)) {
    const Operand &formal = formals[std::min(index, formals.size() - 1)];
    if (index >= formals.size() && !formal.isVariadic)
      return {};
    if (type == ElementType::Undefined || formal.types >> static_cast<unsigned>(type) & 1)
      continue;
    std::string name = "operand " + std::to_string(index) + ", " + quoteName(node.inputs[index]);
    if (!formal.types)
      return name + ", is a tensor, which the operator does not take in opset " + std::to_string(node.version);
    return name + ", has elements of type " + getElementTypeName(type) +
           ", which the operator does not take in opset " + std::to_string(node.version);
  }
  return {};
}

//===- What ONNX defines about operators ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Schemas.h"
#include "onnx/defs/schema.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace dyn::onnx;
using ::onnx::OpSchema;
using ::onnx::OpSchemaRegistry;

int64_t dyn::onnx::resolveOpset(const std::string &opType, int64_t declared) {
  if (declared < 1 || declared > std::numeric_limits<int>::max())
    return declared;
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
  return OpSchemaRegistry::DomainToVersionRange::Instance().Map().at(::onnx::ONNX_DOMAIN).second;
}

static const OpSchema *lookUp(const Node &node) {
  if (!node.domain.empty() || node.version < 1 || node.version > std::numeric_limits<int>::max())
    return nullptr;
  return OpSchemaRegistry::Schema(node.opType, static_cast<int>(node.version));
}

std::string dyn::onnx::findTypeError(const Node &node, llvm::ArrayRef<ElementType> operands) {
  const OpSchema *schema = lookUp(node);
  if (!schema || schema->inputs().empty())
    return {};
  const auto &formals = schema->inputs();
  for (auto [index, type] : llvm::enumerate(operands)) {
    const auto &formal = formals[std::min(index, formals.size() - 1)];
    if (index >= formals.size() && formal.GetOption() != OpSchema::Variadic)
      return {};
    std::string name = "tensor(" + getElementTypeName(type) + ")";
    const auto &types = formal.GetTypes();
    bool taken = llvm::any_of(types, [&](const std::string *candidate) { return *candidate == name; });
    bool takesTensors =
        llvm::any_of(types, [](const std::string *candidate) { return candidate->rfind("tensor(", 0) == 0; });
    if (type != ElementType::Undefined && !takesTensors)
      return "operand " + std::to_string(index) + ", " + quoteName(node.inputs[index]) +
             ", is a tensor, which the operator does not take in opset " + std::to_string(node.version);
    if (type != ElementType::Undefined && !taken)
      return "operand " + std::to_string(index) + ", " + quoteName(node.inputs[index]) + ", has elements of type " +
             getElementTypeName(type) + ", which the operator does not take in opset " + std::to_string(node.version);
  }
  return {};
}

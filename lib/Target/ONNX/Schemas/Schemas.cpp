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
#include <map>

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

const OperatorSchemas::Operator &OperatorSchemas::getOperator(const Node &node) {
  auto &known = operators[node.opType];
  auto found = llvm::find_if(known, [&](const auto &entry) { return entry.first == node.version; });
  if (found != known.end())
    return found->second;
  Operator &added = known.emplace_back(node.version, Operator()).second;
  added.schema = lookUp(node);
  if (!added.schema)
    return added;
  for (const OpSchema::FormalParameter &formal : added.schema->inputs()) {
    Operand &operand = added.operands.emplace_back();
    operand.isVariadic = formal.GetOption() == OpSchema::Variadic;
    for (const std::string *type : formal.GetTypes())
      operand.types |= getTypeBit(type);
  }
  return added;
}

std::string OperatorSchemas::findTypeError(const Node &node, llvm::ArrayRef<ElementType> operands) {
  if (!node.domain.empty())
    return {};
  llvm::ArrayRef<Operand> formals = getOperator(node).operands;
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

std::string OperatorSchemas::findUnknownAttribute(const Node &node) {
  // The names of operators of other domains may be those of ONNX's.
  const OpSchema *schema = node.domain.empty() && !node.attributes.empty() ? getOperator(node).schema : nullptr;
  if (!schema)
    return {};
  for (const NodeAttribute &attribute : node.attributes)
    // ONNX leaves names that begin so to writers.
    if (!attribute.name.starts_with("__") && schema->attributes().count(attribute.name.str()) == 0)
      return "attribute " + quoteName(attribute.name) + ", which the operator does not have in opset " +
             std::to_string(node.version);
  return {};
}

/// Have operands that ONNX wants to be of one type different ones?
static bool mixesTypes(const OpSchema &schema, llvm::ArrayRef<ElementType> operands) {
  const auto &formals = schema.inputs();
  std::map<std::string, ElementType> types;
  for (auto [index, type] : llvm::enumerate(operands)) {
    const OpSchema::FormalParameter &formal = formals[std::min(index, formals.size() - 1)];
    bool isFree = formal.GetOption() == OpSchema::Variadic && !formal.GetIsHomogeneous();
    if (type != ElementType::Undefined && !isFree && types.try_emplace(formal.GetTypeStr(), type).first->second != type)
      return true;
  }
  return false;
}

/// Has the attribute a value of another kind than ONNX says? Some writers leave out of what kind an empty list is.
static bool isOfWrongKind(const NodeAttribute &attribute, ::onnx::AttributeProto::AttributeType type) {
  using Kind = NodeAttribute::Kind;
  using Proto = ::onnx::AttributeProto;
  constexpr std::pair<Kind, Proto::AttributeType> types[] = {
      {Kind::Int, Proto::INT},       {Kind::Float, Proto::FLOAT},   {Kind::String, Proto::STRING},
      {Kind::Ints, Proto::INTS},     {Kind::Floats, Proto::FLOATS}, {Kind::Strings, Proto::STRINGS},
      {Kind::Tensor, Proto::TENSOR}, {Kind::Graph, Proto::GRAPH}};
  auto found = llvm::find_if(types, [&](const auto &entry) { return entry.first == attribute.kind; });
  return found != std::end(types) && found->second != type;
}

bool OperatorSchemas::refuses(const Node &node, llvm::ArrayRef<ElementType> operands) {
  const OpSchema *schema = lookUp(node);
  if (!schema)
    return false;
  // Operands that are left out at the end count as little as those that are not there.
  size_t count = node.inputs.size();
  while (count != 0 && node.inputs[count - 1].empty())
    --count;
  if (count < static_cast<size_t>(schema->min_input()) || count > static_cast<size_t>(schema->max_input()))
    return true;
  for (auto [index, formal] : llvm::enumerate(schema->inputs()))
    if (formal.GetOption() == OpSchema::Single && index < count && node.inputs[index].empty())
      return true;
  for (const auto &[name, defined] : schema->attributes()) {
    const NodeAttribute *attribute = node.getAttribute(name);
    if (attribute ? isOfWrongKind(*attribute, defined.type) : defined.required)
      return true;
  }
  return !findTypeError(node, operands).empty() || (!operands.empty() && mixesTypes(*schema, operands));
}

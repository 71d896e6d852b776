//===- What ONNX defines about operators ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Schemas.h"
#include "ContribOperands.h"
#include "onnx/defs/schema.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
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

const OpSchema *dyn::onnx::lookUpSchema(const Node &node) {
  if (node.version < 1 || node.version > std::numeric_limits<int>::max())
    return nullptr;
  return OpSchemaRegistry::Schema(node.opType.str(), static_cast<int>(node.version), node.domain.str());
}

/// Of the domains that operands are checked of.
static const OpSchema *lookUp(const Node &node) {
  bool isDefined = node.domain.empty() || node.domain == ::onnx::AI_ONNX_ML_DOMAIN;
  return isDefined ? lookUpSchema(node) : nullptr;
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

/// The bits of the element types that a letter of getContribOperands stands for.
static uint64_t getTypeBits(char letter) {
  auto collect = [](std::initializer_list<ElementType> types) {
    uint64_t bits = 0;
    for (ElementType type : types)
      bits |= uint64_t(1) << static_cast<unsigned>(type);
    return bits;
  };
  using Type = ElementType;
  static const uint64_t floats = collect({Type::Float, Type::Float16, Type::Double, Type::BFloat16});
  static const uint64_t integers =
      collect({Type::UInt8, Type::Int8, Type::UInt16, Type::Int16, Type::Int32, Type::Int64, Type::UInt32, Type::UInt64,
               Type::UInt4, Type::Int4, Type::UInt2, Type::Int2});
  static const uint64_t booleans = collect({Type::Bool});
  static const uint64_t others = collect({Type::String, Type::Complex64, Type::Complex128});
  switch (letter) {
  case 'F':
    return floats;
  case 'I':
    return integers;
  case 'B':
    return booleans;
  case 'N':
    return ~others;
  default:
    return ~uint64_t(0);
  }
}

OperatorSchemas::Operator::Operator(const Node &node) {
  if (node.domain == "com.microsoft") {
    llvm::StringRef letters = getContribOperands(node.opType);
    auto [first, last] = letters.split('*');
    for (char letter : (llvm::Twine(first) + last).str())
      operands.push_back(getTypeBits(letter));
    repeated = last.size();
    return;
  }
  schema = lookUp(node);
  if (!schema)
    return;
  for (const auto &attribute : schema->attributes())
    attributes.push_back(attribute.first);
  for (const OpSchema::FormalParameter &formal : schema->inputs()) {
    uint64_t &types = operands.emplace_back(0);
    repeated = formal.GetOption() == OpSchema::Variadic;
    for (const std::string *type : formal.GetTypes())
      types |= getTypeBit(type);
  }
}

const OperatorSchemas::Operator &OperatorSchemas::getOperator(const Node &node) {
  llvm::SmallString<32> name(node.domain);
  name += ':';
  name += node.opType;
  auto &known = operators[name];
  auto found = llvm::find_if(known, [&](const auto &entry) { return entry.first == node.version; });
  if (found != known.end())
    return *found->second;
  return *known.emplace_back(node.version, std::unique_ptr<Operator>(new Operator(node))).second;
}

std::string OperatorSchemas::Operator::findTypeError(const Node &node, llvm::ArrayRef<ElementType> types) const {
  size_t count = operands.size();
  for (auto [index, type] : llvm::enumerate(types)) {
    if (index >= count && repeated == 0)
      return {};
    uint64_t taken = operands[index < count ? index : count - repeated + (index - count) % repeated];
    if (type == ElementType::Undefined || taken >> static_cast<unsigned>(type) & 1)
      continue;
    std::string name = "operand " + std::to_string(index) + ", " + quoteName(node.inputs[index]);
    std::string refused = ", which the operator does not take";
    if (node.domain != "com.microsoft")
      refused += " in opset " + std::to_string(node.version);
    return name + (taken ? ", has elements of type " + getElementTypeName(type) : std::string(", is a tensor")) +
           refused;
  }
  return {};
}

std::string OperatorSchemas::Operator::findUnknownAttribute(const Node &node) const {
  if (!schema)
    return {};
  for (const NodeAttribute &attribute : node.attributes)
    // ONNX leaves names that begin so to writers.
    if (!hasAttribute(attribute.name) && !attribute.name.starts_with("__"))
      return "attribute " + quoteName(attribute.name) + ", which the operator does not have in opset " +
             std::to_string(node.version);
  return {};
}

/// Is this what the attribute is where it is left out?
static bool isDefault(const NodeAttribute &attribute, const ::onnx::AttributeProto &value) {
  using Kind = NodeAttribute::Kind;
  using Proto = ::onnx::AttributeProto;
  switch (attribute.kind) {
  case Kind::Int:
    return value.type() == Proto::INT && value.i() == attribute.i;
  case Kind::Float:
    return value.type() == Proto::FLOAT && value.f() == attribute.f;
  case Kind::String:
    return value.type() == Proto::STRING && value.s() == attribute.s;
  case Kind::Ints:
    return value.type() == Proto::INTS && llvm::equal(value.ints(), attribute.ints);
  case Kind::Floats:
    return value.type() == Proto::FLOATS && llvm::equal(value.floats(), attribute.floats);
  default:
    return false;
  }
}

/// The opsets of an operator in which an attribute is something else than its default: `opset 1 to 17`. Empty if none.
static std::string findOpsetsThatRead(const OpSchema &schema, const NodeAttribute &attribute) {
  constexpr int open = std::numeric_limits<int>::max();
  // The newest first.
  llvm::SmallVector<std::pair<int, int>> ranges;
  bool isRead = false;
  int last = open;
  while (const OpSchema *other = OpSchemaRegistry::Schema(schema.Name(), last, schema.domain())) {
    int first = other->SinceVersion();
    auto found = other->attributes().find(attribute.name.str());
    if (found != other->attributes().end()) {
      isRead |= !isDefault(attribute, found->second.default_value);
      if (!ranges.empty() && ranges.back().first == last + 1)
        ranges.back().first = first;
      else
        ranges.emplace_back(first, last);
    }
    last = first - 1;
  }
  std::string text;
  for (auto [begin, end] : llvm::reverse(ranges)) {
    text += (text.empty() ? "opset " : " and ") + std::to_string(begin);
    if (end != begin)
      text += end == open ? " and later" : " to " + std::to_string(end);
  }
  return isRead ? text : "";
}

std::string OperatorSchemas::Operator::findMisreadAttribute(const Node &node) const {
  // A Constant is what its attribute says, by whatever opset; onnxruntime makes an initializer of it before it asks.
  if (!schema || (node.domain.empty() && node.opType == "Constant"))
    return {};
  for (const NodeAttribute &attribute : node.attributes)
    if (!hasAttribute(attribute.name))
      if (std::string opsets = findOpsetsThatRead(*schema, attribute); !opsets.empty())
        return "attribute " + quoteName(attribute.name) + ", which the operator has in " + opsets +
               ", but not in opset " + std::to_string(node.version) + ", by which the node is read";
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

bool OperatorSchemas::Operator::refuses(const Node &node, llvm::ArrayRef<ElementType> types) const {
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
  return !findTypeError(node, types).empty() || (!schema->inputs().empty() && mixesTypes(*schema, types));
}

//===- From protobuf to Model -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ModelReader.h"
#include "../Schemas/Schemas.h"
#include "Checker.h"
#include "SparseTensors.h"
#include "onnx/onnx_pb.h"
#include "llvm/ADT/bit.h"
#include <google/protobuf/arena.h>

using namespace dyn::onnx;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static_assert(llvm::endianness::native == llvm::endianness::little, "tensor bytes are used as they stand in the file");

namespace {

using OpsetVersions = llvm::StringMap<int64_t>;

/// `ai.onnx` is another spelling of the empty domain.
StringRef normalizeDomain(StringRef domain) { return domain == "ai.onnx" ? StringRef() : domain; }

/// Converts one message. Holds what the parts of a model share.
class Converter {
public:
  /// `views`: see parseModel.
  explicit Converter(Model &model, const RawDataViews &views) : model(model), views(views) {}

  Error convert(const ::onnx::ModelProto &message);
  Function convert(const ::onnx::FunctionProto &message, const OpsetVersions &modelVersions);

private:
  Tensor convert(const ::onnx::TensorProto &message);
  /// Written out; `what` it is goes into messages.
  Tensor convert(const ::onnx::SparseTensorProto &message, const std::string &what);
  ValueInfo convert(const ::onnx::ValueInfoProto &message);
  NodeAttribute convert(const ::onnx::AttributeProto &message, const OpsetVersions &versions);
  Error convert(const ::onnx::GraphProto &message, const OpsetVersions &versions, Graph &graph);
  Node convert(const ::onnx::NodeProto &message, const OpsetVersions &versions);

  template <typename Element, typename Field>
  StringRef pack(const Field &field);
  StringRef packTyped(const ::onnx::TensorProto &message);
  StringRef getBytes(const ::onnx::TensorProto &message);

  Model &model;
  const RawDataViews &views;
  /// What is wrong with the graph of a node, or with a sparse tensor.
  std::string problem;
  /// What sparse tensors may come to when they are written out.
  int64_t sparseBytesLeft = int64_t(1) << 30;
  OperatorSchemas schemas;
};

/// The elements of a typed field as dense bytes.
template <typename Element, typename Field>
StringRef Converter::pack(const Field &field) {
  std::string &bytes = model.ownedBytes.emplace_back();
  bytes.resize(static_cast<size_t>(field.size()) * sizeof(Element));
  char *to = bytes.data();
  for (auto value : field) {
    auto element = static_cast<Element>(value);
    memcpy(to, &element, sizeof(Element));
    to += sizeof(Element);
  }
  return bytes;
}

StringRef Converter::packTyped(const ::onnx::TensorProto &message) {
  auto type = static_cast<ElementType>(message.data_type());
  switch (type) {
  case ElementType::Float:
    return pack<float>(message.float_data());
  case ElementType::Double:
    return pack<double>(message.double_data());
  case ElementType::Int64:
    return pack<int64_t>(message.int64_data());
  case ElementType::UInt32:
    return pack<uint32_t>(message.uint64_data());
  case ElementType::UInt64:
    return pack<uint64_t>(message.uint64_data());
  case ElementType::Int32:
    return pack<int32_t>(message.int32_data());
  default:
    break;
  }
  // Narrower ones have 32 bits each in the file, the bits of floats.
  switch (getByteSize(type)) {
  case 1:
    return pack<uint8_t>(message.int32_data());
  case 2:
    return pack<uint16_t>(message.int32_data());
  default:
    return {};
  }
}

ExternalData convertExternal(const ::onnx::TensorProto &message) {
  ExternalData external;
  for (const auto &entry : message.external_data()) {
    uint64_t number = 0;
    if (entry.key() == "location") {
      external.location = entry.value();
    } else if (entry.key() == "offset" || entry.key() == "length") {
      if (StringRef(entry.value()).getAsInteger(10, number))
        external.error = entry.key() + " " + quoteName(entry.value()) + " is no number";
      else if (entry.key() == "offset")
        external.offset = number;
      else
        external.length = number;
    }
  }
  if (external.location.empty())
    external.error = "its location is missing";
  return external;
}

StringRef Converter::getBytes(const ::onnx::TensorProto &message) {
  if (auto view = views.find(const_cast<::onnx::TensorProto *>(&message)); view != views.end())
    return view->second;
  return message.has_raw_data() ? StringRef(message.raw_data()) : packTyped(message);
}

Tensor Converter::convert(const ::onnx::TensorProto &message) {
  Tensor tensor;
  tensor.name = message.name();
  tensor.type = static_cast<ElementType>(message.data_type());
  tensor.dims.assign(message.dims().begin(), message.dims().end());
  if (message.data_location() == ::onnx::TensorProto::EXTERNAL)
    tensor.external = convertExternal(message);
  else
    tensor.bytes = getBytes(message);
  tensor.strings.assign(message.string_data().begin(), message.string_data().end());
  return tensor;
}

Tensor Converter::convert(const ::onnx::SparseTensorProto &message, const std::string &what) {
  llvm::SmallVector<int64_t, 4> dims(message.dims().begin(), message.dims().end());
  llvm::Expected<Tensor> dense =
      makeDense(model, convert(message.values()), convert(message.indices()), dims, sparseBytesLeft);
  if (dense)
    return std::move(*dense);
  std::string found = what + ": " + llvm::toString(dense.takeError());
  if (problem.empty())
    problem = std::move(found);
  return {};
}

std::string describeKind(const ::onnx::TypeProto &type) {
  switch (type.value_case()) {
  case ::onnx::TypeProto::kTensorType:
    return {};
  case ::onnx::TypeProto::kSequenceType: {
    std::string element = describeKind(type.sequence_type().elem_type());
    return element.empty() ? "a sequence" : "a sequence of which each element is " + element;
  }
  case ::onnx::TypeProto::kMapType:
    return "a map";
  case ::onnx::TypeProto::kOptionalType:
    return "an optional";
  case ::onnx::TypeProto::kSparseTensorType:
    return "a sparse tensor";
  default:
    return "of no known type";
  }
}

Dim convertDim(const ::onnx::TensorShapeProto::Dimension &message) {
  Dim dim;
  if (message.has_dim_value()) {
    // Old exporters write -1 for "any".
    if (message.dim_value() != -1) {
      dim.kind = Dim::Kind::Value;
      dim.value = message.dim_value();
    }
  } else if (message.has_dim_param()) {
    dim.kind = Dim::Kind::Text;
    dim.text = message.dim_param();
  }
  return dim;
}

/// The type in a sequence or an optional, and which of them it is; the type itself of any other.
std::pair<const ::onnx::TypeProto *, Container> unwrap(const ::onnx::TypeProto &type) {
  const ::onnx::TypeProto *inner = &type;
  bool isOptional = inner->has_optional_type();
  if (isOptional)
    inner = &inner->optional_type().elem_type();
  bool isSequence = inner->has_sequence_type();
  if (isSequence)
    inner = &inner->sequence_type().elem_type();
  if (!inner->has_tensor_type())
    return {&type, Container::None};
  return {inner, isOptional && isSequence ? Container::OptionalSequence
                 : isOptional             ? Container::Optional
                 : isSequence             ? Container::Sequence
                                          : Container::None};
}

ValueInfo convertType(const ::onnx::TypeProto &message) {
  ValueInfo value;
  value.hasType = message.value_case() != ::onnx::TypeProto::VALUE_NOT_SET;
  value.notTensor = describeKind(message);
  auto [inner, container] = unwrap(message);
  value.container = container;
  if (inner->has_tensor_type())
    value.type = static_cast<ElementType>(inner->tensor_type().elem_type());
  if (!inner->has_tensor_type() || !inner->tensor_type().has_shape())
    return value;
  std::optional<std::vector<Dim>> &dims = value.notTensor.empty() ? value.dims : value.elementDims;
  const auto &shape = inner->tensor_type().shape();
  dims.emplace();
  dims->reserve(static_cast<size_t>(shape.dim_size()));
  for (const auto &dim : shape.dim())
    dims->push_back(convertDim(dim));
  return value;
}

ValueInfo Converter::convert(const ::onnx::ValueInfoProto &message) {
  ValueInfo value = convertType(message.type());
  value.name = message.name();
  return value;
}

NodeAttribute::Kind getKind(const ::onnx::AttributeProto &message) {
  switch (message.type()) {
  case ::onnx::AttributeProto::INT:
    return NodeAttribute::Kind::Int;
  case ::onnx::AttributeProto::FLOAT:
    return NodeAttribute::Kind::Float;
  case ::onnx::AttributeProto::STRING:
    return NodeAttribute::Kind::String;
  case ::onnx::AttributeProto::INTS:
    return NodeAttribute::Kind::Ints;
  case ::onnx::AttributeProto::FLOATS:
    return NodeAttribute::Kind::Floats;
  case ::onnx::AttributeProto::STRINGS:
    return NodeAttribute::Kind::Strings;
  case ::onnx::AttributeProto::TENSOR:
  case ::onnx::AttributeProto::SPARSE_TENSOR:
    return NodeAttribute::Kind::Tensor;
  case ::onnx::AttributeProto::GRAPH:
  case ::onnx::AttributeProto::GRAPHS:
    return NodeAttribute::Kind::Graph;
  default:
    return NodeAttribute::Kind::Other;
  }
}

NodeAttribute Converter::convert(const ::onnx::AttributeProto &message, const OpsetVersions &versions) {
  NodeAttribute attribute;
  attribute.name = message.name();
  attribute.reference = message.ref_attr_name();
  attribute.kind = getKind(message);
  attribute.i = message.i();
  attribute.f = message.f();
  attribute.s = message.s();
  attribute.ints.assign(message.ints().begin(), message.ints().end());
  attribute.floats.assign(message.floats().begin(), message.floats().end());
  attribute.strings.assign(message.strings().begin(), message.strings().end());
  if (message.has_t())
    attribute.tensor = convert(message.t());
  if (message.has_sparse_tensor())
    attribute.tensor = convert(message.sparse_tensor(), "attribute " + quoteName(message.name()));
  if (message.has_tp())
    attribute.typeOf = std::make_shared<ValueInfo>(convertType(message.tp()));
  if (message.has_g()) {
    attribute.graph = std::make_shared<Graph>();
    if (Error error = convert(message.g(), versions, *attribute.graph))
      problem = llvm::toString(std::move(error));
  }
  return attribute;
}

int64_t getDeclaredOpset(StringRef domain, const OpsetVersions &versions) {
  auto declared = versions.find(domain);
  if (declared != versions.end())
    return declared->second;
  // Files of some writers leave out domains other than ai.onnx, of which there is one opset only.
  return domain.empty() ? 0 : 1;
}

Node Converter::convert(const ::onnx::NodeProto &message, const OpsetVersions &versions) {
  Node node;
  node.name = message.name();
  node.opType = message.op_type();
  node.domain = normalizeDomain(message.domain());
  node.overload = message.overload();
  node.version = getDeclaredOpset(node.domain, versions);
  if (node.domain.empty())
    node.version = schemas.resolveOpset(node.opType, node.version);
  node.inputs.assign(message.input().begin(), message.input().end());
  node.outputs.assign(message.output().begin(), message.output().end());
  node.attributes.reserve(static_cast<size_t>(message.attribute_size()));
  for (const auto &attribute : message.attribute())
    node.attributes.push_back(convert(attribute, versions));
  return node;
}

template <typename Message>
void readVersions(const Message &message, OpsetVersions &versions) {
  for (const auto &import : message.opset_import())
    versions[normalizeDomain(import.domain())] = import.version();
}

Function Converter::convert(const ::onnx::FunctionProto &message, const OpsetVersions &modelVersions) {
  Function function;
  function.name = message.name();
  function.domain = normalizeDomain(message.domain());
  function.overload = message.overload();
  function.inputs.assign(message.input().begin(), message.input().end());
  function.outputs.assign(message.output().begin(), message.output().end());
  OpsetVersions versions = modelVersions;
  readVersions(message, versions);
  for (const auto &attribute : message.attribute_proto())
    function.defaults.push_back(convert(attribute, versions));
  for (const auto &node : message.node())
    function.nodes.push_back(convert(node, versions));
  return function;
}

Error Converter::convert(const ::onnx::GraphProto &message, const OpsetVersions &versions, Graph &graph) {
  graph.inputs.reserve(static_cast<size_t>(message.input_size()));
  for (const auto &value : message.input())
    graph.inputs.push_back(convert(value));
  for (const auto &value : message.output())
    graph.outputs.push_back(convert(value));
  graph.values.reserve(static_cast<size_t>(message.value_info_size()));
  for (const auto &value : message.value_info())
    graph.values.push_back(convert(value));
  graph.initializers.reserve(static_cast<size_t>(message.initializer_size()));
  for (const auto &tensor : message.initializer())
    graph.initializers.push_back(convert(tensor));
  for (const auto &tensor : message.sparse_initializer())
    graph.initializers.push_back(convert(tensor, "sparse initializer " + quoteName(tensor.values().name())));
  graph.nodes.reserve(static_cast<size_t>(message.node_size()));
  for (const auto &node : message.node())
    graph.nodes.push_back(convert(node, versions));
  return problem.empty() ? Error::success() : llvm::createStringError(problem);
}

Error Converter::convert(const ::onnx::ModelProto &message) {
  OpsetVersions versions;
  readVersions(message, versions);
  if (Error error = convert(message.graph(), versions, model))
    return error;
  for (const auto &function : message.functions())
    model.functions.push_back(convert(function, versions));
  return problem.empty() ? Error::success() : llvm::createStringError(problem);
}

} // namespace

Expected<std::unique_ptr<Model>> dyn::onnx::readModel(StringRef bytes, StringRef directory,
                                                      llvm::SmallVectorImpl<std::string> *findings, bool copiesWeights,
                                                      std::function<void()> &completeMessage) {
  // The parts of a message are let go of together. They take a few times as much as their bytes, weights aside.
  constexpr size_t smallestBlock = 1 << 10, largestBlock = 1 << 16;
  google::protobuf::ArenaOptions sizes;
  sizes.start_block_size = std::min(std::max<size_t>(4 * bytes.size(), smallestBlock), largestBlock);
  sizes.max_block_size = largestBlock;
  auto arena = std::make_shared<google::protobuf::Arena>(sizes);
  std::shared_ptr<::onnx::ModelProto> message(arena,
                                              google::protobuf::Arena::CreateMessage<::onnx::ModelProto>(arena.get()));
  RawDataViews views;
  if (Error error = parseModel(bytes, *message, copiesWeights ? nullptr : &views))
    return std::move(error);
  std::string finding = findings ? findObjection(*message, views, directory) : "";
  if (!finding.empty())
    findings->push_back(std::move(finding));
  auto model = std::make_unique<Model>();
  model->messages.push_back(message);
  if (Error error = Converter(*model, views).convert(*message))
    return std::move(error);
  completeMessage = [message, views = std::move(views)] {
    for (auto [tensor, data] : views)
      tensor->set_raw_data(data.data(), data.size());
  };
  return model;
}

Function dyn::onnx::readFunction(const ::onnx::FunctionProto &message, Model &model) {
  auto kept = std::make_shared<::onnx::FunctionProto>(message);
  model.messages.push_back(kept);
  return Converter(model, RawDataViews()).convert(*kept, {});
}

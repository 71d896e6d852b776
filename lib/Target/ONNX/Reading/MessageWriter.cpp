//===- From Model to protobuf -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MessageWriter.h"
#include "onnx/defs/schema.h"

using namespace dyn::onnx;
using llvm::StringRef;

namespace {

class Writer {
public:
  explicit Writer(size_t mostBytes) : mostBytes(mostBytes) {}

  void write(const Tensor &tensor, ::onnx::TensorProto &message) const;
  void write(const NodeAttribute &attribute, ::onnx::AttributeProto &message) const;
  void write(const Node &node, ::onnx::NodeProto &message) const;
  static void write(const ValueInfo &value, ::onnx::ValueInfoProto &message);
  void write(const Graph &graph, ::onnx::GraphProto &message) const;

private:
  size_t mostBytes;
};

void Writer::write(const Tensor &tensor, ::onnx::TensorProto &message) const {
  message.set_data_type(static_cast<int32_t>(tensor.type));
  for (int64_t dim : tensor.dims)
    message.add_dims(dim);
  message.set_raw_data(tensor.bytes.size() <= mostBytes ? tensor.bytes.str() : std::string());
}

void Writer::write(const NodeAttribute &attribute, ::onnx::AttributeProto &message) const {
  using Kind = NodeAttribute::Kind;
  message.set_name(attribute.name.str());
  switch (attribute.kind) {
  case Kind::Int:
    message.set_type(::onnx::AttributeProto::INT);
    message.set_i(attribute.i);
    return;
  case Kind::Float:
    message.set_type(::onnx::AttributeProto::FLOAT);
    message.set_f(attribute.f);
    return;
  case Kind::String:
    message.set_type(::onnx::AttributeProto::STRING);
    message.set_s(attribute.s.str());
    return;
  case Kind::Ints:
    message.set_type(::onnx::AttributeProto::INTS);
    message.mutable_ints()->Add(attribute.ints.begin(), attribute.ints.end());
    return;
  case Kind::Floats:
    message.set_type(::onnx::AttributeProto::FLOATS);
    message.mutable_floats()->Add(attribute.floats.begin(), attribute.floats.end());
    return;
  case Kind::Tensor:
    message.set_type(::onnx::AttributeProto::TENSOR);
    write(attribute.tensor, *message.mutable_t());
    return;
  case Kind::Strings:
    message.set_type(::onnx::AttributeProto::STRINGS);
    for (StringRef text : attribute.strings)
      message.add_strings(text.str());
    return;
  case Kind::Graph:
    message.set_type(::onnx::AttributeProto::GRAPH);
    if (attribute.graph)
      write(*attribute.graph, *message.mutable_g());
    return;
  case Kind::Other:
    return;
  }
}

void Writer::write(const Node &node, ::onnx::NodeProto &message) const {
  message.set_name(node.name.str());
  message.set_op_type(node.opType.str());
  message.set_domain(node.domain.str());
  for (StringRef input : node.inputs)
    message.add_input(input.str());
  for (StringRef output : node.outputs)
    message.add_output(output.str());
  for (const NodeAttribute &attribute : node.attributes)
    write(attribute, *message.add_attribute());
}

void Writer::write(const ValueInfo &value, ::onnx::ValueInfoProto &message) {
  message.set_name(value.name.str());
  if (!value.notTensor.empty())
    return;
  auto &tensor = *message.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(static_cast<int32_t>(value.type));
  if (!value.dims)
    return;
  auto &shape = *tensor.mutable_shape();
  for (const Dim &dim : *value.dims) {
    auto &entry = *shape.add_dim();
    if (dim.kind == Dim::Kind::Value)
      entry.set_dim_value(dim.value);
    else if (dim.kind == Dim::Kind::Text)
      entry.set_dim_param(dim.text.str());
  }
}

void Writer::write(const Graph &graph, ::onnx::GraphProto &message) const {
  for (const ValueInfo &input : graph.inputs)
    write(input, *message.add_input());
  for (const ValueInfo &output : graph.outputs)
    write(output, *message.add_output());
  for (const Tensor &tensor : graph.initializers) {
    auto &initializer = *message.add_initializer();
    initializer.set_name(tensor.name.str());
    write(tensor, initializer);
  }
  for (const Node &node : graph.nodes)
    write(node, *message.add_node());
}

} // namespace

::onnx::NodeProto dyn::onnx::writeNode(const Node &node, size_t mostBytes) {
  ::onnx::NodeProto message;
  Writer(mostBytes).write(node, message);
  return message;
}

::onnx::TensorProto dyn::onnx::writeTensor(const Tensor &tensor, size_t mostBytes) {
  ::onnx::TensorProto message;
  Writer(mostBytes).write(tensor, message);
  return message;
}

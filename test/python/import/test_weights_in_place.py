"""Large weights inside of a model's file are not copied into messages: whatever the order of fields, and however often
they come, the module has what protobuf makes of the file."""

import resource
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

BIG = np.arange(5000, dtype=np.float32)
DATA = TensorProto.DESCRIPTOR.fields_by_name["raw_data"].number


def field(number, content):
    """A field of the wire format that has a length."""
    def varint(value):
        return bytes([value & 127 | 128]) + varint(value >> 7) if value > 127 else bytes([value])
    return varint(number << 3 | 2) + varint(len(content)) + content


def number(message, name):
    return message.DESCRIPTOR.fields_by_name[name].number


def header():
    """A model of an Identity of `a`, which is not there yet, without its graph; and the graph."""
    graph = helper.make_graph([helper.make_node("Identity", ["a"], ["y"])], "g", [],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    model.ClearField("graph")
    return model.SerializeToString(), graph.SerializeToString()


def graph_field(graph):
    return field(number(onnx.ModelProto, "graph"), graph)


def initializer(tensor):
    return field(number(onnx.GraphProto, "initializer"), tensor)


def untyped(name="a", length=5000):
    return TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[length]).SerializeToString()


def constant_node(tensors):
    """Nodes that compute `a` of an attribute `value` that comes in several pieces."""
    attribute = onnx.AttributeProto(name="value", type=onnx.AttributeProto.TENSOR).SerializeToString()
    for tensor in tensors:
        attribute += field(number(onnx.AttributeProto, "t"), tensor)
    node = onnx.NodeProto(op_type="Constant", output=["a"]).SerializeToString()
    return field(number(onnx.GraphProto, "node"), node + field(number(onnx.NodeProto, "attribute"), attribute))


def files():
    start, graph = header()
    raw = field(DATA, BIG.tobytes())
    half = field(DATA, BIG[:1000].tobytes())
    yield "data-first", start + graph_field(initializer(raw + untyped()) + graph), BIG
    yield "data-between", start + graph_field(graph + initializer(untyped() + raw + untyped()[:0])), BIG
    yield "data-twice", start + graph_field(graph + initializer(untyped() + field(DATA, (BIG + 1).tobytes()) + raw)), BIG
    yield "small-data-last", start + graph_field(graph + initializer(untyped(length=1000) + raw + half)), BIG[:1000]
    yield "tiny-data-last", start + graph_field(graph + initializer(untyped(length=1) + raw + field(DATA, b"\0\0\0\0"))), np.zeros(1, np.float32)
    yield "graph-in-two-pieces", start + graph_field(graph) + graph_field(initializer(untyped() + raw)), BIG
    yield "large-graph-in-two-pieces", (start + graph_field(graph + initializer(untyped("b") + raw)) +
                                        graph_field(initializer(untyped() + field(DATA, (BIG + 1).tobytes())))), BIG + 1
    yield "constant", start + graph_field(constant_node([untyped() + raw]) + graph), BIG
    yield "constant-in-two-pieces", start + graph_field(constant_node([raw, untyped()]) + graph), BIG
    yield "constant-small-piece-last", start + graph_field(constant_node([raw + untyped(length=1000), half]) + graph), BIG[:1000]


@pytest.mark.parametrize("content, expected", [pytest.param(content, expected, id=name) for name, content, expected in files()])
def test_bytes_are_what_protobuf_reads(import_model, here, content, expected):
    model = onnx.load_from_string(content)
    tensors = [*model.graph.initializer, *(attribute.t for node in model.graph.node for attribute in node.attribute)]
    np.testing.assert_array_equal(numpy_helper.to_array(next(tensor for tensor in tensors if tensor.name == "a")), expected)
    imported = import_model(content)
    if expected.nbytes > 4096:
        assert imported.weights == [("model.weights", 0, expected.nbytes, f"tensor<{len(expected)}xf32>")]
        assert (here / "out" / "model.weights").read_bytes() == expected.tobytes()
    else:
        assert imported.weights == [] and "dyn.constant" in imported.text


def test_typed_data_beside_large_raw_data(import_model):
    """ONNX's checker still sees both."""
    tensor = numpy_helper.from_array(BIG, "a")
    tensor.float_data.append(1)
    start, graph = header()
    imported = import_model(start + graph_field(graph + initializer(tensor.SerializeToString())))
    assert any("should contain one and only one value field" in line for line in imported.warnings)


@pytest.mark.parametrize("missing", [0, 1, 4999])
@pytest.mark.parametrize("kind, elements_per_byte", [("INT4", 2), ("UINT4", 2), ("FLOAT4E2M1", 2), ("INT2", 4), ("UINT2", 4)])
def test_elements_that_share_bytes(import_model, kind, elements_per_byte, missing):
    """ONNX's checker counts the bytes of these types; it is given none, and the importer counts them."""
    number = getattr(TensorProto, kind)
    tensor = TensorProto(name="a", data_type=number, dims=[5000 * elements_per_byte], raw_data=bytes(5000 - missing))
    graph = helper.make_graph([helper.make_node("Cast", ["a"], ["y"], to=TensorProto.FLOAT)], "g", [],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])], [tensor])
    imported = import_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=12))
    if missing:
        assert f"tensor 'a' has {5000 - missing} bytes of data instead of the 5000 that its type needs" in imported.error
    else:
        assert imported.text and imported.warnings == []


@pytest.mark.parametrize("cut", [1, 5000, 19000])
def test_a_truncated_model_is_refused(import_model, cut):
    start, graph = header()
    content = start + graph_field(graph + initializer(untyped() + field(DATA, BIG.tobytes())))
    assert "is not an ONNX model, or is truncated" in import_model(content[:-cut]).error


@pytest.fixture(scope="module")
def large_model(tmp_path_factory):
    """48 MiB of weights inside of the file."""
    weights = [numpy_helper.from_array(np.full((1024, 1024), i, np.float32), f"w{i}") for i in range(12)]
    nodes = [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"x{i + 1}"]) for i in range(12)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x0", TensorProto.FLOAT, ["n", 1024])],
                              [helper.make_tensor_value_info("x12", TensorProto.FLOAT, None)], weights)
    path = tmp_path_factory.mktemp("large") / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.mark.parametrize("program, output", [("dyn-translate --import-onnx", "out.mlir"), ("dyn-run --compile", "out.so")])
def test_weights_take_no_memory(request, large_model, tmp_path, program, output):
    """Memory that a process may write to is enough for all but the weights."""
    name, action = program.split()
    command = [request.config.getoption("--build-dir").resolve() / "bin" / name, action, large_model, "-o", tmp_path / output]
    process = subprocess.run(command, capture_output=True, text=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (LIMITS[name],) * 2))
    assert process.returncode == 0, process.stderr


LIMITS = {"dyn-translate": 32 << 20, "dyn-run": 40 << 20}

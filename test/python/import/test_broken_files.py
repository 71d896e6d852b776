"""Files that are no models, or broken ones, end in one clear line."""

import onnx.parser
import pytest

MODEL = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
g (float[N] x) => (float[N] y) <float[3] w = {1.0, 2.0, 3.0}> { a = Exp(x) y = Neg(a) }""")


def test_missing_file(import_model, here):
    error = import_model(here / "none.onnx").error
    assert "none.onnx': No such file or directory" in error


def test_folder(import_model, here):
    assert "can't read" in import_model(here).error


@pytest.mark.parametrize("content", [b"", b"\0", b"\n\n\n", b"not a model", b"{}", b"\x7fELF" + b"\0" * 100, b"\xff" * 1000])
def test_other_files(import_model, content):
    assert "is not an ONNX model" in import_model(content).error


def test_every_truncation_is_refused(import_model):
    content = MODEL.SerializeToString()
    for size in range(0, len(content), 5):
        assert import_model(content[:size]).error


def test_no_opset(import_model):
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    del model.opset_import[:]
    assert "says no opset of ai.onnx" in import_model(model).error


@pytest.mark.parametrize("opset", [28, 99])
def test_opsets_that_are_not_known_yet(import_model, opset):
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    model.opset_import[0].version = opset
    assert f"has opset {opset} of ai.onnx, which is not supported; the newest that is: 27" in import_model(model).error


def test_dims_that_are_no_sizes(import_model):
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    dims = model.graph.input[0].type.tensor_type.shape.dim
    dims[0].dim_value = -4
    assert "dim 0 of input 'x' is declared as -4, which is no size" in import_model(model).error
    # Old exporters write this for "any".
    dims[0].dim_value = -1
    assert "x_0" in import_model(model).text


def test_names_of_dims_with_control_characters(import_model):
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "\x01"
    assert '"\\\\01"' in import_model(model).text


def test_outputs_of_another_element_type(import_model):
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    model.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.INT64
    assert "is declared with elements of type 'i64', but has elements of type 'f32'" in import_model(model).error


@pytest.mark.parametrize(
    "text",
    [
        "g (float[] x, float[4] w) => (float[] y) { y = LayerNormalization<axis = -9223372036854775808>(x, w) }",
        "g (float[N] x, int64[9223372036854775807] s) => (float[] y) { y = Expand(x, s) }",
        "g (float[N] x, int64[9223372036854775807] s) => (float[] y) { a = Concat<axis = 0>(s, s) y = Reshape(x, a) }",
        "g (float[A, B, 5] x, int64[A, C, 1] i) => (float[] y) { y = GatherND<batch_dims = -2>(x, i) }",
    ],
)
def test_numbers_that_are_none(tool, tmp_path, text):
    path = tmp_path / "model.onnx"
    onnx.save(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]>\n{text}'), path)
    for arguments in (["dyn-run", "--compile", path, "-o", tmp_path / "model.so"], ["dyn-translate", "--check-dims", path]):
        result = tool(*arguments)
        assert result.returncode in (0, 1, 2), result.stderr
    assert not (tmp_path / "model.so").exists()


def test_inputs_without_a_type(import_model):
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    model.graph.input[0].ClearField("type")
    assert "input 'x' is of no known type, not a tensor" in import_model(model).error


def test_inputs_that_are_no_tensors(import_model):
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    model.graph.input[0].type.map_type.key_type = 1
    assert "input 'x' is a map, not a tensor" in import_model(model).error


def test_outputs_without_a_type_are_inferred(import_model):
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    model.graph.output[0].ClearField("type")
    assert "dyn.neg" in import_model(model).text


def test_initializers_of_one_name(import_model):
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    model.graph.initializer.append(model.graph.initializer[0])
    assert "initializer 'w' is defined twice" in import_model(model).error


def test_strange_names(import_model):
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    model.graph.node[1].name = 'new\nline "quoted" \x01' + "x" * 1000
    model.graph.node[1].op_type = "Strange"
    error = import_model(model).error
    assert r'new\nline \"quoted\" \001xxx' in error and len(error) < 1000


def encode(number, content):
    """A field of a protobuf message."""
    size, prefix = len(content), bytes([number << 3 | 2])
    while size > 127:
        prefix, size = prefix + bytes([size & 127 | 128]), size >> 7
    return prefix + bytes([size]) + content


@pytest.mark.parametrize("depth, message", [(8, "which the operator does not take"), (10000, "is not an ONNX model")])
def test_deep_nesting(import_model, depth, message):
    """protobuf gives up first, at a depth that does no harm."""
    node = onnx.helper.make_node("If", ["x"], ["y"]).SerializeToString()
    for _ in range(depth):
        attribute = encode(1, b"then_branch") + encode(6, encode(1, node)) + b"\xa0\x01\x05"
        node = onnx.helper.make_node("If", ["x"], ["y"]).SerializeToString() + encode(5, attribute)
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    del model.graph.node[:]
    graph = model.graph.SerializeToString() + encode(1, node)
    model.ClearField("graph")
    assert message in import_model(model.SerializeToString() + encode(7, graph)).error

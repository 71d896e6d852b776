"""Where the data of initializers goes."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

BIG = np.arange(5000, dtype=np.float32)


def make_model(*tensors, inputs=()):
    """Each tensor is an output, and one more that is computed."""
    nodes = [helper.make_node("Identity", [tensor.name], [f"out_{tensor.name}"]) for tensor in tensors]
    outputs = [helper.make_tensor_value_info(f"out_{tensor.name}", tensor.data_type, None) for tensor in tensors]
    graph = helper.make_graph(nodes, "g", list(inputs), outputs, list(tensors))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_big_weights_go_to_a_file_beside_the_module(import_model, here):
    tensors = [numpy_helper.from_array(BIG, "a"), numpy_helper.from_array(BIG[:1025] + 1, "b"),
               numpy_helper.from_array(BIG[:1024], "small")]
    imported = import_model(make_model(*tensors))
    assert imported.weights == [("model.weights", 0, 20000, "tensor<5000xf32>"),
                                ("model.weights", 20032, 4100, "tensor<1025xf32>")]
    data = (here / "out" / "model.weights").read_bytes()
    assert data[:20000] == BIG.tobytes() and data[20032:] == (BIG[:1025] + 1).tobytes()
    assert sorted(path.name for path in (here / "out").iterdir()) == ["model.mlir", "model.weights"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16",
                                   "uint32", "uint64", "bool"])
@pytest.mark.parametrize("raw", [True, False])
def test_typed_fields_and_raw_data_give_the_same(import_model, here, dtype, raw):
    array = (np.arange(9000) % 2 if dtype == "bool" else np.arange(9000) % 100).astype(dtype)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    values = array.tobytes() if raw else array
    imported = import_model(make_model(helper.make_tensor("a", kind, array.shape, values, raw=raw)))
    assert imported.weights[0][2] == array.nbytes
    assert (here / "out" / "model.weights").read_bytes() == array.tobytes()


def test_booleans_become_0_and_1(import_model, here):
    imported = import_model(make_model(helper.make_tensor("a", TensorProto.BOOL, [5000], bytes([0, 1, 2, 255, 0] * 1000),
                                                          raw=True)))
    assert imported.weights and (here / "out" / "model.weights").read_bytes() == bytes([0, 1, 1, 1, 0] * 1000)


def test_inline_weights(import_model, here):
    imported = import_model(make_model(numpy_helper.from_array(BIG, "a")), "--inline-weights")
    assert imported.weights == [] and "dense<" in imported.text
    assert not (here / "out" / "model.weights").exists()


def test_without_an_output_weights_are_not_written_as_text(tool, here):
    (here / "model.onnx").write_bytes(make_model(numpy_helper.from_array(BIG, "a")).SerializeToString())
    process = tool("dyn-translate", "--import-onnx", "model.onnx", cwd=here)
    assert process.returncode == 1 and process.stdout == ""
    assert "tensor 'a' needs a file for its 20000 bytes: name an output (-o)" in process.stderr
    process = tool("dyn-translate", "--import-onnx", "model.onnx", "--inline-weights", cwd=here)
    assert process.returncode == 0 and "dense<" in process.stdout
    (here / "model.onnx").write_bytes(make_model(numpy_helper.from_array(BIG[:1024], "a")).SerializeToString())
    assert tool("dyn-translate", "--import-onnx", "model.onnx", cwd=here).returncode == 0


def test_unused_initializers_are_dropped(import_model):
    model = make_model(numpy_helper.from_array(BIG, "a"))
    model.graph.initializer.append(numpy_helper.from_array(BIG, "unused"))
    assert len(import_model(model).weights) == 1


def test_an_input_with_an_initializer_is_a_constant(import_model):
    inputs = [helper.make_tensor_value_info("a", TensorProto.FLOAT, [5000]),
              helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"])]
    imported = import_model(make_model(numpy_helper.from_array(BIG, "a"), inputs=inputs))
    assert len(imported.weights) == 1 and '%arg0: tensor<?xf32, #dyn.dims<[N]>> {dyn.name = "x"}' in imported.text


def test_a_failed_import_leaves_an_earlier_weight_file_alone(import_model, here):
    import_model(make_model(numpy_helper.from_array(BIG, "a"))).text
    (here / "out" / "model.mlir").unlink()
    before = (here / "out" / "model.weights").read_bytes()
    bad = make_model(numpy_helper.from_array(BIG + 1, "a"), TensorProto(name="b", data_type=1, dims=[3], raw_data=b"12"))
    assert "tensor 'b' has 2 bytes of data instead of the 12" in import_model(bad).error
    assert (here / "out" / "model.weights").read_bytes() == before
    assert sorted(path.name for path in (here / "out").iterdir()) == ["model.weights"]


@pytest.mark.parametrize("dims, message", [
    ([-1], "tensor 'a' has the negative dim -1"),
    ([2**62, 2**62], "tensor 'a' has more bytes than can be counted"),
    ([2**40], "tensor 'a' has 4 bytes of data instead of the 4398046511104"),
    ([0, -3], "tensor 'a' has the negative dim -3"),
])
def test_dims_that_can_not_be(import_model, dims, message):
    assert message in import_model(make_model(TensorProto(name="a", data_type=1, dims=dims, raw_data=b"1234"))).error


def test_no_elements(import_model):
    imported = import_model(make_model(TensorProto(name="a", data_type=1, dims=[2**62, 0, 2**62])))
    assert "tensor<4611686018427387904x0x4611686018427387904xf32>" in imported.text


@pytest.mark.parametrize("kind, name", [(TensorProto.COMPLEX64, "complex64"), (27, "27"), (-100, "-100"),
                                        (0, "undefined")])
def test_unsupported_element_types(import_model, kind, name):
    tensor = TensorProto(name="a", data_type=kind, dims=[1], raw_data=b"1")
    model = make_model(tensor)
    assert f"tensor 'a' has elements of type {name}, which is not supported" in import_model(model).error

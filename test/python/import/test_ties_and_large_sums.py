"""Elements that seldom come: ties with padding, places beyond a triangle, sums that 16 bits do not hold."""

import numpy as np
import onnx.helper
import pytest
from onnx import TensorProto
from text_models import ENTRIES

UNSIGNED, FLOAT, HALF = TensorProto.UINT8, TensorProto.FLOAT, TensorProto.FLOAT16


def make(op, inputs, outputs, domain="", opset=21, **attributes):
    """One node; inputs and outputs are name, type and dims."""
    info = onnx.helper.make_tensor_value_info
    node = onnx.helper.make_node(op, [name for name, *_ in inputs], [name for name, *_ in outputs], domain=domain, **attributes)
    graph = onnx.helper.make_graph([node], "g", [info(*value) for value in inputs], [info(*value) for value in outputs])
    opsets = [onnx.helper.make_opsetid("", opset), onnx.helper.make_opsetid("com.microsoft", 1)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(("number", "least"), [(UNSIGNED, 0), (FLOAT, -np.inf)])
def test_the_greatest_element_is_no_padding(entry, number, least):
    dtype = np.uint8 if number == UNSIGNED else np.float32
    model = make("MaxPool", [("x", number, ["n", "c", "w"])], [("y", number, None), ("i", TensorProto.INT64, None)],
                 kernel_shape=[2], strides=[2], pads=[1, 0])
    x = np.array([[[5, 6, 5], [least, 5, 7]]], dtype)
    values, places = entry(model).run({"x": x})
    assert values.tolist() == [[[5, 6], [least, 7]]]
    assert places.tolist() == [[[0, 1], [3, 5]]]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(("op", "attributes", "expected"), [
    ("AveragePool", {"kernel_shape": [16, 24]}, 300), ("LpPool", {"kernel_shape": [16, 24]}, 300 * 384**0.5),
    ("GlobalLpPool", {}, 300 * 384**0.5), ("LpNormalization", {}, 24**-0.5), ("ReduceL2", {}, 300 * 384**0.5),
    ("ReduceLogSum", {}, np.log(300 * 384)), ("LRN", {"size": 1, "alpha": 1.0, "beta": 0.5}, 1)])
def test_sums_that_leave_sixteen_bits(entry, op, attributes, expected):
    model = make(op, [("x", HALF, list("nchw"))], [("y", HALF, None)], **attributes)
    y = entry(model).run({"x": np.full((1, 1, 16, 24), 300, np.float16)})[0]
    np.testing.assert_allclose(y.astype(np.float64), expected, rtol=1e-3)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(("queries", "keys"), [(2, 4), (4, 2), (3, 3)])
def test_queries_see_keys_up_to_their_own_place(entry, queries, keys):
    """Whether there are as many of both or not, where nothing is cached. onnxruntime lets the last one see all keys."""
    onnxruntime = pytest.importorskip("onnxruntime")
    model = make("MultiHeadAttention", [("q", FLOAT, ["b", "s", "d"]), ("k", FLOAT, ["b", "t", "d"]), ("v", FLOAT, ["b", "t", "d"])],
                 [("y", FLOAT, None)], domain="com.microsoft", num_heads=1, unidirectional=1)
    generator = np.random.default_rng(0)
    q, k, v = (generator.normal(size=(1, count, 2)).astype(np.float32) for count in (queries, keys, keys))
    values = {"q": q, "k": k, "v": v}
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    y, expected = entry(model).run(values)[0], session.run(None, values)[0]
    rows = queries - (keys > queries)
    np.testing.assert_allclose(y[:, :rows], expected[:, :rows], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_vector_has_one_zero_point(entry):
    eights = [("a", UNSIGNED, ["k"]), ("b", UNSIGNED, ["k", "n"]), ("z", UNSIGNED, ["zd"])]
    model = make("MatMulInteger", eights, [("y", TensorProto.INT32, None)])
    values = {"a": np.array([1, 2], np.uint8), "b": np.ones((2, 3), np.uint8), "z": np.array([1], np.uint8)}
    assert entry(model).run(values)[0].tolist() == [1, 1, 1]


@pytest.mark.parametrize("entry", ENTRIES)
def test_from_bfloat16_to_double(entry):
    import ml_dtypes

    model = make("Cast", [("x", TensorProto.BFLOAT16, ["n"])], [("y", TensorProto.DOUBLE, None)], to=TensorProto.DOUBLE)
    x = np.array([1, -2.5, 300] * 3).astype(ml_dtypes.bfloat16)
    assert entry(model).run({"x": x})[0].tolist() == [1, -2.5, 300] * 3


def test_truth_of_small_numbers():
    import dyn

    for number in (TensorProto.FLOAT8E4M3FN, TensorProto.INT4):
        nodes = [onnx.helper.make_node("Cast", ["x"], ["q"], to=number), onnx.helper.make_node("Cast", ["q"], ["y"], to=TensorProto.BOOL)]
        graph = onnx.helper.make_graph(nodes, "g", [onnx.helper.make_tensor_value_info("x", FLOAT, ["n"])],
                                       [onnx.helper.make_tensor_value_info("y", TensorProto.BOOL, ["n"])])
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
        assert dyn.Reference(model).run({"x": np.float32([1, 0, 3])})[0].tolist() == [True, False, True]

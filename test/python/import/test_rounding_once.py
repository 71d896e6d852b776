"""Functions of floats of 16 bits are computed in f32, and rounded once; where a result is small, or no number, it is so in
all types."""

import math

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper
from text_models import ENTRIES

HALF = {"float16": (TensorProto.FLOAT16, np.float16), "bfloat16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16)}
X = np.array([-8, -7.5, -6, -5, -4, -3, -2, -1, -0.25, -0.01, -0.001, 0, 0.001, 0.5, 3, 20])


def softplus(x):
    return max(x, 0) + math.log1p(math.exp(-abs(x)))


FUNCTIONS = {
    "Softplus": softplus,
    "Mish": lambda x: x * math.tanh(softplus(x)),
    "Gelu": lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2)),
    "Elu": lambda x: x if x > 0 else math.expm1(x),
    "Selu": lambda x: 1.05070102214813232421875 * (x if x > 0 else 1.67326319217681884765625 * math.expm1(x)),
    "Softsign": lambda x: x / (1 + abs(x)),
    "Swish": lambda x: x / (1 + math.exp(-x)),
    "HardSwish": lambda x: x * max(0, min(1, x / 6 + 0.5)),
}


def make(op, number, opset=24, **attributes):
    value = [helper.make_tensor_value_info(name, number, ["n"]) for name in "xy"]
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"], **attributes)], "g", value[:1], value[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("name", HALF)
@pytest.mark.parametrize("op", FUNCTIONS)
def test_activations(entry, name, op):
    number, dtype = HALF[name]
    x = X.astype(dtype)
    expected = np.array([FUNCTIONS[op](float(value)) for value in x])
    y = entry(make(op, number)).run({"x": x})[0].view(dtype).astype(np.float64)
    # A step of the type near the result, or of f32 near 1.
    np.testing.assert_allclose(y, expected, rtol=2 * float(ml_dtypes.finfo(dtype).eps), atol=2e-7)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_tail_of_softplus(entry):
    x = np.array([-16, -17, -30, -80, 0, 30], np.float32)
    y = entry(make("Softplus", TensorProto.FLOAT)).run({"x": x})[0]
    np.testing.assert_allclose(y, [softplus(float(value)) for value in x], rtol=1e-6)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(("number", "dtype"), [(TensorProto.FLOAT, np.float32), (TensorProto.DOUBLE, np.float64)])
def test_below_one_there_is_no_inverse_hyperbolic_cosine(entry, number, dtype):
    model = entry(make("Acosh", number))
    assert np.isnan(model.run({"x": np.array([0.5, -2, -5e3, -1e8, -1e10, -1e30], dtype)})[0]).all()
    x = np.array([1, 1 + 1e-6, 1.5, 2, 1e3, 1e9, 1e30], dtype)
    np.testing.assert_allclose(model.run({"x": x})[0], np.arccosh(x), rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("types", [(np.float16, np.float32), (np.float32, np.float16)])
def test_simplified_layer_normalization_has_the_type_of_its_scale(entry, types):
    numbers = [helper.np_dtype_to_tensor_dtype(np.dtype(dtype)) for dtype in types]
    inputs = [helper.make_tensor_value_info("x", numbers[0], ["n", 4]), helper.make_tensor_value_info("s", numbers[1], [4])]
    graph = helper.make_graph([helper.make_node("SimplifiedLayerNormalization", ["x", "s"], ["y"], epsilon=1e-5)], "g",
                              inputs, [helper.make_tensor_value_info("y", numbers[1], ["n", 4])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    x, s = np.arange(8).reshape(2, 4).astype(types[0]), np.array([1, 2, 3, 4], types[1])
    y = entry(model).run({"x": x, "s": s})[0]
    wide = x.astype(np.float64)
    expected = wide / np.sqrt((wide * wide).mean(-1, keepdims=True) + 1e-5) * s
    assert y.dtype == types[1]
    np.testing.assert_allclose(y, expected, rtol=1e-3)


def test_attention_has_the_type_of_its_queries():
    half, single = TensorProto.FLOAT16, TensorProto.FLOAT
    inputs = [helper.make_tensor_value_info(name, number, ["b", 2, "s", 4])
              for name, number in zip("qkv", (half, half, single))]
    graph = helper.make_graph([helper.make_node("Attention", ["q", "k", "v"], ["y"])], "g", inputs,
                              [helper.make_tensor_value_info("y", half, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    data = {name: np.ones((1, 2, 3, 4), np.float32 if name == "v" else np.float16) for name in "qkv"}
    for entry in ENTRIES:
        np.testing.assert_allclose(entry(model).run(data)[0].view(np.float16), np.ones((1, 2, 3, 4)))

"""Sizes that an operator's definition forbids are refused: where the file says them, or else by guards. What it allows is
computed."""

import warnings

import numpy as np
import onnx
import onnxruntime
import pytest
from text_models import ENTRIES, build, dyn, numbers


def make_static(model, inputs):
    result = onnx.ModelProto.FromString(model.SerializeToString())
    for value in result.graph.input:
        for dim, size in zip(value.type.tensor_type.shape.dim, inputs[value.name].shape, strict=True):
            dim.Clear()
            dim.dim_value = size
    return result


def run_onnxruntime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(
        None, inputs)


# Operator: (inputs, body, sizes that fit, others that don't, what is said of them).
CASES = {
    "Einsum": ("float[b, h, i, k] x, float[c, q, j, k] z", 'y = Einsum<equation = "bhik,bhjk->ij">(x, z)',
               {"x": (2, 3, 4, 5), "z": (2, 3, 1, 5)}, {"z": (3, 2, 1, 5)}, "dims of label 'b'"),
    "GridSample": ("float[n, c, h, w] x, float[m, oh, ow, k] z", "y = GridSample(x, z)",
                   {"x": (1, 1, 4, 4), "z": (1, 2, 2, 2)}, {"z": (1, 2, 2, 3)}, "numbers of a point"),
    "DeformConv": ("float[n, c, h, w] x, float[o, i, 2, 2] w2, float[m, p, oh, ow] z",
                   "y = DeformConv<kernel_shape = [2, 2]>(x, w2, z)",
                   {"x": (2, 1, 4, 4), "w2": (1, 1, 2, 2), "z": (2, 8, 3, 3)}, {"z": (1, 16, 3, 3)}, "dims of `offset`"),
    "GRU": ("float[t, b, i] x, float[d, g, i] w, float[e, r, h] z, float[l, m] a",
            'y = GRU<hidden_size = 3, direction = "bidirectional">(x, w, z, a)',
            {"x": (4, 2, 3), "w": (2, 9, 3), "z": (2, 9, 3), "a": (2, 18)}, {"w": (2, 1, 3)}, "rows of `W` and `R`"),
    "LSTM": ("float[t, b, i] x, float[d, g, i] w, float[e, r, h] z",
             'y = LSTM<hidden_size = 3, direction = "bidirectional">(x, w, z)',
             {"x": (4, 2, 3), "w": (2, 12, 3), "z": (2, 12, 3)}, {"w": (3, 12, 3), "z": (3, 12, 3)}, "directions"),
    "Conv": ("float[n, c, h, w] x, float[o, i, kh, kw] z", "y = Conv<kernel_shape = [3, 3]>(x, z)",
             {"x": (1, 1, 5, 5), "z": (1, 1, 3, 3)}, {"z": (1, 1, 3, 4)}, "kernel_shape"),
    "AveragePool": ("float[n, c, h] x", "y = AveragePool<kernel_shape = [3], ceil_mode = 1>(x)",
                    {"x": (1, 1, 3)}, {"x": (1, 1, 1)}, "a window of 3 must fit dim 2"),
    "QuantizeLinear": ("float[a, b] x, float[c, d] s", "q = QuantizeLinear<axis = 1, block_size = 2>(x, s) y = Cast<to = 1>(q)",
                       {"x": (3, 4), "s": (3, 2)}, {"x": (1, 4)}, "scales or zero points"),
    "MultiHeadAttention": ("float[b, s, 8] x, float[c, t, 8] k, float[d, u, 8] v",
                           "y = com.microsoft.MultiHeadAttention<num_heads = 2>(x, k, v)",
                           {"x": (2, 3, 8), "k": (2, 5, 8), "v": (2, 5, 8)}, {"k": (1, 5, 8), "v": (1, 5, 8)}, "batch"),
}


@pytest.mark.parametrize("name", CASES)
def test_others_are_refused(name):
    inputs, body, fitting, other, said = CASES[name]
    opset = 21 if name == "QuantizeLinear" else 20 if name == "GridSample" else 19
    model = build(inputs, body, opset)
    right = {key: abs(numbers(*dims)) + 0.1 for key, dims in fitting.items()}
    wrong = right | {key: abs(numbers(*dims)) + 0.1 for key, dims in other.items()}
    expected = run_onnxruntime(model, right)
    with pytest.raises(Exception, match="."):
        run_onnxruntime(model, wrong)
    for entry in ENTRIES:
        runner = entry(model)
        np.testing.assert_allclose(runner.run(right)[0], expected[0], 1e-4, 1e-5)
        with pytest.raises(dyn.ShapeError, match=said):
            runner.run(wrong)
    static = make_static(model, wrong)
    with warnings.catch_warnings(action="ignore"), pytest.raises(dyn.Error, match="must|cannot|has 3"):
        dyn.compile(static)
    assert dyn.check_dims(make_static(model, right))
    assert not dyn.check_dims(static)


def test_einsum_repeats_a_dim_of_one_that_the_file_says():
    for left, right in (((2, 1), (4, 3)), ((2, 4), (1, 3))):
        model = build(f"float[{left[0]}, {left[1]}] x, float[k, {right[1]}] z" if right[0] != 1 else
                      f"float[i, j] x, float[1, {right[1]}] z", 'y = Einsum<equation = "ij,jk->ik">(x, z)')
        inputs = {"x": numbers(*left), "z": numbers(*right)}
        expected = np.einsum("ij,jk->ik", inputs["x"], inputs["z"])
        for entry in ENTRIES:
            np.testing.assert_allclose(entry(model).run(inputs)[0], expected, 1e-5, 1e-6)


def test_sizes_that_must_be_equal_are_known_to_be():
    model = build("float[b, h, q, 8] Q, float[c, g, k, 8] K, float[e, f, l, 8] V", "y = Attention(Q, K, V)", opset=23)
    assert [str(dim) for dim in dyn.shapes(model).outputs["y"].dims] == ["b", "h", "q", "8"]


@pytest.mark.parametrize("asking", [1, 3])
def test_queries_without_new_keys_ask_cached_ones(asking):
    """As layers have them that share the cache of another one."""
    model = build("float[b, s, 32] q, float[b, t, 16] k, float[b, t, 16] v, float[b, 2, p, 8] pk, float[b, 2, p, 8] pv, "
                  "int32[b] l, int32 n",
                  "y, a, c = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2>(q, k, v, pk, pv, l, n)")
    inputs = {"q": numbers(1, asking, 32), "k": numbers(1, 0, 16), "v": numbers(1, 0, 16), "pk": numbers(1, 2, 4, 8),
              "pv": numbers(1, 2, 4, 8), "l": np.array([3], np.int32), "n": np.array(4, np.int32)}
    expected = run_onnxruntime(model, inputs)
    for entry in ENTRIES:
        np.testing.assert_allclose(entry(model).run(inputs)[0], expected[0], 1e-4, 1e-5)

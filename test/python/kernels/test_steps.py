"""What is read in steps along memory is read as it is at every step, of every type, at every length."""

import numpy as np
import onnx.parser
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

LENGTHS = (*range(1, 21), 31, 32, 33, 64, 97)


def compile_graph(text):
    return dyn.compile(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 19]> {text}'), threads=1)


@pytest.mark.parametrize("kind", ["float", "double", "float16", "int8", "bool", "int64"])
@pytest.mark.parametrize("step", [2, 3, 4, 5, -1, -2])
def test_elements_of_a_row(kind, step):
    start, end = (0, 2**31 - 1) if step > 0 else (-1, -(2**31))
    runner = compile_graph(f"""g ({kind}[m, n] x) => ({kind}[m, k] y, {kind}[p, k] z) {{
        starts = Constant<value_ints = [{start}]>() ends = Constant<value_ints = [{end}]>()
        axes = Constant<value_ints = [1]>() steps = Constant<value_ints = [{step}]>()
        y = Slice(x, starts, ends, axes, steps) z = Concat<axis = 0>(y, y) }}""")
    types = {"float": np.float32, "double": np.float64, "float16": np.float16, "int8": np.int8, "bool": np.bool_, "int64": np.int64}
    for length in LENGTHS:
        x = np.random.default_rng(length).integers(0, 100, (3, length)).astype(types[kind])
        if kind == "bool":
            x = np.random.default_rng(length).random((3, length)) < 0.5
        y, z = runner.run({"x": x})
        np.testing.assert_array_equal(y, x[:, ::step])
        np.testing.assert_array_equal(z, np.concatenate([x, x])[:, ::step])


@pytest.mark.parametrize("kind", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize("stride", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("pads", [(0, 0), (1, 1), (0, 2)])
def test_windows_of_an_image(kind, stride, pads):
    before, after = pads
    runner = compile_graph(f"""g (float[n, c, h, w] x) => (float[n, c, p, q] y) {{
        y = {kind}<kernel_shape = [3, 3], strides = [{stride}, {stride}], pads = [{before}, {before}, {after}, {after}]>(x) }}""")
    for height, width in ((3, 3), (5, 4), (7, 17), (4, 33), (6, 40), (5, 70), (3, 131)):
        x = np.random.default_rng(width).standard_normal((2, 3, height, width)).astype(np.float32)
        fill = -np.inf if kind == "MaxPool" else np.nan
        padded = np.pad(x, ((0, 0), (0, 0), pads, pads), constant_values=fill)
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::stride, ::stride]
        expected = windows.max((4, 5)) if kind == "MaxPool" else np.nanmean(windows, (4, 5))
        (y,) = runner.run({"x": x})
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("stride", [2, 3])
def test_a_convolution_of_each_channel(stride):
    runner = compile_graph(f"""g (float[n, 4, w] x, float[4, 1, 3] f) => (float[n, 4, q] y) {{
        y = Conv<group = 4, kernel_shape = [3], strides = [{stride}], pads = [1, 1]>(x, f) }}""")
    f = np.random.default_rng(0).standard_normal((4, 1, 3)).astype(np.float32)
    for width in (1, 2, 3, 16, 17, 33, 100):
        x = np.random.default_rng(width).standard_normal((2, 4, width)).astype(np.float32)
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, ((0, 0), (0, 0), (1, 1))), 3, 2)[:, :, ::stride]
        (y,) = runner.run({"x": x, "f": f})
        np.testing.assert_allclose(y, np.einsum("ncwk,ck->ncw", windows, f[:, 0]), rtol=1e-4, atol=1e-5)

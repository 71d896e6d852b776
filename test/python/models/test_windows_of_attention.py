"""Attention within windows that a shift cuts anew, and over positions that are repeated: as onnxruntime computes it."""

import numpy as np
import onnx.parser
import onnxruntime
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

CONSTANTS = """<int64[1] i0 = {0}, int64[1] i1 = {1}, int64[1] i2 = {2}, int64[1] side = {4}, int64[1] back = {-2}, int64[1] rest = {-1},
    int64[1] end = {9223372036854775807}, int64[1] places = {16}, int64[3] window = {-1, 16, 4}, int64[2] start = {0, 0},
    int64[2] both = {1, 2}>"""
# Each is a window further, and what leaves at one end comes in at the other.
ROLL = """{b}0 = Slice({x}, {by}, end, i1) {b}1 = Slice({x}, i0, {by}, i1) {b}2 = Concat<axis = 1>({b}0, {b}1)
    {b}3 = Slice({b}2, {by}, end, i2) {b}4 = Slice({b}2, i0, {by}, i2) {b} = Concat<axis = 2>({b}3, {b}4)"""
WEIGHTS = """by_image = Reshape(scores, scores_dims) soft = Softmax<axis = -1>(by_image) weights_dims = Concat<axis = 0>(rest, places, places)
    weights = Reshape(soft, weights_dims)"""
BLOCK = CONSTANTS + """ { dims = Shape(x) batch = Gather(dims, i0) height = Gather(dims, i1) width = Gather(dims, i2)
    h0 = Sub(side, height) more_rows = Mod(h0, side) w0 = Sub(side, width) more_columns = Mod(w0, side)
    pads = Concat<axis = 0>(i0, i0, i0, i0, i0, more_rows, more_columns, i0) padded = Pad(x, pads)
    %(there)s shifted_dims = Shape(shifted) rows = Gather(shifted_dims, i1) columns = Gather(shifted_dims, i2)
    down = Div(rows, side) across = Div(columns, side) grid = Concat<axis = 0>(batch, down, side, across, side, side)
    cut = Reshape(shifted, grid) together = Transpose<perm = [0, 1, 3, 2, 4, 5]>(cut) windows = Reshape(together, window)
    turned = Transpose<perm = [0, 2, 1]>(windows) scores = MatMul(windows, turned) count = Mul(down, across)
    scores_dims = Concat<axis = 0>(batch, count, places, places) %(weights)s mixed = MatMul(weights, windows)
    apart_dims = Concat<axis = 0>(rest, down, across, side, side, side) apart = Reshape(mixed, apart_dims)
    joined = Transpose<perm = [0, 1, 3, 2, 4, 5]>(apart) whole = Concat<axis = 0>(batch, rows, columns, rest)
    image = Reshape(joined, whole) %(again)s size = Concat<axis = 0>(height, width) cropped = Slice(unshifted, start, size, both)
    y = Add(cropped, x) }"""


def compare(model, sizes, options, make):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for runner in dyn.compile(model, threads=1, **options), dyn.Reference(model, **options):
        for size in sizes:
            inputs = {name: np.random.default_rng(0).standard_normal(dims, np.float32) for name, dims in make(*size).items()}
            (expected,), (y,) = session.run(None, inputs), runner.run(inputs)
            assert y.shape == expected.shape
            np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("options", [{}, {"dims": {"H": dyn.Dim(1, 512)}}, {"dims": {"B": 1}}])
def test_shifted_windows(options):
    text = BLOCK % {"there": ROLL.format(x="padded", b="shifted", by="i2"), "weights": WEIGHTS,
                    "again": ROLL.format(x="image", b="unshifted", by="back")}
    model = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 18]> g (float[B, H, W, 4] x) => (float[B, H2, W2, 4] y) {text}')
    batches = (1,) if "B" in options.get("dims", {}) else (1, 2)
    sizes = [(b, h, w) for b in batches for h, w in [(1, 1), (4, 4), (5, 7), (8, 4), (2, 13), (3, 9)]]
    compare(model, sizes, options, lambda b, h, w: {"x": (b, h, w, 4)})


@pytest.mark.parametrize("keys", ["r", "k"])
@pytest.mark.parametrize("dims", ["B, T", "2, 5"])
def test_keys_and_values_that_are_repeated_along_the_sequence(keys, dims):
    """`repeat_interleave` as PyTorch exports it. Two positions that are one in memory are two in the softmax."""
    model = onnx.parser.parse_model(f"""<ir_version: 9, opset_import: ["" : 17]> g (float[B, S, 4] q, float[{dims}, 4] x) => (float[B, U, 4] y)
        <int64[1] axis = {{2}}, int64[4] twice = {{1, 1, 2, 1}}, int64[3] flat = {{0, -1, 4}}> {{
        u = Unsqueeze(x, axis) e = Expand(u, twice) r = Reshape(e, flat) k = Relu(r) t = Transpose<perm = [0, 2, 1]>({keys})
        s = MatMul(q, t) w = Softmax<axis = -1>(s) y = MatMul(w, r) }}""")
    sizes = [(2, 3, 5), (2, 1, 5), (2, 0, 5)] if dims == "2, 5" else [(1, 1, 1), (2, 3, 5), (3, 7, 13), (1, 2, 65), (1, 0, 2)]
    compare(model, sizes, {}, lambda b, s, t: {"q": (b, s, 4), "x": (b, t, 4)})

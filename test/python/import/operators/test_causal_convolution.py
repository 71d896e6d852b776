"""Convolutions with a state, which onnxruntime does not have yet, against ONNX's own reference."""

import itertools

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx.reference import ReferenceEvaluator

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

SIZES = [(2, 3, 5, 4), (1, 3, 1, 4), (3, 3, 13, 1), (2, 3, 0, 4), (2, 7, 11, 3), (1, 1, 1, 1)]


def build(channels, taps, activation, has_state):
    state = f", float[N, {channels}, P] p" if has_state else ""
    return onnx.parser.parse_model(f"""<ir_version: 10, opset_import: ["" : 27]>
        g (float[N, {channels}, S] x, float[{channels}, 1, {taps}] w, float[{channels}] b{state})
          => (float[N, {channels}, S] y, float[N, {channels}, Q] s) {{
          y, s = CausalConvWithState<activation = "{activation}">(x, w, b{", p" if has_state else ""})
        }}""")


def make_inputs(batch, channels, length, taps, has_state):
    rng = np.random.default_rng(0)
    dims = {"x": (batch, channels, length), "w": (channels, 1, taps), "b": (channels,)}
    if has_state:
        dims["p"] = (batch, channels, taps - 1)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in dims.items()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("channels, taps, activation, has_state",
                         list(itertools.product(["C", "3"], ["K", "4"], ["none", "silu"], [False, True])))
def test_computes_at_every_size(channels, taps, activation, has_state, here):
    model = build(channels, taps, activation, has_state)
    onnx.save(model, here / "model.onnx")
    executable, reference = dyn.compile(here / "model.onnx", threads=1), ReferenceEvaluator(model)
    for sizes in SIZES:
        if (channels == "3" and sizes[1] != 3) or (taps == "4" and sizes[3] != 4):
            continue
        inputs = make_inputs(*sizes, has_state)
        for ours, theirs in zip(executable.run(inputs), reference.run(None, inputs), strict=True):
            assert ours.shape == theirs.shape, sizes
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5, err_msg=str(sizes))


@pytest.mark.filterwarnings("ignore")
def test_a_state_of_another_length_is_refused(here):
    onnx.save(build("C", "K", "none", True), here / "model.onnx")
    inputs = make_inputs(2, 3, 5, 4, True) | {"p": np.zeros((2, 3, 7), np.float32)}
    with pytest.raises(dyn.ShapeError, match="K = 4 .*P = 7"):
        dyn.compile(here / "model.onnx", threads=1).run(inputs)

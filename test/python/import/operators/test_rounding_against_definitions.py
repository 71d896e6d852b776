"""Where onnxruntime rounds otherwise, for example by tables of integers or after other steps of halves, Dyn computes what the
operator is defined to be, and differs by one rounding at most."""

import fractions
import itertools

import numpy as np
import onnx
import onnx.numpy_helper
import onnx.parser
import onnxruntime
import pytest
from onnx.reference import ReferenceEvaluator

import attention_cases
import layer_cases
from contrib_cases import ROUNDED
from models import build as build_case
from models import make_inputs, open_runners, run_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

HEADER = '<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>'
BYTES = np.arange(256, dtype=np.uint8)
PAIRS = np.array(list(itertools.product(BYTES, BYTES)), dtype=np.uint8)
HALVES = {**attention_cases.HALVES, **layer_cases.HALVES}
HALVES_DEFINED = {**attention_cases.HALVES_DEFINED, **layer_cases.HALVES_DEFINED}


def scalars(**values):
    return " ".join(f"{name} = Constant<value = {'float' if isinstance(value, float) else 'uint8'} {{{value}}}>()"
                    for name, value in values.items())


def build(text):
    return onnx.parser.parse_model(f"{HEADER} {text}")


# The second are those of a classifier of text lines: the sum of x0 and an odd number is exactly a half.
@pytest.mark.parametrize("scales, zeros", [((0.5, 0.25, 0.5), (115, 0, 3)),
                                           ((0.02344784, 0.01176471, 0.02352942), (115, 0, 0))])
def test_sums_that_are_halves_become_even(scales, zeros):
    """All sums of two bytes but those so close to a half that f32 can't tell."""
    model = build("g (uint8[N] x, uint8[N] z) => (uint8[N] y) { "
                  + scalars(sx=scales[0], sz=scales[1], sy=scales[2], x0=zeros[0], z0=zeros[1], y0=zeros[2])
                  + " y = com.microsoft.QLinearAdd(x, sx, x0, z, sz, z0, sy, y0) }")
    x, z = PAIRS.T
    a, b, c = (fractions.Fraction(float(np.float32(scale))) for scale in scales)
    exact = [(a * (int(i) - zeros[0]) + b * (int(j) - zeros[1])) / c + zeros[2] for i, j in PAIRS]
    expected = np.array([min(max(round(value), 0), 255) for value in exact], dtype=np.uint8)
    distances = [abs(value % 1 - fractions.Fraction(1, 2)) for value in exact]
    is_clear = np.array([distance == 0 or distance > 1e-4 for distance in distances])
    assert any(distance == 0 for distance in distances)
    (got,) = dyn.Reference(model).run({"x": x, "z": z})
    np.testing.assert_array_equal(got[is_clear], expected[is_clear])
    (compiled,) = dyn.compile(model).run({"x": x, "z": z})
    np.testing.assert_array_equal(compiled, got)


def test_quantized_softmax_is_rounded_to_nearest():
    """onnxruntime is one off for about half of all pairs at this scale, so that its fusion changes what a graph computes."""
    parameters = scalars(sx=0.01, x0=75, sy=0.00392157, y0=0)
    fused = build("g (uint8[N, 2] x) => (uint8[N, 2] y) { " + parameters
                  + " y = com.microsoft.QLinearSoftmax<axis = 1, opset = 17>(x, sx, x0, sy, y0) }")
    apart = build("g (uint8[N, 2] x) => (uint8[N, 2] y) { " + parameters
                  + " f = DequantizeLinear(x, sx, x0) s = Softmax<axis = 1>(f) y = QuantizeLinear(s, sy, y0) }")
    (expected,) = ReferenceEvaluator(apart).run(None, {"x": PAIRS})
    (got,) = dyn.Reference(fused).run({"x": PAIRS})
    np.testing.assert_array_equal(got, expected)
    (theirs,) = run_onnxruntime(fused, {"x": PAIRS})
    assert np.abs(expected.astype(int) - theirs).max() == 1


@pytest.mark.parametrize("rows", [1, 7, 512])
def test_long_sums_along_a_middle_axis(rows):
    """Quantization of what follows makes a step of the last digits, so the sum is to be as exact as f32 allows."""
    model = build("g (float[N, S, C] x) => (float[N, C] y) { a = Constant<value = int64[1] {1}>() "
                  "y = ReduceSum<keepdims = 0>(x, a) }")
    x = np.random.default_rng(0).uniform(0, 1, (2, rows, 64)).astype(np.float32)
    exact = x.astype(np.float64).sum(axis=1)
    (got,) = dyn.Reference(model).run({"x": x})
    np.testing.assert_array_max_ulp(got, exact.astype(np.float32), 1)


@pytest.mark.parametrize("operator", ["MaxPool", "AveragePool", "LpPool"])
def test_a_window_that_lacks_less_than_its_stride_has_no_place(operator):
    model = build(f"g (float[1, 1, N] x) => (float[1, 1, M] y) {{ y = {operator}<kernel_shape = [2], strides = [2]>(x) }}")
    x = np.ones((1, 1, 1), np.float32)
    (expected,) = ReferenceEvaluator(model).run(None, {"x": x})
    (got,) = dyn.Reference(model).run({"x": x})
    assert got.shape == expected.shape == (1, 1, 0)
    assert dyn.compile(model).output_dims({"N": 1})["y"] == (1, 1, 0)


@pytest.mark.parametrize("seed", range(3))
def test_gates_of_long_sums_in_blocks_of_channels(tmp_path, seed):
    """Detection models gate channels by steep functions of sums that cancel out. At random weights the last digits of
    such a sum are the first ones of the gate, so that onnxruntime differs from itself after its optimizations."""
    channels = 672
    generator = np.random.default_rng(seed)
    weights, x = ((scale * generator.standard_normal((n, channels, 1, 1))).astype(np.float32) for n, scale in ((channels, 1), (1, 1000)))
    # Of products that nearly cancel out.
    weights[:, -1, 0, 0] = -(weights[:, :-1, 0, 0].astype(np.float64) @ x[0, :-1, 0, 0]) / x[0, -1, 0, 0]
    model = build(f"g (float[1, {channels}, 1, 1] x) => (float[1, {channels}, 1, 1] y) {{ c = Conv(x, w) "
                  "y = HardSigmoid<alpha = 0.16666667, beta = 0.5>(c) }")
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    terms = weights[:, :, 0, 0].astype(np.float64) * x[0, :, 0, 0]
    exact = np.clip(terms.sum(axis=1) / 6 + 0.5, 0, 1)
    rounding = np.finfo(np.float32).eps * np.abs(terms).sum(axis=1)
    (theirs,) = session.run(None, {"x": x})
    assert (np.abs(theirs.ravel() - exact) <= channels * rounding + 1e-6).all()
    assert any(node.domain == "com.microsoft.nchwc" for node in onnx.load(options.optimized_model_filepath).graph.node)
    (got,) = dyn.Reference(options.optimized_model_filepath).run({"x": x})
    np.testing.assert_allclose(got.ravel(), exact, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ROUNDED)
def test_differs_by_at_most_one(name, here):
    model = build_case(ROUNDED[name])
    onnx.save(model, here / "model.onnx")
    inputs = make_inputs(model)
    for ours, theirs in zip(dyn.Reference(model).run(inputs), run_onnxruntime(model, inputs), strict=True):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert np.abs(ours.astype(int) - theirs.astype(int)).max() <= 1


@pytest.mark.parametrize("sizes", [{"N": 2, "S": 5, "K": 4}, {"N": 1, "S": 1, "K": 1}, {"N": 3, "S": 7, "K": 17}])
@pytest.mark.parametrize("name", HALVES)
def test_differs_by_a_rounding_of_halves(name, sizes):
    model = build_case(HALVES[name])
    inputs = make_inputs(model, sizes)
    (expected,) = run_onnxruntime(build_case(HALVES_DEFINED.get(name, HALVES[name])), inputs)
    for runner in open_runners(model):
        (ours,) = runner.run(inputs)
        assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(ours, expected, rtol=2e-3, atol=1e-2)

"""onnxruntime's Rfft and Irfft, which it computes on GPUs only, against NumPy; and STFT of signals of any length."""

import numpy as np
import onnx
import onnx.parser
import pytest

import models

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

SIZES = [(2, 3, 4, 5), (1, 1, 1, 1), (3, 2, 7, 6), (0, 3, 4, 8)]


def build(body, inputs):
    return onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]> g ({inputs}) => (float[S, T, U, V] y) {{ {body} }}')


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_there_and_back(here, number, sizes):
    axes = tuple(range(-number, 0))
    signal = np.random.default_rng(0).standard_normal(sizes).astype(np.float32)
    onnx.save(build(f"y = com.microsoft.Rfft<signal_ndim = {number}>(x)", "float[N, A, B, C] x"), here / "there.onnx")
    transformed = np.fft.rfftn(signal, axes=axes)
    [found] = dyn.compile(here / "there.onnx", threads=1).run({"x": signal})
    parts = np.stack([transformed.real, transformed.imag], -1)
    assert found.shape == parts.shape
    np.testing.assert_allclose(found, parts, atol=1e-4)

    onnx.save(build(f"y = com.microsoft.Irfft<signal_ndim = {number}>(x)", "float[N, A, B, C, 2] x"), here / "back.onnx")
    lengths = (*sizes[-number:-1], 2 * transformed.shape[-1] - 1)
    [found] = dyn.compile(here / "back.onnx", threads=1).run({"x": parts.astype(np.float32)})
    expected = np.fft.irfftn(transformed, s=lengths, axes=axes)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("attributes, message", [
    ("onesided = 0", "attribute 'onesided' is 0, which is not supported"),
    ("normalized = 1", "attribute 'normalized' is 1, which is not supported"),
    ("signal_ndim = 4", "attribute 'signal_ndim' is 4, of 4 dims"),
])
def test_what_is_not_supported(here, attributes, message):
    onnx.save(build(f"y = com.microsoft.Rfft<{attributes}>(x)", "float[N, A, B, C] x"), here / "model.onnx")
    with pytest.raises(dyn.CompileError, match=message):
        dyn.compile(here / "model.onnx", threads=1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operands", ["x, s, w", "x, s, , l", "x, s, w, l"])
def test_signals_that_are_shorter_than_a_frame(operands):
    model = models.build((17, "float[N, S, 1] x, float[8] w", "y", "s = Constant<value = int64 {2}>() l = Constant<value = int64 {8}>() "
                          f"y = STFT({operands})"))
    guards = [(guard.predicate, guard.because) for guard in dyn.shapes(model).guards]
    assert ("8 <= S", "STFT: a frame must fit the signal") in guards
    for length in (0, 1, 6, 7, 8, 9, 23):
        inputs = {name: np.random.default_rng(0).standard_normal(dims, np.float32) for name, dims in [("x", (2, length, 1)), ("w", (8,))]}
        for runner in models.open_runners(model):
            if length < 8:
                with pytest.raises(dyn.Error, match="STFT/y"):
                    runner.run(inputs)
                with pytest.raises(Exception, match="window_size <= signal_size"):
                    models.run_onnxruntime(model, inputs)
                continue
            (ours,), (expected,) = runner.run(inputs), models.run_onnxruntime(model, inputs)
            assert ours.shape == expected.shape
            np.testing.assert_allclose(ours, expected, atol=1e-5)

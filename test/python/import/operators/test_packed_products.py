"""Products with a blob of columns in blocks of 32 numbers of 4 bits."""

import numpy as np
import onnx.helper as oh
import pytest

from contrib_cases import contrib
import models
from models import build, open_runners
from zoo.runners import largest_difference

dyn = pytest.importorskip("dyn", reason="the Python package is not built")


def make_blob(kind, rows, columns, seed=0):
    generator = np.random.default_rng(seed)
    text = b""
    for _ in range(columns * -(-rows // 32)):
        text += np.float32(generator.uniform(-0.2, 0.2)).tobytes() + bytes([generator.integers(0, 16)] * kind) + generator.bytes(16)
    return np.frombuffer(text, np.uint8)


def make(kind, rows, columns, length):
    return build(contrib(f"float[B, N, {rows}] x, uint8[{length}] w", "y", f"s = Constant<value = int64[2] {{{rows}, {columns}}}>() "
                         f"y = com.microsoft.MatMulFpQ4<blk_quant_type = {kind}>(x, w, s)"))


def run_onnxruntime(model, inputs):
    try:
        return models.run_onnxruntime(model, inputs)
    except Exception as error:
        if "4b quantization not yet supported" not in str(error):
            raise
        pytest.skip("onnxruntime has this operator on other CPUs only")


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("rows, columns", [(64, 6), (40, 5), (1, 1), (100, 16)])
def test_computes_what_onnxruntime_does(kind, rows, columns):
    blob = make_blob(kind, rows, columns)
    model = make(kind, rows, columns, len(blob))
    for runner in open_runners(model):
        for batch, count in [(2, 3), (1, 1), (3, 17)]:
            inputs = {"x": np.random.default_rng(1).standard_normal((batch, count, rows), np.float32), "w": blob}
            (ours,), (expected,) = runner.run(inputs), run_onnxruntime(model, inputs)
            assert ours.shape == expected.shape
            assert largest_difference(ours, expected) < 1e-5
        assert runner.run({"x": np.zeros((2, 0, rows), np.float32), "w": blob})[0].shape == (2, 0, columns)


def test_constant_weights():
    blob = make_blob(1, 40, 5)
    model = make(1, 40, 5, len(blob))
    del model.graph.input[1]
    model.graph.initializer.append(oh.make_tensor("w", oh.onnx.TensorProto.UINT8, [len(blob)], blob))
    inputs = {"x": np.random.default_rng(1).standard_normal((2, 3, 40), np.float32)}
    (ours,), (expected,) = dyn.compile(model, threads=1).run(inputs), run_onnxruntime(model, inputs)
    assert largest_difference(ours, expected) < 1e-5


@pytest.mark.parametrize("kind, length, message", [(2, 42, "'blk_quant_type' is 2"), (1, 41, "MatMulFpQ4/y")])
def test_what_is_refused(kind, length, message):
    with pytest.raises(dyn.CompileError, match=message):
        dyn.compile(make(kind, 40, 1, length), threads=1)

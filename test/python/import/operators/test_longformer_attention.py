"""Attention to neighbours and to global places; onnxruntime has no CPU kernel for it."""

import numpy as np
import pytest

from contrib_cases import contrib
from models import build, open_runners

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

INPUTS = "float[B, S, 6] x, float[6, 18] w, float[18] b, float[B, S] m, float[6, 18] gw, float[18] gb, int32[B, S] g"


def make(attributes="num_heads = 2, window = 2", kind="float32"):
    return build(contrib(INPUTS if kind == "float32" else INPUTS.replace("float[", "float16["), "y", f"y = com.microsoft.LongformerAttention<{attributes}>(x, w, b, m, gw, gb, g)"))


def define(x, w, b, m, gw, gb, g, heads=2, window=2):
    batch, length, width = x.shape
    local, everywhere = (np.split((x @ table + bias).reshape(batch, length, 3 * heads, width // heads), 3, 2) for table, bias in ((w, b), (gw, gb)))
    result = np.zeros((batch, length, heads, width // heads), np.float32)
    for row in range(batch):
        for place in range(length):
            if m[row, place] < 0:
                continue  # padding
            q, k, v = everywhere if g[row, place] else local
            asked = [other for other in range(length) if g[row, place] or abs(other - place) <= window or g[row, other]]
            for head in range(heads):
                scores = k[row, asked, head] @ q[row, place, head] / np.sqrt(width // heads) + m[row, asked]
                weights = np.exp(scores - scores.max())
                result[row, place, head] = weights / weights.sum() @ v[row, asked, head]
    return result.reshape(x.shape)


@pytest.mark.parametrize("kind", [np.float32, np.float16])
@pytest.mark.parametrize("batch, length", [(2, 12), (1, 1), (3, 4), (0, 8), (2, 0)])
def test_computes_the_definition(batch, length, kind):
    generator = np.random.default_rng(0)
    draw = lambda *dims: generator.standard_normal(dims, np.float32)
    inputs = {"x": draw(batch, length, 6), "w": draw(6, 18), "b": draw(18), "gw": draw(6, 18), "gb": draw(18),
              "m": np.where(np.arange(length) < length - 1 - np.arange(batch)[:, None], np.float32(0), np.float32(-10000)),
              "g": np.asarray(np.arange(length) % 5 == np.arange(batch)[:, None], np.int32)}
    inputs = {name: value if value.dtype == np.int32 else np.asarray(value, kind) for name, value in inputs.items()}
    expected = define(**{name: value if value.dtype == np.int32 else np.asarray(value, np.float32) for name, value in inputs.items()})
    for runner in open_runners(make(kind=np.dtype(kind).name)):
        (ours,) = runner.run(inputs)
        assert (ours.shape, ours.dtype) == ((batch, length, 6), kind)
        np.testing.assert_allclose(ours, expected, rtol=2e-3, atol=2e-2 if kind == np.float16 else 1e-5)


def test_what_is_refused():
    with pytest.raises(dyn.CompileError, match="LongformerAttention/y.*'window' is 0"):
        dyn.compile(make("num_heads = 2, window = 0"), threads=1)

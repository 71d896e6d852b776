"""Rows of a table from `past` on, as many as there are tokens: what is left of the table may be too short."""

import numpy as np
import onnx
import pytest


@pytest.fixture
def model(build):
    """The rows are added, and the sum is put beside what it was added to."""
    model = build("""g (float[b,t,4] x, float[b,past,4] cache) => (float[p,q,8] y)
        <int64[1] zero = {0}, int64[1] one = {1}>
        { cached = Shape(cache) shape = Shape(x) past = Gather<axis = 0>(cached, one) t = Gather<axis = 0>(shape, one)
          end = Add(past, t) rows = Slice(table, past, end, zero) sum = Add(x, rows) y = Concat<axis = 2>(sum, x) }""".replace("float[b,t,4] x", "float[b,tokens,4] x")
                  .replace("[b,past,4]", "[b,before,4]"))
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.arange(96, dtype=np.float32).reshape(24, 4), "table"))
    return model.SerializeToString()


def test_one_guard_says_all(dyn, model):
    """What the sum is put beside decides how it was broadcast, and what follows needs no guard of its own."""
    compiled = dyn.compile(model)
    assert compiled.outputs[0].dims == ("b", "tokens", "8")
    (guard,) = compiled.guards
    assert guard.startswith("tokens == ") and "bcast" not in guard
    assert compiled.explain("before + tokens <= 24 or before == 23 or tokens == 0")


@pytest.mark.parametrize("before, tokens", [(0, 24), (5, 3), (23, 1), (23, 5), (3, 0), (24, 0), (24, 2), (5, 20), (30, 0)])
def test_it_runs_where_onnxruntime_does(dyn, model, before, tokens):
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    inputs = {"x": np.ones((2, tokens, 4), np.float32), "cache": np.ones((2, before, 4), np.float32)}
    try:
        (expected,) = session.run(None, inputs)
    except Exception:
        with pytest.raises(dyn.ShapeError, match="tokens"):
            dyn.compile(model).run(inputs)
        return
    (got,) = dyn.compile(model).run(inputs)
    assert np.array_equal(got, expected)

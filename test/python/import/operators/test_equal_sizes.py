"""Sizes that an operator wants equal, where no size of 1 is repeated: a guard tells them, import those that are constant."""

import numpy as np
import onnx
import pytest

from models import build, run_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")


def floats(*dims):
    return np.arange(1, np.prod(dims, dtype=int) + 1, dtype=np.float32).reshape(dims)


def lengths(*values):
    return np.array(values, np.int64)


DIAGONAL = 'y = Einsum<equation = "ii->i">(x)'
PRODUCT = 'y = Einsum<equation = "iij,jk->k">(x, z)'
REVERSED = "y = ReverseSequence<time_axis = 0, batch_axis = 1>(x, l)"
BRANCH = "y = If <then_branch = t () => (float[N] u) { u = Neg(x) }, else_branch = e () => (float[N] v) { v = Abs(x) }> (c)"
TRIPS = """k = Constant<value = bool {1}>() y = Loop <body = b (int64 i, bool go, float[N] s) => (bool on, float[N] r)
    { on = Identity(go) r = Add(s, s) }> (m, k, x)"""
CACHE = "y = TensorScatter<axis = 1>(x, u, w)"

CASES = {
    "diagonal": (13, "float[A, B] x", DIAGONAL, "A == B  (Einsum: dims of label 'i', node /Einsum/y)",
                 [[floats(3, 3)], [floats(1, 1)], [floats(0, 0)]],
                 [[floats(2, 3)], [floats(3, 2)], [floats(5, 1)], [floats(1, 5)], [floats(0, 1)]]),
    "diagonal-product": (13, "float[A, B, C] x, float[C, D] z", PRODUCT, "A == B  (Einsum: dims of label 'i', node /Einsum/y)",
                         [[floats(2, 2, 3), floats(3, 4)], [floats(1, 1, 0), floats(0, 2)]],
                         [[floats(3, 2, 2), floats(2, 2)], [floats(1, 2, 3), floats(3, 1)]]),
    "sequence-lengths": (10, "float[T, B] x, int64[K] l", REVERSED, "B == K  (ReverseSequence: elements of sequence_lens, node /ReverseSequence/y)",
                         [[floats(4, 2), lengths(4, 2)], [floats(4, 1), lengths(3)]],
                         [[floats(4, 3), lengths(2)], [floats(4, 1), lengths(1, 2, 3)], [floats(4, 2), lengths(1, 2, 3)]]),
    "condition": (17, "float[N] x, bool[K] c", BRANCH, "K == 1  (elements of the condition, node /If/y)",
                  [[floats(2), np.array([True])], [floats(0), np.array([False])]],
                  [[floats(2), np.array([False, True])], [floats(2), np.array([], bool)]]),
    "trips": (17, "float[N] x, int64[K] m", TRIPS, "K == 1  (elements of the number of trips, node /Loop/y)",
              [[floats(2), lengths(2)], [floats(2), lengths(0)]], [[floats(2), lengths(2, 3)], [floats(2), lengths()]]),
    "write-indices": (24, "float[B, S, 2] x, float[B, R, 2] u, int64[K] w", CACHE,
                      "B == K  (TensorScatter: elements of write_indices, node /TensorScatter/y)", [],
                      [[floats(3, 4, 2), floats(3, 1, 2), lengths(1)]]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_guard_names_what_must_be_equal(name, here):
    opset, inputs, body, guard, right, wrong = CASES[name]
    model = build((opset, inputs, "y", body))
    onnx.save(model, here / "model.onnx")
    assert guard in map(str, dyn.shapes(here / "model.onnx").guards)
    runners = [dyn.Reference(here / "model.onnx"), dyn.Reference(here / "model.onnx", infer_shapes=False)]
    if name != "trips":  # how many there are, only the run knows
        runners.append(dyn.compile(here / "model.onnx", threads=1))
    names = [value.name for value in model.graph.input]
    for values in right:
        feeds = dict(zip(names, values, strict=True))
        (expected,) = run_onnxruntime(model, feeds)
        for runner in runners:
            (got,) = runner.run(feeds)
            np.testing.assert_allclose(got, expected, rtol=1e-5)
    for values in wrong:
        for runner in runners:
            with pytest.raises(dyn.ShapeError):
                runner.run(dict(zip(names, values, strict=True)))


@pytest.mark.parametrize("inputs, body, message", [
    ("float[2, 3] x", DIAGONAL, r"label 'i' names dims of 2 and 3 in one operand; its inputs: 'x' \[2, 3\]"),
    ("float[4, 3] x, int64[1] l", REVERSED, "ReverseSequence: elements of sequence_lens: 3 and 1 cannot be equal"),
    ("float[N] x, bool[2] c", BRANCH, "condition"),
])
def test_constants_that_are_not_equal_are_refused(inputs, body, message, here):
    onnx.save(build((17, inputs, "y", body)), here / "model.onnx")
    with pytest.raises(dyn.CompileError, match=message):
        dyn.compile(here / "model.onnx")
    check = dyn.check_dims(here / "model.onnx")
    assert not check and check.findings[0].text.startswith("node '")

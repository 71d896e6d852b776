"""Sizes that an operator wants equal, where no size of 1 is repeated: a guard tells them, import those that are constant."""

import numpy as np
import onnx
import onnxruntime
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


# Of onnxruntime's own operators: inputs, results, body, guards, the dims of results, and the sizes of runs, which it takes
# or refuses.
TABLES = ", float[9, 8] w, float[6, 8] p, float[2, 8] t, float[8] g, float[8] b"
BYTES = TABLES.replace("float", "uint8")
FACTORS = "f = Constant<value = float {0.05}>() z = Constant<value = uint8 {3}>() "
LENGTH = "ids1 <= 6"
PROJECTED = ", float[8, 24] w, float[24] a"
ATTENDED = "y = com.microsoft.Attention<num_heads = 2>(x, w, a, m)"
OWN = {
    "embedding-segments": (
        "int32[ids0, ids1] ids, int32[seg0, seg1] seg, int32[m0, m1] m" + TABLES, "y, n",
        "y, n = com.microsoft.EmbedLayerNormalization(ids, seg, w, p, t, g, b, m)",
        ["ids0 == seg0", "ids1 == seg1", "ids0 == m0", "ids1 == m1", LENGTH], [("ids0", "ids1", "8"), ("ids0",)],
        [((a, s),) * 3 for a in (0, 1, 2, 3) for s in (0, 1, 2, 3)] +
        [((2, 3), (1, 3), (2, 3)), ((2, 3), (2, 1), (2, 3)), ((1, 3), (2, 3), (1, 3)), ((2, 3), (2, 3), (5, 7)), ((2, 3), (2, 3), (1, 3)),
         ((2, 3), (2, 3), (2, 1))]),
    "embedding-places": (
        "int32[ids0, ids1] ids, int32[pos0, pos1] pos" + TABLES, "y, n",
        "y, n = com.microsoft.EmbedLayerNormalization(ids, , w, p, , g, b, , pos)",
        ["ids1 == pos1", "ids0 == pos0 or pos0 == 1"], [("ids0", "ids1", "8"), ("ids0",)],
        [((a, s), (c, s)) for a in (0, 1, 2, 3) for s in (0, 1, 2) for c in (1, a)] + [((1, 3), (2, 3)), ((2, 3), (2, 1)), ((2, 1), (2, 3))]),
    "embedding-of-bytes": (
        "int32[ids0, ids1] ids, int32[seg0, seg1] seg, int32[m0, m1] m" + BYTES, "y, n", FACTORS +
        "y, n = com.microsoft.QEmbedLayerNormalization(ids, seg, w, p, t, g, b, m, f, f, f, f, f, z, z, z, z, z)",
        ["ids0 == seg0", "ids1 == seg1", "ids0 == m0", "ids1 == m1", LENGTH], [("ids0", "ids1", "8"), ("ids0",)],
        [((a, s),) * 3 for a in (1, 2, 3) for s in (1, 2, 3)] + [((2, 3), (1, 3), (2, 3)), ((2, 3), (2, 3), (2, 1))]),
    # A reshape would take what is as many elements.
    "experts": (
        "float[n, 8] x, float[m, e] r, float[3, 6, 8] w, float[3, 8, 6] v", "y", "y = com.microsoft.MoE<k = 2>(x, r, w, , v)",
        ["n == m", "e == 3"], [("n", "8")],
        [((a, 8), (a, 3)) for a in (0, 1, 2, 3)] + [((2, 8), (6, 1)), ((2, 8), (1, 6)), ((2, 8), (3, 2)), ((1, 8), (3, 1)), ((3, 8), (1, 3))]),
    "mask-of-nothing": (
        "float[b, s, 8] x, int32[d, 1] m" + PROJECTED, "y", ATTENDED, ["b == d or d == 1"], [("b", "s", "8")],
        [((b, s, 8), (d, 1)) for b in (0, 1, 2, 3) for s in (1, 2, 3) for d in (0, 1, 2, 3)]),
    "mask-of-places": (
        "float[b, s, 8] x, int32[d, k] m" + PROJECTED, "y", ATTENDED, ["b == d", "s == k"], [("b", "s", "8")],
        [((b, 3, 8), (d, k)) for b in (1, 2, 3) for d in {b, 1, 2} for k in (2, 3)]),
    "mask-of-ends": (
        "float[b, s, 8] x, int32[k] m" + PROJECTED, "y", ATTENDED, ["b == k"], [("b", "s", "8")],
        [((b, s, 8), (k,)) for b in (1, 2, 3) for s in (1, 2, 3) for k in (b, 2 * b + 1)]),
    "mask-of-ends-and-begins": (
        'float[b, s, 8] x, int32["2*b"] m' + PROJECTED, "y", ATTENDED, [], [("b", "s", "8")],
        [((b, s, 8), (2 * b,)) for b in (0, 1, 2, 3) for s in (1, 2, 3)]),
}


@pytest.mark.parametrize("name", OWN)
def test_own_operators_of_onnxruntime_repeat_no_dims(name):
    inputs, outputs, body, guards, dims, runs = OWN[name]
    model = build((17, inputs, outputs, body))
    shapes = dyn.shapes(model)
    assert [guard.predicate for guard in shapes.guards] == guards
    assert [value.dims for value in shapes.outputs.values()] == dims
    runners = [dyn.Reference(model), dyn.Reference(model, infer_shapes=True), dyn.compile(model, threads=1)]
    for sizes in runs:
        feeds = {}
        for number, value in enumerate(model.graph.input):
            tensor = value.type.tensor_type
            own = sizes[number] if number < len(sizes) else [dim.dim_value for dim in tensor.shape.dim]
            kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
            feeds[value.name] = np.ones(own, kind) if kind == np.int32 else floats(*own).astype(kind)
        try:
            expected = run_onnxruntime(model, feeds)
        except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument:
            expected = None
        for runner in runners:
            if expected is None:
                with pytest.raises(dyn.ShapeError):
                    runner.run(feeds)
                continue
            for ours, theirs in zip(runner.run(feeds), expected, strict=True):
                assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
                np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("inputs, body, message", [
    ("float[2, 3] x", DIAGONAL, r"label 'i' names dims of 2 and 3 in one operand; its inputs: 'x' \[2, 3\]"),
    ("float[4, 3] x, int64[1] l", REVERSED, "ReverseSequence: elements of sequence_lens: 3 and 1 cannot be equal"),
    ("float[N] x, bool[2] c", BRANCH, "condition"),
    ("int32[B, S] i, float[9, 8] w, float[6, 1] p, float[8] g, float[8] b", "y = com.microsoft.EmbedLayerNormalization(i, , w, p, , g, b)",
     r"columns of `p` and of `w` must be of the same size, not 1 \(dim 1\) and 8 \(dim 1\)"),
])
def test_constants_that_are_not_equal_are_refused(inputs, body, message, here):
    onnx.save(build((17, inputs, "y", body)), here / "model.onnx")
    with pytest.raises(dyn.CompileError, match=message):
        dyn.compile(here / "model.onnx")
    check = dyn.check_dims(here / "model.onnx")
    assert not check and check.findings[0].text.startswith("node '")

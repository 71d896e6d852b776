"""A 0 in the shape of a Reshape copies the operand's dim, also where it is a size that is 0 in one run."""

import itertools
import re

import numpy as np
import pytest

CONSTANTS = """<int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] three = {3}, int64[1] rest = {-1},
    int64[1] four = {4}, int64[1] six = {6}, int64[1] twelve = {12}>"""

# The dims of `x`, the nodes that make `to` of them, and the dims that gives.
MODELS = {
    "swapped": ("b,s,4", "to = Concat<axis = 0>(d1, d0, rest)", "p,q,r"),
    "second": ("b,s", "to = Concat<axis = 0>(d1, rest)", "p,q"),
    "image": ("b,3,h,w", "area = Mul(d2, d3) to = Concat<axis = 0>(d0, area, rest)", "p,q,r"),
    "rows": ("b,s,6", "rows = Mul(d0, d1) to = Concat<axis = 0>(rows, rest)", "p,q"),
    "heads": ("b,12,s,4", "rows = Mul(d0, twelve) to = Concat<axis = 0>(rows, d2, four)", "p,q,r"),
    "columns": ("b,12,s,4", "to = Concat<axis = 0>(rest, d2, four)", "p,q,r"),
    "merged": ("b,s,6", "rows = Mul(d0, d1) to = Concat<axis = 0>(rows, six)", "p,q"),
    "split": ("b,s,12", "to = Concat<axis = 0>(d0, d1, three, four)", "p,q,r,t"),
    "turned": ("b,s,4", "to = Concat<axis = 0>(d1, d0, four)", "p,q,r"),
}


def make(build, name):
    dims, nodes, result = MODELS[name]
    sizes = " ".join(f"d{index} = Gather<axis = 0>(shape, {number})"
                     for index, number in enumerate(("zero", "one", "two", "three")) if f"d{index}" in nodes)
    return build(f"g (float[{dims}] x) => (float[{result}] y) {CONSTANTS} {{ shape = Shape(x) {sizes} {nodes} y = Reshape(x, to) }}")


def outcome(run):
    try:
        return run()[0].shape
    except Exception as error:
        return str(error)


# Where a 0 copies a dim that is a constant, dims say so; other copies are refused, as is what may mean a size too.
REFUSALS = {
    "swapped": "a 0 beside -1 copies dim [01] of the operand",
    "second": "a 0 beside -1 copies dim 0 of the operand",
    "rows": "a 0 beside -1 copies dim 0 of the operand",
    "heads": "a 0 that may be a size or dim 1 of the operand",
}


@pytest.mark.parametrize("name", MODELS)
def test_compiled_and_interpreted_are_as_onnxruntime(dyn, build, name):
    onnxruntime = pytest.importorskip("onnxruntime")
    text = make(build, name).SerializeToString()
    session = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"])
    compiled, reference = dyn.compile(text), dyn.Reference(text)
    dims = MODELS[name][0].split(",")
    names = sorted({dim for dim in dims if not dim.isdecimal()})
    ran = 0
    for values in itertools.product((0, 1, 2, 3), repeat=len(names)):
        sizes = dict(zip(names, values))
        x = np.ones([sizes[dim] if dim in sizes else int(dim) for dim in dims], np.float32)
        expected = outcome(lambda: session.run(None, {"x": x}))
        if not isinstance(expected, tuple):
            continue
        ran += 1
        assert outcome(lambda: reference.run({"x": x})) == expected, sizes
        got = outcome(lambda: compiled.run({"x": x}))
        if isinstance(got, str):
            assert 0 in values and re.search(REFUSALS.get(name, "never"), got), (sizes, got)
        else:
            assert got == expected, sizes
    assert ran >= 4


@pytest.mark.parametrize("name", ["merged", "turned"])
def test_a_0_that_can_only_be_a_size(dyn, build, name):
    """A copied dim would be too many elements; onnxruntime refuses such runs."""
    text = make(build, name).SerializeToString()
    for runner in (dyn.compile(text), dyn.Reference(text)):
        got = outcome(lambda: runner.run({"x": np.ones((2, 0, 6 if name == "merged" else 4), np.float32)}))
        assert got == ((0, 6) if name == "merged" else (0, 2, 4))


def test_another_size_that_is_0(dyn, build):
    """Of an input that has no such dim itself."""
    onnxruntime = pytest.importorskip("onnxruntime")
    model = build(f"""g (float[n,4] x, float[b] v) => (float[p,q,4] y) {CONSTANTS}
        {{ shape = Shape(v) to = Concat<axis = 0>(shape, rest, four) y = Reshape(x, to) }}""").SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    compiled, reference = dyn.compile(model), dyn.Reference(model)
    for n, b in [(3, 0), (6, 2), (6, 3), (0, 2), (5, 2), (0, 0), (1, 1)]:
        inputs = {"x": np.ones((n, 4), np.float32), "v": np.ones(b, np.float32)}
        expected = outcome(lambda: session.run(None, inputs))
        interpreted, got = outcome(lambda: reference.run(inputs)), outcome(lambda: compiled.run(inputs))
        if isinstance(expected, tuple):
            assert interpreted == expected, (n, b)
            assert got == expected or b == 0 and "-1 beside a dim of size 0" in got, (n, b, got)
        else:
            assert isinstance(got, str), (n, b, got)


def test_sizes_that_keep_their_place_stay_plain(dyn, build):
    """Most models only move sizes that can't be 0 without the dim that would be copied."""
    model = build(f"""g (float[batch,seq,12] x) => (float[p,q,r] y) {CONSTANTS}
        {{ shape = Shape(x) d0 = Gather<axis = 0>(shape, zero) d1 = Gather<axis = 0>(shape, one)
           to = Concat<axis = 0>(d0, d1, three, four) a = Reshape(x, to) t = Transpose<perm = [0,2,1,3]>(a)
           rows = Mul(d0, three) back = Concat<axis = 0>(rows, rest, four) y = Reshape(t, back) }}""")
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == ("3 * batch", "seq", "4") and shapes.guards == ()


def test_what_onnx_refuses_anyway_needs_no_guard(dyn, build):
    """The rows and heads of empty batches of empty sequences: the -1 before them has no value there."""
    model = build(f"""g (float[batch,seq,12] x) => (float[p,q,r] y) {CONSTANTS}
        {{ shape = Shape(x) d0 = Gather<axis = 0>(shape, zero) d1 = Gather<axis = 0>(shape, one)
           to = Concat<axis = 0>(d0, d1, rest, four) a = Reshape(x, to) t = Transpose<perm = [0,2,1,3]>(a)
           rows = Mul(d0, three) back = Concat<axis = 0>(rows, d1, four) y = Reshape(t, back) }}""")
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == ("3 * batch", "seq", "4") and shapes.guards == ()
    assert dyn.compile(model.SerializeToString()).guards == ()


def test_a_guard_says_each_case_once(dyn, build):
    """Two dims may be copied, of which one is beside the other."""
    model = build("g (float[C,D,4] x) => (float[a,b,c,d] y) <int64[1] o = {1}> "
                  "{ s = Shape(x) t = Concat<axis = 0>(o, s) y = Reshape(x, t) }")
    (guard,) = dyn.shapes(model).guards
    assert guard.predicate == "1 <= D or 1 <= C"

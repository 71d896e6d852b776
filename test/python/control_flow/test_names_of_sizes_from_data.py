"""A name for a long size that data determine has no value where the run begins: what it needs is asked where it is known."""

import numpy as np
import onnx.parser
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

# The length of a range whose delta may have either sign gets a name.
RANGE = """r = Range(zero, {limit}, delta) length = Shape(r) narrow = Cast<to = 6>(length) doubled = Mul(narrow, two)
    size = Cast<to = 7>(doubled) {result} = ConstantOfShape(size)"""
GRAPH = """<ir_version: 8, opset_import: ["" : 17]> g (float[n] a, float[m] b, {input}) => (float[A] y)
    <int64 zero = {{0}}, int64 last = {{1}}, int32[1] two = {{2}}, float[0] none = {{}}> {{
      rows = Shape(a) columns = Shape(b) difference = Sub(rows, columns) delta = Squeeze(difference) {body} }}"""


def run(model, **inputs):
    given = {"a": np.zeros(3, np.float32), "b": np.zeros(2, np.float32), **inputs}
    (y,) = dyn.Reference(model, infer_shapes=True).run(given)
    return y.shape


def test_what_a_name_needs_is_asked_behind_what_gives_it_a_value():
    body = "places = NonZero(x) dims = Shape(places) count = Gather(dims, last) " + RANGE.format(limit="count", result="y")
    model = onnx.parser.parse_model(GRAPH.format(input="int64[N] x", body=body))
    assert run(model, x=np.array([1, 0, 2])) == (4,)


def test_what_a_name_needs_in_a_trip_is_not_asked_of_the_run():
    body = """y = Loop(k, , none) <body = trip (int64 i, bool go, float[C] before) => (bool still, float[D] after) {
        still = Identity(go) """ + RANGE.format(limit="i", result="after") + " }>"
    model = onnx.parser.parse_model(GRAPH.format(input="int64 k", body=body))
    assert run(model, k=np.array(4)) == (6,)
    assert not [guard for guard in dyn.shapes(model).guards if "32 bits" in guard.because]


ELEMENTS = {
    "two ops": ("float[p] y", "c = ConstantOfShape(k) e = ConstantOfShape(k) y = Add(c, e)", ("u0",), (4,)),
    "two dims": ("float[p, q] y", "kk = Concat<axis = 0>(k, k) y = ConstantOfShape(kk)", ("u0", "u0"), (4, 4)),
    "a row": ("float[p, q] y", """s = Squeeze(k) r = Range(zero, s, one) f = Cast<to = 1>(r) kk = Concat<axis = 0>(two, k)
        c = ConstantOfShape(kk) y = Add(c, f)""", ("2", "u0"), (2, 4)),
    "narrow integers": ("float[p] y", """n = Cast<to = 6>(k) w = Cast<to = 7>(n) v = Cast<to = 7>(n) c = ConstantOfShape(w)
        e = ConstantOfShape(v) y = Add(c, e)""", ("u0",), (4,)),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_sizes_that_are_one_element_are_one_size(name):
    output, body, dims, shape = ELEMENTS[name]
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]> g (int64[n] length) => ({output})
        <int64 zero = {{0}}, int64 one = {{1}}, int64[1] two = {{2}}> {{ k = ReduceMax<keepdims = 1>(length) {body} }}""")
    found = dyn.shapes(model)
    assert found.outputs["y"].dims == dims
    assert not [guard for guard in found.guards if "u0" in str(guard)]
    assert dyn.Reference(model, infer_shapes=True).run({"length": np.array([1, 4, 2])})[0].shape == shape


def test_sizes_of_which_one_may_wrap_around_are_two():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (int64[n] length) => (float[p] y, float[q] z) {
        k = ReduceMax<keepdims = 1>(length) m = Cast<to = 6>(k) w = Cast<to = 7>(m)
        y = ConstantOfShape(k) z = ConstantOfShape(w) }""")
    outputs = dyn.shapes(model).outputs
    assert outputs["y"].dims != outputs["z"].dims


def test_dims_that_are_not_sliced_stay_whatever_the_step():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[n, m] x, int64[1] step) => (float[p, q] y) <int64[1] begin = {0}, int64[1] end = {5}, int64[1] axes = {0}>
        { y = Slice(x, begin, end, axes, step) }""")
    rows, columns = dyn.shapes(model).outputs["y"].dims
    assert (rows, columns) == ("u0", "m")
    result = dyn.Reference(model, infer_shapes=True).run({"x": np.zeros((7, 3), np.float32), "step": np.array([2])})
    assert result[0].shape == (3, 3)

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

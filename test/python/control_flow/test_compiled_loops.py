"""Counted loops are one kernel, in which what is carried lies in one place: compiled, they compute what the interpreter does."""

import itertools

import numpy as np
import onnx.parser
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

# Carried values `p` and `q` and the slice `s`, all [N, 3]; what comes next is `u` and `v`, what is stacked `w`.
BODIES = {
    "values-change-places": "u = Identity(q) v = Identity(p) w = Add(p, s)",
    "values-move-on": "u = Add(p, s) v = Identity(p) w = Identity(q)",
    "the-value-before-is-stacked": "u = Add(p, s) v = Mul(q, s) w = Identity(p)",
    "a-view-of-a-value-is-handed-on": "d = Shape(p) f = Reshape(p, minus) r = Reshape(f, d) u = Add(q, s) v = Identity(r) w = Neg(r)",
    "two-products-of-one-size": "a = MatMul(p, m) b = MatMul(q, m) u = Add(a, s) v = Sub(b, a) w = Mul(a, b)",
    "sums-in-a-trip": "a = ReduceSum<keepdims = 1>(p, last) b = ReduceMax<keepdims = 1>(q, last) c = Div(p, one) d = Add(a, s) "
                      "u = Add(c, b) v = Tanh(d) w = Softmax<axis = 1>(p)",
    "elements-are-scattered": "i = Constant<value = int64[1, 3] {2, 0, 1}>() n = Shape(p) j = Expand(i, n) u = ScatterElements<axis = 1>(p, j, s) "
                              "v = Add(p, q) w = GatherElements<axis = 1>(q, j)",
    "elements-are-ordered": "k = Constant<value = int64[1] {3}>() o, i = TopK(s, k) u = Add(p, o) v = GatherElements<axis = 1>(q, i) w = CumSum(s, axis)",
    "pieces-are-joined": "c = Concat<axis = 1>(p, s, q) two = Constant<value = int64[1] {2}>() five = Constant<value = int64[1] {5}>() "
                         "u = Slice(c, two, five, last) d = Concat<axis = 1>(s, p) e, v = Split<axis = 1>(d) w = Transpose<perm = [0, 1]>(e)",
    "loops-in-loops": "t = Constant<value = int64 {3}>() u, x = Loop(t, , p) <body = inner (int64 j, bool k, float[A, B] a) => (bool l, float[C, D] b, "
                      "float[E, F] c) { l = Identity(k) b = Add(a, s) c = Mul(a, q) }> v = ReduceSum<keepdims = 0>(x, first) w = Add(q, u)",
    "layers-in-loops": "x = Unsqueeze(s, first) y, h = RNN<hidden_size = 3>(x, w1, w1) u = Squeeze(h, first) v = Add(q, u) w = Sub(p, q)",
    "the-number-of-a-trip-is-reshaped": "o = Constant<value = int64[1] {1}>() n = Constant<value = int64 {0}>() u, v0 = Loop(n3, , p, q) "
                                        "<body = inner (int64 j, bool k, float[A, B] a, float[C, D] c) => (bool l, float[E, F] e, float[G, H] f) "
                                        "{ l = Identity(k) r = Reshape(j, o) x = Cast<to = 1>(r) e = Add(c, x) f = Identity(a) }> v = Identity(q) w = Neg(v0)",
    "nothing-changes": "u = Identity(p) v = Identity(q) w = Identity(s)",
}
CONSTANTS = ("<int64[1] minus = {-1}, int64[1] last = {1}, int64[1] first = {0}, int64 axis = {1}, float one = {1.5}, int64 n3 = {3}, "
             "float[3, 3] m = {0.5, 0, 0.25, -0.5, 1, 0, 0, 0.5, -0.5}, float[1, 3, 3] w1 = {0.5, 0, 0.25, -0.5, 1, 0, 0, 0.5, -0.5}>")



def build(body):
    return onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 17]> g (float[N, 3] x, float[N, 3] y, float[T, N, 3] z) => (float[A, B] a, float[C, D] b, float[E, F, G] c)
        {CONSTANTS} {{ a, b, c = Scan<num_scan_inputs = 1, body = b (float[H, I] p, float[J, K] q, float[L, M] s) =>
        (float[O, P] u, float[Q, R] v, float[S, U] w) {{ {body} }}>(x, y, z) }}""")


def untyped(model):
    for output in model.graph.output:
        output.ClearField("type")
    return model


@pytest.mark.parametrize("read", ["abc", "a", "b", "ac", "bc"])
@pytest.mark.parametrize("name", BODIES)
def test_a_trip_computes_all_from_what_was(name, read):
    """Also where nobody reads some of the results: what they are then lies in memory of its own, too."""
    model = untyped(build(BODIES[name]))
    for output in list(model.graph.output):
        if output.name not in read:
            model.graph.output.remove(output)
    compiled, reference = dyn.compile(model, threads=1), dyn.Reference(model)
    generator = np.random.default_rng(0)
    for batch, steps in itertools.product((0, 1, 2, 7), (0, 1, 2, 5)):
        inputs = {"x": generator.standard_normal((batch, 3)), "y": generator.standard_normal((batch, 3)),
                  "z": generator.standard_normal((steps, batch, 3))}
        inputs = {key: value.astype(np.float32) for key, value in inputs.items()}
        for ours, theirs in zip(compiled.run(inputs), reference.run(inputs), strict=True):
            assert ours.shape == theirs.shape
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_what_a_trip_needs_of_sizes_is_asked_where_there_is_one():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[T] t, float[N] x, float[M, 2] z) => (float[A, B] y) {
        h = Shape(t) n = Squeeze(h) y = Loop(n, ) <body = b (int64 i, bool k) => (bool q, float[C] s) { q = Identity(k) s = MatMul(x, z) }> }""")
    model.graph.node[-1].attribute[0].g.node[-1].name = "/MatMul"
    runner = dyn.compile(untyped(model), threads=1)
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(runner.run({"t": x[:2], "x": x, "z": np.ones((3, 2), np.float32)})[0], np.full((2, 2), 3))
    assert runner.run({"t": x[:0], "x": x, "z": np.ones((5, 2), np.float32)})[0].shape == (0, 2)
    with pytest.raises(dyn.ShapeError, match="T <= 0 or N == M.*node /MatMul"):
        runner.run({"t": x[:1], "x": x, "z": np.ones((5, 2), np.float32)})


def test_an_index_of_a_trip_is_checked_in_the_trip():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (int64[T] t, float[N] x, float z) => (float y) {
        y = Scan<num_scan_inputs = 1, body = b (float p, int64 i) => (float u) { e = Gather(x, i) u = Add(p, e) }>(z, t) }""")
    model.graph.node[0].attribute[-1].g.node[0].name = "/Gather"
    runner = dyn.compile(untyped(model), threads=1)
    x, z = np.arange(4, dtype=np.float32), np.array(0, np.float32)
    assert runner.run({"t": np.array([3, 0, -1]), "x": x, "z": z})[0] == 6
    with pytest.raises(dyn.ShapeError, match="index 4 of input 't'.*out of bounds.*node /Gather"):
        runner.run({"t": np.array([3, 4]), "x": x, "z": z})


def test_what_begins_inside_and_outside_alike_is_two():
    """A sum outside and a layer inside both begin with zeros of the same dims."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[M, N, 2] x, float[T] t) => (float[A, B] u, float[C, D, E] y)
        <int64[1] first = {0}, float[1, 2, 2] w = {1, 0.5, -0.5, 1}> { u = ReduceSum<keepdims = 0>(x, first) h = Shape(t) n = Squeeze(h)
        y = Loop(n, ) <body = b (int64 i, bool k) => (bool q, float[F, G] s) { q = Identity(k) v = Unsqueeze(u, first)
            yy, last = RNN<hidden_size = 2>(v, w, w) s = Squeeze(last, first) }> }""")
    compiled, reference = dyn.compile(untyped(model), threads=1), dyn.Reference(model)
    for rows, batch, steps in (3, 2, 2), (0, 1, 1), (2, 5, 0):
        inputs = {"x": np.random.default_rng(0).standard_normal((rows, batch, 2)).astype(np.float32), "t": np.zeros(steps, np.float32)}
        for ours, theirs in zip(compiled.run(inputs), reference.run(inputs), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)

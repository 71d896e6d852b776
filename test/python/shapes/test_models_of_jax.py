"""What jax2onnx writes of common functions of JAX, by the nodes that matter."""

import numpy as np
import onnx.parser
import onnxruntime
import pytest

import dyn

SIZES = (0, 1, 2, 5, 8, 13)
CONSTANTS = """s = Shape<start = 0, end = 1>(x) m1 = Constant<value = int64[1] {-1}>() zero = Constant<value = int64[1] {0}>()
  one = Constant<value = int64[1] {1}>() two = Constant<value = int64[1] {2}>() three = Constant<value = int64[1] {3}>()
  four = Constant<value = int64[1] {4}>() """


def parse(body, inputs="float[n] x", outputs="float[a] y"):
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 18]> g ({inputs}) => ({outputs}) {{ {CONSTANTS} {body} }}')


def compare(model, inputs):
    """Compiled, interpreted and in onnxruntime; gives what they compute."""
    wanted = onnxruntime.InferenceSession(model.SerializeToString()).run(None, inputs)
    for result in dyn.compile(model).run(inputs), dyn.Reference(model).run(inputs):
        for got, value in zip(result, wanted, strict=True):
            np.testing.assert_array_equal(got, value)
    return wanted


# `(-(n // 2)) mod max(n, 1)` with the sign of the divisor.
REMAINDER = """mx = Max(s, one) h = Div(s, two) m = Neg(h) d = Div(m, mx) p = Mul(d, mx) r = Sub(m, p) q = Add(r, mx) z = Equal(r, zero)
  nz = Not(z) a = Less(r, zero) b = Less(mx, zero) e = Equal(a, b) w = Not(e) c = And(w, nz) k = Where(c, q, r) """


def test_roll_by_minus_half():
    """`jnp.roll(x, -(n // 2))`, as in `ifftshift`."""
    model = parse(REMAINDER + "st = Sub(s, k) xx = Concat<axis = 0>(x, x) en = Add(st, s) y = Slice(xx, st, en, zero)")
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == ("n",) and not shapes.guards
    for n in SIZES:
        x = np.arange(n, dtype=np.float32)
        np.testing.assert_array_equal(compare(model, {"x": x})[0], np.roll(x, -(n // 2)))


def test_one_place_set():
    """`x.at[0].set(v)`: a place that may not be there is filtered out."""
    model = parse("""c = LessOrEqual(one, s) nz = NonZero(c) nt = Transpose<perm = [1, 0]>(nz) f = Squeeze(nt, one)
      i0 = Constant<value = int64[1, 1] {0}>() u0 = Constant<value = float[1] {5.0}>() i = Gather<axis = 0>(i0, f)
      u = Gather<axis = 0>(u0, f) y = ScatterND(x, i, u)""")
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == ("n",) and shapes.values["nz"].dims == ("1", "min(n, 1)")
    for n in SIZES[1:]:
        x = np.arange(n, dtype=np.float32)
        np.testing.assert_array_equal(compare(model, {"x": x})[0], np.concatenate([[5], x[1:]]))
    assert dyn.compile(model).run({"x": np.zeros(0, np.float32)})[0].shape == (0,)


@pytest.mark.parametrize("condition, count", [("c = LessOrEqual(two, s)", "min(max(n - 1, 0), 1)"),
                                              ("a = Less(zero, s) b = Less(three, s) c = Concat<axis = 0>(a, b)", None)])
def test_counts_of_conditions_on_sizes(condition, count):
    model = parse(f"{condition} i = NonZero(c) k = Shape<start = 1>(i) y = ConstantOfShape<value = float[1] {{1.0}}>(k)")
    shapes = dyn.shapes(model)
    assert all(symbol.name == "n" for symbol in shapes.symbols.values())
    size = shapes.outputs["y"].dims[0]
    assert count is None or dyn.prove(f"{size} == {count}").answer == "yes"
    for n in SIZES:
        assert compare(model, {"x": np.zeros(n, np.float32)})[0].shape == ((n >= 2,) if count else ((n > 0) + (n > 3),))


@pytest.mark.parametrize("zeros_and", ["ConstantOfShape<value = float[1] {1.0}>(s)", "ConstantOfShape<value = int64[1] {2}>(s)",
                                       "Expand(one, s)"])
def test_places_of_what_is_nowhere_zero(zeros_and):
    """How PyTorch and PaddlePaddle count without Range."""
    model = parse(f"c = {zeros_and} y = NonZero(c)", outputs="int64[1, a] y")
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == ("1", "n")
    for n in SIZES:
        np.testing.assert_array_equal(compare(model, {"x": np.zeros(n, np.float32)})[0], np.arange(n)[None])


def test_heads_joined():
    """equinox's MultiheadAttention: `(7*d - ...)` was the text of what is d."""
    model = parse("""k1 = Constant<value = int64[2] {4, 8}>() k = Concat<axis = 0>(m1, s, k1) c = Reshape(x, k)
      k2 = Constant<value = int64[2] {-1, 32}>() y = Reshape(c, k2)""", "float[d, 4, 8] x", "float[e, 32] y")
    assert dyn.shapes(model).outputs["y"].dims == ("d", "32")
    for d in SIZES[1:]:
        compare(model, {"x": np.ones((d, 4, 8), np.float32)})


def test_a_product_of_halves_reads_as_one():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 18]> g (float[b, 3, h, w] x, float[8, 3, 3, 3] k) => (float[b, 8, n] y)
      <int64[3] to = {0, 0, -1}> { c = Conv<strides = [2, 2], pads = [1, 1, 1, 1]>(x, k) y = Reshape(c, to) }""")
    assert dyn.shapes(model).outputs["y"].dims[2] == "(h ceildiv 2) * (w ceildiv 2)"
    inferred = dyn.infer_shapes(model).graph.output[0].type.tensor_type.shape.dim[2].dim_param
    assert inferred == "((h + 1)//2)*((w + 1)//2)"


def test_a_long_dim_may_end_at_a_bound_of_32_bits():
    """Sizes through 32 bits bound both addends, not the sum."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 18]> g (float[b, h] x, float[b, w] y) => (float[b, n] v)
      <int64[1] one = {1}, int64[1] zero = {0}, int64[1] end = {2147483647}> { s = Shape(x) t = Shape(y) s32 = Cast<to = 6>(s)
      t32 = Cast<to = 6>(t)
      h32 = Gather(s32, one) w32 = Gather(t32, one) h = Cast<to = 7>(h32) w = Cast<to = 7>(w32) sum = Add(h, w) f = Cast<to = 1>(sum)
      c = Concat<axis = 1>(x, y) e = Add(c, f) v = Slice(e, zero, end, one) }""")
    shapes = dyn.shapes(model)
    assert shapes.outputs["v"].dims == ("b", "h + w") and any(guard.predicate == "h + w <= 2147483647" for guard in shapes.guards)

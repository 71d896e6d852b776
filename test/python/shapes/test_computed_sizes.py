"""Sizes that are computed from others: as floats, as exporters do for Ceil, and with signs and bits."""

import numpy as np
import pytest

F32, F64 = ("FLOAT", 1, np.float32), ("DOUBLE", 11, np.float64)

# What is done to the size `f`, the type, and the same in NumPy.
STEPS = {
    "div-ceil": ("d = Div(f, c) r = Ceil(d)", 8, F32, lambda f, c: np.ceil(f / c)),
    "div-floor": ("d = Div(f, c) r = Floor(d)", 8, F32, lambda f, c: np.floor(f / c)),
    "mul-ceil": ("d = Mul(f, c) r = Ceil(d)", 0.125, F32, lambda f, c: np.ceil(f * c)),
    "mul-floor": ("d = Mul(c, f) r = Floor(d)", 0.125, F32, lambda f, c: np.floor(f * c)),
    "trunc": ("r = Div(f, c)", 8, F32, lambda f, c: np.trunc(f / c)),
    "thirds-ceil": ("d = Div(f, c) r = Ceil(d)", 3, F32, lambda f, c: np.ceil(f / c)),
    "thirds-floor": ("d = Div(f, c) r = Floor(d)", 3, F32, lambda f, c: np.floor(f / c)),
    "tenths-ceil": ("d = Mul(f, c) r = Ceil(d)", 0.1, F32, lambda f, c: np.ceil(f * c)),
    "by-a-tenth": ("d = Div(f, c) r = Floor(d)", 0.1, F32, lambda f, c: np.floor(f / c)),
    "seven-tenths": ("d = Mul(f, c) r = Floor(d)", 0.7, F32, lambda f, c: np.floor(f * c)),
    "round": ("d = Div(f, c) r = Round(d)", 6, F32, lambda f, c: np.round(f / c)),
    "half": ("d = Mul(f, c) r = Round(d)", 0.5, F32, lambda f, c: np.round(f * c)),
    "shifted": ("e = Sub(f, c) d = Div(e, c) r = Floor(d)", 4, F32, lambda f, c: np.maximum(np.floor((f - c) / c), 0)),
    "double": ("d = Div(f, c) r = Ceil(d)", 7, F64, lambda f, c: np.ceil(f / c)),
    "minus-floor-minus": ("d = Mul(f, c) e = Neg(d) l = Floor(e) r = Neg(l)", 0.5, F32, lambda f, c: np.ceil(f * c)),
    "thirds-of-minus": ("e = Neg(f) d = Div(e, c) l = Ceil(d) r = Neg(l)", 3, F32, lambda f, c: np.floor(f / c)),
    "doubled": ("d = Mul(f, c) r = Floor(d)", 2.5, F32, lambda f, c: np.floor(f * c)),
}


def make(build, name):
    nodes, constant, (text, number, _), _ = STEPS[name]
    scalar = text.lower() if text == "DOUBLE" else "float"
    return build(f"""g (float[s] x) => (float[p] y) <{scalar} c = {{{constant}}}, int64[1] zero = {{0}}>
        {{ shape = Shape(x) f = Cast<to = {number}>(shape) {nodes} i = Cast<to = 7>(r) n = Max(i, zero)
           y = ConstantOfShape(n) }}""")


@pytest.mark.parametrize("name", STEPS)
def test_a_size_through_floats(dyn, build, name):
    """At every size that is allowed, also where floats begin to round."""
    _, constant, (_, _, dtype), compute = STEPS[name]
    compiled = dyn.compile(make(build, name).SerializeToString())
    (limit,) = compiled.guards
    assert "a size computed with floats" in limit
    random = np.random.default_rng(0)
    sizes = {*range(200), *(2**k + d for k in range(8, 22) for d in (-1, 0, 1)), *map(int, random.integers(0, 2**21, 200))}
    refused = 0
    for size in sorted(sizes):
        expected = int(compute(dtype(size), dtype(constant)))
        try:
            (dims,) = compiled.output_dims({"s": size}).values()
        except dyn.ShapeError:
            refused += 1
            assert size > 2**18
            continue
        assert dims == (expected,), size
    assert refused < len(sizes) / 2


def test_what_rounding_may_decide_is_not_known(dyn, build):
    model = build("""g (float[s] x) => (float[p] y)
        { shape = Shape(x) f = Cast<to = 1>(shape) r = Sqrt(f) n = Cast<to = 7>(r) y = ConstantOfShape(n) }""")
    with pytest.raises(dyn.CompileError if hasattr(dyn, "CompileError") else dyn.Error, match="depends on"):
        dyn.compile(model.SerializeToString())


@pytest.mark.parametrize("policy, ranges", [("not_larger", ["[0, 224]", "[0, 300]"]), ("not_smaller", ["[224, ?]", "[300, ?]"])])
def test_sizes_that_keep_the_aspect_have_the_given_ones_as_limits(dyn, build, policy, ranges):
    model = build(f"""g (float[n,3,h,w] x) => (float[n,3,p,q] y) {{ k = Constant<value_ints = [224, 300]>()
        y = Resize<mode = "linear", keep_aspect_ratio_policy = "{policy}", axes = [2, 3]>(x, , , k) }}""", opset=19)
    shapes = dyn.shapes(model)
    assert [shapes.symbols[dim].facts for dim in shapes.outputs["y"].dims[2:]] == ranges


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_one_axis_that_keeps_its_aspect_has_the_given_size(dyn, build, policy):
    model = build(f"""g (float[n,h] x) => (float[n,p] y) {{ k = Constant<value_ints = [5]>()
        y = Resize<mode = "linear", keep_aspect_ratio_policy = "{policy}", axes = [1]>(x, , , k) }}""", opset=19)
    assert dyn.shapes(model).outputs["y"].dims == ("n", "5")
    compiled, reference = dyn.compile(model), dyn.Reference(model)
    for size in 1, 2, 5, 12:
        x = np.arange(2 * size, dtype=np.float32).reshape(2, size)
        np.testing.assert_allclose(compiled.run({"x": x})[0], reference.run({"x": x})[0], rtol=1e-5)


def test_floats_that_no_size_depends_on_need_no_limit(dyn, build):
    model = build("""g (float[s] x, int64[1] k) => (int64[1] y) <float eight = {8}>
        { shape = Shape(x) f = Cast<to = 1>(shape) d = Div(f, eight) c = Ceil(d) n = Cast<to = 7>(c) y = Add(n, k) }""")
    assert dyn.compile(model.SerializeToString()).guards == ()


CHOICES = {
    "even": ("m = Mod(s, two) c = Equal(m, zero) t = Add(s, one) n = Where(c, s, t)", lambda s: s + s % 2),
    "at least": ("c = Less(s, four) n = Where(c, four, s)", lambda s: max(s, 4)),
    "at most": ("c = LessOrEqual(s, four) n = Where(c, s, four)", lambda s: min(s, 4)),
    "not empty": ("c = Equal(s, zero) n = Where(c, one, s)", lambda s: max(s, 1)),
    "both": ("a = Greater(s, one) b = Less(s, four) c = And(a, b) t = Mul(s, two) n = Where(c, t, s)",
             lambda s: 2 * s if 1 < s < 4 else s),
    "cast": ("c = Greater(s, two) i = Cast<to = 7>(c) n = Add(s, i)", lambda s: s + (s > 2)),
}


@pytest.mark.parametrize("name", CHOICES)
def test_a_size_that_sizes_choose(dyn, build, name):
    nodes, compute = CHOICES[name]
    model = build(f"""g (float[s] x) => (float[p] y) <int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] two = {{2}},
        int64[1] four = {{4}}> {{ s = Shape(x) {nodes} y = ConstantOfShape(n) }}""".replace("float[s]", "float[size]"))
    compiled = dyn.compile(model.SerializeToString())
    assert compiled.guards == ()
    for size in range(9):
        (y,) = compiled.run({"x": np.ones(size, np.float32)})
        assert y.shape == (compute(size),), size


def test_a_chosen_size_is_told_shortly(dyn, build):
    model = build("""g (float[n] x) => (float[p] y) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}>
        { s = Shape(x) m = Mod(s, two) c = Equal(m, zero) t = Add(s, one) k = Where(c, s, t) y = ConstantOfShape(k) }""")
    assert dyn.shapes(model).outputs["y"].dims == ("n + n mod 2",)


@pytest.mark.parametrize("casts, limit", [((1,), 2**23), ((11, 1), 2**23), ((10, 1), 2**11), ((16, 1), 2**8), ((1, 10, 11), 2**11)])
def test_the_narrowest_type_that_a_size_goes_through_limits_it(dyn, build, casts, limit):
    names = ["n", *(f"f{place}" for place in range(len(casts)))]
    body = " ".join(f"{to} = Cast<to = {number}>({of})" for of, to, number in zip(names, names[1:], casts))
    kind = "double" if casts[-1] == 11 else "float"
    model = build(f"""g (float[s] x) => ({kind}[p] y) <{kind} zero = {{0}}, {kind} one = {{1}}>
        {{ shape = Shape(x) n = Squeeze(shape) {body} y = Range(zero, {names[-1]}, one) }}""")
    shapes = dyn.shapes(model)
    assert [str(dim) for dim in shapes.outputs["y"].dims] == ["s"]
    assert [guard.predicate for guard in shapes.guards] == [f"s <= {limit}"]
    for size in (0, 1, 255, 256):
        (y,) = dyn.compile(model.SerializeToString()).run({"x": np.zeros(size, np.float32)})
        np.testing.assert_array_equal(y, np.arange(size))


REDUCED = """g (float[{inputs}] x) => (float[p] y) {{ two = Constant<value_floats = [2.0]>() s = Shape(x) f = Cast<to = {number}>(s)
    m = {op}<{axes}keepdims = 1>(f) {after} i = Cast<to = 7>({last}) y = ConstantOfShape(i) }}"""


def reduce(build, number, inputs, op, after="", last="m"):
    axes = "" if op == "ReduceSum" else "axes = [0], "
    return build(REDUCED.format(number=number, inputs=inputs, op=op, axes=axes, after=after, last=last), opset=13)


@pytest.mark.parametrize("number, inputs, op, expected, limit", [
    (1, "k,l,1", "ReduceMax", "max(k, l, 1)", "max(k, l, 1) <= 16777216"),
    (1, "k,l,3", "ReduceMin", "min(k, l, 3)", None),
    (10, "k,l", "ReduceSum", "k + l", "k + l <= 2048"),
    (1, "k,l", "ReduceProd", "k * l", "k * l <= 16777216"),
])
def test_reductions_of_sizes(dyn, build, number, inputs, op, expected, limit):
    shapes = dyn.shapes(reduce(build, number, inputs, op))
    assert shapes.outputs["y"].dims == (expected,)
    assert [guard.predicate for guard in shapes.guards] == ([limit] if limit else [])


@pytest.mark.parametrize("arguments", [
    (1, "k,l", "ReduceMean", "d = Mul(m, two)", "d"),  # the double of 2.5 is 5
    (10, "k,l", "ReduceProd"),  # 70000 is infinite in 16 bits, and that times 0 no number
])
def test_reductions_that_are_no_integers_of_sizes(dyn, build, arguments):
    shapes = dyn.shapes(reduce(build, *arguments))
    assert shapes.symbols[shapes.outputs["y"].dims[0]].origin == "data"


@pytest.mark.parametrize("source", ["k = Constant<value_ints = [3, 64]>() r = Reshape(x, k)", "r = Identity(z)"])
def test_sizes_that_only_inference_tells_are_reduced_too(dyn, build, source):
    model = build(f"""g (float[a,b] x, float[3,64] z) => (float[p] y) {{ {source} s = Shape<start = 1>(r) f = Cast<to = 1>(s)
        m = ReduceMax<keepdims = 1>(f) i = Cast<to = 7>(m) y = ConstantOfShape(i) }}""")
    assert dyn.shapes(model).outputs["y"].dims == ("64",)


COUNTED = """g (float[n,b,4] x) => (float[m,b,4] y) <int64 zero = {{0}}, int64 one = {{1}}> {{
    s = Shape(x) n0 = Gather(s, zero) f0 = Cast<to = 1>(zero) f = Cast<to = 1>(n0) starts = Less(f0, f)
    last, y = Loop(n0, starts, zero) <body = g1 (int64 i, bool c, int64 t) => (bool more, int64 next, float[b,4] v) {{
      next = Add(t, one) v = Gather(x, t) l = Cast<to = {number}>(next) r = Cast<to = {number}>(n0) below = Less(l, r)
      j = Cast<to = {number}>(i) first = Less(j, r) more = And(first, below) }}> }}"""


@pytest.mark.parametrize("number, limit", [(1, 2**24), (10, 2**11), (11, 2**53)])
def test_loops_whose_conditions_compare_floats(dyn, build, number, limit):
    """As tf2onnx writes the loops of Keras. Beyond what floats hold exactly, they end earlier."""
    model = build(COUNTED.format(number=number))
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == ("n", "b", "4")
    assert [str(guard) for guard in shapes.guards] == [f"n <= {limit}  (a size computed with floats, node below)"]
    for size in 1, 5:
        (y,) = dyn.Reference(model).run({"x": np.ones((size, 2, 4), np.float32)})
        assert y.shape == (size, 2, 4)
    if number == 10:
        assert len(dyn.Reference(model).run({"x": np.ones((2049, 1, 4), np.float32)})[0]) == 2048


@pytest.mark.parametrize("through", ["i = Max(n, most)", "f = Cast<to = 1>(n) g = Cast<to = 1>(most) m = Max(f, g) i = Cast<to = 7>(m)"])
def test_ends_of_slices_that_are_bounded(dyn, build, through):
    """As tf2onnx writes the ends of a slice that are computed, in floats, of which those that are left out are a large number."""
    model = build(f"""g (float[b,h] x) => (float[p,q] y) <int64[2] zero = {{0, 0}}, int64[2] axes = {{0, 1}}, int64[2] five = {{1000000000, 5}},
        int64[2] most = {{1000000000, -1000000000}}, int64[2] one = {{1, 1}}> {{
        s = Shape(x) d = Sub(s, five) starts = Max(d, zero) n = Add(starts, five) {through} y = Slice(x, starts, i, axes, one) }}""")
    shapes = dyn.shapes(model, dims={"h": dyn.Dim(5, None), "b": dyn.Dim(0, 100)})
    assert shapes.outputs["y"].dims == ("b", "5")
    assert all("floats" in str(guard) for guard in shapes.guards)


def test_a_number_that_the_type_rounds_is_not_what_is_chosen(dyn, build):
    """301 is 302 or 300 in 8 bits."""
    model = build("""g (float[s] x) => (float[p] y) <int64[1] most = {301}> { n = Shape(x) f = Cast<to = 16>(n) g = Cast<to = 16>(most)
        m = Max(f, g) i = Cast<to = 7>(m) y = ConstantOfShape(i) }""")
    shapes = dyn.shapes(model)
    (y,) = dyn.Reference(model).run({"x": np.zeros(7, np.float32)})
    assert len(y) in (300, 302)
    assert shapes.symbols[shapes.outputs["y"].dims[0]].origin.startswith("data")


@pytest.mark.parametrize("to, most", [(10, 1024), (16, 128)])
@pytest.mark.parametrize("kind, number, dim", [("float", 2, "2 * s"), ("double", 2, "2 * s"), ("int64", 2, "2 * s"),
                                               ("float", 0.5, "s floordiv 2"), ("double", 1.5, "s + s floordiv 2")])
def test_numbers_that_are_cast_to_narrow_floats(dyn, build, kind, number, dim, to, most):
    """As initializers of that type: the limits are those of what is computed exactly."""
    model = build(f"""g (float[s] x) => (float[p] y) <{kind} c = {{{number}}}, float zero = {{0}}>
        {{ shape = Shape(x) f = Cast<to = {to}>(shape) k = Cast<to = {to}>(c) m = Mul(f, k) i = Cast<to = 7>(m) y = Expand(zero, i) }}""")
    assert dyn.shapes(model).outputs["y"].dims == (dim,)
    compiled, reference = dyn.compile(model), dyn.Reference(model)
    for size in 0, 1, 7, most // 2:
        x = np.zeros(size, np.float32)
        assert compiled.run({"x": x})[0].shape == reference.run({"x": x})[0].shape == (int(size * number),)
    with pytest.raises(dyn.ShapeError, match="a size computed with floats"):
        compiled.run({"x": np.zeros(2 * most + 1, np.float32)})


@pytest.mark.parametrize("number, to, nodes, expected", [
    # 16 bits come by way of 32, where 1 + 2**-11 is left, which is rounded to the even one.
    ("1.0004882821813226", 10, "n = Identity(h)", "1024"), ("1.001", 10, "n = Identity(h)", "1025"),
    ("0.333", 10, "n = Add(h, h)", "682"), ("0.333", 10, "n = Mul(h, h)", None), ("1e6", 10, "n = Min(h, one)", "1024"),
    ("3.0", 16, "n = Div(h, two)", "1536"), ("3.0", 16, "n = Div(one, h)", None)])
def test_what_is_computed_of_narrow_floats_is_known_where_nothing_is_rounded(dyn, build, number, to, nodes, expected):
    model = build(f"""g (float[s] x) => (float[p] y) <double c = {{{number}}}, float o = {{1}}, float t = {{2}}, float m = {{1024}}, float zero = {{0}},
            int64[1] row = {{1}}>
        {{ h = Cast<to = {to}>(c) one = Cast<to = {to}>(o) two = Cast<to = {to}>(t) {nodes} w = Cast<to = 1>(n) k = Mul(w, m)
           i = Cast<to = 7>(k) d = Reshape(i, row) y = Expand(zero, d) }}""")
    (dim,) = dyn.shapes(model).outputs["y"].dims
    assert dim == expected if expected else not dim.isdigit()
    if expected:
        assert dyn.Reference(model).run({"x": np.zeros(1, np.float32)})[0].shape == (int(expected),)


# Nodes that make `r` of the size `s`, the dim that follows, and the same in NumPy.
SIZES = {
    "align-up": ("a = Add(s, seven) r = BitwiseAnd(a, minus_eight)", "8 * (S ceildiv 8)", lambda s: (s + 7) & -8),
    "align-down": ("r = BitwiseAnd(minus_eight, s)", "8 * (S floordiv 8)", lambda s: s & -8),
    "lowest": ("r = BitwiseAnd(s, seven)", "S mod 8", lambda s: s & 7),
    "divided": ("q = Div(s, minus_three) r = Neg(q)", "S floordiv 3", lambda s: s // 3),
    "divided-twice": ("n = Neg(s) r = Div(n, minus_three)", "S floordiv 3", lambda s: s // 3),
    "rest": ("m = Mod(s, minus_three) r = Neg(m)", "3 * (S ceildiv 3) - S", lambda s: -s % 3),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_size_of_signs_and_bits(dyn, build, name):
    nodes, dim, compute = SIZES[name]
    model = build(f"""g (float[S] x) => (y)
        <int64[1] seven = {{7}}, int64[1] minus_eight = {{-8}}, int64[1] minus_three = {{-3}}>
        {{ s = Shape(x) {nodes} y = ConstantOfShape(r) }}""", opset=20)
    assert str(dyn.shapes(model).outputs["y"].dims[0]) == dim
    data = model.SerializeToString()
    for runner in dyn.compile(data), dyn.Reference(data):
        for size in (0, 1, 2, 3, 7, 8, 9, 31, 64):
            (y,) = runner.run({"x": np.zeros(size, np.float32)})
            assert y.shape == (compute(size),), size

"""Sizes of slices of slices, and of what masks pick, next to what numpy gives."""

import numpy as np
import pytest

SIZES = (0, 1, 2, 3, 4, 5, 7, 8)
BOUNDS = "int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] less = {-1}, int64[1] end = {9223372036854775807}"


def sizes(shapes, *names):
    return tuple(shapes.values[name].dims[0] for name in names)


def run(dyn, model, **inputs):
    names = [output.name for output in model.graph.output]
    return dict(zip(names, dyn.Reference(model).run(inputs), strict=True))


def evaluate(dim, n):
    """A dim as `infer_shapes` writes it, at a size."""
    return dim.dim_value if dim.HasField("dim_value") else eval(dim.dim_param, {"n": n, "Max": max, "Min": min})


def test_slices_of_slices_are_as_long_as_one_slice(dyn, build):
    model = build(f"""g (float[n] x) => (float a, float b, float c) <{BOUNDS}> {{
        first = Slice(x, one, end) second = Slice(first, one, end) a = Slice(second, two, end)
        front = Slice(x, zero, less) shorter = Slice(front, zero, less) b = Add(shorter, second)
        even = Slice(x, zero, end, zero, two) odd = Slice(x, one, end, zero, two) c = Concat<axis = 0>(even, odd) }}""")
    shapes = dyn.shapes(model)
    assert sizes(shapes, "first", "second", "a", "b") == ("max(n - 1, 0)", "max(n - 2, 0)", "max(n - 4, 0)", "max(n - 2, 0)")
    assert sizes(shapes, "even", "odd", "c") == ("n ceildiv 2", "n floordiv 2", "n")
    assert not shapes.guards
    for n in SIZES:
        x = np.arange(n, dtype=np.float32)
        for name, expected in zip("abc", (x[4:], x[:-2] + x[2:], np.concatenate([x[::2], x[1::2]]))):
            assert np.array_equal(run(dyn, model, x=x)[name], expected), (name, n)


@pytest.mark.parametrize("start", [-9, -3, -1, 0, 1, 4, 9])
@pytest.mark.parametrize("end", [-9, -2, 0, 3, 9, 2**63 - 1])
@pytest.mark.parametrize("step", [1, 3])
def test_starts_behind_the_end_and_ends_before_the_start_leave_nothing(dyn, build, start, end, step):
    model = build(f"""g (float[n] x) => (float y) <int64[1] start = {{{start}}}, int64[1] end = {{{end}}},
        int64[1] axis = {{0}}, int64[1] step = {{{step}}}> {{ y = Slice(x, start, end, axis, step) }}""")
    (size,) = dyn.infer_shapes(model).graph.output[0].type.tensor_type.shape.dim
    reference = dyn.Reference(model)
    for n in SIZES:
        x = np.arange(n, dtype=np.float32)
        (y,) = reference.run({"x": x})
        assert np.array_equal(y, x[start:end:step]) and evaluate(size, n) == len(y), n


def test_what_one_mask_picks_from_two_tensors_has_one_size(dyn, build):
    """Each of the two indexings makes its own indices of the mask, as exporters write it."""
    model = build("""g (float[n] x, float[n,k] w, bool[n] mask, bool[n] other) => (float y, float z) <int64[1] one = {1}> {
        shape = Shape(mask) a = Expand(mask, shape) b = Expand(mask, shape)
        i = NonZero(a) it = Transpose(i) picked = GatherND(x, it)
        j = NonZero(b) jt = Transpose(j) rows = GatherND(w, jt) column = Unsqueeze(picked, one) y = Add(column, rows)
        l = NonZero(other) lt = Transpose(l) others = GatherND(x, lt) z = Concat<axis = 0>(picked, others) }""")
    shapes = dyn.shapes(model)
    assert sizes(shapes, "picked", "rows", "others", "z") == ("u0", "u0", "u1", "u0 + u1")
    assert shapes.values["y"].dims == ("u0", "k") and not shapes.guards
    random = np.random.default_rng(0)
    for n in SIZES:
        x, w = random.random(n, np.float32), random.random((n, 3), np.float32)
        mask, other = random.random(n) < 0.5, random.random(n) < 0.5
        found = run(dyn, model, x=x, w=w, mask=mask, other=other)
        assert np.array_equal(found["y"], x[mask][:, None] + w[mask]), n
        assert np.array_equal(found["z"], np.concatenate([x[mask], x[other]])), n


def test_masks_that_are_drawn_have_sizes_of_their_own(dyn, build):
    """The nodes are written alike, but each draws its own numbers."""
    shapes = dyn.shapes(build("""g (float[n] x) => (int64 y) { r = Bernoulli(x) s = Bernoulli(x)
        i = NonZero(r) j = NonZero(s) y = Concat<axis = 1>(i, j) }"""))
    assert shapes.values["y"].dims == ("1", "u0 + u1")


COUNTED_MASK = """g (float[b,s,4] x, bool[b,s] mask) => (float[b,s,4] y) <float[1] v = {{5}}, int64[1] two = {{2}}, int64[1] minus = {{-1}}> {{
    m = Unsqueeze(mask, two) sh = Shape(x) full = Expand(m, sh) n = NonZero(full) places = Transpose(n) flat = Reshape(full, minus)
    c = Cast<to = {number}>(flat) k = ReduceSum<keepdims = 1>(c) count = Cast<to = 7>(k) values = Expand(v, count)
    all = Reshape(values, minus) y = ScatterND(x, places, all) }}"""


@pytest.mark.parametrize("number", [7, 6])
def test_the_sum_of_a_mask_is_the_number_of_its_places(dyn, build, number):
    """As PyTorch's exporters write `x[mask] = 5`."""
    model = build(COUNTED_MASK.format(number=number), opset=18)
    shapes = dyn.shapes(model)
    assert shapes.values["values"].dims == ("u0",)
    assert [name for name in shapes.symbols if name.startswith("u")] == ["u0"]
    assert not shapes.guards
    random = np.random.default_rng(0)
    for batch, size in (2, 5), (0, 3), (1, 1), (3, 0):
        x, mask = random.standard_normal((batch, size, 4)).astype(np.float32), random.random((batch, size)) < 0.5
        (y,) = dyn.Reference(model).run({"x": x, "mask": mask})
        np.testing.assert_array_equal(y, np.where(mask[:, :, None], np.float32(5), x))


@pytest.mark.parametrize("body, dim", [
    ("t = Sign(s)", "min(n, 1)"),
    ("r = Sub(s, one) t0 = Sign(r) t = Add(t0, one)", "min(n, 2)"),
    ("two_by_one = Constant<value = int64[2, 1] {3, 1}>() p = Concat<axis = 0>(s, one) t = MatMul(p, two_by_one)", "3 * n + 1"),
    ("ones = Constant<value = int64[2, 1] {1, 1}>() u = Unsqueeze(s, zero) v = MatMul(ones, u) w = MatMul(s, u) f = Flatten(w) "
     "a = Squeeze(v, one) e, t1 = Split<axis = 0>(a) g = Add(e, t1) minus = Constant<value = int64[1] {-1}>() "
     "h = Reshape(f, minus) t = Add(g, h)", "n * n + 2 * n"),
])
def test_signs_and_products_of_sizes_are_sizes(dyn, build, body, dim):
    model = build(f"g (float[n] x) => (float[m] y) <{BOUNDS}> {{ s = Shape(x) {body} y = ConstantOfShape(t) }}")
    assert sizes(dyn.shapes(model), "y") == (dim,)
    for size in SIZES:
        (y,) = run(dyn, model, x=np.zeros(size, np.float32)).values()
        assert y.shape == (eval(dim, {"n": size, "min": min, "max": max}),)


@pytest.mark.parametrize("node, size", [("ReduceProd", "C * n"), ("ReduceSum", "C + n")])
def test_sums_and_products_of_32_bits_are_guarded(dyn, build, node, size):
    model = build(f"""g (float[n, C] x) => (float[m] y) {{ s = Shape(x) s32 = Cast<to = 6>(s) t32 = {node}<keepdims = 1>(s32)
        t = Cast<to = 7>(t32) y = ConstantOfShape(t) }}""")
    shapes = dyn.shapes(model)
    assert sizes(shapes, "y") == (size,)
    assert f"{size} <= 2147483647" in [guard.predicate for guard in shapes.guards]

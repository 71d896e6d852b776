"""Sizes of whole models in the forms that exporters write, where data decide some of them, next to what onnxruntime gives."""

import numpy as np
import onnx.parser
import pytest

import dyn

# Scales of a target size, as `interpolate(size=...)` becomes in models of PyTorch's older exporter and of tf2onnx.
SCALES = """[div] ratio = Div(target, size) scales = Concat<axis = 0>(ones, ratio)
    [resize] out = Resize<mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor">(x, , scales)"""
SIZES = """shape = Shape(x) places = Slice(shape, two, four) size = Cast<to = 1>(places)"""
WEIGHTS = "int64[1] two = {2}, int64[1] four = {4}, float[2] ones = {1, 1}"
CONSTANT = f"""g (float[b,3,h,w] x) => (float[b,3,p,q] out) <{WEIGHTS}, float[2] target = {{20, 30}}> {{ {SIZES} {SCALES} }}"""
OTHER = f"""g (float[b,3,h,w] x, float[c,H,W] like) => (float[b,3,p,q] out) <{WEIGHTS}, int64[1] one = {{1}}>
    {{ {SIZES} other = Shape(like) own = Slice(other, one, four) target = Cast<to = 1>(own) {SCALES} }}"""
DOUBLE = f"""g (float[b,3,h,w] x) => (float[b,3,p,q] out) <{WEIGHTS}, int64[2] twice = {{2, 2}}>
    {{ {SIZES} own = Mul(places, twice) target = Cast<to = 1>(own) {SCALES} }}"""


@pytest.fixture
def interpret(tool, tmp_path):
    """Runs a model with the interpreter on arrays."""

    def interpret(model, inputs):
        (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
        arguments = []
        for name, array in inputs.items():
            np.save(tmp_path / f"{name}.npy", array)
            arguments.append(f"--input={name}={tmp_path / name}.npy")
        process = tool("dyn-run", tmp_path / "model.onnx", "--reference", *arguments, f"--output-dir={tmp_path}")
        assert process.returncode == 0, process.stderr
        return {output.name: np.load(tmp_path / f"{output.name}.npy") for output in model.graph.output}

    return interpret


def symbols(shapes):
    return {symbol.name: (symbol.facts, symbol.origin) for symbol in shapes.symbols.values()}


def dims(shapes, name):
    return tuple(map(str, shapes.values[name].dims))


def test_a_target_over_a_size_times_that_size_may_be_one_less(dyn, build, interpret):
    """In f32 1 / 41 * 41 is below 1, and 20 / 41 * 41 is not below 20."""
    model = build(CONSTANT, opset=13)
    shapes = dyn.shapes(model)
    assert dims(shapes, "out")[:2] == ("b", "3")
    assert [symbols(shapes)[dim] for dim in dims(shapes, "out")[2:]] == [("[19, 20]", "data"), ("[29, 30]", "data")]
    assert [guard.predicate for guard in shapes.guards] == ["1 <= h", "1 <= w"]
    with pytest.raises(dyn.CompileError, match="node 'resize'.*node 'div'"):
        dyn.compile(model.SerializeToString())
    found = set()
    for size in (1, 3, 20, 30, 41, 47, 97, 347):
        expected = tuple(int(np.float32(np.float32(t) / np.float32(size)) * np.float32(size)) for t in (20, 30))
        found |= {(20, expected[0]), (30, expected[1])}
        assert interpret(model, {"x": np.ones((1, 3, size, size), np.float32)})["out"].shape == (1, 3, *expected)
    assert {20 - size for target, size in found if target == 20} | {30 - size for target, size in found if target == 30} == {0, 1}


def test_a_target_that_is_the_size_of_another_tensor(dyn, build, interpret):
    model = build(OTHER, opset=13)
    shapes = dyn.shapes(model)
    assert dims(shapes, "out")[:2] == ("b", "3")
    height = dims(shapes, "out")[2]
    assert symbols(shapes)[height][1] == "data, at least H - (H ceildiv 4194304), at most H + H floordiv 4194304"
    assert not any("b" in guard.predicate for guard in shapes.guards)
    known = dyn.shapes(model, dims={"H": dyn.Dim(1, 512)})
    assert symbols(known)[height][0] == "[0, 512]"
    got = interpret(model, {"x": np.ones((1, 3, 41, 7), np.float32), "like": np.ones((1, 1, 13), np.float32)})
    assert got["out"].shape == (1, 3, 0, 13)


def test_a_target_that_is_a_multiple_of_the_size_is_met(dyn, build):
    model = build(DOUBLE, opset=13)
    exe = dyn.compile(model.SerializeToString())
    assert exe.outputs[0].dims == ("b", "3", "2 * h", "2 * w")
    for size in (1, 2, 41, 97):
        x = np.random.default_rng(size).standard_normal((2, 3, size, 3)).astype(np.float32)
        assert np.array_equal(exe.run({"x": x})[0], x.repeat(2, axis=2).repeat(2, axis=3))
    # 0 / 0 is no scale: onnxruntime refuses it, too.
    with pytest.raises(dyn.ShapeError, match="h"):
        exe.run({"x": np.ones((1, 3, 0, 3), np.float32)})


def test_parts_that_are_joined_where_they_were_cut(dyn, build):
    body = "s = SplitToSequence<axis = {cut}, keepdims = {keep}>(x{lengths}) i = Identity(s) y = ConcatFromSequence<axis = {join}, new_axis = {new}>(i)"
    for lengths, keep, cut, join, new, expected in [
            (", l", 1, 0, 0, 0, ("n", "3")), (", l", 1, 0, -2, 0, ("n", "3")), ("", 0, 0, 0, 1, ("n", "3")),
            (", l", 1, 0, 1, 0, None), (", l", 1, 0, 0, 1, None), ("", 0, 0, 1, 1, ("3", "n"))]:
        graph = body.format(lengths=lengths, keep=keep, cut=cut, join=join, new=new)
        shapes = dyn.shapes(build(f"g (float[n,3] x, int64[k] l) => (float y) {{ {graph} }}"))
        got = dims(shapes, "y")
        assert got == expected if expected else got != ("n", "3"), graph


RAGGED = """g (float[n,3] x, int64[k] l) => (float[n,3] y) { s = SplitToSequence<axis = 0>(x, l)
    t = SequenceMap<body = b (float[m,3] e) => (float[m,3] o) { o = Neg(e) }>(s) y = ConcatFromSequence<axis = 0>(t) }"""


def test_what_only_data_tell_is_no_finding(dyn, build):
    check = dyn.check_dims(build(RAGGED))
    assert check and check.undecided == ("dim 0 of output 'y' is declared as n, and is u0",)
    assert "not decided\n  dim 0 of output 'y'" in str(check)
    # What an op counts in data is sometimes another number.
    assert not dyn.check_dims(build("g (float[n] x) => (int64[1,n] z) { z = NonZero(x) }"))


def test_a_size_from_data_is_told_with_its_limit(dyn, build):
    shapes = dyn.shapes(build("""g (float[seq,b] x, int64[b] lengths) => (float[t,b] y) <int64[1] zero = {0}>
        { longest = ReduceMax<keepdims = 1>(lengths) y = Slice(x, zero, longest, zero) }"""))
    assert symbols(shapes)["u0"] == ("[0, ?]", "data, at most seq")


LOOP = """g (float[n] x{inputs}) => (float[p] y) <int64 start = {{{start}}}, bool go = {{1}}, float[1] row = {{1}}, int64 one = {{1}},
        int64 two = {{2}}, int64 limit = {{{limit}}}, int64 most = {{20}}> {{ {before}
    end, y = Loop({trips}, go, {first}, x) <body = b (int64 i, bool c, int64 k, float[m] rows) => (bool again, int64 next, float[q] more)
        {{ next = {step} {condition} more = Concat<axis = 0>(rows, row) }}> }}"""
LESS, UNLIKE, GREATER = "again = Less(next, limit)", "same = Equal(next, {}) again = Not(same)", "again = Greater(next, one)"
SIZE = "shape = Shape(x) size = Squeeze(shape)"


@pytest.mark.parametrize("fields, size, facts", [
    # What is multiplied or divided reaches its limit after so many trips.
    (dict(step="Mul(k, two)", condition=LESS, start=1, limit=100), "n + 7", None),
    (dict(step="Mul(two, k)", condition="again = GreaterOrEqual(limit, k)", start=3, limit=100), "n + 7", None),
    (dict(step="Div(k, two)", condition=GREATER, start=100, limit=0), "n + 6", None),
    (dict(step="Div(k, two)", condition=GREATER, start=1, limit=0), "n + 1", None),
    # From 0, products never get there; nor do they where the limit is lower and is to be exceeded.
    (dict(step="Mul(k, two)", condition=LESS, start=0, limit=100, trips="most"), "n + t0", ("[0, 20]", "data")),
    (dict(step="Mul(k, two)", condition=GREATER, start=2, limit=0, trips="most"), "n + t0", ("[0, 20]", "data")),
    # Products that wrap around may be anything.
    (dict(step="Mul(k, two)", condition=LESS, start=1, limit=2**63 - 1, trips="most"), "n + t0", ("[0, 20]", "data")),
    # A counter that goes on unless it meets a number: if it does, or else to the last trip.
    (dict(step="Add(k, one)", condition=UNLIKE.format("limit"), start=1, limit=10), "n + 9", None),
    (dict(step="Sub(k, two)", condition=UNLIKE.format("limit"), start=20, limit=10), "n + 5", None),
    (dict(step="Add(k, two)", condition=UNLIKE.format("limit"), start=1, limit=10, trips="most"), "n + 20", None),
    (dict(step="Add(k, one)", condition=UNLIKE.format("limit"), start=11, limit=10, trips="most"), "n + 20", None),
    (dict(step="Add(k, one)", condition=UNLIKE.format("size"), before=SIZE, start=0), "2 * n", None),
    # Of a size that has a bound, the trips have one.
    (dict(step="Div(k, two)", condition=GREATER, before=SIZE, first="size"), "n + t0", ("[0, 9]", "data")),
    (dict(step="Mul(k, two)", condition="again = Less(next, size)", before=SIZE, start=1), "n + t0", ("[0, 10]", "data")),
    # The condition is asked for data, the limit is an input.
    (dict(step="Add(k, one)", condition="sum = ReduceSum<keepdims = 0>(rows) f = Cast<to = 1>(limit) again = Less(sum, f)", limit=5,
          inputs=", int64 max", trips="max"), "n + t0", ("[0, ?]", "data, at most max(max0, 0)")),
])
def test_trips_of_loops_that_count_in_other_ways(dyn, build, interpret, fields, size, facts):
    text = LOOP.format(**{"inputs": "", "before": "", "trips": "", "first": "start", "start": 0, "limit": 0, **fields})
    model = build(text)
    shapes = dyn.shapes(model, dims={"n": dyn.Dim(1, 600)})
    assert dims(shapes, "y") == (size,)
    assert symbols(shapes).get("t0") == facts
    for n in (1, 2, 3, 64, 600):
        inputs = {"x": np.zeros(n, np.float32), **({"max": np.array(3)} if "max" in text.split(")")[0] else {})}
        (rows,) = interpret(model, inputs)["y"].shape
        known = None if "t0" in size else eval(size, {"n": n})
        most = {"[0, 20]": 20, "[0, 9]": 9, "[0, 10]": 10, "[0, ?]": 3}[facts[0]] if facts else 0
        assert rows == known if known else n <= rows <= n + most, (n, rows)


def test_sizes_inside_of_a_loop_are_not_listed(dyn, build):
    shapes = dyn.shapes(build(LOOP.format(inputs="", before="", trips="", first="start", start=1, limit=9, step="Add(k, one)",
                                          condition=LESS)))
    assert list(shapes.symbols) == ["n"]
    # Nor is what abbreviates them there.
    shapes = dyn.shapes(build("""g (float[n] x) => (float y)
        <bool go = {1}, int64 three = {3}, int64 zero = {0}, int64[1] one = {1}, int64[1] end = {9223372036854775807}> {
        shape = Shape(x) size = Squeeze(shape)
        y = Loop(size, go, x) <body = b (int64 i, bool c, float[m] a) => (bool again, float[q] next) {
            again = Identity(c) rest = Mod(i, three) isFirst = Equal(rest, zero)
            next = If(isFirst) <then_branch = t () => (float[u] longer) { longer = Concat<axis = 0>(a, x) },
                                else_branch = e () => (float[v] shorter) { shorter = Slice(a, one, end) }> }> }"""))
    assert list(shapes.symbols) == ["n", *shapes.values["y"].dims]


def test_a_size_that_one_of_two_branches_gives_lies_between_theirs(dyn, build):
    """A decoder whose input says whether there is a cache."""
    shapes = dyn.shapes(build("""g (float[b,past,4] cache, float[b,seq,4] keys, bool use) => (float[b,total,4] present) {
        present = If(use) <then_branch = t () => (float[b,t,4] both) { both = Concat<axis = 1>(cache, keys) },
                           else_branch = e () => (float[b,u,4] own) { own = Identity(keys) }> }"""))
    assert dims(shapes, "present") == ("b", "u0", "4")
    assert symbols(shapes)["u0"] == ("[0, ?]", "data, at least seq, at most past + seq")


WRITTEN_OUT = """g (float[n] x) => (float y, float z) <int64 trips = {{3}}, int64[1] zero = {{0}}, int64[1] one = {{1}},
    int64[1] end = {{9223372036854775807}}, bool go = {{1}}> {{
    y, rows = Loop(trips, go, x) <body = b (int64 i, bool c, float[m] a) => (bool again, float[q] next, float row) {{
        again = Identity(c) next = {step} row = ReduceSum<keepdims = 0>(a) }}> z = Flatten<axis = 0>(rows) }}"""


@pytest.mark.parametrize("step, dims, compute", [
    ("Concat<axis = 0>(a, a)", ("8 * n",), lambda x: np.tile(x, 8)),
    ("Slice(a, one, end)", ("max(n - 3, 0)",), lambda x: x[3:]),
    ("Unsqueeze(a, zero)", ("1", "1", "1", "n"), lambda x: x[None, None, None]),
])
def test_loops_of_constant_trips_whose_bodies_change_sizes(dyn, build, step, dims, compute):
    """Of these, the sizes are known that the trips written out have; a dim more in each trip included."""
    model = build(WRITTEN_OUT.format(step=step))
    shapes = dyn.shapes(model)
    assert list(shapes.symbols) == ["n"] and shapes.values["y"].dims == dims and shapes.values["z"].dims == ("1", "3")
    assert dyn.check_dims(model)
    (output, _) = dyn.infer_shapes(model).graph.output
    assert len(output.type.tensor_type.shape.dim) == len(dims)
    reference, compiled = dyn.Reference(model), dyn.compile(model)
    for n in (0, 1, 2, 3, 4, 7):
        x = np.arange(n, dtype=np.float32)
        for runner in (reference, compiled):
            assert np.array_equal(runner.run({"x": x})[0], compute(x)), n


# Ways from a dim to an element of a shape, of which each keeps its length.
LENGTHS = {
    "squeeze": "s = Squeeze(h) e = Unsqueeze(s, z)", "to one": "s = Squeeze(h) e = Reshape(s, one)",
    "flattened": "s = Squeeze(h) e = Reshape(s, minus)", "kept": "e = Identity(h)",
}


@pytest.mark.parametrize("name", LENGTHS)
def test_the_length_of_a_shape_is_a_rank(dyn, build, name):
    """PyTorch's newer exporter squeezes each size that it reads. The file declares no value in between."""
    model = build(f"""g (float[b, c, h, w] x) => (float[p, q, r, t] y) <int64[1] z = {{0}}, int64[1] one = {{1}}, int64[1] minus = {{-1}},
        float[4] scales = {{1, 1, 2, 2}}> {{ h = Shape<start = 2, end = 3>(x) {LENGTHS[name]} to = Concat<axis = 0>(one, minus, e, one)
        v = Reshape(x, to) y = Resize<mode = "nearest">(v, , scales) }}""")
    for runner in dyn.Reference(model), dyn.compile(model):
        assert runner.run({"x": np.zeros((2, 3, 4, 5), np.float32)})[0].shape == (1, 30, 8, 2)


def test_the_length_of_tuples_of_places_is_a_rank(dyn, build):
    """Resize asks for the rank of what is picked."""
    model = build("""g (float[b, n, m] x, int64[k] i, int64[k] j) => (float[p, q] y) <int64[1] last = {-1}, float[2] scales = {1, 2}> {
        a = Unsqueeze(i, last) c = Unsqueeze(j, last) t = Concat<axis = -1>(a, c) g = GatherND(x, t)
        y = Resize<mode = "nearest">(g, , scales) }""")
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for runner in dyn.Reference(model), dyn.compile(model):
        (y,) = runner.run({"x": x, "i": np.array([1, 0, 1]), "j": np.array([2, 2, 0])})
        np.testing.assert_array_equal(y, np.repeat([x[1, 2], x[0, 2], x[1, 0]], 2, axis=1))


def test_slices_to_999999_and_masks_of_any_rank():
    """PaddlePaddle's `yolo_box` and `masked_select`."""
    boxes = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]> g (float[b, 3, h, 6] x) => (float[b, n, 4] y)
      <int64[1] i0 = {0}, int64[1] i1 = {1}, int64[2] tail = {-1, 4}, int64[4] st = {0, 0, 0, 0}, int64[4] en = {999999, 999999, 999999, 4}> {
      s = Shape(x) b1 = Slice(s, i0, i1) to = Concat<axis = 0>(b1, tail) v = Slice(x, st, en) y = Reshape(v, to) }""")
    shapes = dyn.shapes(boxes)
    assert shapes.outputs["y"].dims == ("b", "3 * h", "4")
    assert sorted(guard.predicate for guard in shapes.guards) == ["b <= 999999", "h <= 999999"]
    assert "a bound of 999999 that stands for the end" in str(shapes.guards[0])
    for b, h in (0, 2), (1, 0), (2, 5):
        x = np.arange(b * h * 18, dtype=np.float32).reshape(b, 3, h, 6)
        np.testing.assert_array_equal(dyn.compile(boxes).run({"x": x})[0], x[..., :4].reshape(b, 3 * h, 4))
    masked = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]> g (float[a, b] x) => (float[k] y) <float zero = {0}> {
      m = Greater(x, zero) y = Compress(x, m) }""")
    x = np.array([[1, -1, 2], [-3, 4, 5]], np.float32)
    np.testing.assert_array_equal(dyn.Reference(masked).run({"x": x})[0], [1, 2, 4, 5])
    masked.graph.node[1].attribute.append(onnx.helper.make_attribute("axis", 1))
    with pytest.raises(dyn.Error, match="'condition' has rank 2, expected 1"):
        dyn.compile(masked)


@pytest.mark.parametrize("length, start, end, step, dim, guards", [
    (2000000, 0, 999999, 1, "999999", []), (3000000000, 0, 2**31 - 1, 1, "2147483647", []), ("n", 0, 999999, 1, "n", ["n <= 999999"]),
    ("n", 999999, 2**63 - 1, 1, "max(n - 999999, 0)", []), ("n", 999999, 0, -1, "max(n, 1) + min(1000000 - n, 0) - 1", [])])
def test_999999_is_an_end_where_it_may_be_one(length, start, end, step, dim, guards):
    """Not of a dim that is a constant, and not as a start."""
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["": 17]> g (float[{length}] x) => (float[m] y)
      <int64[1] start = {{{start}}}, int64[1] end = {{{end}}}, int64[1] axis = {{0}}, int64[1] step = {{{step}}}> {{
      y = Slice(x, start, end, axis, step) }}""")
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == (dim,) and [guard.predicate for guard in shapes.guards] == guards


SQUEEZED = """{0} = If({0}e) <then_branch = {0}t () => (float[A] {0}u) {{ {0}u = Squeeze({1}, ax) }},
    else_branch = {0}f () => (float[B] {0}v) {{ {0}v = Identity({1}) }}>"""


def test_a_concat_of_what_may_have_another_rank():
    """The legacy exporter writes `squeeze` as a branch: before one is taken, the rank of an operand is not known."""
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 17]> g (float[N, C, L] x, float[N, K, L] w) => (float[A, B, D] y) <int64[1] ax = {1}, int64[1] one = {1}> {
        zs = Shape(x) zd = Gather(zs, ax) ze = Equal(zd, one) """ + SQUEEZED.format("z", "x") + """ c = Concat<axis = 1>(z, w)
        ys = Shape(c) yd = Gather(ys, ax) ye = Equal(yd, one) """ + SQUEEZED.format("y", "c") + " }")
    model.graph.output[0].ClearField("type")
    values = dyn.shapes(model).values
    assert values["c"].dims == ("N", "C + K", "L")

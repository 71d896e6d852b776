"""Loops whose conditions compare integers, made at random: the trips that inference counts are those of onnxruntime."""

import itertools
import random
import re

import numpy as np
import onnx.helper
import onnx.parser
import onnxruntime
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

LOOPS_OF_A_SEED = 40
KINDS = {"int32": onnx.TensorProto.INT32, "int64": onnx.TensorProto.INT64}


def make_loop(generator):
    """A loop that stacks a counter, at most `limit` or `m` times: its start, step and conditions are random."""
    kind = generator.choice(list(KINDS))
    start = generator.choice(["size", "zero", "first", "given"])
    comparison = generator.choice(["Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal"])
    sides = generator.choice(["next, size", "size, next", "now, size", "next, second", "second, next", "trip, size",
                              "next, rest", "twice, size", "next, given", "given, next"])
    starts = generator.choice(["Equal(zero, zero)", "Less(zero, size)", "Greater(zero, size)", "LessOrEqual(second, size)",
                               "Less(size, second)", f"{comparison}({start}, given)", f"{comparison}({start}, size)"])
    negated, joined = generator.random() < 0.25, generator.random() < 0.25
    constants = {"zero": 0, "first": generator.randint(-4, 6), "second": generator.randint(-3, 9),
                 "third": generator.randint(-3, 9), "step": generator.choice([1, 2, 3, -1, -2, 0])}
    outside = " ".join(f"{name} = Constant<value = {kind} {{{value}}}>()" for name, value in constants.items())
    condition = f"a = {comparison}({sides}) " + ("b = Not(a) " if negated else "b = Identity(a) ")
    condition += "c = Less(next, third) goes = And(b, c)" if joined else "goes = Identity(b)"
    step = generator.choice(["Add(now, step)", "Add(step, now)", "Sub(now, step)", f"Cast<to = {KINDS[kind]}>(float_sum)"])
    # As PaddlePaddle's exporters count.
    outside += " float_one = Constant<value = float {1.0}>() float_step = Cast<to = 1>(step)"
    outside += f" float_constant = Constant<value = float {{{constants['step']}.0}}>()"
    body = "float_now = Cast<to = 1>(now) product = Mul(float_now, float_one) "
    body += f"float_sum = {generator.choice(['Add(product, float_constant)', 'Sub(float_now, float_step)'])} "
    body += (f"next = {step} twice = Add(next, next) rest = Sub(size, next) trip = Cast<to = {KINDS[kind]}>(i) "
            f"{condition} row = Identity(now)")
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 18]> g (float[N] x, int64 m, {kind} given) => ({kind} y, {kind}[S] s) '
        f"{{ dims = Shape(x) rows = Squeeze(dims) size = Cast<to = {KINDS[kind]}>(rows) {outside} "
        f"limit = Constant<value = int64 {{{generator.choice([0, 1, 5, 17])}}}>() go = {starts} "
        f"y, s = Loop({generator.choice(['limit', 'm'])}, go, {start}) <body = b (int64 i, bool on, {kind} now) => "
        f"(bool goes, {kind} next, {kind} row) {{ {body} }}> }}")
    for output in model.graph.output:
        output.ClearField("type")
    return model


def is_counted(model):
    """Whether the trips are told by sizes alone. Every run is compared, and checks all tensors against their dims."""
    runner = dyn.Reference(model, infer_shapes=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    kind = onnx.helper.tensor_dtype_to_np_dtype(model.graph.input[2].type.tensor_type.elem_type)
    for size, trips, given in itertools.product((0, 1, 2, 3, 7, 13), (-1, 0, 1, 4, 30), (-5, 0, 1, 6)):
        inputs = {"x": np.zeros(size, np.float32), "m": np.array(trips), "given": np.array(given, kind)}
        for ours, theirs in zip(runner.run(inputs), session.run(None, inputs), strict=True):
            np.testing.assert_array_equal(ours, theirs, str(inputs), strict=True)
    return not re.fullmatch(r"t\d+", str(runner.outputs[1].dims[0]))


@pytest.mark.parametrize("seed", range(3))
def test_trips_are_those_of_onnxruntime(seed):
    generator = random.Random(seed)
    counted = [is_counted(make_loop(generator)) for _ in range(LOOPS_OF_A_SEED)]
    # Some end on something else; a test in which all do would show nothing.
    assert LOOPS_OF_A_SEED / 4 < sum(counted) < LOOPS_OF_A_SEED


LOOP_OF_PARTS = """<ir_version: 8, opset_import: ["" : 18]> g (float[N] x) => (float[S] last, float[T, R] rows) {
  zero = Constant<value = int64 {0}>() one = Constant<value = int64 {1}>() axes = Constant<value = int64[1] {0}>()
  dims = Shape(x) size = Squeeze(dims) starts = Less(zero, size) first = Constant<value = float[1] {5.0}>()
  count, last, rows = Loop("", starts, zero, first) <body = b (int64 i, bool on, int64 now, float[K] before)
      => (bool goes, int64 next, float[L] row, float[M] kept) {
    next = Add(now, one) from = Unsqueeze(now, axes) to = Unsqueeze(next, axes) part = Slice(x, from, to, axes)
    sum = ReduceSum<keepdims = 0>(part) border = Constant<value = float {3.0}>() isLow = Less(sum, border)
    row = If(isLow) <then_branch = t () => (float[A] low) { low = Neg(part) },
                     else_branch = e () => (float[B] high) { high = Constant<value = float[1] {2.0}>() }>
    kept = Identity(row) goes = Less(next, size) }> }"""


def test_the_condition_limits_trips_before_sizes_of_the_body_are_asked():
    model = onnx.parser.parse_model(LOOP_OF_PARTS)
    for output in model.graph.output:
        output.ClearField("type")
    table = dyn.shapes(model)
    assert [str(dim) for dim in table.outputs["rows"].dims] == ["N", "1"]
    # Of any number of trips, parts beyond the end of `x` would have sizes, and names, of their own.
    assert list(table.symbols) == ["N"]
    runner = dyn.Reference(model, infer_shapes=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size in (0, 1, 2, 7):
        inputs = {"x": np.arange(size, dtype=np.float32)}
        (last, rows), (their_last, their_rows) = runner.run(inputs), session.run(None, inputs)
        np.testing.assert_array_equal(last, their_last, f"{size} rows", strict=True)
        # Of no trips, onnxruntime does not know how long a row would be.
        np.testing.assert_array_equal(rows, their_rows if size else their_rows.reshape(0, 1), f"{size} rows", strict=True)


@pytest.mark.parametrize("columns, expected", [("one", "T + 1"), ("zero", "0"), ("d", "2 * T")])
def test_a_trip_appends_a_part_of_what_there_is(columns, expected):
    """The last column once more: one, where there is any at first."""
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]> g (float[T] x) => (float[S, C] y)
      <int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] rows = {{3}}, int64[1] last = {{-1}}, int64[1] end = {{9223372036854775807}}, bool on = {{1}}> {{
      d = Shape(x) n = Squeeze(d) s = Concat<axis = 0>(rows, {columns}) first = ConstantOfShape(s)
      y = Loop(n, on, first) <body = b (int64 i, bool c, float[P, Q] before) => (bool goes, float[U, V] after) {{
        part = Slice(before, last, end, one) after = Concat<axis = 1>(before, part) goes = Identity(c) }}> }}""")
    for output in model.graph.output:
        output.ClearField("type")
    assert dyn.shapes(model).outputs["y"].dims == ("3", expected)
    for size in 0, 1, 2, 7:
        (y,) = dyn.Reference(model, infer_shapes=True).run({"x": np.zeros(size, np.float32)})
        assert y.shape == (3, eval(expected, {"T": size}))


def test_what_shrinks_to_nothing_takes_no_line_from_what_grows():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]> g (float[T] x) => (float[A] y, float[B] z)
      <int64[1] zero = {0}, int64[1] one = {1}, int64[1] end = {9223372036854775807}, float[5] five = {1, 2, 3, 4, 5}, bool on = {1}> {
      d = Shape(x) n = Squeeze(d)
      y, z = Loop(n, on, x, five) <body = b (int64 i, bool c, float[P] grows, float[Q] shrinks) => (bool goes, float[R] more, float[S] less) {
        less = Slice(shrinks, one, end, zero) f = Constant<value = float[1] {0.0}>() more = Concat<axis = 0>(grows, f) goes = Identity(c) }> }""")
    for output in model.graph.output:
        output.ClearField("type")
    assert dyn.shapes(model).outputs["y"].dims == ("2 * T",)
    for size in 0, 1, 4, 7:
        y, z = dyn.Reference(model, infer_shapes=True).run({"x": np.zeros(size, np.float32)})
        assert (len(y), len(z)) == (2 * size, max(5 - size, 0))


def count_through_floats(kind, start, step, condition, trips="", limit="limit"):
    """A loop that adds in floats of `kind` to what it carries, from `start`; its stack is as long as its trips."""
    number = {"float16": 10, "float": 1, "double": 11}[kind]
    return onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 18]> g (float[N] x, int64 given) => (int64 last, int64[T] rows) {{
        dims = Shape(x) limit = Squeeze(dims) start = Constant<value = int64 {{{start}}}>()
        one = Constant<value = int64 {{1}}>() go = Constant<value = bool {{1}}>()
        float_step = Constant<value = float {{{step}}}>() step = Cast<to = {number}>(float_step)
        last, rows = Loop({trips}, go, start) <body = b (int64 i, bool on, int64 now) => (bool goes, int64 next, int64 row)
        {{ number = Cast<to = {number}>(now) sum = Add(number, step) next = Cast<to = 7>(sum) row = Identity(now)
           goes = {condition.format(limit=limit)} }}> }}""")


@pytest.mark.parametrize("kind, most", [("float", 1 << 24), ("double", 1 << 53)])
def test_floats_that_a_loop_counts_in_are_required_to_hold_the_numbers(kind, most):
    shapes = dyn.shapes(count_through_floats(kind, 0, 1.0, "Less(next, {limit})"))
    assert str(shapes.outputs["rows"].dims[0]) == "max(N, 1)"
    assert [str(guard.predicate) for guard in shapes.guards] == [f"N <= {most}"]


def test_the_last_number_is_the_one_that_floats_must_hold():
    even, odd = (count_through_floats("float", (1 << 24) - start, 2.0, "Less(next, {limit})") for start in (10, 9))
    dims = {"N": dyn.Dim(0, 1 << 24)}
    assert not dyn.shapes(even, dims=dims).guards
    # From 2^24 - 1 it would go to 2^24 + 1.
    assert [str(guard.predicate) for guard in dyn.shapes(odd, dims=dims).guards] == [f"N <= {(1 << 24) - 1}"]


@pytest.mark.parametrize("start, step, trips, condition, limit", [
    ((1 << 24) - 2, 1.0, "given", "Less(now, {limit})", "limit"),  # stays where it is
    (1 << 24, 1.0, "given", "Less(now, {limit})", "limit"),
    (0, 0.5, "given", "Less(next, {limit})", "limit"),  # is cut to what it was
    (0, 1.0, "given", "Less(next, {limit})", "given"),  # the number of trips ends it as well
    (0, 3.0, "given", "Less(next, {limit})", "limit"),  # may end before
])
def test_floats_are_asked_nothing_where_they_count_no_trips(start, step, trips, condition, limit):
    model = count_through_floats("float", start, step, condition, trips=trips, limit=limit)
    assert not dyn.shapes(model).guards
    runner = dyn.Reference(model, infer_shapes=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size, given in itertools.product((0, 1, 7), (0, 1, 5, 9)):
        inputs = {"x": np.zeros(size, np.float32), "given": np.array(given)}
        for ours, theirs in zip(runner.run(inputs), session.run(None, inputs), strict=True):
            np.testing.assert_array_equal(ours, theirs, str(inputs), strict=True)


def count_by_large_steps(size):
    """A loop that adds 2^30 to a counter of 32 bits, through doubles: at size 2 and more it wraps around."""
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]> g (float[N] x) => (int32 last, int32[T] rows)
        <int64 most = {{6}}, int32 zero = {{0}}, double step = {{1073741824.0}}, int64 large = {{1073741824}}, bool go = {{1}}> {{
        {size} n = Squeeze(dims) limit = Mul(n, large) last, rows = Loop("", go, zero) <body = b (int64 i, bool on, int32 now)
            => (bool goes, int32 next, int32 row) {{ f = Cast<to = 11>(now) sum = Add(f, step) next = Cast<to = 6>(sum)
            wide = Cast<to = 7>(next) isLess = Less(wide, limit) isEarly = Less(i, most) goes = And(isLess, isEarly) row = Identity(now) }}> }}""")


def test_a_counter_of_32_bits_does_not_wrap_around_below_what_doubles_hold():
    model = count_by_large_steps("dims = Shape(x)")
    runner = dyn.Reference(model, infer_shapes=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size in (0, 1, 2, 3):
        inputs = {"x": np.zeros(size, np.float32)}
        if size < 2:
            np.testing.assert_array_equal(runner.run(inputs)[1], session.run(None, inputs)[1])
            continue
        # Not as "an element of 32 bits", which is what the body needs where the counter is taken for one of doubles.
        with pytest.raises(dyn.ShapeError, match="^`N` must be <= 1: a counter of floats, "):
            runner.run(inputs)


def test_a_counter_of_32_bits_that_data_end_may_wrap_around():
    """Nothing can be required of it before the run, so that its trips are not told."""
    model = count_by_large_steps("places = NonZero(x) dims = Shape<start = 1>(places)")
    shapes = dyn.shapes(model)
    assert not shapes.guards and str(shapes.outputs["rows"].dims[0]) == "t0"
    runner = dyn.Reference(model, infer_shapes=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size, trips in (0, 1), (1, 1), (2, 7), (3, 7):
        inputs = {"x": np.ones(size, np.float32)}
        rows = runner.run(inputs)[1]
        assert len(rows) == trips
        np.testing.assert_array_equal(rows, session.run(None, inputs)[1])


def test_a_counter_in_floats_asks_nothing_of_runs_that_do_not_come_to_the_loop():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]> g (float[N] x, bool on) => (int64[T] rows)
        <int64 zero = {0}, bool go = {1}, float one = {1.0}> { dims = Shape(x) limit = Squeeze(dims)
        rows = If(on) <then_branch = t () => (int64[A] a) { last, a = Loop("", go, zero) <body = b (int64 i, bool c, int64 now)
            => (bool goes, int64 next, int64 row) { f = Cast<to = 1>(now) sum = Add(f, one) next = Cast<to = 7>(sum)
            goes = Less(next, limit) row = Identity(now) }> }, else_branch = e () => (int64[B] b) { b = Identity(dims) }> }""")
    assert not dyn.shapes(model).guards


def test_a_counter_in_floats_asks_nothing_of_a_loop_that_a_size_ends():
    shapes = dyn.shapes(count_through_floats("float16", 0, 1.0, "Identity(on)", trips="limit"))
    assert not shapes.guards and str(shapes.outputs["rows"].dims[0]) == "N"


@pytest.mark.parametrize("behind, dims", [("y = Identity(rows)", (0, 3, 6)), ("y = MatMul(rows, w)", (0, 3, 2)),
                                          ("u = Unsqueeze(last, axis) y = Concat<axis = 0>(u, rows)", (1, 3, 6))])
def test_what_a_loop_without_trips_scans_has_the_sizes_that_are_known(behind, dims):
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 18]> g (float[S, B, 6] x, float[B, 6] h, float[6, 2] w) => (float[P, Q, R] y) {{
        axis = Constant<value = int64[1] {{0}}>() length = Shape<start = 0, end = 1>(x) trips = Squeeze(length, axis)
        last, rows = Loop(trips, "", h) <body = b (int64 i, bool on, float[C, D] now) => (bool goes, next, row)
        {{ goes = Identity(on) part = Gather<axis = 0>(x, i) next = Add(now, part) row = Tanh(next) }}> {behind} }}""")
    inputs = {"x": np.zeros((0, 3, 6), "f"), "h": np.zeros((3, 6), "f"), "w": np.zeros((6, 2), "f")}
    (y,) = dyn.Reference(model).run(inputs)
    assert y.shape == dims


def test_a_shape_that_a_loop_carries_is_known_where_its_trips_are():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (float[M] y) {
        m = Constant<value = int64 {3}>() d = Shape(x) one = Constant<value = float {1.0}>()
        s = Loop(m, , d) <body = b (int64 i, bool k, int64[1] p) => (bool q, int64[1] n) { q = Identity(k) n = Add(p, p) }>
        y = Expand(one, s) }""")
    assert list(map(str, dyn.shapes(model).values["y"].dims)) == ["8 * N"]

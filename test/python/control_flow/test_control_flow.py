"""Branches and loops compute what onnxruntime computes, at every size, and inference says how large results are."""

import itertools
import re

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

from control_flow_cases import CASES, COMPILED, branches

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

SIZES = [{"N": n, "C": c} for n, c in itertools.product((0, 1, 2, 7), (1, 5))] + [{"N": 3, "C": 0}]
TRIPS = (0, 1, 3)


def build(name):
    opset, inputs, outputs, body = CASES.get(name) or COMPILED[name]
    results = ", ".join(f"float[{', '.join('xyz'[:dims.count(',') + 1] if dims else '')}] {key}" for key, dims in outputs.items())
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]>\ng ({inputs}) => ({results}) {{ {body} }}')
    for number, node in enumerate(model.graph.node):
        node.name = f"/{node.op_type}_{number}"
    return model


def untyped(model):
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for output in result.graph.output:
        output.ClearField("type")
    return result


def make_inputs(model, sizes, trips, truth, seed=0):
    generator = np.random.default_rng(seed)
    inputs = {}
    for value in model.graph.input:
        kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        dims = [dim.dim_value if dim.HasField("dim_value") else sizes[dim.dim_param]
                for dim in value.type.tensor_type.shape.dim]
        if kind == bool:
            inputs[value.name] = np.full(dims, truth)
        elif kind == np.int64:
            inputs[value.name] = np.full(dims, trips, np.int64)
        else:
            inputs[value.name] = generator.standard_normal(dims).astype(kind)
    return inputs


def expect(model, inputs):
    """What onnxruntime computes; nothing where it refuses, or worse: it scans nothing that is empty."""
    if any(node.op_type == "Scan" for node in model.graph.node) and not all(value.size for value in inputs.values()):
        return None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(untyped(model).SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def runs(model):
    kinds = {value.type.tensor_type.elem_type for value in model.graph.input}
    for sizes in SIZES:
        for trips in TRIPS if onnx.TensorProto.INT64 in kinds else (0,):
            for truth in (False, True) if onnx.TensorProto.BOOL in kinds else (True,):
                yield make_inputs(model, sizes, trips, truth)


def compare(model, runner):
    number = 0
    for inputs in runs(model):
        expected = expect(model, inputs)
        if expected is None:
            continue
        number += 1
        for output, ours, theirs in zip(model.graph.output, runner.run(inputs), expected, strict=True):
            if theirs.size or ours.size:
                assert ours.shape == theirs.shape, f"{output.name} for {({key: value.shape for key, value in inputs.items()})}"
                np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    assert number > 2


@pytest.mark.parametrize("name", CASES)
def test_runs_as_it_is(name):
    model = build(name)
    compare(model, dyn.Reference(untyped(model)))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if all(case[2].values())])
def test_runs_with_inferred_sizes(name):
    """The interpreter checks every tensor against the dims that its type promises."""
    model = build(name)
    runner = dyn.Reference(untyped(model), infer_shapes=True)
    compare(model, runner)
    for output, promised in zip(runner.outputs, CASES[name][2].values(), strict=True):
        for ours, dim in zip(output.dims, re.split(r", (?![^()]*(?:\([^()]*\)[^()]*)*\))", promised), strict=True):
            assert re.fullmatch(r"[ut]\d+", str(ours)) if dim == "?" else str(ours) == dim


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not all(case[2].values())])
def test_ranks_that_change_stay_open(name):
    """All else is inferred, and checked by the run."""
    model = build(name)
    runner = dyn.Reference(untyped(model), infer_shapes=True)
    assert any(output.dims is None for output in runner.outputs)
    compare(model, runner)
    with pytest.raises(dyn.CompileError, match="rank"):
        dyn.compile(untyped(model))


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    model = build(name)
    compare(model, dyn.compile(untyped(model), threads=1))


def test_sizes_of_the_branch_that_does_not_fit_are_refused():
    model = build("if-rank-is-forced")
    assert [guard.predicate for guard in dyn.shapes(untyped(model)).guards] == ["N != 4"]
    for runner in dyn.compile(untyped(model), threads=1), dyn.Reference(untyped(model), infer_shapes=True):
        with pytest.raises(dyn.ShapeError, match="N.{0,10} != 4.*node '/Transpose_4'"):
            runner.run({"x": np.zeros((4, 2), np.float32)})


def test_only_the_branch_that_needs_a_size_refuses_others():
    model = build("if-forced-inside")
    assert not dyn.shapes(untyped(model)).guards
    runner = dyn.Reference(untyped(model), infer_shapes=True)
    x = np.ones((4, 2), np.float32)
    assert runner.run({"c": np.array(False), "x": x})[0].shape == (2, 4)
    with pytest.raises(dyn.ShapeError, match="`N` must be != 4: branch"):
        runner.run({"c": np.array(True), "x": x})


def test_sizes_of_a_branch_in_a_branch_are_told_by_those_that_choose_it():
    shapes = dyn.shapes(untyped(build("if-in-an-if-of-sizes")))
    definition = shapes.symbols[shapes.values["y"].dims[0]].origin
    for size, expected in ((0, 0), (1, 1), (2, 2), (3, 1), (6, 1), (7, 6), (11, 6)):
        assert eval(definition, {"N": size, "max": max, "min": min}) == expected


@pytest.mark.parametrize("branch", ["then", "else"])
def test_a_branch_whose_sizes_do_not_fit_is_not_there(branch):
    """Neither rows nor columns but those of the other one can be multiplied."""
    parts = ["Identity(q)", "Identity(p)"]
    whole = branches(*(f"u = {part}" if place == 0 else f"v = {part}" for place, part in enumerate(parts if branch == "then" else parts[::-1])))
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[n] x, float[3, 4] z) => (float[A, B] w)
        <int64[1] one = {1}, float[2, 3] p = {1, 2, 3, 4, 5, 6}, float[2, 2] q = {1, 1, 1, 1}> { s = Shape(x) c = Equal(s, one) """
                                    + whole + " w = MatMul(y, z) }")
    guard = "n != 1" if branch == "then" else "n == 1"
    assert [guard.predicate for guard in dyn.shapes(untyped(model)).guards] == [guard]
    inputs = {"x": np.zeros(3 if branch == "then" else 1, np.float32), "z": np.arange(12, dtype=np.float32).reshape(3, 4)}
    refused = {**inputs, "x": np.zeros(1 if branch == "then" else 3, np.float32)}
    for runner in dyn.compile(untyped(model), threads=1), dyn.Reference(untyped(model), infer_shapes=True):
        np.testing.assert_allclose(runner.run(inputs)[0], expect(model, inputs)[0])
        with pytest.raises(dyn.ShapeError):
            runner.run(refused)


def test_a_size_that_a_branch_computes_with_32_bits_is_guarded_where_the_run_begins():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[N, C] x, bool b) => (float[A, B] y) {
        y = If(b) <then_branch = t () => (float[D, E] u) { s = Shape(x) s32 = Cast<to = 6>(s) n, c = Split(s32) nc = Mul(n, c)
            d = Cast<to = 7>(nc) one = Constant<value = int64[1] {1}>() to = Concat<axis = 0>(d, one) u = Reshape(x, to) },
        else_branch = e () => (float[G, H] v) { v = Neg(x) }> }""")
    guards = [(str(guard.predicate), guard.because) for guard in dyn.shapes(untyped(model)).guards]
    assert guards == [(f"{size} <= 2147483647", "an element of 32 bits") for size in ("N", "C", "C * N")]


BRANCH_OF_32_BITS = """<ir_version: 8, opset_import: ["" : 17]> g (float[N, C] x) => (float[A] y)
    <int64 two = {2}, int32 large = {2000000000}, int32 three = {3}, float zero = {0}, int64[1] axis = {0}> {
    h = Shape<start = 0, end = 1>(x) w = Shape<start = 1, end = 2>(x) n = Squeeze(h) c = Squeeze(w) less = Less(c, two)
    y = If(less) <then_branch = t () => (float[D] d) { n32 = Cast<to = 6>(n) m = Mul(n32, large) r = Mod(m, three) r64 = Cast<to = 7>(r)
        u = Unsqueeze(r64, axis) d = Expand(zero, u) }, else_branch = e () => (float[E] f) { f = Expand(zero, h) }> }"""


def test_a_branch_that_is_not_taken_asks_for_nothing():
    model = onnx.parser.parse_model(BRANCH_OF_32_BITS)
    assert [guard.predicate for guard in dyn.shapes(untyped(model)).guards] == ["2 <= C or N <= 1"]
    runner = dyn.Reference(untyped(model), infer_shapes=True)
    for sizes in (0, 0), (1, 1), (5, 3), (7, 2):
        inputs = {"x": np.ones(sizes, np.float32)}
        np.testing.assert_array_equal(runner.run(inputs)[0], expect(model, inputs)[0])
    with pytest.raises(dyn.ShapeError, match="2 <= C or N <= 1"):
        runner.run({"x": np.ones((2, 1), np.float32)})


def test_what_a_first_look_at_a_loop_takes_for_granted_asks_for_nothing():
    """The carried dim changes: it is the first one in the first trip only."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[N] x, int64 m) => (float[A] y)
        <bool go = {1}, int32 million = {1000000}, int32 three = {3}, float zero = {0}, int64[1] axis = {0}> {
        y = Loop(m, go, x) <body = b (int64 i, bool k, float[L] l) => (bool q, float[M] s) { q = Identity(k) h = Shape(l) n = Squeeze(h)
            n32 = Cast<to = 6>(n) w = Mul(n32, million) r = Mod(w, three) r64 = Cast<to = 7>(r) u = Unsqueeze(r64, axis) e = Expand(zero, u)
            s = Concat<axis = 0>(l, e) }> }""")
    assert not dyn.shapes(untyped(model)).guards


TWO_ROWS = """<ir_version: 8, opset_import: ["" : 17]> g (float[n] x, float[m] u, float[3, 4] z) => (%s)
    <int64[1] one = {1}, float[2, 3] p = {1, 2, 3, 4, 5, 6}, float[2, 2] q = {1, 2, 3, 4}, float[7] p7 = {1, 2, 3, 4, 5, 6, 7},
     float[1] q1 = {2}, float[1, 7] a7 = {1, 1, 1, 1, 1, 1, 1}, float[1, 1] a1 = {3}> {
    s = Shape(x) c = Equal(s, one) t = Shape(u) d = Equal(t, one) %s w = MatMul(y, z) %s }"""


@pytest.mark.parametrize("outputs, body, more", [
    ("float[A, B] w, float[D, E] v", "y, k = If(c) <then_branch = t1 () => (float[F, G] f, float[H] g1) { f = Identity(p) g1 = Identity(p7) }, "
     "else_branch = e1 () => (float[J, K] j, float[L] l) { j = Identity(q) l = Identity(q1) }> a = If(d) <then_branch = t2 () => (float[M, O] o) "
     "{ o = Identity(a7) }, else_branch = e2 () => (float[P, Q] r) { r = Identity(a1) }>", "k1 = Unsqueeze(k, one) v = MatMul(a, k1)"),
    ("float[A, B] w", "y = If(c) <then_branch = t1 () => (float[F, G] f) { f = If(d) <then_branch = t2 () => (float[H, J] h) { h = Identity(p) }, "
     "else_branch = e2 () => (float[K, L] k) { k = Identity(q) }> }, else_branch = e1 () => (float[M, O] o) { o = Identity(q) }>", ""),
], ids=["behind", "inside"])
def test_a_branch_that_is_decided_decides_another(outputs, body, more):
    model = onnx.parser.parse_model(TWO_ROWS % (outputs, body, more))
    assert [guard.predicate for guard in dyn.shapes(untyped(model)).guards] == ["n == 1", "m == 1"]
    inputs = {"x": np.zeros(1, np.float32), "u": np.zeros(1, np.float32), "z": np.arange(12, dtype=np.float32).reshape(3, 4)}
    for runner in dyn.compile(untyped(model), threads=1), dyn.Reference(untyped(model), infer_shapes=True):
        for given, wanted in zip(runner.run(inputs), expect(model, inputs), strict=True):
            np.testing.assert_allclose(given, wanted)
        with pytest.raises(dyn.ShapeError):
            runner.run({**inputs, "u": np.zeros(2, np.float32)})


def test_results_of_a_branch_that_have_the_same_sizes_share_them():
    """The keys and values of a merged decoder: no run can break that they are as long."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[B, S, 4] x, float[B, P, 4] keys, float[B, P, 4] values, float[B, E, 4] encoded, bool use) => (float[B, S, 4] y) {
        k, v = If(use) <then_branch = t () => (float[B, T, 4] k1, float[B, T, 4] v1)
            { k1 = Concat<axis = 1>(keys, x) v1 = Concat<axis = 1>(values, x) },
        else_branch = e () => (float[B, T, 4] k2, float[B, T, 4] v2) { k2 = Neg(encoded) v2 = Exp(encoded) }>
        turned = Transpose<perm = [0, 2, 1]>(k) scores = MatMul(x, turned) y = MatMul(scores, v) }""")
    shapes = dyn.shapes(model)
    assert not shapes.guards and [name for name in shapes.symbols if re.fullmatch(r"u\d+", name)] == ["u0"]


CHOICE = """<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (float[M] y) {
    h = Shape(x) n = Squeeze(h) three = Constant<value = int64 {3}>() zero = Constant<value = int64 {0}>() c = Less(n, three)
    d = If(c) <then_branch = t () => (bool u) { u = Identity(c) }, else_branch = e () => (bool v) { v = Identity(c) }>
    %s }"""
BRANCHES = "y = If(d) <then_branch = t2 () => (float[A] p) { p = %s }, else_branch = e2 () => (float[B] r) { r = Neg(x) }>"


@pytest.mark.parametrize("body", [
    BRANCHES % "Concat<axis=0>(x, x)", BRANCHES % "Add(x, x)",
    "y = Loop(n, d) <body = b (int64 i, bool k) => (bool q, float s) { q = Identity(k) s = Cast<to = 1>(i) }>",
])
def test_a_condition_that_both_branches_give_keeps_its_value(body):
    """In each branch it is known, but behind them it is not."""
    model = onnx.parser.parse_model(CHOICE % body)
    for size in (0, 1, 2, 3, 7):
        inputs = {"x": np.ones(size, np.float32)}
        (wanted,) = expect(model, inputs)
        for infer_shapes in (False, True):
            np.testing.assert_array_equal(dyn.Reference(untyped(model), infer_shapes=infer_shapes).run(inputs)[0], wanted)


def test_a_condition_that_both_branches_give_decides_sizes():
    """As the condition itself does: each of the other branches is told which one it stands in."""
    model = onnx.parser.parse_model(CHOICE % (BRANCHES % "Concat<axis=0>(x, x)"))
    direct = onnx.parser.parse_model(CHOICE % (BRANCHES % "Concat<axis=0>(x, x)").replace("If(d)", "If(c)"))
    symbols = [[(symbol.facts, symbol.origin) for symbol in dyn.shapes(untyped(each)).symbols.values()] for each in (model, direct)]
    assert symbols[0] == symbols[1]


@pytest.mark.parametrize("trips", [1, 2])
def test_a_trip_that_may_not_come_changes_dims(trips):
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]> g (float[1] v, float[1] w, int64 limit) => (float[M] y) {{
        one = Constant<value = int64 {{1}}>() m = Constant<value = int64 {{{trips}}}>() go = Less(one, limit)
        y = Loop(m, go, v) <body = b (int64 i, bool k, float[P] p) => (bool q, float[D] n) {{ q = Less(one, limit) n = Concat<axis=0>(w, p) }}> }}""")
    runner = dyn.Reference(untyped(model), infer_shapes=True)
    for limit in (0, 5):
        inputs = {"v": np.ones(1, np.float32), "w": np.zeros(1, np.float32), "limit": np.array(limit)}
        np.testing.assert_array_equal(runner.run(inputs)[0], expect(model, inputs)[0])


@pytest.mark.parametrize("name, why", [
    ("loop-grows", r"the size 'C \* i0 \+ N' differs between trips"), ("loop-counts-or-ends", "data end it, or its needs differ between trips"),
    ("loop-with-branch", r"node 'n' \(dyn.if\) in it is not compiled"),
])
def test_says_what_is_not_compiled(name, why):
    with pytest.raises(dyn.CompileError, match=rf"not compiled yet: dyn\.loop \(node '/Loop_\d+': {why}\); a loop is compiled where"):
        dyn.compile(untyped(build(name)))


COUNTED = [name for name in CASES if re.match("loop|scan", name) and name not in {
    "loop-wraps-around", "loop-wraps-around-later", "loop-counts-from-the-least-integer", "loop-grows", "loop-doubles", "loop-counts-or-ends",
    "loop-counts-or-limit-from-data", "loop-appends-its-last-row", "loop-rank-changes", "loop-with-branch"}]


@pytest.mark.parametrize("name", COUNTED)
def test_a_loop_that_sizes_count_is_compiled(name):
    model = build(name)
    compare(model, dyn.compile(untyped(model), threads=1))


@pytest.mark.parametrize("directions", ["", ", directions = [1]"])
def test_scans_of_opset_8_stop_at_the_lengths_of_sequences(directions):
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 8]>\ng (int64[B] l, float[B, C] x, float[B, N, C] z) => (float[B, C] y, float[B, N, C] s) '
        f"{{ y, s = Scan<num_scan_inputs = 1{directions}, body = b (float[C] p, float[C] q) => (float[C] n, float[C] r) "
        "{ n = Add(p, q) r = Mul(p, q) }>(l, x, z) }")
    model.graph.node[0].name = "/Scan"
    generator = np.random.default_rng(0)
    runners = [dyn.Reference(model), dyn.Reference(model, infer_shapes=True)]
    for lengths, size in ([2, 3, 1], 3), ([1], 1), ([4, 4], 4):
        inputs = {"l": np.array(lengths), "x": generator.standard_normal((len(lengths), 2)).astype(np.float32),
                  "z": generator.standard_normal((len(lengths), size, 2)).astype(np.float32)}
        for runner in runners:
            for ours, theirs in zip(runner.run(inputs), expect(model, inputs), strict=True):
                assert ours.shape == theirs.shape
                np.testing.assert_allclose(ours, theirs, 1e-5)
    # There must be a step, as for onnxruntime: else nothing tells how large one is.
    for runner in runners:
        for length in (4, 0, -1):
            with pytest.raises(dyn.ShapeError, match="node '/Scan': index .* is out of bounds for dim 0"):
                runner.run({"l": np.array([length]), "x": np.ones((1, 2), np.float32), "z": np.ones((1, 3, 2), np.float32)})

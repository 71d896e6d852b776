"""Sequences and optionals compute what onnxruntime computes: taken apart at import where their lengths are known."""

import itertools

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

from sequence_cases import AT_RUN, CASES, REFUSED, REFUSED_AT_RUN

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

SIZES = [{"N": n, "C": c} for n in (0, 1, 2, 7) for c in (1, 5)] + [{"N": 3, "C": 0}]


def build(case):
    opset, inputs, outputs, body = case[:4]
    results = ", ".join(f"seq(float[]) {name}" if name in "st" else f"float[] {name}" for name in outputs.split(", "))
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]>\ng ({inputs}) => ({results}) {{ {body} }}')
    for number, node in enumerate(model.graph.node):
        node.name = f"/{node.op_type}_{number}"
    for output in model.graph.output:
        if output.type.HasField("tensor_type"):
            output.ClearField("type")
    return model


def make_inputs(model, sizes):
    generator = np.random.default_rng(0)
    return {value.name: generator.standard_normal(
        [dim.dim_value if dim.HasField("dim_value") else sizes[dim.dim_param] for dim in value.type.tensor_type.shape.dim]
    ).astype(np.float32) for value in model.graph.input}


@pytest.mark.parametrize("run", ["compiled", "interpreted"])
@pytest.mark.parametrize("name", CASES)
def test_computes_at_every_size(name, run):
    model = build(CASES[name])
    runner = dyn.compile(model, threads=1) if run == "compiled" else dyn.Reference(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for sizes in SIZES:
        inputs = make_inputs(model, sizes)
        for ours, theirs in zip(runner.run(inputs), session.run(None, inputs), strict=True):
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), sizes
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(name):
    case = REFUSED[name]
    with pytest.raises(dyn.CompileError, match=case[4]):
        dyn.Reference(build(case))


def make_values(model, lengths):
    """Arrays for tensors, lists of as many as `lengths` says, numbers for integers and conditions."""
    generator = np.random.default_rng(0)
    values = {}
    for value in model.graph.input:
        given, kind = lengths.get(value.name), value.type.WhichOneof("value")
        if kind == "tensor_type" and value.type.tensor_type.elem_type != onnx.TensorProto.FLOAT:
            dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
            values[value.name] = np.array(given, dtype)
            continue
        arrays = [generator.standard_normal((2, 3 + 4 * (value.name == "x" and "p" in lengths and "s" not in lengths)))
                  .astype(np.float32) for _ in range(given if isinstance(given, int) else 1)]
        is_list = kind == "sequence_type" or value.type.optional_type.elem_type.HasField("sequence_type")
        array = arrays[0][0] if value.name == "z" else arrays[0] if arrays else None
        values[value.name] = None if given == "nothing" else arrays if is_list else array
    return values


LENGTHS = {
    "position-from-data": [{"p": -1}, {"p": 1}], "count-from-sizes": [{}], "unbind": [{}], "split-at-data": [{"p": [3, 0, 4]}, {"p": [7]}],
    "split-in-chunks-of-data": [{"p": 3}, {"p": 8}, {"p": 7}], "input": [{"s": 3, "p": -3}, {"s": 1, "p": 0}],
    "insert": [{"s": 2, "p": 0}, {"s": 2, "p": 2}, {"s": 2, "p": -1}, {"s": 0, "p": 0}], "append": [{"s": 0}, {"s": 2}],
    "erase": [{"s": 2, "p": 0}, {"s": 3, "p": -1}], "output": [{}], "if": [{"c": True}, {"c": False}],
    "loop": [{"m": 0}, {"m": 3}], "rows-of-a-loop": [{}], "slices-of-a-loop": [{}],
    "map": [{"s": 1}, {"s": 3}], "optional": [{}, {"o": "nothing"}],
    "optional-sequence": [{"o": 2}],
}


def compare(ours, theirs):
    if isinstance(theirs, list):
        assert isinstance(ours, list)
        for one, other in zip(ours, theirs, strict=True):
            compare(one, other)
        return
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("infer", [False, True], ids=["as_imported", "with_dims"])
@pytest.mark.parametrize("name", AT_RUN)
def test_is_taken_apart_by_the_run(name, infer):
    model = build(AT_RUN[name])
    runner = dyn.Reference(model, infer_shapes=infer)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for lengths in LENGTHS[name]:
        values = make_values(model, lengths)
        compare(runner.run(values), session.run(None, values))


@pytest.mark.parametrize("name, dims", {
    "position-from-data": "N, C", "count-from-sizes": "N, C", "split-at-data": "N, u0",
    "split-in-chunks-of-data": "N, 6 mod p0 + 1",
    "if": "N * u0, C", "loop": "N * max(m0, 0) + N, C", "rows-of-a-loop": "N, C", "slices-of-a-loop": "N, C",
}.items())
def test_sizes_of_tensors_in_sequences_are_inferred(name, dims):
    output = dyn.Reference(build(AT_RUN[name]), infer_shapes=True).outputs[0]
    assert ", ".join(map(str, output.dims)) == dims
    assert ", ".join(dyn.shapes(build(AT_RUN[name])).outputs["y"].dims) == dims


@pytest.mark.parametrize("name", ["count-from-sizes", "rows-of-a-loop", "slices-of-a-loop"])
def test_inferred_sizes_are_those_of_the_run(name):
    """The interpreter checks every tensor against its dims. What sizes make empty is refused, as by onnxruntime."""
    model = build(AT_RUN[name])
    runner = dyn.Reference(model, infer_shapes=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    for sizes in SIZES:
        inputs = make_inputs(model, sizes)
        if sizes["N"] == 0:
            with pytest.raises(dyn.ShapeError, match="ConcatFromSequence"):
                runner.run(inputs)
            with pytest.raises(Exception, match="ConcatFromSequence"):
                session.run(None, inputs)
        else:
            compare(runner.run(inputs), session.run(None, inputs))


@pytest.mark.parametrize("name", AT_RUN)
def test_is_not_compiled(name):
    with pytest.raises(dyn.CompileError, match="dyn-run --reference|dyn.Reference"):
        dyn.compile(build(AT_RUN[name]))


@pytest.mark.parametrize("name", REFUSED_AT_RUN)
def test_a_run_refuses(name):
    case = REFUSED_AT_RUN[name]
    model = build(case)
    with pytest.raises(dyn.ShapeError, match=case[5]):
        dyn.Reference(model).run(make_values(model, case[4]))


UNTAKEN = """<ir_version: 8, opset_import: ["" : 17]> g (float[N] x, bool c) => (float[M] y) {
    %s place = Constant<value = int64 {2}>()
    y = If(c) <then_branch = t () => (float[A] u) { %s }, else_branch = e () => (float[B] v) { v = Neg(x) }> }"""


@pytest.mark.parametrize("sequence", ["s = SequenceConstruct(x, x)", "s = SequenceEmpty()"])
@pytest.mark.parametrize("body", ["u = SequenceAt(s, place)", "r = SequenceErase(s, place) u = ConcatFromSequence<axis = 0>(r)",
                                  "place3 = Constant<value = int64 {3}>() r = SequenceInsert(s, x, place3) u = ConcatFromSequence<axis = 0>(r)"])
def test_a_place_out_of_range_is_refused_where_a_run_comes_to_it(sequence, body):
    runner = dyn.Reference(onnx.parser.parse_model(UNTAKEN % (sequence, body)))
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(runner.run({"x": x, "c": np.array(False)})[0], -x)
    with pytest.raises(dyn.ShapeError, match="position [23] is out of range for [02]|there is no tensor to erase"):
        runner.run({"x": x, "c": np.array(True)})


def test_nothing_is_joined_where_no_run_comes_to_it():
    runner = dyn.Reference(onnx.parser.parse_model(UNTAKEN % ("s = SequenceEmpty()", "u = ConcatFromSequence<axis = 0>(s)")))
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(runner.run({"x": x, "c": np.array(False)})[0], -x)
    with pytest.raises(dyn.ShapeError, match="node 'u': a sequence without tensors has no dims"):
        runner.run({"x": x, "c": np.array(True)})


@pytest.mark.parametrize("made", ["n = Optional(w)", "r = SequenceConstruct(w) n = Optional(r)"])
def test_a_carried_optional_may_be_known_at_first_only(made):
    first = made.replace("r =", "r0 =").replace("(r)", "(r0)").replace("n =", "o =").replace("(w)", "(x)")
    kind = "optional(seq(float[]))" if "Sequence" in made else "optional(float[])"
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]> g (float[N] x, int64 m) => (bool h) {{
        go = Constant<value = bool {{1}}>() {first}
        r1 = Loop(m, go, o) <body = b (int64 i, bool k, {kind} p) => (bool q, {kind} n) {{ q = Identity(k) w = Neg(x) {made} }}>
        h = OptionalHasElement(r1) }}""")
    for infer_shapes in (False, True):
        runner = dyn.Reference(model, infer_shapes=infer_shapes)
        for trips in (0, 2):
            assert runner.run({"x": np.ones(3, np.float32), "m": np.array(trips)})[0]


def test_a_carried_optional_of_another_kind_is_refused():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (int64[N] x, float[N] w, int64 m) => (bool h) {
        o = Optional(x) r = Loop(m, , o) <body = b (int64 i, bool k, optional(float[]) p) => (bool q, optional(float[]) n) {
            q = Identity(k) n = Optional(w) }> h = OptionalHasElement(r) }""")
    with pytest.raises(dyn.Error, match="carried value 0 has elements of type i64 at first"):
        dyn.Reference(model)


def test_dims_of_what_an_unrolled_loop_gives_are_those_in_a_sequence():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (seq(float[]) s) {
        m = Constant<value = int64 {2}>() z = Constant<value = int64[1] {0}>()
        y = Loop(m, , x) <body = b (int64 i, bool k, float[A] p) => (bool q, float[D, E] n) { q = Identity(k) n = Unsqueeze(p, z) }>
        s = SequenceConstruct(y, y) }""")
    for _ in range(20):
        assert list(map(str, dyn.shapes(model).values["s"].dims)) == ["1", "1", "N"]


def test_nothing_is_mapped_to_a_sequence_of_nothing():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (int64 l, int64[M] y) {
        e = SequenceEmpty() r = SequenceMap<body = b (float[A] u) => (int64[C] v) { v = Cast<to = 7>(u) }>(e) l = SequenceLength(r)
        i = Cast<to = 7>(x) s = SequenceInsert(r, i) y = ConcatFromSequence<axis = 0>(s) }""")
    for runner in dyn.Reference(model), dyn.compile(model):
        length, y = runner.run({"x": np.arange(3, dtype=np.float32)})
        assert length == 0 and y.tolist() == [0, 1, 2]


def test_kinds_of_inputs():
    model = build(AT_RUN["optional-sequence"])
    (port,) = dyn.Reference(model).inputs
    assert (port.kind, port.dtype, port.dims) == ("optional sequence", np.float32, None)
    with pytest.raises(dyn.ModelError, match="input 'o' is a ndarray, must be a list of arrays"):
        dyn.Reference(model).run({"o": np.zeros((2, 2), np.float32)})


DECLARED = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N] x, seq(float[N, 3]) s) => (float[] y) { y = ConcatFromSequence<axis=0>(s) }"""


@pytest.mark.parametrize("infer_shapes", [False, True])
@pytest.mark.parametrize("dims, message", [
    ([(2, 3), (2, 3)], None),
    ([], "has no dims"),
    ([(2, 3), (2, 4)], r"^tensor 1 of input 's' dim 1 is 4, must be 3$"),
    ([(5, 3)], r"^tensor 0 of input 's' dim 0 is 5, must be N = 2 \(dim 0 of input 'x'\)$"),
    ([(2, 3, 1)], r"^tensor 0 of input 's' has rank 3 \(dims \[2, 3, 1\]\), must be 2: \[N, 3\]$"),
])
def test_declared_dims_of_sequences_are_checked(dims, message, infer_shapes):
    runner = dyn.Reference(onnx.parser.parse_model(DECLARED), infer_shapes=infer_shapes)
    inputs = {"x": np.zeros(2, np.float32), "s": [np.zeros(each, np.float32) for each in dims]}
    if message is None:
        assert runner.run(inputs)[0].shape == (4, 3)
        return
    with pytest.raises(dyn.ShapeError, match=message):
        runner.run(inputs)


def test_undeclared_dims_of_sequences_may_be_any():
    runner = dyn.Reference(onnx.parser.parse_model(DECLARED.replace("float[N, 3]", "float[M, ?]")))
    s = [np.zeros((2, 4), np.float32), np.zeros((7, 4), np.float32)]
    assert runner.run({"x": np.zeros(3, np.float32), "s": s})[0].shape == (9, 4)


def test_fixed_dims_of_sequences_are_checked():
    runner = dyn.Reference(onnx.parser.parse_model(DECLARED), dims={"N": 2})
    inputs = {"x": np.zeros(2, np.float32), "s": [np.zeros((5, 3), np.float32)]}
    with pytest.raises(dyn.ShapeError, match="^tensor 0 of input 's' dim 0 is 5, must be 2$"):
        runner.run(inputs)


@pytest.mark.parametrize("kind, body, dims", [
    ("seq(float[N, 3])", "y = SequenceAt(s, i)", ("N", "3")),
    ("seq(float[M, 3])", "y = SequenceAt(s, i)", ("u0", "3")),
    ("seq(float[])", "t = SequenceInsert(s, x) y = SequenceAt(t, i)", ("u0", "u1")),
    ("seq(float[N, 3])", "y = ConcatFromSequence<axis=1, new_axis=1>(s)", ("N", "u0", "3")),
    ("seq(float[N, 3])", "l = SequenceLength(s) k = Cast<to=1>(l) y = Mul(x, k)", ("N",)),
    ("optional(float[N, 3])", "y = OptionalGetElement(s)", ("N", "3")),
    ("optional(float[N])", "h = OptionalHasElement(s) y = If(h)<then_branch=t()=>(float[A] a) { a = OptionalGetElement(s) }, "
     "else_branch=e()=>(float[B] b) { b = Neg(x) }>", ("N",)),
    ("optional(seq(float[N, 3]))", "t = OptionalGetElement(s) y = SequenceAt(t, i)", ("N", "3")),
])
def test_declared_dims_of_inputs_that_are_no_tensors_lead_to_sizes(kind, body, dims):
    """A size that no tensor among the inputs has may be another one in each tensor of a sequence."""
    declared = ", ".join("ABC"[:len(dims)])
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]>
        g (float[N] x, {kind} s) => (float[{declared}] y) {{ i = Constant<value = int64 {{0}}>() {body} }}""")
    found = dyn.shapes(model)
    assert found.outputs["y"].dims == dims and list(found.inputs) == ["x", "s"]
    written = dyn.infer_shapes(model)
    assert [dim.dim_param or str(dim.dim_value) for dim in written.graph.output[0].type.tensor_type.shape.dim] == list(dims)
    assert written.graph.input == model.graph.input


@pytest.mark.parametrize("name", ["x_0", "u0", "s0"])
def test_dims_of_sequences_are_none_that_sizes_get_here(name):
    """A dim without a name is called after its place, one that data give `u0`; what the file calls so is another size."""
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]>
        g (float[?] x, seq(float[{name}]) s) => (float[A] y, int64[B, C] z) {{ i = Constant<value = int64 {{0}}>() y = SequenceAt(s, i) z = NonZero(x) }}""")
    x, s = np.ones(2, np.float32), [np.zeros(3, np.float32), np.zeros(4, np.float32)]
    for infer in (False, True):
        y, z = dyn.Reference(model, infer_shapes=infer).run({"x": x, "s": s})
        assert y.shape == (3,) and z.shape == (1, 2)
    found = dyn.shapes(model).outputs
    assert found["y"].dims[0] not in (*dyn.shapes(model).inputs["x"].dims, *found["z"].dims)


@pytest.mark.parametrize("first", ["x", "z"])
def test_optionals_of_branches_have_the_dims_of_both(first):
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]> g (float[N, 3] x, float[M, 3] z, bool c) => (float[A, B] y) {{
        o = If(c)<then_branch=t()=>(optional(float[]) a) {{ a = Optional({first}) }},
                  else_branch=e()=>(optional(float[]) b) {{ b = Optional(x) }}> y = OptionalGetElement(o) }}""")
    dims = {"x": ("N", "3"), "z": ("?", "3")}[first]
    assert dyn.shapes(model).values["o"].dims == dims
    runner = dyn.Reference(model, infer_shapes=True)
    for c in (True, False):
        (y,) = runner.run({"x": np.zeros((2, 3), np.float32), "z": np.zeros((5, 3), np.float32), "c": np.array(c)})
        assert y.shape == (5 if c and first == "z" else 2, 3)
    (o,) = [value for value in dyn.infer_shapes(model).graph.value_info if value.name == "o"]
    assert o.type.optional_type.elem_type.tensor_type.shape.dim[1].dim_value == 3


@pytest.mark.filterwarnings("ignore:.*custom.Unknown")
@pytest.mark.parametrize("kind, body, dims", [
    ("seq(float[M, 3])", "y = SequenceAt(s, i)", ("u0", "u1")),
    ("seq(float[M, 3])", "l = SequenceLength(s) k = Cast<to=1>(l) y = Mul(x, k)", ("N", "2")),
    ("optional(float[M, 3])", "h = OptionalHasElement(s) y = If(h)<then_branch=t()=>(float[A, B] a) { a = Neg(x) }, "
     "else_branch=e()=>(float[D, E] b) { b = Exp(x) }>", ("N", "2")),
])
def test_what_operators_that_nobody_knows_give_may_be_no_tensors(kind, body, dims):
    declared = onnx.parser.parse_graph(f"g ({kind} s) => (float y) {{ y = Neg(s) }}").input
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18, "custom" : 1]>
        g (float[N, 2] x) => (float[A, B] y) {{ i = Constant<value = int64 {{0}}>() s = custom.Unknown(x) {body} }}""")
    model.graph.value_info.extend(declared)
    assert dyn.shapes(model).outputs["y"].dims == dims


ALONE = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N] x, seq(float[M, K]) s) => (float[P, Q] y) { i = Constant<value = int64 {0}>() y = SequenceAt(s, i) }"""


def test_dims_that_sequences_alone_declare_can_be_given():
    model = onnx.parser.parse_model(ALONE)
    runners = [dyn.Reference(model, dims={"M": 2}), dyn.Reference(model).bind({"M": 2, "N": 3})]
    for runner in runners:
        inputs = {"x": np.zeros(3, np.float32), "s": [np.zeros((2, 5), np.float32)]}
        assert runner.run(inputs)[0].shape == (2, 5)
        inputs["s"].append(np.zeros((4, 5), np.float32))
        with pytest.raises(dyn.ShapeError, match="^tensor 1 of input 's' dim 0 is 4, must be 2"):
            runner.run(inputs)
    with pytest.raises(dyn.CompileError, match="dim 'M' is one of the tensors in input 's' alone: it can be given a size"):
        dyn.Reference(model, dims={"M": dyn.Dim(1, 4)})
    with pytest.raises(dyn.ModelError, match=r"'R' is neither .* nor a symbol \(N, P, Q, K, M\) of the model$"):
        dyn.Reference(model).bind({"R": 2})


@pytest.mark.parametrize("tool", [dyn.shapes, dyn.infer_shapes, dyn.check_dims, dyn.draw])
def test_dims_that_sequences_alone_declare_can_be_given_to_all_tools(tool):
    """These have no argument for a sequence."""
    model = onnx.parser.parse_model(ALONE)
    tool(model, dims={"M": 2, "N": 3})
    with pytest.raises(dyn.CompileError, match="dim 'M' is one of the tensors in input 's' alone: it can be given a size"):
        tool(model, dims={"M": dyn.Dim(1, 4)})
    with pytest.raises(dyn.CompileError, match="no input has a dim named 'R'; there are: N, [KM], [KM]$"):
        tool(model, dims={"R": 2})


def test_a_size_of_tensors_in_a_sequence_is_that_of_an_output_that_names_it():
    model = onnx.parser.parse_model(ALONE.replace("[P, Q]", "[M, Q]"))
    assert dyn.infer_shapes(model, dims={"M": 2}).graph.output[0].type.tensor_type.shape.dim[0].dim_value == 2


@pytest.mark.parametrize("split, at, dim", [
    ("int64 {3}", 0, "min(N, 3)"), ("int64 {3}", 2, "min(N, 9) - 6"), ("int64 {3}", -1, "(N + 2) mod 3 + 1"),
    ("int64 {3}", -2, "3"), ("int64[2] {3, 4}", 1, "4"), ("int64[2] {3, 4}", -2, "3")])
def test_a_part_at_a_known_position_has_a_known_size(split, at, dim):
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (float[M] y) {{
        k = Constant<value = {split}>() s = SplitToSequence<axis = 0>(x, k)
        i = Constant<value = int64 {{{at}}}>() y = SequenceAt(s, i) }}""")
    assert list(map(str, dyn.shapes(model).values["y"].dims)) == [dim]
    runner = dyn.Reference(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size in range(1, 12) if split.startswith("int64 ") else (7,):
        inputs = {"x": np.arange(size, dtype=np.float32)}
        try:
            (expected,) = session.run(None, inputs)
        except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument:
            with pytest.raises(dyn.Error, match="position"):
                runner.run(inputs)
            continue
        assert runner.run(inputs)[0].tolist() == expected.tolist()


@pytest.mark.parametrize("at, dim", [(0, "min(N, k0)"), (1, "min(N, 2 * k0) - k0"), (-1, "(N - 1) mod k0 + 1"), (-2, "k0")])
def test_parts_of_a_length_that_is_an_input(at, dim):
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]> g (float[N] x, int64 k) => (float[M] y) {{
        s = SplitToSequence<axis = 0>(x, k) i = Constant<value = int64 {{{at}}}>() y = SequenceAt(s, i) }}""")
    shapes = dyn.shapes(model)
    assert shapes.values["y"].dims == (dim,)
    assert [guard.because for guard in shapes.guards] == ["SequenceAt: length of the parts", "SequenceAt: position in the parts"]
    runner = dyn.Reference(model, infer_shapes=True)
    for size, length in itertools.product(range(1, 9), range(1, 5)):
        parts = [list(range(start, min(start + length, size))) for start in range(0, size, length)]
        inputs = {"x": np.arange(size, dtype=np.float32), "k": np.int64(length)}
        if -len(parts) <= at < len(parts):
            assert runner.run(inputs)[0].tolist() == parts[at]
            assert dyn.prove(f"{dim} == {len(parts[at])}", given=f"N == {size}; k0 == {length}").answer == "yes"
        else:
            with pytest.raises(dyn.Error, match="position"):
                runner.run(inputs)


def test_a_part_at_any_position_has_limits():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[N] x, int64 i) => (float[M] y) {
        k = Constant<value = int64 {3}>() s = SplitToSequence<axis = 0>(x, k) y = SequenceAt(s, i) }""")
    shapes = dyn.shapes(model)
    (dim,) = shapes.values["y"].dims
    assert (shapes.symbols[dim].facts, shapes.symbols[dim].origin) == ("[1, 3]", "data, at most min(N, 3)")

"""Errors of the Python package: one clear text each, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import onnx
import pytest
from onnx import helper

import dyn
import small_models as models


@pytest.fixture(scope="module")
def positions():
    return dyn.compile(models.positions())


def test_a_limit_of_the_model_is_a_guard(positions):
    assert positions.guards == ("seq <= 16  (rows of `table`, /emb/Slice)",)
    assert positions.run({"x": np.zeros((2, 16, 4), np.float32)})[0].shape == (2, 16, 4)
    with pytest.raises(dyn.ShapeError, match=r"`seq` must be <= 16: rows of `table`, node /emb/Slice; got seq = 17 \(dim 1 of input 'x'\)"):
        positions.run({"x": np.zeros((2, 17, 4), np.float32)})


def test_relations_are_explained(positions):
    assert positions.explain("seq <= 20") and not positions.explain("seq <= 10")
    assert positions.explain("seq <= 10").answer == "unknown"
    assert "seq <= 16: rows of `table`, /emb/Slice" in positions.explain("seq <= 20").reasons
    with pytest.raises(dyn.PredicateError, match="no symbol 'length'; its symbols are batch, seq"):
        positions.explain("length <= 20")
    with pytest.raises(dyn.PredicateError, match="'seq <=': expected an expression"):
        positions.explain("seq <=")
    with pytest.raises(dyn.PredicateError, match="at column"):
        dyn.prove("S ==")
    with pytest.raises(dyn.PredicateError, match="'S == 4' contradicts what is known: .*\n  S == 3: given"):
        dyn.prove("S == S", given="S == 3; S == 4")
    assert issubclass(dyn.PredicateError, ValueError)


def test_names_that_only_outputs_have_are_explained():
    exe = dyn.compile(models.append())
    assert exe.aliases == ("total == past_seq + seq",)
    verdict = exe.explain("total == past_seq + seq")
    assert verdict and "total == past_seq + seq: dim 1 of output 'present', append" in verdict.reasons
    assert exe.explain("total >= seq")
    assert exe.explain("total == seq").answer == "unknown"


def test_indices_in_data():
    exe = dyn.compile(models.lookup())
    assert exe.run({"ids": np.array([9, -10])})[0].shape == (2, 3)
    with pytest.raises(dyn.ShapeError, match=r"index 10 of input 'ids' \(element \[1\]\) is out of bounds: must be less than 10, node /emb/Gather"):
        exe.run({"ids": np.array([0, 10])})
    with pytest.raises(dyn.ShapeError, match=r"index -11 of input 'ids' \(element \[0\]\) is out of bounds: must be at least -10, node /emb/Gather"):
        exe.run({"ids": np.array([-11])})


@pytest.mark.parametrize(
    "inputs, error, text",
    [
        ({}, dyn.ModelError, "input 'x' is missing"),
        ([], TypeError, "inputs must be a mapping"),
        ({"y": 1}, dyn.ModelError, "no input 'y'; its inputs are x"),
        ({"x": np.zeros((1, 1, 4))}, dyn.ModelError, "'x' has elements of type float64, must be float32"),
        ({"x": np.zeros((1, 4), np.float32)}, dyn.ShapeError, r"'x' has rank 2 .*must be 3: \[batch, seq, 4\]"),
        ({"x": np.zeros((1, 1, 5), np.float32)}, dyn.ShapeError, "'x'.*5"),
    ],
)
def test_wrong_inputs(positions, inputs, error, text):
    with pytest.raises(error, match=text):
        positions.run(inputs)


def test_the_reference_says_of_inputs_what_compiled_code_says():
    text = """<ir_version: 10, opset_import: ["": 21]>
    g (float[b, 2, 4] x, float[b, t, 4] z, float[b + 1] w) => (y, v) { y = Concat<axis=1>(x, z) v = Neg(w) }"""
    model = onnx.parser.parse_model(text.replace("b + 1", "c"))
    model.graph.input[2].type.tensor_type.shape.dim[0].dim_param = "b + 1"

    def make(x, z, w):
        return {"x": np.zeros(x, np.float32), "z": np.zeros(z, np.float32), "w": np.zeros(w, np.float32)}

    cases = [
        (make((2, 2, 4), (3, 5, 4), 3), "input 'z' dim 0 is 3, must be b = 2 (dim 0 of input 'x')"),
        (make((2, 2, 4), (2, 5, 5), 3), "input 'z' dim 2 is 5, must be 4"),
        (make((2, 2, 4), (2, 5, 4), 5), "input 'w' dim 0 is 5, must be b + 1 = 3; got b = 2 (dim 0 of input 'x')"),
    ]
    for runner in dyn.compile(model), dyn.Reference(model):
        for inputs, expected in cases:
            with pytest.raises(dyn.ShapeError) as refused:
                runner.run(inputs)
            assert str(refused.value) == expected
        with pytest.raises(TypeError, match="inputs must be a mapping of names to arrays, not list"):
            runner.run([np.zeros(2)])


def parse(text):
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 21]> {text}')


def refusals(model, inputs, **options):
    """What compiled code, the interpreter, and the interpreter of inferred shapes say."""
    texts = []
    for make in dyn.compile, dyn.Reference, lambda *given, **more: dyn.Reference(*given, **more, infer_shapes=True):
        with pytest.raises(dyn.ShapeError) as refused:
            make(model, **options).run(inputs)
        texts.append(str(refused.value))
    return texts


def zeros(**dims):
    return {name: np.zeros(each, np.float32) for name, each in dims.items()}


@pytest.mark.parametrize("body, inputs, expected", [
    ("float[n, 3] x, float[m, 3] w) => (y) { y = Add(x, w) }", zeros(x=(3, 3), w=(4, 3)),
     "'n == m or n == 1 or m == 1' must hold: Add, node y; got n = 3 (dim 0 of input 'x'), m = 4 (dim 0 of input 'w')"),
    ('float["2*h"] x, float[4] w) => (y) { y = Add(x, w) }', zeros(x=6, w=4),
     "`h` must be == 2: Add, node y; got h = 3 (dim 0 of input 'x', which is 2 * h)"),
    ("float[n, k] x) => (y) <float[1, 5] w = {1, 2, 3, 4, 5}> { y = Add(x, w) }", zeros(x=(2, 3)),
     "'k == 5 or k == 1' must hold: Add: dim 1 of `w`, node y; got k = 3 (dim 1 of input 'x')"),
    ("float[t, b, 1] x, float[2, 3, 1] w) => (y, v) <float[2, 4, 1] h = {1, 2, 3, 4, 5, 6, 7, 8}> "
     '{ v, y = GRU<hidden_size = 1, direction = "bidirectional">(x, w, w, "", "", h) }', zeros(x=(2, 3, 1), w=(2, 3, 1)),
     "`b` must be == 4: GRU: dim 1 of `h`, node v; got b = 3 (dim 1 of input 'x')"),
    ("float[t, b, 1] x, float[1, 3, 1] w) => (y, v) <float[1, 4, 1] h = {1, 2, 3, 4}> "
     '{ v, y = GRU<hidden_size = 1>(x, w, w, "", "", h) }', zeros(x=(2, 3, 1), w=(1, 3, 1)),
     "`b` must be == 4: GRU: dim 1 of `h`, node v; got b = 3 (dim 1 of input 'x')"),
    ("float[n, k] x, float[m, 3] w) => (y) { y = MatMul(x, w) }", zeros(x=(2, 3), w=(4, 3)),
     "'k == m' must hold: MatMul: contraction, node y; got k = 3 (dim 1 of input 'x'), m = 4 (dim 0 of input 'w')"),
    ("float[n, 4] x) => (y) { s = Constant<value_ints=[2, 2]>() y = Reshape(x, s) }", zeros(x=(3, 4)), None),
    ("float[n, k] x) => (y) { s = Constant<value_ints=[-1, 4]>() y = Reshape(x, s) }", zeros(x=(3, 3)), None),
    ("float[n, 3] x) => (y) { y = Relu(x) }", zeros(x=(3, 3, 1)),
     "input 'x' has rank 3 (dims [3, 3, 1]), must be 2: [n, 3]"),
])
def test_the_reference_says_of_guards_what_compiled_code_says(body, inputs, expected):
    told = refusals(parse("g (" + body), inputs)
    assert len(set(told)) == 1, told
    assert expected is None or told[0] == expected


@pytest.mark.parametrize("given, size", [
    (dyn.Dim(1, 8), 9), (dyn.Dim(2), 1), (4, 5), (dyn.Dim(1, divisor=4), 6),
])
def test_the_reference_says_of_declared_facts_what_compiled_code_says(given, size):
    told = refusals(parse("g (float[n, 3] x) => (y) { y = Relu(x) }"), zeros(x=(size, 3)), dims={"n": given})
    assert len(set(told)) == 1, told
    assert f"n = {size} (dim 0 of input 'x')" in told[0] or f"input 'x' dim 0 is {size}" in told[0]


def test_what_only_the_run_tells_names_node_and_operands():
    model = parse("""g (float[n, k] x, float[a] z) => (y) {
        i = NonZero(x) t = Transpose(i) f = Cast<to=1>(t) y = Concat<axis=1>(z2, f) }""".replace("y = Concat", """
        o = Constant<value_ints=[1]>() z2 = Unsqueeze(z, o) y = Concat"""))
    inputs = {"x": np.ones((2, 2), np.float32), "z": np.zeros(3, np.float32)}
    with pytest.raises(dyn.ShapeError) as refused:
        dyn.Reference(model).run(inputs)
    assert str(refused.value) == ("node 'y': operand 1 (of node 'f') with the dims [4, 2] does not fit operand 0 (of node 'z2') "
                                  "with the dims [3, 1] outside axis 1")
    dyn.Reference(model).run(inputs | {"z": np.zeros(4, np.float32)})


def test_models_are_refused_alike_by_all():
    none = parse("g (float[n, 3] x) => (y) { y = Relu(x) }")
    none.graph.output.add().name = "z"
    for take in dyn.shapes, dyn.infer_shapes, dyn.compile, dyn.Reference:
        with pytest.raises(dyn.ModelError, match="'z'"):
            take(none)
    unknown = parse("g (float[n, 3] x) => (y) { y = Relu(x) }")
    unknown.graph.input[0].type.tensor_type.elem_type = 77
    for take in dyn.compile, dyn.Reference:
        with pytest.raises(dyn.ModelError, match="input 'x' has elements of type 77, which is not supported"):
            take(unknown)


def test_what_the_import_adds_to_branches_is_named_by_their_node():
    model = parse("""g (float[n, m] x, bool b) => (y) {
        s = If (b) <then_branch = t () => (A) { A = SequenceConstruct(x, x) },
                    else_branch = e () => (B) { B = SplitToSequence<axis=0>(x) }>
        y = ConcatFromSequence<axis=0>(s) }""")
    with pytest.raises(dyn.CompileError, match="node 's' .dyn.sequence_make.: only a run tells"):
        dyn.compile(model)


def test_declared_facts_are_checked():
    exe = dyn.compile(models.dense(), dims={"batch": dyn.Dim(1, 64, divisor=2)})
    for batch in (0, 3, 66):
        with pytest.raises(dyn.ShapeError, match="batch"):
            exe.run({"x": np.zeros((batch, 8), np.float32)})
    assert exe.run({"x": np.zeros((64, 8), np.float32)})[0].shape == (64, 4)


def test_a_fixed_dim_is_static():
    assert dyn.compile(models.dense(), dims={"batch": 3}).inputs[0].dims == ("3", "8")


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(dyn.ModelError, match="no such file"):
        dyn.compile(tmp_path / "missing.onnx")
    for nothing in (b"no model at all", b""):
        with pytest.raises(dyn.ModelError, match="^model.onnx: is not an ONNX model") as refused:
            dyn.compile(nothing)
        assert refused.type is dyn.CompileError
    with pytest.raises(TypeError, match="a model is a path, bytes, or an onnx.ModelProto, not NoneType"):
        dyn.compile(None)
    with pytest.raises(dyn.ModelError):
        dyn.load(tmp_path / "missing.so")
    (tmp_path / "text.so").write_text("no artefact")
    with pytest.raises(dyn.ModelError, match="text.so': it is not a shared object"):
        dyn.load(tmp_path / "text.so")
    with pytest.raises(dyn.ModelError, match="dyn.load"):
        dyn.compile(tmp_path / "text.so")
    # Nobody writes to it, so that whoever opened it to read would wait for ever.
    os.mkfifo(tmp_path / "pipe.so")
    with pytest.raises(dyn.ModelError, match="it is not a regular file"):
        dyn.load(tmp_path / "pipe.so")
    with pytest.raises(ValueError, match="null byte"):
        dyn.load(f"{tmp_path}/text.so\0")


@pytest.mark.parametrize(
    "options, error, text",
    [
        ({"dims": 5}, TypeError, "dims must be a mapping of names to dyn.Dim or integers, not int"),
        ({"dims": ["batch"]}, TypeError, "dims must be a mapping"),
        ({"input_dims": "x"}, TypeError, "input_dims must be a mapping of inputs to texts, not str"),
        ({"input_dims": {"x": ["B", 8]}}, TypeError, r"input_dims\['x'\] must be a text such as '\[N, 3\]'"),
        ({"input_dims": {"x": "B, 8"}}, dyn.CompileError, r"dims of input 'x': expected \[DIM, ...\] instead of 'B, 8'"),
        ({"input_dims": {"x": "[1/0, 8]"}}, dyn.CompileError, "dim 0, '1/0': division by zero at column 3"),
        ({"target_cpu": None}, TypeError, "target_cpu must be a name, not None"),
    ],
)
def test_options_that_make_no_sense(options, error, text):
    with pytest.raises(error, match=text):
        dyn.compile(models.dense(), **options)


def test_texts_that_are_none(positions):
    for ask in [lambda: positions.explain(None), lambda: dyn.prove(5), lambda: dyn.prove("a == a", given=None)]:
        with pytest.raises(TypeError, match="must be a text"):
            ask()
    with pytest.raises(dyn.CompileError) as refused:
        dyn.compile("\n")
    assert str(refused.value) == "model.mlir: there is no public function with a body, so there is nothing to run"


def test_places_that_can_not_be_written(positions, tmp_path):
    for path in [tmp_path / "no" / "such.so", "/proc/dyn-model.so"]:
        with pytest.raises(OSError) as refused:
            positions.save(path)
        assert refused.value.filename == str(path)
    with pytest.raises(OSError, match="No space left"):
        positions.save("/dev/full")
    positions.save(tmp_path / "model.so")
    assert dyn.load(os.fsencode(tmp_path / "model.so")).inputs == positions.inputs


def test_damaged_artefacts(tmp_path):
    exe, path = dyn.compile(models.dense(rows=256, columns=64)), tmp_path / "model.so"
    exe.save(path)
    whole = path.read_bytes()
    for part in range(1, 16):
        path.write_bytes(whole[: len(whole) * part // 16])
        with pytest.raises(dyn.ModelError, match="its end is missing"):
            dyn.load(path)
    # Holes of interrupted copies, but for those among the weights, of which there are 64 KiB. The last one may reach the
    # seal at the end.
    for start in range(0, len(whole) - 4096, 4096):
        path.write_bytes(whole[:start] + bytes(4096) + whole[start + 4096 :])
        if not 0 < start <= 1 << 16:
            end = "|its end is missing" if start + 2 * 4096 > len(whole) else ""
            with pytest.raises(dyn.ModelError, match="it is damaged|it is not a shared object" + end):
                dyn.load(path)


def test_numbers_of_threads(tmp_path):
    exe = dyn.compile(models.dense(), threads=3)
    exe.save(tmp_path / "model.so")
    for threads in [-1, 1025, 100_000]:
        with pytest.raises(ValueError, match=f"threads is {threads}: must be 0 .* or at most 1024"):
            dyn.load(tmp_path / "model.so", threads=threads)
        # Before the model is looked at.
        with pytest.raises(ValueError, match=f"threads is {threads}: must be 0 .* or at most 1024"):
            dyn.compile("missing.onnx", threads=threads)
    with pytest.raises(TypeError, match="threads must be a number, not '2'"):
        dyn.compile("missing.onnx", threads="2")


def test_errors_in_modules_have_a_line_and_a_column():
    text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %y : tensor<2xf32>\n}\n"
    with pytest.raises(dyn.CompileError, match="^model.mlir:2:10: use of undeclared SSA value name"):
        dyn.compile(text)
    with pytest.raises(ValueError, match="a module declares its own"):
        dyn.compile(text, dims={"n": 3})


@pytest.mark.parametrize(
    "dim, error, text",
    [
        (dyn.Dim(1, 3, likely=[4]), dyn.CompileError, "dim 'batch': the likely size 4 is not one of the sizes allowed"),
        (-3, dyn.CompileError, "dim 'batch': a dim is never below 0"),
        (dyn.Dim("1", 4), TypeError, "must be a dyn.Dim of integers"),
        (3.5, TypeError, "must be a dyn.Dim of integers or an integer, not 3.5"),
        ("1..4", TypeError, "must be a dyn.Dim"),
    ],
)
def test_facts_that_can_not_be(dim, error, text):
    with pytest.raises(error, match=text):
        dyn.compile(models.dense(), dims={"batch": dim})


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"lower": 5, "upper": 3}, "dyn.Dim: the range 5..3 is empty"),
        ({"lower": -1}, "a size is never below 0, so -1 can't be its lower bound"),
        ({"divisor": 0}, "dyn.Dim: the divisor 0 is not positive"),
        ({"lower": 10, "upper": 15, "divisor": 8}, "dyn.Dim: no size of 10..15 is a multiple of 8"),
    ],
)
def test_facts_that_no_size_meets(arguments, text):
    with pytest.raises(ValueError, match=text):
        dyn.Dim(**arguments)


def test_facts_about_no_dim():
    with pytest.raises(dyn.CompileError, match="no input has a dim named 'bach'; there are: batch"):
        dyn.compile(models.dense(), dims={"bach": 3})
    # As tf2onnx writes dims that it knows nothing of.
    with pytest.raises(dyn.CompileError, match="named 'unk__7', which stands for a dim without a name; there are: batch"):
        dyn.compile(models.dense(), dims={"unk__7": 3})


def test_warnings_are_warnings():
    model = models.model(
        [models.helper.make_node("Relu", ["x"], ["y"])],
        [("x", models.FLOAT, ["n"])],
        [("y", models.FLOAT, ["n + 1"])],
    )
    with pytest.warns(UserWarning, match=r"dim 0 of output 'y' is declared as n \+ 1, but is n"):
        dyn.compile(model)


def test_contradictions_name_the_node():
    nodes = [models.helper.make_node("Add", ["x", "y"], ["z"], name="/sum")]
    model = models.model(
        nodes,
        [("x", models.FLOAT, ["n", 3]), ("y", models.FLOAT, ["n", 5])],
        [("z", models.FLOAT, ["n", "m"])],
    )
    with pytest.raises(dyn.CompileError, match="(?s)/sum.*3.*5"):
        dyn.compile(model)


def test_sizes_that_are_not_known(positions):
    with pytest.raises(dyn.ShapeError, match="missing: seq \\(dim 1 of input"):
        positions.output_dims({"batch": 1})
    with pytest.raises(dyn.ModelError, match="neither an input"):
        positions.output_dims({"length": 1})


def test_prove():
    assert dyn.prove("2*s == 2*t", given="s == t")
    assert dyn.prove("s == t").answer == "unknown"
    assert dyn.prove("s < 0").answer == "no"
    with pytest.raises(ValueError, match="column"):
        dyn.prove("s ==")


@pytest.mark.parametrize("question, given, message", [
    ("s == \0 1", "", r"'s == \\x00 1'.*found '\\x00' at column 6"),
    ("s == 1", "t == \0", r"'t == \\x00'.*column 6"),
    ("'\ud800' == s", "", r"a predicate has '\\ud800' at column 2"),
    ("s == 1", "t == \ud800", r"given has '\\ud800' at column 6"),
    ("s\x1b[0m == 1", "", r"found '\\x1b'"),
    ("1e3*s == t", "", "'1e3' is not read"),
    ("b mod 0 == b", "", "division by zero at column 7"),
])
def test_what_is_wrong_with_a_question_is_shown_as_a_whole(question, given, message):
    with pytest.raises(dyn.PredicateError, match=message):
        dyn.prove(question, given=given)


def test_a_question_is_about_the_points_at_which_it_has_a_value():
    assert dyn.prove("exactdiv(s, 2)*2 == s").reasons == ("s mod 2 == 0: promised",)
    assert dyn.prove("0*(s floordiv t) == 0").answer == "unknown"
    assert dyn.prove("exactdiv(s, 2) == 3", given="s == 7").answer == "unknown"
    assert dyn.prove("s == 6", given="exactdiv(s, 2) == 3")


def test_facts_of_a_question_may_be_declarations():
    assert dyn.prove("s < 0").answer == "no"
    assert dyn.prove("s < 0", given="s: int").answer == "unknown"
    assert dyn.prove("s <= t + 1", given="s <= 9; s: [1, 512] mod 8, t: [7, ?]")
    assert dyn.prove('"a;b" == 3', given='"a;b": [3, 3]')
    with pytest.raises(dyn.PredicateError, match="s: .1, 2'.*column"):
        dyn.prove("s == 1", given="s: [1, 2")
    with pytest.raises(dyn.PredicateError, match="contradicts"):
        dyn.prove("s == 1", given="s: [9, 15] mod 8")
    with pytest.raises(dyn.PredicateError, match="empty"):
        dyn.prove("s == 1", given="s: [2, 1]")


@pytest.mark.parametrize("what", ["dyn.compile(model)", "dyn.Reference(model)"])
def test_a_signal_leaves_no_files(what, tmp_path):
    # The model is large enough that its weights lie in a file, and that it is not read in no time.
    model = models.dense(rows=4096, columns=4096).SerializeToString()
    (tmp_path / "model").write_bytes(model)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    code = f"import sys, dyn; model = open(sys.argv[1], 'rb').read(); print('go', flush=True)\nwhile True: {what}"
    process = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path / "model"],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    with process:
        assert process.stdout.readline() == b"go\n"
        deadline = time.monotonic() + 60
        while not list(temporary.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.001)
        # Some files exist for microseconds before the handler of signals knows them.
        time.sleep(0.01)
        process.terminate()
        assert process.wait(60) == -signal.SIGTERM
    assert list(temporary.iterdir()) == []


def test_what_verifiers_find_is_a_line():
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"], name="/mm")], "g",
                              [helper.make_tensor_value_info("x", 1, ["n", 9])],
                              [helper.make_tensor_value_info("y", 1, ["n", 4])],
                              [onnx.numpy_helper.from_array(np.zeros((8, 4), np.float32), "w")])
    with pytest.raises(dyn.CompileError) as refused:
        dyn.compile(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))
    assert "/mm" in str(refused.value) and "see current operation" not in str(refused.value)


def test_a_dim_that_is_no_size_says_so():
    """N divides; its value comes from another dim."""
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    exe = dyn.compile(models.model([node], [("x", models.FLOAT, ["N", "M", "M//N"])], [("y", models.FLOAT, ["N", "M", "K"])]))
    assert exe.run({"x": np.ones((2, 7, 3), np.float32)})[0].shape == (2, 7, 3)
    with pytest.raises(dyn.ShapeError, match="input 'x' dim 2 must be M floordiv N, which does not fit in 64 bits or "
                                             "divides by zero; got .*N = 0"):
        exe.run({"x": np.ones((0, 4, 4), np.float32)})


def test_more_dims_than_arrays_have_are_an_error():
    body = "".join(f"y{i} = Unsqueeze({f'y{i - 1}' if i else 'x'}, z) " for i in range(70))
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["": 17]> g (float[1] x) => (float y69) {{ z = Constant<value_ints=[0]>() {body} }}')
    model.graph.output[0].ClearField("type")
    for entry in dyn.Reference, dyn.compile:
        with warnings.catch_warnings(action="ignore"), pytest.raises(dyn.ModelError, match="rank 71; numpy's arrays have 64 dims"):
            entry(model).run({"x": np.zeros(1, np.float32)})


def test_elements_that_only_the_interpreter_knows_are_told_with_the_input():
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph([onnx.helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.FLOAT)], "g",
                                   [info("x", onnx.TensorProto.INT4, ["n"])], [info("y", onnx.TensorProto.FLOAT, ["n"])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
    with pytest.raises(dyn.CompileError, match="input 'x' has elements of type 'i4'; such models are interpreted"):
        dyn.compile(model)

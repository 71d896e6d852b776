"""Tensors of strings: what moves them, and whether they are equal, is interpreted; nothing of it is compiled."""

import numpy as np
import onnx
import onnx.helper as oh
import pytest
from onnx import TensorProto

from models import build, dims_of, run_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

X = "string[N, C] x"
INDICES = "k = Constant<value_ints = [2, 0, 0]>() "
# (opset, inputs, outputs, body), as in operator_cases.
CASES = {
    "Identity": (18, X, "y", "y = Identity(x)"),
    "Reshape": (18, X, "y", "k = Constant<value_ints = [-1, 2]>() y = Reshape(x, k)"),
    "Flatten": (18, X, "y", "y = Flatten<axis = 0>(x)"),
    "Squeeze": (18, "string[1, C] x", "y", "k = Constant<value_ints = [0]>() y = Squeeze(x, k)"),
    "Unsqueeze": (18, X, "y", "k = Constant<value_ints = [-1]>() y = Unsqueeze(x, k)"),
    "Concat": (18, X, "y", "y = Concat<axis = 0>(x, x)"),
    "Split": (18, X, "y, z", "y, z = Split<axis = 0, num_outputs = 2>(x)"),
    "Slice": (18, X, "y", "a = Constant<value_ints = [-1]>() b = Constant<value_ints = [-9]>() k = Constant<value_ints = [1]>() "
              "y = Slice(x, a, b, k, a)"),
    "Gather": (18, X, "y", INDICES + "y = Gather<axis = 1>(x, k)"),
    "GatherElements": (18, "string[N, C] x, int64[N, 1] i", "y", "y = GatherElements<axis = 1>(x, i)"),
    "GatherND": (18, "string[N, C] x, int64[2, 2] i", "y", "y = GatherND(x, i)"),
    "ScatterND": (18, "string[N, C] x, int64[1, 2] i", "y", "u = Constant<value_strings = [\"new\"]>() y = ScatterND(x, i, u)"),
    "Transpose": (18, X, "y", "y = Transpose(x)"),
    "Expand": (18, "string[N, 1] x", "y", "k = Constant<value_ints = [2, 1, 3]>() y = Expand(x, k)"),
    "Tile": (18, X, "y", "k = Constant<value_ints = [2, 1]>() y = Tile(x, k)"),
    "Where": (18, "bool[N, 1] b, string[N, C] x", "y", "c = Constant<value_strings = [\"none\"]>() y = Where(b, x, c)"),
    "Equal": (19, X, "y", "c = Constant<value_strings = [\"b\"]>() y = Equal(x, c)"),
    "Equal-scalar": (19, X, "y", "c = Constant<value_string = \"\">() y = Equal(x, c)"),
    "Compress": (18, "string[N, C] x, bool[C] b", "y", "y = Compress<axis = 1>(x, b)"),
    "DepthToSpace-like": (18, X, "y", "a = Constant<value_ints = [0, -1, 1]>() b = Reshape(x, a) y = Transpose<perm = [2, 0, 1]>(b)"),
    "OneHot": (18, "int64[N] i", "y", "d = Constant<value_ints = [3]>() v = Constant<value_strings = [\"off\", \"on\"]>() y = OneHot(i, d, v)"),
    "ScatterElements": (18, X, "y", "i = Constant<value = int64[1, 2] {1, 0}>() u = Constant<value = string[1, 2] {\"p\", \"q\"}>() "
                        "y = ScatterElements(x, i, u)"),
    "ReverseSequence": (18, "string[C, 2] x", "y", "l = Constant<value_ints = [2, 1]>() y = ReverseSequence<batch_axis = 1, time_axis = 0>(x, l)"),
    "Loop": (18, "string[N] x", "y", "n = Constant<value = int64 {3}>() t = Constant<value = bool {1}>() "
             "y = Loop(n, t, x) <body = b (int64 i, bool c, string[K] a) => (bool d, string[M] e) { d = Identity(c) e = Concat<axis = 0>(a, a) }>"),
    "Scan": (18, X, "y", "y = Scan<num_scan_inputs = 1, body = b (string[C] p) => (string[C] q) { q = Identity(p) }>(x)"),
    "Sequence": (18, X, "y", "s = SplitToSequence<axis = 1>(x) y = ConcatFromSequence<axis = 0>(s)"),
    "StringConcat": (20, "string[N, C] x, string[C] z", "y", "y = StringConcat(x, z)"),
    "StringSplit": (20, X, "y, n", "s = Constant<value_string = \", ,a,,\">() a = StringConcat(x, s) "
                    "y, n = StringSplit<delimiter = \",\", maxsplit = 3>(a)"),
    "Unique": (18, X, "y, i, v, c", "y, i, v, c = Unique(x)"),
    "Unique-unsorted": (18, X, "y, i, v, c", "y, i, v, c = Unique<sorted = 0>(x)"),
    "Unique-axis": (18, "string[N, 2] x", "y, i, v, c", "e = Concat<axis = 0>(x, x) y, i, v, c = Unique<axis = 0>(e)"),
    "Shape": (18, X, "y, z", "y = Shape(x) z = Size(x)"),
}
TEXTS = ["a", "b", "", "grüß", "b", "a\0b", "日本"]


def make_inputs(model, sizes):
    inputs = {}
    for value in model.graph.input:
        kind = value.type.tensor_type
        dims = dims_of(value, sizes)
        numbers = np.arange(int(np.prod(dims))).reshape(dims)
        if kind.elem_type == TensorProto.STRING:
            inputs[value.name] = np.array([TEXTS[i % len(TEXTS)] for i in numbers.ravel()], object).reshape(dims)
        else:
            inputs[value.name] = (numbers % 2).astype(oh.tensor_dtype_to_np_dtype(kind.elem_type))
    return inputs


@pytest.mark.parametrize("infer_shapes", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_strings_are_moved_as_by_onnxruntime(name, infer_shapes):
    model = build(CASES[name])
    runner = dyn.Reference(model, infer_shapes=infer_shapes)
    for sizes in {"N": 2, "C": 3}, {"N": 4, "C": 4}:
        inputs = make_inputs(model, sizes)
        if any("\0" in text for array in inputs.values() if array.dtype == object for text in array.ravel()):
            # onnxruntime ends strings there, on their way in.
            expected = None
        else:
            expected = run_onnxruntime(model, inputs)
        got = runner.run(inputs)
        for ours, theirs in zip(got, expected or got, strict=True):
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
            np.testing.assert_array_equal(ours, theirs)


def test_strings_come_back_byte_for_byte():
    runner = dyn.Reference(build(CASES["Identity"]))
    given = np.array([["a\0b", "", "\udcff"]], object)
    np.testing.assert_array_equal(runner.run({"x": given})[0], given)
    # As lists, as numpy's own strings, as bytes.
    for other in ([["p", "qr"]], np.array([["p", "qr"]]), np.array([[b"p", b"qr"]])):
        assert runner.run({"x": other})[0].tolist() == [["p", "qr"]]
    assert runner.run({"x": np.zeros((0, 3), object)})[0].shape == (0, 3)


@pytest.mark.parametrize("body, expected", [
    ("p = Constant<value_ints = [1, 0, 0, 1]>() y = Pad(x, p)", [["", "", ""], ["a", "b", ""], ["c", "d", ""]]),
    ("p = Constant<value_ints = [0, 1, 0, 0]>() v = Constant<value_string = \"#\">() y = Pad(x, p, v)", [["#", "a", "b"], ["#", "c", "d"]]),
    ("y = Trilu(x)", [["a", "b"], ["", "d"]]),
])
def test_what_onnxruntime_lacks(body, expected):
    """Nothing is the empty string."""
    (y,) = dyn.Reference(build((21, X, "y", body)), infer_shapes=True).run({"x": [["a", "b"], ["c", "d"]]})
    assert y.tolist() == expected


@pytest.mark.parametrize("attributes, expected", [
    ("locale = \"de_DE\"", ["Mon", "", "mon", "ÜÄß", "Tue"]),
    ("case_change_action = \"UPPER\"", ["MON", "", "MON", "ÜÄß", "TUE"]),
    ("stopwords = [\"MON\", \"üäß\"], case_change_action = \"LOWER\"", ["", "tue"]),
    ("stopwords = [\"mon\", \"üäß\"], is_case_sensitive = 1", ["Mon", "", "ÜÄß", "Tue"]),
    ("stopwords = [\"mon\", \"tue\", \"\", \"üäß\"]", [""]),
])
def test_words_are_normalized(attributes, expected):
    """onnxruntime wants a locale that few machines have."""
    words = np.array(["Mon", "", "mon", "ÜÄß", "Tue"], object)
    for dims, given in ("N", words), ("1, N", words[None]):
        model = build((18, f"string[{dims}] x", "y", f"y = StringNormalizer<{attributes}>(x)"))
        (y,) = dyn.Reference(model, infer_shapes=True).run({"x": given})
        assert y.tolist() == (expected if given.ndim == 1 else [expected])


def match(pattern, texts, dims="N"):
    escaped = pattern.replace("\\", "\\\\")
    model = build((20, f"string[{dims}] x", "y", f"y = RegexFullMatch<pattern = \"{escaped}\">(x)"))
    (y,) = dyn.Reference(model, infer_shapes=True).run({"x": np.array(texts, object)})
    assert y.dtype == bool
    return y.tolist()


def test_expressions_match_whole_strings():
    """In RE2's syntax, which ONNX prescribes; onnxruntime uses the same library."""
    assert match(r"a+", ["a", "aaa", "ab", "ba", ""]) == [True, True, False, False, False]
    assert match(r"(\d{2,3}|x*)", ["12", "1234", "", "xx"]) == [True, False, True, True]
    assert match(r"\p{L}.", ["äß", "1a", "日本", "日"], dims="N") == [True, False, True, False]
    assert match(r".", [["a", "b\0"], ["ü", "\n"]], dims="N, 2") == [[True, False], [True, False]]
    assert match(r"x", np.zeros((0, 2), object), dims="N, 2") == []
    model = build((20, "string[N, 2] x", "y", "y = RegexFullMatch<pattern = \"[a-c]+\">(x)"))
    given = np.array([["abc", "d"], ["", "a"], ["ca", "A"]], object)
    np.testing.assert_array_equal(dyn.Reference(model).run({"x": given})[0], run_onnxruntime(model, {"x": given})[0])


def test_what_is_no_expression_is_refused():
    with pytest.raises(dyn.CompileError, match=r"/RegexFullMatch/y.*pattern.*'a\(b'.*no regular expression: missing \)"):
        match("a(b", ["a"])


def test_sizes_of_computed_strings():
    """At most as many words as there were, at least one; at most one part more than cuts."""
    def infer(inputs, body, outputs="y"):
        return str(dyn.shapes(build((20, inputs, outputs, body))))

    table = infer("string[N] x", "y = StringNormalizer<stopwords = [\"a\"]>(x)")
    assert "u0: [0, ?]  data, at most N\n" in table and "y  [max(u0, 1)] string\n" in table
    table = infer("string[N] x", "y, n = StringSplit<maxsplit = 2>(x)", "y, n")
    assert "u0: [0, 3]  data\n" in table and "y  [N, u0] string\n" in table and "n  [N] i64\n" in table
    table = infer("string[N] x, string[M] z", "y = StringConcat(x, z)")
    assert "N == M or N == 1 or M == 1  (StringConcat, " in table and "y  [bcast(M, N)] string" in table


def test_initializers_are_strings():
    table = oh.make_tensor("t", TensorProto.STRING, [3], ["zero", "one", "two"])
    graph = oh.make_graph([oh.make_node("Gather", ["t", "i"], ["y"])], "g",
                          [oh.make_tensor_value_info("i", TensorProto.INT64, ["n"])],
                          [oh.make_tensor_value_info("y", TensorProto.STRING, ["n"])], [table])
    model = oh.make_model(graph, opset_imports=[oh.make_opsetid("", 18)], ir_version=8)
    assert dyn.Reference(model, infer_shapes=True).run({"i": np.array([2, 0, 2])})[0].tolist() == ["two", "zero", "two"]
    table.string_data.pop()
    graph.initializer[0].CopyFrom(table)
    model.graph.CopyFrom(graph)
    with pytest.raises(dyn.CompileError, match="'t' has 2 strings, which is not what its dims say"):
        dyn.Reference(model)


def test_sequences_hold_strings():
    graph = oh.make_graph([oh.make_node("SequenceInsert", ["s", "x"], ["t"])], "g",
                          [oh.make_tensor_sequence_value_info("s", TensorProto.STRING, None),
                           oh.make_tensor_value_info("x", TensorProto.STRING, ["n"])],
                          [oh.make_tensor_sequence_value_info("t", TensorProto.STRING, None)])
    model = oh.make_model(graph, opset_imports=[oh.make_opsetid("", 18)], ir_version=8)
    (result,) = dyn.Reference(model).run({"s": [np.array(["a"], object)], "x": np.array(["b", "c"], object)})
    assert [each.tolist() for each in result] == [["a"], ["b", "c"]]


def test_branches_give_strings():
    model = build((18, "bool c, string[N] x", "y", "y = If(c) <then_branch = g () => (string[N] p) { p = Identity(x) }, "
                   "else_branch = h () => (string[2] q) { q = Constant<value_strings = [\"u\", \"v\"]>() }>"))
    runner = dyn.Reference(model)
    x = np.array(["a", "b", "c"], object)
    assert runner.run({"c": np.array(True), "x": x})[0].tolist() == ["a", "b", "c"]
    assert runner.run({"c": np.array(False), "x": x})[0].tolist() == ["u", "v"]


@pytest.mark.parametrize("body, message", [
    ("y = Cast<to = 17>(x)", "(Cast): a cast from string to float8e4m3fn is not supported"),
    ("n = Size(x) m = Cast<to = 22>(n) y = Cast<to = 8>(m)", "(Cast): a cast from int4 to string is not supported"),
    ("y = Add(x, x)", "operand 0, 'x', has elements of type string, which the operator does not take"),
])
def test_nothing_computes_with_strings(body, message):
    with pytest.raises(dyn.CompileError) as refused:
        dyn.Reference(build((21, "string[N] x", "y", body)))
    assert message in str(refused.value)


def test_empty_strings_are_what_is_zero():
    model = build((18, "string[N, 2] x", "y", "y = NonZero(x)"))
    given = np.array([["a", ""], ["", "0"], ["\0", ""]], object)
    for infer_shapes in False, True:
        places = dyn.Reference(model, infer_shapes=infer_shapes).run({"x": given})[0]
        np.testing.assert_array_equal(places, np.array(np.nonzero(given)))
        assert dyn.Reference(model).run({"x": given[:0]})[0].shape == (2, 0)


def test_inputs_must_be_strings():
    runner = dyn.Reference(build(CASES["Identity"]))
    with pytest.raises(dyn.ModelError, match="'x' has elements of type float64, must be strings"):
        runner.run({"x": np.zeros((1, 2))})
    with pytest.raises(dyn.ModelError, match="'x' has a NoneType at place 1, must be strings"):
        runner.run({"x": np.array([["a", None]], object)})
    with pytest.raises(dyn.ShapeError, match="'x' has rank 1"):
        runner.run({"x": ["a"]})
    with pytest.raises(dyn.ModelError, match="'z' has elements of type object"):
        dyn.Reference(build((18, "float[N] z", "y", "y = Abs(z)"))).run({"z": np.array(["a"], object)})


def test_compilation_refuses_strings_with_the_node(tool, here):
    onnx.save(build(CASES["Transpose"]), here / "input.onnx")
    process = tool("dyn-run", "--compile", here / "input.onnx", "-o", here / "input.so")
    assert process.returncode == 1 and not (here / "input.so").exists()
    assert "input 'x' has elements of type '!dyn.string', which no array has that a program takes or gives" in process.stderr
    assert "dyn.Reference" in process.stderr
    inside = (19, "int64[N] i", "y", "t = Constant<value_strings = [\"a\", \"b\", \"c\"]>() g = Gather(t, i) "
              "c = Constant<value_strings = [\"b\"]>() y = Equal(g, c)")
    onnx.save(build(inside), here / "inside.onnx")
    process = tool("dyn-run", "--compile", here / "inside.onnx", "-o", here / "inside.so")
    assert process.returncode == 1 and not (here / "inside.so").exists()
    assert "has elements of type '!dyn.string'; such models are interpreted (dyn-run --reference)" in process.stderr
    assert "/Gather/g" in process.stderr or "/Constant/" in process.stderr
    assert dyn.Reference(build(inside)).run({"i": np.array([1, 0])})[0].tolist() == [True, False]


def test_what_constants_decide_is_compiled():
    """Strings that are gone after folding are in nobody's way."""
    model = build((19, "float[N] x", "y", "a = Constant<value_strings = [\"p\", \"q\"]>() "
                   "b = Constant<value_string = \"q\">() e = Equal(a, b) k = Cast<to = 7>(e) "
                   "y = Gather(x, k)"))
    assert dyn.compile(model).run({"x": np.array([5, 7], np.float32)})[0].tolist() == [5, 7]


FLOATS = ["1.5", "-3", "1e-5", "1E8", "NaN", "nan", "INF", "-INF", "+inf", " 7 ", "3.14159265358979", ".5", "0", "-0.0"]
INTEGERS = ["0", "-1", "+7", "300", " 12 ", "9223372036854775807", "-9223372036854775808"]


@pytest.mark.parametrize("to, given", [
    *((to, FLOATS) for to in ("FLOAT", "DOUBLE", "FLOAT16")),
    *((to, INTEGERS) for to in ("INT64", "INT32", "INT16", "INT8", "UINT8", "UINT32", "BOOL")),
    ("UINT64", ["18446744073709551615", "0", "7"])])
def test_strings_are_read_as_numbers(to, given):
    model = build((19, "string[N] x", "y", f"y = Cast<to = {getattr(TensorProto, to)}>(x)"))
    x = np.array(given, object)
    (expected,), (got,) = run_onnxruntime(model, {"x": x}), dyn.Reference(model, infer_shapes=True).run({"x": x})
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)
    assert dyn.Reference(model).run({"x": x[:0]})[0].shape == (0,)


@pytest.mark.parametrize("to, given", [("FLOAT", "abc"), ("FLOAT", ""), ("FLOAT", "1.5x"), ("FLOAT", "--1"), ("INT64", "1.5"),
                                       ("INT32", "1e3"), ("INT64", "18446744073709551616"), ("BOOL", "true")])
def test_strings_that_are_no_numbers_end_the_run(to, given):
    """Of some onnxruntime takes what they begin with; ONNX leaves it open."""
    model = build((19, "string[N] x", "y", f"y = Cast<to = {getattr(TensorProto, to)}>(x)"))
    with pytest.raises(dyn.ShapeError, match=f"/Cast/y.*'{given}' is no number"):
        dyn.Reference(model).run({"x": np.array(["1", given], object)})


@pytest.mark.parametrize("kind, given", [
    *((kind, [1.5, -3, 1e-5, 1e8, 1e7, 0.1, 1 / 3, np.nan, np.inf, -np.inf, 0.0, -0.0, 123.456]) for kind in
      ("float32", "float64", "float16")),
    ("int8", [-128, 5]), ("uint8", [255]), ("int64", [-2**63, 2**63 - 1]), ("uint64", [2**64 - 1]), ("bool", [True, False])])
@pytest.mark.filterwarnings("ignore:overflow")
def test_numbers_are_written_as_by_onnxruntime(kind, given):
    text = {"float32": "float", "float64": "double"}.get(kind, kind)
    model = build((19, f"{text}[N] x, string[1] s", "y, z", "y = Cast<to = 8>(x) z = CastLike(x, s)"))
    inputs = {"x": np.array(given, kind), "s": np.array(["s"], object)}
    for expected, got in zip(run_onnxruntime(model, inputs), dyn.Reference(model, infer_shapes=True).run(inputs), strict=True):
        assert got.tolist() == expected.tolist()


def test_compilation_refuses_casts_of_what_is_no_constant(here):
    body = "c = Constant<value_strings = [\"1.5\", \"-2\"]>() f = Cast<to = 1>(c) y = Add(x, f)"
    executable = dyn.compile(build((18, "float[2] x", "y", body)), threads=1)
    assert executable.run({"x": np.ones(2, np.float32)})[0].tolist() == [2.5, -1]
    with pytest.raises(dyn.CompileError, match="'/Cast/[st]'"):
        dyn.compile(build((18, "float[N] x", "y", "s = Cast<to = 8>(x) t = Cast<to = 1>(s) y = Neg(t)")))

"""The interpreter behind `dyn.Reference`, and the backends for the package onnx."""

import concurrent.futures
import re
import subprocess
import sys

import numpy as np
import onnx
import pytest

import small_models
import text_models

dyn = pytest.importorskip("dyn", reason="the Python package is not built")


def test_runs_a_model():
    model = dyn.Reference(small_models.dense())
    x = np.ones((3, 8), np.float32)
    (y,) = model.run({"x": x})
    (expected,) = dyn.compile(small_models.dense()).run({"x": x})
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    assert [str(tensor) for tensor in model.inputs] == ["x: float32[batch, 8]"]


def test_reads_a_model_from_its_file(tmp_path):
    onnx.save(small_models.dense(), tmp_path / "model.onnx")
    (y,) = dyn.Reference(tmp_path / "model.onnx").run({"x": np.ones((3, 8), np.float32)})
    assert y.shape == (3, 4)


def test_infers_shapes_first():
    model = dyn.Reference(small_models.append(), infer_shapes=True)
    assert all("?" not in tensor.dims for tensor in model.outputs)


@pytest.mark.parametrize("options", [{}, {"infer_shapes": True}, {"declared": "strict"}], ids=str)
def test_a_size_from_data_is_found_where_only_the_size_is_read(options):
    """The ops that would find it are needed for nothing else."""
    model = text_models.build("float[n] x", "z = Constant<value_float = 0.0>() one = Constant<value_ints = [1]>() "
                              "found = Greater(x, z) places = NonZero(found) dims = Shape(places) "
                              "count = Gather(dims, one) y = ConstantOfShape(count)")
    for x, expected in [([1, 0, 2], 2), ([], 0), ([0], 0)]:
        (y,) = dyn.Reference(model, **options).run({"x": np.array(x, np.float32)})
        assert y.shape == (expected,)


@pytest.mark.parametrize("options", [{}, {"infer_shapes": True}], ids=str)
def test_a_dim_that_only_an_expression_tells_gives_the_symbol(options):
    model = dyn.Reference(text_models.build('float["2*n + 1", 1] x', "y = Neg(x)"), **options)
    for size in (1, 5, 17):
        (y,) = model.run({"x": np.ones((size, 1), np.float32)})
        assert y.shape == (size, 1)
    with pytest.raises(dyn.ShapeError, match=r"no value of symbol 'n' gives input 'x' the dims \[4, 1\]"):
        model.run({"x": np.ones((4, 1), np.float32)})


@pytest.mark.parametrize("dims, x, z", [
    ('float["ceildiv(n, 2)"] x, float["2*n + 1"] z', 1, 5),
    ('float["min(n, 8)"] x, float["2*n"] z', 8, 40),
    ('float["floordiv(n + 1, 2)"] x, float["2*n + 1"] z', 1, 5),
    ('float["n + floordiv(n, 4)"] x, float["2*n"] z', 5, 8),
], ids=str)
def test_a_dim_that_several_sizes_give_tells_none(dims, x, z):
    inputs = {"x": np.ones(x, np.float32), "z": np.ones(z, np.float32)}
    for options in {}, {"infer_shapes": True}:
        (y,) = dyn.Reference(text_models.build(dims, "y = Neg(z)"), **options).run(inputs)
        assert y.shape == (z,)


def test_refuses_unknown_missing_and_wrong_inputs():
    model = dyn.Reference(small_models.dense())
    assert repr(model) == "<dyn.Reference (x: float32[batch, 8]) -> (y: float32[?, 4])>"
    with pytest.raises(dyn.ModelError, match="no input 'z'; its inputs are x$"):
        model.run({"z": np.ones((3, 8), np.float32)})
    with pytest.raises(dyn.ModelError, match="'x' is missing"):
        model.run({})
    with pytest.raises(dyn.ModelError, match="float64"):
        model.run({"x": np.ones((3, 8))})
    with pytest.raises(dyn.ShapeError, match="x|argument"):
        model.run({"x": np.ones((3, 7), np.float32)})


def test_threads_share_a_model():
    """Each run has its own results, and its own error."""
    model = dyn.Reference(small_models.dense())
    (expected,) = model.run({"x": np.ones((3, 8), np.float32)})

    def run(number):
        np.testing.assert_array_equal(model.run({"x": np.full((3, 8), 1, np.float32)})[0], expected)
        with pytest.raises(dyn.ShapeError) as refused:
            model.run({"x": np.ones((3, 100 + number), np.float32)})
        return str(refused.value)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        errors = list(pool.map(run, range(100)))
    for number, error in enumerate(errors):
        assert [int(found) for found in re.findall(r"\b1\d\d\b", error)] == [100 + number], error


@pytest.mark.parametrize("backend", ["DynBackend", "ReferenceBackend"])
def test_backends(backend):
    onnx_backend = pytest.importorskip("dyn.onnx_backend")
    prepared = getattr(onnx_backend, backend).prepare(small_models.dense())
    outputs = prepared.run([np.ones((2, 8), np.float32)])
    assert outputs.y.shape == (2, 4) and outputs[0] is outputs.y
    with pytest.raises(ValueError, match="CUDA"):
        getattr(onnx_backend, backend).prepare(small_models.dense(), "CUDA")
    with pytest.raises(ValueError, match="2 inputs"):
        prepared.run([np.ones((2, 8), np.float32)] * 2)


@pytest.mark.parametrize("backend", ["DynBackend", "ReferenceBackend"])
def test_backends_run_nodes(backend):
    run_node = getattr(pytest.importorskip("dyn.onnx_backend"), backend).run_node
    make_node = onnx.helper.make_node
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    outputs = run_node(make_node("MatMul", ["x", "w"], ["y"]), [x, x.T])
    np.testing.assert_array_equal(outputs.y, x @ x.T)
    np.testing.assert_array_equal(run_node(make_node("Relu", ["x"], ["y"]), -x)[0], np.zeros_like(x))
    # Axes that must be known before the run, an input that is left out, one that stands twice, several outputs.
    axes = np.array([1], np.int64)
    np.testing.assert_array_equal(run_node(make_node("ReduceSum", ["x", "axes"], ["y"]), [x, axes]).y, [[3], [12]])
    clipped = run_node(make_node("Clip", ["x", "", "most"], ["y"]), [x, np.float32(3)])
    np.testing.assert_array_equal(clipped.y, np.minimum(x, 3))
    np.testing.assert_array_equal(run_node(make_node("Add", ["x", "x"], ["y"]), {"x": x}).y, x + x)
    values, indices = run_node(make_node("TopK", ["x", "k"], ["v", "i"]), [x, axes], opset_version=11)
    np.testing.assert_array_equal((values, indices), [[[2], [5]], [[2], [2]]])
    with pytest.raises(ValueError, match="1 inputs are given, the node has 2"):
        run_node(make_node("MatMul", ["x", "w"], ["y"]), [x])


def test_prints_what_holds_the_elements():
    sequence = onnx.helper.make_tensor_sequence_value_info("q", onnx.TensorProto.FLOAT, None)
    length = onnx.helper.make_tensor_value_info("n", onnx.TensorProto.INT64, [])
    graph = onnx.helper.make_graph([onnx.helper.make_node("SequenceLength", ["q"], ["n"])], "g", [sequence], [length])
    model = onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17)])
    assert repr(dyn.Reference(model)) == "<dyn.Reference (q: sequence of float32[...]) -> (n: int64[])>"


ENDLESS = """import signal, numpy, onnx.parser, dyn
model = onnx.parser.parse_model('''<ir_version: 8, opset_import: ["": 17]> g (float[n] x) => (float[n] y) {
  on = Constant<value = bool {1}>()
  y = Loop("", on, x) <body = b (int64 i, bool c, float[p] now) => (bool goes, float[p] next) {
    two = Constant<value = float {2.0}>() next = Mul(now, two) sum = ReduceMax<keepdims = 0>(next)
    goes = Less(sum, two) }> }''')
runner = dyn.Reference(model)
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    runner.run({"x": numpy.zeros(3, "f")})
except KeyboardInterrupt:
    print("interrupted", runner.run({"x": numpy.full(1, 3, "f")})[0])
"""


def test_a_signal_ends_a_run_that_data_never_end():
    done = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted [6.]\n", done.stderr


@pytest.mark.parametrize("batch, seq", [(0, 5), (2, 3), (2, 0), (0, 0)])
def test_what_a_wildcard_stands_for_in_an_empty_tensor_is_inferred(batch, seq):
    """Rows are flattened and unflattened: of no rows, the shape does not tell how many each batch has."""
    model = onnx.parser.parse_model('''<ir_version: 8, opset_import: ["": 17]> g (float[B, S, 4] x) => (float[B, S, 4] y)
        <int64[2] rows = {-1, 4}, int64[1] one = {1}, int64[1] zero = {0}> {
            flat = Reshape(x, rows)
            shape = Shape(x)
            batch = Slice(shape, zero, one)
            dims = Concat<axis = 0>(batch, rows)
            y = Reshape(flat, dims)
        }''').SerializeToString()
    x = np.ones((batch, seq, 4), np.float32)
    runners = dyn.Reference(model, infer_shapes=True), dyn.compile(model)
    for runner in runners:
        (y,) = runner.run({"x": x})
        assert y.shape == x.shape

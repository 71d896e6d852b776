"""Options of imports, which all that reads a model takes."""

import inspect
import warnings

import numpy as np
import onnx
import pytest

import dyn

MODEL = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
g (float[N, ?] x, float[N, ?] y) => (float[M, K] z) { z = Add(x, y) }""")
OTHER = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 4] x) => (float[N, 5] z) { z = Identity(x) }""")
ENTRIES = [dyn.compile, dyn.Reference, dyn.shapes, dyn.infer_shapes, dyn.check_dims]


@pytest.mark.parametrize("entry", ENTRIES)
def test_keywords_are_the_same(entry):
    options = {"dims", "input_dims", "input_values", "default_dim", "declared", "folder"}
    assert options <= set(inspect.signature(entry).parameters)


def test_default_dim_is_a_fact_about_dims_without_a_name():
    model = dyn.compile(MODEL, default_dim=dyn.Dim(1, 6, divisor=3))
    assert model.run({name: np.ones((2, 3), np.float32) for name in "xy"})[0].shape == (2, 3)
    reference = dyn.Reference(MODEL, default_dim=3, infer_shapes=True)
    assert reference.inputs[0].dims == ("N", "3")
    for runner in model, reference:
        with pytest.raises(dyn.ShapeError):
            runner.run({name: np.ones((2, 9), np.float32) for name in "xy"})
    assert dyn.shapes(MODEL, default_dim=3).outputs["z"].dims == ("N", "3")
    assert not dyn.check_dims(MODEL, default_dim=3).guards


@pytest.mark.parametrize("entry", [dyn.compile, dyn.shapes])
def test_declared_dims_count_for_what_is_asked(entry):
    with pytest.raises(dyn.CompileError, match="'z'"):
        entry(OTHER, declared="strict")
    entry(OTHER, declared="override")


def test_declared_dims_count_in_the_interpreter_without_being_asked_for_inference():
    with pytest.raises(dyn.CompileError, match="dim 1 of output 'z' is declared as 5, but is 4"):
        dyn.Reference(OTHER, declared="strict")
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[N] x) => (float[3] z) { z = Identity(x) }""")
    with pytest.raises(dyn.CompileError, match="dim 0 of output 'z' is declared as 3, but is N"):
        dyn.Reference(model, declared="strict")
    trusted = dyn.Reference(model, declared="trust")
    assert trusted.run({"x": np.ones(3, np.float32)})[0].shape == (3,)
    with pytest.raises(dyn.ShapeError, match="`N` must be == 3"):
        trusted.run({"x": np.ones(2, np.float32)})


@pytest.mark.parametrize("size", [True, False])
def test_truth_values_are_no_sizes(size):
    model = dyn.compile(OTHER, declared="override")
    for sizes in {"N": size}, {"x": [size, 4]}:
        with pytest.raises(TypeError, match=f"must be an integer, not {size}"):
            model.bind(sizes)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    "options, kind, message",
    [
        ({"declared": "loose"}, ValueError, "declared must be 'refine', 'strict', 'override' or 'trust'"),
        ({"declared": 3}, TypeError, "declared must be a text, not 3"),
        ({"default_dim": "many"}, TypeError, "default_dim must be a dyn.Dim of integers or an integer, not 'many'"),
        ({"default_dim": True}, TypeError, "default_dim must be a dyn.Dim of integers or an integer, not True"),
        ({"dims": {"N": True}}, TypeError, "dims.'N'. must be a dyn.Dim of integers or an integer, not True"),
        ({"dims": {"N": dyn.Dim(True, 3)}}, TypeError, "dims.'N'. must be a dyn.Dim of integers"),
        ({"input_dims": {"x": [True]}}, TypeError, "must be a text such as '.N, 3.', not .True."),
        ({"default_dim": -1}, dyn.CompileError, "dims without a name: a dim is never below 0"),
        ({"input_dims": {"x": "N, 3"}}, dyn.CompileError, r"dims of input 'x': expected \[DIM, ...\] instead of 'N, 3'"),
    ],
)
def test_what_is_wrong_with_options_is_told(entry, options, kind, message):
    with pytest.raises(kind, match=message):
        entry(MODEL, **options)


def test_a_declared_constant_that_refuses_other_sizes_is_told():
    """onnxmltools declares the labels of LightGBM's classifiers as [1]."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 15]> g (float[N, 4] x) => (int64[1] label) {
      label = ArgMax<axis = 1, keepdims = 0>(x) }""")
    with pytest.warns(UserWarning, match="dim 0 of output 'label' is declared as 1, but is N, so that runs at other sizes are refused"):
        refined = dyn.compile(model)
    with pytest.raises(dyn.ShapeError, match="`N` must be == 1.*declared=override ignores"):
        refined.run({"x": np.ones((3, 4), np.float32)})
    with warnings.catch_warnings(action="error"):
        overridden = dyn.compile(model, declared="override")
    assert overridden.run({"x": np.ones((3, 4), np.float32)})[0].shape == (3,)


def test_a_declared_dim_of_0_refuses_no_sizes():
    """onnx.compose writes 0 for dims that have names; onnxruntime warns, and runs."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 17]> g (float[N, 4] x) => (float[N, 4] z) { z = Neg(x) }""")
    model = onnx.compose.expand_out_dim(model, 0)
    assert [dim.dim_value for dim in model.graph.output[0].type.tensor_type.shape.dim] == [1, 0, 4]
    assert dyn.shapes(model).outputs["z"].dims == ("1", "N", "4") and not dyn.shapes(model).guards
    with pytest.warns(UserWarning, match="dim 1 of output 'z' is declared as 0, but is N; a declared 0 says nothing of other sizes"):
        compiled = dyn.compile(model)
    for runner in compiled, dyn.Reference(model), dyn.Reference(model, infer_shapes=True):
        for size in 0, 1, 2, 3:
            (got,) = runner.run({"x": np.ones((size, 4), np.float32)})
            np.testing.assert_array_equal(got, -np.ones((1, size, 4), np.float32))
    with pytest.raises(dyn.CompileError, match="dim 1 of output 'z' is declared as 0, but is N"):
        dyn.compile(model, declared="strict")
    with pytest.raises(dyn.ShapeError, match="`N` must be == 0"):
        dyn.compile(model, declared="trust").run({"x": np.ones((3, 4), np.float32)})

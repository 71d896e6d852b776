"""Sizes that no memory holds end a run of the interpreter with an error that names the node."""

import numpy as np
import onnx
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

TEXT = '<ir_version: 8, opset_import: ["" : 17]> g (float[N, 2] x, int64[K] s) => (y) {{ [huge] y = {body} }}'


@pytest.mark.parametrize("body, sizes, message", [
    ("Expand(x, s)", [2**62, 1, 1], "no memory"),
    ("Expand(x, s)", [2**40, 1, 1], "no memory"),
    ("Tile(x, s)", [2**61, 1], "no memory"),
    ("Tile(x, s)", [2**62, 4], "leaves 64 bits|no memory"),
    ("Tile(x, s)", [2**63 - 1, 1], "leaves 64 bits"),
    ("Pad(x, s)", [2**61, 0, 0, 0], "no memory"),
    ("Pad(x, s)", [2**63 - 1, 0, 0, 0], "leaves 64 bits"),
    ('Pad <mode = "edge"> (x, s)', [0, 0, 2**61, 0], "no memory"),
    ("ConstantOfShape(s)", [2**40, 2**40], "no memory"),
])
def test_what_no_memory_holds(body, sizes, message):
    runner = dyn.Reference(onnx.parser.parse_model(TEXT.format(body=body)).SerializeToString())
    with pytest.raises(dyn.ShapeError, match=f"huge.*({message})"):
        runner.run({"x": np.zeros((2, 2), np.float32), "s": np.array(sizes)})


@pytest.mark.parametrize("body, sizes", [("Expand(x, s)", [2**58, 1, 1]), ("Tile(x, s)", [1, 2**58]), ("Pad(x, s)", [0, 2**58, 0, 0])])
def test_nothing_may_have_any_other_dim(body, sizes):
    runner = dyn.Reference(onnx.parser.parse_model(TEXT.format(body=body)).SerializeToString())
    (y,) = runner.run({"x": np.zeros((0, 2), np.float32), "s": np.array(sizes)})
    assert y.size == 0 and max(y.shape) >= 2**58


@pytest.mark.parametrize("body, dims, shape", [
    ("TopK <axis = 0> (zeros, count)", [0, 2**40, 2**40], [0, 2**40, 2**40]),
    ("ArgMax <axis = 1> (zeros)", [2**40, 5, 0, 2**40], [2**40, 1, 0, 2**40]),
    ("CumSum (zeros, axis)", [2**40, 0, 2**40], [2**40, 0, 2**40]),
    ("Gather <axis = 1> (zeros, count)", [2**40, 3, 2**40, 0], [2**40, 1, 2**40, 0]),
    ("Concat <axis = 0> (zeros, zeros)", [0, 2**40, 2**40], [0, 2**40, 2**40]),
])
def test_what_is_empty_has_any_number_of_places_around_an_axis(body, dims, shape):
    result = "values, places" if body.startswith("TopK") else "values"
    text = f'''<ir_version: 8, opset_import: ["" : 17]> g (int64[{len(dims)}] s, int64[1] count, int64 axis) => (shape) {{
        zeros = ConstantOfShape(s)
        {result} = {body}
        shape = Shape(values)
    }}'''
    runner = dyn.Reference(onnx.parser.parse_model(text).SerializeToString())
    (found,) = runner.run({"s": np.array(dims), "count": np.array([0]), "axis": np.array(0)})
    assert list(found) == shape


@pytest.mark.parametrize("dims", [[2**40, 2**40, 0, 0], [2**40, 0, 0]])
def test_more_empty_matrices_than_fit_into_memory(dims):
    text = '<ir_version: 8, opset_import: ["" : 17]> g (int64[D] s) => (y) { zeros = ConstantOfShape(s) [huge] y = Det(zeros) }'
    runner = dyn.Reference(onnx.parser.parse_model(text).SerializeToString())
    with pytest.raises(dyn.ShapeError, match="huge.*no memory"):
        runner.run({"s": np.array(dims)})

"""Indices that sizes determine are checked with the sizes; those of data in the kernels."""

import numpy as np
import onnx.parser
import onnxruntime
import pytest

import dyn
import small_models as models


LIMIT = r"`seq` must be <= 16: rows of `positions`, node /positions/Gather; got seq = 17 \(dim 1 of input 'ids'\)"


def run_onnxruntime(model, inputs):
    return onnxruntime.InferenceSession(model.SerializeToString()).run(None, inputs)


def test_a_table_of_positions_is_a_limit():
    model = models.embedding(places=16)
    exe = dyn.compile(model)
    assert exe.guards == ("seq <= 16  (rows of `positions`, /positions/Gather)",)
    for batch, seq in [(2, 16), (1, 1), (3, 0), (0, 16), (0, 0)]:
        ids = np.arange(batch * seq).reshape(batch, seq) % 10
        np.testing.assert_array_equal(exe.run({"ids": ids})[0], run_onnxruntime(model, {"ids": ids})[0])
    assert exe.output_dims({"batch": 2, "seq": 16}) == {"y": (2, 16, 4)}
    for ask in [lambda: exe.output_dims({"batch": 2, "seq": 17}), lambda: exe.bind({"batch": 0, "seq": 17}),
                lambda: exe.run({"ids": np.zeros((2, 17), np.int64)})]:
        with pytest.raises(dyn.ShapeError, match=LIMIT):
            ask()


def test_no_index_is_out_of_bounds_where_there_is_none():
    model = models.window(rows=6)
    exe = dyn.compile(model)
    assert exe.guards == ("n <= 6 or batch == 0  (rows of `table`, /rows)",)
    for batch, n in [(2, 6), (0, 6), (0, 7), (2, 0)]:
        inputs = {"x": np.zeros(n, np.float32), "y": np.zeros(batch, np.float32)}
        np.testing.assert_array_equal(exe.run(inputs)[0], run_onnxruntime(model, inputs)[0])
    inputs = {"x": np.zeros(7, np.float32), "y": np.zeros(1, np.float32)}
    with pytest.raises(dyn.ShapeError, match="rows of `table`, node /rows"):
        exe.run(inputs)
    with pytest.raises(Exception, match="out of data bounds"):
        run_onnxruntime(model, inputs)


@pytest.mark.parametrize(
    "model", [models.embedding(), models.window(), models.rows_at_places(), models.positions(), models.lookup()])
def test_every_guard_that_is_tested_is_shown(model):
    """None is made behind the shapes phase."""
    exe = dyn.compile(model)
    shown = tuple(f"{guard.predicate}  ({guard.because}, {guard.node})" for guard in dyn.shapes(model).guards)
    assert exe.guards == shown


def test_rows_to_read():
    exe = dyn.compile(models.rows_at_places())
    x, none = np.zeros((0, 3), np.float32), np.zeros(0, np.int64)
    places = np.zeros((0, 3), np.int64)
    assert exe.run({"x": x, "ids": none, "places": places})[0].shape == (0, 3)
    with pytest.raises(dyn.ShapeError, match="indices into an empty dim, node /gather"):
        exe.run({"x": x, "ids": np.zeros(1, np.int64), "places": places})
    with pytest.raises(dyn.ShapeError, match="indices into an empty dim, node /elements"):
        exe.run({"x": x, "ids": none, "places": np.zeros((1, 3), np.int64)})


@pytest.mark.parametrize("length, bound", [(-1, "at least 0"), (4, "less than 4")])
def test_a_length_does_not_count_from_the_end(length, bound):
    exe = dyn.compile(onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[s, 2, 3] x, int32[2] lengths) => (float[s, 1, 2, 1] y)
        <float[1, 1, 3] w = {1, 2, 3}, float[1, 1, 1] r = {1}> { y = RNN<hidden_size = 1>(x, w, r, "", lengths) }"""))
    message = rf"length {length} of input 'lengths' \(element \[1\]\) is out of bounds: must be {bound}, node y"
    with pytest.raises(dyn.ShapeError, match=message):
        exe.run({"x": np.zeros((3, 2, 3), np.float32), "lengths": np.array([3, length], np.int32)})

"""Shapes that are inputs: what a run gives may be sizes, a -1 for what is left, and a 0 for the operand's dim."""

import numpy as np
import onnx
import pytest

import dyn


def make(rank: int, allow_zero: bool = False) -> onnx.ModelProto:
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[N, M, 2] x, int64[{rank}] s) => (float y) {{
      r = Reshape<allowzero = {int(allow_zero)}>(x, s)
      y = Neg(r)
    }}""")


X = np.arange(48, dtype=np.float32).reshape(4, 6, 2)
FITTING = [[8, 6], [-1, 8], [8, -1], [0, 12], [0, -1], [-1, 0], [48, 1], [-1, 48]]
WRONG = [[-1, -1], [5, -1], [7, 7], [-2, 24], [-2, -24], [-1, -5]]


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, lambda model: dyn.Reference(model, infer_shapes=True)])
def test_marks_of_a_run(entry):
    model = entry(make(2))
    for shape in FITTING:
        sizes = [size or X.shape[place] for place, size in enumerate(shape)]
        expected = -X.reshape(sizes)
        np.testing.assert_array_equal(model.run({"x": X, "s": np.array(shape)})[0], expected)
    for shape in WRONG:
        with pytest.raises(dyn.ShapeError):
            model.run({"x": X, "s": np.array(shape)})


def test_a_zero_behind_the_operands_dims_is_refused():
    model = dyn.compile(make(4))
    assert model.run({"x": X, "s": np.array([0, 0, -1, 1])})[0].shape == (4, 6, 2, 1)
    with pytest.raises(dyn.ShapeError):
        model.run({"x": X, "s": np.array([4, 6, 2, 0])})
    # Where there is nothing to count, the guard must not rest on what it makes true.
    for shape in [-1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]:
        with pytest.raises(dyn.ShapeError):
            model.run({"x": X[:0], "s": np.array(shape)})


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, lambda model: dyn.Reference(model, infer_shapes=True)])
def test_what_no_elements_leave_is_refused(entry):
    model = entry(make(2))
    for shape in [0, -1], [-1, 0]:
        x = X[:0] if shape[0] == 0 else X[:, :0]
        with pytest.raises(dyn.ShapeError):
            model.run({"x": x, "s": np.array(shape)})
    assert model.run({"x": X[:0], "s": np.array([-1, 12])})[0].shape == (0, 12)
    assert model.run({"x": X[:0], "s": np.array([0, 7])})[0].shape == (0, 7)
    sizes = entry(make(2, allow_zero=True))
    with pytest.raises(dyn.ShapeError):
        sizes.run({"x": X[:0], "s": np.array([-1, 0])})


PARTS = "z = Constant<value_ints = [0]>() o = Constant<value_ints = [1]>() t = Constant<value_ints = [2]>() m = Constant<value_ints = [-1]>()"


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, lambda model: dyn.Reference(model, infer_shapes=True)])
@pytest.mark.parametrize("nodes, is_refused", [
    ("c = Slice(s, z, t)", True),
    ("a = Slice(s, z, o) b = Slice(s, o, t) c = Concat<axis = 0>(a, b)", True),
    ("a = Slice(s, z, o) c = Concat<axis = 0>(a, m)", True),
    ("c = Mul(s, o)", True),
    ("b = Slice(s, o, t) c = Concat<axis = 0>(z, b)", False),
])
def test_parts_of_a_shape_that_no_elements_leave(nodes, is_refused, entry):
    """onnxruntime refuses each; a 0 of the model itself means the dim."""
    model = entry(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[N, M] x, int64[2] s) => (float y) {{ {PARTS} {nodes} y = Reshape(x, c) }}"""))
    feeds = {"x": X[:0, :, 0], "s": np.array([0, -1])}
    if not is_refused:
        assert model.run(feeds)[0].shape == (0, 6)
        return
    with pytest.raises(dyn.ShapeError):
        model.run(feeds)


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference])
def test_zeros_that_are_sizes(entry):
    model = entry(make(2, allow_zero=True))
    assert model.run({"x": X[:0], "s": np.array([0, 7])})[0].shape == (0, 7)
    assert model.run({"x": X, "s": np.array([-1, 6])})[0].shape == (8, 6)
    with pytest.raises(dyn.ShapeError):
        model.run({"x": X, "s": np.array([0, 12])})


@pytest.mark.parametrize("shape, dims", [([12], (4, 12)), ([-1], (4, 12)), ([0], (4, 12))])
def test_one_element_beside_dims(shape, dims):
    model = dyn.compile(onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[N, 12] x, int64[1] s) => (float[P, Q] y) {
      d = Shape<end = 1>(x)
      t = Concat<axis = 0>(d, s)
      y = Reshape(x, t)
    }"""))
    assert model.run({"x": X.reshape(4, 12), "s": np.array(shape)})[0].shape == dims


def test_ranks_of_six_are_read_at_once():
    shapes = dyn.shapes(make(6))
    assert len(shapes.outputs["y"].dims) == 6


def test_a_shape_of_the_model_copies_what_is_empty():
    """What is left beside it does not depend on the copied dim."""
    text = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[N, M] x) => (float y) { s = Constant<value_ints = [0, -1]>() y = Reshape(x, s) }"""
    for entry in dyn.compile, dyn.Reference:
        assert entry(onnx.parser.parse_model(text)).run({"x": X[:0, :, 0]})[0].shape == (0, 6)


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, lambda model: dyn.Reference(model, infer_shapes=True)])
@pytest.mark.parametrize("shape, element", [([2**62, 4], 0), ([2**40, 2**40], 0), ([-1, 2**62], 1)])
def test_a_shape_that_overflows_is_told_with_what_it_is(shape, element, entry):
    """The dims, the node, and the elements that were given; no symbol without a value."""
    with pytest.raises(dyn.ShapeError, match=r"a size in '.*' does not fit in 64 bits or divides by zero: Reshape: .*, node r; got ") as refused:
        entry(make(2)).run({"x": X, "s": np.array(shape)})
    assert f"= {shape[element]} (element {element} of input 's')" in str(refused.value)
    assert "?" not in str(refused.value)


def test_a_guard_compares_nothing_with_itself():
    """A 0 copies the only dim of the operand, whatever that is."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[M] x, int64[1] s) => (float y) { y = Reshape(x, s) }""")
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["s_00 == M or s_00 == -1 or s_00 == 0"]
    for entry in dyn.compile, dyn.Reference:
        for size in 4, -1, 0:
            assert entry(model).run({"x": X[:, 0, 0], "s": np.array([size])})[0].shape == (4,)
        with pytest.raises(dyn.ShapeError):
            entry(model).run({"x": X[:, 0, 0], "s": np.array([3])})

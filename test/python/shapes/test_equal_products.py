"""Products of rounded sizes that guards make equal, as in pyramids of features whose levels are joined."""

import warnings

import numpy as np
import onnx
import pytest

import dyn

TEXT = """<ir_version: 8, opset_import: ["" : 17]>
g (float[b,4,h,w] x) => (float y, float z, float[b,4,n] flat)
<float[4] scales = {1.0, 1.0, 8.0, 8.0}, int64[3] whole = {0, 0, -1}, int64[1] minus = {-1}, int64[1] zero = {0}> {
  quarter = MaxPool<kernel_shape = [1, 1], strides = [4, 4]>(x)
  up = MaxPool<kernel_shape = [1, 1], strides = [8, 8]>(quarter)
  down = MaxPool<kernel_shape = [29, 29], strides = [32, 32]>(x)
  large = Resize<mode = "nearest">(up, , scales)
  z = Concat<axis = 1>(quarter, large)
  flat = Reshape(up, whole)
  other = Reshape(down, whole)
  dims = Shape(flat)
  same = Reshape(other, dims)
  last = Shape<start = 2>(flat)
  shape = Concat<axis = 0>(zero, last, minus)
  y = Reshape(other, shape)
}"""


def make(declared):
    model = onnx.parser.parse_model(TEXT)
    model.graph.output[2].type.tensor_type.shape.dim[2].dim_param = declared
    return model


def test_a_dim_is_divided_by_what_is_equal():
    """The -1 of `y` is `4*b*X` over `b*Y`: 4, since `same` needs X == Y. No division is left, nor a guard of one."""
    shapes = dyn.shapes(make("n"))
    assert shapes.outputs["y"].dims[2] == "4"
    assert [str(guard.predicate) for guard in shapes.guards] == [
        "28 <= h", "28 <= w", "8 * (h ceildiv 32) == h ceildiv 4", "8 * (w ceildiv 32) == w ceildiv 4"]


def test_a_run_needs_what_the_guards_say():
    model = dyn.compile(make("n"))
    x = np.random.default_rng(0).standard_normal((2, 4, 64, 31), np.float32)
    y, z, flat = model.run({"x": x})
    assert (y.shape, z.shape, flat.shape) == ((2, 2, 4), (2, 8, 16, 8), (2, 4, 2))
    with pytest.raises(dyn.ShapeError, match=r"8 \* \(h ceildiv 32\) == h ceildiv 4"):
        model.run({"x": x[:, :, :60]})


@pytest.mark.parametrize("declared, is_warned", [
    ("((h + 3)//32)*((w + 3)//32)", False), ("((h + 31)//32)*((w + 3)//32)", False),
    ("((h + 2)//32)*((w + 3)//32)", True), ("((h + 3)//32)*((w + 3)//32) + 1", True)])
def test_a_declared_dim_is_compared_under_the_guards(declared, is_warned):
    """Sizes that the guards let through are rounded up and down alike."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dyn.compile(make(declared))
    assert ["is declared as" in str(warning.message) for warning in caught] == [True] * is_warned
    assert not is_warned or "but is (h ceildiv 32) * (w ceildiv 32)" in str(caught[0].message)

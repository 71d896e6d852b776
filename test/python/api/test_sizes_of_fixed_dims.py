"""Dims that a model was compiled for one size of keep their names."""

import numpy as np
import onnx.parser
import pytest

import dyn
import small_models as models


def test_fixed_dims_are_still_known_by_name():
    executable = dyn.compile(models.positions(), dims={"seq": 8})
    assert executable.symbols == ("batch",) and executable.aliases == ("seq == 8",)
    assert executable.output_dims({"batch": 2, "seq": 8}) == executable.output_dims({"batch": 2}) == {"y": (2, 8, 4)}
    assert executable.arena_bytes({"batch": 2, "seq": 8}) == executable.arena_bytes({"x": (2, 8, 4)})
    assert executable.explain("seq <= 8").answer == "yes"
    with pytest.raises(dyn.ShapeError, match="'seq' is 7, but the model was compiled for 8"):
        executable.output_dims({"batch": 2, "seq": 7})
    with pytest.raises(dyn.ModelError, match="'length' is neither an input"):
        executable.output_dims({"batch": 2, "length": 8})
    assert executable.run({"x": np.zeros((3, 8, 4), np.float32)})[0].shape == (3, 8, 4)


@pytest.mark.parametrize("size, reason", [(-1, "a dim is never below 0"), (2**70, "1180591620717411303424")])
def test_sizes_that_are_none_are_refused_by_name_once(size, reason):
    with pytest.raises(dyn.CompileError, match=reason) as refused:
        dyn.compile(models.positions(), dims={"seq": size})
    assert str(refused.value).count("dim 'seq'") == 1


@pytest.mark.parametrize("text", [
    "(float[2, s] x) => (float[2, 2] y) { t = Transpose<perm = [1, 0]>(x) y = MatMul(x, t) }",
    "(float[B, s] x, float[5, s] w) => (float[B, 5] y) { y = Gemm<transB = 1>(x, w) }",
    "(float[B, 1, s] x) => (float[B, 0, N] y) <float[0, 1, 0] w = {}> { y = Conv(x, w) }",
    "(float[2, 1, s, 1] x) => (float[A, C, D, E] y) { y = Conv(x, x) }",
    "(float[S, B, s] x, float[1, 8, s] w, float[1, 8, 2] r) => (float[S, 1, B, 2] y) { y = LSTM<hidden_size = 2>(x, w, r) }",
    "(float[B, 6, s] x) => (float[A, 6, 5] y) <float[0, 0, 5] w = {}> { y = MatMul(x, w) }",
    "(float[s, 3] x) => (float[s, N] y) <float[3, 0] w = {}> { y = MatMul(x, w) }",
])
def test_products_of_nothing_are_compiled(text):
    """Each has a dim that is always 0, and what is read by that has no strides."""
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> g ' + text)
    sizes = {"s": 0, "B": 1, "S": 3}
    inputs = {value.name: np.ones([dim.dim_value or sizes.get(dim.dim_param, 0) for dim in value.type.tensor_type.shape.dim], np.float32)
              for value in model.graph.input}
    (wanted,) = dyn.Reference(model).run(inputs)
    (given,) = dyn.compile(model, dims={"s": 0}, threads=1).run(inputs)
    np.testing.assert_array_equal(given, wanted)

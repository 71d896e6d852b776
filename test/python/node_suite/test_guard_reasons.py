"""Guards say what a user knows: the operator and its operand, not the op that the import made of them."""

import warnings

import dyn
import node_cases
import numpy as np
import onnx.parser
import pytest

# What ops go by that the import makes of many operators.
OPS = ["reshape", "expand", "mul", "add", "sub", "div", "select", "one-way broadcast", "concat", "gather_elements", "conv",
       "windows", "squeeze", "recurrent", "suppress", "scatter_nd", "gather_nd", "matmul", "full", "tile", "pad", "split",
       "top_k", "arg_reduce", "range", "slice", "det", "inverse"]


def find_guards(model):
    with warnings.catch_warnings(action="ignore"):
        return dyn.shapes(model).guards


@pytest.mark.parametrize("name", [name for name in node_cases.NAMES if not name.endswith("_expanded")])
def test_no_node_speaks_of_ops_that_it_is_not(name):
    model = node_cases.name_dims(node_cases.load(name), node_cases.NAMES_OF_DIMS["symbolic"])
    if len(model.graph.node) > 1:
        pytest.skip("its nodes are those of an exporter")
    try:
        guards = find_guards(model)
    except dyn.Error:
        return  # Of what needs other sizes, test_node_suite knows.
    for guard in guards:
        assert guard.because.split(": ")[0].split("; ")[0] not in OPS, str(guard)


@pytest.mark.parametrize("body, reasons", [
    ("float[n, c, h] x, float[s] s, float[s] b, float[s] m, float[s] v) => (y) { y = BatchNormalization(x, s, b, m, v) }",
     {"BatchNormalization: elements of `s`"}),
    ("float[t, b, i] x, float[1, r, i] w, float[1, r, k] r, float[1, z] bias) => (y) { y = LSTM<hidden_size=4>(x, w, r, bias) }",
     {"LSTM: elements of `bias`"}),
    ("float[n, c, h, w] x) => (y) { y = SpaceToDepth<blocksize=2>(x) }",
     {"SpaceToDepth: dim 2 of `x` is a multiple of blocksize", "SpaceToDepth: dim 3 of `x` is a multiple of blocksize"}),
    ("float[n, c, h, w] x, float[o, c, kh, kw] f) => (y) { y = Conv<auto_pad=\"SAME_UPPER\", strides=[2, 2]>(x, f) }",
     {f"Conv: dim {dim} of input `f` must fit dim {dim} of input `x` with its pads" for dim in (2, 3)}),
    ("float[n, c] x, float[s] slope) => (y) { y = PRelu(x, slope) }", {"PRelu: broadcast of `x` and `slope`"}),
    ("float[n, k] x, float[g] s, float[b] bias) => (y) { y = LayerNormalization(x, s, bias) }",
     {"LayerNormalization: one-way broadcast of `s`", "LayerNormalization: one-way broadcast of `bias`"}),
    ("float[n, k] a, float[l, m] b, float[q] c) => (y) { y = Gemm(a, b, c) }",
     {"Gemm of `a` and `b`: contraction", "Gemm: one-way broadcast of `c`"}),
    ("float[n, c, h] x, float[s] s, float[b] b) => (y) { y = GroupNormalization<num_groups=4>(x, s, b) }",
     {"GroupNormalization: broadcast of `x` and `s`", "GroupNormalization: broadcast of `s` and `b`"}),
    ("float[n, c, h] x, float[c] s, float[c] b) => (y) { y = GroupNormalization<num_groups=2>(x, s, b) }",
     {"GroupNormalization: dim 1 of `x` is a multiple of num_groups"}),
    ("float[n, c, 5] x) => (y) { i = Constant<value_ints=[5, 5]>() b = Constant<value_ints=[1, 5]>() y = Col2Im(x, i, b) }",
     {"Col2Im: dim 1 of `x` is a multiple of the elements of a block"}),
    ("float[n, r, s] theta, int64[4] size) => (y) { y = AffineGrid(theta, size) }",
     {"AffineGrid: `theta` must be N x 2 x 3 for 2 spatial dims",
      "AffineGrid: element 0 of `size` must be dim 0 of `theta`"}),
    ("bool[a] c, float[b] x, float[d] y) => (z) { z = Where(c, x, y) }", {"Where: broadcast of `c`, `x` and `y`"}),
    ("float[n, 3] x, float[m, 3] y, float[l, 3] w) => (z) { z = Sum(x, y, w) }",
     {"Sum: broadcast of `x` and `y`", "Sum: broadcast of `x` and `w`"}),
    ("uint8[n, k] a, uint8[l, m] b, uint8[z] az, uint8[y] bz) => (y) { y = MatMulInteger(a, b, az, bz) }",
     {"MatMulInteger of `a` and `b`: contraction", "MatMulInteger: one-way broadcast of `az`"}),
    ("uint8[n, 3, h, w] x, float xs, uint8 xz, uint8[o, 3, 3, 3] f, float fs, uint8 fz, float ys, uint8 yz) => (y) "
     "{ y = QLinearConv(x, xs, xz, f, fs, fz, ys, yz) }",
     {"QLinearConv of `x` and `f`: dim 2 of input `f` must fit dim 2 of input `x` with its pads"}),
    ("float[n, 3, h, 4] x, float[3, 2, 2, 2] w) => (y) { y = ConvTranspose<strides=[2, 2], pads=[1, 1, 1, 1]>(x, w) }",
     {"ConvTranspose of `x` and `w`: dim 2 of the result must be at least 1"}),
    ("float[n, 3, h] x, float[3, 2, 2] w) => (y) { y = ConvTranspose<pads=[1, 1]>(x, w) }",
     {"ConvTranspose of `x` and `w`: dim 2 of the result must be at least 1"}),
    ("float[n, c, h, w] x) => (y) { y = AveragePool<kernel_shape=[5, 5]>(x) }",
     {"AveragePool: a window of 5 must fit dim 2 of input `x` with its pads"}),
    ("float[n, c, h] x) => (y) { y = MaxPool<kernel_shape=[3], dilations=[2]>(x) }",
     {"MaxPool: a window of 3 with dilation 2 must fit dim 2 of input `x` with its pads"}),
    ("float[n, c, d] x, int64[m, e] t) => (y) { y = NegativeLogLikelihoodLoss(x, t) }",
     {"NegativeLogLikelihoodLoss of `x` and `t`: dims"}),
    # Symbols that stand for formulas are told by the dims that they are.
    ("int64 limit, int64 delta, float[n] x) => (y) { z = Constant<value_int=0>() r = Range(z, limit, delta) "
     "f = Cast<to=1>(r) y = Add(f, x) }", {"Add; d0 is dim 0 of the result of `r`"}),
    ("float[n, 6] x, int64[3] shape) => (y) { y = Reshape(x, shape) }",
     {"Reshape: at most one element of the shape may be -1, and none less", "Reshape: -1 beside a dim of size 0; d0 is the size of dim 0, 1 for a -1",
      "Reshape: as many elements as the operand has; d3, d4, d5 are dims 0, 1, 2 of the result of `y`"}),
    # An op that is what the node is goes by the operator's name.
    ("float[n, 3] x, float[m, 3] y) => (z) { z = Add(x, y) }", {"Add"}),
    ("float[n, 3] x, float[n, m] y) => (z) { z = MatMul(x, y) }", {"MatMul: contraction"}),
    ("float[n, 3] x, float[m, 3] y) => (z) { z = Concat<axis=1>(x, y) }", {"Concat: dims"}),
    ("float[n, m] x, int64[2] s) => (z) { z = Reshape(x, s) }", set()),
])
def test_reasons(body, reasons):
    guards = find_guards(onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 23]> g (' + body))
    assert reasons <= {guard.because for guard in guards}, guards


def test_names_do_not_decide_what_is_told():
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 23]> g (float[n] x) => (y) '
                                    '{ i = Constant<value_ints=[3]>() y = GatherElements(x, i) }')
    model.graph.input[0].name = model.graph.node[1].input[0] = "a: b"
    assert [guard.because for guard in find_guards(model)] == ["GatherElements: rows of input `a: b`"]


@pytest.mark.parametrize("body, size", [
    ("int64[3] s, float[t] z) => (y) { p = ReduceProd<keepdims=1>(s) y = Expand(z, p) }", 3_000_000),
    ("int64[3] s, float[t] z) => (y) { a = Constant<value_int=0>() p = CumSum(s, a) y = Expand(z, p) }", 2**62),
])
def test_a_size_that_overflows_is_no_guard_that_holds(body, size):
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 23]> g (' + body)
    feeds = {"s": np.full(3, size, np.int64), "z": np.zeros(1, np.float32)}
    with warnings.catch_warnings(action="ignore"):
        runners = [dyn.compile(model, threads=1), dyn.Reference(model)]
    for runner in runners:
        with pytest.raises(dyn.ShapeError, match="a size in '.*' does not fit in 64 bits .*: Expand: a size from data, node"):
            runner.run(feeds)


@pytest.mark.parametrize("body, count, divisor", [
    ("float[n, c, h] x) => (y) { s = Constant<value_floats=[1.0, 1.0]>() y = GroupNormalization<num_groups=2>(x, s, s) }", 4, 2),
    ("float[n, c, 5] x) => (y) { i = Constant<value_ints=[5, 5]>() b = Constant<value_ints=[1, 5]>() y = Col2Im(x, i, b) }", 10, 5),
])
def test_channels_are_a_multiple_also_of_nothing(body, count, divisor):
    """No count of elements tells it where there are none."""
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 18]> g (' + body)
    assert f"c mod {divisor} == 0" in [guard.predicate for guard in find_guards(model)]
    with warnings.catch_warnings(action="ignore"):
        runners = [dyn.compile(model, threads=1), dyn.Reference(model)]
    for runner in runners:
        runner.run({"x": np.ones((0, count, 5), np.float32)})
        for batch in 0, 2:
            with pytest.raises(dyn.ShapeError, match="dim 1 of `x` is a multiple of|dims .0. to"):
                runner.run({"x": np.ones((batch, count + 1, 5), np.float32)})
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = count + 1
    with pytest.raises(dyn.CompileError, match="multiple of"):
        dyn.compile(model)


def test_channels_are_a_multiple_of_blocks_that_the_run_tells():
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 18]> g (float[n, c, 5] x, int64[2] b) => (y) '
                                    '{ i = Constant<value_ints=[5, 5]>() y = Col2Im(x, i, b) }')
    assert "c mod (b_00 * b_10) == 0" in [guard.predicate for guard in find_guards(model)]
    for runner in dyn.compile(model, threads=1), dyn.Reference(model):
        for batch in 0, 2:
            x = np.ones((batch, 10, 5), np.float32)
            assert runner.run({"x": x, "b": np.array([1, 5])})[0].shape == (batch, 2, 5, 5)
            with pytest.raises(dyn.ShapeError, match="Col2Im: dim 1 of `x` is a multiple of the elements of a block"):
                runner.run({"x": x[:, 1:], "b": np.array([1, 5])})
            with pytest.raises(dyn.ShapeError, match="Col2Im: the number of elements of a block must be at least 1"):
                runner.run({"x": x, "b": np.array([0, 5])})


def test_scales_of_channels_are_told_by_the_channels():
    guards = find_guards(onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 21]> g (float[n, c, h] x, float[s] s, float[b] b) => (y) '
        '{ y = GroupNormalization<num_groups=4>(x, s, b) }'))
    assert [guard.predicate for guard in guards] == ["c mod 4 == 0", "s == c or s == 1", "c == b or b == 1"]


def test_pads_that_keep_the_size_ask_for_something_to_pad():
    guards = find_guards(onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 23]> g (float[n, c, h, w] x, float[o, c, k, 3] f) => (y) '
        '{ y = Conv<auto_pad="SAME_UPPER", strides=[2, 2]>(x, f) }'))
    assert [guard.predicate for guard in guards] == ["1 <= h or k == 0", "1 <= w"]

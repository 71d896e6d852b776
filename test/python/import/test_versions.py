"""What an operator means in one version of ONNX and not in the next, or for types that few models use."""

import re
import warnings

import ml_dtypes
import numpy as np
import onnx.parser
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

ROW = np.array([[1, 2], [3, 8]], np.float32)
ONES, ZEROS = np.ones(2, np.float32), np.zeros(2, np.float32)
CHANNELS = "float[N, 2] x, float[2] s, float[2] b, float[2] me, float[2] va"
STATISTICS = {"x": ROW, "s": ONES, "b": ZEROS, "me": ZEROS, "va": ONES}
FIVE = np.array([-3, -1, 0, 1, 3])
IMAGE = np.arange(1, 5, dtype=np.float32).reshape(1, 1, 1, 4)
PAIRS = np.array([[1, 3], [5, 7]], np.float32).reshape(2, 1, 1, 2)
HALF = {"mode": 'mode = "linear", coordinate_transformation_mode = "tf_half_pixel_for_nn"'}

# name: (opset, inputs, body, values, expected results)
CASES = {
    # Until opset 13 a node with more outputs than one is one of training.
    **{f"BatchNormalization-{opset}": (opset, CHANNELS, "y, m, v, sm, sv = BatchNormalization<momentum = 0.5>(x, s, b, me, va)",
                                       STATISTICS, [[[-1, -1], [1, 1]], [1, 2.5], [1, 5], [2, 5], [1, 9]]) for opset in (7, 9)},
    "BatchNormalization-9, outputs unread": (9, CHANNELS, "y, , , , v = BatchNormalization(x, s, b, me, va)", STATISTICS,
                                             [[[-1, -1], [1, 1]]]),
    "BatchNormalization-9, inference": (9, CHANNELS, "y = BatchNormalization(x, s, b, me, va)", STATISTICS, [ROW]),
    # Factors of whole numbers need not be whole; the sum is truncated.
    **{f"Gemm, {alpha}, {beta}": (11, "int64[N, K] x, int64[K, M] z, int64[M] c",
                                  f"y = Gemm<alpha = {alpha}, beta = {beta}>(x, z, c)",
                                  {"x": np.array([[3, 4]]), "z": np.array([[1], [7]]), "c": np.array([10])}, [[[expected]]])
       for alpha, beta, expected in ((0.5, 1.0, 25), (1.0, 0.5, 36), (2.0, 3.0, 92), (2.5, 1.0, 87))},
    **{f"Shrink-{kind}, {limit}, {bias}": (9, f"{kind}[N] x", f"y = Shrink<lambd = {limit}, bias = {bias}>(x)",
                                           {"x": np.array(x, kind)}, [expected])
       for kind, limit, bias, x, expected in (
           ("uint8", 1.5, 1.0, [0, 1, 2, 3, 255], [0, 0, 1, 2, 254]), ("int32", 0.5, 1.5, FIVE, [-1, 0, 0, 0, 1]),
           ("int64", 2.0, 0.5, FIVE, [-2, 0, 0, 0, 2]), ("int64", 0.5, -1.0, [2**62 + 1, -1], [2**62 + 2, -2]), ("int64", 0.5, 0.0, [2**62 + 1, -1], [2**62 + 1, -1]))},
    **{f"{name}-{opset}-{kind}": (opset, f"{kind}[N, 3] x", f"y = {name}<axes = [1]>(x)" if opset < 18 else
                                  f"a = Constant<value_ints = [1]>() y = {name}(x, a)",
                                  {"x": np.array([[1, 4, 5]], kind)}, [[[expected]]])
       for opset in (11, 18) for kind in ("int32", "int64", "uint32")
       for name, expected in (("ReduceL2", 6), ("ReduceLogSum", 2), ("ReduceLogSumExp", 5))},
    # An axis that shrinks takes the next element.
    "Resize-10, shrinks": (10, "float[N, 1, 1, 4] x", "s = Constant<value_floats = [1.0, 1.0, 1.0, 0.6]>() y = Resize(x, s)",
                           {"x": IMAGE}, [[[[[1, 3]]]]]),
    "Resize-10, grows": (10, "float[N, 1, 1, 4] x", "s = Constant<value_floats = [1.0, 1.0, 1.0, 1.5]>() y = Resize(x, s)",
                         {"x": IMAGE}, [[[[[1, 1, 2, 3, 3, 4]]]]]),
    # Rows and channels are not mixed.
    "Resize, sizes of kept axes": (11, "float[A, B, C, D] x", "z = Constant<value_ints = [2, 1, 1, 1]>() "
                                   f"y = Resize<{HALF['mode']}>(x, , , z)", {"x": PAIRS}, [[[[[3]]], [[[7]]]]]),
    "Resize, scales beside sizes": (11, "float[A, 1, 1, D] x, float[K] s", "z = Constant<value_ints = [1, 1, 1, 2]>() r = Constant<value_floats = [0.0]>() "
                                    "y = Resize<coordinate_transformation_mode = \"asymmetric\">(x, r, s, z)",
                                    {"x": IMAGE, "s": np.zeros(0, np.float32)}, [[[[[1, 3]]]]]),
    # Places are counted from the end since opset 11.
    **{f"OneHot-{opset}": (opset, "int64[N] x", "d = Constant<value_int = 3>() v = Constant<value_floats = [0.0, 1.0]>() y = OneHot(x, d, v)",
                           {"x": np.array([0, -1, 3])}, [[[1, 0, 0], [0, 0, last], [0, 0, 0]]]) for opset, last in ((10, 0), (11, 1))},
    # The statistics have a type of their own.
    **{f"LayerNormalization-{kind.__name__}": (
        17, "double[N, 2] x, double[2] s", f"y, m, d = LayerNormalization<stash_type = {number}, epsilon = 0.0>(x, s)",
        {"x": np.array([[1.0, 3.0]]), "s": np.ones(2)}, [[[-1, 1]], np.array([[2]], kind), np.array([[1]], kind)])
       for kind, number in ((np.float32, 1), (ml_dtypes.bfloat16, 16))},
    "GroupNormalization of nothing": (21, "float[2, 4, 0] x, float[4] s", "y = GroupNormalization<num_groups = 2>(x, s, s)",
                                      {"x": np.zeros((2, 4, 0), np.float32), "s": np.ones(4, np.float32)}, [np.zeros((2, 4, 0))]),
    # One scale for all, which only a run tells.
    **{f"QuantizeLinear-{opset}": (opset, "float[N] x, float[K] s, uint8[K] z", "y = QuantizeLinear(x, s, z)",
                                   {"x": np.array([1, 2, 3], np.float32), "s": np.array([0.5], np.float32), "z": np.array([1], np.uint8)},
                                   [[3, 5, 7]]) for opset in (10, 13, 21)},
    **{f"QuantizeLinear-{opset}, rows": (opset, "float[N, M] x, float[K] s", "y = QuantizeLinear(x, s)",
                                         {"x": np.array([[1, 2, 3]], np.float32), "s": np.array(scales, np.float32)}, [[expected]])
       for opset in (10, 13, 21) for scales, expected in (([0.5], [2, 4, 6]), ([0.5, 1, 3], [2, 2, 1]))},
    **{f"QuantizeLinear, {precision}": (
        23, "float16[N] x, float16 s, uint8 z", f"y = QuantizeLinear<precision = {precision}>(x, s, z)",
        {"x": np.array([0.45, 2.25, 2.55], np.float16), "s": np.array(0.3, np.float16), "z": np.array(0, np.uint8)}, [expected])
       for precision, expected in ((10, [2, 8, 8]), (1, [1, 7, 9]))},
}


def build(opset, inputs, body, results):
    names = ["y", "m", "v", "sm", "sv"] if len(results) == 5 else ["y", "m", "d"][:len(results)]
    model = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["": {opset}]> g ({inputs}) => ('
                                    + ", ".join(f"float {name}" for name in names) + f") {{ {body} }}")
    for output in model.graph.output:
        output.ClearField("type")
    return model


@pytest.mark.parametrize("entry", [dyn.Reference, dyn.compile])
@pytest.mark.parametrize("name", CASES)
def test_computes_what_its_version_says(entry, name):
    opset, inputs, body, values, expected = CASES[name]
    with warnings.catch_warnings(action="ignore"):
        results = entry(build(opset, inputs, body, expected)).run(values)
    for result, wanted in zip(results, expected, strict=True):
        if isinstance(wanted, np.ndarray) and wanted.size:
            assert result.dtype == wanted.dtype
        np.testing.assert_allclose(np.asarray(result, np.float64), np.asarray(wanted, np.float64), rtol=1e-4)


@pytest.mark.parametrize("length", ["2", "K"])
@pytest.mark.parametrize("kind, number", [("float8e4m3fn", 17), ("int4", 22), ("uint4", 21), ("float4e2m1", 23)])
def test_narrow_elements_fill_a_shape(kind, number, length):
    model = onnx.parser.parse_model(f'<ir_version: 11, opset_import: ["": 23]> g (int64[{length}] d) => (float y) {{ y = Placeholder(d) }}')
    value = onnx.helper.make_tensor("value", number, [1], [1])
    model.graph.node[0].CopyFrom(onnx.helper.make_node("ConstantOfShape", ["d"], ["y"], value=value))
    model.graph.output[0].ClearField("type")
    with warnings.catch_warnings(action="ignore"):
        result = dyn.Reference(model).run({"d": np.array([2, 3])})[0]
    assert result.shape == (2, 3) and (np.asarray(result, np.float32) == 1).all()


def test_statistics_are_of_a_float_type():
    node = "y{} = LayerNormalization<stash_type = 7>(x, s)"
    with pytest.raises(dyn.Error, match="attribute 'stash_type' is int64, which is no float type$"):
        dyn.Reference(build(17, "float[N, 2] x, float[2] s", node.format(", m, d"), [0, 0, 0]))
    dyn.Reference(build(17, "float[N, 2] x, float[2] s", node.format(""), [0]))


def test_quotients_have_a_type_that_is_computed_with():
    with pytest.raises(dyn.Error, match="'precision' is no float type of 16 bits or more"):
        dyn.Reference(build(23, "float[N] x, float s", "y = QuantizeLinear<precision = 17>(x, s)", [0]))


def test_nothing_is_cut_into_groups_that_do_not_fit():
    with pytest.raises(dyn.Error, match="num_groups"):
        dyn.Reference(build(21, "float[2, 4, 0] x, float[4] s", "y = GroupNormalization<num_groups = 3>(x, s, s)", [0]))


RENAMED = {
    "ReduceMean<axes = [-1]>(x)": (21, "'axes', which the operator has in opset 1 to 17, but not in opset 21,"),
    "Squeeze<axes = [1]>(x)": (13, "'axes', which the operator has in opset 1 to 12, but not in opset 13,"),
    "Split<axis = 1, split = [1, 1]>(x)": (13, "'split', which the operator has in opset 1 to 12, but not in opset 13,"),
    "Clip<max = 0.1>(x)": (11, "'max', which the operator has in opset 1 to 10, but not in opset 11,"),
    "Cast<to = 1, saturate = 0>(x)": (18, "'saturate', which the operator has in opset 19 and later, but not in opset 18,"),
    "Upsample<scales = [1.0, 2.0]>(x, s)": (9, "'scales', which the operator has in opset 7 to 8, but not in opset 9,"),
}


@pytest.mark.parametrize("entry", [dyn.Reference, dyn.compile, dyn.shapes, dyn.infer_shapes])
@pytest.mark.parametrize("node", RENAMED)
def test_an_attribute_of_another_version_is_not_passed_over(entry, node):
    """Converters raise the opset of a model and leave its nodes as they are."""
    opset, what = RENAMED[node]
    inputs, message = "float[N, 2] x, float[2] s", f"node 'old' {re.escape('(' + node.split('<')[0] + ')')}: has attribute {what}"
    with warnings.catch_warnings(action="ignore"), pytest.raises(dyn.Error, match=message):
        entry(build(opset, inputs, f"[old] y = {node}", [0]))
    function = onnx.parser.parse_model(
        f'<ir_version: 9, opset_import: ["": 25, "f": 1]> g ({inputs}) => (float y) {{ y = f.old(x, s) }}'
        f'<domain: "f", opset_import: ["": {opset}]> old (x, s) => (y) {{ [old] y = {node} }}')
    with pytest.raises(dyn.Error, match=message.replace("'old'", "'y/old'")):
        entry(function)


@pytest.mark.parametrize("opset, attribute, node", [
    (18, "saturate", "Cast<to = 1, saturate = 1>(x)"), (12, "ratio", "Dropout<ratio = 0.5>(x)"), (13, "alpha", "Relu<alpha = 3.0>(x)"),
    (9, "spatial", "BatchNormalization<spatial = 1>(x, s, s, s, s)")])
def test_an_attribute_that_changes_nothing_is_a_warning(opset, attribute, node):
    model = build(opset, "float[N, 2] x, float[2] s", f"y = {node}", [0])
    with pytest.warns(UserWarning, match=f"has attribute '{attribute}', which the operator does not have in opset {opset}"):
        dyn.shapes(model)
    with warnings.catch_warnings(action="ignore"):
        assert dyn.compile(model).run({"x": ROW, "s": ONES})[0].shape == (2, 2)

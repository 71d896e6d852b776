"""Guards say what a user knows: the operator and its operand, not the op that the import made of them."""

import warnings

import dyn
import node_cases
import onnx.parser
import pytest

# What the import makes of many operators, and the operators that are just that.
OWN = {
    "reshape": {"Reshape", "Flatten"},
    "expand": {"Expand"},
    "squeeze": {"Squeeze", "Unsqueeze"},
    "recurrent": set(),
    "suppress": set(),
    "scatter_nd": {"ScatterND"},
    "gather_nd batch dims": {"GatherND"},
    "matmul contraction": {"MatMul", "Gemm"},
    "matmul batch dims": {"MatMul", "Gemm"},
    "full": {"ConstantOfShape"},
}


def find_guards(model):
    with warnings.catch_warnings(action="ignore"):
        return dyn.shapes(model).guards


@pytest.mark.parametrize("name", [name for name in node_cases.NAMES if not name.endswith("_expanded")])
def test_no_node_speaks_of_ops_that_it_is_not(name):
    model = node_cases.name_dims(node_cases.load(name), node_cases.NAMES_OF_DIMS["symbolic"])
    operators = {node.op_type for node in model.graph.node}
    if len(model.graph.node) > 1:
        pytest.skip("its nodes are those of an exporter")
    try:
        guards = find_guards(model)
    except dyn.Error:
        return  # Of what needs other sizes, test_node_suite knows.
    for guard in guards:
        kind = guard.because.split(": ")[0]
        assert operators <= OWN.get(kind, operators), str(guard)


@pytest.mark.parametrize("body, reasons", [
    ("float[n, c, h] x, float[s] s, float[s] b, float[s] m, float[s] v) => (y) { y = BatchNormalization(x, s, b, m, v) }",
     {"BatchNormalization: elements of `s`"}),
    ("float[t, b, i] x, float[1, r, i] w, float[1, r, k] r, float[1, z] bias) => (y) { y = LSTM<hidden_size=4>(x, w, r, bias) }",
     {"LSTM: elements of `bias`"}),
    ("float[n, c, h, w] x) => (y) { y = SpaceToDepth<blocksize=2>(x) }",
     {"SpaceToDepth: dim 2 of `x` is a multiple of blocksize", "SpaceToDepth: dim 3 of `x` is a multiple of blocksize"}),
    ("float[n, c, h, w] x, float[o, c, kh, kw] f) => (y) { y = Conv<auto_pad=\"SAME_UPPER\", strides=[2, 2]>(x, f) }",
     {f"conv window: dim {dim} of input `f` must fit dim {dim} of input `x` with its pads" for dim in (2, 3)}),
    # What a node says of itself stays.
    ("float[n, 3] x, float[m, 3] y) => (z) { z = Add(x, y) }", {"add"}),
    ("float[n, m] x, int64[2] s) => (z) { z = Reshape(x, s) }", set()),
])
def test_reasons(body, reasons):
    guards = find_guards(onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 21]> g (' + body))
    assert reasons <= {guard.because for guard in guards}, guards

"""What no size allows, and numbers at the ends of their types, are refused with a message: at import, or by the
interpreter where only a run tells."""

import numpy as np
import onnx
import onnx.parser
import pytest
from text_models import build, dyn, numbers

LEAST = -(2**63)


def parse(text, opset=20):
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]> {text}')


def test_a_row_to_the_least_number():
    """Its length, divided by a step of -1, leaves 64 bits."""
    model = build("float[n] x", f"""
        s = Constant<value = int64 {{0}}>() l = Constant<value = int64 {{{LEAST}}}>() d = Constant<value = int64 {{-1}}>()
        r = Range(s, l, d) c = ConstantOfShape(r) y = Add(x, c)""")
    with pytest.raises(dyn.Error):
        dyn.Reference(model).run({"x": numbers(2)})


def test_a_row_from_what_may_be_nothing():
    model = build("float[n] x", """
        z = Constant<value = float[1] {0.0}>() p = NonZero(z) s = Squeeze(p)
        l = Constant<value = int64 {2}>() d = Constant<value = int64 {1}>() r = Range(s, l, d)
        c = ConstantOfShape(r) y = Add(x, c)""")
    with pytest.raises(dyn.Error, match="one element"):
        dyn.Reference(model).run({"x": numbers(2)})


def test_a_diagonal_that_is_not_there():
    model = build("float[n, m] x, int64[k] d", "y = Trilu(x, d)")
    with pytest.raises(dyn.Error, match=r"operand 1 has the dims \[0\], expected one element"):
        dyn.Reference(model).run({"x": numbers(2, 2), "d": np.zeros(0, np.int64)})


def test_a_padding_that_is_not_there():
    model = build("float[n] x, int64[2] p, float[k] v", "y = Pad(x, p, v)")
    with pytest.raises(dyn.Error, match=r"the dims \[0\], expected one element"):
        dyn.Reference(model).run({"x": numbers(2), "p": np.array([1, 1]), "v": numbers(0)})


def test_a_shape_whose_product_leaves_64_bits():
    model = build("float[a, b] x, int64[4] s", "y = Reshape<allowzero = 1>(x, s)")
    with pytest.raises(dyn.Error, match="64 bits|no dim can stand for the -1"):
        dyn.Reference(model, infer_shapes=False).run({"x": numbers(0, 3), "s": np.array([-1, 2**31, 2**31, 2**31])})
    assert dyn.Reference(model, infer_shapes=False).run({"x": numbers(0, 3), "s": np.array([-1, 1, 3, 2])})[0].shape == (0, 1, 3, 2)


@pytest.mark.parametrize(("attributes", "message"), [
    ("output_shape = [4]", "attribute 'output_shape' has 1 entries for 2 spatial dims"),
    ('auto_pad = "SAME_UPER"', "attribute 'auto_pad' has the unknown value 'SAME_UPER'"),
])
def test_attributes_of_transposed_convolutions(attributes, message):
    model = build("float[n, 1, h, w] x, float[1, 1, 2, 2] k", f"y = ConvTranspose<{attributes}>(x, k)")
    with pytest.raises(dyn.Error, match=message):
        dyn.Reference(model)


def test_a_diagonal_has_two_dims():
    model = build("float[a, b, c] x", "y = EyeLike(x)")
    with pytest.raises(dyn.Error, match="rank"):
        dyn.Reference(model)


def test_parts_without_number():
    model = parse("""g (float[n] x, int64[1000000000] s) => (seq(float[m]) y) { y = SplitToSequence(x, s) }""")
    with pytest.raises(dyn.Error, match="a sequence of 1000000000 tensors is too long"):
        dyn.Reference(model)


def test_samples_among_neighbours_without_number():
    dims = ", ".join(f"d{i}" for i in range(34))
    model = build(f"float[{dims}] x, float[{dims}] z", "y = GridSample(x, z)", 20)
    with pytest.raises(dyn.Error, match="linear sampling of 32 dims is not supported"):
        dyn.Reference(model)


@pytest.mark.parametrize("operand", ["v", "x"])
def test_values_with_the_names_of_those_inside_of_definitions(operand):
    """What stands between the nodes of a definition is nobody else's, whether or not the node reads it."""
    body = "v = Neg(x) b = MeanVarianceNormalization({operand}) y = Add(b, v)"
    plain = build("float[n, 2, 3, 3] x", body.format(operand=operand))
    x = numbers(2, 2, 3, 3)
    (expected,) = dyn.Reference(plain).run({"x": x})
    model = onnx.ModelProto.FromString(plain.SerializeToString())
    for names in [names for node in model.graph.node for names in (node.input, node.output)]:
        for place, name in enumerate(names):
            names[place] = "b/0/X_squared" if name == "v" else name
    np.testing.assert_array_equal(dyn.Reference(model).run({"x": x})[0], expected)


@pytest.mark.parametrize("character", ["\t", "\n", "\x0b", "\x1c", "\x85", "\u2028"])
def test_names_that_end_lines(character):
    """Guards and other names of sizes are told in lines."""
    model = build("float[n] x, float[m] z", "a = Add(x, z) y = Neg(a)")
    model.graph.node[0].name = f"a{character}b"
    compiled = dyn.compile(model)
    assert all("Add" in guard or "==" in guard for guard in compiled.guards)
    assert compiled.run({"x": numbers(2), "z": numbers(2)})[0].shape == (2,)
    with pytest.raises(dyn.Error):
        compiled.run({"x": numbers(2), "z": numbers(3)})

"""What is refused of onnxruntime's mixtures of experts; what is computed is in contrib_cases.py."""

import numpy as np
import onnx
import onnx.parser
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")


@pytest.mark.parametrize("attributes, operands, message", [
    ("k = 0", "x, r, w, b, v, c", "attribute 'k' is 0"),
    ("use_sparse_mixer = 1", "x, r, w, b, v, c", "the sparse mixer is not supported"),
    ("k = 1", "x, r, w, b", "operand 4 is missing"),
    ("k = 1", "x, r, w, b, v, c, w", "a third layer is not supported"),
    ('activation_type = "tanh"', "x, r, w, b, v, c", "activation 'tanh' is not supported"),
    ('activation_type = "swiglu"', "x, r, w, b, v, c", "activation 'swiglu' is supported with swiglu_fusion = 1 only"),
    ("k = 1", "x, x, x, b, v, c", "operand 2 has rank 2 instead of 3"),
])
def test_what_is_not_supported(here, attributes, operands, message):
    onnx.save(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
        g (float[R, H] x, float[R, E] r, float[E, I, H] w, float[E, I] b, float[E, H, I] v, float[E, H] c) => (float[] y) {{
          y = com.microsoft.MoE<{attributes}>({operands}) }}"""), here / "model.onnx")
    with pytest.raises(dyn.CompileError, match=message):
        dyn.compile(here / "model.onnx", threads=1)


def test_more_experts_are_chosen_than_there_are(here):
    onnx.save(onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
        g (float[R, H] x, float[R, E] r, float[E, I, H] w, float[E, H, I] v) => (float[] y) {
          y = com.microsoft.MoE<k = 3>(x, r, w, , v) }"""), here / "model.onnx")
    assert any("3 <= E" in guard for guard in map(str, dyn.shapes(here / "model.onnx").guards))


QUANTIZED = "x, r, w, s, , v, t"


@pytest.mark.parametrize("attributes, operands, message", [
    ('quant_type = "fp4"', QUANTIZED, "weights of type 'fp4' are not supported"),
    ("weights_prepacked = 1", QUANTIZED, "weights that are packed for a device are not supported"),
    ("expert_weight_bits = 3", QUANTIZED, "weights of 3 bits are not supported"),
    ("block_size = 12", QUANTIZED, "attribute 'block_size' is 12, not a power of 2 and 16 at least"),
    ("block_size = 16", QUANTIZED, "operand 3 has rank 2 instead of 3"),
    ("k = 2", "x, r, w, , , v, t", "operand 3 is missing"),
    ("k = 2", "x, r, w, s, , v, t, , w, s", "a third layer is not supported"),
])
def test_what_is_not_supported_of_experts_of_few_bits(here, attributes, operands, message):
    onnx.save(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
        g (float[R, 32] x, float[R, E] r, uint8[E, I, 16] w, float[E, I] s, uint8[E, 32, J] v, float[E, 32] t) => (float[] y) {{
          y = com.microsoft.QMoE<{attributes}>({operands}) }}"""), here / "model.onnx")
    with pytest.raises(dyn.CompileError, match=message):
        dyn.compile(here / "model.onnx", threads=1)


def test_experts_of_few_bits_say_how_long_their_input_is(here):
    onnx.save(onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
        g (float[B, S, H] x, float[R, E] r, uint8[4, 6, 16] w, float[4, 6] s, uint8[4, 32, 3] v, float[4, 32] t, float[Q, D] q) => (y) {
          y = com.microsoft.QMoE<k = 2>(x, r, w, s, , v, t, , , , , , , , q) }"""), here / "model.onnx")
    shapes = dyn.shapes(here / "model.onnx")
    assert [str(dim) for dim in shapes.values["y"].dims] == ["B", "S", "32"]
    assert {"H == 32", "B * S == R", "E == 4", "B * S == Q", "D == 4"} == {str(guard).split("  ")[0] for guard in shapes.guards}


def test_layers_of_different_widths_compute_what_wide_ones_do(here):
    """onnxruntime has no such kernel for CPUs. Numbers of 2 bits less 2 are bytes less a zero that is 2."""
    generator = np.random.default_rng(0)
    narrow = generator.integers(0, 4, (4, 16, 32), np.uint8)
    packed = sum(narrow[..., i::4] << (2 * i) for i in range(4))
    inputs = {"x": generator.standard_normal((3, 32), np.float32), "r": generator.standard_normal((3, 4), np.float32),
              "s": generator.random((4, 16), np.float32), "v": generator.integers(0, 256, (4, 32, 16), np.uint8),
              "t": generator.random((4, 32), np.float32) / 100}
    results = []
    for attributes, zeros, weights in [(", fc1_expert_weight_bits = 2", "", packed),
                                       ("", ", , , , , z", narrow)]:
        length = weights.shape[2]
        model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
            g (float[R, 32] x, float[R, 4] r, uint8[4, 16, {length}] w, float[4, 16] s, uint8[4, 32, 16] v, float[4, 32] t,
               uint8[4, 16] z) => (y) {{
              y = com.microsoft.QMoE<k = 2, expert_weight_bits = 8{attributes}>(x, r, w, s, , v, t{zeros}) }}""")
        given = {**inputs, "w": weights, "z": np.full((4, 16), 2, np.uint8)}
        results.append(dyn.Reference(model).run(given)[0])
    np.testing.assert_array_equal(*results)

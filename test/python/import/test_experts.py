"""What is refused of onnxruntime's mixtures of experts; what is computed is in contrib_cases.py."""

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

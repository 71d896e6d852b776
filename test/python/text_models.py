"""Models of a few nodes written in ONNX's text syntax, their inputs, and the ways to run them."""

import numpy as np
import onnx.parser
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

ENTRIES = [dyn.Reference, dyn.compile]


def build(inputs, body, opset=18):
    """A model whose output is `y`, of which only the element type is declared."""
    header = f'<ir_version: 10, opset_import: ["" : {opset}, "com.microsoft" : 1]>'
    model = onnx.parser.parse_model(f"{header} g ({inputs}) => (float y) {{ {body} }}")
    model.graph.output[0].type.tensor_type.ClearField("shape")
    return model


def numbers(*dims):
    return np.random.default_rng(0).standard_normal(dims).astype(np.float32)

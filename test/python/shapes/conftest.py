import onnx
import onnx.parser
import pytest


@pytest.fixture(scope="session")
def dyn():
    return pytest.importorskip("dyn")


@pytest.fixture
def build():
    """A model from ONNX's textual form of a graph."""

    def build(graph, opset=17, domains=""):
        text = f'<ir_version: 8, opset_import: ["" : {opset}{domains}]> {graph}'
        return onnx.parser.parse_model(text)

    return build

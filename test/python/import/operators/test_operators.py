"""Every operator, in every way of writing it, computes what onnxruntime computes."""

import numpy as np
import onnx
import pytest

from models import build, make_inputs, run_onnxruntime
from operator_cases import CASES

SIZES = [{"N": 2, "C": 3, "S": 5, "K": 4}]


@pytest.mark.parametrize("name", CASES)
def test_imports(import_model, name):
    assert "return" in import_model(build(CASES[name])).text


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", CASES)
def test_computes_what_onnxruntime_does(tool, here, name, sizes):
    model = build(CASES[name])
    inputs = make_inputs(model, sizes)
    onnx.save(model, here / "model.onnx")
    for key, value in inputs.items():
        np.save(here / f"{key}.npy", value)
    files = [f"--input={key}={here / key}.npy" for key in inputs]
    if "--reference" not in tool("dyn-run", "--help").stdout:
        pytest.skip("dyn-run has no interpreter")
    process = tool("dyn-run", here / "model.onnx", "--reference", f"--output-dir={here / 'out'}", *files)
    assert process.returncode == 0, process.stderr
    for output, expected in zip(model.graph.output, run_onnxruntime(model, inputs)):
        got = np.load(here / "out" / f"{output.name}.npy")
        assert got.dtype == expected.dtype and got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=2e-6)

"""The interpreter behind `dyn.Reference`, and the backends for the package onnx."""

import numpy as np
import onnx
import pytest

import small_models

dyn = pytest.importorskip("dyn", reason="the Python package is not built")


def test_runs_a_model():
    model = dyn.Reference(small_models.dense())
    x = np.ones((3, 8), np.float32)
    (y,) = model.run({"x": x})
    (expected,) = dyn.compile(small_models.dense()).run({"x": x})
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    assert [str(tensor) for tensor in model.inputs] == ["x: float32[batch, 8]"]


def test_reads_a_model_from_its_file(tmp_path):
    onnx.save(small_models.dense(), tmp_path / "model.onnx")
    (y,) = dyn.Reference(tmp_path / "model.onnx").run({"x": np.ones((3, 8), np.float32)})
    assert y.shape == (3, 4)


def test_infers_shapes_first():
    model = dyn.Reference(small_models.append(), infer_shapes=True)
    assert all("?" not in tensor.dims for tensor in model.outputs)


def test_refuses_unknown_missing_and_wrong_inputs():
    model = dyn.Reference(small_models.dense())
    with pytest.raises(dyn.ModelError, match="no input 'z'"):
        model.run({"z": np.ones((3, 8), np.float32)})
    with pytest.raises(dyn.ModelError, match="'x' is not given"):
        model.run({})
    with pytest.raises(dyn.ModelError, match="float64"):
        model.run({"x": np.ones((3, 8))})
    with pytest.raises(dyn.ShapeError, match="x|argument"):
        model.run({"x": np.ones((3, 7), np.float32)})


@pytest.mark.parametrize("backend", ["DynBackend", "ReferenceBackend"])
def test_backends(backend):
    onnx_backend = pytest.importorskip("dyn.onnx_backend")
    prepared = getattr(onnx_backend, backend).prepare(small_models.dense())
    outputs = prepared.run([np.ones((2, 8), np.float32)])
    assert outputs.y.shape == (2, 4) and outputs[0] is outputs.y
    with pytest.raises(ValueError, match="CUDA"):
        getattr(onnx_backend, backend).prepare(small_models.dense(), "CUDA")
    with pytest.raises(ValueError, match="2 inputs"):
        prepared.run([np.ones((2, 8), np.float32)] * 2)

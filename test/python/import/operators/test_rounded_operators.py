"""Operators that onnxruntime rounds otherwise, for example by tables of integers: results differ by at most one."""

import numpy as np
import onnx
import pytest

from contrib_cases import ROUNDED
from models import build, make_inputs, run_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")


@pytest.mark.parametrize("name", ROUNDED)
def test_differs_by_at_most_one(name, here):
    model = build(ROUNDED[name])
    onnx.save(model, here / "model.onnx")
    inputs = make_inputs(model)
    for ours, theirs in zip(dyn.Reference(model).run(inputs), run_onnxruntime(model, inputs), strict=True):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert np.abs(ours.astype(int) - theirs.astype(int)).max() <= 1

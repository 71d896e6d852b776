"""Operators that onnxruntime rounds otherwise, for example by tables of integers, where results differ by at most one, or
after other steps of halves."""

import numpy as np
import onnx
import pytest

import attention_cases
import layer_cases
from contrib_cases import ROUNDED
from models import build, make_inputs, open_runners, run_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

HALVES = {**attention_cases.HALVES, **layer_cases.HALVES}
HALVES_DEFINED = {**attention_cases.HALVES_DEFINED, **layer_cases.HALVES_DEFINED}


@pytest.mark.parametrize("name", ROUNDED)
def test_differs_by_at_most_one(name, here):
    model = build(ROUNDED[name])
    onnx.save(model, here / "model.onnx")
    inputs = make_inputs(model)
    for ours, theirs in zip(dyn.Reference(model).run(inputs), run_onnxruntime(model, inputs), strict=True):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert np.abs(ours.astype(int) - theirs.astype(int)).max() <= 1


@pytest.mark.parametrize("sizes", [{"N": 2, "S": 5, "K": 4}, {"N": 1, "S": 1, "K": 1}, {"N": 3, "S": 7, "K": 17}])
@pytest.mark.parametrize("name", HALVES)
def test_differs_by_a_rounding_of_halves(name, sizes):
    model = build(HALVES[name])
    inputs = make_inputs(model, sizes)
    (expected,) = run_onnxruntime(build(HALVES_DEFINED.get(name, HALVES[name])), inputs)
    for runner in open_runners(model):
        (ours,) = runner.run(inputs)
        assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(ours, expected, rtol=2e-3, atol=1e-2)

"""Profiles through the Python package."""

import json

import numpy as np
import pytest

import dyn
import small_models


@pytest.fixture(scope="module")
def executable():
    return dyn.compile(small_models.dense(), threads=2)


def test_kernels_have_formulas_and_numbers(executable):
    profile = executable.profile({"x": np.ones((6, 8), np.float32)}, runs=3)
    (kernel,) = profile.kernels
    assert (kernel.kind, kernel.launches) == ("contraction", 1)
    # The product takes two operations a step, bias and relu one each.
    assert kernel.operations == 6 * 4 * (2 * 8 + 2)
    assert kernel.operations_formula == "72 * batch"
    # x, w and y, once each; b, one number four times, is part of the code.
    assert kernel.bytes == 4 * (6 * 8 + 8 * 4 + 6 * 4)
    assert set(kernel.nodes) <= {"product", "bias", "relu"} and "relu" in kernel.nodes
    assert 0 < kernel.seconds <= profile.seconds
    assert 0 < kernel.share and profile.operations_per_second > 0 and profile.bytes_per_second > 0
    assert kernel.name in str(profile)


def test_trace_is_json(executable, tmp_path):
    profile = executable.profile({"x": np.ones((6, 8), np.float32)}, runs=1)
    profile.save_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [event["args"]["items"] for event in events if event["ph"] == "X"]


def test_what_is_wrong_is_refused(executable):
    with pytest.raises(ValueError, match="runs is 0: must be at least 1"):
        executable.profile({"x": np.ones((6, 8), np.float32)}, runs=0)
    with pytest.raises(dyn.ModelError, match="input 'x' is missing"):
        executable.profile({})

"""Axes and lengths that inputs say are refused where an operator has no such ones."""

import numpy as np
import pytest
from text_models import ENTRIES, build, dyn, numbers


@pytest.mark.parametrize("op, opset", [("CumSum", 14), ("CumProd", 26)])
def test_axes_out_of_range_are_refused(op, opset):
    model = build("float[n, k] x, int64 a", f"y = {op}(x, a)", opset)
    x = numbers(2, 3)
    compute = np.cumsum if op == "CumSum" else np.cumprod
    for entry in ENTRIES:
        runner = entry(model)
        for axis in (-2, -1, 0, 1):
            np.testing.assert_allclose(runner.run({"x": x, "a": np.array(axis)})[0], compute(x, axis), 1e-5)
        for axis in (-3, 2):
            with pytest.raises(dyn.Error, match=f"index {axis} .*is out of bounds"):
                runner.run({"x": x, "a": np.array(axis)})


def test_axes_of_changes_of_rank_are_in_range_and_stand_once():
    squeeze = dyn.Reference(build("float[n, o, k] x, int64[a] z", "y = Squeeze(x, z)"))
    unsqueeze = dyn.Reference(build("float[n, k] x, int64[a] z", "y = Unsqueeze(x, z)"))
    x = numbers(2, 1, 3)
    for axis in (1, -2):
        assert squeeze.run({"x": x, "z": np.array([axis])})[0].shape == (2, 3)
    assert unsqueeze.run({"x": x[:, 0], "z": np.array([-1, 0])})[0].shape == (1, 2, 3, 1)
    for axes in ([5], [-5], [1, 1], [1, -2]):
        with pytest.raises(dyn.Error, match="is out of bounds"):
            squeeze.run({"x": x, "z": np.array(axes)})
    for axes in ([4], [-4], [0, 0], [0, -4]):
        with pytest.raises(dyn.Error, match="is out of bounds"):
            unsqueeze.run({"x": x[:, 0], "z": np.array(axes)})


def test_no_sequence_is_shorter_than_nothing():
    model = build("float[t, b] x, int64[b] l", "y = ReverseSequence<batch_axis = 1, time_axis = 0>(x, l)")
    x = numbers(2, 3)
    for entry in ENTRIES:
        runner = entry(model)
        expected = np.stack([x[:, 0], x[:, 1], x[::-1, 2]], 1)
        np.testing.assert_array_equal(runner.run({"x": x, "l": np.array([0, 1, 2])})[0], expected)
        for length in (-1, 3):
            with pytest.raises(dyn.Error, match="is out of bounds"):
                runner.run({"x": x, "l": np.array([length, 1, 1])})

"""Random small models give the same compiled, interpreted and in onnxruntime, at sizes from 0 on."""

import warnings

import numpy as np
import pytest

import random_models
from zoo.runners import Died, OnnxRuntime, Refused

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

SEEDS = range(60)
TOLERANCE = {"float16": 3e-3, "float32": 2e-5, "float64": 1e-9}
# A NaN may come of these.
PARTIAL = {"Log", "Sqrt", "Pow", "Div", "Mod", "Reciprocal", "Cast", "ReduceMean", "ReduceLogSumExp"}


def assert_same(ours, theirs, what):
    for got, expected in zip(ours, theirs, strict=True):
        expected = np.asarray(expected)
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype), what
        tolerance = TOLERANCE.get(got.dtype.name, 0)
        np.testing.assert_allclose(got.astype(float), expected.astype(float), tolerance, 4 * tolerance, err_msg=str(what))


def outcome(run, inputs):
    """What a run gives, or why it does not."""
    try:
        return run(inputs), ""
    except (dyn.ShapeError, Refused, Died) as error:
        return None, str(error) or "died"


def make_runners(path):
    """Compiled and interpreted."""
    with warnings.catch_warnings(action="ignore"):
        return dyn.compile(path, threads=1), dyn.Reference(path)


def check(seed, path):
    """Raises AssertionError where there is a difference that is none of those that are known."""
    model, runs = random_models.make(seed)
    path.write_bytes(model.SerializeToString())
    operators = {node.op_type for node in model.graph.node}
    theirs = OnnxRuntime(path, threads=1)
    try:
        try:
            compiled, interpreted = make_runners(path)
        except dyn.CompileError as error:
            # There are models that fit no sizes; onnxruntime looks less closely where nothing is computed.
            given = [{name: value.shape for name, value in inputs.items()} for inputs in runs
                     if all(value.size for value in inputs.values()) and outcome(theirs.run, inputs)[0] is not None]
            assert not given, (error, given)
            reasons = ["cannot hold", "cannot be equal", "no sizes are possible", "which the operator does not take"]
            assert any(reason in str(error) for reason in reasons), error
            return
        for inputs in runs:
            what = {name: value.shape for name, value in inputs.items()}
            is_empty = any(0 in shape for shape in what.values())
            (ours, refusal), (other, reason) = outcome(compiled.run, inputs), outcome(interpreted.run, inputs)
            if ours is not None and other is not None:
                assert_same(ours, other, what)
            elif other is not None or ours is not None:
                # What nobody reads is not computed, so that it can't fail.
                is_unread = operators & {"Shape", "Size"} or not ours or all(value.size == 0 for value in ours)
                assert ours is not None and is_unread, (what, refusal or reason)
            # Of nothing, onnxruntime reduces to other dims than the specification says; it does not order NaNs.
            if any(name.startswith(("Reduce", "Arg")) for name in operators) and is_empty:
                continue
            if operators & {"ArgMax", "ArgMin"} and operators & PARTIAL:
                continue
            expected, _ = outcome(theirs.run, inputs)
            if expected is not None and ours is not None:
                assert_same(ours, expected, what)
            # onnxruntime lets empty parts of a concat have any dims.
            assert ours is not None or expected is None or ("Concat" in operators and is_empty), (what, refusal)
    finally:
        theirs.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_agrees(seed, here):
    check(seed, here / "model.onnx")

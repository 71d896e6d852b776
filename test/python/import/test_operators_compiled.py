"""Every operator, compiled once, computes what onnxruntime computes at every size, 0 and 1 included."""

import warnings

import onnx
import pytest

from models import build, make_inputs, run_onnxruntime
from operator_cases import CASES
from zoo.runners import Interpreter, largest_difference

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

SIZES = [{"N": 2, "C": 3, "S": 5, "K": 4}, {"N": 1, "C": 1, "S": 1, "K": 1}, {"N": 0, "C": 3, "S": 5, "K": 4},
         {"N": 7, "C": 3, "S": 5, "K": 4}, {"N": 3, "C": 17, "S": 33, "K": 2}]
# Sizes that are refused though onnxruntime runs them: a dim of 1 that has a name would change the rank.
REFUSED = {"Squeeze-all": lambda sizes: 1 in (sizes["N"], sizes["C"])}
# onnxruntime does not survive a batch of 0.
ENDS_THE_PROCESS = ("RNN", "GRU", "LSTM", "GroupQueryAttention")
FAILURES = {
    **dict.fromkeys(["NonZero", "NonMaxSuppression", "NonMaxSuppression-centres", "NonMaxSuppression-none", "Unique",
                     "Unique-unsorted", "Unique-axis", "Unique-axis-1"], "sizes that data decide are not compiled yet"),
    "Det": "interpreted only",
}


def expected_outputs(name, model, inputs, sizes, interpreter):
    """onnxruntime's, but for reductions of nothing, where it returns the wrong dims, and for what ends its process
    where there are no sequences: those are interpreted.

    None where that refuses.
    """
    try:
        if 0 in sizes.values() and name.startswith(("Reduce", "ArgM", *ENDS_THE_PROCESS)):
            return interpreter.run(inputs)
        return run_onnxruntime(model, inputs)
    except Exception:  # It says no by exceptions of several kinds.
        return None


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=FAILURES[name]))
                                  if name in FAILURES else name for name in CASES])
def test_computes_at_every_size(name, request, here):
    model = build(CASES[name])
    onnx.save(model, here / "model.onnx")
    with warnings.catch_warnings(action="ignore"):
        executable = dyn.compile(here / "model.onnx", threads=1)
    interpreter = Interpreter(request.config.getoption("--build-dir").resolve() / "bin/dyn-run", here / "model.onnx", here)
    compared = 0
    for sizes in SIZES:
        inputs = make_inputs(model, sizes)
        expected = expected_outputs(name, model, inputs, sizes, interpreter)
        try:
            got = executable.run(inputs)
        except dyn.ShapeError as error:
            is_known = name in REFUSED and REFUSED[name](sizes)
            assert expected is None or is_known, f"only Dyn refuses {sizes}: {error}"
            continue
        if expected is not None:
            for ours, theirs in zip(got, expected, strict=True):
                assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), sizes
                assert largest_difference(ours, theirs) < 1e-5, sizes
            compared += 1
    assert compared

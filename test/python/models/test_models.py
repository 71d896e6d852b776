"""Real models, each compiled once, at many sizes: 0, 1, primes, the ends of ranges."""

import numpy as np
import pytest

from zoo.memory import is_within_target
from zoo.runners import Died, DynPackage, Interpreter, Refused, largest_difference

CHEAP = 1e9  # operations of a run that is also interpreted


def compare(model, got, expected, with_whom):
    assert len(got) == len(expected)
    for index, (ours, theirs) in enumerate(zip(got, expected)):
        assert ours.shape == theirs.shape, f"output {index} against {with_whom}"
        assert ours.dtype == theirs.dtype, f"output {index} against {with_whom}"
        difference = largest_difference(ours, theirs)
        assert difference <= model.tolerance, f"output {index} differs from {with_whom} by {difference:.1e} of its largest value"


def check_stays_inside(compiled, inputs, got):
    """Bit for bit the same where each tensor and the arena end at a page that may not be touched."""
    arrays = [inputs[tensor.name] for tensor in compiled.dyn.executable.inputs]
    again = compiled.guarded.run(arrays, [value.dtype for value in got], [value.ndim for value in got])
    for index, (one, other) in enumerate(zip(got, again)):
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), f"output {index} differs between runs"


def test_agrees(shelf, name, sizes):
    """With onnxruntime where it runs and is right, and with the interpreter where that is cheap."""
    compiled = shelf.take(name)
    model = compiled.model
    is_cheap = model.operations(sizes) < CHEAP
    if isinstance(compiled.dyn, Interpreter) and not is_cheap:
        pytest.skip("too much work for the interpreter")
    inputs = model.inputs(sizes, ragged=True)
    try:
        expected = compiled.onnxruntime.run(inputs)
    except (Refused, Died) as error:
        assert not model.must_run(sizes), f"onnxruntime: {error}"
        expected, refusal = None, error
    try:
        got = compiled.dyn.run(inputs)
    except Refused as error:
        if isinstance(compiled.dyn, Interpreter) and 0 in sizes.values():
            pytest.skip(str(error))
        assert expected is None and not isinstance(refusal, Died), f"only Dyn refuses: {error}"
        assert len(str(error).splitlines()) == 1, "an error is one line"
        return
    if isinstance(compiled.dyn, DynPackage):
        arena, live = compiled.dyn.memory(inputs)
        assert live is None or is_within_target(arena, live), f"{arena} bytes of working memory for {live}"
    if compiled.guarded and is_cheap:
        check_stays_inside(compiled, inputs, got)
    compared = 0
    if expected is not None:
        compare(model, got, expected, "onnxruntime")
        compared += 1
    if compiled.interpreter and is_cheap:
        compare(model, got, compiled.interpreter.run(inputs), "the interpreter")
        compared += 1
    if not compared:
        pytest.skip(f"nothing to compare with; onnxruntime: {refusal}")

"""Real models, each compiled once, at many sizes: 0, 1, primes, the ends of ranges."""

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


def interpreted(interpreter, inputs, sizes):
    """None where the letter of ONNX divides 0 by 0 for a -1, though compiled code and onnxruntime know what is meant."""
    try:
        return interpreter.run(inputs)
    except Refused:
        if 0 in sizes.values():
            return None
        raise


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
    except (Refused, Died):
        expected = None
    try:
        got = compiled.dyn.run(inputs)
    except Refused as error:
        if isinstance(compiled.dyn, Interpreter) and 0 in sizes.values():
            pytest.skip(str(error))
        assert expected is None, f"only Dyn refuses: {error}"
        assert len(str(error).splitlines()) == 1, "an error is one line"
        return
    if isinstance(compiled.dyn, DynPackage):
        arena, live = compiled.dyn.memory(inputs)
        assert live is None or is_within_target(arena, live), f"{arena} bytes of working memory for {live}"
    if expected is not None:
        compare(model, got, expected, "onnxruntime")
    if compiled.interpreter and is_cheap:
        reference = interpreted(compiled.interpreter, inputs, sizes)
        if reference is not None:
            compare(model, got, reference, "the interpreter")

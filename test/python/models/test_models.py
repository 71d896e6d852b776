"""Real models, each compiled once, at many sizes: 0, 1, primes, the ends of ranges."""

from zoo.runners import Died, Refused, largest_difference

CHEAP = 1e9  # operations of a run that is also interpreted


def compare(model, got, expected, with_whom):
    assert len(got) == len(expected)
    for index, (ours, theirs) in enumerate(zip(got, expected)):
        assert ours.shape == theirs.shape, f"output {index} against {with_whom}"
        assert ours.dtype == theirs.dtype, f"output {index} against {with_whom}"
        difference = largest_difference(ours, theirs)
        assert difference <= model.tolerance, f"output {index} differs from {with_whom} by {difference:.1e} of its largest value"


def test_agrees(compiled, sizes):
    """With onnxruntime where it runs and is right, and with the interpreter where that is cheap."""
    model = compiled.model
    inputs = model.inputs(sizes, ragged=True)
    try:
        expected = compiled.onnxruntime.run(inputs)
    except (Refused, Died):
        expected = None
    try:
        got = compiled.dyn.run(inputs)
    except Refused as error:
        assert expected is None, f"only Dyn refuses: {error}"
        assert len(str(error).splitlines()) == 1, "an error is one line"
        return
    if expected is not None:
        compare(model, got, expected, "onnxruntime")
    if compiled.interpreter and model.operations(sizes) < CHEAP:
        compare(model, got, compiled.interpreter.run(inputs), "the interpreter")

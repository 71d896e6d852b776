"""The node tests of the package onnx: expected values, and dims that inference promised.

What fails is listed in `expected_failures` under the reason that its message must say; a test that is listed and passes
is an error, so that the lists only shrink. `count.py MODE --update` writes a list anew.
"""

import pytest

import node_cases

pytest.importorskip("dyn", reason="the Python package is not built")


def cases():
    for mode in node_cases.MODES:
        expected = node_cases.expected_failures(mode)
        unknown = expected.keys() - set(node_cases.NAMES)
        assert not unknown, f"there are no such tests: {unknown}"
        for name in node_cases.NAMES:
            yield pytest.param(mode, name, expected.get(name), id=f"{mode}-{name}")


@pytest.mark.parametrize("mode, name, reason", cases())
def test_interpreted(mode, name, reason):
    if reason is None:
        node_cases.run(name, mode)
        return
    failure = node_cases.attempt(name, mode)
    assert failure, f"it passes: take it off the list, where it fails for {reason!r}"
    assert node_cases.is_for(failure, reason), f"it fails for another reason than {reason!r}: {failure}"
    pytest.xfail(reason)


def test_another_reason_is_no_expected_failure():
    failure = "CompileError: node 'y' (Mean): operand 0 has no rank"
    reason = node_cases.reason_of(failure)
    assert reason == "CompileError: (Mean): operand 0 has no rank"
    assert node_cases.is_for(failure, reason) and node_cases.is_for(failure.replace("'y'", "'z'"), reason)
    assert not node_cases.is_for(failure.replace("rank", "dims"), reason)
    assert not node_cases.is_for(failure.replace("Compile", "Shape"), reason)

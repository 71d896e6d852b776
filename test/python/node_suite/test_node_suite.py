"""The node tests of the package onnx: expected values, and dims that inference promised; and what other programs compute
at other sizes.

What fails is listed in `expected_failures` under the reason that its message must say; a test that is listed and passes
is an error, so that the lists only shrink. `count.py MODE --update` writes a list anew.
"""

import pytest

import node_cases
import other_sizes

pytest.importorskip("dyn", reason="the Python package is not built")


def check_names(listed):
    unknown = listed.keys() - set(node_cases.NAMES)
    assert not unknown, f"there are no such tests: {unknown}"
    return listed


def cases():
    for mode in node_cases.MODES:
        expected = check_names(node_cases.expected_failures(mode))
        for name in node_cases.NAMES:
            yield pytest.param(mode, name, expected.get(name), id=f"{mode}-{name}")


def expect(reason, failure):
    assert failure, f"it passes: take it off the list, where it fails for {reason!r}"
    assert node_cases.is_for(failure, reason), f"it fails for another reason than {reason!r}: {failure}"
    pytest.xfail(reason)


@pytest.mark.parametrize("mode, name, reason", list(cases()))
def test_interpreted(mode, name, reason):
    if reason is None:
        node_cases.run(name, mode)
        return
    expect(reason, node_cases.attempt(name, mode))


@pytest.mark.parametrize("name", check_names(node_cases.draws_numbers()))
def test_random_numbers_are_others_than_expected(name):
    """Else they would have to be compared."""
    with pytest.raises(AssertionError):
        node_cases.run(name, "as_given", with_values=True)


def cases_at_other_sizes():
    failing = check_names(node_cases.expected_failures(other_sizes.MODE))
    skipped = check_names(other_sizes.not_compared())
    check_names(other_sizes.differences())
    for name in node_cases.NAMES:
        yield pytest.param(name, failing.get(name), skipped.get(name), id=name)


@pytest.mark.parametrize("name, reason, not_compared", list(cases_at_other_sizes()))
def test_at_other_sizes(name, reason, not_compared):
    try:
        other_sizes.run(name)
    except other_sizes.NotCompared as why:
        assert not_compared == str(why), f"it is no longer compared: {why}"
        pytest.skip(not_compared)
    except Exception as error:
        if reason is None:
            raise
        expect(reason, node_cases.tell(error))
    assert reason is None, f"it passes: take it off the list, where it fails for {reason!r}"
    assert not_compared is None, f"it is compared: take it off the list, where it says {not_compared!r}"


def test_another_reason_is_no_expected_failure():
    failure = "CompileError: node 'y' (Mean): operand 0 has no rank"
    reason = node_cases.reason_of(failure)
    assert reason == "CompileError: (Mean): operand 0 has no rank"
    assert node_cases.is_for(failure, reason) and node_cases.is_for(failure.replace("'y'", "'z'"), reason)
    assert not node_cases.is_for(failure.replace("rank", "dims"), reason)
    assert not node_cases.is_for(failure.replace("Compile", "Shape"), reason)
    assert node_cases.reason_of("AssertionError: a (b) (sizes: x: (0, 4); onnxruntime)") == "AssertionError: a (b)"

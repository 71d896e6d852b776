"""The node tests of the package onnx: expected values, and dims that inference promised.

What fails is listed in `expected_failures` with its reason; a test that is listed and passes is an error, so that the
lists only shrink. `count.py MODE --update` writes a list anew.
"""

import pytest

import node_cases

pytest.importorskip("dyn", reason="the Python package is not built")


def cases(mode):
    expected = node_cases.expected_failures(mode)
    unknown = expected.keys() - set(node_cases.NAMES)
    assert not unknown, f"there are no such tests: {unknown}"
    return [pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=expected[name])) if name in expected else name
            for name in node_cases.NAMES]


@pytest.mark.parametrize("name", cases("as_given"))
def test_interpreted(name):
    node_cases.run(name, "as_given")


@pytest.mark.parametrize("name", cases("symbolic"))
def test_interpreted_with_every_dim_a_symbol(name):
    node_cases.run(name, "symbolic")


@pytest.mark.parametrize("name", cases("equal_sizes"))
def test_interpreted_with_a_symbol_for_equal_sizes(name):
    node_cases.run(name, "equal_sizes")


@pytest.mark.parametrize("name", cases("leading"))
def test_interpreted_with_leading_dims_dynamic(name):
    node_cases.run(name, "leading")

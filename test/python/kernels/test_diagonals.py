"""Triangles of matrices by diagonals that lie far outside of them."""

import numpy as np
import pytest
from text_models import ENTRIES, build, numbers


@pytest.mark.parametrize("upper", [0, 1])
def test_the_greatest_numbers_are_diagonals_too(upper):
    x = numbers(2, 3) + 10
    for diagonal in (2**63 - 1, 2**63 - 2, -2**63, -2**63 + 1):
        everything = (diagonal < 0) == (upper == 1)
        expected = x if everything else 0 * x
        for model in (build("float[n, k] x, int64 a", f"y = Trilu<upper = {upper}>(x, a)"),
                      build("float[n, k] x", f"a = Constant<value_int = {diagonal}>() y = Trilu<upper = {upper}>(x, a)")):
            inputs = {"x": x, "a": np.array(diagonal)}
            for entry in ENTRIES:
                given = {value.name: inputs[value.name] for value in model.graph.input}
                np.testing.assert_array_equal(entry(model).run(given)[0], expected)

"""Every operator where the file alone tells the ranks of the inputs computes the same, in the interpreter."""

import pathlib
import re
import sys
import warnings

import numpy as np
import pytest

import node_cases

sys.path.append(str(pathlib.Path(__file__).parents[1] / "import" / "operators"))

from models import build, make_inputs  # noqa: E402
from operator_cases import CASES, SIZES  # noqa: E402

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

# What is refused for another reason than a rank that the file does not tell.
REFUSED = {
    "AffineGrid-one-image": "ShapeError: .*axis 1 is out of range",  # ONNX's definition squeezes a batch of one image
    "DeformConv": "CompileError: .*size of the window must be known",
    "DeformConv-strides": "CompileError: .*size of the window must be known",
}


@pytest.mark.parametrize("name", CASES)
def test_computes_the_same(name):
    model = build(CASES[name])
    inputs = make_inputs(model, SIZES)
    expected = dyn.Reference(model).run(inputs)
    try:
        with warnings.catch_warnings(action="ignore"):
            runner = dyn.Reference(node_cases.forget_ranks(model), infer_shapes=True)
        results = node_cases.run_model(runner, inputs)
    except dyn.Error as error:
        told = re.search(r"the rank of operand \d+, '(\w+)', must be known", str(error))
        if told and told[1] not in inputs:
            pytest.skip(f"nothing tells the rank of '{told[1]}', which is computed")
        assert re.match(REFUSED.get(name, "never"), f"{type(error).__name__}: {error}"), error
        pytest.xfail(REFUSED[name])
    assert name not in REFUSED
    for got, wanted in zip(results, expected, strict=True):
        node_cases.compare(got, wanted, name)

"""Operators that ONNX defines by others: each node has the body of its own attributes, operands and element types."""

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

# Nodes of one operator that differ in one thing, and one that is like the first.
TEXT = """<ir_version: 12, opset_import: ["" : 23]>
bodies (float[A, B] x, float[N, C] scores, int64[N] labels, int64[N] others, float[C] weights)
    => (a, b, c, d, mean, total, weighted, again) {
  sizes = Constant<value = int64[2] {3, 2}>()
  width = Constant<value = int64[1] {4}>()
  a = CenterCropPad(x, sizes)
  b = CenterCropPad<axes = [1, 0]>(x, sizes)
  c = CenterCropPad<axes = [1]>(x, width)
  d = CenterCropPad<axes = [0]>(x, width)
  mean = NegativeLogLikelihoodLoss<reduction = "mean">(scores, labels)
  total = NegativeLogLikelihoodLoss<reduction = "sum">(scores, labels)
  weighted = NegativeLogLikelihoodLoss<reduction = "mean">(scores, labels, weights)
  again = NegativeLogLikelihoodLoss<reduction = "mean">(scores, others)
}"""


@pytest.mark.parametrize("rows, columns", [(1, 1), (2, 5), (7, 3), (4, 4)])
def test_of_nodes_that_differ_in_attributes_or_operands(tmp_path, rows, columns):
    path = tmp_path / "model.onnx"
    onnx.save(onnx.parser.parse_model(TEXT), path)
    random = np.random.default_rng(rows)
    inputs = {"x": random.random((rows, columns), np.float32), "scores": random.random((rows, 3), np.float32),
              "labels": random.integers(0, 3, rows), "others": random.integers(0, 3, rows),
              "weights": random.random(3, np.float32)}
    expected = ReferenceEvaluator(str(path)).run(None, inputs)
    for result, wanted in zip(dyn.Reference(path).run(inputs), expected, strict=True):
        assert result.shape == wanted.shape
        np.testing.assert_allclose(result, wanted, rtol=1e-6)


def test_sizes_beyond_the_budget_of_expressions_keep_their_names(tmp_path):
    """What the slices of a body give, each phase finds in another form."""
    path = tmp_path / "model.onnx"
    onnx.save(onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 18]>
crops (float[A, B, C] x, int64[2] sizes) => (y) { y = CenterCropPad<axes = [-1, 0]>(x, sizes) }"""), path)
    executable, reference, theirs = dyn.compile(path, threads=1), dyn.Reference(path), ReferenceEvaluator(str(path))
    for dims, sizes in [((5, 4, 3), (2, 6)), ((1, 1, 1), (3, 3)), ((7, 2, 5), (7, 2)), ((4, 3, 4), (0, 9)), ((0, 2, 3), (3, 0))]:
        inputs = {"x": np.random.default_rng(0).random(dims, np.float32), "sizes": np.array(sizes)}
        (expected,) = theirs.run(None, inputs)
        for runner in (executable, reference):
            np.testing.assert_array_equal(runner.run(inputs)[0], expected)


def test_of_nodes_that_differ_in_element_types(tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(onnx.parser.parse_model("""<ir_version: 12, opset_import: ["" : 23]>
types (float[A, 4] x, float16[A, 4] h, float[A, 2] cosines, float16[A, 2] halves) => (a, b) {
  a = RotaryEmbedding(x, cosines, cosines)
  b = RotaryEmbedding(h, halves, halves)
}""".replace("[A, 4]", "[1, 1, A, 4]").replace("[A, 2]", "[1, A, 2]")), path)
    values = dyn.shapes(path).values
    assert (values["a"].dtype, values["b"].dtype) == ("f32", "f16")

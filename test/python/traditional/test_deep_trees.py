"""Ensembles of deep trees: the time to compile them grows with their size, not with the ways through their steps."""

import numpy as np
import onnx.helper as oh
import pytest
from onnx import TensorProto

from models import run_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")


def make_model(depth, trees):
    """Each tree is a chain of decisions `x <= k`, each of which ends at a leaf of its own or at the next decision."""
    attributes = {name: [] for name in ("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes",
                                        "nodes_truenodeids", "nodes_falsenodeids")}
    leaves = {name: [] for name in ("target_treeids", "target_nodeids", "target_ids", "target_weights")}

    def add(lists, *values):
        for elements, value in zip(lists.values(), values):
            elements.append(value)

    for tree in range(trees):
        for node in range(depth):
            add(attributes, tree, node, 0, float(node), "BRANCH_LEQ", depth + node, node + 1 if node + 1 < depth else 2 * depth)
        for node in range(depth, 2 * depth + 1):
            add(attributes, tree, node, 0, 0.0, "LEAF", 0, 0)
            add(leaves, tree, node, 0, float(node * (tree + 1)))
    node = oh.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", n_targets=1, **attributes, **leaves)
    graph = oh.make_graph([node], "g", [oh.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1])],
                          [oh.make_empty_tensor_value_info("y")])
    return oh.make_model(graph, opset_imports=[oh.make_opsetid("", 18), oh.make_opsetid("ai.onnx.ml", 3)], ir_version=8)


@pytest.mark.parametrize("depth, trees", [(12, 2), (12, 7), (40, 3)])
def test_deep_trees(depth, trees):
    model = make_model(depth, trees)
    x = np.arange(-2, depth + 3, dtype=np.float32)[:, None]
    (expected,) = run_onnxruntime(model, {"x": x})
    for runner in dyn.Reference(model), dyn.compile(model, threads=1):
        np.testing.assert_allclose(runner.run({"x": x})[0], expected, 1e-6)

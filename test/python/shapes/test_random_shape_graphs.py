"""What is inferred of random computations of sizes is what onnxruntime produces, at sizes from 0 on."""

import collections

import numpy as np
import pytest

import random_shape_graphs
from zoo.runners import Died, OnnxRuntimeOfModels, Refused

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

SEEDS = [range(first, first + 30) for first in range(0, 240, 30)]
RUNS = 8

# Why Dyn refuses what onnxruntime runs: all of this stands in docs/limitations.md.
REFUSALS = {
    "a 0 in a shape": "a computed size of a Reshape that is 0 would copy a dim of the operand",
    "another rank": "a Squeeze without axes that finds another 1",
    "empty parts": "onnxruntime lets parts of a Concat, and matrices that it multiplies, have any dims where they are empty",
}


@pytest.fixture(scope="module")
def onnxruntime():
    server = OnnxRuntimeOfModels()
    yield server
    server.close()


def run(onnxruntime, model, inputs):
    """The values of all that nodes compute, by name; None where onnxruntime refuses the run."""
    try:
        outputs = onnxruntime.run((model.SerializeToString(), inputs))
    except (Refused, Died):
        return None
    return dict(zip([value.name for value in model.graph.output], outputs, strict=True))


def say(sizes):
    return "; ".join(f"{name} == {size}" for name, size in sizes.items())


def explain(model, guard, actual):
    """Which of the known refusals it is; None for one that is wrong."""
    nodes = {node.name: node for node in model.graph.node}
    operators = [nodes[name].op_type for name in guard.node.split(", ") if name in nodes]
    targets = [actual.get(node.input[1]) for node in model.graph.node if node.op_type == "Reshape"]
    if any(target is not None and 0 in target for target in targets):
        return "a 0 in a shape"
    if "would change the rank" in guard.because:
        return "another rank"
    if {"Concat", "MatMul"} & set(operators) and any(0 in np.shape(value) for value in actual.values()):
        return "empty parts"
    return None


def check(onnxruntime, seed, counts):
    model = random_shape_graphs.make(seed)
    try:
        table = dyn.shapes(model)
    except dyn.CompileError as error:
        # ONNX's reference takes some nodes that are none.
        inputs = random_shape_graphs.inputs(model, random_shape_graphs.WITNESS)
        assert run(onnxruntime, model, inputs) is None, (seed, str(error))
        counts["refused"] += 1
        return
    for sizes in random_shape_graphs.sizes(seed, RUNS):
        given = say(sizes)
        actual = run(onnxruntime, model, random_shape_graphs.inputs(model, sizes))
        if actual is None:
            continue
        counts["runs"] += 1
        broken = [guard for guard in table.guards if dyn.prove(guard.predicate, given=given).answer == "no"]
        if broken:
            reason = explain(model, broken[0], actual)
            assert reason in REFUSALS, (seed, given, broken)
            counts[reason] += 1
            continue
        for name, value in actual.items():
            dims = table.values[name].dims
            # A Squeeze without axes, or a Reshape by data.
            if dims is None:
                continue
            assert len(dims) == np.ndim(value), (seed, given, name, dims)
            for dim, size in zip(dims, np.shape(value), strict=True):
                counts["dims"] += 1
                answer = dyn.prove(f"{dim} == {size}", given=given).answer
                assert answer != "no", (seed, given, name, dims, np.shape(value))
                counts["unknown"] += answer == "unknown"


@pytest.mark.parametrize("seeds", SEEDS, ids=lambda seeds: f"{seeds.start}..{seeds.stop - 1}")
@pytest.mark.filterwarnings("ignore")
def test_inferred_dims_are_those_of_onnxruntime(onnxruntime, seeds):
    counts = collections.Counter()
    for seed in seeds:
        check(onnxruntime, seed, counts)
    # Something was compared, and hardly any dim is one that only the data of a run tell.
    assert counts["runs"] > 4 * len(seeds) and counts["dims"] > 100 * len(seeds) and counts["refused"] < 3, counts
    assert counts["unknown"] < 0.01 * counts["dims"], counts

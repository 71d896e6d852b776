"""Sequences and optionals disappear at import, and what is left computes what onnxruntime computes."""

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

from sequence_cases import CASES, REFUSED

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

SIZES = [{"N": n, "C": c} for n in (0, 1, 2, 7) for c in (1, 5)] + [{"N": 3, "C": 0}]


def build(case):
    opset, inputs, outputs, body = case[:4]
    results = ", ".join(f"float[] {name}" for name in outputs.split(", "))
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]>\ng ({inputs}) => ({results}) {{ {body} }}')
    for number, node in enumerate(model.graph.node):
        node.name = f"/{node.op_type}_{number}"
    for output in model.graph.output:
        output.ClearField("type")
    return model


def make_inputs(model, sizes):
    generator = np.random.default_rng(0)
    return {value.name: generator.standard_normal(
        [dim.dim_value if dim.HasField("dim_value") else sizes[dim.dim_param] for dim in value.type.tensor_type.shape.dim]
    ).astype(np.float32) for value in model.graph.input}


@pytest.mark.parametrize("run", ["compiled", "interpreted"])
@pytest.mark.parametrize("name", CASES)
def test_computes_at_every_size(name, run):
    model = build(CASES[name])
    runner = dyn.compile(model, threads=1) if run == "compiled" else dyn.Reference(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for sizes in SIZES:
        inputs = make_inputs(model, sizes)
        for ours, theirs in zip(runner.run(inputs), session.run(None, inputs), strict=True):
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), sizes
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(name):
    case = REFUSED[name]
    with pytest.raises(dyn.CompileError, match=case[4]):
        dyn.Reference(build(case))

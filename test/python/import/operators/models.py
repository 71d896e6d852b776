"""Builds the models of operator_cases and inputs for them, and runs onnxruntime."""

import functools

import numpy as np
import onnx
import onnx.parser
import onnxruntime

from operator_cases import SIZES


def build(case):
    opset, inputs, outputs, body = case
    # The text needs some type for each output; it is removed again.
    results = ", ".join(f"float {name.strip()}" for name in outputs.split(","))
    header = f'<ir_version: 8, opset_import: ["" : {opset}, "com.microsoft" : 1]>'
    model = onnx.parser.parse_model(f"{header}\ng ({inputs}) => ({results}) {{ {body} }}")
    for output in model.graph.output:
        output.ClearField("type")
    for node in model.graph.node:
        node.name = f"/{node.op_type}/{node.output[0]}"
    return model


def dims_of(value, sizes):
    return [dim.dim_value if dim.HasField("dim_value") else sizes[dim.dim_param]
            for dim in value.type.tensor_type.shape.dim]


def make_inputs(model, sizes=SIZES, seed=0):
    generator = np.random.default_rng(seed)
    result = {}
    for value in model.graph.input:
        kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        numbers = generator.standard_normal(dims_of(value, sizes)) * 2
        result[value.name] = (numbers > 0) if kind == bool else np.asarray(numbers * (1 if kind.kind == "f" else 4), kind)
    return result


def run_onnxruntime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def open_runners(model):
    """The interpreter and the compiled model; tests that ask again get the same."""
    return _open_runners(model.SerializeToString())


@functools.cache
def _open_runners(text):
    import dyn

    return dyn.Reference(text), dyn.compile(text, threads=1)

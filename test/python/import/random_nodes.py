"""Models of one random node, most of them wrong: of any operator that ONNX or onnxruntime has a schema of, with operands of
any element type and rank and with any attributes.

`python random_nodes.py SEED COUNT` infers and interprets them, and prints the number of each before it begins: what it
printed last is the one that ended the process.
"""

import random
import resource
import sys
import warnings

import numpy as np
import onnx
from onnx import helper, numpy_helper

# "float8e4m3fn" and so on; strings among them.
TYPES = {name.lower(): number for name, number in onnx.TensorProto.DataType.items()
         if name != "UNDEFINED" and not name.startswith("COMPLEX")}
USUAL = ["float", "float16", "double", "int64", "int32", "uint8", "int8", "bool", "string"]
INTEGERS = [0, 1, 2, 3, -1, 100, -2**63, 2**63 - 1, 2**31]
FLOATS = [0.0, 1.0, -1.0, 0.5, float("nan"), float("inf")]
STRINGS = ["", "NOTSET", "SAME_UPPER", "linear", "cubic", "Relu", "none"]


def list_schemas():
    """The newest schema of each operator."""
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

    newest = {}
    contrib = [schema for schema in get_all_operator_schema() if schema.domain == "com.microsoft"]
    for schema in [*onnx.defs.get_all_schemas_with_history(), *contrib]:
        if not schema.domain.startswith("ai.onnx.preview"):
            key = (schema.domain, schema.name)
            if key not in newest or newest[key].since_version < schema.since_version:
                newest[key] = schema
    return [newest[key] for key in sorted(newest)]


def make_attribute(generator, kind):
    """None for kinds that hold graphs and types."""
    if kind == "INT":
        return generator.choice(INTEGERS)
    if kind == "FLOAT":
        return generator.choice(FLOATS)
    if kind == "STRING":
        return generator.choice(STRINGS)
    several = {"INTS": INTEGERS, "FLOATS": FLOATS, "STRINGS": STRINGS}.get(kind)
    if several:
        return [generator.choice(several) for _ in range(generator.randrange(1, 5))]
    if kind == "TENSOR":
        dims = [generator.randrange(3) for _ in range(generator.randrange(3))]
        return numpy_helper.from_array(np.zeros(dims, generator.choice([np.float32, np.int64, np.int32])), "value")
    return None


def make_operand(generator, name, kind):
    """A ValueInfoProto, or a TensorProto for a constant."""
    rank = generator.choice([0, 1, 1, 2, 2, 3, 3, 4, 5])
    if generator.random() < 0.3 and kind in USUAL and kind != "string":
        dims = [generator.choice([0, 1, 2, 3, 4]) for _ in range(min(rank, 3))]
        values = np.random.default_rng(generator.randrange(10**6)).integers(0, 6, dims)
        return numpy_helper.from_array(values.astype(helper.tensor_dtype_to_np_dtype(TYPES[kind])), name)
    dims = None if generator.random() < 0.05 else [generator.choice(["a", "b", "c", 0, 1, 2, 3, 4, 8, 16, None])
                                                   for _ in range(rank)]
    return helper.make_tensor_value_info(name, TYPES[kind], dims)


def make(seed, schemas):
    generator = random.Random(seed)
    schema = generator.choice(schemas)
    most = min(schema.max_input, 9)
    count = generator.choice([schema.min_input, most, generator.randrange(most + 1)])
    allowed = {constraint.type_param_str: constraint.allowed_type_strs for constraint in schema.type_constraints}
    names, inputs, constants, chosen = [], [], [], {}
    for index in range(count):
        if generator.random() < (0.25 if index >= schema.min_input else 0.02):
            names.append("")
            continue
        formal = schema.inputs[min(index, len(schema.inputs) - 1)]
        text = formal.type_str if hasattr(formal, "type_str") else formal.typeStr
        kinds = [kind[len("tensor("):-1] for kind in allowed.get(text, [text]) if kind.startswith("tensor(")]
        kinds = [kind for kind in kinds if kind in USUAL] or [kind for kind in kinds if kind in TYPES] or ["float"]
        kind = chosen.setdefault(text, generator.choice(kinds))
        if generator.random() < 0.15:
            kind = generator.choice([*USUAL, *TYPES])
        names.append(f"x{index}")
        operand = make_operand(generator, names[-1], kind)
        (constants if isinstance(operand, onnx.TensorProto) else inputs).append(operand)
    attributes = {}
    for name, attribute in sorted(schema.attributes.items()):
        if generator.random() < (0.8 if attribute.required else 0.35):
            value = make_attribute(generator, str(attribute.type).split(".")[-1])
            if value is not None:
                attributes[name] = value
    outputs = [f"y{index}" for index in range(max(1, generator.choice([schema.min_output, min(schema.max_output, 4)])))]
    node = helper.make_node(schema.name, names, outputs, "node", domain=schema.domain, **attributes)
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info(name, TYPES["float"], None)
                                                    for name in outputs], constants)
    opsets = {"": generator.choice([13, 17, 21, 24, 26]), "com.microsoft": 1, "ai.onnx.ml": 5}
    return helper.make_model(graph, ir_version=11,
                             opset_imports=[helper.make_opsetid(*opset) for opset in opsets.items()])


def attempt(model):
    """Everything but an error of Dyn is a fault."""
    import dyn

    for infer in (dyn.shapes, dyn.check_dims):
        try:
            infer(model)
        except dyn.Error:
            pass
    try:
        reference = dyn.Reference(model)
        values = {}
        for tensor in reference.inputs:
            dims = [int(dim) if dim.isdigit() else 2 for dim in tensor.dims or ()]
            values[tensor.name] = np.full(dims, "a" if tensor.dtype == object else 1, tensor.dtype)
        reference.run(values)
    except (dyn.Error, MemoryError):
        pass


def main(seed, count):
    warnings.simplefilter("ignore")
    # Some ask for more than there is, and are to be told so.
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    schemas = list_schemas()
    for number in range(seed, seed + count):
        print(number, flush=True)
        attempt(make(number, schemas))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

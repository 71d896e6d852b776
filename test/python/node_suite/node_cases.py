"""The node tests of the package onnx, and how they are run."""

import collections
import pathlib
import re
import warnings

import numpy as np
import onnx
import onnx.backend.test
from onnx import numpy_helper

NODES = pathlib.Path(onnx.backend.test.__file__).parent / "data" / "node"
FOLDER = pathlib.Path(__file__).parent
TRAINING = {"Adagrad", "Adam", "Momentum"}
NAMES = sorted(folder.name for folder in NODES.iterdir() if (folder / "model.onnx").exists())


def load(name: str) -> onnx.ModelProto:
    return onnx.load(NODES / name / "model.onnx")


def read_value(path: pathlib.Path, info: onnx.ValueInfoProto):
    """An array, a list of arrays, or None, of a file of a node test."""
    kind = info.type.WhichOneof("value")
    data = path.read_bytes()
    if kind == "sequence_type":
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if kind == "optional_type":
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def read_sets(name: str, model: onnx.ModelProto):
    """(inputs by name, expected outputs) of each data set."""
    for folder in sorted((NODES / name).glob("test_data_set_*")):
        inputs = {value.name: read_value(folder / f"input_{i}.pb", value) for i, value in enumerate(model.graph.input)}
        outputs = [read_value(folder / f"output_{i}.pb", value) for i, value in enumerate(model.graph.output)]
        yield inputs, outputs


def compare(ours, expected, what: str, with_values=True):
    """As onnx's own runner compares: dims, element types, and values to 1e-3. Where numbers that cancel each other leave
    almost nothing, what is expected is exact to 1e-7 of the greatest number only."""
    if expected is None or isinstance(expected, list):
        assert type(ours) is type(expected), f"{what} is a {type(ours).__name__}"
        for i, (one, other) in enumerate(zip(ours or [], expected or [], strict=True)):
            compare(one, other, f"{what}[{i}]", with_values)
        return
    assert ours.shape == expected.shape, f"{what} has dims {list(ours.shape)} instead of {list(expected.shape)}"
    assert ours.dtype == expected.dtype, f"{what} has elements of type {ours.dtype} instead of {expected.dtype}"
    if not with_values:
        return
    if expected.dtype.kind in "OUS":
        np.testing.assert_array_equal(ours, expected, what)
    elif expected.dtype.kind == "V" or expected.dtype.itemsize == 1:
        np.testing.assert_allclose(ours.astype(np.float32), expected.astype(np.float32), 1e-3, 1e-7, err_msg=what)
    else:
        finite = np.abs(expected[np.isfinite(expected)]) if expected.dtype.kind == "f" else np.zeros(0)
        scale = float(np.max(finite, initial=1)) if finite.size else 1
        np.testing.assert_allclose(ours, expected, 1e-3, 1e-7 * scale, err_msg=what)


def name_dims(model: onnx.ModelProto, name) -> onnx.ModelProto:
    """Dims of inputs get the names that `name(input number, place, size)` gives, none where that is None; what outputs,
    values, and tensors in inputs declare goes."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for number, value in enumerate(result.graph.input):
        kind = value.type
        while (wrapper := kind.WhichOneof("value")) in ("sequence_type", "optional_type"):
            kind = getattr(kind, wrapper).elem_type
        if kind is not value.type:
            kind.tensor_type.ClearField("shape")
        else:
            for place, dim in enumerate(kind.tensor_type.shape.dim):
                if given := name(number, place, dim.dim_value):
                    dim.dim_param = given
    for value in result.graph.output:
        if value.type.WhichOneof("value") == "tensor_type":
            value.type.tensor_type.ClearField("shape")
    del result.graph.value_info[:]
    return result


NAMES_OF_DIMS = {
    "symbolic": lambda number, place, size: f"s{number}_{place}",
    "equal_sizes": lambda number, place, size: f"n{size}",
    "leading": lambda number, place, size: f"s{number}" if place == 0 else None,
}
"""Every dim its own symbol; equal sizes share a symbol; only leading dims are dynamic."""
MODES = ("as_given", *NAMES_OF_DIMS, "told_ranks")


def forget_ranks(model: onnx.ModelProto) -> onnx.ModelProto:
    """Inputs are reshaped to dims that only the run gives, so that the file alone tells the ranks of what is computed
    with."""
    result = name_dims(model, NAMES_OF_DIMS["symbolic"])
    inputs, reshapes = list(result.graph.input), []
    # Operators of older opsets are not supported; from 14 on it can be said that 0 is a dim.
    versions = {opset.domain: opset for opset in result.opset_import}
    opset = versions.get("") or versions.get("ai.onnx") or result.opset_import.add(version=14)
    version = opset.version = max(opset.version, 7)
    del result.graph.input[:]
    for value in inputs:
        given = result.graph.input.add()
        given.CopyFrom(value)
        if value.type.WhichOneof("value") == "tensor_type":
            given.name = f"{value.name}__given"
            dims = onnx.helper.make_tensor_value_info(f"{value.name}__dims", onnx.TensorProto.INT64, [None])
            result.graph.input.append(dims)
            result.graph.value_info.append(value)
            reshape = onnx.helper.make_node("Reshape", [given.name, dims.name], [value.name])
            if version >= 14:
                reshape.attribute.append(onnx.helper.make_attribute("allowzero", 1))
            reshapes.append(reshape)
    nodes = [*reshapes, *result.graph.node]
    del result.graph.node[:]
    result.graph.node.extend(nodes)
    return result


def with_dims(inputs):
    """What the inputs of such a model are."""
    found = dict(inputs)
    for name, value in inputs.items():
        if isinstance(value, np.ndarray):
            found |= {f"{name}__given": value, f"{name}__dims": np.array(value.shape, np.int64)}
    return found


def make_runner(model: onnx.ModelProto, mode: str):
    """The model as the mode says it, and something that runs it."""
    import dyn

    kind = mode.removeprefix("compiled_")
    if kind in NAMES_OF_DIMS:
        model = name_dims(model, NAMES_OF_DIMS[kind])
    elif kind == "told_ranks":
        model = forget_ranks(model)
    with warnings.catch_warnings(action="ignore"):
        if mode.startswith("compiled"):
            return model, dyn.compile(model, threads=1)
        return model, dyn.Reference(model, infer_shapes=kind != "as_given")


def run_model(runner, inputs):
    known = {tensor.name for tensor in runner.inputs}
    return runner.run({key: value for key, value in with_dims(inputs).items() if key in known})


def draws_numbers() -> dict[str, str]:
    """The tests whose results are random numbers, of which only dims and element types are compared."""
    return read_list(FOLDER / "random_numbers.txt")


def run(name: str, mode: str, with_values=None):
    """Runs one node test. Raises what went wrong. Values are compared unless they are random numbers.

    Modes: `as_given`, those of NAMES_OF_DIMS and `told_ranks` interpret, all but the first with dims inferred before,
    which the interpreter checks; `compiled` and `compiled_symbolic` compile the same models.
    """
    with_values = name not in draws_numbers() if with_values is None else with_values
    given = load(name)
    model, runner = make_runner(given, mode)
    for inputs, expected in read_sets(name, given):
        outputs = run_model(runner, inputs)
        assert len(outputs) == len(expected)
        for value, ours, theirs in zip(model.graph.output, outputs, expected):
            compare(ours, theirs, f"output '{value.name}'", with_values)


def tell(error: Exception) -> str:
    """What is wrong with a test, in a line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = " ".join(lines[:6]) if isinstance(error, AssertionError) else lines[0] if lines else ""
    return re.sub(r"\s+", " ", f"{type(error).__name__}: {text}")[:300]


def attempt(name: str, mode: str) -> str:
    """What is wrong with a test, in a line; empty if nothing is."""
    try:
        run(name, mode)
    except Exception as error:
        return tell(error)
    return ""


def reason_of(failure: str) -> str:
    """What attempt says without names of nodes and sizes, so that tests which fail for one reason have one."""
    kind, _, text = failure.partition(": ")
    text = re.sub(r"^(node|unnamed node that computes) '[^']*' ", "", text)
    text = re.sub(r" \(node '[^']*'\)$| \(sizes: .*", "", text)
    return f"{kind}: {text}"


def is_for(failure: str, reason: str) -> bool:
    """Does a test fail with the error, and the text, that a list gives as its reason?"""
    kind, _, text = reason.partition(": ")
    return failure.startswith(f"{kind}: ") and text in failure


def read_list(path: pathlib.Path) -> dict[str, str]:
    """Reasons by the names of tests; nothing where there is no file."""
    found, reason = {}, ""
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith(" "):
            found[line.strip()] = reason
        else:
            reason = line
    return found


def write_list(path: pathlib.Path, reasons: dict[str, str]):
    """Reasons, each followed by the names of the tests that it is about."""
    groups = collections.defaultdict(list)
    for name, reason in sorted(reasons.items()):
        groups[reason].append(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{reason}\n" + "".join(f"    {name}\n" for name in names)
                            for reason, names in sorted(groups.items())))


def expected_failures(mode: str) -> dict[str, str]:
    """Why a test fails, by its name."""
    return read_list(FOLDER / "expected_failures" / f"{mode}.txt")


def write_expected_failures(mode: str, failures: dict[str, str]):
    write_list(FOLDER / "expected_failures" / f"{mode}.txt",
               {name: reason_of(failure) for name, failure in failures.items()})

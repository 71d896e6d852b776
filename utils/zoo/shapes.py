"""Inferred sizes against those that onnxruntime really produces, for every value of a model."""

import dataclasses
import re

import numpy as np
import onnx

from zoo import recipes
from zoo.runners import Died, Refused

_REFUSES = "refuses sizes that onnxruntime runs"
_ROUNDED = "onnxruntime rounds -1 / 2 to 0 for a window of two over one place, and computes one from it; PyTorch refuses"

# Differences that are onnxruntime's own choice: patterns of lines, all of which are found at small sizes, and why.
EXPECTED = {
    "control-flow/fp16model_loop": (
        [r"\{'rows': 0, .*\}: dim 1 of 'scan_res' is 0, but data_1 is inferred",
         r"\{'rows': 0, .*\}: dim 1 of 'y2' is 0, but data_1 is inferred"],
        "a loop of no trips scans no value, and onnxruntime says 0 for each dim that the body does not declare"),
    "exported/cnn/unet_legacy": ([rf".*: the guard 4 <= {size} {_REFUSES}" for size in ("height", "width")], _ROUNDED),
    "exported/rnn/crnn_dynamo": ([f".*: the guard 4 <= width {_REFUSES}"], _ROUNDED),
    "exported/rnn/crnn_legacy": ([f".*: the guard 4 <= width {_REFUSES}"], _ROUNDED),
}

FUNCTIONS = {"__builtins__": {}, "Max": max, "Min": min}


class Unknown(Exception):
    """An expression has no value at these sizes."""


def evaluate(text, sizes):
    """The value of the text of a dim. A name alone may be any text; in expressions names have letters, digits and dots,
    or are quoted."""
    if text in sizes:
        return sizes[text]
    names = dict(sizes)

    def place(match):
        names[f"quoted{match.start()}"] = sizes.get(match.group(1) or match.group(2))
        return f"quoted{match.start()}"

    try:
        return eval(re.sub(r'"([^"]*)"|\b([A-Za-z_]\w*(?:\.\w+)+)', place, text), FUNCTIONS, names)
    except (NameError, ZeroDivisionError, TypeError) as error:
        raise Unknown(str(error)) from None


def is_within(value, facts):
    """Whether a value is in the range that begins the text of a symbol's facts: `[0, ?] mod 8`."""
    lower, upper = re.match(r"\[(\S+), (\S+)\]", facts).groups()
    return (lower == "?" or int(lower) <= value) and (upper == "?" or value <= int(upper))


def dims_of(value):
    """The dims of a ValueInfoProto: numbers and texts, None for one of which nothing is said; None without a shape."""
    if not value.type.tensor_type.HasField("shape"):
        return None
    return [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
            for dim in value.type.tensor_type.shape.dim]


def expose(model):
    """Makes all that nodes compute outputs of the model, in place. Values without a type are left out."""
    graph = model.graph
    outputs = {value.name for value in graph.output}
    types = {value.name: value.type.tensor_type.elem_type for value in graph.value_info}
    for node in graph.node:
        for name in node.output:
            if types.get(name) and name not in outputs:
                graph.output.append(onnx.helper.make_tensor_value_info(name, types[name], None))
    # What onnxruntime is told about sizes it would check in its own way.
    del graph.value_info[:]
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")


def _open_without_weights(path):
    """Runs a model whose weights need not be there: external data are zeros."""
    import onnxruntime

    model = onnx.load(path, load_external_data=False)
    names, values = [], []
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            zeros = np.zeros(tuple(tensor.dims), onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type))
            names.append(tensor.name)
            values.append(onnxruntime.OrtValue.ortvalue_from_numpy(zeros))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 2
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    if names:
        options.add_external_initializers(names, values)
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    outputs = [output.name for output in model.graph.output]

    def run(inputs):
        # Some values are sequences, or nothing.
        return {name: np.shape(value) for name, value in zip(outputs, session.run(outputs, inputs))
                if isinstance(value, np.ndarray)}

    return run


class Shapes:
    """A model with all of its inferred sizes, and onnxruntime beside it in a process of its own."""

    def __init__(self, path, folder):
        import dyn

        from zoo.runners import Server

        self.inferred = dyn.infer_shapes(path)
        self.table = dyn.shapes(path)
        graph = self.inferred.graph
        self.dims = {value.name: dims_of(value) for value in [*graph.value_info, *graph.output]}
        self.inputs = {value.name: dims_of(value) for value in graph.input}
        self.nodes = list(graph.node)
        exposed = onnx.ModelProto()
        exposed.CopyFrom(self.inferred)
        expose(exposed)
        onnx.save(exposed, folder / "exposed.onnx")
        self.onnxruntime = Server(_open_without_weights, (folder / "exposed.onnx",))

    def close(self):
        self.onnxruntime.close()

    def bind(self, inputs):
        """The values of the symbols that dims and elements of inputs give."""
        sizes = {}
        for name, dims in self.inputs.items():
            for dim, size in zip(dims or [], np.shape(inputs[name]) if name in inputs else ()):
                if isinstance(dim, str):
                    sizes.setdefault(dim, size)
        for symbol in self.table.symbols.values():
            if match := re.fullmatch(r"element (\d+) of '(.*)'", symbol.origin):
                sizes[symbol.name] = int(np.ravel(inputs[match.group(2)])[int(match.group(1))])
            elif match := re.fullmatch(r"dim (\d+) of '(.*)'", symbol.origin):
                sizes[symbol.name] = np.shape(inputs[match.group(2)])[int(match.group(1))]
        return sizes

    def run(self, inputs):
        """What onnxruntime produces: dims by name of value. None where it refuses or dies."""
        try:
            return self.onnxruntime.run(inputs)
        except (Refused, Died):
            return None

    def compare(self, inputs, actual, given=()):
        """What is inferred wrongly, as lines; and the dims of which nothing is known. `given` are sizes by name."""
        sizes, wrong, unknown = {**dict(given), **self.bind(inputs)}, [], []
        broken = self.broken_guard(sizes)
        if broken:
            return [f"the guard {broken} {_REFUSES}"], []
        spoilt = set()
        for node in self.nodes:
            lines, is_spoilt = [], bool(spoilt & set(node.input))
            for name in node.output:
                if name not in actual:
                    continue
                dims, shape = self.dims.get(name), actual[name]
                if dims is None:
                    unknown.append(name)
                elif len(dims) != len(shape):
                    lines.append(f"'{name}' has rank {len(shape)}, but {dims} is inferred")
                else:
                    for index, (dim, size) in enumerate(zip(dims, shape)):
                        self._compare_dim(f"dim {index} of '{name}'", dim, size, sizes, lines, unknown)
            # onnxruntime 1.31 forgets to reduce axes of empty tensors.
            is_spoilt |= bool(lines) and node.op_type.startswith(("Reduce", "Arg")) and 0 in actual[node.output[0]]
            if is_spoilt:
                spoilt.update(node.output)
            else:
                wrong += lines
        return wrong, unknown

    def _compare_dim(self, what, dim, size, sizes, wrong, unknown):
        if dim is None:
            unknown.append(what)
            return
        try:
            value = evaluate(str(dim), sizes)
        except Unknown:
            # A size from data is known when it is first seen, alone or beside a number.
            found = re.fullmatch(r"(.*?)(?: \+ (\d+))?", str(dim))
            symbol, value = self.table.symbols.get(found.group(1)), size - int(found.group(2) or 0)
            if symbol is None:
                unknown.append(f"{what} ({dim})")
            elif not is_within(value, symbol.facts):
                wrong.append(f"{what} is {size}, but {dim} is inferred, and {symbol.name} is in {symbol.facts}")
            else:
                sizes[symbol.name] = value
            return
        if value != size:
            wrong.append(f"{what} is {size}, but {dim} is inferred, which is {value}")

    def broken_guard(self, sizes):
        import dyn

        given = "; ".join(f'"{name}" == {value}' for name, value in sizes.items())
        for guard in self.table.guards:
            if dyn.prove(guard.predicate, given=given).answer == "no":
                return guard.predicate
        return None


def all_models(models_dir):
    """Names of the shared models that have a recipe: all but recipes.NEVER_RUN."""
    exported = (path.relative_to(models_dir).with_suffix("") for path in models_dir.glob("exported/*/*.onnx"))
    return sorted({*recipes.RECIPES, *recipes.SIZES_ONLY, *map(str, exported)})


def small_sizes(model):
    """Small sizes, with a 0, a 1 and a 2 for each of them, whether the model allows them or not; and others for where it
    does not."""
    known = sorted(model.sizes(), key=lambda sizes: (0 in sizes.values(), sum(sizes.values())))
    changed = [{**known[0], symbol: size} for size in (0, 1, 2, 3, 5, 7) for symbol in known[0]]
    small = 3 * len(known[0])
    return [known[0], *changed[:small]], [*known, *changed[small:]]


def known_sizes(model):
    """The sizes of the recipe, and others where those are few."""
    return model.sizes(), [sizes for found in small_sizes(model) for sizes in found]


@dataclasses.dataclass
class Findings:
    """The sizes that were compared; lines that say what is wrong, and what is so by onnxruntime's choice; unknown dims."""

    compared: list = dataclasses.field(default_factory=list)
    wrong: list = dataclasses.field(default_factory=list)
    expected: list = dataclasses.field(default_factory=list)
    unknown: list = dataclasses.field(default_factory=list)

    def add(self, name, sizes, lines, missing):
        patterns, _ = EXPECTED.get(name, ((), ""))
        if not any(_REFUSES in line for line in lines):  # Nothing more is compared then.
            self.compared.append(sizes)
        for line in (f"{sizes}: {line}" for line in lines):
            is_expected = any(re.match(pattern, line) for pattern in patterns)
            (self.expected if is_expected else self.wrong).append(line)
        self.unknown = sorted({*self.unknown, *missing})


def check_model(models_dir, name, folder, number_of_sizes=5, choose=known_sizes):
    """Compares a model at so many of the first sizes that `choose` gives and onnxruntime takes; of the further ones as many
    as are lacking for five."""
    model = recipes.load_model(models_dir, name)
    first, further = choose(model)
    lacking = min(number_of_sizes, 5)
    shapes, found, seen = Shapes(model.path, folder), Findings(), []
    try:
        for limit, sizes in [*((number_of_sizes, sizes) for sizes in first), *((lacking, sizes) for sizes in further)]:
            if sizes in seen or len(found.compared) >= limit:
                continue
            seen.append(sizes)
            inputs = model.inputs(sizes)
            actual = shapes.run(inputs)
            if actual is not None:
                found.add(name, sizes, *shapes.compare(inputs, actual, sizes))
    finally:
        shapes.close()
    return found

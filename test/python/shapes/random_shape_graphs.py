"""Random models that compute sizes from sizes, as exporters write them, and use them.

`make(seed)` gives the same model at each call. It runs at the sizes `WITNESS`; whether it does at others, runs tell.
"""

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

WITNESS = {"A": 6, "B": 4, "C": 3, "D": 1}
OPSET = 18
LARGEST = 4000  # elements of a value


class Builder:
    """Collects nodes, and what each of their results is at the sizes of the witness."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.initializers, self.inputs, self.values = [], [], [], {}

    def choose(self, options):
        return options[int(self.random.integers(len(options)))]

    def often(self, share):
        return self.random.random() < share

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def input(self):
        name = f"x{len(self.inputs)}"
        dims = [self.choose([*WITNESS, *WITNESS, 2, 3, 4, 6]) for _ in range(self.integer(1, 4))]
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dims))
        shape = [WITNESS.get(dim, dim) for dim in dims]
        self.values[name] = self.random.integers(-2, 3, shape).astype(np.float32)

    def constant(self, value, dtype=np.int64):
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        self.values[name] = np.asarray(value, dtype)
        return name

    def node(self, operator, operands, outputs=1, **attributes):
        """The names of the results; None where it can't run at the witness."""
        count = len(self.nodes)
        names = [f"v{count}" if outputs == 1 else f"v{count}_{index}" for index in range(outputs)]
        node = helper.make_node(operator, operands, names, name=f"n{count}", **attributes)
        try:
            with np.errstate(all="ignore"):
                found = ReferenceEvaluator(node, opsets={"": OPSET}).run(
                    None, {name: self.values[name] for name in operands if name})
        except Exception:  # whatever the evaluator raises for operands that do not fit
            return None
        if any(not isinstance(value, (np.ndarray, np.generic)) or np.size(value) > LARGEST for value in found):
            return None
        self.nodes.append(node)
        for name, value in zip(names, found, strict=True):
            self.values[name] = np.asarray(value)
        return names[0] if outputs == 1 else names

    # What there is so far.

    def pick(self, accept):
        found = [name for name, value in self.values.items() if not name.startswith("c") and accept(value)]
        # What is new is more often used than what is old.
        return found[max(self.integer(0, len(found) - 1) for _ in range(2))] if found else None

    def tensor(self, low=1, high=5):
        return self.pick(lambda value: value.dtype == np.float32 and low <= value.ndim <= high)

    def sizes(self, low=1, high=4):
        """A vector of sizes."""
        return self.pick(lambda value: value.dtype == np.int64 and value.ndim == 1 and low <= value.size <= high)

    def number(self):
        return self.pick(lambda value: value.dtype == np.int64 and value.ndim == 0)


def shape(b):
    x = b.tensor()
    attributes = {"start": b.integer(-2, 1)} if b.often(0.2) else {}
    return b.node("Shape", [x], **attributes)


def one_size(b):
    x = b.tensor()
    vector = b.node("Shape", [x])
    axis = b.integer(-b.values[x].ndim, b.values[x].ndim - 1)
    return b.node("Gather", [vector, b.constant(axis)], axis=0)


def gather(b):
    vector = b.sizes()
    if not vector:
        return None
    index = b.integer(-b.values[vector].size, b.values[vector].size - 1)
    return b.node("Gather", [vector, b.constant(index if b.often(0.6) else [index])], axis=0)


def slice_sizes(b):
    vector = b.sizes(2)
    if not vector:
        return None
    begin, end = b.integer(-3, 2), b.choose([1, 2, 3, -1, 2**63 - 1, -(2**63)])
    # onnxruntime takes the largest end of a slice backwards for the smallest.
    step = b.choose([1, 1, 1, 2] if end > 3 else [1, 1, 1, -1, 2])
    return b.node("Slice", [vector, b.constant([begin]), b.constant([end]), b.constant([0]), b.constant([step])])


def concat_sizes(b):
    parts = []
    for _ in range(b.integer(1, 4)):
        if b.often(0.4) and (vector := b.sizes(1, 2)):
            parts.append(vector)
        elif b.often(0.6) and (number := b.number()):
            parts.append(b.node("Unsqueeze", [number, b.constant([0])]))
        else:
            parts.append(b.constant([b.choose([-1, 1, 1, 2, 3, 4, 0])]))
    return b.node("Concat", parts, axis=0)


def arithmetic(b):
    a = b.number() if b.often(0.7) else b.sizes()
    if not a:
        return None
    other = b.number() if b.often(0.5) else None
    if other is None:
        other = b.constant(b.choose([1, 1, 2, 2, 3, 4, 8, -1, 0, 5]))
    operator = b.choose(["Add", "Add", "Sub", "Sub", "Mul", "Mul", "Div", "Div", "Mod", "Max", "Min"])
    return b.node(operator, [a, other] if b.often(0.8) else [other, a])


def round_up(b):
    """Padding to a multiple, in the ways of several exporters."""
    a = b.number()
    if not a:
        return None
    size = b.choose([2, 3, 4, 8])
    kind = b.integer(0, 3)
    if kind == 0:
        return b.node("Mul", [b.node("Div", [b.node("Add", [a, b.constant(size - 1)]), b.constant(size)]),
                              b.constant(size)])
    if kind == 1:
        rest = b.node("Mod", [b.node("Sub", [b.constant(size), b.node("Mod", [a, b.constant(size)])]), b.constant(size)])
        return b.node("Add", [a, rest])
    floats = b.node("Cast", [a], to=TensorProto.FLOAT)
    divided = b.node("Div", [floats, b.constant(float(size), np.float32)])
    rounded = b.node("Ceil" if kind == 2 else "Floor", [divided])
    return b.node("Cast", [rounded], to=TensorProto.INT64)


def reduce_sizes(b):
    vector = b.sizes()
    if not vector:
        return None
    operator = b.choose(["ReduceProd", "ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin"])
    if operator == "ReduceSum":
        return b.node(operator, [vector, b.constant([0])], keepdims=b.integer(0, 1))
    return b.node(operator, [vector], keepdims=b.integer(0, 1))


def narrow(b):
    a = b.number() or b.sizes()
    if not a:
        return None
    return b.node("Cast", [b.node("Cast", [a], to=TensorProto.INT32)], to=TensorProto.INT64)


def where_sizes(b):
    a, other = b.sizes(), b.sizes()
    if not a or not other:
        return None
    if b.values[a].size != b.values[other].size:
        other = b.constant([b.choose([1, 2, -1])] * b.values[a].size)
    condition = b.node(b.choose(["Equal", "Less", "Greater"]), [a, b.constant([b.choose([-1, 1, 0, 3, 4])])])
    return b.node("Where", [condition, a, other] if b.often(0.7) else [condition, other, a])


def squeeze_number(b):
    vector = b.pick(lambda value: value.dtype == np.int64 and value.shape == (1,))
    return b.node("Squeeze", [vector, b.constant([0])] if b.often(0.5) else [vector]) if vector else None


def size_of(b):
    return b.node("Size", [b.tensor()])


# Uses of sizes.


def reshape(b):
    x = b.tensor()
    total = b.values[x].size
    target = b.sizes()
    if target and b.often(0.4):
        return b.node("Reshape", [x, target])
    # Dims of the value, some of them joined, one of them perhaps not told.
    vector = b.node("Shape", [x])
    rank = b.values[x].ndim
    cut = b.integer(0, rank)
    parts = []
    for begin, end in ((0, cut), (cut, rank)):
        part = b.node("Slice", [vector, b.constant([begin]), b.constant([end]), b.constant([0])])
        if part and b.often(0.6):
            part = b.node("ReduceProd", [part], keepdims=1)
        parts.append(part)
    if b.often(0.5):
        parts[b.integer(0, 1)] = b.constant([-1])
    if b.often(0.3):
        divisor = b.choose([size for size in (2, 3, 4, 6) if total % size == 0] or [1])
        parts = [b.constant([-1]), b.constant([divisor])]
    if not all(parts):
        return None
    return b.node("Reshape", [x, b.node("Concat", parts, axis=0)])


def expand(b):
    x, target = b.tensor(), b.sizes()
    if not target:
        return None
    return b.node("Expand", [x, target])


def fill(b):
    target = b.sizes()
    if not target:
        return None
    value = numpy_helper.from_array(np.asarray([b.integer(0, 2)], np.float32), "value")
    return b.node("ConstantOfShape", [target], value=value)


def count_up(b):
    limit = b.number()
    if not limit:
        return None
    start = b.number() if b.often(0.3) else b.constant(b.choose([0, 0, 1, -2]))
    step = b.constant(b.choose([1, 1, 2, 3, -1]))
    counted = b.node("Range", [start, limit, step])
    return counted and b.node("Cast", [counted], to=TensorProto.FLOAT)


def slice_tensor(b):
    x = b.tensor()
    axis = b.integer(-b.values[x].ndim, b.values[x].ndim - 1)
    ends = [b.constant([b.choose([0, 1, 2, -1, -2, 2**63 - 1, 100])]) for _ in range(2)]
    number = b.number()
    if number and b.often(0.7):
        ends[b.integer(0, 1)] = b.node("Unsqueeze", [number, b.constant([0])])
    is_long = any(name in b.values and b.values[name].tolist() == [2**63 - 1] for name in ends)
    step = b.constant([b.choose([1, 1, 1, 2, 3] if is_long else [1, 1, 1, 2, 3, -1])])
    return b.node("Slice", [x, *ends, b.constant([axis]), step])


def pad_tensor(b):
    x = b.tensor(1, 3)
    rank = b.values[x].ndim
    amount = b.number()
    if not amount or not -5 <= b.values[amount] <= 20:
        return None
    amount = b.node("Unsqueeze", [amount, b.constant([0])])
    pads = [b.constant([0])] * (2 * rank)
    pads[b.integer(0, 2 * rank - 1)] = amount
    return b.node("Pad", [x, b.node("Concat", pads, axis=0)])


def tile(b):
    x = b.tensor(1, 3)
    rank = b.values[x].ndim
    repeats = b.sizes(rank, rank) if b.often(0.5) else None
    number = b.number()
    if not repeats and number:
        parts = [b.constant([1])] * rank
        parts[b.integer(0, rank - 1)] = b.node("Unsqueeze", [number, b.constant([0])])
        repeats = b.node("Concat", parts, axis=0)
    return b.node("Tile", [x, repeats]) if repeats else None


def join(b):
    x, y = b.tensor(), b.tensor()
    return b.node("Concat", [x, y], axis=b.integer(0, b.values[x].ndim - 1))


def add(b):
    return b.node(b.choose(["Add", "Mul", "Sub"]), [b.tensor(0), b.tensor(0)])


def matmul(b):
    return b.node("MatMul", [b.tensor(), b.tensor()])


def transpose(b):
    x = b.tensor(2)
    return b.node("Transpose", [x], perm=[int(axis) for axis in b.random.permutation(b.values[x].ndim)]) if x else None


def unsqueeze(b):
    x = b.tensor(1, 3)
    return b.node("Unsqueeze", [x, b.constant([b.integer(0, b.values[x].ndim)])])


def squeeze(b):
    x = b.pick(lambda value: value.dtype == np.float32 and 1 in value.shape)
    if not x:
        return None
    axis = b.choose([axis for axis, size in enumerate(b.values[x].shape) if size == 1])
    return b.node("Squeeze", [x, b.constant([axis])])


def flatten(b):
    x = b.tensor()
    return b.node("Flatten", [x], axis=b.integer(0, b.values[x].ndim))


def reduce(b):
    x = b.tensor()
    return b.node("ReduceSum", [x, b.constant([b.integer(0, b.values[x].ndim - 1)])], keepdims=b.integer(0, 1))


def pool(b):
    x = b.tensor(3, 4)
    if not x:
        return None
    rank = b.values[x].ndim - 2
    # A window that is larger than what it moves over by less than its stride finds one place in onnxruntime.
    kernel, kind = [b.integer(1, 3) for _ in range(rank)], b.integer(0, 1)
    attributes = {"strides": [b.integer(1, 3) for _ in range(rank)]}
    if kind == 0:
        attributes["auto_pad"] = b.choose(["SAME_UPPER", "SAME_LOWER"])
    else:
        kernel = [1 if stride > 1 else size for size, stride in zip(kernel, attributes["strides"])]
        attributes["pads"] = [b.integer(0, size - 1) for size in kernel] * 2
    attributes["kernel_shape"] = kernel
    return b.node("MaxPool", [x], ceil_mode=b.integer(0, 1) if kind else 0, **attributes)


def split(b):
    x = b.tensor()
    axis = b.integer(0, b.values[x].ndim - 1)
    number = b.number()
    size = b.values[x].shape[axis]
    if number and b.often(0.5) and 0 <= b.values[number] <= size:
        whole = b.node("Gather", [b.node("Shape", [x]), b.constant(axis)], axis=0)
        parts = [b.node("Unsqueeze", [part, b.constant([0])]) for part in (number, b.node("Sub", [whole, number]))]
        return b.node("Split", [x, b.node("Concat", parts, axis=0)], outputs=2, axis=axis)
    return b.node("Split", [x], outputs=2, axis=axis, num_outputs=2)


def top(b):
    x, number = b.tensor(), b.number()
    if not number:
        return None
    axis = b.integer(0, b.values[x].ndim - 1)
    if b.often(0.5):
        whole = b.node("Gather", [b.node("Shape", [x]), b.constant(axis)], axis=0)
        number = b.node("Min", [number, whole])
    return b.node("TopK", [x, b.node("Unsqueeze", [number, b.constant([0])])], outputs=2, axis=axis)


def take(b):
    """Rows by numbers that are counted up."""
    x, number = b.tensor(), b.number()
    if not number:
        return None
    axis = b.integer(0, b.values[x].ndim - 1)
    whole = b.node("Gather", [b.node("Shape", [x]), b.constant(axis)], axis=0)
    limit = b.node("Min", [number, whole])
    counted = limit and b.node("Range", [b.constant(0), limit, b.constant(1)])
    return counted and b.node("Gather", [x, counted], axis=axis)


def resize(b):
    x = b.tensor(3, 4)
    if not x:
        return None
    number = b.number()
    if number and 1 <= b.values[number] <= 12 and b.often(0.6):
        vector = b.node("Shape", [x])
        front = b.node("Slice", [vector, b.constant([0]), b.constant([-1]), b.constant([0])])
        target = b.node("Concat", [front, b.node("Unsqueeze", [number, b.constant([0])])], axis=0)
        return b.node("Resize", [x, "", "", target], mode="nearest")
    scales = [1.0] * (b.values[x].ndim - 1) + [b.choose([2.0, 0.5, 1.5, 3.0])]
    return b.node("Resize", [x, "", b.constant(scales, np.float32)], mode="nearest")


SIZES = [shape, shape, one_size, one_size, gather, slice_sizes, concat_sizes, concat_sizes, arithmetic, arithmetic, arithmetic,
         round_up, reduce_sizes, narrow, where_sizes, squeeze_number, size_of]
USES = [reshape, reshape, expand, expand, fill, count_up, slice_tensor, slice_tensor, pad_tensor, tile, join, add, matmul,
        transpose, unsqueeze, squeeze, flatten, reduce, pool, split, top, take, resize]


def make(seed):
    b = Builder(seed)
    for _ in range(b.integer(1, 3)):
        b.input()
    wanted = b.integer(6, 30)
    for _ in range(4 * wanted):
        if len(b.nodes) >= wanted:
            break
        kept, number = len(b.nodes), dict(b.values)
        try:
            made = b.choose(SIZES if b.often(0.6) else USES)(b)
        except (KeyError, TypeError, AttributeError):
            made = None  # a step in between could not be made
        if made is None:
            del b.nodes[kept:]
            b.values = number
            names = {name for name in number}
            b.initializers = [tensor for tensor in b.initializers if tensor.name in names]
    outputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(b.values[name].dtype), None)
               for node in b.nodes for name in node.output]
    graph = helper.make_graph(b.nodes, f"seed{seed}", b.inputs, outputs, b.initializers)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", OPSET)])


def sizes(seed, count):
    """Sizes of runs: the witness, and others with zeros and ones among them."""
    random = np.random.default_rng([seed, 1])
    yield dict(WITNESS)
    for index in range(count - 1):
        few = [0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12]
        yield {name: int(random.choice(few)) if index % 2 or random.random() < 0.5 else size
               for name, size in WITNESS.items()}


def inputs(model, sizes):
    random = np.random.default_rng(0)
    return {value.name: random.integers(-2, 3, [sizes[dim.dim_param] if dim.dim_param else dim.dim_value
                                               for dim in value.type.tensor_type.shape.dim]).astype(np.float32)
            for value in model.graph.input}

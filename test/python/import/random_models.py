"""Small random models of one to three nodes over supported operators, with inputs of many sizes.

`make(seed)` gives the same model and the same inputs at each call.
"""

import numpy as np
import onnx
from onnx import helper, numpy_helper

SYMBOLS = ["A", "B", "C", "D"]
SIZES = [0, 1, 2, 3, 7]
KINDS = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i64": np.int64, "i32": np.int32, "u8": np.uint8,
         "bool": np.bool_}
FLOATS, INTEGERS = ["f32", "f32", "f32", "f16", "f64"], ["i64", "i32", "u8"]
NUMBERS = [*FLOATS, *INTEGERS]


class Value:
    def __init__(self, name, kind, dims):
        self.name, self.kind, self.dims = name, kind, dims

    @property
    def rank(self):
        return len(self.dims)


class Builder:
    """Collects nodes; each operator takes a value and gives one whose dims are symbols, numbers, or None (not known)."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.inputs, self.constants, self.opset = [], [], [], 18

    def choose(self, options):
        return options[int(self.random.integers(len(options)))]

    def often(self, share):
        return self.random.random() < share

    def name(self):
        return f"v{len(self.nodes) + len(self.inputs) + len(self.constants)}"

    def dim(self):
        return self.choose(SYMBOLS) if self.often(0.75) else self.choose([1, 2, 3, 5])

    def input(self, kind, dims, low=-4, high=5):
        value = Value(self.name(), kind, [1 if dim is None else dim for dim in dims])
        self.inputs.append((value, low, high))
        return value

    def fresh(self, kinds=NUMBERS, ranks=(0, 1, 2, 3, 4)):
        return self.input(self.choose(kinds), [self.dim() for _ in range(self.choose(ranks))])

    def constant(self, values, kind="i64"):
        name = self.name()
        self.constants.append(numpy_helper.from_array(np.asarray(values, KINDS[kind]), name))
        return Value(name, kind, list(np.shape(values)))

    def node(self, operator, operands, kind, dims, count=1, **attributes):
        names = [f"{self.name()}_{i}" for i in range(count)]
        operands = [operand.name if operand else "" for operand in operands]
        self.nodes.append(helper.make_node(operator, operands, names, name=f"/{operator}_{len(self.nodes)}", **attributes))
        values = [Value(name, kind, list(dims)) for name in names]
        return values[0] if count == 1 else values

    def partner(self, x, kind=None, low=-4, high=5):
        """An input that broadcasts with x: a suffix of its dims, some of them 1, or with dims in front."""
        dims = [1 if self.often(0.25) else self.dim() if self.often(0.15) else dim for dim in x.dims]
        dims = dims[int(self.random.integers(len(dims) + 1)):] if self.often(0.3) else dims
        if self.often(0.15) and len(dims) < 4:
            dims = [self.dim(), *dims]
        return self.input(kind or x.kind, dims, low, high)

    def joined(self, *values):
        return [None] * max(value.rank for value in values)

    def axis(self, x):
        axis = int(self.random.integers(x.rank))
        return axis - x.rank if self.often(0.4) else axis


def unary(b, x):
    if x.kind == "bool":
        return b.node("Not", [x], "bool", x.dims)
    if x.kind not in FLOATS:
        return b.node(b.choose(["Abs", "Sign"] if x.kind == "u8" else ["Abs", "Neg", "Sign"]), [x], x.kind, x.dims)
    operator = b.choose(["Abs", "Neg", "Exp", "Sqrt", "Sin", "Cos", "Tan", "Tanh", "Sigmoid", "Erf", "Floor", "Ceil", "Round",
                         "Reciprocal", "Relu", "LeakyRelu", "Elu", "Softplus", "Softsign", "HardSigmoid", "HardSwish", "Mish",
                         "Selu", "Celu", "ThresholdedRelu", "Log"])
    return b.node(operator, [x], x.kind, x.dims)


def binary(b, x):
    if x.kind == "bool":
        return b.node(b.choose(["And", "Or", "Xor", "Equal"]), [x, y := b.partner(x)], "bool", b.joined(x, y))
    operator = b.choose(["Add", "Sub", "Mul", "Div", "Min", "Max", "Pow", "Mod"])
    if operator in ("Div", "Mod") and x.kind not in FLOATS:
        y = b.partner(x, low=0 if b.often(0.2) else 1, high=6)
    elif operator == "Pow":
        y = b.partner(x, low=0, high=4)
    else:
        y = b.partner(x)
    attributes = {"fmod": 1} if operator == "Mod" and x.kind in FLOATS else {}
    operands = [y, x] if operator in ("Add", "Sub", "Min", "Max") and b.often(0.4) else [x, y]
    return b.node(operator, operands, x.kind, b.joined(x, y), **attributes)


def comparison(b, x):
    operator = "Equal" if x.kind == "bool" else b.choose(["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"])
    return b.node(operator, [x, y := b.partner(x)], "bool", b.joined(x, y))


def where(b, x):
    condition = b.input("bool", [1 if b.often(0.3) else dim for dim in x.dims])
    return b.node("Where", [condition, x, y := b.partner(x)], x.kind, b.joined(x, y))


def cast(b, x):
    kind = b.choose([kind for kind in KINDS if not (kind == "u8" and x.kind != "bool")])
    return b.node("Cast", [x], kind, x.dims, to=helper.np_dtype_to_tensor_dtype(np.dtype(KINDS[kind])))


def clip(b, x):
    low, high = (b.constant(bound, x.kind) if b.often(0.7) else None for bound in (1, 3))
    return b.node("Clip", [x, low, high], x.kind, x.dims) if x.kind != "bool" else None


def reduction(b, x):
    if x.kind == "bool":
        return None
    kept = int(b.often(0.5))
    if x.rank and b.often(0.25):
        return b.node(b.choose(["ArgMax", "ArgMin"]), [x], "i64", [None] * (x.rank - 1 + kept), axis=b.axis(x), keepdims=kept,
                      select_last_index=int(b.often(0.3)))
    operator = b.choose(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
                         "ReduceSumSquare", "ReduceLogSumExp"] if x.kind in FLOATS else
                        ["ReduceMax", "ReduceMin"] if x.kind == "u8" else ["ReduceSum", "ReduceMax", "ReduceMin"])
    axes = sorted(b.random.permutation(x.rank)[:int(b.random.integers(x.rank + 1))].tolist())
    if not axes and b.often(0.5):
        return b.node(operator, [x], x.kind, [1] * x.rank if kept else [], keepdims=kept)
    removed = 0 if kept else len(axes) if axes else x.rank
    return b.node(operator, [x, b.constant(axes)] if axes else [x], x.kind, [None] * (x.rank - removed), keepdims=kept)


def normalization(b, x):
    if x.kind not in FLOATS or not x.rank:
        return None
    return b.node(b.choose(["Softmax", "LogSoftmax"]), [x], x.kind, x.dims, axis=b.axis(x))


def product(b, x):
    if x.kind not in ("f32", "f64") or not x.rank:
        return None
    y = b.input(x.kind, [x.dims[-1] or b.dim(), *([b.dim()] if b.often(0.8) else [])])
    return b.node("MatMul", [x, y], x.kind, [None] * (x.rank + y.rank - 2))


def transposition(b, x):
    if not x.rank:
        return None
    order = b.random.permutation(x.rank).tolist()
    return b.node("Transpose", [x], x.kind, [x.dims[i] for i in order], perm=order)


def concatenation(b, x):
    if not x.rank:
        return None
    axis = b.axis(x)
    other = b.input(x.kind, [b.dim() if i == axis % x.rank else dim or b.dim() for i, dim in enumerate(x.dims)])
    dims = [None if i == axis % x.rank else dim for i, dim in enumerate(x.dims)]
    return b.node("Concat", [x, other, *([x] if b.often(0.3) else [])], x.kind, dims, axis=axis)


def slicing(b, x):
    if not x.rank:
        return None
    axes = b.random.permutation(x.rank)[:int(b.random.integers(1, x.rank + 1))].tolist()
    bounds = [-2**63, -8, -3, -1, 0, 1, 2, 5, 2**63 - 1]
    steps = [b.choose([1, 1, 2, -1, -2, 3]) for _ in axes]
    starts = [b.choose(bounds) for _ in axes]
    # The greatest number as an end of steps back is the first element for onnxruntime, but not in the specification.
    ends = [b.choose(bounds if step > 0 else bounds[:-1]) for step in steps]
    dims = [None if i in axes else dim for i, dim in enumerate(x.dims)]
    return b.node("Slice", [x, *map(b.constant, (starts, ends, axes, steps))], x.kind, dims)


def splitting(b, x):
    if not x.rank:
        return None
    axis = b.axis(x)
    dims = [None if i == axis % x.rank else dim for i, dim in enumerate(x.dims)]
    b.opset = 13
    return b.choose(b.node("Split", [x], x.kind, dims, count=2, axis=axis))


def padding(b, x):
    if x.kind == "bool" or not x.rank:
        return None
    mode = b.choose(["constant", "constant", "reflect", "edge"])
    pads = b.random.integers(-1 if mode == "constant" else 0, 3, 2 * x.rank).tolist()
    return b.node("Pad", [x, b.constant(pads), b.constant(2, x.kind) if b.often(0.3) else None], x.kind, [None] * x.rank, mode=mode)


def repetition(b, x):
    if b.often(0.5):
        return b.node("Tile", [x, b.constant(b.random.integers(0, 4, x.rank).astype(np.int64))], x.kind, [None] * x.rank)
    shape = [b.choose([1, 1, 2, 3]) for _ in range(x.rank + int(b.often(0.4)))]
    return b.node("Expand", [x, b.constant(np.array(shape, np.int64))], x.kind, [None] * len(shape))


def gathering(b, x):
    if not x.rank:
        return None
    axis, indices = b.axis(x), b.input(b.choose(["i64", "i32"]), [b.dim() for _ in range(b.choose([0, 1, 2]))], -2, 2)
    if b.often(0.3):
        indices = b.input("i64", [dim or b.dim() for dim in x.dims], -1, 1)
        return b.node("GatherElements", [x, indices], x.kind, indices.dims, axis=axis)
    axis %= x.rank
    return b.node("Gather", [x, indices], x.kind, [*x.dims[:axis], *indices.dims, *x.dims[axis + 1:]], axis=axis)


def scattering(b, x):
    if not x.rank or any(dim is None for dim in x.dims):
        return None
    indices = b.input("i64", [1, 1], 0, 1)
    updates = b.input(x.kind, [1, *x.dims[1:]])
    return b.node("ScatterND", [x, indices, updates], x.kind, x.dims)


def reshaping(b, x):
    choice = b.choose(["copy", "flat", "Flatten", "Squeeze", "Unsqueeze", "dims"])
    if choice == "Flatten":
        return b.node("Flatten", [x], x.kind, [None, None], axis=int(b.random.integers(x.rank + 1)))
    if choice == "Unsqueeze":
        return b.node("Unsqueeze", [x, b.constant([int(b.random.integers(x.rank + 1))])], x.kind, [None] * (x.rank + 1))
    if choice == "Squeeze":
        ones = [i for i, dim in enumerate(x.dims) if dim == 1]
        return b.node("Squeeze", [x, b.constant(ones)], x.kind, [dim for dim in x.dims if dim != 1]) if ones else None
    if choice == "copy" and x.rank >= 2:
        return b.node("Reshape", [x, b.constant([0, -1, 1])], x.kind, [None] * 3)
    if choice == "dims" and x.rank >= 2:
        shape = b.node("Shape", [x], "i64", [1], end=1)
        target = b.node("Concat", [shape, b.constant([-1])], "i64", [2], axis=0)
        return b.node("Reshape", [x, target], x.kind, [None] * 2)
    return b.node("Reshape", [x, b.constant([-1])], x.kind, [None])


def running(b, x):
    if x.kind not in ("f32", "f64", "i64", "i32") or not x.rank:
        return None
    return b.node("CumSum", [x, b.constant(b.axis(x))], x.kind, x.dims, reverse=int(b.often(0.5)), exclusive=int(b.often(0.5)))


def triangle(b, x):
    if x.rank < 2 or x.kind not in ("f32", "f64", "i64", "bool"):
        return None
    return b.node("Trilu", [x, b.constant(b.choose([-9, -1, 0, 1, 2]))], x.kind, x.dims, upper=int(b.often(0.5)))


def shapes(b, x):
    operator = b.choose(["Shape", "Size"])
    return b.node(operator, [x], "i64", [x.rank] if operator == "Shape" else [])


OPERATORS = [unary, unary, binary, binary, binary, comparison, where, cast, clip, reduction, reduction, normalization, product,
             product, transposition, concatenation, slicing, slicing, splitting, padding, padding, repetition, gathering,
             scattering, reshaping, reshaping, running, triangle, shapes]


def make_array(random, value, low, high, sizes):
    dims = [sizes.get(dim, dim) for dim in value.dims]
    if value.kind == "bool":
        return np.asarray(random.random(dims) < 0.5)
    if value.kind in FLOATS:
        return np.asarray(random.integers(4 * low, 4 * high, dims) / 4, KINDS[value.kind])
    return np.asarray(random.integers(max(low, 0) if value.kind == "u8" else low, high, dims), KINDS[value.kind])


def make(seed, runs=6):
    """A model and the inputs of some runs."""
    b = Builder(seed)
    x = b.fresh([*NUMBERS, "bool"])
    wanted = b.choose([1, 1, 2, 2, 3])
    count = 0
    while count < wanted:
        y = b.choose(OPERATORS)(b, x)
        if y is not None:
            x, count = y, count + 1
            if isinstance(x.dims, list) and len(x.dims) > 5:
                break
    kind = {name: helper.np_dtype_to_tensor_dtype(np.dtype(type_)) for name, type_ in KINDS.items()}
    inputs = [helper.make_tensor_value_info(value.name, kind[value.kind], value.dims) for value, _, _ in b.inputs]
    output = onnx.ValueInfoProto(name=x.name)
    graph = helper.make_graph(b.nodes, f"random-{seed}", inputs, [output], b.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", b.opset)], ir_version=8)
    for node in model.graph.node:
        if b.opset < 18 and node.op_type.startswith("Reduce") and node.op_type != "ReduceSum" and len(node.input) > 1:
            axes = next(numpy_helper.to_array(c) for c in b.constants if c.name == node.input[1])
            del node.input[1]
            node.attribute.append(helper.make_attribute("axes", axes.tolist()))
    feeds = []
    for i in range(runs):
        sizes = {symbol: b.choose(SIZES if i else [2, 3, 5]) for symbol in SYMBOLS}
        feeds.append({value.name: make_array(b.random, value, low, high, sizes) for value, low, high in b.inputs})
    return model, feeds

"""One ONNX model for each class of kernels, every dim a symbol of its own wherever the operators allow it."""

import dataclasses
import re

import numpy as np
import onnx
import onnx.parser


@dataclasses.dataclass
class Case:
    """Inputs and body are ONNX text; outputs are what the body calls y, y0, y1, ..."""

    inputs: str
    body: str
    opset: int = 18
    weights: dict = dataclasses.field(default_factory=dict)  # dims of random constants, f32 or (dtype, dims)
    pairs: str = ""        # "AD BE": sizes that must be equal unless one is 1; "C>D": or D is 1
    sums: str = ""         # "M=P+S": sizes that are a sum of two others
    usual: dict = dataclasses.field(default_factory=dict)   # the largest size of a symbol in most runs, if that is not 70
    make: dict = dataclasses.field(default_factory=dict)    # make(generator, dims, sizes) gives an input's values
    tolerance: float = 2e-5  # relative to 1 + magnitude; 0: the same bits
    is_whole: bool = False   # values are small integers, so that sums of products are exact in every order
    peer: bool = True      # is onnxruntime asked too?
    work: int = 40_000     # a bound of the product of all sizes

    @property
    def outputs(self):
        return sorted(set(re.findall(r"\b(y\d*)\b(?=[^=()]*= *[\w.]+[<(])", self.body)), key=lambda name: int(name[1:] or 0))

    def model(self):
        results = ", ".join(f"float {name}" for name in self.outputs)
        header = f'<ir_version: 10, opset_import: ["" : {self.opset}, "com.microsoft" : 1]>'
        model = onnx.parser.parse_model(f"{header}\ng ({self.inputs}) => ({results}) {{ {self.body} }}")
        for output in model.graph.output:
            output.ClearField("type")
        generator = np.random.default_rng(0)
        for name, dims in self.weights.items():
            dtype, dims = dims if isinstance(dims[0], str) else ("float32", dims)
            values = make_values(generator, dims, np.dtype(dtype), self.is_whole)
            model.graph.initializer.append(onnx.numpy_helper.from_array(values, name))
        return model


def make_values(generator, dims, dtype, is_whole=False):
    if dtype == bool:
        return generator.random(dims) > 0.5
    if dtype.kind in "iu":
        return generator.integers(0 if dtype.kind == "u" else -60, 60, dims).astype(dtype)
    values = generator.integers(-8, 9, dims) if is_whole else generator.standard_normal(dims)
    return values.astype(dtype)


def below(symbol):
    """Indices into a dim, counted from either end."""
    return lambda generator, dims, sizes: generator.integers(-sizes[symbol], max(sizes[symbol], 1), dims)


def nonzero(generator, dims, sizes):
    return generator.integers(1, 9, dims) * generator.choice([-1, 1], dims)


def scalar(low, high):
    return lambda generator, dims, sizes: generator.integers(low, high + 1, dims)


def each(ops, form):
    """A line for each of `ops`; {y} is the output, {op} the operator."""
    return "\n".join(form.format(y=f"y{i}", op=op) for i, op in enumerate(ops))


def const(**values):
    """Constants of small numbers: name=[ints] or name=number."""
    text = []
    for name, value in values.items():
        kind = "value_" + ("float" if isinstance(np.ravel(value)[0].item(), float) else "int")
        number = f"{kind}s = {list(value)}" if isinstance(value, (list, tuple)) else f"{kind} = {value}"
        text.append(f"{name} = Constant<{number}>()")
    return " ".join(text) + "\n"


EXACT = {"is_whole": True, "tolerance": 0}
X = "float[A, B, C] x"
AXES = {"a": [0], "b": [1], "c": [2], "ab": [0, 1], "bc": [1, 2], "ac": [0, 2], "abc": [0, 1, 2]}


def reductions(op, prologue="v = Identity(x)", kinds="float", **rest):
    lines = [f"y{i} = {op}<keepdims = {i % 2}>(v, {name})" for i, name in enumerate(AXES)]
    return Case(f"{kinds}[A, B, C] x", const(**AXES) + prologue + "\n" + "\n".join(lines), **rest)


ELEMENTWISE = {
    **{f"arithmetic-{kind}": Case(
        f"{kind}[A, B, C] x, {kind}[A, B, C] z", "a = Add(x, z) m = Mul(a, z) s = Sub(m, x) y0 = Max(s, x) y1 = Min(m, z) y2 = Neg(s)",
        tolerance=tolerance, peer=peer)
       for kind, tolerance, peer in (("float", 2e-6, True), ("float16", 4e-3, True), ("bfloat16", 4e-2, False),
                                     ("double", 1e-14, True), ("int32", 0, True), ("int64", 0, True), ("int8", 0, False))},
    "unsigned": Case("uint8[A, B] x, uint8[A, B] z", "y0 = Add(x, z) y1 = Mul(x, z) y2 = Max(x, z) y3 = BitwiseAnd(x, z)", tolerance=0,
                     peer=False),
    "division-int": Case("int32[A, B] x, int32[A, B] z, int64[A, B] v, int64[A, B] w",
                         "y0 = Div(x, z) y1 = Mod(x, z) y2 = Div(v, w) y3 = Mod<fmod = 1>(v, w)",
                         make={"z": nonzero, "w": nonzero}, tolerance=0),
    # Exact where doubles hold them, whatever the target's library makes of powers.
    "powers-int": Case("int32[A, B] x, int32[A, B] n, int64[A, B] v, int64[A, B] m, float[A, B] f",
                       "y0 = Pow(x, n) y1 = Pow(v, m) y2 = Pow(x, m) h = Div(f, f) e = Add(f, h) y3 = Pow(x, f) y4 = Pow(x, e)",
                       make={"x": scalar(-9, 9), "n": scalar(0, 9), "v": scalar(-40, 40), "m": scalar(0, 9), "f": scalar(1, 8)},
                       tolerance=0),
    **{f"shifts-{width}": Case(f"uint{width}[A, B] x, uint{width}[A, B] n",
                               'y0 = BitShift<direction = "LEFT">(x, n) y1 = BitShift<direction = "RIGHT">(x, n)',
                               make={"n": scalar(0, width - 1)}, tolerance=0, peer=width != 16)
       for width in (8, 16, 32, 64)},
    "functions": Case(X, "p = Abs(x)\n" + each(["Exp", "Erf", "Tanh", "Sigmoid", "Sin", "Cos", "Softplus", "Gelu", "HardSwish", "Elu",
                                                "Round", "Floor", "Sign", "Mish"], "{y} = {op}(x)") +
                      " y14 = Sqrt(p) y15 = Log(p) y16 = Pow(p, x) y17 = Reciprocal(p) y18 = Div(x, p)", opset=20),
    "functions-f16": Case("float16[A, B, C] x", "y0 = Exp(x) y1 = Erf(x) y2 = Tanh(x) y3 = Sigmoid(x) p = Abs(x) y4 = Sqrt(p)",
                          tolerance=3e-3),
    "functions-bf16": Case("bfloat16[A, B, C] x", "y0 = Exp(x) y1 = Tanh(x) y2 = Sigmoid(x) p = Abs(x) y3 = Sqrt(p)",
                           tolerance=2e-2, peer=False),
    "functions-f64": Case("double[A, B, C] x", "y0 = Exp(x) y1 = Tanh(x) p = Abs(x) y2 = Sqrt(p) y3 = Log(p)", tolerance=1e-13),
    "booleans": Case("bool[A, B, C] x, bool[A, B, C] z", "y0 = And(x, z) y1 = Or(x, z) y2 = Xor(x, z) y3 = Not(x)", tolerance=0),
    "comparisons": Case("float[A, B] x, float[A, B] z, int64[A, B] v, int64[A, B] w",
                        "y0 = Less(x, z) y1 = GreaterOrEqual(x, z) y2 = Equal(v, w) y3 = Greater(v, w) y4 = IsNaN(x)", tolerance=0),
    **{f"conversions-{name}": Case(inputs, "p = Abs(x) " + " ".join(f"y{i} = Cast<to = {to}>({of})" for i, (of, to) in enumerate(casts)),
                                   tolerance=0, peer=name != "bf16")
       for name, inputs, casts in (
           ("float", "float[A, B] x, float16[A, B] h, double[A, B] d",
            (("x", 10), ("x", 11), ("x", 6), ("x", 7), ("x", 3), ("p", 2), ("x", 9), ("h", 1), ("d", 1), ("h", 7), ("d", 10))),
           ("bf16", "float[A, B] x, bfloat16[A, B] b, float16[A, B] h, int32[A, B] i",
            (("x", 16), ("b", 1), ("b", 10), ("h", 16), ("i", 16), ("b", 7))),
           ("int", "int64[A, B] x, int8[A, B] s, uint8[A, B] u, bool[A, B] b, int32[A, B] i",
            (("x", 1), ("x", 10), ("x", 6), ("x", 9), ("s", 1), ("s", 7), ("u", 1), ("u", 7), ("b", 1), ("b", 7), ("b", 6), ("i", 3),
             ("i", 11))))},
    "where": Case("bool[A, B] c, float[A, B] x, float[C, D] z, int64[C, D] i", "y0 = Where(c, x, z) k = Cast<to = 7>(x) y1 = Where(c, i, k)",
                  pairs="AC BD", tolerance=0),
    **{f"broadcast-{kind}": Case(f"{kind}[A, B, C] x, {kind}[D, E, F] z", "y0 = Add(x, z) y1 = Mul(z, x)", pairs="AD BE CF",
                                 tolerance=tolerance)
       for kind, tolerance in (("float", 0), ("float16", 0), ("int64", 0))},
    "broadcast-ranks": Case("float[A, B, C, G] x, float[D] z, float[E, F] w", "a = Add(x, z) y0 = Tanh(a) y1 = Sub(w, x)", pairs="GD GF CE",
                            work=20_000),
    "broadcast-three": Case("float[A, B] x, float[C, 1] z, float[1, D] w", "a = Mul(x, z) b = Add(a, w) y = Max(b, x)",
                            pairs="AC BD"),
}

REDUCTIONS = {
    **{op: reductions(op, tolerance=5e-5) for op in ("ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd", "ReduceL2", "ReduceL1",
                                     "ReduceLogSumExp")},
    "ReduceSum": reductions("ReduceSum", **EXACT),
    "ReduceSumSquare-of-sum": reductions("ReduceSumSquare", "v = Add(x, x)", **EXACT),
    "ReduceSum-int": reductions("ReduceSum", kinds="int64", tolerance=0),
    "ReduceMax-int": reductions("ReduceMax", kinds="int32", tolerance=0),
    "ReduceMax-uint8": reductions("ReduceMax", kinds="uint8", tolerance=0),
    "ReduceMean-f16": reductions("ReduceMean", kinds="float16", tolerance=4e-3),
    "ReduceMax-f16": reductions("ReduceMax", kinds="float16", tolerance=0),
    "ReduceSum-bf16": reductions("ReduceSum", kinds="bfloat16", tolerance=5e-2, peer=False),
    "ReduceSum-f64": reductions("ReduceSum", kinds="double", tolerance=1e-12),
    "reduced-and-used": Case(X, const(c=[2], a=[0]) + "m = ReduceMean(x, c) d = Sub(x, m) y0 = Tanh(d) s = ReduceSum(d, a) y1 = Add(s, x)"),
    "ArgMax": Case("int32[A, B, C] x", "f = Cast<to = 1>(x) y0 = ArgMax<axis = 0>(f) y1 = ArgMax<axis = 1, keepdims = 0>(f) "
                   "y2 = ArgMax<axis = 2>(f) y3 = ArgMin<axis = 2, keepdims = 0, select_last_index = 1>(f) y4 = ArgMin<axis = 1>(x)",
                   make={"x": scalar(-5, 5)}, tolerance=0),
    "CumSum": Case(X, const(a=0, b=1, c=2) + "y0 = CumSum(x, a) y1 = CumSum<exclusive = 1>(x, b) y2 = CumSum<reverse = 1>(x, c) "
                   "y3 = CumSum<exclusive = 1, reverse = 1>(x, b)"),
    "CumSum-int": Case("int64[A, B] x", const(a=0, b=1) + "y0 = CumSum(x, a) y1 = CumSum<reverse = 1>(x, b)", tolerance=0),
    "Softmax": Case(X, "y0 = Softmax<axis = 0>(x) y1 = Softmax<axis = 1>(x) y2 = Softmax<axis = 2>(x)"),
    "LogSoftmax": Case(X, "y0 = LogSoftmax<axis = 0>(x) y1 = LogSoftmax<axis = 1>(x) y2 = LogSoftmax<axis = 2>(x)"),
    "Softmax-f16": Case("float16[A, B, C] x", "y0 = Softmax<axis = 1>(x) y1 = Softmax<axis = 2>(x)", tolerance=2e-3),
    "Softmax-masked": Case(X + ", bool[A, 1, C] c, float[A, B, 1] z",
                           const(n=-1e9) + "m = Mul(x, z) w = Where(c, m, n) y0 = Softmax(w) y1 = ReduceSum(w)", tolerance=1e-4),
    # With axis 2 a row of one element would have a variance of nearly 0.
    "LayerNormalization": Case(X + ", float[C] s, float[C] b, float[B, C] w", "y0 = LayerNormalization<epsilon = 0.1>(x, s, b) "
                               "y1 = LayerNormalization<axis = 1, epsilon = 0.1>(x, w)"),
    "LayerNormalization-residual": Case(
        X + ", float[A, B, C] z, float[C] s, float[C] b",
        "a = Add(x, z) y0 = LayerNormalization<epsilon = 0.1>(a, s, b) g = Gelu(y0) y1 = LayerNormalization<epsilon = 0.1>(g, s, b)", opset=20),
    "LayerNormalization-f16": Case("float16[A, B, C] x, float16[C] s, float16[C] b", "y = LayerNormalization<epsilon = 0.1>(x, s, b)",
                                   tolerance=6e-3),
    "RMSNormalization": Case(X + ", float[C] s, float[A, B, C] z", "a = Add(x, z) y = RMSNormalization<epsilon = 0.1>(a, s)", opset=23,
                             peer=False),
    "InstanceNormalization": Case(X + ", float[B] s, float[B] b", "y = InstanceNormalization<epsilon = 0.1>(x, s, b)"),
    "BatchNormalization": Case(X + ", float[B] s, float[B] b, float[B] m, float[B] v", "w = Mul(v, v) "
                               "y = BatchNormalization<epsilon = 0.1>(x, s, b, m, w)", opset=15),
}

WIDTHS = (1, 7, 16, 33, 64, 70)
CONTRACTIONS = {
    "MatMul": Case("float[A, B] x, float[B, C] z", "y = MatMul(x, z)", work=100_000, **EXACT),
    "MatMul-batched": Case("float[A, B, C] x, float[A, C, D] z", "y = MatMul(x, z)", work=100_000, **EXACT),
    "MatMul-shared-operand": Case("float[A, B, C] x, float[C, D] z, float[E, B] v", "y0 = MatMul(x, z) y1 = MatMul(v, x)", work=200_000, **EXACT),
    "MatMul-broadcast-batch": Case("float[A, B, C, D] x, float[E, F, D, G] z", "y = MatMul(x, z)", pairs="AE BF", work=100_000, **EXACT),
    "MatMul-broadcast-heads": Case(
        "float[A, B, H, D] x, float[E, C, H, D] z", "p = Transpose<perm = [0, 2, 1, 3]>(x) q = Transpose<perm = [0, 2, 3, 1]>(z) "
        "m = MatMul(p, q) y0 = Transpose<perm = [0, 2, 1, 3]>(m) y1 = Relu(m)", pairs="AE", usual={"H": 4}, work=100_000, **EXACT),
    "MatMul-broadcast-epilogue": Case(
        "float[A, B, C] x, float[E, D, C] z, float[D] b, float[B, D] r", "t = Transpose<perm = [0, 2, 1]>(z) m = MatMul(x, t) "
        "a = Add(m, b) g = Tanh(a) y = Add(g, r)", pairs="AE", work=100_000, tolerance=1e-3),
    "MatMul-broadcast-f16": Case("float16[A, B, C] x, float16[E, C, D] z", "y = MatMul(x, z)", pairs="AE", tolerance=1e-2, work=60_000),
    "MatMul-broadcast-by-nodes": Case(
        "float[A, B, C] x, float[E, C, D] z", "s = Shape<end = 1>(z) r = Shape<start = 1>(x) to = Concat<axis = 0>(s, r) "
        "y0 = Expand(x, to) y1 = MatMul(y0, z)", pairs="AE", work=60_000, **EXACT),
    "Einsum-broadcast": Case("float[A, B, C] x, float[E, C, D] z", 'y = Einsum<equation = "...ij,...jk->...ik">(x, z)', pairs="AE",
                             work=60_000, **EXACT),
    "MatMul-vectors": Case("float[A, B, C] x, float[C] z, float[B] v", "y0 = MatMul(x, z) y1 = MatMul(v, x) y2 = MatMul(z, z)", **EXACT),
    "MatMul-f16": Case("float16[A, B, C] x, float16[C, D] z", "y = MatMul(x, z)", tolerance=1e-2, work=100_000),
    "MatMul-bf16": Case("bfloat16[A, B] x, bfloat16[B, C] z", "y = MatMul(x, z)", tolerance=8e-2, peer=False),
    "MatMul-f64": Case("double[A, B] x, double[B, C] z", "y = MatMul(x, z)", **EXACT),
    "MatMul-int": Case("int32[A, B] x, int32[B, C] z", "y = MatMul(x, z)", tolerance=0),
    **{f"Gemm-{'tn'[not a]}{'tn'[not b]}": Case(
        f"float[{'B, A' if a else 'A, B'}] x, float[{'C, B' if b else 'B, C'}] z, float[D] w, float[A, 1] v",
        f"y0 = Gemm<transA = {a}, transB = {b}>(x, z, w) y1 = Gemm<transA = {a}, transB = {b}, alpha = 0.5, beta = 2.0>(x, z, v)",
        pairs="C>D", work=100_000, **EXACT) for a in (0, 1) for b in (0, 1)},
    "Einsum": Case("float[A, B, C] x, float[A, D, C] z, float[C, D] w",
                   'y0 = Einsum<equation = "ijk,ilk->ijl">(x, z) y1 = Einsum<equation = "ijk,ilk->jil">(x, z) '
                   'y2 = Einsum<equation = "ijk,kl->lij">(x, w) y3 = Einsum<equation = "ijk,ilk->jl">(x, z)', work=60_000, **EXACT),
    "heads": Case("float[A, B, H, D] x, float[A, C, H, D] z", "p = Transpose<perm = [0, 2, 1, 3]>(x) q = Transpose<perm = [0, 2, 3, 1]>(z) "
                  "m = MatMul(p, q) y0 = Transpose<perm = [0, 2, 1, 3]>(m) y1 = Relu(m)", usual={"H": 4}, work=100_000, **EXACT),
    "transposed-operands": Case("float[B, A] x, float[C, B] z", "p = Transpose<perm = [1, 0]>(x) q = Transpose<perm = [1, 0]>(z) "
                                "m = MatMul(p, q) y = Transpose<perm = [1, 0]>(m)", work=100_000, **EXACT),
    **{f"weight-{depth}": Case(f"float[A, B, {depth}] x", " ".join(f"y{i} = MatMul(x, w{i})" for i in range(len(WIDTHS))),
                               weights={f"w{i}": (depth, width) for i, width in enumerate(WIDTHS)}, work=900, **EXACT)
       for depth in (1, 5, 64, 70)},
    # Each depth and each width once.
    **{f"weight-depths-{rest}": Case(", ".join(f"float[A, {depth}] x{depth}" for depth in range(rest, 71, 4)),
                                     " ".join(f"y{depth} = MatMul(x{depth}, w{depth})" for depth in range(rest, 71, 4)),
                                     weights={f"w{depth}": (depth, (37 * depth + 11) % 71) for depth in range(rest, 71, 4)}, **EXACT)
       for rest in range(4)},
    "weight-transposed": Case("float[A, 70] x, float[B, 33] z", const(o=[1.0]) + "y0 = Gemm<transB = 1>(x, v) y1 = Gemm<transB = 1>(z, w, b)",
                              weights={"v": (37, 70), "w": (200, 33), "b": (200,)}, **EXACT),
    "weight-left": Case("float[37, A] x, float[B, 37, C] z", "y0 = MatMul(w, x) y1 = MatMul(w, z)", weights={"w": (70, 37)}, work=2000, **EXACT),
    "weight-f16": Case("float16[A, 70] x", "y = MatMul(x, w)", weights={"w": ("float16", (70, 70))}, tolerance=1e-2),
    "residual-in-place": Case(
        "float[A, B] x, float[B, C] z, float[A, C] u, float[C, C] v",
        "m = MatMul(u, v) n = MatMul(x, z) o = Add(m, n) p = MatMul(o, v) q = Relu(p) r = Add(o, q) y = MatMul(r, v)",
        work=60_000, tolerance=1e-3),
    "epilogue-bias-gelu-residual": Case(
        "float[A, B, 64] x, float[A, B, 70] r", "m = MatMul(x, w) a = Add(m, b) g = Gelu(a) y0 = Add(g, r) y1 = Relu(y0)", opset=20,
        weights={"w": (64, 70), "b": (70,)}, work=900),
    "epilogue-dynamic": Case("float[A, B] x, float[B, C] z, float[C] b, float[A, C] r, float[A, 1] s",
                             "m = MatMul(x, z) a = Add(m, b) t = Tanh(a) u = Mul(t, s) y0 = Add(u, r) y1 = Cast<to = 10>(y0)", work=60_000,
                             tolerance=2e-3),
    "epilogue-gate": Case("float[A, 64] x", "g = MatMul(x, v) s = Sigmoid(g) h = Mul(g, s) u = MatMul(x, w) y = Mul(h, u)",
                          weights={"v": (64, 70), "w": (64, 70)}, tolerance=5e-5),
    "epilogue-reduced": Case("float[A, B] x, float[B, C] z", const(c=[1]) + "m = MatMul(x, z) y0 = Softmax(m) s = ReduceMax(m, c) y1 = Sub(m, s) "
                             "y2 = ReduceSum(m)", work=60_000, tolerance=1e-4),
    "prologue-norm": Case("float[A, B, 33] x, float[33] s, float[33] b", "n = LayerNormalization<epsilon = 0.1>(x, s, b) y0 = MatMul(n, w) "
                          "e = Exp(x) y1 = MatMul(e, w)", weights={"w": (33, 70)}, work=1500),
    "prologue-converted": Case("float16[A, B] x, float[B, C] z", "f = Cast<to = 1>(x) y0 = MatMul(f, z) t = Tanh(z) y1 = MatMul(f, t)"),
}

SCORES = "kt = Transpose<perm = [0, 1, 3, 2]>(k) s = MatMul(q, kt) " + const(c=0.3) + "t = Mul(s, c) "
HALF_SCORES = ("kt = Transpose<perm = [0, 1, 3, 2]>(k) s = MatMul(q, kt) c32 = Constant<value_float = 0.3>() c = CastLike(c32, s) "
               "t = Mul(s, c) ")
ATTENTION = {
    "broadcast-batch": Case("float[A, H, S, D] q, float[B, G, T, D] k, float[B, G, T, E] v, float[B, 1, S, T] m",
                            SCORES + "u = Add(t, m) w = Softmax(u) y = MatMul(w, v)", pairs="AB HG", usual={"A": 3, "H": 3}, work=300_000),
    "masked": Case("float[A, H, S, D] q, float[A, H, T, D] k, float[A, H, T, E] v, float[A, 1, S, T] m",
                   SCORES + "u = Add(t, m) w = Softmax(u) y = MatMul(w, v)", usual={"A": 3, "H": 3}, work=600_000),
    "residual-in-place": Case("float[A, H, S, D] q, float[A, H, T, D] k, float[A, H, T, E] v, float[A, H, S, D] r, float[D, E] z, float[E, E] x",
                              SCORES + "w = Softmax(t) o = MatMul(w, v) p = MatMul(r, z) u = Add(o, p) y = MatMul(u, x)",
                              usual={"A": 3, "H": 3}, work=200_000, tolerance=1e-3),
    "boolean": Case("float[A, H, S, D] q, float[A, H, T, D] k, float[A, H, T, D] v, bool[A, 1, 1, T] m", const(n=-1e9) +
                    SCORES + "u = Where(m, t, n) w = Softmax(u) o = MatMul(w, v) y = Transpose<perm = [0, 2, 1, 3]>(o)",
                    usual={"A": 3, "H": 3}, work=200_000),
    "causal-cached": Case(
        "float[A, H, S, D] q, float[A, H, S, D] kn, float[A, H, S, D] vn, float[A, H, P, D] kp, float[A, H, P, D] vp",
        "y1 = Concat<axis = 2>(kp, kn) y2 = Concat<axis = 2>(vp, vn) k = Identity(y1)\n" + SCORES + const(zero=[0], one=[1], low=-1e9) +
        "sh = Shape<start = 2>(s) ones = ConstantOfShape<value = bool[1] {1}>(sh) past = Shape<start = 2, end = 3>(kp) "
        "off = Squeeze(past, zero) keep = Trilu<upper = 0>(ones, off) u = Where(keep, t, low) w = Softmax(u) y0 = MatMul(w, y2)",
        usual={"A": 3, "H": 3}, work=200_000, peer=False),
    "grouped-cached": Case(
        "float[A, G, 3, S, D] qg, float[A, G, S, D] kn, float[A, G, S, D] vn, float[A, G, P, D] kp, float[A, G, P, D] vp, float[A, 1, S, M] m",
        "y1 = Concat<axis = 2>(kp, kn) y2 = Concat<axis = 2>(vp, vn)\n" + const(two=[2], three=[3], five=[1, 1, 3, 1, 1]) +
        "head = Shape<end = 1>(y1) groups = Shape<start = 1, end = 2>(y1) rest = Shape<start = 2>(y1) last = Shape<start = 3>(qg) "
        "heads = Mul(groups, three) to = Concat<axis = 0>(head, heads, rest) tq = Concat<axis = 0>(head, heads, last) "
        "ku = Unsqueeze(y1, two) ke = Expand(ku, five) k = Reshape<allowzero = 1>(ke, to) "
        "vu = Unsqueeze(y2, two) ve = Expand(vu, five) v = Reshape<allowzero = 1>(ve, to) q = Reshape<allowzero = 1>(qg, tq)\n" + SCORES +
        "u = Add(t, m) w = Softmax(u) y0 = MatMul(w, v)", sums="M=P+S", usual={"A": 3, "G": 3}, work=200_000),
    "grouped": Case(
        "float[A, 6, S, D] q, float[A, 2, T, D] kg, float[A, 2, T, D] vg",
        const(two=[2], three=[1, 1, 3, 1, 1]) + "ku = Unsqueeze(kg, two) ke = Expand(ku, three) vu = Unsqueeze(vg, two) "
        "ve = Expand(vu, three) rest = Shape<start = 2>(kg) head = Shape<end = 1>(kg) six = Constant<value_ints = [6]>() "
        "to = Concat<axis = 0>(head, six, rest) k = Reshape<allowzero = 1>(ke, to) v = Reshape<allowzero = 1>(ve, to)\n" + SCORES +
        "w = Softmax(t) y = MatMul(w, v)", usual={"A": 3}, work=60_000),
    # Scores are rounded to 16 bits, where sums in another order may become the next number.
    **{f"masked-{kind}": Case(f"{kind}[A, H, S, D] q, {kind}[A, H, T, D] k, {kind}[A, H, T, E] v, {kind}[A, 1, S, T] m",
                              HALF_SCORES + "u = Add(t, m) w = Softmax(u) y = MatMul(w, v)", usual={"A": 3, "H": 3}, work=200_000,
                              tolerance=tolerance, peer=peer)
       for kind, tolerance, peer in (("double", 1e-12, True), ("float16", 1e-2, True), ("bfloat16", 8e-2, False))},
    **{f"decoding-{kind}": Case(f"{kind}[A, H, 1, D] q, {kind}[A, H, T, D] k, {kind}[A, H, T, E] v, {kind}[A, 1, 1, T] m",
                                HALF_SCORES + "u = Add(t, m) w = Softmax(u) y = MatMul(w, v)", usual={"A": 3, "H": 3}, tolerance=tolerance,
                                peer=peer)
       for kind, tolerance, peer in (("float", 2e-5, True), ("double", 1e-12, True), ("float16", 1e-2, True), ("bfloat16", 8e-2, False))},
    "fixed-width-f16": Case(
        "float16[A, S, H, 64] qs, float16[A, T, H, 64] ks, float16[A, T, H, 64] vs, float[S, T] m",
        "q = Transpose<perm = [0, 2, 1, 3]>(qs) k = Transpose<perm = [0, 2, 1, 3]>(ks) v = Transpose<perm = [0, 2, 1, 3]>(vs)\n" +
        HALF_SCORES + "f = Cast<to = 1>(t) u = Add(f, m) w = Softmax(u) h = Cast<to = 10>(w) y = MatMul(h, v)",
        usual={"A": 3, "H": 3}, work=10_000, tolerance=1e-2),
    "one-head": Case("float[S, 24] q, float[T, 24] k, float[T, 40] v", "kt = Transpose(k) s = MatMul(q, kt) w = Softmax(s) y = MatMul(w, v)",
                     tolerance=1e-4),
    "fixed-width": Case("float[A, S, H, 64] qs, float[A, T, H, 64] ks, float[A, T, H, 64] vs, float[S, T] m",
                        "q = Transpose<perm = [0, 2, 1, 3]>(qs) k = Transpose<perm = [0, 2, 1, 3]>(ks) v = Transpose<perm = [0, 2, 1, 3]>(vs)\n" +
                        SCORES + "u = Add(t, m) w = Softmax(u) y = MatMul(w, v)", usual={"A": 3, "H": 3}, work=10_000),
}

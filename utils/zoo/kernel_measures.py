"""Kernels alone: what share they reach of what the machine could do at most, measured in the same run."""

import dataclasses

import numpy as np
import onnx
import onnx.parser

from . import measure, runners

ROWS = (1, 4, 16, 64, 128, 131, 384)
# Columns and depths (N, K) of the products with weights in the transformers, those of the toys with fewer than 128 left
# out. The last one's weights no cache holds: with few rows its time is that of reading them.
WEIGHTS = ((384, 384), (1536, 384), (384, 1536), (768, 768), (2304, 768), (3072, 768), (768, 3072), (128, 128), (256, 128), (128, 256),
           (256, 256), (704, 256), (256, 704), (1024, 256), (256, 1024), (4000, 256), (128, 512), (512, 512), (1408, 512), (512, 1408),
           (8000, 512), (50257, 768))
MIB = 1 << 20
# Body and width of a row of x; all read one tensor and write one, but for the addition, and the concat of two.
STREAMS = {
    "add": ("float[M, W] x, float[M, W] z", "y = Add(x, z)", 1024),
    "gelu": ("float[M, W] x", "y = Gelu(x)", 1024),
    "softmax": ("float[M, W] x", "y = Softmax(x)", 384),
    "layer norm": ("float[M, W] x, float[W] s, float[W] b", "y = LayerNormalization(x, s, b)", 768),
    "concat": ("float[M, W] x, float[M, W] z", "y = Concat<axis = 1>(x, z)", 1024),
    "transpose": ("float[M, W] x", "y = Transpose<perm = [1, 0]>(x)", 1024),
    "running sum": ("float[M, W] x", "a = Constant<value_int = 1>() y = CumSum(x, a)", 1024),
}
# Those of the vision and speech encoders among the models, with what follows them there: dims behind the batch, weights,
# attributes, and the nodes from c to y.
PATCHES = "r = Reshape(c, to) y = Transpose<perm = [0, 2, 1]>(r)"
CONVOLUTIONS = {
    "vit_small patches": ((3, 224, 224), (384, 3, 16, 16), "strides = [16, 16]", PATCHES),
    "clip patches": ((3, 64, 64), (128, 3, 16, 16), "strides = [16, 16]", PATCHES),
    "whisper first": ((80, 3000), (384, 80, 3), "pads = [1, 1]", "y = Gelu(c)"),
    "whisper second": ((384, 3000), (384, 384, 3), "pads = [1, 1], strides = [2]", "g = Gelu(c) y = Transpose<perm = [0, 2, 1]>(g)"),
}
# What has no formula of its own for the least that it takes, beside onnxruntime only: inputs, body, and sizes of x and of
# weights.
OTHERS = {
    "max pool, 3 x 3 by 2": ("float[N, C, H, W] x", "y = MaxPool<kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]>(x)",
                             {"x": (1, 16, 112, 112)}),
    "max pool, 2 x 2 by 2": ("float[N, C, H, W] x", "y = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(x)", {"x": (1, 32, 128, 128)}),
    "mean pool, 3 x 3 by 2": ("float[N, C, H, W] x", "y = AveragePool<kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]>(x)",
                              {"x": (1, 16, 112, 112)}),
    "max pool, 3 by 1": ("float[N, C, L] x", "y = MaxPool<kernel_shape = [3], pads = [1, 1]>(x)", {"x": (1, 64, 4000)}),
    "depthwise, 3 x 3 by 2": ("float[N, 64, H, W] x", "y = Conv<group = 64, pads = [1, 1, 1, 1], strides = [2, 2]>(x, w)",
                              {"x": (1, 64, 56, 56), "w": (64, 1, 3, 3)}),
    "best 50 of 32,000": ("float[N, M] x", "k = Constant<value_ints = [50]>() y, i = TopK(x, k)", {"x": (1, 32000)}),
    "best 300 of 8,400": ("float[N, M] x", "k = Constant<value_ints = [300]>() y, i = TopK(x, k)", {"x": (8, 8400)}),
    "1,000 in order": ("float[N, M] x", "k = Constant<value_ints = [1000]>() y, i = TopK(x, k)", {"x": (4, 1000)}),
    "running sum of rows": ("float[N, M, 256] x", "a = Constant<value_int = 1>() y = CumSum(x, a)", {"x": (4, 256, 256)}),
    "100 steps of 128 x 128": ("float[T, N, 128] x", "z = Constant<value = float {0}>() h = Shape<start = 1>(x) i = Expand(z, h) "
                               "f, y = Scan<num_scan_inputs = 1, body = b (float[N, 128] p, float[N, 128] s) => "
                               "(float[N, 128] u, float[N, 128] v) { a = MatMul(p, m) b = Add(a, s) u = Tanh(b) v = Identity(u) }>(i, x)",
                               {"x": (100, 16, 128), "m": (128, 128)}),
    "LSTM, 100 steps of 1": ("float[T, N, 128] x", "y, h, c = LSTM<hidden_size = 128>(x, w, r)",
                             {"x": (100, 1, 128), "w": (1, 512, 128), "r": (1, 512, 128)}),
    "LSTM, 100 steps of 16": ("float[T, N, 128] x", "y, h, c = LSTM<hidden_size = 128>(x, w, r)",
                              {"x": (100, 16, 128), "w": (1, 512, 128), "r": (1, 512, 128)}),
    "GRU, 100 steps of 16": ("float[T, N, 128] x", "y, h = GRU<hidden_size = 128, linear_before_reset = 1>(x, w, r)",
                             {"x": (100, 16, 128), "w": (1, 384, 128), "r": (1, 384, 128)}),
}
RUNS = 10  # at least, of a round
ROUNDS = 3


def parse(inputs, body):
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 20]> g ({inputs}) => (float[A, B] y) {{ {body} }}')


def product(columns, depth):
    model = parse(f"float[M, {depth}] x", "y = MatMul(x, w)")
    weight = np.random.default_rng(0).standard_normal((depth, columns), np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    return model.SerializeToString()


def open_both(model, arguments):
    """An executable for each round, because the system may give one large pages and not another, and a session."""
    import dyn

    executables = [dyn.compile(model, threads=arguments.threads, target_cpu=arguments.target_cpu) for _ in range(ROUNDS)]
    return executables, runners.open_onnxruntime(model, arguments.threads)


@dataclasses.dataclass
class Measured:
    """The only kernel of a program, in the fastest of its runs; the machine as fast as it was seen meanwhile."""

    kernel: object
    operations_per_second: float
    bytes_per_second: float
    run_ratio: float

    @property
    def roofline_share(self):
        least = max(self.kernel.operations / self.operations_per_second, self.kernel.bytes / self.bytes_per_second)
        return least / self.kernel.seconds

    def compute(self):
        """What is said of kernels that compute more than they read."""
        return {"us": self.kernel.seconds * 1e6, "gflops": self.kernel.operations / self.kernel.seconds * 1e-9,
                "peak_gflops": self.operations_per_second * 1e-9, "roofline_share": self.roofline_share, "run_ratio": self.run_ratio}


def profile(executable, inputs, seconds):
    runs = max(RUNS, min(10_000, int(seconds / max(measure.seconds(lambda: executable.run(inputs)), 1e-7))))
    found = executable.profile(inputs, runs)
    return found, max(found.kernels, key=lambda kernel: kernel.seconds)


def measure_all(executables, session, cases, seconds):
    """Measures each of some inputs, in rounds: who else has the machine for a while has it in one of them."""
    profiles = [[] for _ in cases]
    for executable in executables:
        for inputs, found in zip(cases, profiles):
            found.append(profile(executable, inputs, seconds / ROUNDS))
    machines = [found for rounds in profiles for found, _ in rounds]
    for inputs, rounds in zip(cases, profiles):
        ours, theirs = measure.interleave([lambda: executables[-1].run(inputs), lambda: session.run(None, inputs)], seconds)
        yield Measured(min((kernel for _, kernel in rounds), key=lambda kernel: kernel.seconds),
                       max(found.operations_per_second for found in machines),
                       max(found.bytes_per_second for found in machines), ours / theirs)


def contractions(arguments):
    for columns, depth in WEIGHTS:
        model = product(columns, depth)
        executables, session = open_both(model, arguments)
        cases = [{"x": np.random.default_rng(1).standard_normal((rows, depth), np.float32)} for rows in ROWS]
        for rows, found in zip(ROWS, measure_all(executables, session, cases, arguments.seconds)):
            yield {"kernel": "contraction", "M": rows, "N": columns, "K": depth, **found.compute()}


def streams(arguments):
    for name, (inputs_text, body, width) in STREAMS.items():
        model = parse(inputs_text.replace("W", str(width)), body).SerializeToString()
        executables, session = open_both(model, arguments)
        sizes = (4 * MIB, 16 * MIB, 64 * MIB)
        generator = np.random.default_rng(1)
        cases = [{tensor.name: generator.standard_normal([size // (4 * width) if dim == "M" else int(dim) for dim in tensor.dims],
                                                         np.float32) for tensor in executables[0].inputs} for size in sizes]
        for size, found in zip(sizes, measure_all(executables, session, cases, arguments.seconds)):
            bandwidth = found.kernel.bytes / found.kernel.seconds
            yield {"kernel": name, "mib": size // MIB, "us": found.kernel.seconds * 1e6, "gbs": bandwidth * 1e-9,
                   "stream_gbs": found.bytes_per_second * 1e-9, "stream_share": bandwidth / found.bytes_per_second,
                   "run_ratio": found.run_ratio}


def convolutions(arguments):
    for name, (dims, weights, attributes, rest) in CONVOLUTIONS.items():
        inputs_text = f"float[N, {', '.join(map(str, dims))}] x"
        model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 20]> g ({inputs_text}) => (float[N, A, B] y) '
                                        f'{{ c = Conv<{attributes}>(x, w, b) to = Constant<value_ints = [0, 0, -1]>() {rest} }}')
        generator = np.random.default_rng(0)
        for initializer, shape in (("w", weights), ("b", weights[:1])):
            model.graph.initializer.append(onnx.numpy_helper.from_array(generator.standard_normal(shape, np.float32), initializer))
        model = model.SerializeToString()
        executables, session = open_both(model, arguments)
        batches = (1, 4)
        cases = [{"x": generator.standard_normal((batch, *dims), np.float32)} for batch in batches]
        for batch, found in zip(batches, measure_all(executables, session, cases, arguments.seconds)):
            yield {"kernel": f"convolution, {name}", "batch": batch, **found.compute()}


def attention(arguments, kind="float"):
    """12 heads of 64, as in BERT-base; the scores never lie in memory as a whole."""
    tensor, dtype = f"{kind}[N, 12, S, 64]", {"float": np.float32, "float16": np.float16}[kind]
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 20]> g ({tensor} q, {tensor} k, {tensor} v, {kind}[N, 1, 1, S] m) '
                                    f'=> ({tensor} y) {{ t = Transpose<perm = [0, 1, 3, 2]>(k) s = MatMul(q, t) f = Constant<value_float = '
                                    '0.125>() c = CastLike(f, s) d = Mul(s, c) e = Add(d, m) w = Softmax(e) y = MatMul(w, v) }')
    model = model.SerializeToString()
    executables, session = open_both(model, arguments)
    generator = np.random.default_rng(0)
    lengths = (16, 128, 384, 1024)
    cases = [{name: generator.standard_normal((1, 12, length, 64), np.float32).astype(dtype) for name in "qkv"}
             | {"m": np.zeros((1, 1, 1, length), dtype)} for length in lengths]
    for length, found in zip(lengths, measure_all(executables, session, cases, arguments.seconds)):
        yield {"kernel": f"attention, {kind}", "sequence": length, **found.compute()}


def others(arguments):
    for name, (inputs_text, body, sizes) in OTHERS.items():
        model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 20]> g ({inputs_text}) => (float[] y) {{ {body} }}')
        model.graph.output[0].ClearField("type")
        generator = np.random.default_rng(1)
        # Sums that grow from step to step would end where functions have no slope.
        weights = {key: generator.standard_normal(dims, np.float32) / 16 for key, dims in sizes.items() if key != "x"}
        model.graph.initializer.extend(onnx.numpy_helper.from_array(weight, key) for key, weight in weights.items())
        executables, session = open_both(model.SerializeToString(), arguments)
        inputs = {"x": generator.standard_normal(sizes["x"], np.float32)}
        ours, theirs = measure.interleave([lambda: executables[-1].run(inputs), lambda: session.run(None, inputs)], arguments.seconds)
        yield {"kernel": name, "us": ours * 1e6, "run_ratio": ours / theirs}


def kernels(arguments):
    yield from contractions(arguments)
    yield from convolutions(arguments)
    yield from attention(arguments)
    yield from attention(arguments, "float16")
    yield from streams(arguments)
    yield from others(arguments)

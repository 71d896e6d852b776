"""Kernels alone: what share they reach of what the machine could do at most, measured in the same run."""

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
# Body and width of a row; all read one tensor and write one, but for the addition.
STREAMS = {
    "add": ("float[M, W] x, float[M, W] z", "y = Add(x, z)", 1024),
    "gelu": ("float[M, W] x", "y = Gelu(x)", 1024),
    "softmax": ("float[M, W] x", "y = Softmax(x)", 384),
    "layer norm": ("float[M, W] x, float[W] s, float[W] b", "y = LayerNormalization(x, s, b)", 768),
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
RUNS = 30


def parse(inputs, body):
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 20]> g ({inputs}) => (float[M, W] y) {{ {body} }}')


def product(columns, depth):
    model = parse(f"float[M, {depth}] x", "y = MatMul(x, w)")
    weight = np.random.default_rng(0).standard_normal((depth, columns), np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    return model.SerializeToString()


def open_both(model, arguments):
    import dyn

    return dyn.compile(model, threads=arguments.threads, target_cpu=arguments.target_cpu), runners.open_onnxruntime(model, arguments.threads)


def profile(executable, inputs, seconds):
    """The profile of the fastest run, and its only kernel."""
    runs = max(RUNS, min(10_000, int(seconds / max(measure.seconds(lambda: executable.run(inputs)), 1e-7))))
    found = executable.profile(inputs, runs)
    kernel = max(found.kernels, key=lambda kernel: kernel.seconds)
    return found, kernel


def contractions(arguments):
    for columns, depth in WEIGHTS:
        model = product(columns, depth)
        executable, session = open_both(model, arguments)
        for rows in ROWS:
            inputs = {"x": np.random.default_rng(1).standard_normal((rows, depth), np.float32)}
            found, kernel = profile(executable, inputs, arguments.seconds)
            ours, theirs = measure.interleave([lambda: executable.run(inputs), lambda: session.run(None, inputs)], arguments.seconds)
            yield {"kernel": "contraction", "M": rows, "N": columns, "K": depth, "us": kernel.seconds * 1e6,
                   "gflops": kernel.operations / kernel.seconds * 1e-9, "peak_gflops": found.operations_per_second * 1e-9,
                   "roofline_share": kernel.share, "run_ratio": ours / theirs}


def streams(arguments):
    for name, (inputs_text, body, width) in STREAMS.items():
        model = parse(inputs_text.replace("W", str(width)), body).SerializeToString()
        executable, session = open_both(model, arguments)
        for size in (4 * MIB, 16 * MIB, 64 * MIB):
            rows = size // (4 * width)
            generator = np.random.default_rng(1)
            inputs = {tensor.name: generator.standard_normal([rows if dim == "M" else int(dim) for dim in tensor.dims], np.float32)
                      for tensor in executable.inputs}
            found, kernel = profile(executable, inputs, arguments.seconds)
            ours, theirs = measure.interleave([lambda: executable.run(inputs), lambda: session.run(None, inputs)], arguments.seconds)
            bandwidth = kernel.bytes / kernel.seconds
            yield {"kernel": name, "mib": size // MIB, "us": kernel.seconds * 1e6, "gbs": bandwidth * 1e-9,
                   "stream_gbs": found.bytes_per_second * 1e-9, "stream_share": bandwidth / found.bytes_per_second, "run_ratio": ours / theirs}


def convolutions(arguments):
    for name, (dims, weights, attributes, rest) in CONVOLUTIONS.items():
        inputs_text = f"float[N, {', '.join(map(str, dims))}] x"
        model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 20]> g ({inputs_text}) => (float[N, A, B] y) '
                                        f'{{ c = Conv<{attributes}>(x, w, b) to = Constant<value_ints = [0, 0, -1]>() {rest} }}')
        generator = np.random.default_rng(0)
        for initializer, shape in (("w", weights), ("b", weights[:1])):
            model.graph.initializer.append(onnx.numpy_helper.from_array(generator.standard_normal(shape, np.float32), initializer))
        model = model.SerializeToString()
        executable, session = open_both(model, arguments)
        for batch in (1, 4):
            inputs = {"x": generator.standard_normal((batch, *dims), np.float32)}
            found, kernel = profile(executable, inputs, arguments.seconds)
            ours, theirs = measure.interleave([lambda: executable.run(inputs), lambda: session.run(None, inputs)], arguments.seconds)
            yield {"kernel": f"convolution, {name}", "batch": batch, "us": kernel.seconds * 1e6,
                   "gflops": kernel.operations / kernel.seconds * 1e-9, "roofline_share": kernel.share, "run_ratio": ours / theirs}


def attention(arguments, kind="float"):
    """12 heads of 64, as in BERT-base; the scores never lie in memory as a whole."""
    tensor, dtype = f"{kind}[N, 12, S, 64]", {"float": np.float32, "float16": np.float16}[kind]
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 20]> g ({tensor} q, {tensor} k, {tensor} v, {kind}[N, 1, 1, S] m) '
                                    f'=> ({tensor} y) {{ t = Transpose<perm = [0, 1, 3, 2]>(k) s = MatMul(q, t) f = Constant<value_float = '
                                    '0.125>() c = CastLike(f, s) d = Mul(s, c) e = Add(d, m) w = Softmax(e) y = MatMul(w, v) }')
    model = model.SerializeToString()
    executable, session = open_both(model, arguments)
    generator = np.random.default_rng(0)
    for sequence in (16, 128, 384, 1024):
        inputs = {name: generator.standard_normal((1, 12, sequence, 64), np.float32).astype(dtype) for name in "qkv"}
        inputs["m"] = np.zeros((1, 1, 1, sequence), dtype)
        found, kernel = profile(executable, inputs, arguments.seconds)
        ours, theirs = measure.interleave([lambda: executable.run(inputs), lambda: session.run(None, inputs)], arguments.seconds)
        yield {"kernel": f"attention, {kind}", "sequence": sequence, "us": kernel.seconds * 1e6,
               "gflops": kernel.operations / kernel.seconds * 1e-9, "roofline_share": kernel.share, "run_ratio": ours / theirs}


def kernels(arguments):
    yield from contractions(arguments)
    yield from convolutions(arguments)
    yield from attention(arguments)
    yield from attention(arguments, "float16")
    yield from streams(arguments)

"""Layers that onnxruntime's exporters write as one operator, and what old converters wrote, for operator_cases.py."""

from contrib_cases import contrib, scalar

STREAMS = "float[N, S, 3, 5] x"
FLAT = "float[N, S, 15] x"
ENGRAM = "float[N, S, 2, 6] k, float[N, S, 2, 6] q, float[N, S, 6] v, float[2, 6] a, float[2, 6] b"
HALVES = "float[N, S, 12] u, float[4] c, float[N, S, 12] v"
TO_HALVES = "x = Cast<to = 10>(u) s = Cast<to = 10>(c) g = Cast<to = 10>(v) "
OLD = 9  # the last opset in which onnxruntime has these

IDS = "int64[N, S] t, int64[N, 3] u, int64 w, int64[6] o, int32[N, S] g"
SMALL_IDS = ("".join(f"{new}a = Abs({old}) {new} = Mod({new}a, five) " for new, old in ("xt", "qu", "ew")) +
             "m = Constant<value = int64[4] {1103515245123, -48271, 69621, 16807}>() v = Constant<value = int64[6] {17, 31, 101, 7, 53, 29}>() ")
POSITIVE = "r = Abs(o) "
HASH = "com.microsoft.NGramHashMapping<max_ngram_size = 4, n_head_per_ngram = 2, pad_id = 3"

CASES = {
    "GatedRMSNorm": contrib("float[N, S, C] x, float[C] s, float[N, S, C] g", "y", "y = com.microsoft.GatedRMSNorm(x, s, g)"),
    "GatedRMSNorm-heads": contrib("float[N, S, 12] x, float[4] s, float[N, S, 12] g", "y",
                                  'y = com.microsoft.GatedRMSNorm<activation = "sigmoid", epsilon = 0.01>(x, s, g)'),
    "GatedRMSNorm-halves": contrib(HALVES, "y", TO_HALVES + "h = com.microsoft.GatedRMSNorm(x, s, g) y = Cast<to = 1>(h)"),
    "GatedAdd": contrib("float[N, S, C] x, float[N, S, C] z, float[N, S, 1] g", "y", "y = com.microsoft.GatedAdd(x, z, g)"),
    "ScaledSiLU": contrib("float[N, S] x", "y", "y = com.microsoft.ScaledSiLU<alpha = 0.7>(x)"),
    "ScaledSiLU-scale": contrib("float[N, S] x, float z", "y", "y = com.microsoft.ScaledSiLU<alpha = 0.7>(x, z)"),
    "ScaledSiLU-halves": contrib("float[N, S] u, float z", "y", "x = Cast<to = 10>(u) h = com.microsoft.ScaledSiLU(x, z) y = Cast<to = 1>(h)"),
    "LinearAttentionGate": contrib("float[N, S, C] x, float[C] b, float[C] s, float[N, S, C] z", "y, w",
                                   "y, w = com.microsoft.LinearAttentionGate(x, b, s, z)"),
    "LinearAttentionGate-decay": contrib("float[N, S, 4] u, float[4] b, float[4] s", "y", "x = Cast<to = 10>(u) "
                                         "h = com.microsoft.LinearAttentionGate(x, b, s) y = Cast<to = 1>(h)"),
    "EngramGate": contrib(ENGRAM + ", float[2, 6] c", "y, n", "y, n = com.microsoft.EngramGate(k, q, v, a, b, c)"),
    "EngramGate-value": contrib(ENGRAM, "y", "y = com.microsoft.EngramGate<epsilon = 0.01>(k, q, v, a, b)"),
    **{f"NGramHashMapping-{name}": contrib(IDS, "y, p", scalar("five", 5, "int64") + SMALL_IDS + POSITIVE + f"y, p = {HASH}, reset_on_eos = {reset}>({operands})")
       for name, reset, operands in [("first", 0, "x, m, v"), ("later", 0, "x, m, v, q, r"), ("ends", 1, "x, m, v, q, r, e"),
                                     ("segments", 0, "x, m, v, q, , , g"), ("both", 1, "x, m, v, , , e, g")]},
    "NGramHashMapping-int32": contrib("int32[N, S] t", "y", "five = Constant<value = int32 {5}>() a = Abs(t) x = Mod(a, five) "
                                      "m = Constant<value = int32[2] {1103515245, -48271}>() v = Constant<value = int32[1] {17}>() "
                                      "y = com.microsoft.NGramHashMapping<max_ngram_size = 2, n_head_per_ngram = 1, pad_id = -1>(x, m, v)"),
    # One residual stream becomes several.
    "BranchwiseRMSNorm": contrib(STREAMS, "y", "y = com.microsoft.BranchwiseRMSNorm(x)"),
    "BranchwiseRMSNorm-flat": contrib(FLAT + ", float[15] s", "y", "y = com.microsoft.BranchwiseRMSNorm<num_branches = 3>(x, s)"),
    "BranchwiseRMSNorm-shared": contrib(FLAT + ", float[5] s", "y", "y = com.microsoft.BranchwiseRMSNorm<num_branches = 3>(x, s)"),
    "BranchwiseRMSNorm-matrix": contrib(STREAMS + ", float[3, 5] s", "y", "y = com.microsoft.BranchwiseRMSNorm<epsilon = 0.01>(x, s)"),
    "HyperConnectionPreMix": contrib(STREAMS + ", float[N, S, 3] p", "y", "y = com.microsoft.HyperConnectionPreMix(x, p)"),
    "HyperConnectionPreMix-elements": contrib("float[N, S, C, K] x, float[N, S, C, K] p", "y",
                                              "y = com.microsoft.HyperConnectionPreMix<reduction_scale = 0.5>(x, p)"),
    **{f"HyperConnectionPreMix-flat-{width}": contrib(FLAT + f", float[N, S, {width}] p", "y",
                                                      "y = com.microsoft.HyperConnectionPreMix<num_branches = 3>(x, p)")
       for width in (3, 15, "3, 1", "3, 5")},
    "HyperConnectionPostMix": contrib(STREAMS + ", float[N, S, 5] b, float[N, S, 3] p, float[N, S, 3, 3] m", "y",
                                      "y = com.microsoft.HyperConnectionPostMix(x, b, p, m)"),
    "HyperConnectionPostMix-flat": contrib(FLAT + ", float[N, S, 5] b, float[N, S, 3, 1] p", "y",
                                           "y = com.microsoft.HyperConnectionPostMix<num_branches = 3>(x, b, p)"),
    # What the standard has dropped.
    "Affine": contrib("float[N, S] x", "y", "y = Affine<alpha = 0.5, beta = 2.0>(x)", opset=OLD),
    "Scale": contrib("float[N, S] x", "y", "y = Scale<scale = 0.5>(x)", opset=OLD),
    "ParametricSoftplus": contrib("float[N, S] x", "y", "y = ParametricSoftplus<alpha = 0.5, beta = 2.0>(x)", opset=OLD),
    "ScaledTanh": contrib("float[N, S] x", "y", "y = ScaledTanh<alpha = 0.5, beta = 2.0>(x)", opset=OLD),
    "ImageScaler": contrib("float[N, 3, S, K] x", "y", "y = ImageScaler<scale = 0.5, bias = [1.0, -2.0, 0.5]>(x)", opset=OLD),
    "Crop": contrib("float[N, C, S, 9] x", "y", "y = Crop<border = [1, 0, 3, 1]>(x)", opset=OLD),
    "Crop-scale": contrib("float[N, C, S, 9] x", "y", "y = Crop<border = [2, 0, 0, 0], scale = [1, 6]>(x)", opset=OLD),
    "DynamicSlice": contrib("float[N, S, 9] x", "y", "b = Constant<value = int64[2] {1, -7}>() e = Constant<value = int64[2] {9, -2}>() "
                            "a = Constant<value = int64[2] {1, 2}>() y = DynamicSlice(x, b, e, a)", opset=OLD),
}

WEIGHTS = "uint8[6, 2, 8] w, float[12] s, float[6] b, uint8[6, 2, 8] v, float[12] t, float[6] c"
FORMAT = "K = 32, N = 6, bits = 4, block_size = 16"
PRODUCTS = f"g = com.microsoft.MatMulNBits<{FORMAT}>(n, w, s, , , b) u = com.microsoft.MatMulNBits<{FORMAT}>(n, v, t, , , c) "
MLP = "com.microsoft.MatMulNBitsMlp<activation = \"silu\", epsilon = 0.001, " + FORMAT + ">"
GATED = "i = Sigmoid(g) j = Mul(g, i) y = Mul(j, u)"
NORMALIZED = "m = SimplifiedLayerNormalization<axis = -1, epsilon = 0.001>(z, a) n = Identity(m) "
QKV = WEIGHTS + ", uint8[5, 2, 8] p, float[10] r, float[5] d, float[32] a"
MUL = scalar("z", 3, "uint8") + scalar("h", 100, "uint8")

# What onnxruntime runs on other devices only, or not at all: the operator, and the graph that it stands for.
DEFINED = {
    "MatMulNBitsMlp": (("float[N, S, 32] x, " + WEIGHTS, "y"), f"y = {MLP}(x, , , w, s, b, v, t, c)", "n = Identity(x) " + PRODUCTS + GATED),
    "MatMulNBitsMlp-norm": (("float[N, S, 32] z, float[32] a, " + WEIGHTS, "y"), f"y = {MLP}(z, , a, w, s, b, v, t, c)",
                            NORMALIZED + PRODUCTS + GATED),
    "MatMulNBitsMlp-skip": (("float[N, S, 32] x, float[N, S, 32] k, float[32] a, " + WEIGHTS, "y"),
                            f"y = {MLP}(x, k, a, w, s, b, v, t, c)", "z = Add(x, k) " + NORMALIZED + PRODUCTS + GATED),
    "MatMulNBitsMlp-sum": (("float[N, S, 32] x, float[N, S, 32] k, float[32] a, " + WEIGHTS, "y"),
                           f"h, y = {MLP}(x, k, a, w, s, b, v, t, c)", "y = Add(x, k)"),
    **{f"MatMulNBitsQkv-{part}":
       (("float[N, S, 32] x, float[N, S, 32] k, " + QKV, "y"), "o, q, e, l = com.microsoft.MatMulNBitsQkv<K = 32, Nq = 5, Nkv = 6, "
        "block_size = 16, epsilon = 0.001>(x, k, a, p, r, d, w, s, b, v, t, c) y = Identity(" + part + ")",
        "z = Add(x, k) " + NORMALIZED + PRODUCTS + "f = com.microsoft.MatMulNBits<K = 32, N = 5, block_size = 16>(n, p, r, , , d) "
        f"y = Identity({dict(o='f', q='g', e='u', l='z')[part]})") for part in "oqel"},
    "ComplexMul": (("float[N, S, 2] x, float[S, 2] z", "y"), "y = com.microsoft.ComplexMul(x, z)",
                   "a, b = Split<axis = 2, num_outputs = 2>(x) c, d = Split<axis = 1, num_outputs = 2>(z) e = Mul(a, c) f = Mul(b, d) r = Sub(e, f) "
                   "g = Mul(a, d) h = Mul(b, c) i = Add(g, h) y = Concat<axis = 2>(r, i)"),
    "ComplexMulConj": (("float[N, S, 2] x, float[S, 2] z", "y"), "y = com.microsoft.ComplexMulConj(x, z)",
                       "a, b = Split<axis = 2, num_outputs = 2>(x) c, d = Split<axis = 1, num_outputs = 2>(z) e = Mul(a, c) f = Mul(b, d) r = Add(e, f) "
                       "g = Mul(a, d) h = Mul(b, c) i = Sub(h, g) y = Concat<axis = 2>(r, i)"),
    "TorchEmbedding": (("float[7, S] x, int64[N, K] i", "y"), "a = Abs(i) " + scalar("n", 7, "int64") + "m = Mod(a, n) "
                       "y = com.microsoft.TorchEmbedding(x, m)", "a = Abs(i) " + scalar("n", 7, "int64") + "m = Mod(a, n) y = Gather(x, m)"),
    "MulInteger": (("uint8[N, S] x, uint8[S] v", "y"), MUL + "y = com.microsoft.MulInteger(x, z, v, h)",
                   MUL + "a = Cast<to = 6>(x) b = Cast<to = 6>(v) c = Cast<to = 6>(z) d = Cast<to = 6>(h) e = Sub(a, c) f = Sub(b, d) y = Mul(e, f)"),
    "ReduceSumInteger": (("int8[N, C, S] x", "y"), "y = com.microsoft.ReduceSumInteger<axes = [1], keepdims = 0>(x)",
                         "a = Cast<to = 6>(x) e = Constant<value = int64[1] {1}>() y = ReduceSum<keepdims = 0>(a, e)"),
    "MemcpyFromHost": (("float[N, S] x", "y"), "a = MemcpyFromHost(x) b = Neg(a) y = MemcpyToHost(b)", "y = Neg(x)"),
}

# Of f16, where compiled code rounds after the last step of several, and onnxruntime after some.
HALVES = {
    "GatedAdd": contrib("float[N, S, 12] u, float[N, S, 1] c, float[N, S, 12] v", "y",
                               TO_HALVES + "h = com.microsoft.GatedAdd(x, g, s) y = Cast<to = 1>(h)"),
    "GemmaRotaryEmbedding":
        contrib("float[N, S, 8] e, float[N, 2, S, 8] u, float[N, 2, S, 8] v", "y", "q = Cast<to = 10>(u) r = Cast<to = 10>(v) "
                "a, b = com.microsoft.GemmaRotaryEmbedding(e, q, r, r, q) c = Concat<axis = 1>(a, b) y = Cast<to = 1>(c)"),
}
# The graphs that these stand for, where onnxruntime has no kernel.
HALVES_DEFINED = {
    "GemmaRotaryEmbedding": contrib(
        "float[N, S, 8] e, float[N, 2, S, 8] u, float[N, 2, S, 8] v", "y", "q = Cast<to = 10>(u) r = Cast<to = 10>(v) s = Sin(e) o = Cos(e) "
        "t = Cast<to = 10>(s) p = Cast<to = 10>(o) i = Constant<value = int64[1] {1}>() k = Unsqueeze(t, i) l = Unsqueeze(p, i) f = Mul(q, l) "
        "g = Mul(r, k) a = Add(f, g) h = Mul(r, l) j = Mul(q, k) b = Add(h, j) c = Concat<axis = 1>(a, b) y = Cast<to = 1>(c)", opset=21),
}

"""onnxruntime's own operators, as its optimizer and exporters write them, for operator_cases.py."""


def contrib(inputs, outputs, body, opset=17):
    return opset, inputs, outputs, body


def scalar(name, value, kind="float"):
    return f"{name} = Constant<value = {kind} {{{value}}}>() "


def size(name, of, axis, kind=6):
    """A size as a scalar, by default int32."""
    return (f"{name}s = Shape({of}) {name}i = Constant<value = int64 {{{axis}}}>() {name}g = Gather({name}s, {name}i) "
            f"{name} = Cast<to = {kind}>({name}g) ")


QKV = "float[N, S, 12] q, float[N, K, 12] k, float[N, K, 12] v"
ATTENTION = "float[N, S, 12] u, float[12, 36] w, float[36] b"
# Large scores would turn roundings into differences.
SMALL = "t = Constant<value = float {0.1}>() x = Mul(u, t) "
QUANTIZED = scalar("a", 0.05) + scalar("za", 3, "uint8") + scalar("c", 0.1) + scalar("zc", 100, "uint8")
# The lengths of all sequences less 1, and the total length, for keys as long as `total`.
LENGTHS = ("one = Constant<value = int32 {1}>() bs = Shape<start = 0, end = 1>(q) less = Sub(total, one) "
           "lengths = Expand(less, bs) ")
SCALES = scalar("a", 0.01) + scalar("za", 3, "uint8") + scalar("f", 0.05)
QATTENTION = "uint8[N, S, 12] x, int8[12, 36] w, float[36] b"
GROUPED = "float[N, S, 32] q, float[N, S, 16] k, float[N, S, 16] v"
ONE = "float[N, 1, 32] q, float[N, 1, 16] k, float[N, 1, 16] v"
PAST = ", float[N, 2, K, 8] pk, float[N, 2, K, 8] pv"
HEADS = "num_heads = 4, kv_num_heads = 2"
PROMPT = size("total", "q", 1) + LENGTHS
DECODE = size("new", "q", 1) + size("old", "pk", 2) + "total = Add(new, old) " + LENGTHS
# Scales of weights, small for the same reason.
SCALED = scalar("f", 0.002) + "d = Mul(s, f) e = Mul(t, f) "
FEW_BITS = "uint8[4, 6, 16] w, float[4, 6] s, uint8[4, 32, 3] v, float[4, 32] t"
EXPERTS = "float[N, 4] r, float[4, K, C] w, float[4, K] b, float[4, C, K] v, float[4, C] c"
PLACES = "r = Abs(i) " + scalar("seven", 7, "int64") + "j = Mod(r, seven) "

CASES = {
    "Inverse": contrib("float[N, S, 4, 4] x", "y", "z = Constant<value = float[4, 4] {9, 1, 0, 1, 0, 1, -9, 1, 0, 9, 2, 1, 1, 0, 0, 9}>() "
                       "m = Add(x, z) y = com.microsoft.Inverse(m)"),
    # Activations and convolutions.
    "FusedConv": contrib("float[N, 3, S, 7] x, float[4, 3, 2, 3] w, float[4] b", "y",
                         'y = com.microsoft.FusedConv<activation = "Relu", pads = [1, 0, 0, 1]>(x, w, b)'),
    "FusedConv-clip": contrib("float[N, 3, S, 7] x, float[4, 3, 1, 3] w", "y",
                              'y = com.microsoft.FusedConv<activation = "Clip", activation_params = [-0.5, 1.5]>(x, w)'),
    "FusedConv-leaky": contrib("float[N, 3, S, 7] x, float[4, 3, 1, 3] w, float[4] b", "y",
                               'y = com.microsoft.FusedConv<activation = "LeakyRelu", activation_params = [0.2]>(x, w, b)'),
    "FusedConv-sum": contrib("float[N, 3, S, 7] x, float[4, 3, 1, 3] w, float[4] b, float[N, 4, S, 5] z", "y",
                             'y = com.microsoft.FusedConv<activation = "Relu">(x, w, b, z)'),
    "FusedGemm": contrib("float[N, C] x, float[C, K] z, float[K] b", "y",
                         'y = com.microsoft.FusedGemm<activation = "Relu", alpha = 0.5>(x, z, b)'),
    "FusedGemm-leaky": contrib("float[N, C] x, float[K, C] z, float[K] b", "y",
                               'y = com.microsoft.FusedGemm<activation = "LeakyRelu", activation_alpha = 0.3, transB = 1>(x, z, b)'),
    "FusedGemm-two-parameters": contrib("float[N, C] x, float[C, K] z", "y", 'y = com.microsoft.FusedGemm<activation = '
                                        '"HardSigmoid", activation_alpha = 0.3, activation_beta = 0.25>(x, z)'),
    # Attention.
    "Attention-microsoft": contrib(ATTENTION, "y", SMALL + "y = com.microsoft.Attention<num_heads = 3>(x, w, b)"),
    "Attention-microsoft-causal": contrib(ATTENTION, "y", SMALL + "y = com.microsoft.Attention<num_heads = 3, unidirectional = 1>(x, w, b)"),
    "Attention-microsoft-mask": contrib(ATTENTION + ", bool[N, S] m", "y", SMALL + "n = Cast<to = 6>(m) "
                                        "y = com.microsoft.Attention<num_heads = 3, mask_filter_value = -3.0>(x, w, b, n)"),
    "Attention-microsoft-mask-3d": contrib(ATTENTION + ", bool[N, S, S] m", "y", SMALL + "n = Cast<to = 6>(m) "
                                           "y = com.microsoft.Attention<num_heads = 3, mask_filter_value = -3.0>(x, w, b, n)"),
    "Attention-microsoft-lengths": contrib(ATTENTION, "y", SMALL + size("l", "x", 1) + "bs = Shape<start = 0, end = 1>(x) "
                                           "n = Expand(l, bs) y = com.microsoft.Attention<num_heads = 3>(x, w, b, n)"),
    # Padding stands on the left: the first places have nothing that counts but themselves.
    # Ends, then begins: of both there are as many as sequences.
    "Attention-microsoft-ends-and-begins":
        contrib(ATTENTION, "y", SMALL + size("l", "x", 1) + scalar("two", 2, "int32") + "h = Div(l, two) bs = Shape<start = 0, end = 1>(x) "
                "e = Expand(l, bs) f = Expand(h, bs) n = Concat<axis = 0>(e, f) "
                "y = com.microsoft.Attention<num_heads = 3, mask_filter_value = -3.0>(x, w, b, n)"),
    "Attention-microsoft-mask-of-nothing": contrib(ATTENTION + ", bool[N, 1] m", "y", SMALL + "n = Cast<to = 6>(m) "
                                                   "y = com.microsoft.Attention<num_heads = 3>(x, w, b, n)"),
    "Attention-microsoft-causal-mask": contrib(ATTENTION, "y", SMALL + size("l", "x", 1, 7) + scalar("h", 2, "int64") +
                                               scalar("zero", 0, "int64") + scalar("o", 1, "int64") +
                                               "r = Range(zero, l, o) m = GreaterOrEqual(r, h) i = Cast<to = 6>(m) "
                                               "e = Shape<start = 0, end = 2>(x) n = Expand(i, e) "
                                               "y = com.microsoft.Attention<num_heads = 3, unidirectional = 1>(x, w, b, n)"),
    "Attention-microsoft-bias": contrib(ATTENTION + ", float[N, 3, S, S] p", "y",
                                        SMALL + "y = com.microsoft.Attention<num_heads = 3, scale = 0.5>(x, w, b, , , p)"),
    "Attention-microsoft-past": contrib(ATTENTION + ", float[2, N, 3, K, 4] p", "y, n",
                                        SMALL + "y, n = com.microsoft.Attention<num_heads = 3, unidirectional = 1>(x, w, b, , p)"),
    "Attention-microsoft-sizes": contrib("float[N, S, 12] x, float[12, 22] w, float[22] b", "y",
                                         "y = com.microsoft.Attention<num_heads = 2, qkv_hidden_sizes = [8, 8, 6]>(x, w, b)"),
    "QAttention": contrib(QATTENTION, "y", SCALES + "y = com.microsoft.QAttention<num_heads = 3>(x, w, b, a, f)"),
    "QAttention-zeros": contrib(QATTENTION, "y", SCALES + scalar("zw", -2, "int8") +
                                "y = com.microsoft.QAttention<num_heads = 3, unidirectional = 1>(x, w, b, a, f, , za, zw)"),
    "QAttention-columns": contrib(QATTENTION + ", float[36] h, bool[N, S] m", "y", SCALES + scalar("t", 0.01) + "g = Mul(h, t) "
                                  "n = Cast<to = 6>(m) y = com.microsoft.QAttention<num_heads = 3>(x, w, b, a, g, n, za)"),
    "QAttention-mask-of-nothing":
        contrib(QATTENTION + ", bool[N, 1] m", "y", SCALES + "n = Cast<to = 6>(m) y = com.microsoft.QAttention<num_heads = 3>(x, w, b, a, f, n, za)"),
    "QAttention-past": contrib(QATTENTION + ", float[2, N, 3, K, 4] p", "y, n", SCALES + scalar("zw", 0, "int8") +
                               "y, n = com.microsoft.QAttention<num_heads = 3, unidirectional = 1>(x, w, b, a, f, , za, zw, p)"),
    "MultiHeadAttention": contrib(QKV, "y", "y = com.microsoft.MultiHeadAttention<num_heads = 3>(q, k, v)"),
    "MultiHeadAttention-bias": contrib(QKV + ", float[36] b", "y",
                                       "y = com.microsoft.MultiHeadAttention<num_heads = 3, scale = 0.3>(q, k, v, b)"),
    "MultiHeadAttention-mask": contrib(QKV + ", bool[N, K] m", "y", "n = Cast<to = 6>(m) "
                                       "y = com.microsoft.MultiHeadAttention<num_heads = 3, mask_filter_value = -2.0>(q, k, v, , n)"),
    "MultiHeadAttention-attention-bias": contrib(QKV + ", float[1, 3, S, K] m", "y",
                                                 "y = com.microsoft.MultiHeadAttention<num_heads = 3>(q, k, v, , , m)"),
    "MultiHeadAttention-past": contrib("float[N, S, 12] q, float[N, S, 12] k, float[N, S, 12] v, float[N, 3, K, 4] pk, "
                                       "float[N, 3, K, 4] pv", "y, nk, nv",
                                       "y, nk, nv = com.microsoft.MultiHeadAttention<num_heads = 3, unidirectional = 1>"
                                       "(q, k, v, , , , pk, pv)"),
    "MultiHeadAttention-heads": contrib("float[N, S, 12] q, float[N, 3, K, 4] k, float[N, 3, K, 4] v", "y",
                                        "y = com.microsoft.MultiHeadAttention<num_heads = 3>(q, k, v)"),
    "GroupQueryAttention": contrib(GROUPED, "y, nk, nv",
                                   PROMPT + f"y, nk, nv = com.microsoft.GroupQueryAttention<{HEADS}>(q, k, v, , , lengths, total)"),
    "GroupQueryAttention-packed": contrib("float[N, S, 64] q", "y, nk, nv", PROMPT +
                                          f"y, nk, nv = com.microsoft.GroupQueryAttention<{HEADS}>(q, , , , , lengths, total)"),
    # onnxruntime takes several new places behind cached ones of one sequence only.
    "GroupQueryAttention-past": contrib(ONE + PAST, "y, nk, nv", DECODE +
                                        f"y, nk, nv = com.microsoft.GroupQueryAttention<{HEADS}>(q, k, v, pk, pv, lengths, total)"),
    "GroupQueryAttention-several": contrib(ONE.replace("[N, 1,", "[1, S,") + PAST.replace("[N,", "[1,"), "y, nk, nv", DECODE +
                                           f"y, nk, nv = com.microsoft.GroupQueryAttention<{HEADS}>(q, k, v, pk, pv, lengths, total)"),
    "GroupQueryAttention-rotary": contrib("float[N, 1, 64] q, float[N, 1, 32] k, float[N, 1, 32] v, float[N, 2, K, 16] pk, "
                                          "float[N, 2, K, 16] pv, float[64, 8] cos, float[64, 8] sin", "y, nk, nv", DECODE +
                                          f"y, nk, nv = com.microsoft.GroupQueryAttention<{HEADS}, do_rotary = 1>"
                                          "(q, k, v, pk, pv, lengths, total, cos, sin)"),
    "GroupQueryAttention-rotary-interleaved":
        contrib("float[N, S, 64] q, float[N, S, 32] k, float[N, S, 32] v, float[64, 8] cos, float[64, 8] sin", "y", PROMPT +
                f"y = com.microsoft.GroupQueryAttention<{HEADS}, do_rotary = 1, rotary_interleaved = 1>"
                "(q, k, v, , , lengths, total, cos, sin)"),
    "GroupQueryAttention-window": contrib(GROUPED, "y", PROMPT + f"y = com.microsoft.GroupQueryAttention<{HEADS}, "
                                          "local_window_size = 2>(q, k, v, , , lengths, total)"),
    "GroupQueryAttention-softcap": contrib(GROUPED, "y", PROMPT + f"y = com.microsoft.GroupQueryAttention<{HEADS}, "
                                           "softcap = 1.5, scale = 0.7>(q, k, v, , , lengths, total)"),
    "GroupQueryAttention-smooth": contrib(GROUPED, "y", PROMPT + f"y = com.microsoft.GroupQueryAttention<{HEADS}, "
                                          "smooth_softmax = 1>(q, k, v, , , lengths, total)"),
    "RotaryEmbedding-microsoft": contrib("float[N, S, 24] x, float[64, 4] cos, float[64, 4] sin", "y",
                                         scalar("p", 2, "int64[1]") + "y = com.microsoft.RotaryEmbedding(x, p, cos, sin)"),
    "RotaryEmbedding-microsoft-places":
        contrib("float[N, S, 24] x, int64[N, S] p, float[64, 4] cos, float[64, 4] sin", "y",
                "a = Abs(p) " + scalar("n", 64, "int64") + "m = Mod(a, n) y = com.microsoft.RotaryEmbedding<interleaved = 1>(x, m, cos, sin)"),
    "RotaryEmbedding-microsoft-part": contrib("float[N, 3, S, 8] x, float[64, 2] cos, float[64, 2] sin", "y",
                                              scalar("p", 0, "int64[1]") + "y = com.microsoft.RotaryEmbedding<num_heads = 3, "
                                              "rotary_embedding_dim = 4>(x, p, cos, sin)"),
    "EmbedLayerNormalization":
        contrib("int32[N, S] i, int32[N, S] t, float[7, 6] w, float[40, 6] p, float[2, 6] e, float[6] g, float[6] b", "y, m",
                "u = Abs(i) " + scalar("n", 7, "int32") + "j = Mod(u, n) o = Abs(t) " + scalar("two", 2, "int32") +
                "s = Mod(o, two) y, m = com.microsoft.EmbedLayerNormalization<epsilon = 0.001>(j, s, w, p, e, g, b)"),
    "EmbedLayerNormalization-mask":
        contrib("int32[N, S] i, float[7, 6] w, float[40, 6] p, float[6] g, float[6] b, bool[N, S] a", "y, m, s",
                "u = Abs(i) " + scalar("n", 7, "int32") + "j = Mod(u, n) k = Cast<to = 6>(a) "
                "y, m, s = com.microsoft.EmbedLayerNormalization(j, , w, p, , g, b, k)"),
    # What ONNX defined later, with other rules.
    "TransposeMatMul": contrib("float[N, S, C] x, float[N, K, S] z", "y",
                               "y = com.microsoft.TransposeMatMul<alpha = 0.5, transA = 1, transB = 1>(x, z)"),
    "Trilu-microsoft": contrib("float[N, S, K] x", "y", scalar("k", -1, "int64") + "y = com.microsoft.Trilu<upper = 0>(x, k)"),
    "GatherND-microsoft": contrib("float[2, 3, S] x", "y", "i = Constant<value = int64[3, 2] {0, 2, 1, 0, 1, 1}>() "
                                  "y = com.microsoft.GatherND(x, i)"),
    **{f"ExpandDims-{axis}": contrib("float[N, S] x", "y", scalar("a", axis, "int32") + "y = com.microsoft.ExpandDims(x, a)")
       for axis in (0, 2, -1, -3)},
    "Range-microsoft": contrib("float[N, S] x", "y", size("l", "x", 1, 7) + scalar("b", -2, "int64") + "y = com.microsoft.Range(b, l)"),
    "Range-microsoft-step": contrib("float[N, S] x", "y", size("l", "x", 1) + scalar("b", -2, "int32") + scalar("d", 3, "int32") +
                                    "y = com.microsoft.Range(b, l, d)"),
    "Unique-microsoft": contrib("float[N] x, float[S] z", "y, i, c", "j = Concat<axis = 0>(x, z) r = Ceil(j) "
                                "y, i, c = com.microsoft.Unique(r)"),
    # Weights in blocks.
    "MatMulBnb4": contrib("float[N, S, 40] x, uint8[120] z, float[15] s", "y",
                          "y = com.microsoft.MatMulBnb4<K = 40, N = 6, block_size = 16, quant_type = 1>(x, z, s)"),
    "MatMulBnb4-floats": contrib("float[N, 17] x, uint8[43] z, float[6] s", "y",
                                 "y = com.microsoft.MatMulBnb4<K = 17, N = 5, block_size = 16, quant_type = 0>(x, z, s)"),
    "GatherBlockQuantized": contrib("uint8[7, 20] x, int64[N, S] i, float[7, 3] s", "y", PLACES +
                                    "y = com.microsoft.GatherBlockQuantized<block_size = 16>(x, j, s)"),
    "GatherBlockQuantized-zeros": contrib("uint8[7, 20] x, int64[N] i, float[7, 3] s, uint8[7, 2] z", "y", PLACES +
                                          "y = com.microsoft.GatherBlockQuantized<block_size = 16, quantize_axis = -1>(x, j, s, z)"),
    "GatherBlockQuantized-2": contrib("uint8[7, 5, 9] x, int64[N] i, float[7, 5, 3] s, uint8[7, 5, 1] z", "y", PLACES +
                                      "y = com.microsoft.GatherBlockQuantized<block_size = 16, bits = 2, quantize_axis = 2>(x, j, s, z)"),
    "GatherBlockQuantized-8": contrib("uint8[7, 33] x, int64[N, S] i, float[7, 3] s, uint8[7, 3] z", "y", PLACES +
                                      "y = com.microsoft.GatherBlockQuantized<block_size = 16, bits = 8>(x, j, s, z)"),
    "GatherBlockQuantized-4-bits": contrib("float[17, 7, 2] x, int64[N, S] i, float[2, 7, 2] s, float[2, 7, 2] o", "y", PLACES +
                                           scalar("l", -8) + scalar("h", 7) + "c = Clip(x, l, h) f = Floor(c) w = Cast<to = 22>(f) "
                                           "p = Clip(o, l, h) g = Floor(p) z = Cast<to = 22>(g) y = com.microsoft.GatherBlockQuantized"
                                           "<block_size = 16, gather_axis = 1, quantize_axis = 0>(w, j, s, z)"),
    # What has other operands or types than ONNX's operators.
    # Mixtures of experts.
    "MoE": contrib("float[N, C] x, " + EXPERTS, "y", "y = com.microsoft.MoE<k = 2>(x, r, w, b, v, c)"),
    "MoE-of-a-batch": contrib("float[N, S, C] x, float[N, S, 4] q, float[4, K, C] w, float[4, C, K] v", "y",
                              "r = Flatten<axis = 2>(q) y = com.microsoft.MoE<k = 3, normalize_routing_weights = 1, "
                              'activation_type = "silu">(x, r, w, , v)'),
    "MoE-gelu": contrib("float[N, C] x, " + EXPERTS, "y", 'y = com.microsoft.MoE<activation_type = "gelu">(x, r, w, b, v, c)'),
    "MoE-identity": contrib("float[N, C] x, " + EXPERTS, "y",
                            'y = com.microsoft.MoE<activation_type = "identity", k = 4>(x, r, w, b, v, c)'),
    "MoE-swiglu": contrib("float[N, C] x, float[N, 4] r, float[4, 6, C] w, float[4, 6] b, float[4, C, 3] v", "y",
                          'y = com.microsoft.MoE<activation_type = "swiglu", swiglu_fusion = 1, k = 2, swiglu_limit = 1.0, '
                          "activation_alpha = 1.702, activation_beta = 1.0, normalize_routing_weights = 1>(x, r, w, b, v)"),
    # Experts of few bits: a third operand of zeros, scales of blocks, weights beside the scores.
    "QMoE": contrib("float[N, 32] x, float[N, 4] r, " + FEW_BITS + ", float[4, 6] b, float[4, 32] c", "y",
                    SCALED + "y = com.microsoft.QMoE<k = 2>(x, r, w, d, b, v, e, c)"),
    "QMoE-zeros-of-a-batch": contrib("float[N, S, 32] x, float[N, S, 4] q, " + FEW_BITS + ", uint8[4, 3] z, uint8[4, 16] o", "y",
                                     SCALED + "r = Flatten<axis = 2>(q) y = com.microsoft.QMoE<k = 3, activation_type = \"silu\", "
                                     "normalize_routing_weights = 1>(x, r, w, d, , v, e, , , , , z, o)"),
    "QMoE-blocks": contrib("float[N, 32] x, float[N, 4] r, float[N, 4] p, uint8[4, 64, 16] w, float[4, 64, 2] s, uint8[4, 32, 16] v, "
                           "float[4, 32, 2] t, uint8[4, 64, 1] z, uint8[4, 32, 1] o", "y",
                           SCALED + 'a = Sigmoid(p) y = com.microsoft.QMoE<k = 2, activation_type = "swiglu", swiglu_fusion = 1, block_size = 16>'
                           "(x, r, w, d, , v, e, , , , , z, o, , a)"),
    **{f"QMoE-{bits}-bits": contrib(f"float[N, 32] x, float[N, 4] r, float[N, 4] p, uint8[4, 16, {4 * bits}] w, float[4, 16] s, "
                                    f"uint8[4, 32, {2 * bits}] v, float[4, 32] t", "y", SCALED + "a = Sigmoid(p) y = com.microsoft.QMoE"
                                    f"<normalize_routing_weights = 1, k = 2, expert_weight_bits = {bits}>"
                                    "(x, r, w, d, , v, e, , , , , , , , a)") for bits in (2, 8)},
    "CDist": contrib("float[N, S] x, float[K, S] z", "y", 'y = com.microsoft.CDist<metric = "sqeuclidean">(x, z)'),
    "CDist-root": contrib("float[N, S] x, float[K, S] z", "y", 'y = com.microsoft.CDist<metric = "euclidean">(x, z)'),
    "UnfoldTensor": contrib("float[N, S, 7] x", "y", "y = com.microsoft.UnfoldTensor<size = 3, step = 2>(x)"),
    "UnfoldTensor-dim": contrib("int64[N, S, K] x", "y", "y = com.microsoft.UnfoldTensor<dim = 1, size = 5>(x)"),
    **{f"NGramRepeatBlock-{length}": contrib("int64[N, S] i, float[N, 7] x", "y", PLACES + scalar("two", 2, "int64") +
                                             f"p = Mod(j, two) y = com.microsoft.NGramRepeatBlock<ngram_size = {length}>(p, x)")
       for length in (1, 2, 3, 6)},
    "QEmbedLayerNormalization":
        contrib("int64[N, S] i, int64[N, S] t, uint8[7, 6] w, uint8[40, 6] p, uint8[7, 6] e, uint8[6] g, uint8[6] b, bool[N, S] m", "y, n", PLACES +
                "k = Cast<to = 6>(j) c = Cast<to = 6>(m) " + scalar("f", 0.05) + scalar("h", 0.1) + scalar("z", 100, "uint8") +
                scalar("zb", 3, "uint8") + "y, n = com.microsoft.QEmbedLayerNormalization<epsilon = 0.001>"
                "(k, k, w, p, e, g, b, c, f, h, f, h, f, z, zb, z, zb, z)"),
    "QEmbedLayerNormalization-no-segments":
        contrib("int64[N, S] i, int8[7, 6] w, int8[40, 6] p, int8[6] g, int8[6] b", "y, n", PLACES + "k = Cast<to = 6>(j) " +
                scalar("f", 0.05) + scalar("z", 1, "int8") + "y, n = com.microsoft.QEmbedLayerNormalization"
                "(k, , w, p, , g, b, , f, f, , f, f, z, z, , z, z)"),
    "MatMulInteger16": contrib("int16[N, S, C] x, int16[N, C, K] z", "y", "y = com.microsoft.MatMulInteger16(x, z)"),
    "Pad-microsoft": contrib("float[N, S] x", "y", "p = Constant<value = int64[1, 4] {1, 0, -1, 2}>() v = Constant<value = float[1] {1.5}>() "
                             "y = com.microsoft.Pad(x, p, v)"),
    "Pad-microsoft-edge": contrib("float[N, C, S] x", "y", "p = Constant<value = int64[6] {0, 1, 2, 0, 3, 0}>() "
                                  'y = com.microsoft.Pad<mode = "edge">(x, p)'),
    **{f"GridSample-microsoft-{mode}": contrib("float[N, 2, S, 5] x, float[N, K, 3, 2] g", "y",
                                               f'y = com.microsoft.GridSample<mode = "{mode}", {rest}>(x, g)')
       for mode, rest in [("bilinear", "align_corners = 1"), ("nearest", 'padding_mode = "border"'),
                          ("bicubic", 'padding_mode = "reflection"')]},
    **{f"CropAndResize-{mode}{rows}": contrib("float[N, 2, S, 5] x, float[K, 4] r, int64[K, 1] i", "y", "a = Abs(i) n = Shape<start = 0, end = 1>(x) "
                                              "m = Mod(a, n) e = Constant<value = int64[1] {-1}>() f = Reshape(m, e) b = Cast<to = 6>(f) s = Sigmoid(r) "
                                              f"t = Constant<value = int32[2] {{{rows}, 4}}>() y = com.microsoft.CropAndResize"
                                              f'<mode = "{mode}", extrapolation_value = 0.5>(x, s, b, t)')
       for mode, rows in [("bilinear", 3), ("nearest", 7), ("bilinear", 1)]},
    "CropAndResize-outside": contrib("float[1, 2, S, 5] x, float[K, 4] r", "y", "n = Shape<start = 0, end = 1>(r) z = ConstantOfShape<value = int32[1] {0}>(n) "
                                     "t = Constant<value = int32[2] {5, 3}>() y = com.microsoft.CropAndResize(x, r, z, t)"),
    "ConvTransposeWithDynamicPads": contrib("float[N, 3, S, 7] x, float[3, 4, 2, 3] w, float[4] b", "y",
                                            "p = Constant<value = int64[4] {1, 0, 0, 1}>() y = com.microsoft."
                                            "ConvTransposeWithDynamicPads<strides = [2, 1], kernel_shape = [2, 3]>(x, w, p, b)"),
    "ConvTransposeWithDynamicPads-measured": contrib("float[N, 3, S, 7] x, float[3, 4, 2, 3] w, float[K, 1] k", "y", size("o", "k", 1, 7) +
                                                     "e = Constant<value = int64[1] {-1}>() r = Reshape(o, e) t = Constant<value = int64[4] {0, 1, 0, 1}>() "
                                                     "p = Mul(t, r) y = com.microsoft.ConvTransposeWithDynamicPads(x, w, p)"),
    "CausalConvWithState-microsoft": contrib("float[N, 6, S] x, float[6, 1, 4] w, float[6] b, float[N, 6, 3] p", "y, n",
                                             'y, n = com.microsoft.CausalConvWithState<activation = "silu">(x, w, b, p)'),
    "LinearAttention-microsoft": contrib("float[N, S, 12] q, float[N, S, 6] k, float[N, S, 10] v, float[N, S, 2] u, float[N, S, 2] b", "y, n",
                                         "t = Constant<value = float {0.1}>() a = Abs(u) m = Neg(a) d = Mul(m, t) c = Sigmoid(b) l = Mul(k, t) y, n = com.microsoft.LinearAttention"
                                         "<q_num_heads = 4, kv_num_heads = 2>(q, l, v, , d, c)"),
    # Quantized.
    "QLinearAdd": contrib("uint8[N, C, S] x, uint8[C, 1] z", "y", QUANTIZED + "y = com.microsoft.QLinearAdd(x, a, za, z, a, za, c, zc)"),
    "QLinearMul": contrib("uint8[N, C, S] x, uint8[C, 1] z", "y", QUANTIZED + "y = com.microsoft.QLinearMul(x, a, za, z, a, za, c, zc)"),
    "QLinearSigmoid": contrib("uint8[N, S] x", "y", QUANTIZED + scalar("f", 0.0039, "float") +
                              "y = com.microsoft.QLinearSigmoid(x, a, za, f, za)"),
    "QLinearLeakyRelu": contrib("uint8[N, S] x", "y", QUANTIZED + "y = com.microsoft.QLinearLeakyRelu<alpha = 0.2>(x, a, za, c, zc)"),
    "QLinearGlobalAveragePool": contrib("uint8[N, 3, S, 4] x", "y", QUANTIZED +
                                        "y = com.microsoft.QLinearGlobalAveragePool(x, a, za, c, zc)"),
    "QLinearConv-microsoft": contrib("uint8[N, S, 7, 3] x, int8[4, 3, 2, 3] w, int32[4] b", "y", QUANTIZED + scalar("zw", 0, "int8") +
                                     "y = com.microsoft.QLinearConv<channels_last = 1, pads = [1, 0, 0, 1]>"
                                     "(x, a, za, w, a, zw, c, zc, b)"),
    "NhwcMaxPool": contrib("uint8[N, S, 7, 3] x", "y",
                           "y = com.microsoft.NhwcMaxPool<kernel_shape = [2, 3], strides = [1, 2], pads = [1, 1, 0, 1]>(x)"),
    "QLinearConcat": contrib("uint8[N, C] x, uint8[N, K] z", "y", QUANTIZED +
                             "y = com.microsoft.QLinearConcat<axis = 1>(c, zc, x, a, za, z, c, zc)"),
    "MatMulIntegerToFloat": contrib("uint8[N, S] x, uint8[S, 6] z, float[6] b", "y", QUANTIZED +
                                    "y = com.microsoft.MatMulIntegerToFloat(x, z, a, c, za, zc, b)"),
    "MatMulIntegerToFloat-columns": contrib("uint8[N, S] x, uint8[S, 6] z, float[6] f", "y", QUANTIZED +
                                            "y = com.microsoft.MatMulIntegerToFloat(x, z, a, f, za, zc)"),
    "DynamicQuantizeMatMul-bias": contrib("float[N, C, S] x, int8[S, 6] z, float[1, 1, 6] b", "y", scalar("a", 0.05) + scalar("n", 3, "int8") +
                                          "y = com.microsoft.DynamicQuantizeMatMul(x, z, a, n, b)"),
    "DynamicQuantizeMatMul": contrib("float[N, C, S] x, int8[S, 6] z, float[6] b", "y", scalar("a", 0.05) + scalar("n", 3, "int8") +
                                     "y = com.microsoft.DynamicQuantizeMatMul(x, z, a, n, b)"),
    "QGemm": contrib("uint8[N, S] x, uint8[S, 6] z", "y", QUANTIZED + "y = com.microsoft.QGemm(x, a, za, z, c, zc)"),
    "MatMulNBits": contrib("float[N, S, 40] x, uint8[6, 3, 8] z, float[18] s", "y",
                           "y = com.microsoft.MatMulNBits<K = 40, N = 6, bits = 4, block_size = 16>(x, z, s)"),
    "MatMulNBits-zeros": contrib("float[N, 32] x, uint8[6, 2, 8] z, float[12] s, uint8[6] o, float[6] b", "y",
                                 "y = com.microsoft.MatMulNBits<K = 32, N = 6, bits = 4, block_size = 16>(x, z, s, o, , b)"),
    "MatMulNBits-8": contrib("float[N, 32] x, uint8[6, 2, 16] z, float[12] s", "y",
                             "y = com.microsoft.MatMulNBits<K = 32, N = 6, bits = 8, block_size = 16>(x, z, s)"),
}

# What onnxruntime computes by tables of integers, or sums in another order, so that some results differ by one.
ROUNDED = {
    "QLinearAveragePool": contrib("uint8[N, 3, S, 4] x", "y", QUANTIZED + "y = com.microsoft.QLinearAveragePool"
                                  "<kernel_shape = [3, 2], pads = [1, 0, 1, 1], strides = [2, 1]>(x, a, za, c, zc)"),
    "QLinearAveragePool-last": contrib("uint8[N, S, 4, 3] x", "y", QUANTIZED + "y = com.microsoft.QLinearAveragePool"
                                       "<kernel_shape = [3, 2], channels_last = 1, count_include_pad = 1>(x, a, za, c, zc)"),
    "QLinearSoftmax": contrib("uint8[N, C, S] x", "y", QUANTIZED + scalar("f", 0.0039) + scalar("zf", 0, "uint8") +
                              "y = com.microsoft.QLinearSoftmax<axis = -1, opset = 13>(x, a, za, f, zf)"),
}

def group_norm(groups, attributes):
    """x, N x H x W x C, normalised, as l."""
    return (f"t = Transpose<perm = [0, 3, 1, 2]>(x) n = GroupNormalization<num_groups = {groups}, {attributes}>(t, g, b) "
            "l = Transpose<perm = [0, 2, 3, 1]>(n) ")


# What onnxruntime runs on other devices only: the operator, and the graph that it stands for.
DEFINED = {
    "GroupNorm": (("float[N, S, 7, 6] x, float[6] g, float[6] b", "y"), "y = com.microsoft.GroupNorm<groups = 2, activation = 1, "
                  "epsilon = 0.001>(x, g, b)", group_norm(2, "epsilon = 0.001") + "s = Sigmoid(l) y = Mul(l, s)"),
    "GroupNorm-first": (("float[N, 6, S, 7] x, float[6] g, float[6] b", "y"), "y = com.microsoft.GroupNorm<groups = 3, activation = 0, "
                        "channels_last = 0>(x, g, b)", "y = GroupNormalization<num_groups = 3>(x, g, b)"),
    "SkipGroupNorm": (("float[N, S, 7, 6] w, float[6] g, float[6] b, float[N, S, 7, 6] k, float[6] a", "y"),
                      "y = com.microsoft.SkipGroupNorm<groups = 2, activation = 0>(w, g, b, k, a)",
                      "v = Add(w, k) x = Add(v, a) " + group_norm(2, "epsilon = 0.00001") + "y = Identity(l)"),
    "SkipGroupNorm-flat": (("float[N, S, 7, 6] w, float[6] g, float[6] b, float[N, 6] k", "y"), "n, y = com.microsoft.SkipGroupNorm"
                           "<groups = 2, activation = 0>(w, g, b, k)", "p = Constant<value = int64[2] {1, 2}>() l = Unsqueeze(k, p) y = Add(w, l)"),
    "GemmFastGelu": (("float[N, C, S] x, float[S, 6] w, float[6] b", "y"), "y = com.microsoft.GemmFastGelu(x, w, b)",
                     "m = MatMul(x, w) y = com.microsoft.FastGelu(m, b)"),
    "BiasSoftmax": (("float[N, 3, S, K] x, float[N, 1, 1, K] b", "y"), "y = com.microsoft.BiasSoftmax<axis = 3, is_inner_broadcast = 1>(x, b)",
                    "s = Add(x, b) y = Softmax<axis = 3>(s)"),
    "BiasSoftmax-outer": (("float[N, 3, S, K] x, float[3, S, K] b", "y"), "y = com.microsoft.BiasSoftmax<axis = 2, is_inner_broadcast = 0>(x, b)",
                          "s = Add(x, b) h = Shape(x) e = Constant<value = int64[3] {0, 0, -1}>() f = Reshape(s, e) t = Softmax<axis = 2>(f) "
                          "y = Reshape(t, h)"),
    "BiasDropout": (("float[N, S, 6] x, float[6] b, float[N, S, 6] z", "y"), "y = com.microsoft.BiasDropout(x, b, z)",
                    "s = Add(x, b) y = Add(s, z)"),
    "BiasDropout-mask": (("float[N, S] x, float[S] b", "y"), "n, y = com.microsoft.BiasDropout(x, b)", "y = Equal(x, x)"),
    "GatedRelativePositionBias": (("float[N, S, 12] x, float[12] b, float[1, 3, S, S] p, float[4, 8] w, float[8] c, float[1, 3, 1, 1] e", "y"),
                                  "y = com.microsoft.GatedRelativePositionBias<num_heads = 3>(x, b, p, w, c, e)",
                                  "h = Constant<value = int64[4] {0, 0, 3, 4}>() s = Add(x, b) r = Reshape(s, h) q = Transpose<perm = [0, 2, 1, 3]>(r) "
                                  "m = MatMul(q, w) l = Add(m, c) u, v = Split<axis = 3, num_outputs = 2>(l) j = Constant<value = int64[1] {-1}>() a = ReduceSum<keepdims = 1>(u, j) g = Sigmoid(a) "
                                  "d = ReduceSum<keepdims = 1>(v, j) i = Sigmoid(d) k = Mul(i, e) one = Constant<value = float {1}>() two = Constant<value = float {2}>() n = Sub(k, one) o = Mul(g, n) t = Add(o, two) y = Mul(t, p)"),
    "QLinearReduceMean": (("uint8[N, C, S, 2] x", "y"), QUANTIZED + scalar("f", 0.0371) + "y = com.microsoft.QLinearReduceMean<axes = [-1, 1], "
                          "keepdims = 0>(x, a, za, f, zc)", QUANTIZED + scalar("f", 0.0371) + "d = DequantizeLinear(x, a, za) e = Constant<value = int64[2] {1, 3}>() m = ReduceMean<keepdims = 0>(d, e) "
                          "y = QuantizeLinear(m, f, zc)"),
    "BiasAdd": (("float[N, S, 6] x, float[6] b, float[N, S, 6] z", "y"), "y = com.microsoft.BiasAdd(x, b, z)",
                "s = Add(x, b) y = Add(s, z)"),
    "BiasSplitGelu": (("float[N, S, 6] x, float[6] b", "y"), "y = com.microsoft.BiasSplitGelu(x, b)",
                      "s = Add(x, b) l, r = Split<axis = 2, num_outputs = 2>(s) g = com.microsoft.Gelu(r) y = Mul(l, g)"),
    "NhwcConv": (("float[N, S, 7, 4] x, float[6, 2, 3, 2] w, float[6] b", "y"),
                 "y = com.microsoft.NhwcConv<group = 2, pads = [1, 0, 0, 1], strides = [1, 2]>(x, w, b)",
                 "t = Transpose<perm = [0, 3, 1, 2]>(x) u = Transpose<perm = [0, 3, 1, 2]>(w) "
                 "c = Conv<group = 2, pads = [1, 0, 0, 1], strides = [1, 2]>(t, u, b) y = Transpose<perm = [0, 2, 3, 1]>(c)"),
}

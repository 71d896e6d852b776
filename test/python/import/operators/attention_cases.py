"""onnxruntime's attention with caches that have room for more, and its embeddings of places, for operator_cases.py."""

from contrib_cases import DECODE, GROUPED, HEADS, ONE, PROMPT, contrib, scalar, size

# Of K places in a cache, half of the others but one are in use, or all others.
USED = size("l", "pk", 2) + scalar("one", 1, "int32") + scalar("two", 2, "int32") + "before = Sub(l, one) " \
       "e = Constant<value = int64[1] {1}>() "
HALF = USED + "h = Div(before, two) p = Reshape(h, e) "
LAST = USED + "p = Reshape(before, e) "
DECODED = ("float[N, 1, 12] q, float[N, 1, 12] k, float[N, 1, 12] v, float[N, 3, K, 4] pk, float[N, 3, K, 4] pv")
PARTS = "float[N, S, 12] q, float[N, S, 12] k, float[N, S, 12] v, float[N, 3, K, 4] u, float[N, 3, S, 4] w"
# A cache with K places in use and room for S.
ROOM = "pk = Concat<axis = 2>(u, w) " + size("l", "u", 2) + "e = Constant<value = int64[1] {1}>() p = Reshape(l, e) "
MASKED = "com.microsoft.DecoderMaskedMultiHeadAttention<num_heads = 3, past_present_share_buffer = 1"
ANGLES = ", float[9, 4] cos, float[9, 4] sin"
PLACED = "a = Abs(p) " + scalar("nine", 9, "int64") + "m = Mod(a, nine) "

EACH = "float[1, 2, 1, 8] ks, float[1, 2, 1, 8] vs"


def cached(kind, width, bits, modes, scales):
    """A decoder's step with keys and values in caches of few bits."""
    body = DECODE + scalar("f", 0.05) + scalar("g", 0.02) + "ka = Abs(ks) kb = Mul(ka, g) kc = Add(kb, f) va = Abs(vs) vb = Mul(va, g) vc = Add(vb, f) "
    return contrib(f"{ONE}, {kind}[N, 2, K, {width}] pk, {kind}[N, 2, K, {width}] pv, {scales}", "y, nk, nv", body +
                   f'y, nk, nv = com.microsoft.GroupQueryAttention<{HEADS}, kv_cache_bit_width = {bits}, k_quant_type = "{modes[0]}", '
                   f'v_quant_type = "{modes[1]}">(q, k, v, pk, pv, lengths, total, , , , , , kc, vc)')


CASES = {
    "DecoderMaskedMultiHeadAttention": contrib(DECODED, "y, nk, nv", HALF + f"y, nk, nv = {MASKED}>(q, k, v, , , pk, pv, p)"),
    "DecoderMaskedMultiHeadAttention-mask":
        contrib(DECODED + ", bool[N, K] m", "y, nk, nv", LAST + "n = Cast<to = 6>(m) "
                f"y, nk, nv = {MASKED}, mask_filter_value = -2.0>(q, k, v, n, , pk, pv, p)"),
    "DecoderMaskedMultiHeadAttention-bias":
        contrib(DECODED + ", float[1, 3, 1, K] a, float[36] b", "y, nk, nv", LAST +
                f"y, nk, nv = {MASKED}, scale = 0.3>(q, k, v, , a, pk, pv, p, , , b)"),
    "DecoderMaskedMultiHeadAttention-cross":
        contrib("float[N, 1, 12] q, float[N, 3, K, 4] k, float[N, 3, K, 4] v, float[36] b, bool[N, K] m", "y",
                "n = Cast<to = 6>(m) y = com.microsoft.DecoderMaskedMultiHeadAttention<num_heads = 3, mask_filter_value = -3.0>"
                "(q, k, v, n, , , , , , , b)"),
    "MultiHeadAttention-room": contrib(PARTS, "y, nk, nv", ROOM +
                                       "y, nk, nv = com.microsoft.MultiHeadAttention<num_heads = 3>(q, k, v, , , , pk, pk, p)"),
    "MultiHeadAttention-room-causal":
        contrib(PARTS, "y, nk, nv", ROOM + "y, nk, nv = com.microsoft.MultiHeadAttention<num_heads = 3, unidirectional = 1>"
                "(q, k, v, , , , pk, pk, p)"),
    "GroupQueryAttention-both-ways": contrib(GROUPED, "y, nk, nv", PROMPT + f"y, nk, nv = com.microsoft.GroupQueryAttention<{HEADS}, "
                                             "causal = 0>(q, k, v, , , lengths, total)"),
    **{f"LinearAttention-{keys}-keys":
       contrib(f"float[N, S, 6] q, float[N, S, {3 * keys}] k, float[N, S, 20] v, float[N, S, 4] u, float[N, S, 4] b", "y, n",
               "t = Constant<value = float {0.1}>() a = Abs(u) m = Neg(a) d = Mul(m, t) c = Sigmoid(b) l = Mul(k, t) "
               "y, n = com.microsoft.LinearAttention<q_num_heads = 2, kv_num_heads = 4>(q, l, v, , d, c)") for keys in (2, 4)},
    "GroupQueryAttention-bytes": cached("int8", 8, 8, ("PER_TENSOR", "PER_TENSOR"), "float[1] ks, float[1] vs"),
    "GroupQueryAttention-bytes-each": cached("int8", 8, 8, ("PER_CHANNEL", "PER_CHANNEL"), EACH),
    "GroupQueryAttention-4-bits": cached("uint8", 4, 4, ("PER_TENSOR", "PER_TENSOR"), "float[1] ks, float[1] vs"),
    "GroupQueryAttention-4-bits-each": cached("uint8", 4, 4, ("PER_CHANNEL", "PER_CHANNEL"), EACH),
    **{f"MRotaryEmbedding-{layout}-{sections[0]}":
       contrib("float[N, S, 24] x, int64[3, N, S] p" + ANGLES, "y", PLACED + "y = com.microsoft.MRotaryEmbedding<num_heads = 3, "
               f"mrope_section = {sections}, mrope_layout = {layout}>(x, m, cos, sin)")
       for layout in (0, 1) for sections in ([2, 1, 1], [0, 3, 1], [4, 0, 0])},
    "MRotaryEmbedding-heads":
        contrib("float[N, 2, S, 10] x, int64[3, N, S] p" + ANGLES, "y", PLACED + "y = com.microsoft.MRotaryEmbedding"
                "<num_heads = 2, rotary_embedding_dim = 8, mrope_section = [1, 2, 1], interleaved = 1>(x, m, cos, sin)"),
}

# Each head over the root of the mean of its squares.
NORMALIZED = ("four = Constant<value = int64[4] {0, 0, -1, 8}>() fq = Reshape(q, four) fk = Reshape(k, four) "
              "nq = SimplifiedLayerNormalization<axis = -1, epsilon = 0.001>(fq, w) "
              "nk = SimplifiedLayerNormalization<axis = -1, epsilon = 0.001>(fk, u) sq = Shape(q) sk = Shape(k) "
              "rq = Reshape(nq, sq) rk = Reshape(nk, sk) ")
DEFINED = {
    "GroupQueryAttention-normalized":
        ((GROUPED + ", float[8] w, float[8] u", "y"), PROMPT + f"y = com.microsoft.GroupQueryAttention<{HEADS}, qk_norm_epsilon = 0.001>"
         "(q, k, v, , , lengths, total, , , , , , , , w, u)", PROMPT + NORMALIZED +
         f"y = com.microsoft.GroupQueryAttention<{HEADS}>(rq, rk, v, , , lengths, total)"),
}


def in_halves(inputs, body, operands):
    """The same of f16 and of f32, each with operands that are rounded to f16."""
    rounded = "".join(f"{name}h = Cast<to = 10>({name}) {name}f = Cast<to = 1>({name}h) " for name in operands)
    return (contrib(inputs, "y", rounded + body("h") + "y = Cast<to = 1>(z)"), contrib(inputs, "y", rounded + body("f") + "y = Identity(z)"))


_OF_HALVES = {
    "DecoderMaskedMultiHeadAttention":
        in_halves(DECODED, lambda t: LAST.replace("pk", f"pk{t}") + f"z, n{t}, m{t} = {MASKED}>(q{t}, k{t}, v{t}, , , pk{t}, pv{t}, p) ",
                  ("q", "k", "v", "pk", "pv")),
    "MRotaryEmbedding": in_halves("float[N, S, 24] x, int64[3, N, S] p" + ANGLES, lambda t: PLACED + "z = com.microsoft.MRotaryEmbedding"
                                  f"<num_heads = 3, mrope_section = [1, 2, 1], mrope_layout = 1>(x{t}, m, cos{t}, sin{t}) ", ("x", "cos", "sin")),
    "GroupQueryAttention-normalized":
        in_halves(GROUPED + ", float[8] w, float[8] u", lambda t: PROMPT + (
            f"z = com.microsoft.GroupQueryAttention<{HEADS}, qk_norm_epsilon = 0.001>(qh, kh, vh, , , lengths, total, , , , , , , , wh, uh) "
            if t == "h" else NORMALIZED.replace("(q,", "(qf,").replace("(k,", "(kf,").replace(", w)", ", wf)").replace(", u)", ", uf)") +
            f"z = com.microsoft.GroupQueryAttention<{HEADS}>(rq, rk, vf, , , lengths, total) "), ("q", "k", "v", "w", "u")),
}
HALVES = {name: case for name, (case, _) in _OF_HALVES.items()}
HALVES_DEFINED = {name: case for name, (_, case) in _OF_HALVES.items()}

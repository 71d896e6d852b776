"""onnxruntime's attention with caches that have room for more, and its embeddings of places, for operator_cases.py."""

from contrib_cases import GROUPED, HEADS, PROMPT, contrib, scalar, size

# Of K places in a cache, half of the others but one are in use, or all others.
USED = size("l", "pk", 2) + scalar("one", 1, "int32") + scalar("two", 2, "int32") + "before = Sub(l, one) " \
       "e = Constant<value = int64[1] {1}>() "
HALF = USED + "h = Div(before, two) p = Reshape(h, e) "
LAST = USED + "p = Reshape(before, e) "
DECODED = ("float[N, 1, 12] q, float[N, 1, 12] k, float[N, 1, 12] v, float[N, 3, K, 4] pk, float[N, 3, K, 4] pv")
PARTS = "float[N, S, 12] q, float[N, S, 12] k, float[N, S, 12] v, float[N, 3, K, 4] u, float[N, 3, S, 4] w"
# A cache with K places in use and room for S.
ROOM = "pk = Concat<axis = 2>(u, w) " + size("l", "u", 2) + "e = Constant<value = int64[1] {1}>() p = Reshape(l, e) "
DECODE = "com.microsoft.DecoderMaskedMultiHeadAttention<num_heads = 3, past_present_share_buffer = 1"
ANGLES = ", float[9, 4] cos, float[9, 4] sin"
PLACED = "a = Abs(p) " + scalar("nine", 9, "int64") + "m = Mod(a, nine) "

CASES = {
    "DecoderMaskedMultiHeadAttention": contrib(DECODED, "y, nk, nv", HALF + f"y, nk, nv = {DECODE}>(q, k, v, , , pk, pv, p)"),
    "DecoderMaskedMultiHeadAttention-mask":
        contrib(DECODED + ", bool[N, K] m", "y, nk, nv", LAST + "n = Cast<to = 6>(m) "
                f"y, nk, nv = {DECODE}, mask_filter_value = -2.0>(q, k, v, n, , pk, pv, p)"),
    "DecoderMaskedMultiHeadAttention-bias":
        contrib(DECODED + ", float[1, 3, 1, K] a, float[36] b", "y, nk, nv", LAST +
                f"y, nk, nv = {DECODE}, scale = 0.3>(q, k, v, , a, pk, pv, p, , , b)"),
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

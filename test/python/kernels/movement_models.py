"""As kernel_models: data movement, windows, selection, quantization."""

from kernel_models import EXACT, X, Case, below, const, scalar

PERMS = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]


def transposes(kind, **rest):
    return Case(f"{kind}[A, B, C] x", "\n".join(f"y{i} = Transpose<perm = {perm}>(x)" for i, perm in enumerate(PERMS)), tolerance=0, **rest)


def pads(mode, kind="float", **rest):
    return Case(f"{kind}[A, B, C] x", const(p=[1, 0, 2, 0, 3, 1], n=[0, -1, 1, 2, 0, -2]) +
                f'y0 = Pad<mode = "{mode}">(x, p) y1 = Pad<mode = "{mode}">(x, n)', tolerance=0, opset=19, **rest)


MOVEMENT = {
    **{f"Transpose-{kind}": transposes(kind) for kind in ("float", "double", "float16", "int64", "uint8", "bool")},
    "Transpose-bfloat16": transposes("bfloat16", peer=False),
    "Transpose-rank-4": Case("float[A, B, C, D] x", "y0 = Transpose<perm = [0, 2, 1, 3]>(x) y1 = Transpose<perm = [3, 1, 0, 2]>(x) "
                             "e = Exp(x) t = Transpose<perm = [0, 2, 3, 1]>(e) y2 = Add(t, t)"),
    # Inputs that are contiguous along different loops, read by one op, and a body that is too long for squares.
    "Transpose-beside": Case("float[A, B, C] x, float[A, C, B] z, float[C, A, B] v, float[B] w",
                             "t = Transpose<perm = [0, 2, 1]>(x) u = Transpose<perm = [1, 0, 2]>(v) a = Add(t, z) b = Sub(u, w) y0 = Mul(a, b) "
                             "e = Exp(x) f = Transpose<perm = [0, 2, 1]>(e) y1 = Add(f, z)", work=60_000),
    "Gather": Case(X + ", int64[I, J] i, int32[K] k, int64[K] l", "y0 = Gather<axis = 0>(x, i) y1 = Gather<axis = 1>(x, k) "
                   "y2 = Gather<axis = 2>(x, l)", make={"i": below("A"), "k": below("B"), "l": below("C")}, usual={"I": 9, "J": 9}, tolerance=0),
    "embedding": Case("int64[A, B] i, int64[A, B] j", "a = Gather(t, i) b = Gather(u, j) y = Add(a, b)", weights={"t": (60, 33), "u": (9, 33)},
                      make={"i": scalar(-60, 59), "j": scalar(0, 8)}, work=2000),
    "Gather-scalar": Case(X + ", int64 i", "y = Gather<axis = 1>(x, i)", make={"i": below("B")}, tolerance=0),
    "GatherElements": Case(X + ", int64[A, D, C] i", "y = GatherElements<axis = 1>(x, i)", make={"i": below("B")}, tolerance=0, peer=False),
    "GatherND": Case("float[A, B, C] x, int64[D, 1] i, int64[A, E, 1] j", "y0 = GatherND(x, i) y1 = GatherND<batch_dims = 1>(x, j)",
                     make={"i": below("A"), "j": below("B")}, tolerance=0),
    "Slice": Case(X, const(s=[1, -3], e=[2**31, 9], a=[1, 2], p=[-1, -2], q=[-100, 0], t=[-1, -3], u=[2]) +
                  "y0 = Slice(x, s, e, a) y1 = Slice(x, p, q, a, t) z = Constant<value_ints = [0]>() w = Constant<value_ints = [-1]>() "
                  "y2 = Slice(x, z, w, z, u) y3 = Slice(x, z, w, u)", tolerance=0),
    "Slice-by-input": Case(X + ", int64[1] s, int64[1] e", const(a=[1]) + "y = Slice(x, s, e, a)",
                           make={"s": scalar(-80, 80), "e": scalar(-80, 80)}, tolerance=0),
    "Concat": Case("float[A, B, C] x, float[D, B, C] z, float[A, E, C] v, float[A, B, F] w",
                   "y0 = Concat<axis = 0>(x, z) y1 = Concat<axis = 1>(v, x) y2 = Concat<axis = 2>(x, w, x)", tolerance=0, work=150_000),
    "Concat-empty": Case("float[A, 0, B] x, float[0, A] z, float[C, A] w", "y0 = Concat<axis = 0>(x, x) y1 = Concat<axis = 1>(x, x) y2 = Concat<axis = 0>(z, w) "
                         "y3 = Concat<axis = 1>(z, z)", tolerance=0),
    "Concat-computed": Case("float[A, B, C] x, float[A, D, C] z, float16[A, B] h, float16[A, D] g", "e = Exp(x) t = Tanh(z) "
                            "y0 = Concat<axis = 1>(e, t, x) y1 = Concat<axis = 1>(h, g)"),
    "Split": Case("float[A, 7, B] x, float[C, D] z", const(s=[2, 4, 1]) + "y0, y1, y2 = Split<axis = 1>(x, s) y3, y4 = Split<axis = 1, num_outputs = 2>(z)"
                  " a = Mul(y1, y1) y5 = Add(a, y1)", tolerance=0, peer=False),
    "Pad-constant": pads("constant"), "Pad-edge": pads("edge", peer=False), "Pad-reflect": pads("reflect"), "Pad-wrap": pads("wrap", peer=False),
    "Pad-f16": pads("constant", "float16"),
    "Expand": Case("float[A, 1, C] x, float[D, B, E] z, float[1, F] w", "s = Shape(z) y0 = Expand(x, s) y1 = Expand(w, s)", pairs="AD CE EF",
                   tolerance=0),
    "Tile": Case(X + ", int64[3] r", const(k=[2, 1, 3]) + "y0 = Tile(x, k) y1 = Tile(x, r)", make={"r": scalar(0, 3)}, tolerance=0, work=9000),
    "Reshape": Case("float[A, B, C] x", const(m=[-1], f=[0, -1], g=[-1, 0, 1], z=[0]) + "y0 = Reshape(x, m) y2 = Flatten<axis = 2>(x) "
                    "t = Transpose<perm = [0, 2, 1]>(x) n = Neg(t) y3 = Flatten<axis = 2>(n) y1 = Unsqueeze(x, m)", tolerance=0),
    "Reshape-heads": Case("float[A, B, 24] x", const(s=[0, 0, 4, 6]) + "h = Reshape(x, s) t = Transpose<perm = [0, 2, 1, 3]>(h) e = Exp(t) "
                          "b = Transpose<perm = [0, 2, 1, 3]>(e) d = Shape(x) y = Reshape(b, d)", work=2000),
    "Trilu": Case(X + ", int64 k", "y0 = Trilu(x) y1 = Trilu<upper = 0>(x, k)", make={"k": scalar(-75, 75)}, tolerance=0),
    "DepthToSpace": Case("float[A, 12, B, C] x", "y0 = DepthToSpace<blocksize = 2>(x) y1 = DepthToSpace<blocksize = 2, mode = \"CRD\">(x) "
                         "y2 = SpaceToDepth<blocksize = 2>(y0)", tolerance=0, work=4000),
    "ReverseSequence": Case("float[A, B, C] x, int64[B] l", "y = ReverseSequence(x, l)", tolerance=0,
                            make={"l": lambda g, dims, sizes: g.integers(min(sizes["A"], 1), sizes["A"] + 1, dims)}),
}

SELECTION = {
    "TopK": Case("int32[A, B, C] i", const(k=[3], o=[1]) + "x = Cast<to = 1>(i) y0, y1 = TopK(x, k) y2, y3 = TopK<axis = 1, largest = 0>(x, o) "
                 "y4, y5 = TopK<axis = 0>(x, k)", tolerance=0, work=15_000),
    "TopK-by-input": Case("float[A, B] x, int64[1] k", "y0, y1 = TopK(x, k)", tolerance=0,
                          make={"k": lambda g, dims, sizes: g.integers(0, sizes["B"] + 1, dims)}, peer=False),
    "OneHot": Case("int64[A, B] i", "d = Constant<value = int64 {9}>() v = Constant<value_floats = [-1.0, 2.0]>() y = OneHot<axis = 1>(i, d, v)",
                   make={"i": scalar(-12, 12)}, tolerance=0),
    "Hardmax": Case("float[A, B, C] x", "y0 = Hardmax<axis = 1>(x) y1 = Hardmax(x)", tolerance=0),
    "ScatterElements": Case(X + ", int64[D, B, C] i, float[D, B, C] u", "y0 = ScatterElements<axis = 0, reduction = \"add\">(x, i, u) "
                            "y1 = ScatterElements<axis = 0>(x, i, u)", make={"i": below("A")}, tolerance=2e-5, peer=False),
    "ScatterND": Case(X + ", int64[D, 2] i, float[D, C] u", "y0 = ScatterND(x, i, u) y1 = ScatterND<reduction = \"max\">(x, i, u)", peer=False,
                      make={"i": lambda g, dims, sizes: g.integers([-sizes["A"], -sizes["B"]], [max(sizes["A"], 1), max(sizes["B"], 1)], dims)}),
    "EyeLike": Case("float[A, B] x", "y = EyeLike<k = 2>(x)", tolerance=0),
    "Range": Case("float[A, B] x", const(z=0, o=1) + "n = Size(x) y = Range(z, n, o)", tolerance=0),
}

SMALL = {"K": 5, "L": 5}
WINDOWS = {
    "Conv-1d": Case("float[N, C, W] x, float[M, C, 3] w, float[M] b", "y0 = Conv(x, w, b) y1 = Conv<pads = [2, 1], strides = [2]>(x, w)", **EXACT),
    "Conv-2d": Case("float[N, C, H, W] x, float[M, C, 3, 2] w, float[M] b", "c = Conv<pads = [1, 0, 1, 1]>(x, w, b) y = Relu(c)", **EXACT),
    "Conv-any-window": Case("float[N, C, H, W] x, float[M, C, K, L] w", "y = Conv<pads = [1, 1, 1, 1], dilations = [1, 2]>(x, w)", usual=SMALL,
                            peer=False, **EXACT),
    "Conv-strided-dilated": Case("float[N, C, H, W] x, float[M, C, 3, 3] w", "y = Conv<pads = [2, 2, 2, 2], dilations = [2, 1], strides = [1, 3]>(x, w)", **EXACT),
    "Conv-grouped": Case("float[N, 6, H, W] x, float[9, 2, 3, 3] w", "y = Conv<group = 3, pads = [1, 1, 1, 1]>(x, w)", work=4000, **EXACT),
    "Conv-depthwise": Case("float[N, 20, H, W] x", "y0 = Conv<group = 20, pads = [1, 1, 1, 1]>(x, w, b) y1 = Conv<group = 20, strides = [2, 2]>(x, w)",
                           weights={"w": (20, 1, 3, 3), "b": (20,)}, work=3000, **EXACT),
    "Conv-depthwise-1d": Case("float[N, 20, W] x", "y = Conv<group = 20, pads = [3, 0]>(x, w)", weights={"w": (20, 1, 4)}, work=3000, **EXACT),
    "Conv-1x1": Case("float[N, C, H, W] x, float[M, C, 1, 1] w, float[N, M, H, W] r", "c = Conv(x, w) y = Add(c, r)", **EXACT),
    "Conv-weight": Case("float[N, 8, H, W] x", "c = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(x, w, b) s = Sigmoid(c) y = Mul(c, s)",
                        weights={"w": (33, 8, 3, 3), "b": (33,)}, work=3000, tolerance=5e-5),
    "Conv-patches": Case("float[N, 3, H, W] x", "y = Conv<strides = [4, 4]>(x, w)", weights={"w": (40, 3, 4, 4)}, work=5000, **EXACT),
    "Conv-same": Case("float[N, 3, H, W] x", 'y = Conv<auto_pad = "SAME_UPPER", strides = [2, 3]>(x, w)', weights={"w": (4, 3, 2, 3)}, work=5000, **EXACT),
    "Conv-3d": Case("float[N, C, D, H, W] x, float[M, C, 2, 3, 2] w", "y = Conv<pads = [0, 1, 0, 1, 1, 1]>(x, w)", **EXACT),
    "Conv-f16": Case("float16[N, C, W] x, float16[M, C, 3] w", "y = Conv(x, w)", tolerance=2e-2, peer=False),
    "ConvTranspose": Case("float[N, 4, W] x, float[N, 3, H, W] z", "y0 = ConvTranspose<group = 2, strides = [2], pads = [1, 0]>(x, v) "
                          "y1 = ConvTranspose<strides = [2, 1], dilations = [1, 2]>(z, w)", weights={"v": (4, 5, 3), "w": (3, 4, 2, 3)}, work=2000, **EXACT),
    "MaxPool": Case("float[A, B, H, W] x", "y0 = MaxPool<kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 1, 1]>(x) "
                    "y1 = MaxPool<kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1>(x) y2 = MaxPool<kernel_shape = [2, 2], dilations = [2, 3]>(x)",
                    tolerance=0),
    "AveragePool": Case("float[A, B, H, W] x", "y0 = AveragePool<kernel_shape = [3, 2], pads = [1, 0, 1, 1]>(x) "
                        "y1 = AveragePool<kernel_shape = [3, 2], pads = [1, 0, 1, 1], strides = [1, 2], count_include_pad = 1>(x)"),
    "global-pools": Case("float[A, B, H, W] x", "y0 = GlobalAveragePool(x) y1 = GlobalMaxPool(x)"),
    "Resize-nearest": Case("float[A, B, H, W] x", const(s=[1.0, 1.0, 2.0, 1.5]) +
                           'y = Resize<coordinate_transformation_mode = "asymmetric", nearest_mode = "floor">(x, , s)', tolerance=0, work=9000),
    "Resize-linear": Case("float[A, B, H, W] x", const(s=[1.0, 1.0, 0.6, 2.0]) + 'y = Resize<mode = "linear">(x, , s)', work=9000),
    "Resize-cubic": Case("float[A, B, H, W] x", const(s=[1.0, 1.0, 2.0, 2.0]) + 'y = Resize<mode = "cubic">(x, , s)', work=9000),
    "Resize-sizes": Case("float[A, B, H, W] x, float[I, J] z", 'h = Shape<end = 2>(x) t = Shape(z) s = Concat<axis = 0>(h, t) '
                         'y = Resize<mode = "linear", coordinate_transformation_mode = "align_corners">(x, , , s)', work=20_000),
}

QUANTIZED = {
    "QuantizeLinear": Case(X + ", uint8[A, B] q", const(s=0.05, t=0.1) + "z = Constant<value = uint8 {100}>() m = Constant<value = int8 {-3}>() "
                           "y0 = QuantizeLinear(x, s, z) y1 = QuantizeLinear(x, t, m) y2 = DequantizeLinear(q, s, z) y3 = DequantizeLinear(y1, t, m)",
                           tolerance=0),
    "QuantizeLinear-axis": Case(X + ", float[B] d", const(h=0.05) + "a = Abs(d) s = Add(a, h) n = Constant<value = int8[1] {4}>() k = Shape(d) z = Expand(n, k) "
                                "y0 = QuantizeLinear<axis = 1>(x, s, z) y1 = DequantizeLinear<axis = 1>(y0, s, z)", tolerance=0),
    "DynamicQuantizeLinear": Case("float[A, B] x", "y0, y1, y2 = DynamicQuantizeLinear(x)", tolerance=1e-6),
    "MatMulInteger": Case("uint8[A, B, C] x, int8[C, D] z", "a = Constant<value = uint8 {30}>() b = Constant<value = int8 {-4}>() "
                          "y0 = MatMulInteger(x, z, a, b) y1 = MatMulInteger(x, z)", tolerance=0, work=100_000),
    "MatMulInteger-dynamic": Case("float[A, 64] x, float[A, 33] r", const(w=0.02) + "q, s, z = DynamicQuantizeLinear(x) m = MatMulInteger(q, v, z) f = Cast<to = 1>(m) "
                                  "t = Mul(s, w) d = Mul(f, t) y = Add(d, r)", weights={"v": ("int8", (64, 33))}, tolerance=1e-4),
    "QDQ-MatMul": Case("float[A, B] x, float[B, C] w", const(s=0.05, t=0.1) + "z = Constant<value = uint8 {100}>() m = Constant<value = int8 {0}>() "
                       "a = QuantizeLinear(x, s, z) b = DequantizeLinear(a, s, z) c = QuantizeLinear(w, t, m) d = DequantizeLinear(c, t, m) "
                       "p = MatMul(b, d) y0 = Identity(p)", work=60_000, peer=False),
    "QLinearMatMul": Case("uint8[A, B] x, uint8[B, C] w", const(s=0.05, t=0.1, u=9.0) + "z = Constant<value = uint8 {100}>() "
                          "y = QLinearMatMul(x, s, z, w, t, z, u, z)", tolerance=0, work=60_000, peer=False),
    "ConvInteger": Case("uint8[N, C, H, W] x, uint8[M, C, 2, 3] w", "z = Constant<value = uint8 {7}>() y = ConvInteger<pads = [1, 0, 0, 1]>(x, w, z)",
                        tolerance=0, peer=False),
}

"""One small model for each operator and each way of writing it, as ONNX text.

A case is `name: (opset, inputs, outputs, body)` with inputs and outputs in ONNX's text syntax; sizes in `SIZES` are what
the symbols of the inputs get. Constants that operators need stand in the body.
"""

import attention_cases
import contrib_cases
import detection_cases
import layer_cases
import recurrent_cases

SIZES = {"N": 2, "C": 3, "S": 5, "K": 4}

UNARY = ["Abs", "Ceil", "Cos", "Erf", "Exp", "Floor", "Neg", "Round", "Sigmoid", "Sign", "Sin", "Tanh", "Tan", "Relu",
         "LeakyRelu", "ThresholdedRelu", "Elu", "Selu", "Celu", "HardSigmoid", "HardSwish", "Softplus", "Softsign",
         "Mish", "Identity", "IsNaN", "IsInf"]
COMPARISONS = ["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"]
REDUCTIONS = ["ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
              "ReduceProd", "ReduceSum", "ReduceSumSquare"]

X = "float[N, C, S] x"
# Of a vector of sizes that was split into `a` and `b`: a matrix product over the sizes put together again.
JOIN_OF_PARTS = ("m = Mul(a, o) d = Concat<axis = 0>(m, b) r = Reshape(x, d) "
                 "y = com.microsoft.FusedMatMul<transA = 1>(r, z)")

CASES = {
    # Elementwise.
    **{op: (18, X, "y", f"y = {op}(x)") for op in UNARY},
    **{op: (18, "float[N, C, S] x, float[C, 1] z", "y", f"y = {op}(x, z)") for op in ["Add", "Sub", "Mul", "Div", "PRelu"]},
    **{op: (18, "float[N, 1, S] x, float[C, 1] z", "y", f"y = {op}(x, z)") for op in COMPARISONS},
    **{f"{op}-int": (18, "int64[N, C] x, int64[N, 1] z", "y", f"y = {op}(x, z)") for op in ["Add", "Mul", "Max", "Min"]},
    "Log": (18, X, "y", "a = Abs(x) y = Log(a)"),
    "Sqrt": (18, X, "y", "a = Abs(x) y = Sqrt(a)"),
    "Reciprocal": (18, X, "y", "y = Reciprocal(x)"),
    "Not": (18, X, "y", "a = IsNaN(x) y = Not(a)"),
    "And": (18, "bool[N, C] x, bool[C] z", "y", "y = And(x, z)"),
    "Or": (18, "bool[N, C] x, bool[C] z", "y", "y = Or(x, z)"),
    "Xor": (18, "bool[N, C] x, bool[C] z", "y", "y = Xor(x, z)"),
    "Div-int": (18, "int32[N, C] x", "y", "d = Constant<value = int32[1] {3}>() y = Div(x, d)"),
    "Mod": (18, "int64[N, C] x", "y", "d = Constant<value = int64[1] {3}>() y = Mod(x, d)"),
    "Mod-negative": (18, "int64[N, C] x", "y", "d = Constant<value = int64[1] {-3}>() y = Mod(x, d)"),
    "Mod-fmod": (18, X, "y", "d = Constant<value = float[1] {0.7}>() y = Mod<fmod = 1>(x, d)"),
    "Pow-2": (18, X, "y", "e = Constant<value = float {2.0}>() y = Pow(x, e)"),
    "Pow-3": (18, X, "y", "e = Constant<value = float {3.0}>() y = Pow(x, e)"),
    "Pow-int-exponent": (18, X, "y", "e = Constant<value = int64[1, 1, 1, 1] {2}>() y = Pow(x, e)"),
    "Pow": (18, X + ", float[S] z", "y", "a = Abs(x) y = Pow(a, z)"),
    "Max": (18, "float[N, C] x, float[C] z, float[N, 1] w", "y", "y = Max(x, z, w)"),
    "Min": (18, "float[N, C] x, float[C] z, float[N, 1] w", "y", "y = Min(x, z, w)"),
    "Sum": (18, "float[N, C] x, float[C] z, float[N, 1] w", "y", "y = Sum(x, z, w)"),
    "Mean": (18, "float[N, C] x, float[C] z, float[N, 1] w", "y", "y = Mean(x, z, w)"),
    "Mean-one": (18, X, "y", "y = Mean(x)"),
    "Where": (18, "bool[N, 1] c, float[C] x, float[N, C] z", "y", "y = Where(c, x, z)"),
    "Clip-6": (7, X, "y", "y = Clip<min = -0.5, max = 0.5>(x)"),
    "Clip-6-one-side": (7, X, "y", "y = Clip<max = 0.5>(x)"),
    "Clip-11": (13, X, "y", "h = Constant<value = float {0.25}>() y = Clip(x, , h)"),
    "Cast-to-bool": (18, X, "y", "y = Cast<to = 9>(x)"),
    "Cast-to-int": (18, X, "y", "y = Cast<to = 7>(x)"),
    "Cast-bool-to-float": (18, "bool[N] x", "y", "y = Cast<to = 1>(x)"),
    "CastLike": (18, "float[N] x, int32[N] z", "y", "y = CastLike(x, z)"),
    "IsInf-positive": (18, X, "y", "d = Constant<value = float {0.0}>() a = Div(x, d) y = IsInf<detect_negative = 0>(a)"),
    "Gelu": (20, X, "y", "y = Gelu(x)"),
    "Gelu-tanh": (20, X, "y", "y = Gelu<approximate = \"tanh\">(x)"),
    "Dropout": (13, X, "y", "y = Dropout(x)"),
    "Dropout-mask": (13, X, "y, m", "y, m = Dropout(x)"),
    # Contractions.
    "MatMul": (18, "float[N, C, S] x, float[S, K] z", "y", "y = MatMul(x, z)"),
    "MatMul-vector": (18, "float[N, C, S] x, float[S] z", "y", "y = MatMul(x, z)"),
    "MatMul-batches": (18, "float[N, 1, C, S] x, float[K, S, C] z", "y", "y = MatMul(x, z)"),
    "Gemm": (18, "float[N, C] x, float[C, K] z, float[K] b", "y", "y = Gemm(x, z, b)"),
    "Gemm-all": (18, "float[C, N] x, float[K, C] z, float[N, 1] b", "y",
                 "y = Gemm<alpha = 0.5, beta = 2.0, transA = 1, transB = 1>(x, z, b)"),
    "Gemm-no-bias": (13, "float[N, C] x, float[C, K] z", "y", "y = Gemm(x, z)"),
    "Conv": (18, "float[N, 4, S] x, float[6, 2, 3] w, float[6] b", "y",
             "y = Conv<group = 2, pads = [1, 0], strides = [2]>(x, w, b)"),
    "Conv-2d": (18, "float[N, 3, S, 7] x, float[4, 3, 2, 3] w", "y", "y = Conv<dilations = [1, 2]>(x, w)"),
    "Conv-same-upper": (18, "float[N, 3, S, 8] x, float[4, 3, 2, 3] w", "y",
                        "y = Conv<auto_pad = \"SAME_UPPER\", strides = [2, 3]>(x, w)"),
    "Conv-same-lower": (18, "float[N, 3, S, 8] x, float[4, 3, 2, 4] w", "y",
                        "y = Conv<auto_pad = \"SAME_LOWER\", strides = [2, 1]>(x, w)"),
    # Reductions.
    **{f"{op}-axes-attribute": (11, X, "y", f"a = Abs(x) y = {op}<axes = [1, -1], keepdims = 0>(a)") for op in REDUCTIONS},
    **{f"{op}-axes-operand": (18, X, "y", f"k = Constant<value_ints = [-2]>() a = Abs(x) y = {op}(a, k)")
       for op in REDUCTIONS},
    **{f"{op}-all": (18, X, "y", f"a = Abs(x) y = {op}<keepdims = 0>(a)") for op in REDUCTIONS},
    "ReduceSum-noop": (18, X, "y", "y = ReduceSum<noop_with_empty_axes = 1>(x)"),
    "ReduceSum-int": (18, "int64[N, C] x", "y", "y = ReduceSum(x)"),
    "ReduceMax-bool": (20, "bool[N, C] x", "y", "k = Constant<value_ints = [1]>() y = ReduceMax(x, k)"),
    "ArgMax": (13, X, "y", "y = ArgMax<axis = -1>(x)"),
    "ArgMax-last": (13, X, "y", "c = Ceil(x) y = ArgMax<axis = 1, keepdims = 0, select_last_index = 1>(c)"),
    "ArgMin": (13, X, "y", "c = Ceil(x) y = ArgMin(c)"),
    "CumSum": (14, X, "y", "k = Constant<value = int64 {1}>() y = CumSum(x, k)"),
    "CumSum-exclusive-reverse": (14, X, "y", "k = Constant<value = int32 {-1}>() y = CumSum<exclusive = 1, reverse = 1>(x, k)"),
    # Normalizations.
    "Softmax-7": (11, X, "y", "y = Softmax(x)"),
    "Softmax-7-negative": (11, X, "y", "y = Softmax<axis = -2>(x)"),
    "Softmax-13": (13, X, "y", "y = Softmax(x)"),
    "Softmax-13-axis": (13, X, "y", "y = Softmax<axis = 1>(x)"),
    "LogSoftmax-7": (11, X, "y", "y = LogSoftmax<axis = 0>(x)"),
    "LogSoftmax-13": (13, X, "y", "y = LogSoftmax(x)"),
    "LayerNormalization": (17, X + ", float[S] w, float[S] b", "y, m, d", "y, m, d = LayerNormalization(x, w, b)"),
    "LayerNormalization-axis": (17, X + ", float[C, S] w", "y", "y = LayerNormalization<axis = 1, epsilon = 0.1>(x, w)"),
    "LayerNormalization-older-opset": (11, X + ", float[S] w, float[S] b", "y", "y = LayerNormalization(x, w, b)"),
    "RMSNormalization": (23, X + ", float[S] w", "y", "y = RMSNormalization(x, w)"),
    "BatchNormalization": (15, X + ", float[C] s, float[C] b, float[C] m, float[C] v", "y",
                           "w = Abs(v) y = BatchNormalization(x, s, b, m, w)"),
    "BatchNormalization-rank-1": (15, "float[N] x, float[1] s, float[1] b, float[1] m, float[1] v", "y",
                                  "w = Abs(v) y = BatchNormalization(x, s, b, m, w)"),
    "BatchNormalization-rank-2": (9, "float[N, C] x, float[C] s, float[C] b, float[C] m, float[C] v", "y",
                                  "w = Abs(v) y = BatchNormalization<epsilon = 0.5>(x, s, b, m, w)"),
    "InstanceNormalization": (11, X + ", float[C] s, float[C] b", "y", "y = InstanceNormalization(x, s, b)"),
    "LpNormalization": (11, X, "y", "y = LpNormalization(x)"),
    "LpNormalization-1": (11, X, "y", "y = LpNormalization<p = 1, axis = 1>(x)"),
    "GlobalAveragePool": (11, X, "y", "y = GlobalAveragePool(x)"),
    "GlobalMaxPool": (11, X, "y", "y = GlobalMaxPool(x)"),
    # Data movement.
    "Transpose": (18, X, "y", "y = Transpose(x)"),
    "Transpose-perm": (18, X, "y", "y = Transpose<perm = [0, 2, 1]>(x)"),
    "Concat": (18, "float[N, C] x, float[N, K] z", "y", "y = Concat<axis = -1>(x, z)"),
    "Concat-of-one": (18, "float[N, C] x", "y, z", "r = Relu(x) y = Concat<axis = 0>(r, r, r) z = Concat<axis = 1>(r, r)"),
    "Concat-of-views": (18, "float[N, 4] x", "y, z", "t = Constant<value_ints = [-1, 2]>() r = Relu(x) u = Reshape(r, t) "
                                                     "q = Exp(u) y = Concat<axis = 0>(u, q, u) z = Concat<axis = 0>(u, u)"),
    "Split-2": (11, "float[N, 6] x", "a, b, c", "a, b, c = Split<axis = 1>(x)"),
    "Split-2-sizes": (11, "float[N, 6] x", "a, b", "a, b = Split<axis = -1, split = [2, 4]>(x)"),
    "Split-13-sizes": (13, "float[N, 6] x", "a, b", "s = Constant<value_ints = [2, 4]>() a, b = Split<axis = -1>(x, s)"),
    "Split-18": (18, "float[N, S] x", "a, b", "a, b = Split<axis = 1, num_outputs = 2>(x)"),
    "Slice-1": (9, X, "y", "y = Slice<starts = [0, -3], ends = [2, 9223372036854775807], axes = [1, 2]>(x)"),
    "Slice-10": (13, X, "y", "s = Constant<value_ints = [-1]>() e = Constant<value_ints = [-100]>() "
                             "k = Constant<value_ints = [2]>() t = Constant<value_ints = [-2]>() y = Slice(x, s, e, k, t)"),
    "Slice-10-no-axes": (13, X, "y", "s = Constant<value_ints = [0, 1]>() e = Constant<value_ints = [1, 3]>() y = Slice(x, s, e)"),
    "Pad-2": (10, X, "y", "y = Pad<pads = [0, 1, 2, 0, 0, 1], value = 3.0>(x)"),
    "Pad-11": (13, X, "y", "p = Constant<value_ints = [0, 1, 2, 0, -1, 1]>() v = Constant<value = float {3.0}>() y = Pad(x, p, v)"),
    "Pad-18-axes": (18, X, "y", "p = Constant<value_ints = [1, 2]>() k = Constant<value_ints = [-1]>() y = Pad(x, p, , k)"),
    "Pad-reflect": (13, X, "y", "p = Constant<value_ints = [0, 1, 2, 0, 1, 3]>() y = Pad<mode = \"reflect\">(x, p)"),
    "Pad-edge": (13, X, "y", "p = Constant<value_ints = [0, 1, 2, 0, 1, 3]>() y = Pad<mode = \"edge\">(x, p)"),
    "Pad-wrap": (19, X, "y", "p = Constant<value_ints = [0, 1, 2, 0, 1, 3]>() y = Pad<mode = \"wrap\">(x, p)"),
    "Tile": (13, X, "y", "r = Constant<value_ints = [2, 1, 3]>() y = Tile(x, r)"),
    "Expand": (13, "float[C, 1] x", "y", "s = Constant<value_ints = [2, 1, 4]>() y = Expand(x, s)"),
    "Trilu": (14, X, "y", "y = Trilu(x)"),
    "Trilu-lower": (14, X, "y", "k = Constant<value = int64 {-1}>() y = Trilu<upper = 0>(x, k)"),
    # Shapes.
    "Reshape": (18, X, "y", "s = Constant<value_ints = [0, -1]>() y = Reshape(x, s)"),
    "Reshape-shape-of": (18, X, "y", "s = Shape<start = 1>(x) m = Constant<value_ints = [-1]>() "
                                     "c = Concat<axis = 0>(s, m) y = Reshape(x, c)"),
    "Shape": (18, X, "y", "y = Shape(x)"),
    "Shape-range": (18, X, "y", "y = Shape<start = -2, end = -1>(x)"),
    "Size": (18, X, "y", "y = Size(x)"),
    "Squeeze-1": (11, "float[N, 1, C, 1] x", "y", "y = Squeeze<axes = [1]>(x)"),
    "Squeeze-13": (13, "float[N, 1, C, 1] x", "y", "k = Constant<value_ints = [-1, 1]>() y = Squeeze(x, k)"),
    "Squeeze-all": (13, "float[N, 1, C, 1] x", "y", "y = Squeeze(x)"),
    "Unsqueeze-1": (11, X, "y", "y = Unsqueeze<axes = [0, 2]>(x)"),
    "Unsqueeze-13": (13, X, "y", "k = Constant<value_ints = [-1, 1]>() y = Unsqueeze(x, k)"),
    "Split-unranked": (13, "float[N, 6] x", "a, b", "s = Constant<value_ints = [2, 4]>() n = Neg(x) a, b = Split<axis = -1>(n, s)"),
    "Flatten": (13, X, "y", "y = Flatten(x)"),
    "Flatten-0": (13, X, "y", "y = Flatten<axis = 0>(x)"),
    "Flatten-negative": (13, X, "y", "y = Flatten<axis = -1>(x)"),
    "Flatten-unranked": (13, X, "y", "n = Neg(x) y = Flatten<axis = -2>(n)"),
    # Generators.
    "Constant": (13, X, "a, b, c, d", "a = Constant<value_float = 1.5>() b = Constant<value_floats = [1.0, 2.0]>() "
                                      "c = Constant<value_int = 7>() d = Constant<value = int8[2] {-3, 4}>()"),
    "ConstantOfShape": (13, X, "y", "s = Shape(x) y = ConstantOfShape(s)"),
    "ConstantOfShape-value": (13, X, "y", "s = Shape(x) y = ConstantOfShape<value = bool[1] {1}>(s)"),
    # The length of the shape to which it is expanded is the rank, which Resize must know.
    "ConstantOfShape-rank": (13, X, "y", "s = Shape(x) r = Shape(s) o = ConstantOfShape<value = int64[1] {1}>(r) e = Expand(x, o) "
                                         "k = Constant<value_floats = [1.0, 2.0, 1.0]>() y = Resize<mode = \"nearest\">(e, , k)"),
    "Range": (13, X, "y", "s = Size(x) a = Constant<value = int64 {3}>() d = Constant<value = int64 {2}>() y = Range(a, s, d)"),
    # Indexing.
    "Gather": (13, X, "y", "i = Constant<value = int64[2, 2] {0, 2, -1, 1}>() y = Gather<axis = 1>(x, i)"),
    "Gather-scalar": (13, X, "y", "i = Constant<value = int32 {-2}>() y = Gather<axis = -1>(x, i)"),
    "GatherElements": (13, X, "y", "i = Constant<value = int64[1, 2, 2] {0, 1, -1, 1}>() y = GatherElements<axis = 1>(x, i)"),
    "GatherND": (13, X, "y", "i = Constant<value = int64[2, 2] {0, 1, 1, -1}>() y = GatherND(x, i)"),
    "GatherND-batch": (13, X, "y", "i = Constant<value = int64[2, 1] {0, 2}>() y = GatherND<batch_dims = 1>(x, i)"),
    "ScatterND": (13, X + ", float[2, S] u", "y", "i = Constant<value = int64[2, 2] {0, 1, 1, -1}>() y = ScatterND(x, i, u)"),
    "NonZero": (13, "float[N, C] x", "y", "r = Relu(x) y = NonZero(r)"),
    # Pooling.
    "MaxPool": (13, "float[N, C, 6, 7] x", "y", "y = MaxPool<kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 1, 1]>(x)"),
    "MaxPool-1d": (13, X, "y", "y = MaxPool<kernel_shape = [2], pads = [1, 1]>(x)"),
    "MaxPool-ceil": (13, "float[N, C, 6, 7] x", "y", "y = MaxPool<kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1>(x)"),
    "MaxPool-dilated": (13, "float[N, C, 6, 7] x", "y", "y = MaxPool<kernel_shape = [2, 2], dilations = [2, 3]>(x)"),
    "MaxPool-same": (13, "float[N, C, 6, 7] x", "y", "y = MaxPool<kernel_shape = [3, 2], strides = [2, 2], auto_pad = \"SAME_UPPER\">(x)"),
    "MaxPool-indices": (13, "float[N, C, 6, 7] x", "y, i", "y, i = MaxPool<kernel_shape = [3, 2], strides = [2, 1]>(x)"),
    "AveragePool": (13, "float[N, C, 6, 7] x", "y", "y = AveragePool<kernel_shape = [3, 2], pads = [1, 0, 1, 1]>(x)"),
    "AveragePool-pads": (13, "float[N, C, 6, 7] x", "y",
                         "y = AveragePool<kernel_shape = [3, 2], pads = [1, 0, 1, 1], count_include_pad = 1>(x)"),
    "AveragePool-same": (13, "float[N, C, 6, 7] x", "y", "y = AveragePool<kernel_shape = [3, 2], strides = [2, 2], auto_pad = \"SAME_LOWER\">(x)"),
    "LpPool": (18, "float[N, C, 6, 7] x", "y", "y = LpPool<kernel_shape = [3, 2], p = 3>(x)"),
    "GlobalLpPool": (13, "float[N, C, 6, 7] x", "y", "y = GlobalLpPool(x)"),
    "LRN": (13, "float[N, 5, 6, 7] x", "y", "y = LRN<size = 3, alpha = 0.1>(x)"),
    "ConvTranspose": (13, "float[N, 4, S] x, float[4, 2, 3] w, float[4] b", "y",
                      "y = ConvTranspose<group = 2, strides = [2], pads = [1, 0], output_padding = [1]>(x, w, b)"),
    # The size that ONNX's formula gives, also of nothing: 12 and 1.
    "ConvTranspose-of-nothing": (13, "float[N, 2, 0] x, float[2, 2, 16] w, float[2] b, float[2, 1, 5] v", "y, z",
                                 "y = ConvTranspose<strides = [4]>(x, w, b) z = ConvTranspose<strides = [2], pads = [1, 1]>(x, v)"),
    "ConvTranspose-2d": (13, "float[N, 3, S, 4] x, float[3, 2, 2, 3] w", "y",
                         "y = ConvTranspose<strides = [2, 3], dilations = [1, 2]>(x, w)"),
    # Resizing.
    "Resize-nearest": (13, "float[N, C, 6, 7] x", "y", "s = Constant<value_floats = [1.0, 1.0, 2.0, 1.5]>() "
                       "y = Resize<coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\">(x, , s)"),
    "Resize-linear": (13, "float[N, C, 6, 7] x", "y", "s = Constant<value_floats = [1.0, 1.0, 0.6, 2.0]>() y = Resize<mode = \"linear\">(x, , s)"),
    "Resize-cubic": (13, "float[N, C, 6, 7] x", "y", "s = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() y = Resize<mode = \"cubic\">(x, , s)"),
    "Resize-sizes": (15, "float[N, C, S, 7] x", "y", "h = Shape<start = 0, end = 2>(x) t = Constant<value_ints = [9, 4]>() "
                     "s = Concat<axis = 0>(h, t) y = Resize<mode = \"linear\", coordinate_transformation_mode = \"align_corners\">(x, , , s)"),
    "Upsample": (9, "float[N, C, 6, 7] x", "y", "s = Constant<value_floats = [1.0, 1.0, 2.0, 3.0]>() y = Upsample<mode = \"nearest\">(x, s)"),
    # Einsum.
    "Einsum-product": (13, X + ", float[N, S, K] z", "y", "y = Einsum<equation = \"bij, bjk -> bik\">(x, z)"),
    "Einsum-sum": (13, X, "y", "y = Einsum<equation = \"bij->j\">(x)"),
    "Einsum-outer": (13, "float[N] x, float[C] z", "y", "y = Einsum<equation = \"i,j->ji\">(x, z)"),
    "Einsum-ellipsis": (13, X + ", float[S, K] z", "y", "y = Einsum<equation = \"...j,jk->...k\">(x, z)"),
    "Einsum-two-contracted": (13, X + ", float[C, S, K] z", "y", "y = Einsum<equation = \"bij,ijk->bk\">(x, z)"),
    "Attention-masked": (23, "float[N, 2, S, 4] q, float[N, 2, K, 4] k, float[N, 2, K, 4] v, bool[S, K] m", "y",
                         "y = Attention(q, k, v, m)"),
    "Einsum-unranked": (13, X + ", float[N, S, K] z", "y", "n = Abs(x) y = Einsum<equation = \"bij,bjk->bik\">(n, z)"),
    # Selection.
    "TopK": (13, X, "v, i", "k = Constant<value_ints = [1]>() v, i = TopK(x, k)"),
    "TopK-least": (13, X, "v, i", "k = Constant<value_ints = [2]>() r = Ceil(x) v, i = TopK<axis = 1, largest = 0>(r, k)"),
    "OneHot": (13, "int64[N, C] x", "y", "d = Constant<value = int64 {5}>() v = Constant<value_floats = [-1.0, 2.0]>() "
                                         "y = OneHot<axis = 1>(x, d, v)"),
    "Hardmax": (13, X, "y", "y = Hardmax<axis = 1>(x)"),
    "Hardmax-7": (11, X, "y", "y = Hardmax(x)"),
    "EyeLike": (13, "float[N, C] x", "y", "y = EyeLike<k = 1>(x)"),
    "ScatterElements": (16, X + ", float[1, 2, 2] u", "y", "i = Constant<value = int64[1, 2, 2] {0, 1, -1, 1}>() "
                        "y = ScatterElements<axis = 1, reduction = \"add\">(x, i, u)"),
    "ScatterND-max": (18, X + ", float[2, S] u", "y", "i = Constant<value = int64[2, 2] {0, 1, 0, 1}>() y = ScatterND<reduction = \"max\">(x, i, u)"),
    "DepthToSpace": (13, "float[N, 12, C, S] x", "y", "y = DepthToSpace<blocksize = 2>(x)"),
    "DepthToSpace-CRD": (13, "float[N, 12, C, S] x", "y", "y = DepthToSpace<blocksize = 2, mode = \"CRD\">(x)"),
    "SpaceToDepth": (13, "float[N, C, 6, 4] x", "y", "y = SpaceToDepth<blocksize = 2>(x)"),
    "ReverseSequence": (13, "float[S, 2, K] x", "y", "l = Constant<value_ints = [1, 1]>() y = ReverseSequence(x, l)"),
    # Functions and bits.
    # Not near 1 and -1, where they multiply what the operator before rounds.
    **{op: (18, X, "y", f"t = Tanh(x) c = Constant<value = float {{0.9}}>() a = Mul(t, c) y = {op}(a)")
       for op in ["Acos", "Asin", "Atanh"]},
    **{op: (18, X, "y", f"y = {op}(x)") for op in ["Atan", "Asinh", "Sinh", "Cosh"]},
    "Acosh": (18, X, "y", "e = Exp(x) o = Constant<value = float {1.0}>() a = Add(e, o) y = Acosh(a)"),
    "BitShift": (18, "uint32[N, C] x", "y", "s = Constant<value = uint32[1] {3}>() y = BitShift<direction = \"RIGHT\">(x, s)"),
    # Quantization.
    "QuantizeLinear": (13, X, "y", "s = Constant<value = float {0.05}>() z = Constant<value = uint8 {100}>() y = QuantizeLinear(x, s, z)"),
    "QuantizeLinear-axis": (13, "float[N, 3, S] x", "y", "s = Constant<value_floats = [0.05, 0.1, 0.2]>() z = Constant<value = int8[3] {0, 1, -2}>() "
                                                         "y = QuantizeLinear<axis = 1>(x, s, z)"),
    "DequantizeLinear": (13, "uint8[N, S] x", "y", "s = Constant<value = float {0.05}>() z = Constant<value = uint8 {100}>() y = DequantizeLinear(x, s, z)"),
    "DynamicQuantizeLinear": (13, "float[4, 5] x", "y, s, z", "y, s, z = DynamicQuantizeLinear(x)"),
    "MatMulInteger": (13, "uint8[N, S] x, int8[S, K] z", "y", "a = Constant<value = uint8 {3}>() b = Constant<value = int8 {-1}>() "
                                                             "y = MatMulInteger(x, z, a, b)"),
    # By ONNX's own definitions.
    "GroupNormalization": (21, "float[N, 4, S] x, float[4] w, float[4] b", "y", "y = GroupNormalization<num_groups = 2>(x, w, b)"),
    "MeanVarianceNormalization": (13, "float[N, C, 6, 7] x", "y", "y = MeanVarianceNormalization(x)"),
    "Shrink": (13, X, "y", "y = Shrink<lambd = 0.5, bias = 0.2>(x)"),
    # onnxruntime's own.
    "FastGelu": (13, X + ", float[S] b", "y", "y = com.microsoft.FastGelu(x, b)"),
    "FastGelu-no-bias": (13, X, "y", "y = com.microsoft.FastGelu(x)"),
    "Gelu-microsoft": (13, X, "y", "y = com.microsoft.Gelu(x)"),
    "BiasGelu": (13, X + ", float[S] b", "y", "y = com.microsoft.BiasGelu(x, b)"),
    "QuickGelu": (13, X, "y", "y = com.microsoft.QuickGelu(x)"),
    "SkipLayerNormalization": (13, X + ", float[N, C, S] z, float[S] w, float[S] b, float[S] o", "y",
                               "y = com.microsoft.SkipLayerNormalization<epsilon = 0.001>(x, z, w, b, o)"),
    "SkipLayerNormalization-sum": (13, X + ", float[N, C, S] z, float[S] w", "y, s",
                                   "y, , , s = com.microsoft.SkipLayerNormalization(x, z, w)"),
    "SkipSimplifiedLayerNormalization": (13, X + ", float[N, C, S] z, float[S] w", "y",
                                         "y = com.microsoft.SkipSimplifiedLayerNormalization<epsilon = 0.001>(x, z, w)"),
    **{f"{operator}-statistics": (13, X + ", float[N, C, S] z, float[S] w", "y, m, i, s",
                                  f"y, m, i, s = com.microsoft.{operator}(x, z, w)")
       for operator in ("SkipLayerNormalization", "SkipSimplifiedLayerNormalization")},
    "SimplifiedLayerNormalization": (13, X + ", float[S] w", "y", "y = SimplifiedLayerNormalization<epsilon = 0.001>(x, w)"),
    "FusedMatMul": (13, "float[N, S, C] x, float[N, K, S] z", "y",
                    "y = com.microsoft.FusedMatMul<alpha = 0.5, transA = 1, transB = 1>(x, z)"),
    **{f"FusedMatMul-batches-{name}": (13, f"float[{x}] x, float[{z}] z", "y", f"y = com.microsoft.FusedMatMul<{attributes}>(x, z)")
       for name, x, z, attributes in [
           ("both", "K, N, 2, S", "S, N, 2, C", "transBatchA = 1, transBatchB = 1"),
           ("transposed", "S, N, K, C", "2, N, K, S", "transA = 1, transB = 1, transBatchA = 1, transBatchB = 1"),
           ("one", "K, N, S", "N, C, S", "transBatchA = 1, transB = 1")]},
    # The length of what tells the dims is found while nodes are read.
    "FusedMatMul-reshaped": (13, "float[N, S, C] x, float[N, S, K] z", "y",
                             "s = Shape(x) b = Constant<value = int64[1] {0}>() e = Constant<value = int64[1] {-1}>() "
                             "i = Constant<value = int64 {-1}>() n = Slice(s, b, e) l = Reshape(i, e) d = Concat<axis = 0>(n, l) "
                             "r = Reshape(x, d) y = com.microsoft.FusedMatMul<transA = 1>(r, z)"),
    "FusedMatMul-split-equal": (13, "float[N, S, C] x, float[N, S, K] z", "y",
                              "s = Shape(x) o = Constant<value = int64[1] {1}>() e, f, b = Split(s) a = Concat<axis = 0>(e, f) "
                              + JOIN_OF_PARTS),
    "FusedMatMul-split-counted": (18, "float[N, S, C] x, float[N, S, K] z", "y",
                              "s = Shape(x) o = Constant<value = int64[1] {1}>() a, b = Split<num_outputs = 2>(s) "
                              + JOIN_OF_PARTS),
    "FusedMatMul-split-given": (13, "float[N, S, C] x, float[N, S, K] z", "y",
                              "s = Shape(x) o = Constant<value = int64[1] {1}>() p = Constant<value = int64[2] {2, 1}>() a, b = Split(s, p) "
                              + JOIN_OF_PARTS),
    # Files of their own.
    **contrib_cases.CASES,
    **attention_cases.CASES,
    **detection_cases.CASES,
    **layer_cases.CASES,
    **recurrent_cases.CASES,
}

"""Operators on boxes, regions, sets and signals, for operator_cases.py."""


def scalar(name, value, kind="float"):
    return f"{name} = Constant<value = {kind} {{{value}}}>() "


BOXES = "float[2, S, 4] b, float[2, C, S] s"
REGIONS = "float[2, C, 9, 7] x, float[K, 4] r, bool[K] f"
SIGNAL = "float[N, S, 2] x"

CASES = {
    "NonMaxSuppression": (11, BOXES, "y", scalar("n", 3, "int64") + scalar("o", 0.2) + scalar("t", -1.0) + "y = NonMaxSuppression(b, s, n, o, t)"),
    "NonMaxSuppression-centres": (11, BOXES, "y", scalar("n", 2, "int64[1]") + scalar("o", 0.1, "float[1]") +
                                  "y = NonMaxSuppression<center_point_box = 1>(b, s, n, o)"),
    "NonMaxSuppression-none": (11, BOXES, "y", "y = NonMaxSuppression(b, s)"),
    "RoiAlign": (16, REGIONS, "y", "i = Cast<to = 7>(f) y = RoiAlign<output_height = 3, output_width = 2, sampling_ratio = 2>(x, r, i)"),
    "RoiAlign-adaptive": (16, REGIONS, "y", "i = Cast<to = 7>(f) a = Abs(r) y = RoiAlign<output_height = 2, output_width = 2, "
                          "spatial_scale = 2.0, coordinate_transformation_mode = \"output_half_pixel\">(x, a, i)"),
    "RoiAlign-max": (16, REGIONS, "y", "i = Cast<to = 7>(f) y = RoiAlign<output_height = 2, output_width = 3, sampling_ratio = 3, "
                     "mode = \"max\">(x, r, i)"),
    "RoiAlign-max-adaptive": (16, REGIONS, "y", "i = Cast<to = 7>(f) a = Abs(r) y = RoiAlign<output_height = 2, output_width = 3, "
                              "mode = \"max\", coordinate_transformation_mode = \"output_half_pixel\">(x, a, i)"),
    "RoiAlign-10": (10, REGIONS, "y", "i = Cast<to = 7>(f) y = RoiAlign<output_height = 3, output_width = 2, sampling_ratio = 2>(x, r, i)"),
    "MaxRoiPool": (18, "float[2, C, 9, 7] x, float[K, 4] r, bool[K, 1] f", "y",
                   "i = Cast<to = 1>(f) a = Abs(r) q = Concat<axis = 1>(i, a) y = MaxRoiPool<pooled_shape = [3, 2], spatial_scale = 1.5>(x, q)"),
    "Col2Im": (18, "float[N, 12, 16] x", "y", "i = Constant<value_ints = [4, 5]>() b = Constant<value_ints = [2, 3]>() y = Col2Im<pads = [0, 0, 1, 1]>(x, i, b)"),
    "MaxUnpool": (18, "float[N, C, 6, 4] x", "y", "m, i = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(x) "
                  "f = Constant<value = int64[1] {0}>() y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(m, i)"),
    "Unique": (18, "float[N, C] x", "y, i, v, c", "r = Ceil(x) y, i, v, c = Unique(r)"),
    "Unique-unsorted": (18, "int64[N, C] x", "y, i, v, c", "y, i, v, c = Unique<sorted = 0>(x)"),
    "Unique-axis": (18, "float[S, 2] x", "y, i, v, c", "r = Sign(x) y, i, v, c = Unique<axis = 0>(r)"),
    "Unique-axis-1": (18, "float[2, S] x", "y, i, v, c", "r = Sign(x) y, i, v, c = Unique<axis = 1, sorted = 0>(r)"),
    "Det": (18, "float[N, 4, 4] x", "y", "y = Det(x)"),
    "AffineGrid": (20, "float[N, 2, 3] t, float[N, C, S, K] x", "y", "s = Shape(x) y = AffineGrid(t, s)"),
    # Of a single place between corners onnxruntime and ONNX's reference say different things.
    "AffineGrid-corners": (20, "float[N, 2, 3] t, float[N, C, S, K] x", "y",
                           "s = Shape(x) o = Constant<value = int64[4] {0, 0, 1, 1}>() m = Add(s, o) "
                           "y = AffineGrid<align_corners = 1>(t, m)"),
    "AffineGrid-one-image": (20, "float[1, 2, 3] t, float[1, C, S, K] x", "y", "s = Shape(x) y = AffineGrid(t, s)"),
    "AffineGrid-3d": (20, "float[N, 3, 4] t, float[N, 1, C, S, K] x", "y", "s = Shape(x) y = AffineGrid(t, s)"),
    "GridSample": (16, "float[N, C, 6, 5] x, float[N, S, K, 2] g", "y", "y = GridSample(x, g)"),
    **{f"GridSample-{mode}-{padding}-{corners}":
       (20, "float[N, C, 6, 5] x, float[N, S, K, 2] g", "y",
        f'y = GridSample<mode = "{mode}", padding_mode = "{padding}", align_corners = {corners}>(x, g)')
       for mode in ["linear", "nearest", "cubic"] for padding in ["zeros", "border", "reflection"] for corners in [0, 1]},
    "GridSample-3d": (20, "float[N, C, 4, 6, 5] x, float[N, S, K, 2, 3] g", "y", "y = GridSample(x, g)"),
    "DeformConv": (19, "float[N, 4, 5, 6] x, float[6, 2, 2, 3] w, float[N, 24, 4, 4] o, float[6] b, float[N, 12, 4, 4] m", "y",
                   "y = DeformConv<group = 2, offset_group = 2>(x, w, o, b, m)"),
    "DeformConv-strides": (19, "float[N, C, S, 6] x, float[4, C, 3, 2] w", "y", "k = Conv<strides = [2, 1], pads = [1, 0, 1, 1]>(x, w) "
                           "n = Shape<start = 0, end = 1>(x) p = Shape<start = 2, end = 4>(k) t = Constant<value_ints = [12]>() "
                           "q = Concat<axis = 0>(n, t, p) v = Constant<value = float {0.3}>() o = Expand(v, q) "
                           "y = DeformConv<strides = [2, 1], pads = [1, 0, 1, 1]>(x, w, o)"),
    "DFT-17": (17, SIGNAL, "y", "y = DFT(x)"),
    "DFT-17-inverse": (17, SIGNAL, "y", "y = DFT<inverse = 1>(x)"),
    "DFT-17-onesided": (17, "float[N, S, 1] x", "y", "y = DFT<onesided = 1>(x)"),
    "DFT-20": (20, "float[N, S, C, 2] x", "y", scalar("a", 1, "int64") + "y = DFT(x, , a)"),
    "DFT-20-length": (20, SIGNAL, "y", scalar("l", 4, "int64") + "y = DFT(x, l)"),
    "STFT": (17, "float[N, 40, 1] x, float[8] w", "y", scalar("s", 3, "int64") + "y = STFT(x, s, w)"),
    "STFT-of-two-dims": (17, "float[N, 40] x, float[8] w", "y", scalar("s", 3, "int64") + "y = STFT(x, s, w)"),
    "STFT-length": (17, "float[N, 40, 1] x", "y", scalar("s", 7, "int64") + scalar("l", 4, "int64") + "y = STFT<onesided = 0>(x, s, , l)"),
    "MelWeightMatrix": (17, "float[N] x", "y, z", scalar("b", 8, "int64") + scalar("l", 16, "int64") + scalar("r", 8192, "int64") + scalar("f", 0.0) +
                        scalar("t", 4096.0) + "y = MelWeightMatrix(b, l, r, f, t) z = Relu(x)"),
    "HannWindow": (17, "float[N] x", "y, z", scalar("n", 10, "int64") + "y = HannWindow(n) z = Relu(x)"),
}

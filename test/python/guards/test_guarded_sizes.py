"""What a guard makes true of a size that has a name of its own says nothing for the guard itself.

Sums of 40 elements of an input are longer than what a dim may say, so that sizes that are such sums are symbols.
"""

import numpy as np
import onnx
import pytest

import dyn

COUNT = 40
X = np.arange(COUNT + 10, dtype=np.float32)


def infer(model):
    return dyn.Reference(model, infer_shapes=True)


def make(inputs: str, body: str, outputs: str = "float y") -> onnx.ModelProto:
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
    g (int64[{COUNT}] s, {inputs}) => ({outputs}) {{
      total = ReduceSum<keepdims = 1>(s)
      {body}
    }}""")


def say(total: int) -> np.ndarray:
    """Elements of this sum, of both signs."""
    return np.array([total - 3, *[1, -1] * ((COUNT - 2) // 2), 3])


MODELS = {
    "ConstantOfShape": ("f = ConstantOfShape(total) y = Concat<axis = 0>(f, x)", lambda n: np.append(np.zeros(n), X)),
    "Expand": ("one = Constant<value = float[1] {1.0}>() f = Expand(one, total) y = Concat<axis = 0>(f, x)",
               lambda n: np.append(np.ones(n), X)),
    "Tile": ("y = Tile(x, total)", lambda n: np.tile(X, n)),
    "Pad": ("zero = Constant<value = int64[1] {0}>() p = Concat<axis = 0>(zero, total) y = Pad(x, p)",
            lambda n: np.pad(X, (0, n))),
    "TopK": ("y, places = TopK(x, total)", lambda n: X[::-1][:n]),
    "Split": ("d = Shape(x) rest = Sub(d, total) p = Concat<axis = 0>(total, rest) y, z = Split<axis = 0>(x, p)",
              lambda n: X[:n]),
}


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, infer])
@pytest.mark.parametrize("name", MODELS)
def test_negative_sizes_are_refused(name, entry):
    body, compute = MODELS[name]
    model = entry(make("float[N] x", body))
    for total in 0, 1, 7:
        np.testing.assert_array_equal(model.run({"s": say(total), "x": X})[0], compute(total))
    for total in -1, -(X.size + 1):
        if name != "Pad" or -total > X.size:
            # Told by the guard: nobody knows the symbol.
            with pytest.raises(dyn.ShapeError, match=f"{name}: .*, node [fy]; got .*s_00 = "):
                model.run({"s": say(total), "x": X})
    if name in ("TopK", "Split"):
        with pytest.raises(dyn.ShapeError):
            model.run({"s": say(X.size + 1), "x": X})


def test_what_a_branch_is_taken_for_holds_in_it_only():
    model = infer(make("float[N] x", """nine = Constant<value = int64 {9}>()
      sum = Squeeze(total)
      is_large = Greater(sum, nine)
      y = If(is_large) <then_branch = large () => (float[K] p) { f = ConstantOfShape(total) p = Exp(f) },
                        else_branch = small () => (float[L] q) { q = Neg(x) }>"""))
    np.testing.assert_array_equal(model.run({"s": say(40), "x": X})[0], np.ones(40))
    for total in 9, 0, -40:
        np.testing.assert_array_equal(model.run({"s": say(total), "x": X})[0], -X)


def test_most_elements_of_a_guarded_dim():
    """Nobody finds more non-zero elements than there are, of which a guard allows 16: that is no proof of the guard."""
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[N] x) => (float[1, 1] y, float[N] z) {{
      zero = Constant<value = int64[1] {{0}}>()
      one = Constant<value = int64[1] {{1}}>()
      table = Constant<value = float[16] {{{", ".join(["1.0"] * 16)}}}>()
      d = Shape(x)
      rows = Slice(table, zero, d)
      z = Add(rows, x)
      places = NonZero(x)
      f = Cast<to = 1>(places)
      column = Unsqueeze(x, one)
      y = MatMul(f, column)
    }}""")
    assert "N <= 16" in " ".join(map(str, dyn.shapes(model).guards))
    with pytest.raises(dyn.ShapeError, match="`N` must be <= 16"):
        infer(model).run({"x": np.ones(17, np.float32)})
    np.testing.assert_array_equal(infer(model).run({"x": np.ones(16, np.float32)})[0], [[120]])


COUNTED = {
    "OneHot": ("int64[N] x, int64 n, float[2] v", "y = OneHot(x, n, v)",
               {"x": np.array([0, 2]), "n": np.array(3), "v": np.array([0, 1], np.float32)}, np.eye(3)[[0, 2]]),
    "Resize": ("float[M] x, int64[1] n", "y = Resize<mode = \"nearest\">(x, , , n)",
               {"x": np.array([1, 2], np.float32), "n": np.array([4])}, [1, 1, 2, 2]),
    **{f"{name}Window": ("int64 n", f"y = {name}Window<periodic = 0>(n)", {"n": np.array(0)}, np.zeros(0))
       for name in ("Blackman", "Hamming", "Hann")},
    "MelWeightMatrix": ("int64 n, int64 l, int64 r, float a, float b", "y = MelWeightMatrix(n, l, r, a, b)",
                        {"n": np.array(0), "l": np.array(4), "r": np.array(8192), "a": np.float32(0), "b": np.float32(4096)},
                        np.zeros((3, 0))),
    "CenterCropPad": ("float[M] x, int64[1] n", "y = CenterCropPad(x, n)",
                      {"x": np.array([1, 2, 3], np.float32), "n": np.array([1])}, [2]),
}


@pytest.mark.parametrize("entry", [dyn.Reference, infer])
@pytest.mark.parametrize("name", COUNTED)
def test_counts_of_the_run_are_no_less_than_none(name, entry):
    """Counting to a negative number finds nothing, which would be a result of no elements."""
    inputs, node, values, expected = COUNTED[name]
    model = entry(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]>
    g ({inputs}) => (float y) {{ {node} }}"""))
    np.testing.assert_array_equal(model.run(values)[0], expected)
    with pytest.raises(dyn.ShapeError, match=f"{name}: (element 0 of `n`|the size|the depth|num_mel_bins) must be at least 0"):
        model.run({**values, "n": np.full_like(values["n"], -1)})


@pytest.mark.parametrize("body, name", [
    ("float m) => (float[K] y) { n = Cast<to = 6>(m) y = HannWindow(n) }", "HannWindow"),
    ("float m) => (float[K] y) { n = Cast<to = 7>(m) a = Constant<value_int = 4>() b = Constant<value_float = 0.0>() "
     "c = Constant<value_float = 9.0>() y = MelWeightMatrix(a, n, a, b, c) }", "MelWeightMatrix"),
    ("float m) => (float[K] y) { o = Constant<value_ints = [1]>() l = Reshape(m, o) x = Constant<value_floats = [5.0]>() "
     "n = Cast<to = 6>(l) y = CenterCropPad(x, n) }", "CenterCropPad"),
])
def test_counts_that_only_data_tell(body, name):
    model = dyn.Reference(onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 18]> g (' + body))
    model.run({"m": np.array(1, np.float32)})
    with pytest.raises(dyn.ShapeError, match=f"node 'y': {name}: .* must be at least 0, and is less by 3"):
        model.run({"m": np.array(-3, np.float32)})


@pytest.mark.parametrize("node, what", [
    ("n = Constant<value_int = -2>() y = OneHot(i, n, v)", "OneHot: the depth"),
    ("n = Constant<value_ints = [1, 1, -2, 3]>() y = AffineGrid(t, n)", "AffineGrid: element 2 of `n`"),
    ("n = Constant<value_ints = [-2, 1, 2, 3]>() y = AffineGrid(t, n)", "AffineGrid: element 0 of `n`"),
])
def test_constant_counts_are_named(node, what):
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 20]>
    g (int64[N] i, float[2] v, float[M, 2, 3] t) => (float y) {{ {node} }}""")
    with pytest.raises(dyn.CompileError, match=f"node 'y': {what} must be at least 0"):
        dyn.compile(model)
    values = {"i": np.zeros(2, np.int64), "v": np.ones(2, np.float32), "t": np.ones((1, 2, 3), np.float32)}
    with pytest.raises(dyn.ShapeError, match=f"node 'y': {what} must be at least 0, and is less by 2"):
        dyn.Reference(model).run(values)


def test_sizes_of_a_crop_are_dims_of_its_result():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
    g (float[A, B] x, int64[2] n) => (float y) { y = CenterCropPad(x, n) }""")
    assert dyn.shapes(model).outputs["y"].dims == ("n_00", "n_10")
    model.graph.input[1].type.tensor_type.shape.dim[0].dim_value = 3
    with pytest.raises(dyn.CompileError, match="has 3 sizes for 2 axes"):
        dyn.compile(model)


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, infer])
@pytest.mark.parametrize("onesided", [0, 1])
def test_a_transform_has_points(onesided, entry):
    """As NumPy and onnxruntime have it; one of the real half would be of no points and have one."""
    given = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[1, L, 1] x, int64 n) => (float y) {{ y = DFT<onesided = {onesided}>(x, n) }}""")
    model, x = entry(given), np.ones((1, 2, 1), np.float32)
    np.testing.assert_array_equal(model.run({"x": x, "n": np.array(1)})[0], [[[1, 0]]])
    for n in 0, -1:
        with pytest.raises(dyn.ShapeError, match=f"`n0` must be >= 1: DFT: dft_length must be at least 1, node y; got n0 = {n}"):
            model.run({"x": x, "n": np.array(n)})
    model = entry(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[1, L, 1] x) => (float y) {{ y = DFT<onesided = {onesided}>(x) }}"""))
    assert model.run({"x": x})[0].shape == (1, 2, 2)
    with pytest.raises(dyn.ShapeError, match="`L` must be >= 1: DFT: the number of points must be at least 1, node y; got L = 0"):
        model.run({"x": x[:, :0]})


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_sizes_of_which_one_is_kept_are_no_less_than_none(policy):
    model = dyn.Reference(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 20]>
    g (float[1, 1, H, W] x, int64[2] n) => (float y) {{
      y = Resize<mode = "linear", axes = [2, 3], keep_aspect_ratio_policy = "{policy}">(x, , , n)
    }}"""))
    x = np.ones((1, 1, 3, 2), np.float32)
    assert model.run({"x": x, "n": np.array([6, 4])})[0].shape == (1, 1, 6, 4)
    with pytest.raises(dyn.ShapeError, match="Resize"):
        model.run({"x": x, "n": np.array([-1, 3])})


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, infer])
def test_a_delta_of_the_run_is_not_0(entry):
    """The length of the result is an abbreviation that divides by it, and has a value before the guard is asked."""
    model = entry(onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
    g (int64 a, int64 b, int64 c) => (int64[K] y) { y = Range(a, b, c) }"""))
    for start, limit, delta in (3, -4, -2), (0, 7, 3), (0, 7, -3), (5, 5, 1):
        values = {"a": np.array(start), "b": np.array(limit), "c": np.array(delta)}
        np.testing.assert_array_equal(model.run(values)[0], np.arange(start, limit, delta))
    with pytest.raises(dyn.ShapeError, match="`c0` must be != 0: Range: a delta of 0, node y"):
        model.run({"a": np.array(3), "b": np.array(-1), "c": np.array(0)})


def make_resize(inputs: str, nodes: str, attributes: str = 'mode = "nearest"') -> onnx.ModelProto:
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[M] x, {inputs}) => (float y) {{ {nodes} y = Resize<{attributes}>(x, , s) }}""")


@pytest.mark.parametrize("entry", [dyn.Reference, infer])
def test_scales_of_the_run_are_positive(entry):
    model = entry(make_resize("float[1] s", ""))
    for scale, size in (2, 8), (0.5, 2), (0.1, 0):
        assert model.run({"x": X[:4], "s": np.array([scale], np.float32)})[0].shape == (size,)
    for scale in 0, -0.5, -1, np.nan, np.inf, -np.inf, 1e20:
        for x in X[:4], X[:0]:
            if scale == 1e20 and x.size == 0:
                continue
            told = f"must be a positive number with which the size fits in 64 bits, not {scale:g}$".replace("+", "[+]")
            with pytest.raises(dyn.ShapeError, match=f"^node 'y': Resize: element 0 of `s` {told}"):
                model.run({"x": x, "s": np.array([scale], np.float32)})


@pytest.mark.parametrize("attributes", ['mode = "nearest"', 'mode = "linear", coordinate_transformation_mode = "align_corners"'])
@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, infer])
def test_scales_that_are_sizes_are_positive(attributes, entry):
    """The guard tells of the symbol, and the size needs no case for negative ones."""
    model = make_resize("int64[1] n", "f = Cast<to = 1>(n) q = Constant<value_floats = [0.25]>() s = Mul(f, q)", attributes)
    assert dyn.shapes(model).outputs["y"].dims == ("(M * n_00) floordiv 4",)
    model = entry(model)
    assert model.run({"x": X[:4], "n": np.array([6])})[0].shape == (6,)
    for n in 0, -2:
        with pytest.raises(dyn.ShapeError, match=f"`n_00` must be >= 1: Resize: element 0 of `s`.*, node y; got n_00 = {n}"):
            model.run({"x": X[:4], "n": np.array([n])})


def test_constant_scales_need_no_guard():
    assert not dyn.shapes(make_resize("float unused", "s = Constant<value_floats = [2.0]>()")).guards


@pytest.mark.parametrize("wanted, most", [(", m", "B * C * min(N, 3)"), (", all", "B * C * N"),
                                          (", n", None), ("", None)])
def test_boxes_that_stay_are_no_more_than_wanted(wanted, most):
    shapes = dyn.shapes(onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]>
    g (float[B, N, 4] boxes, float[B, C, N] scores) => (y) {{ m = Constant<value_int = 3>() n = Constant<value_int = -2>()
      all = Constant<value_int = 9223372036854775807>()
      y = NonMaxSuppression(boxes, scores{wanted}) }}"""))
    if most is None:
        assert [str(dim) for dim in shapes.outputs["y"].dims] == ["0", "3"]
    else:
        assert f"u0: [0, ?]  data, at most {most}\n" in str(shapes)


@pytest.mark.parametrize("entry", [dyn.Reference, infer, dyn.compile])
def test_a_guard_that_is_wrong_is_told_before_those_without_values(entry):
    """Where sizes do not broadcast, neither does what is computed of them."""
    model = entry(onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
    g (float[b1, t, 4] x, float[b3, 1, 1] mask) => (float y) {
      c = Constant<value_ints = [-1, 4]>() h = Shape<start = 0, end = 1>(x) s = Concat<axis = 0>(h, c)
      [mask0] a = Add(x, mask) v = Reshape(a, s) w = Add(x, v) [mask1] d = Add(w, mask) e = Reshape(d, s) y = Add(w, e) }"""))
    with pytest.raises(dyn.ShapeError, match="mask0") as raised:
        model.run({"x": np.zeros((2, 3, 4), np.float32), "mask": np.zeros((3, 1, 1), np.float32)})
    assert "64 bits" not in str(raised.value)


@pytest.mark.parametrize("layers", [1, 2, 8, 40])
def test_masks_of_another_batch_in_residual_stacks(layers):
    body = "".join(f"a{i} = Add(h{i}, mask) r{i} = Reshape(a{i}, s) h{i + 1} = Add(h{i}, r{i}) " for i in range(layers))
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]> g (float[b1, t, 4] h0, float[b3, 1, 1] mask) => (float h{layers}) {{
      c = Constant<value_ints = [-1, 4]>() b = Shape<start = 0, end = 1>(h0) s = Concat<axis = 0>(b, c) {body} }}""")
    compiled = dyn.compile(model)
    # One for the mask, one for the reshape, and two for the sums: the others follow.
    assert len(dyn.shapes(model).guards) == (3 if layers == 1 else 4)
    for batch, rows, other in (2, 3, 1), (1, 1, 1), (3, 2, 3), (2, 0, 1), (1, 0, 7):
        values = {"h0": np.ones((batch, rows, 4), np.float32), "mask": np.full((other, 1, 1), 0.5, np.float32)}
        np.testing.assert_allclose(compiled.run(values)[0], dyn.Reference(model).run(values)[0], 1e-6)


POSITIONS = """<ir_version: 8, opset_import: ["" : 18]> g (float[b, t] x, float[b, past] cache) => (int64[n] y)
    <int64 zero = {{0}}, int64 one = {{1}}, int64 last = {{-1}}> {{
    s1 = Shape<start = 1>(x) s = Squeeze(s1) p1 = Shape<start = 1>(cache) p = Squeeze(p1) e = Add(p, s)
    ids = Range(p, e, one) end = {end} n = Add(end, one) y = Range(zero, n, one) }}"""


@pytest.mark.parametrize("end, expected, why", [
    ("ReduceMax<keepdims = 0>(ids)", "past + t", "a size is the greatest of so many elements, node end"),
    ("ReduceMin<keepdims = 0>(ids)", "past + 1", "a size is the least of so many elements, node end"),
    ("Gather(ids, last)", "past + t", "rows of the result of `ids`, node end"),
    ("Gather(ids, zero)", "past + 1", "rows of the result of `ids`, node end"),
])
def test_an_end_of_positions_is_a_size(end, expected, why):
    """`position_ids.max() + 1`, as rotary caches of exported decoders are built. Of no positions none is the greatest."""
    model = onnx.parser.parse_model(POSITIONS.format(end=end))
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == (expected,)
    assert [str(guard) for guard in shapes.guards] == [f"1 <= t  ({why})"]
    assert not dyn.shapes(model, dims={"t": dyn.Dim(1, None)}).guards
    compiled = dyn.compile(model)
    for length, past in (1, 0), (3, 4), (5, 2):
        values = {"x": np.ones((2, length), np.float32), "cache": np.ones((2, past), np.float32)}
        for entry in compiled, dyn.Reference(model):
            np.testing.assert_array_equal(entry.run(values)[0], np.arange(past + (length if expected == "past + t" else 1)))
    with pytest.raises(dyn.ShapeError, match="`t` must be >= 1"):
        compiled.run({"x": np.ones((2, 0), np.float32), "cache": np.ones((2, 4), np.float32)})


@pytest.mark.parametrize("longest", ["ReduceMax<keepdims = 0>(rows)", "ReduceMax<keepdims = 0>(rows, axis0)", "Squeeze(rows, axis0)"])
def test_the_greatest_of_each_row_is_the_greatest_of_one_row(longest):
    """As fusions of GroupQueryAttention write the length of all sequences of a batch."""
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 18]> g (float[t, 8] x, float[past, 8] cache) => (float[n] y)
        <int64 one = {{1}}, int64[1] axis0 = {{0}}, int64[1] axis1 = {{1}}> {{
        s1 = Shape<end = 1>(x) s = Squeeze(s1) p1 = Shape<end = 1>(cache) p = Squeeze(p1) e = Add(p, s) ids = Range(p, e, one)
        batch = Unsqueeze(ids, axis0) rows = ReduceMax<keepdims = 0>(batch, axis1) last = {longest}
        total = Add(last, one) dims = Unsqueeze(total, axis0) y = ConstantOfShape(dims) }}""")
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == ("past + t",)
    assert [guard.predicate for guard in shapes.guards] == ["1 <= t"]


@pytest.mark.parametrize("narrowed", ["q = Cast<to = 6>(two)", "u = Unsqueeze(two, axis) c = Cast<to = 6>(u) q = Expand(c, dims)"])
def test_positions_that_are_cast_to_32_bits_are_limited_by_their_table(narrowed):
    """onnxruntime's optimizer casts them in front of EmbedLayerNormalization."""
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]> g (int32[1, s] ids, float[10, 4] table) => (float y)
        <int64 zero = {{0}}, int64 one = {{1}}, int64 offset = {{2}}, int64[1] axis = {{0}}> {{
        dims = Shape(ids) t = Gather(dims, one) r = Range(zero, t, one) two = Add(r, offset) {narrowed} y = Gather(table, q) }}""")
    model.graph.output[0].type.tensor_type.ClearField("shape")
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["s <= 8"]
    table = np.arange(40, dtype=np.float32).reshape(10, 4)
    for entry in dyn.compile(model), dyn.Reference(model):
        for size in 0, 1, 8:
            result = entry.run({"ids": np.zeros((1, size), np.int32), "table": table})[0]
            np.testing.assert_array_equal(result.reshape(size, 4), table[2:size + 2])
        with pytest.raises(dyn.ShapeError, match="`s` must be <= 8"):
            entry.run({"ids": np.zeros((1, 9), np.int32), "table": table})


def test_products_of_matrices_of_sizes_in_32_bits_are_guarded():
    model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 18]> g (float[n, m] x) => (float[K] y)
        <int32[2] strides = {3, 5}, int64[1] axis = {0}> { s = Shape(x) s32 = Cast<to = 6>(s) p = MatMul(s32, strides)
          p64 = Cast<to = 7>(p) k = Unsqueeze(p64, axis) y = ConstantOfShape(k) }""")
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == ("5 * m + 3 * n",)
    assert [guard.predicate for guard in shapes.guards] == ["5 * m + 3 * n <= 2147483647"]

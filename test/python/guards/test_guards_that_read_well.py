"""Guards are told in few words, and say what they said before."""

import itertools
import random

import numpy as np
import onnx.parser
import onnxruntime
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state

import dyn

REFUSALS = tuple(getattr(onnxruntime_pybind11_state, name) for name in ("Fail", "InvalidArgument", "RuntimeException"))


def parse(text, opset=16):
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]> {text}')


def runs(model, shapes):
    """By the sizes: whether compiled code runs."""
    compiled, results = dyn.compile(model), []
    for sizes in shapes:
        values = {name: np.ones(dims, np.float32) for name, dims in sizes.items()}
        try:
            compiled.run(values)
            results.append(True)
        except dyn.ShapeError:
            results.append(False)
    return results


def test_guards_without_numbers_that_decide_nothing():
    """`max(past + t - 64, 0) <= 0` is `past + t <= 64`: rows of the tables of a rotary embedding."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 15]>
    g (float[b, t, 8] x, float[b, past, 8] cache, float[64, 8] table) => (float[b, t, 8] y)
    <int64[1] zero = {0}, int64 one = {1}> {
      s1 = Shape<start = 1, end = 2>(x) s = Squeeze(s1) p1 = Shape<start = 1, end = 2>(cache) p = Squeeze(p1) n = Add(p, s)
      end = Unsqueeze(n, zero) rows = Slice(table, zero, end, zero) ids = Range(p, n, one) r = Gather(rows, ids) y = Add(x, r) }""")
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["past + t <= 64 or t == 0"]
    compiled = dyn.compile(model)
    for length, past in (1, 0), (2, 62), (0, 99), (64, 0):
        values = {"x": np.ones((2, length, 8), np.float32), "cache": np.ones((2, past, 8), np.float32), "table": np.ones((64, 8), np.float32)}
        assert compiled.run(values)[0].shape == (2, length, 8)
    with pytest.raises(dyn.ShapeError, match="past \\+ t <= 64 or t == 0"):
        compiled.run({"x": np.ones((2, 3, 8), np.float32), "cache": np.ones((2, 62, 8), np.float32), "table": np.ones((64, 8), np.float32)})


CROP = """g (float[b, H, 4] x, float[b, h, 4] y) => (float[b, p, 8] z) <int64[1] two = {{2}}, int64[1] axis = {{1}}> {{
  H = Shape<start = 1, end = 2>(x) h = Shape<start = 1, end = 2>(y) d = Sub(H, h) {bounds} c = Slice(x, {first}, {last}, axis)
  z = Concat<axis = 2>(c, y) }}"""


@pytest.mark.parametrize("bounds, first, last", [("a = Div(d, two) e = Add(a, h)", "a", "e"), ("", "d", "H")], ids=["center", "end"])
def test_a_crop_needs_to_be_no_longer(bounds, first, last):
    model = parse(CROP.format(bounds=bounds, first=first, last=last))
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["h <= H"]
    sizes = [(0, 0), (1, 0), (0, 1), (7, 7), (7, 6), (8, 5), (3, 8), (1, 2)]
    ran = runs(model, [{"x": (2, H, 4), "y": (2, h, 4)} for H, h in sizes])
    assert ran == [h <= H for H, h in sizes]


def test_windows_that_are_rounded_up_need_a_size():
    pools = " ".join(f"p{i + 1} = MaxPool<kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1>(p{i})" for i in range(3))
    model = parse(f"""g (float[b, 3, h, 33] x, float[4, 3, 3, 3] k, float[4, 4, 1, 1] l) => (float[b, 4, p, q] y) {{
      p0 = Conv<strides = [2, 2]>(x, k) {pools} y = Conv(p3, l) }}""")
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["17 <= h"]
    shapes = [{"x": (1, 3, h, 33), "k": (4, 3, 3, 3), "l": (4, 4, 1, 1)} for h in (0, 16, 17, 18, 31)]
    assert runs(model, shapes) == [False, False, True, True, True]


def test_rows_assigned_at_the_end():
    """`x[-t:] = v`, as PyTorch exports it; ONNX has no rule for indices without rows to take."""
    model = parse("""g (float[s, 4] x, float[t, 4] v) => (float[s, 4] y) <int64[1] most = {9223372036854775807}, int64 zero = {0},
      int64 one = {1}, int64[1] z = {0}, int64[1] o = {1}, int64[1] last = {-1}> {
      l = Shape(v) n = Gather(l, zero) neg = Neg(n) first = Unsqueeze(neg, z) xs = Shape(x) s = Gather(xs, zero)
      r = Range(zero, s, one) p = Slice(r, first, most, z, o) i = Unsqueeze(p, last) y = ScatterND(x, i, v) }""")
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["t <= s and (1 <= t or s == 0)"]


SIDES = ["{a} floordiv {n}", "{a} ceildiv {n}", "max({a}, {b} - {n})", "min({a} + {b}, {n})", "{a} * {b}", "{a} mod {n}",
         "max({a} - {b}, 0)", "{n} * {a}", "{a} + {n}", "{a}", "{n}"]


def build(generator, depth):
    if depth == 0:
        return generator.choice("ABC")
    operands = {name: "(" + build(generator, depth - 1) + ")" for name in "ab"}
    return generator.choice(SIDES).format(n=generator.choice([1, 2, 3, 4, 8]), **operands)


def test_random_guards_say_what_they_said(minimize_guards):
    """At sizes that are looked at when a shorter form is found, and at larger ones."""
    generator, cases = random.Random(27), []
    for _ in range(200):
        cases.append([f"{build(generator, 2)} {generator.choice(['==', '<=', '<='])} {build(generator, 2)}"
                      for _ in range(generator.choice([1, 2, 3]))])
    found = minimize_guards(cases, "A: [0, ?] from arg0[0], B: [0, ?] from arg0[1], C: [1, ?] from arg0[2]")
    points = [*itertools.product((0, 1, 2, 3, 7), (0, 1, 4), (1, 2, 5)), (31, 30, 29), (64, 8, 1), (97, 0, 2), (0, 113, 40)]
    shortened = 0
    for number, guards in enumerate(cases):
        # Guards that hold nowhere are refused.
        if number not in found:
            continue
        shortened += sum(map(len, found[number])) < 0.6 * sum(map(len, guards))
        for a, b, c in points:
            at = f"A == {a}; B == {b}; C == {c}"
            # A guard without a value fails.
            before, after = (all(dyn.prove(guard, given=at).answer == "yes" for guard in some) for some in (guards, found[number]))
            assert before == after, (guards, found[number], at)
    assert shortened > 30


def test_a_crop_of_what_was_padded_leaves_what_there_was():
    """tf2onnx's BatchToSpaceND, a dilated convolution with `padding="same"`: the end is -c, or INT32_MAX where c is 0."""
    model = parse("""g (float[h, 4] x) => (float[p, 4] y, float[r, 4] z) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2},
      int64[1] most = {2147483647}> {
      s = Shape(x) h = Slice(s, zero, one, zero) c = Mod(h, two) pads = Concat<axis = 0>(zero, zero, c, zero) padded = Pad(x, pads)
      isZero = Equal(c, zero) isOther = Not(isZero) other = Cast<to = 7>(isOther) minus = Neg(other) a = Mul(c, minus)
      same = Cast<to = 7>(isZero) b = Mul(most, same) end = Add(a, b) y = Slice(padded, zero, end, zero) z = Add(x, y) }""")
    shapes = dyn.shapes(model)
    assert shapes.values["padded"].dims[0] == "h + h mod 2"
    assert [shapes.outputs[name].dims[0] for name in "yz"] == ["h", "h"]
    assert [guard.predicate for guard in shapes.guards] == ["h <= 2147483646"]
    compiled, reference = dyn.compile(model), dyn.Reference(model)
    for length in 0, 1, 6, 7:
        x = np.arange(length * 4, dtype=np.float32).reshape(length, 4)
        for entry in compiled, reference:
            cropped, total = entry.run({"x": x})
            np.testing.assert_array_equal(cropped, x)
            np.testing.assert_array_equal(total, 2 * x)


@pytest.mark.parametrize("body, guard", [
    ("a = Add(t, two) k = Clip(a, zero) y, j = TopK<axis = 0>(w, k)", "T + 2 <= N"),
    ("k = Clip(t, zero, six) y, j = TopK<axis = 0>(w, k)", "min(T, 6) <= N"),
    ("n = Shape(w) u = Unsqueeze(count, axis) k = Min(u, n) y, j = TopK(w, k)", "0 <= count0"),
])
def test_a_single_guard_says_nothing_that_facts_know(body, guard):
    model = onnx.parser.parse_model(f"""<ir_version: 10, opset_import: ["" : 18]>
        g (float[T] x, float[N] w, int64 count) => (float[Y] y) <int64 zero = {{0}}, int64 six = {{6}}, int64[1] two = {{2}}, int64[1] axis = {{0}}>
        {{ t = Shape(x) {body} }}""")
    assert [guard.predicate for guard in dyn.shapes(model).guards] == [guard]


def test_lengths_that_no_frame_fits_stand_between_two_that_do():
    """(samples - 16) / 5 + 1 frames of 16, where the division is towards 0: of 12 to 15 samples there is one that does not fit."""
    model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 18]> g (float[batch, samples] x) => (float[batch, F, 16] f)
        <int64 zero = {0}, int64 one = {1}, int64 hop = {5}, int64 window = {16}, int64[1] rows = {0}, int64[1] columns = {1}>
        { s = Shape(x) n = Gather(s, one) d = Sub(n, window) q = Div(d, hop) count = Add(q, one) frames = Range(zero, count, one)
          starts = Mul(frames, hop) down = Unsqueeze(starts, columns) steps = Range(zero, window, one) across = Unsqueeze(steps, rows)
          places = Add(down, across) f = Gather<axis = 1>(x, places) }""")
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["samples <= 11 or 16 <= samples"]
    ran = runs(model, [{"x": (1, samples)} for samples in range(24)])
    assert ran == [samples not in (12, 13, 14, 15) for samples in range(24)]


def pool_to(elements):
    return parse(f"""g (float[N,1,H,W] x) => (float[a,b] y) <int64[2] shape = {{1, {elements}}}> {{
        a = MaxPool <kernel_shape = [1, 1], strides = [3, 3]> (x) b = MaxPool <kernel_shape = [2, 2], strides = [3, 3]> (x)
        c = Concat <axis = 1> (a, b) q = AveragePool <kernel_shape = [3, 3]> (c) y = Reshape (q, shape) }}""")


def test_factors_of_one_are_one():
    model = pool_to(2)
    assert [guard.predicate for guard in dyn.shapes(model).guards][-1] == "N == 1 and H ceildiv 3 == 3 and W ceildiv 3 == 3"
    shapes = [(1, 8, 8), (1, 9, 8), (1, 7, 8), (1, 10, 8), (1, 11, 11), (2, 8, 8), (0, 8, 8)]
    assert runs(model, [{"x": (n, 1, h, w)} for n, h, w in shapes]) == [True, True, False, False, False, False, False]


def test_needs_that_other_guards_are_not_seen_to_imply():
    model = pool_to(4)
    fits = [guard.split("  (")[0] for guard in dyn.compile(model).guards if "must fit" in guard]
    assert fits == ["4 <= W", "4 <= H"]


def read_around_the_ends(dilations):
    """Layers of convolutions over a signal that goes on at its other end."""
    layers = "".join(
        f"s{k} = Slice(y{k}, m{k}, end, axis) e{k} = Slice(y{k}, zero, p{k}, axis) c{k} = Concat<axis = 2>(s{k}, y{k}, e{k}) "
        f"v{k} = Conv<dilations = [{dilation}]>(c{k}, w) y{k + 1} = Add(v{k}, y{k}) " for k, dilation in enumerate(dilations))
    numbers = ", ".join(f"int64[1] m{k} = {{-{dilation}}}, int64[1] p{k} = {{{dilation}}}" for k, dilation in enumerate(dilations))
    return parse(f"g (float[N, 1, T] y0) => (float[N, 1, U] y{len(dilations)}) <int64[1] axis = {{2}}, int64[1] zero = {{0}}, "
                 f"int64[1] end = {{9223372036854775807}}, float[1, 1, 3] w = {{1.0, 2.0, 3.0}}, {numbers}> {{ {layers} }}")


@pytest.mark.parametrize("dilations, guard", [([4], "3 <= T"), ([2, 4, 8], "8 <= T"), ([2, 64], "64 <= T or T == 43")])
def test_what_one_layer_needs_shortens_what_later_ones_do(dilations, guard):
    """Where a dim is smaller than a dilation, the signal becomes shorter, and of one element, which is repeated."""
    model = read_around_the_ends(dilations)
    assert [guard.predicate for guard in dyn.shapes(model).guards] == [guard]
    lengths = [2, 3, 4, 7, 8, 9, 42, 43, 44, 63, 64, 101]
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = []
    for length in lengths:
        try:
            session.run(None, {"y0": np.ones((2, 1, length), np.float32)})
            expected.append(True)
        except REFUSALS:
            expected.append(False)
    assert runs(model, [{"y0": (2, 1, length)} for length in lengths]) == expected


def test_a_case_that_is_left_says_what_ruled_the_others_out():
    """T is 4 or 1, and at least 2: that it is 4 is all there is to check."""
    model = parse("""g (float[T] x) => (float[U] y, float z) <float[4] w = {1, 2, 3, 4}, int64 one = {1}> {
      y = Add(x, w) z = Gather(x, one) }""")
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["T == 4"]
    assert runs(model, [{"x": (size,)} for size in range(6)]) == [size == 4 for size in range(6)]


def test_a_factor_of_both_sides_stands_alone():
    model = parse("g (float[B, S] x, float[S] z) => (float[S] y) { r = Shape(z) y = Reshape(x, r) }")
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["S == 0 or B == 1"]
    sizes = [(0, 0), (3, 0), (1, 5), (2, 5), (0, 5)]
    assert runs(model, [{"x": size, "z": size[1:]} for size in sizes]) == [B * S == S for B, S in sizes]


def test_factors_that_are_no_zeros_are_left_out():
    """Beside a divisor that is not 0, `B*C == C` is `B == 1`."""
    model = parse("""g (float[B, C] x, float[C] w) => (float[P] y)
      <int64 one = {1}, int64[1] all = {-1}, int64[1] axis = {0}, int64[1] least = {1}> {
      s = Shape<start = 1, end = 2>(x) c = Squeeze(s) d = Div(one, c) k = Unsqueeze(d, axis) count = Max(k, least)
      flat = Reshape(x, all) z = Add(flat, w) y = Expand(z, count) }""")
    guards = [guard.predicate for guard in dyn.shapes(model).guards]
    assert "B == 1 or C == 1" in guards and "1 <= C" in guards


PIXELS = """g (float[N, 3, H, W] x) => (float[A, B, C, D] y) <int64[1] two = {2}, int64[1] four = {4}, int64[1] rest = {-1}> {
    h = Shape<start = 2, end = 3>(x) w = Shape<start = 3>(x) c = Shape<start = 1, end = 2>(x) n = Shape<end = 1>(x)
    h2 = Div(h, two) w2 = Div(w, two) apart = Concat<axis = 0>(rest, c, h2, two, w2, two) r = Reshape(x, apart)
    t = Transpose<perm = [0, 1, 3, 5, 2, 4]>(r) c4 = Mul(c, four) joined = Concat<axis = 0>(n, c4, h2, w2) y = Reshape(t, joined) }"""


def test_a_size_that_stands_for_a_rest_divides_evenly():
    """As PyTorch's exporter writes PixelUnshuffle: -1 is a quotient of sizes, and has to be the batch."""
    model = parse(PIXELS)
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["2 <= H", "2 <= W", "N == 0 or (H mod 2 == 0 and W mod 2 == 0)"]
    sizes = list(itertools.product((0, 1, 2, 3), (0, 1, 2, 3, 4, 7), (1, 2, 5, 6)))
    expected = [H >= 2 and W >= 2 and (N == 0 or (H % 2 == 0 and W % 2 == 0)) for N, H, W in sizes]
    assert runs(model, [{"x": (N, 3, H, W)} for N, H, W in sizes]) == expected


def test_a_quotient_by_a_size_is_said_without_it():
    model = parse("""g (float[S, 32] x) => (float[A, B] y) <int64[1] zero = {0}, int64[1] four = {4}, int64[1] rest = {-1}, float[32] w> {
        s = Shape<end = 1>(x) q = Div(s, four) whole = Mul(q, four) part = Slice(x, zero, whole, zero) to = Concat<axis = 0>(s, rest)
        r = Reshape(part, to) y = Mul(r, w) }""".replace("w>", "w = {" + ", ".join(["1"] * 32) + "}>"))
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["1 <= S", "S mod 4 == 0"]
    assert runs(model, [{"x": (S, 32)} for S in range(10)]) == [S > 0 and S % 4 == 0 for S in range(10)]

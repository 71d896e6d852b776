"""Guards on sizes that a quotient or product alone depends on are told of that, and say what they said before."""

import itertools
import random

import numpy as np
import onnx.parser
import onnxruntime
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state

import dyn

REFUSALS = tuple(getattr(onnxruntime_pybind11_state, name) for name in ("Fail", "InvalidArgument", "RuntimeException"))


def get_guards(model):
    return [guard.predicate for guard in dyn.shapes(model).guards]


def run_both(model, shapes):
    """Whether compiled code and onnxruntime run, and give the same."""
    compiled, session = dyn.compile(model), onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for shape in shapes:
        x = np.random.default_rng(3).standard_normal(shape, np.float32)
        try:
            expected = session.run(None, {"x": x})[0]
        except REFUSALS:
            with pytest.raises(dyn.ShapeError):
                compiled.run({"x": x})
            continue
        np.testing.assert_array_equal(compiled.run({"x": x})[0], expected)


def take_positions(rows, length):
    """From a table of relative positions, those of `n` frames, as Wav2Vec2-Conformer does."""
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
      g (float[t] x) => (float[q] y) <int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] k = {{{rows}}}, int64[1] last = {{{rows - 1}}},
        int64[1] all = {{{2 * rows - 1}}}, int64[1] c = {{10}}, int64[1] step = {{20}}, float[1] unit = {{1}}> {{
        s = Shape(x) {length} table = Expand(unit, all) first = Sub(k, n) end = Add(last, n) rows = Slice(table, first, end, zero)
        twice = Add(n, n) both = Sub(twice, one) ones = Expand(unit, both) y = Add(ones, rows) }}""")


@pytest.mark.parametrize("length, guard, lengths", [
    ("n = Identity(s)", "1 <= t and t <= 51", [0, 1, 2, 50, 51, 52, 101]),
    ("p = Add(s, c) f = Div(p, step) n = Sub(f, one)", "30 <= t and t <= 1049", [0, 10, 29, 30, 31, 1029, 1030, 1049, 1050, 2047]),
])
def test_frames_of_a_signal_say_what_its_length_is(length, guard, lengths):
    model = take_positions(50, length)
    assert get_guards(model) == [guard]
    run_both(model, [(t,) for t in lengths])


def read_biases(window, tokens):
    """A table of biases of window by window tokens, of which n by n are taken, as Swin3D does."""
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
      g (float[t, h] x) => (float[p, q, r] y) <int64[1] zero = {{0}}, int64[1] one = {{1}}, int64[1] two = {{2}}, int64[1] rest = {{-1}},
        int64[1] seven = {{7}}, int64[1] eight = {{8}}, int64[2] first = {{0, 0}}, int64[2] axes = {{0, 1}}, float[1, 1, 1] unit = {{1}},
        int64[3] all = {{{window}, {window}, 2}}> {{
        t = Shape<start = 0, end = 1>(x) h = Shape<start = 1, end = 2>(x) {tokens} table = Expand(unit, all)
        end = Concat<axis = 0>(n, n) taken = Slice(table, first, end, axes) shape = Concat<axis = 0>(n, n, rest) y = Reshape(taken, shape) }}""")


ROUNDED = "a = Add(t, one) t2 = Div(a, two)"


@pytest.mark.parametrize("tokens, guards", [
    ("n = Identity(t)", ["1 <= t and t <= 4"]),
    (f"{ROUNDED} n = Identity(t2)", ["1 <= t", "t <= 8"]),
    (f"{ROUNDED} b = Add(h, seven) h8 = Div(b, eight) n = Mul(t2, h8)", ["1 <= h and 1 <= t", "(h ceildiv 8) * (t ceildiv 2) <= 4"]),
])
def test_windows_are_as_large_as_the_table(tokens, guards):
    model = read_biases(4, tokens)
    assert get_guards(model) == guards
    run_both(model, [(t, h) for t in (0, 1, 2, 4, 5, 8, 9, 10) for h in (0, 1, 8, 9, 16, 17, 33)])


def test_a_table_that_is_spread_fits_too():
    """4 * 8 * 8 elements are 4 rows of 8 by 8, and one of 16 by 16, which broadcasts."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
      g (float[h, w] x) => (float[4, q, r] y) <int64[1] seven = {7}, int64[1] four = {4}, int64[1] rest = {-1}, int64[2] first = {0, 0},
        int64[2] axes = {0, 1}, float[1, 1, 1] unit = {1}, int64[3] all = {8, 8, 4}, int64[1] one = {1}, float[4, 1, 1] heads = {1, 2, 3, 4}> {
        h = Shape<start = 0, end = 1>(x) w = Shape<start = 1, end = 2>(x) a = Add(h, one) b = Add(w, one) two = Add(one, one)
        h2 = Div(a, two) w2 = Div(b, two) n = Mul(h2, w2) table = Expand(unit, all) end = Concat<axis = 0>(n, n)
        taken = Slice(table, first, end, axes) shape = Concat<axis = 0>(rest, n, n) rows = Reshape(taken, shape) y = Add(heads, rows) }""")
    assert get_guards(model) == ["1 <= h and 1 <= w", "(h ceildiv 2) * (w ceildiv 2) <= 8 or (h ceildiv 2) * (w ceildiv 2) == 16"]
    run_both(model, [(h, w) for h in (0, 1, 2, 3, 7, 8, 15, 16, 31, 32) for w in (0, 1, 2, 4, 8)])


def test_what_is_cut_into_windows_has_whole_ones():
    """A grid of patches as windows of 4 by 4, of which there have to be whole ones in both directions."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
      g (float[b, 1, h, w] x) => (float[p, q, r, u] y) <int64[1] three = {3}, int64[1] four = {4},
        float[1, 1, 1, 1] unit = {1}, int64[4] window = {1, 1, 4, 4}> { k = Expand(unit, window) patches = Conv<strides = [4, 4]>(x, k)
        b = Shape<start = 0, end = 1>(patches) h = Shape<start = 2, end = 3>(patches) w = Shape<start = 3, end = 4>(patches)
        h3 = Add(h, three) w3 = Add(w, three) rows = Div(h3, four) columns = Div(w3, four)
        shape = Concat<axis = 0>(b, rows, four, columns, four) windows = Reshape(patches, shape)
        turned = Transpose<perm = [0, 1, 3, 2, 4]>(windows) again = Concat<axis = 0>(b, rows, columns, four, four)
        y0 = Reshape(turned, again) y = ReduceMax<axes = [4], keepdims = 0>(y0) }""")
    assert get_guards(model) == ["4 <= h", "4 <= w", "b == 0 or (h floordiv 4 == 4 * (h floordiv 16) and w floordiv 4 == 4 * (w floordiv 16))"]
    run_both(model, [(b, 1, h, w) for b in (0, 1, 3) for h in (4, 15, 16, 19, 20, 32) for w in (5, 17, 21, 35)])


@pytest.mark.parametrize("guard", [
    "16 * ((A + 10) floordiv 20) + 30000 <= 16 * ((A + 10) floordiv 20)",
    "16 * ((A + 10) floordiv 20) + 30000 <= 16 * ((A + 10) floordiv 20) or 5 * ((A + 10) floordiv 20) + 3 == 5 * ((A + 10) floordiv 20)",
    "max(A * B, 7) + 30000 <= max(A * B, 7) or 5 * max(A * B, 7) + 3 == 5 * max(A * B, 7)",
])
def test_parts_that_stand_on_both_sides_alone(tool, tmp_path, guard):
    """Such a guard says nothing of the part: it fails everywhere, and is told or stays as it is."""
    path = tmp_path / "guard.mlir"
    path.write_text(f"""func.func @f(%x: tensor<?x?xf32, #dyn.dims<[A, B]>>)
        attributes {{dyn.symbols = #dyn.symbols<A: [0, ?] from arg0[0], B: [0, ?] from arg0[1]>}} {{
      dyn.require {guard} because "test"
      return\n}}""")
    done = tool("dyn-opt", path, "--dyn-minimize-guards", check=False)
    assert done.returncode in (0, 1) and "Assertion" not in done.stderr
    assert done.returncode == 1 or "dyn.require" in done.stdout


@pytest.mark.parametrize("declared, guard, points", [
    ("A: [0, ?]", "16 mod A + max(B * C, 3) <= 16 mod A + 4", ["A == 0; B == 0; C == 0", "A == 3; B == 2; C == 2"]),
    ("A: [0, ?]", "16 mod A + max(B ceildiv 8, 3) <= 16 mod A + 4", ["A == 0; B == 0; C == 0", "A == 5; B == 32; C == 0"]),
    ("A: [0, ?]", "max(B * C, 3) + 16 floordiv A == 4 + 16 floordiv A", ["A == 0; B == 2; C == 2", "A == 1; B == 4; C == 1"]),
    ("A: [2097100, ?]", "(A * A * A + 5) floordiv (A * A) <= 2097200 or (A * A * A + 5) floordiv (A * A) == 2097203",
     ["A == 2097100; B == 0; C == 0"]),
])
def test_what_has_no_value_says_nothing_of_forms(minimize_guards, declared, guard, points):
    """A divisor that is 0 on both sides fails still, and sizes whose powers overflow tell no form."""
    found = minimize_guards([[guard]], f"{declared} from arg0[0], B: [0, ?] from arg0[1], C: [0, ?] from arg0[2]")[0]
    for at in points:
        before, after = (all(dyn.prove(part, given=at).answer == "yes" for part in some) for some in ([guard], found))
        assert before == after, (found, at)
    assert not any("A <= 2097151" in part for part in found), found


QUOTIENTS = ["({s} + {a}) floordiv {k}", "{s} ceildiv {k}", "{s} floordiv {k}", "(2 * {s} + {a}) ceildiv {k}", "{s}"]
GUARDS = ["{n} <= {p}", "{p} <= {n}", "min({p}, {n}) == {p}", "({n} * min({p}, {m})) mod {p} == 0", "{p} mod {n} == 0", "1 <= {p} * {q}",
          "{p} * {q} <= {n}", "max({p} * {q} - {n}, 0) == 0", "({n} * {m}) mod ({p} * {q}) == 0", "{p} * {r} == {k} * (({p} + {j}) floordiv {k}) * {r}",
          "C * {p} * {q} == {n} * C * (({p} + {j}) floordiv {k}) * (({q} + {i}) floordiv {l})", "min({p} * {q}, {n}) * {m} == {m} * {p} * {q}",
          "{p} == {k} * (({p} + {j}) floordiv {k}) or {p} == {n}", "exactdiv({n} * {m}, {p}) == {m} or exactdiv({n} * {m}, {p}) == 1"]


def build(generator):
    def quotient(symbol):
        return "(" + generator.choice(QUOTIENTS).format(s=symbol, a=generator.randrange(-3, 12), k=generator.choice([2, 3, 4, 8])) + ")"

    k, l = generator.choice([2, 4]), generator.choice([2, 4])
    return generator.choice(GUARDS).format(p=quotient("A"), q=quotient("B"), r=generator.choice(["C", "B", quotient("B")]), m=generator.choice([2, 3, 8]),
                                           n=generator.choice([4, 8, 16, 64, 100, k * l]), k=k, l=l, j=k - 1, i=l - 1)


def test_random_guards_say_what_they_said(minimize_guards):
    generator = random.Random(5)
    cases = [[build(generator) for _ in range(generator.choice([1, 2, 3]))] for _ in range(120)]
    found = minimize_guards(cases, "A: [0, ?] from arg0[0], B: [0, ?] from arg0[1], C: [0, ?] from arg0[2]")
    points = [*itertools.product((0, 1, 2, 3, 8, 11), (0, 1, 4, 7), (0, 1)), (16, 16, 2), (31, 33, 1), (64, 64, 3), (97, 0, 2), (0, 113, 40), (255, 2, 1),
              (799, 1, 0), (800, 8, 1), (803, 24, 1)]
    for number, guards in enumerate(cases):
        # Guards that hold nowhere are refused.
        for a, b, c in points if number in found else []:
            at = f"A == {a}; B == {b}; C == {c}"
            before, after = (all(dyn.prove(guard, given=at).answer == "yes" for guard in some) for some in (guards, found[number]))
            assert before == after, (guards, found[number], at)
    assert sum(found[number] != cases[number] for number in found) > 60

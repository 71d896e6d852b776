"""Small models with branches and loops, as ONNX text, and the dims that inference promises of their outputs.

A case is `name: (opset, inputs, outputs with the dims that are inferred, body)`. Dims that data decide are `?`.
"""

THEN_ELSE = "y = If(c) <then_branch = t () => (float[A, B] u) {{ {} }}, else_branch = e () => (float[D, E] v) {{ {} }}>"


def branches(whenTrue, whenFalse):
    return THEN_ELSE.format(whenTrue, whenFalse)


LOOP = ("y = Loop(m, go, x) <body = b (int64 i, bool k, float[A, B] p) => (bool q, float[D, E] n) {{ {} }}>")
STACK = ("y, s = Loop(m, go, x) <body = b (int64 i, bool k, float[A, B] p) => "
         "(bool q, float[D, E] n, float[F, G] r) {{ {} }}>")
GO = "go = Constant<value = bool {1}>() "
COUNT = "int64 m, float[N, C] x"
WRAPS = "six32 = Constant<value = int32 {6}>() three32 = Constant<value = int32 {3}>() large = Constant<value = int32 {2000000000}>() "
INTEGERS = ("h = Shape<start = 0, end = 1>(x) n = Squeeze(h) two = Constant<value = int64 {2}>() six = Constant<value = int64 {6}>() "
            "less = Constant<value = int64 {-1}>() axis = Constant<value = int64[1] {0}>() zero = Constant<value = float {0.0}>() "
            "one1 = Constant<value = int64[1] {1}>() two1 = Constant<value = int64[1] {2}>() "
            "end = Constant<value = int64[1] {9223372036854775807}>() go = Constant<value = bool {1}>() ")


def counting(zero, go, next, condition, more="", start="z", row="Gather(x, i)", trips="", kind="int64"):
    """A loop that gathers a row in each trip, while a number is below, or above, another one."""
    return (f"h = Shape<start = 0, end = 1>(x) g = Squeeze(h) n = Cast<to = {dict(int32=6, int64=7)[kind]}>(g) "
            f"z = Constant<value = {kind} {{{zero}}}>() two = Constant<value = {kind} {{2}}>() u = Constant<value = float[1] {{3.0}}>() "
            f"go = {go} y, k, s = Loop({trips}, go, x, {start}) <body = b (int64 i, bool on, float[A, B] p, {kind} j) => "
            f"(bool q, float[D, E] e, {kind} l, float[F] r) {{ one = Constant<value = {kind} {{1}}>() l = {next} {more} "
            f"q = {condition} e = Sin(p) r = {row} }}>")


def decided(condition, question, inside="then"):
    """A branch in a branch, of which what holds in the outer one tells that it is never run: its rows are twice as many."""
    inner = (question + " {} = If(never) <then_branch = tt () => (float[G, H] g) {{ g = Concat<axis = 0>(x, x) }}, "
             "else_branch = ee () => (float[J, K] h) {{ h = Neg(x) }}>")
    whole = branches(inner.format("u"), "v = Sin(x)") if inside == "then" else branches("u = Sin(x)", inner.format("v"))
    return ("n = Shape<start = 0, end = 1>(x) m = Shape<start = 1, end = 2>(x) three = Constant<value = int64[1] {3}>() "
            "one = Constant<value = int64[1] {1}>() yes = Constant<value = bool[1] {1}>() no = Constant<value = bool[1] {0}>() "
            f"{condition} {whole}")


# `x.squeeze(1)` of a new dim, as PyTorch writes it for dims that it does not know.
SQUEEZE = ("o = Constant<value = int64[1] {{1}}>() w = Unsqueeze(x, o) h = Shape(w) a = Gather(h, o) c = Equal(a, o) "
           "{} = If(c) <then_branch = t () => (float[A, B] tt) {{ tt = Squeeze(w, o) }}, "
           "else_branch = e () => (float[D, E, F] ee) {{ ee = Identity(w) }}>")
# Each is imported by the rank of `v`.
BY_RANK = {
    "hardmax": "y = Hardmax(v)",
    "one-hot": "i = Cast<to = 7>(v) d = Constant<value = int64 {4}>() b = Constant<value = float[2] {0.0, 1.0}>() y = OneHot(i, d, b)",
    "scatter": "z = Constant<value = int64 {0}>() s = Shape(v) i = Expand(z, s) y = ScatterElements<axis = 1>(v, i, v)",
    "resize": "z = Constant<value = float[2] {1.0, 2.0}>() y = Resize<mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\">"
              "(v, , z)",
}

CASES = {
    # Branches.
    **{f"if-chooses-{name}": (18, "float[N, C] x", {"y": dims}, INTEGERS + f"c = Less(n, six) r = If(c) <then_branch = t () => (int64 u) "
                              f"{{ u = {then} }}, else_branch = e () => (int64 v) {{ v = {other} }}> l = Unsqueeze(r, axis) y = Expand(zero, l)")
       for name, dims, then, other in [("the-less", "min(N, 6)", "Identity(n)", "Identity(six)"), ("what-is-missing", "max(6 - N, 0)", "Sub(six, n)", "Sub(n, n)"),
                                       ("what-a-size-divides", "(6 floordiv max(N, 1)) * max(min(N, 6) - 5, 0) - N * max(min(N, 6) - 5, 0) + N", "Identity(n)",
                                        "Div(six, n)")]},
    # Of one size another part each.
    "if-halves-or-quarters": (18, "bool k, float[N, C] x", {"y": "?"}, INTEGERS + "f = Cast<to = 1>(n) half = Constant<value = float {2.0}>() "
                              "quarter = Constant<value = float {4.0}>() r = If(k) <then_branch = t () => (float u) { u = Div(f, half) }, "
                              "else_branch = e () => (float v) { v = Div(f, quarter) }> g = Floor(r) i = Cast<to = 7>(g) "
                              "l = Unsqueeze(i, axis) y = Expand(zero, l)"),
    # 32 bits don't hold n * 2000000000; that it wraps around is no error, and ends no run of the branch.
    "if-wraps-around": (18, "bool k, float[N, C] x", {"y": "?"}, INTEGERS + WRAPS + "y = If(k) <then_branch = t () => (float[A] u) "
                        "{ u = Expand(zero, h) }, else_branch = e () => (float[B] v) { n32 = Cast<to = 6>(n) more = Add(n32, six32) "
                        "w = Mul(more, large) r = Mod(w, three32) a = Cast<to = 7>(r) l = Unsqueeze(a, axis) v = Expand(zero, l) }>"),
    "loop-wraps-around": (18, "float[N, C] x", {"y": "?"}, INTEGERS + WRAPS + "f = Expand(zero, h) y = Loop(two, go, f) <body = b (int64 i, bool k, "
                          "float[A] p) => (bool q, float[B] v) { q = Identity(k) n32 = Cast<to = 6>(n) more = Add(n32, six32) "
                          "w = Mul(more, large) r = Mod(w, three32) a = Cast<to = 7>(r) l = Unsqueeze(a, axis) v = Expand(zero, l) }>"),
    # In the first two trips it does not.
    "loop-wraps-around-later": (18, COUNT, {"y": "?"}, INTEGERS + WRAPS + "f = Expand(zero, h) y = Loop(m, go, f) <body = b (int64 i, bool k, "
                                "float[A] p) => (bool q, float[B] v) { q = Identity(k) i32 = Cast<to = 6>(i) w = Mul(i32, large) "
                                "r = Mod(w, three32) a = Cast<to = 7>(r) l = Unsqueeze(a, axis) v = Expand(zero, l) }>"),
    # Nothing below it is an integer of 32 bits.
    **{f"loop-{name}-the-least-integer": (18, inputs, {"y": dims}, INTEGERS + "least = Constant<value = int32 {-2147483648}>() "
                                          "by = Constant<value = int32 {1}>() three = Constant<value = int64 {3}>() "
                                          f"z, y = Loop({trips}, go, least, x) <body = b (int64 i, bool k, int32 p, float[A, B] l) => (bool q, int32 v, "
                                          f"float[D, E] s) {{ q = Identity(k) v = {step} c = Equal(p, least) s = If(c) <then_branch = t () => "
                                          "(float[F, G] d) { d = Concat<axis = 0>(l, x) }, else_branch = e () => (float[H, J] d2) { d2 = Identity(l) }> }>")
       for name, inputs, trips, step, dims in [("carries", "float[N, C] x", "three", "Identity(p)", "4 * N, C"),
                                               ("counts-from", COUNT, "m", "Add(p, by)", "?, C")]},
    # What the branches inside choose is known as long as the counter is taken not to wrap around.
    "if-in-an-if-in-a-loop-that-wraps-around": (
        18, COUNT, {"y": "?"}, INTEGERS + WRAPS + "a3 = Constant<value = float[3] {1.0, 2.0, 3.0}>() a1 = Constant<value = float[1] {5.0}>() "
        "hundred = Constant<value = int64 {100}>() n32 = Cast<to = 6>(n) c2 = Less(n, hundred) z, y = Loop(m, go, n32, a3) "
        "<body = b (int64 i, bool k, int32 p, float[L] l) => (bool q, int32 v, float[M] t) { q = Identity(k) v = Add(p, large) c = Less(p, six32) "
        "t = If(c2) <then_branch = t1 () => (float[D] d) { d = If(c) <then_branch = t2 () => (float[D2] d2) { d2 = Identity(a1) }, "
        "else_branch = e2 () => (float[E2] d3) { d3 = Identity(a3) }> }, else_branch = e () => (float[E] ee) { ee = Identity(a3) }> }>"),
    "if-chooses-32-bits": (18, "float[N, C] x", {"y": "min(N, 6)"}, INTEGERS + "c = Less(n, six) r = If(c) <then_branch = t () => (int32 u) "
                           "{ u = Cast<to = 6>(n) }, else_branch = e () => (int32 v) { v = Cast<to = 6>(six) }> a = Cast<to = 7>(r) "
                           "l = Unsqueeze(a, axis) y = Expand(zero, l)"),
    "if-in-an-if-of-sizes": (18, "float[N, C] x", {"y": "?, C"}, INTEGERS + "six1 = Constant<value = int64[1] {6}>() c = Greater(n, two) "
                             "d = Greater(n, six) " + branches("u = If(d) <then_branch = tt () => (float[G, H] g) { g = Slice(x, axis, six1) }, "
                                                               "else_branch = ee () => (float[J, K] b) { b = Slice(x, axis, one1) }>", "v = Identity(x)")),
    "if-pads-what-is-short": (18, "float[N, C] x", {"y": "max(N, 6), C", "z": "N, C"}, INTEGERS + "c = Less(n, six) " + branches(
        "d = Sub(six, n) w = Unsqueeze(d, axis) o = Constant<value = int64[3] {0, 0, 0}>() f = Slice(o, axis, two1, axis) "
        "g = Slice(o, axis, one1, axis) a = Concat<axis = 0>(f, w, g) u = Pad(x, a)", "v = Identity(x)") + " z = Slice(y, axis, h, axis)"),
    **{f"if-of-a-new-dim-{name}": (18, "float[N, C] x", {"y": {"one-hot": "N, C, 4", "resize": "N, 2 * C"}.get(name, "N, C")},
                                   SQUEEZE.format("v") + body) for name, body in BY_RANK.items()},
    # What the body is imported for a second time has gone the first time.
    "if-of-a-new-dim-in-a-loop": (18, COUNT, {"y": "N, C"}, GO + LOOP.format(
        SQUEEZE.replace("(x, o)", "(p, o)").format("v") + " q = Identity(k) f = Hardmax(v) n = Add(f, p)")),
    **{f"if-knows-{name}": (18, "bool b, float[N, C] x" if "data" in name else "float[N, C] x", {"y": "N, C"}, decided(*body))
       for name, body in {
           "unequal": ("c = Equal(n, m)", "never = Equal(m, n)", "else"),
           "not-equal": ("e = Equal(n, m) c = Not(e)", "never = Equal(m, n)"),
           "not-zero": ("z = Constant<value = int64[1] {0}>() c = Equal(n, z)", "never = Less(n, one)", "else"),
           "and": ("a = Greater(n, three) e = Less(m, three) c = And(a, e)", "never = Greater(m, n)"),
           "or": ("a = LessOrEqual(n, three) e = GreaterOrEqual(m, three) c = Or(a, e)", "never = Greater(m, n)", "else"),
           "xor": ("two = Constant<value = int64[1] {2}>() a = Less(n, one) e = Less(n, two) c = Xor(a, e)", "never = Less(n, one)"),
           "equal-booleans": ("a = Less(n, three) e = Less(m, three) c = Equal(a, e)", "i = Not(e) never = And(a, i)"),
           "equal-true": ("a = Less(n, three) c = Equal(a, yes)", "never = Greater(n, three)"),
           "equal-false": ("a = Less(n, three) c = Equal(no, a)", "never = Less(n, one)"),
           "cast": ("c = Cast<to = 9>(m)", "never = Less(m, one)"),
           "cast-there-and-back": ("a = Less(n, three) e = Cast<to = 7>(a) c = Cast<to = 9>(e)", "never = Greater(n, three)"),
           "all-dims": ("s = Shape(x) a = Greater(s, one) e = Cast<to = 7>(a) f = ReduceMin<keepdims = 0>(e) c = Cast<to = 9>(f)",
                        "never = Equal(n, one)"),
           "size": ("s = Size(x) z = Constant<value = int64 {0}>() c = Equal(s, z)", "never = Less(n, one)", "else"),
           "data": ("c = Identity(b)", "never = Not(b)"),
           "data-otherwise": ("c = Not(b)", "never = Not(b)", "else"),
           "data-and-sizes": ("r = Squeeze(n) t = Constant<value = int64 {3}>() a = Less(r, t) c = And(b, a)",
                              "i = Not(b) k = Greater(r, t) never = Or(i, k)"),
           "data-or-sizes": ("r = Squeeze(n) t = Constant<value = int64 {3}>() a = Less(r, t) c = Or(b, a)",
                             "k = Less(r, t) never = Or(b, k)", "else"),
       }.items()},
    "if-equal-shapes": (18, "bool c, float[N, C] x", {"y": "N, C"}, branches("u = Relu(x)", "v = Neg(x)")),
    "if-different-dims": (18, "bool c, float[N, C] x", {"y": "?, C"}, branches("u = Concat<axis = 0>(x, x)", "v = Neg(x)")),
    "if-different-ranks": (18, "bool c, float[N, C] x", {"y": None},
                           branches("a = Constant<value = int64[1] {0}>() u = Unsqueeze(x, a)", "v = Neg(x)")),
    "if-size-decides": (18, "float[N, C] x", {"y": "?, C"},
                        "d = Shape<start = 0, end = 1>(x) four = Constant<value = int64[1] {4}>() c = Less(d, four) "
                        + branches("u = Concat<axis = 0>(x, x)", "v = Identity(x)")),
    "if-branch-knows-the-size": (18, "float[N, C] x", {"y": "N, C"},
                                 "d = Shape<start = 0, end = 1>(x) four = Constant<value = int64[1] {4}>() "
                                 "c = Equal(d, four) f = Constant<value = int64[2] {4, -1}>() "
                                 + branches("u = Reshape(x, f)", "v = Neg(x)")),
    "if-outer-value": (18, "bool c, float[N, C] x", {"y": "N, C"}, branches("u = Identity(x)", "v = Add(x, x)")),
    "if-nested": (18, "bool c, bool d, float[N, C] x", {"y": "?, C"},
                  branches("u = If(d) <then_branch = tt () => (float[A, B] w) { w = Concat<axis = 0>(x, x) }, "
                           "else_branch = ee () => (float[D, E] z) { z = Sin(x) }>", "v = Neg(x)")),
    # What the outer condition says of such a size holds in that branch only.
    "if-nested-sizes-decide": (18, "float[N, C] x", {"y": "?, C"},
                               "n = Shape<start = 0, end = 1>(x) m = Shape<start = 1, end = 2>(x) "
                               "three = Constant<value = int64[1] {3}>() c = Less(n, three) d = Less(m, three) "
                               + branches("u = If(d) <then_branch = tt () => (float[F, G] w) { w = Concat<axis = 0>(x, x) }, "
                                          "else_branch = ee () => (float[H, J] z) { z = Sin(x) }>", "v = Neg(x)")),
    # Where the condition rules a divisor out, the size of the other branch has a value all the same.
    **{f"if-divides-{name}": (18, "float[N, C] x", {"y": "?"},
                              "n = Shape<start = 0, end = 1>(x) m = Shape<start = 1, end = 2>(x) z = Constant<value = int64[1] {0}>() "
                              "f = Constant<value = float[1] {1.0}>() two = Constant<value = float[2] {1.0, 2.0}>() "
                              f"c = {condition} " + branches(*bodies))
       for name, condition, *bodies in [
           ("by-a-size", "Greater(m, z)", "d = Div(n, m) u = Expand(f, d)", "v = Neg(two)"),
           ("otherwise", "Equal(m, z)", "u = Neg(two)", "d = Mod(n, m) e = Add(d, m) v = Expand(f, e)"),
           ("by-a-difference", "Greater(m, n)", "d = Sub(m, n) e = Div(m, d) u = Expand(f, e)", "v = Neg(two)"),
           ("by-both", "And(i, j) i = Less(z, m) j = Less(z, n)", "d = Div(n, m) e = Div(m, n) g = Add(d, e) u = Expand(f, g)",
            "v = Neg(two)"),
       ]},
    # Sizes tell that the outer branch is taken, data which inner one.
    "if-taken-around-data": (18, "bool c, float[N, C] x", {"y": "?, C"},
                             "n = Shape<start = 0, end = 1>(x) z = Constant<value = int64[1] {0}>() d = GreaterOrEqual(n, z) "
                             "r = If(d) <then_branch = t () => (float[A, B] u) { "
                             "u = If(c) <then_branch = tt () => (float[F, G] w) { w = Concat<axis = 0>(x, x) }, "
                             "else_branch = ee () => (float[H, J] o) { o = Sin(x) }> }, "
                             "else_branch = e () => (float[D, E] v) { v = Neg(x) }> y = Neg(r)"),
    "if-taken-around-a-count": (18, "float[N, C] x", {"y": "?"},
                                "n = Shape<start = 0, end = 1>(x) z = Constant<value = int64[1] {0}>() d = GreaterOrEqual(n, z) "
                                "r = If(d) <then_branch = t () => (int64[A, B] u) { i = Cast<to = 9>(x) u = NonZero(i) }, "
                                "else_branch = e () => (int64[D, E] v) { v = Shape(x) }> o = Constant<value = int64[1] {1}>() "
                                "y = ReduceSum<keepdims = 0>(r, z) "),
    # A node behind wants a size that data decide to be another one.
    "if-size-with-a-guard": (18, "bool c, float[N, C] x", {"y": "N, N"},
                             "r = If(c) <then_branch = t () => (float[A, B] u) { u = Identity(x) }, "
                             "else_branch = e () => (float[D, E] v) { v = Concat<axis = 1>(x, x) }> "
                             "s = If(c) <then_branch = tt () => (float[F, G] w) { w = Transpose<perm = [1, 0]>(x) }, "
                             "else_branch = ee () => (float[H, J] z) { a = Transpose<perm = [1, 0]>(x) z = Concat<axis = 0>(a, a) }> "
                             "y = MatMul(r, s)"),
    "count-with-a-guard": (18, "float[N, C] x", {"y": "1, C"},
                           "a = Constant<value = int64[1] {1}>() s = ReduceSum<keepdims = 0>(x, a) b = Equal(s, s) "
                           "i = NonZero(b) f = Cast<to = 1>(i) y = MatMul(f, x)"),
    "if-constant": (18, "float[N, C] x", {"y": "N"},
                    "c = Constant<value = bool {0}>() zero = Constant<value = int64[1] {0}>() one = Constant<value = int64[1] {1}>() "
                    "y = If(c) <then_branch = t () => (float[A] u) { u = Squeeze(x, one) }, "
                    "else_branch = e () => (float[D] v) { v = ReduceSum<keepdims = 0>(x, one) }>"),
    "if-forced-inside": (18, "bool c, float[N, C] x", {"y": "C, N"},
                         branches("d = Shape<start = 0, end = 1>(x) four = Constant<value = int64[1] {4}>() k = Equal(d, four) "
                                  "w = If(k) <then_branch = tt () => (float[G, H, K] g) { z = Constant<value = int64[1] {0}>() g = Unsqueeze(x, z) }, "
                                  "else_branch = ee () => (float[L, M] h) { h = Relu(x) }> u = Transpose<perm = [1, 0]>(w)",
                                  "v = Transpose<perm = [1, 0]>(x)")),
    "if-two-results": (18, "bool c, float[N, C] x", {"y": "N, C", "w": "?"},
                       "y, w = If(c) <then_branch = t () => (float[A, B] u, int64[D] s) { u = Abs(x) s = Shape(x) }, "
                       "else_branch = e () => (float[D, E] v, int64[F] z) { v = Neg(x) z = Constant<value = int64[1] {7}>() }>"),
    # Loops.
    "loop-invariant": (18, COUNT, {"y": "N, C"}, GO + LOOP.format("q = Identity(k) n = Add(p, p)")),
    "loop-grows": (18, COUNT, {"y": "C * max(m0, 0) + N, C"}, "t = Transpose(x) w = Concat<axis = 0>(x, x) " + GO
                   + LOOP.format("q = Identity(k) e = Shape<start = 1, end = 2>(x) f = Shape<start = 0, end = 1>(p) "
                                 "o = Constant<value = int64[1] {1}>() z = Concat<axis = 0>(e, e) "
                                 "r = ConstantOfShape<value = float[1] {2.0}>(z) n = Concat<axis = 0>(p, r)")),
    "loop-doubles": (18, COUNT, {"y": "?, C"}, GO + LOOP.format("q = Identity(k) n = Concat<axis = 0>(p, p)")),
    "loop-while": (18, "float[N, C] x", {"y": "N, C"},
                   "m = Constant<value = int64 {100}>() " + GO
                   + LOOP.format("three = Constant<value = int64 {3}>() q = Less(i, three) n = Add(p, p)")),
    "loop-never": (18, COUNT, {"y": "N, C", "s": "0, N, C"}, "go = Constant<value = bool {0}>() "
                   + STACK.format("q = Identity(k) n = Neg(p) r = Identity(p)")),
    "loop-no-condition": (18, COUNT, {"y": "N, C"}, LOOP.replace("m, go, x", "m, , x").format("q = Identity(k) n = Sin(p)")),
    "loop-stack": (18, COUNT, {"y": "N, C", "s": "max(m0, 0), N, C"}, GO
                   + STACK.format("q = Identity(k) f = Cast<to = 1>(i) n = Add(p, f) r = Mul(p, f)")),
    "loop-stack-while": (18, COUNT, {"y": "N, C", "s": "min(max(m0, 0), 3), N, C"}, GO
                         + STACK.format("two = Constant<value = int64 {2}>() q = Less(i, two) n = Add(p, p) r = Identity(n)")),
    "loop-counts-to-a-size": (18, "float[N, C] x", {"y": "N, C", "s": "N, C"}, counting("0", "Less(z, n)", "Add(j, one)", "Less(l, n)")),
    "loop-counts-by-two": (18, "float[N, C] x", {"y": "N, C", "s": "N floordiv 2, C"},
                           counting("1", "Less(z, n)", "Add(two, j)", "Less(l, n)")),
    "loop-counts-down": (18, "float[N, C] x", {"y": "N, C", "s": "N, C"},
                         counting("0", "Greater(n, z)", "Sub(j, one)", "Not(d)", "d = LessOrEqual(l, z)", start="n", row="Gather(x, l)")),
    "loop-counts-once-at-least": (18, "float[N, C] x", {"y": "N, C", "s": "max(N, 1), 2"},
                                  counting("0", "Equal(z, z)", "Add(j, one)", "Less(l, n)", row="Concat<axis = 0>(u, u)")),
    "loop-counts-or-ends": (18, "bool c, float[N, C] x", {"y": "N, C", "s": "?, C"},
                            counting("0", "Less(z, n)", "Add(j, one)", "And(d, c)", "d = Less(l, n)")),
    "loop-counts-or-limit": (18, COUNT, {"y": "N, C", "s": "min(N, max(m0, 0)), C"},
                             counting("0", "Less(z, n)", "Add(j, one)", "Less(l, n)", trips="m")),
    "loop-counts-or-limit-from-data": (18, "float[N, C] x, float t", {"y": "N, C", "s": "?, C"}, "m = Cast<to = 7>(t) "
                                       + counting("0", "Less(z, n)", "Add(j, one)", "Less(l, n)", trips="m")),
    "loop-counts-in-32-bits": (18, "float[N, C] x", {"y": "N, C", "s": "N, C"},
                               counting("0", "Less(z, n)", "Add(j, one)", "Less(l, n)", kind="int32")),
    "loop-counts-both-ways": (18, "float[N, C] x", {"y": "N, C", "s": "N floordiv 3 + 1, 2"},
                              counting("0", "Equal(z, z)", "Add(j, one)", "LessOrEqual(d, f)", "d = Add(l, l) f = Sub(n, l)",
                                       row="Concat<axis = 0>(u, u)")),
    "loop-reads-around": (18, COUNT, {"y": "N, C", "s": "max(m0, 0), C"}, "two = Constant<value = int64 {2}>() n2 = Mul(m, two) " + GO
                          + STACK.replace("float[F, G] r", "float[F] r").format(
                              "q = Identity(k) z = Constant<value = int64[1] {0}>() g = ReduceMax<keepdims = 0>(x, z) "
                              "n = Sub(p, g) r = Add(g, g)")),
    "loop-trips-by-size": (18, "float[N, C] x", {"y": "N, C", "s": "N, C"},
                           "h = Shape<start = 0, end = 1>(x) m = Squeeze(h) " + GO
                           + STACK.replace("float[F, G] r", "float[F] r").format(
                               "q = Identity(k) n = Neg(p) r = Gather(x, i)")),
    **{f"loop-integer-{name}": (18, COUNT, {"y": dims}, INTEGERS + f"r = Loop(m, go, {first}) <body = b (int64 i, bool k, int64 p) => "
                                f"(bool q, int64 d) {{ q = Identity(k) d = {step} }}> l = Unsqueeze(r, axis) y = Expand(zero, l)")
       for name, dims, first, step in [("grows", "N + 2 * max(m0, 0)", "n", "Add(p, two)"), ("of-a-constant", "max(m0, 0) + 6", "six", "Sub(p, less)"),
                                       ("stays", "N", "n", "Identity(p)")]},
    "loop-shape-stays": (18, COUNT, {"y": "N, C"}, GO + "h = Shape(x) r = Loop(m, go, h) <body = b (int64 i, bool k, int64[A] p) => "
                         "(bool q, int64[B] n) { q = Identity(k) n = Identity(p) }> o = Constant<value = float {1.0}>() y = Expand(o, r)"),
    "loop-appends-its-last-row": (18, COUNT, {"y": "N + max(m0, 0) * min(N, 1), C"}, INTEGERS + LOOP.format(
        "q = Identity(k) last = Constant<value = int64[1] {-1}>() f = Slice(p, last, end, axis) n = Concat<axis = 0>(p, f)")),
    "loop-rank-changes": (18, COUNT, {"y": None}, GO
                          + LOOP.format("q = Identity(k) z = Constant<value = int64[1] {0}>() n = Unsqueeze(p, z)")),
    "loop-nested": (18, COUNT, {"y": "N, C"}, GO
                    + LOOP.format("q = Identity(k) two = Constant<value = int64 {2}>() "
                                  "n = Loop(two, k, p) <body = bb (int64 j, bool kk, float[A, B] pp) => "
                                  "(bool qq, float[D, E] nn) { qq = Identity(kk) w = Add(pp, x) nn = Mul(w, p) }>")),
    "loop-with-branch": (18, COUNT, {"y": "N, C"}, GO
                         + LOOP.format("q = Identity(k) one = Constant<value = int64 {1}>() odd = Mod(i, one) zero = Sub(odd, odd) "
                                       "c = Greater(i, zero) n = If(c) <then_branch = t () => (float[A, B] u) { u = Add(p, x) }, "
                                       "else_branch = e () => (float[D, E] v) { v = Sin(p) }>")),
    # Scans.
    "scan": (18, "float[C] x, float[N, C] z", {"y": "C", "s": "N, C"},
             "y, s = Scan<num_scan_inputs = 1, body = b (float[C] p, float[C] q) => (float[C] n, float[C] r) "
             "{ n = Add(p, q) r = Mul(n, p) }>(x, z)"),
    "scan-axes-directions": (18, "float[C] x, float[C, N] z, float[N, C] w", {"y": "C", "s": "C, N", "t": "N, C"},
                             "y, s, t = Scan<num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [1, 0], "
                             "scan_output_axes = [1, 0], scan_output_directions = [0, 1], "
                             "body = b (float[C] p, float[C] q, float[C] o) => (float[C] n, float[C] r, float[C] l) "
                             "{ n = Add(p, q) r = Mul(n, o) l = Sub(n, o) }>(x, z, w)"),
    "scan-negative-axes": (18, "float[C] x, float[C, N] z", {"y": "C", "s": "C, N"},
                           "y, s = Scan<num_scan_inputs = 1, scan_input_axes = [-1], scan_output_axes = [-1], "
                           "body = b (float[C] p, float[C] q) => (float[C] n, float[C] r) { n = Max(p, q) r = Neg(n) }>(x, z)"),
    "scan-states-only": (18, "float[C] x, float[N, C] z", {"y": "C"},
                         "y = Scan<num_scan_inputs = 1, body = b (float[C] p, float[C] q) => (float[C] n) { n = Sub(q, p) }>(x, z)"),
    "scan-captures": (18, "float[C] x, float[N, C] z, float[C, C] w", {"y": "C", "s": "N, C"},
                      "y, s = Scan<num_scan_inputs = 1, body = b (float[C] p, float[C] q) => (float[C] n, float[C] r) "
                      "{ a = MatMul(p, w) n = Add(a, q) r = Tanh(n) }>(x, z)"),
}

# What of it is compiled: both branches are computed, and loops are unrolled.
COMPILED = {
    **{name: CASES[name] for name in ["if-equal-shapes", "if-outer-value", "if-constant"]},
    "if-nested-equal": (18, "bool c, bool d, float[N, C] x", {"y": "N, C"},
                        branches("u = If(d) <then_branch = tt () => (float[A, B] w) { w = Exp(x) }, "
                                 "else_branch = ee () => (float[D, E] z) { z = Sin(x) }>", "v = Neg(x)")),
    # What stands behind takes one rank only: sizes of which it is the other are refused, as onnxruntime does.
    "if-rank-is-forced": (18, "float[N, C] x", {"y": "C, N"},
                          "d = Shape<start = 0, end = 1>(x) four = Constant<value = int64[1] {4}>() c = Equal(d, four) "
                          "w = If(c) <then_branch = t () => (float[A, B, D] u) { z = Constant<value = int64[1] {0}>() u = Unsqueeze(x, z) }, "
                          "else_branch = e () => (float[E, F] v) { v = Relu(x) }> y = Transpose<perm = [1, 0]>(w)"),
    "if-index-inside": (18, "bool c, float[N, C] x, float[3, 4] t", {"y": "4"},
                        "o = Constant<value = int64 {-1}>() y = If(c) <then_branch = b () => (float[A] u) { u = Gather(t, o) }, "
                        "else_branch = e () => (float[D] v) { z = Constant<value = int64[1] {0}>() v = ReduceSum<keepdims = 0>(t, z) }>"),
    "loop-constant": (18, "float[N, C] x", {"y": "N, C", "s": "3, N, C"}, "m = Constant<value = int64 {3}>() " + GO
                      + STACK.format("q = Identity(k) f = Cast<to = 1>(i) n = Add(p, f) r = Mul(p, f)")),
    "loop-constant-rank-changes": (18, "float[N, C] x", {"y": "1, 1, N, C"},
                                   "m = Constant<value = int64 {2}>() " + GO
                                   + LOOP.format("q = Identity(k) z = Constant<value = int64[1] {0}>() n = Unsqueeze(p, z)")),
    "loop-constant-doubles": (18, "float[N, C] x", {"y": "8 * N, C"}, "m = Constant<value = int64 {3}>() " + GO
                              + LOOP.format("q = Identity(k) n = Concat<axis = 0>(p, p)")),
    "loop-constant-with-branch": (18, "float[N, C] x", {"y": "N, C"}, "m = Constant<value = int64 {3}>() " + GO
                                  + LOOP.format("q = Identity(k) zero = Constant<value = int64 {0}>() c = Greater(i, zero) "
                                                "n = If(c) <then_branch = t () => (float[A, B] u) { u = Add(p, x) }, "
                                                "else_branch = e () => (float[D, E] v) { v = Sin(p) }>")),
    "loop-constant-nested": (18, "float[N, C] x", {"y": "N, C"}, "m = Constant<value = int64 {3}>() " + GO
                             + LOOP.format("q = Identity(k) n = Loop(i, k, p) <body = bb (int64 j, bool kk, float[A, B] pp) => "
                                           "(bool qq, float[D, E] nn) { qq = Identity(kk) w = Add(pp, x) nn = Mul(w, p) }>")),
    "loop-constant-condition": (18, "float[N, C] x", {"y": "N, C", "s": "4, N, C"}, "m = Constant<value = int64 {100}>() " + GO
                                + STACK.format("three = Constant<value = int64 {3}>() q = Less(i, three) n = Add(p, p) r = Identity(n)")),
    "scan-constant": (18, "float[C] x, float[4, C] z", {"y": "C", "s": "4, C"},
                      "y, s = Scan<num_scan_inputs = 1, scan_input_directions = [1], body = b (float[C] p, float[C] q) => "
                      "(float[C] n, float[C] r) { n = Add(p, q) r = Mul(n, p) }>(x, z)"),
}

import re

import numpy as np
import pytest
from program import Program

SPECIAL = [-2.5, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.5, np.inf, -np.inf, np.nan]


def special(generator, shape):
    return np.resize(SPECIAL, shape)


def test_special_values(compile_program):
    p = Program(S="[0, 64] from arg0[0]")
    x = p.argument(["S"], make=special)
    for name, compute in (("abs", np.abs), ("neg", np.negative), ("sign", np.sign), ("floor", np.floor), ("ceil", np.ceil),
                          ("round", np.round), ("exp", np.exp), ("sqrt", np.sqrt), ("tanh", np.tanh),
                          ("reciprocal", lambda a: 1 / a), ("sigmoid", lambda a: 1 / (1 + np.exp(-a)))):
        p.give(p.elementwise(name, x, compute=compute))
    p.give(p.elementwise("is_nan", x, compute=np.isnan, element="i1"))
    p.give(p.elementwise("is_inf", x, compute=np.isneginf, element="i1", attributes="{detect_positive = false} "))
    compiled = compile_program(p)
    for size in (0, 1, 11, 37):
        compiled.check(S=size)


@pytest.mark.parametrize("element, low, high", [("f16", -18, 12), ("f32", -104, 89), ("f64", -746, 710)])
def test_sigmoids_where_a_power_of_e_is_no_number(compile_program, element, low, high):
    def compute(a):
        power = np.exp(-np.abs(a.astype(np.float64)))
        return np.where(a < 0, power / (1 + power), 1 / (1 + power)).astype(a.dtype)

    p = Program(S="[0, 4096] from arg0[0]")
    p.give(p.elementwise("sigmoid", p.argument(["S"], element, lambda g, shape: np.linspace(low, high, *shape)), compute=compute))
    compiled, size = compile_program(p), 3001
    inputs = p.make_inputs(0, {"S": size})
    done, (got,) = compiled.run(inputs)
    assert done.returncode == 0, done.stderr
    (expected,) = p.compute(inputs, {"S": size})
    # Of numbers below the smallest normal one, the last place.
    np.testing.assert_allclose(got, expected, 4 * np.finfo(got.dtype).eps, 2 * np.finfo(got.dtype).smallest_subnormal)
    assert 0 < expected[expected > 0].min() < np.finfo(got.dtype).smallest_normal


def test_comparisons_with_nan(compile_program):
    p = Program(S="[0, 64] from arg0[0]")
    x, y = p.argument(["S"], make=special), p.argument(["S"], make=lambda g, shape: np.resize([1.5, np.nan, 0], shape))
    for name, compute in (("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal),
                          ("gt", np.greater), ("ge", np.greater_equal)):
        p.give(p.elementwise(f"compare {name}", x, y, compute=compute, element="i1"))
    p.give(p.elementwise("min", x, y, compute=np.minimum), p.elementwise("max", x, y, compute=np.maximum))
    compile_program(p).check(S=33)


def divide(a, b):
    """Towards zero."""
    a, b, kind = a.astype(np.int64), b.astype(np.int64), a.dtype
    return (np.abs(a) // np.abs(b) * np.sign(a) * np.sign(b)).astype(kind)


def test_integers(compile_program):
    lowest = np.iinfo(np.int32).min
    p = Program(S="[0, 64] from arg0[0]")
    x = p.argument(["S"], "i32", lambda g, shape: np.resize([-7, -1, 0, 1, 7, lowest], shape))
    y = p.argument(["S"], "i32", lambda g, shape: np.resize([2, -1, 3, 4, -2, -1, 5], shape))
    p.give(p.elementwise("div", x, y, compute=divide),
           p.elementwise("mod", x, y, compute=np.mod), p.elementwise("mod", x, y, attributes="{fmod} ", compute=np.fmod),
           p.elementwise("not", x, compute=np.invert), p.elementwise("sign", x, compute=np.sign),
           p.elementwise("xor", x, y, compute=np.bitwise_xor), p.elementwise("max", x, y, compute=np.maximum))
    compile_program(p).check(S=42)


def test_unsigned(compile_program):
    p = Program(S="[0, 64] from arg0[0]")
    x, y = (p.argument(["S"], "ui8", lambda g, shape: g.integers(1, 256, shape)) for _ in range(2))
    p.give(p.elementwise("div", x, y, compute=divide), p.elementwise("max", x, y, compute=np.maximum),
           p.elementwise("min", x, p.constant(200, "ui8"), compute=np.minimum),
           p.elementwise("compare lt", x, y, compute=np.less, element="i1"), p.cast(x, "f32"), p.cast(x, "i64"))
    compile_program(p).check(S=40)


def test_casts(compile_program):
    def wrap(element):
        """By way of 32 bits."""
        def convert(a):
            fits = np.abs(a) < 2**31
            return np.where(fits, np.where(fits, a, 0).astype(np.int64), -2**31).astype(np.int32).astype(element)
        return convert

    p = Program(S="[0, 64] from arg0[0]")
    x = p.argument(["S"], make=lambda g, shape: np.resize([*SPECIAL, 1e10, -1e10, 300.7, -300.7], shape))
    i = p.argument(["S"], "i64")
    for element in ("i8", "ui8", "i32"):
        p.give(p.elementwise("cast", x, compute=wrap({"i8": np.int8, "ui8": np.uint8, "i32": np.int32}[element]),
                             element=element))
    p.give(p.cast(x, "i1"), p.cast(x, "f64"), p.cast(i, "f32"), p.cast(i, "i1"), p.cast(i, "ui8"), p.cast(i, "f16"),
           p.cast(p.cast(i, "i1"), "f32"))
    compile_program(p).check(S=45)


@pytest.mark.parametrize("exponent", [2.0, 3.0, 4.0, 0.5, -1.0, 0.0, 1.0, 2.5])
def test_constant_powers(compile_program, exponent):
    p = Program(S="[0, 64] from arg0[0]")
    x = p.argument(["S"], make=lambda g, shape: np.resize([4, 2.25, 0, np.inf, 1e-3], shape))
    p.give(p.elementwise("pow", x, p.constant(exponent), compute=np.power))
    compile_program(p).check(S=19)


def test_narrow_and_wide_floats(compile_program):
    p = Program(S="[0, 64] from arg0[0]")
    h, d = p.argument(["S"], "f16"), p.argument(["S"], "f64")
    p.give(p.mul(h, h), p.exp(h), p.elementwise("tanh", d, compute=np.tanh), p.cast(d, "f16"), p.cast(h, "f64"))
    compiled = compile_program(p)
    for size in (0, 1, 37):
        compiled.check(S=size, tolerance=2e-3)


def test_undecided_broadcast(compile_program):
    p = Program(M="[0, ?] from arg0[0]", N="[0, ?] from arg1[0]")
    u, v = p.argument(["M"]), p.argument(["N"])
    p.require("M == N or M == 1 or N == 1", "add")
    total = p.add(u, v, ["bcast(M, N)"])
    p.give(total, p.exp(total))
    compiled = compile_program(p)
    for m, n in ((3, 3), (1, 4), (4, 1), (1, 1), (1, 0), (0, 0)):
        compiled.check(M=m, N=n)
    done, _ = compiled.run(p.make_inputs(0, {"M": 2, "N": 3}))
    assert done.returncode == 1


def test_broadcasts_and_select(compile_program):
    p = Program(B="[0, 64] from arg0[0]", S="[0, 64] from arg1[2]")
    c, x, y = p.argument(["B", 3, 1], "i1"), p.argument(["B", 1, "S"]), p.argument(["S"])
    p.give(p.op("select", [c, x, y], ["B", 3, "S"], lambda c, x, y, shape: np.where(c, x, y), "f32"),
           p.emit(f"broadcast {y.name} : {y.type} to {{result}}", ["B", 2, "S"], "f32",
                  lambda a, shape: np.broadcast_to(a, shape), [y]))
    compiled = compile_program(p)
    for b, s in ((2, 5), (1, 1), (0, 3), (3, 0)):
        compiled.check(B=b, S=s)


def test_undecided_broadcasts(compile_program):
    """At sizes that are equal another version of each kernel runs than where something repeats."""
    p = Program(M="[0, 64] from arg0[0]", N="[0, 64] from arg1[0]", C="[0, 64] from arg1[1]")
    x, y, z = p.argument(["M", 5]), p.argument(["N", "C"]), p.argument([1, 5])
    sums = p.add(x, y, ["bcast(M, N)", 5])
    p.give(sums, p.mul(p.mul(sums, y, sums.dims), z, sums.dims), p.reduce("sum", p.mul(x, y, sums.dims), [-1]))
    compiled = compile_program(p)
    for m, n, c in ((1, 1, 5), (1, 1, 1), (7, 7, 5), (7, 7, 1), (1, 13, 5), (13, 1, 5), (13, 1, 1), (0, 1, 5), (1, 0, 1),
                    (0, 0, 5), (61, 61, 5)):
        compiled.check(M=m, N=n, C=c)
    done, _ = compiled.run(p.make_inputs(0, {"M": 2, "N": 3, "C": 5}))
    assert done.returncode == 1 and re.search("got M = 2 .*, N = 3 ", done.stderr)

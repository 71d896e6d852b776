import itertools
import re

import numpy as np
import pytest
from program import Program


def convolve(strides, pads, dilations, group):
    def compute(x, w, shape):
        n = len(strides)
        x = np.pad(x, [(0, 0), (0, 0)] + [(pads[i], pads[i + n]) for i in range(n)])
        result, channels, maps = np.zeros(shape, x.dtype), w.shape[1], w.shape[0] // group
        for g in range(group):
            for kernel in np.ndindex(*w.shape[2:]):
                places = tuple(slice(k * d, k * d + (size - 1) * s + 1, s)
                               for k, d, s, size in zip(kernel, dilations, strides, shape[2:]))
                part = x[(slice(None), slice(g * channels, (g + 1) * channels), *places)]
                rows = slice(g * maps, (g + 1) * maps)
                result[:, rows] += np.einsum("nc...,mc->nm...", part, w[(rows, slice(None), *kernel)])
        return result

    return compute


def add_conv(p, x, w, dims, strides, pads, dilations, group=1):
    attributes = ", ".join(f"{name} = array<i64: {', '.join(map(str, values))}>" for name, values in
                           (("strides", strides), ("pads", pads), ("dilations", dilations)))
    return p.op("conv", [x, w], dims, convolve(strides, pads, dilations, group),
                attributes=f"{{{attributes}, group = {group} : i64}} ")


def test_matmul_ranks(compile_program):
    p = Program(B="[0, 64] from arg0[0]", S="[0, 64] from arg0[2]", N="[1, 64] from arg1[1]")
    x, w, v = p.argument(["B", 3, "S", 8]), p.argument([8, "N"]), p.argument([8])
    y = p.argument([3, "N", "S"])
    product = p.matmul(x, w, ["B", 3, "S", "N"])
    p.give(product, p.matmul(x, v, ["B", 3, "S"]), p.matmul(v, w, ["N"]), p.matmul(v, v, []),
           p.matmul(product, y, ["B", 3, "S", "S"]))
    compiled = compile_program(p)
    for b, s, n in ((2, 5, 7), (1, 1, 1), (0, 4, 3), (2, 0, 5), (3, 33, 20)):
        compiled.check(B=b, S=s, N=n)


def test_matmul_over_nothing_is_zero(compile_program):
    p = Program(K="[0, 64] from arg0[1]")
    p.give(p.matmul(p.argument([3, "K"]), p.argument(["K", 5]), [3, 5]))
    compiled = compile_program(p)
    for k in (0, 1, 9):
        compiled.check(K=k)


@pytest.mark.parametrize("depth", [1024, 1025])
def test_matmul_of_rows_that_share_places_of_a_cache(compile_program, depth):
    """Rows 4096 bytes apart, of which tiles take fewer, beside rows that are not."""
    p = Program(M="[0, 4096] from arg0[0]", K=f"[0, {depth}] from arg2[1]")
    p.give(p.matmul(p.argument(["M", depth]), p.argument([depth, 40]), ["M", 40]),
           p.matmul(p.argument(["M", "K"]), p.argument(["K", 33]), ["M", 33]))
    compiled = compile_program(p)
    for m, k in ((0, depth), (1, 0), (5, depth), (6, 1), (7, depth), (11, 3), (12, depth), (13, depth), (61, depth)):
        compiled.check(M=m, K=k)


def test_matmul_with_undecided_batch(compile_program):
    p = Program(M="[0, 9] from arg0[0]", N="[0, 9] from arg1[0]")
    x, y = p.argument(["M", 2, 3]), p.argument(["N", 3, 4])
    p.require("M == N or M == 1 or N == 1", "matmul")
    p.give(p.matmul(x, y, ["bcast(M, N)", 2, 4]))
    compiled = compile_program(p)
    for m, n in ((3, 3), (1, 4), (4, 1), (1, 0)):
        compiled.check(M=m, N=n)


BATCHES = ((0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (2, 1), (1, 3), (7, 7), (7, 1), (1, 11))


def test_operands_that_may_be_repeated(compile_program):
    """Each of two batch dims, in both operands, transposed ones and weights, with as many rows as panels are copied for."""
    p = Program(A="[0, ?] from arg0[0]", B="[0, ?] from arg0[1]", C="[0, ?] from arg1[0]", D="[0, ?] from arg1[1]",
                M="[0, ?] from arg0[2]", K="[0, ?] from arg0[3]", N="[0, ?] from arg1[2]", E="[0, ?] from arg2[0]")
    x, y, z = p.argument(["A", "B", "M", "K"]), p.argument(["C", "D", "N", "K"]), p.argument(["E", "M", 9])
    for left, right in ("AC", "BD"):
        p.require(f"{left} == {right} or {left} == 1 or {right} == 1", "matmul: batch dims")
    p.require("E == 3 or E == 1", "matmul: batch dims")
    product = p.matmul(x, p.transpose(y, (0, 1, 3, 2)), ["bcast(A, C)", "bcast(B, D)", "M", "N"])
    turned = p.matmul(p.transpose(y, (1, 0, 2, 3)), p.transpose(x, (1, 0, 3, 2)), ["bcast(B, D)", "bcast(A, C)", "N", "M"])
    p.give(p.add(product, p.constant(1.0)), p.transpose(turned, (2, 0, 1, 3)), p.matmul(z, p.weight([3, 9, 37]), [3, "M", 37]))
    compiled = compile_program(p)
    matrices = ((5, 7, 3), (1, 16, 33), (50, 3, 34), (2, 0, 5), (3, 1, 1), (0, 4, 2))
    for number, ((a, c), (b, d)) in enumerate(itertools.product(BATCHES, ((2, 2), (1, 3), (5, 1), (0, 1), (1, 1)))):
        m, k, n = matrices[number % len(matrices)]
        compiled.check(A=a, B=b, C=c, D=d, M=m, K=k, N=n, E=(1, 3)[number % 2])


def test_batches_that_do_not_fit_are_refused(compile_program):
    p = Program(M="[0, 9] from arg0[0]", N="[0, 9] from arg1[0]")
    x, y = p.argument(["M", 2, 3]), p.argument(["N", 3, 4])
    p.give(p.matmul(x, y, ["bcast(M, N)", 2, 4]))
    compiled = compile_program(p)
    for m, n in ((2, 3), (0, 2), (3, 0)):
        done, _ = compiled.run(p.make_inputs(0, {"M": m, "N": n}))
        assert done.returncode == 1
        assert f"M = {m}" in done.stderr and f"N = {n}" in done.stderr


def test_nothing_is_copied_to_repeat_it(tool, tmp_path):
    """One kernel, whose working memory does not grow with the batch."""
    p = Program(M="[0, ?] from arg0[0]", N="[0, ?] from arg1[0]", S="[0, ?] from arg0[1]")
    x, y = p.argument(["M", "S", 64]), p.argument(["N", "S", 64])
    p.give(p.matmul(x, p.transpose(y, (0, 2, 1)), ["bcast(M, N)", "S", "S"]))
    source = tmp_path / "program.mlir"
    source.write_text(str(p))
    done = tool("dyn-opt", source, "--dyn-pipeline=to=buffers")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"dyn_shape\.launch @(\w+)", done.stdout) == ["contraction_0"]
    assert "dyn_shape.arena" not in done.stdout
    assert not re.search(r"memref\.(alloc|copy)", done.stdout)


def test_conv_with_epilogue_and_pooling(compile_program):
    p = Program(B="[0, 64] from arg0[0]", S="[1, 64] from arg0[2]")
    x, w, bias = p.argument(["B", 4, "S", "S"]), p.argument([6, 2, 3, 3]), p.argument([6, 1, 1])
    conv = add_conv(p, x, w, ["B", 6, "S", "S"], [1, 1], [1, 1, 1, 1], [1, 1], group=2)
    relu = p.elementwise("max", p.add(conv, bias), p.constant(0.0), compute=np.maximum)
    pooled = p.reduce("mean", relu, [2, 3])
    p.give(relu, pooled, p.sub(relu, pooled), p.reduce("max", relu, [0, 2, 3], keep=False))
    compiled = compile_program(p)
    for b, s in ((2, 5), (1, 1), (0, 4), (3, 18)):
        compiled.check(B=b, S=s)


def test_conv_forms(compile_program):
    p = Program(B="[0, 64] from arg0[0]")
    x, w = p.argument(["B", 4, 9]), p.argument([4, 2, 3])
    depthwise = p.argument([4, 1, 2])
    p.give(add_conv(p, x, w, ["B", 4, 5], [2], [0, 2], [1], group=2),
           add_conv(p, x, depthwise, ["B", 4, 7], [1], [0, 0], [2], group=4))
    compiled = compile_program(p)
    for b in (0, 1, 3):
        compiled.check(B=b)


@pytest.mark.parametrize("is_filter_static", [True, False])
def test_only_window_ends_before_the_operand(compile_program, is_filter_static):
    """The one window of a strided conv need not reach the end of what it moves over."""
    p = Program(B="[0, 64] from arg0[0]", **({} if is_filter_static else {"M": "[0, 64] from arg1[0]"}))
    maps, given = 5 if is_filter_static else "M", []
    for size, kernel, stride, pads in ((4, 3, 2, [0, 0]), (3, 3, 2, [0, 1]), (2, 3, 2, [1, 1]), (2, 1, 2, [0, 0]),
                                       (5, 3, 3, [0, 0]), (4, 4, 2, [0, 0]), (5, 3, 2, [0, 0])):
        x, w = p.argument(["B", 4, size]), p.argument([maps, 4, kernel])
        given.append(add_conv(p, x, w, ["B", maps, (size + sum(pads) - kernel) // stride + 1], [stride], pads, [1]))
    x, w = p.argument(["B", 4, 4, 9]), p.argument([4, 2, 3, 2])
    given.append(add_conv(p, x, w, ["B", 4, 1, 5], [2, 2], [0, 0, 0, 1], [1, 1], group=2))
    p.give(*given)
    compiled = compile_program(p)
    for b in (0, 1, 3):
        compiled.check(B=b, **({} if is_filter_static else {"M": 7}))


def test_windows_beside_a_matrix(compile_program):
    # Windows lie beside each other along both of their dims, the rows of the matrix do not: both are copied to panels.
    p = Program(B="[0, ?] from arg0[0]", S="[0, ?] from arg0[2]")
    x, w = p.argument(["B", 32, "S"]), p.argument([32, 8, 5])
    lhs, rhs = p.argument(["B", 4, "S", 8]), p.argument(["B", 4, 8, "S"])
    p.give(add_conv(p, x, w, ["B", 32, "S"], [1], [2, 2], [1], group=4), p.matmul(lhs, rhs, ["B", 4, "S", "S"]))
    executable = compile_program(p)
    for batch, size in ((1, 1), (2, 19), (1, 33), (2, 64), (0, 5)):
        executable.check(B=batch, S=size)

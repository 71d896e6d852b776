"""Weights of contractions lie in panels (`dyn-pack-weights`): widths around those of a panel, few rows and many."""

import pytest
from program import Program


@pytest.mark.parametrize("columns", [1, 7, 16, 31, 32, 33, 100, 128, 129, 200])
def test_matrix_in_both_orders(compile_program, columns):
    p = Program(M="[0, 128] from arg0[0]")
    x = p.argument(["M", 37])
    plain, transposed = p.weight([37, columns]), p.transpose(p.weight([columns, 37]), [1, 0])
    p.give(p.matmul(x, plain, ["M", columns]), p.exp(p.matmul(x, transposed, ["M", columns])))
    compiled = compile_program(p)
    for rows in (0, 1, 2, 3, 4, 12, 13, 70):
        compiled.check(M=rows)


def test_batched_weights_and_other_readers(compile_program):
    p = Program(B="[0, 64] from arg0[1]")
    x, w = p.argument([3, "B", 20]), p.weight([3, 20, 50])
    # The second reader needs the weight as it is.
    p.give(p.matmul(x, w, [3, "B", 50]), p.reduce("sum", w, [1]))
    compiled = compile_program(p)
    for rows in (0, 1, 5, 33):
        compiled.check(B=rows)


def test_weights_on_the_left(compile_program):
    p = Program(N="[0, 128] from arg0[1]")
    x, w = p.argument([40, "N"]), p.weight([50, 40])
    p.give(p.matmul(w, x, [50, "N"]))
    compiled = compile_program(p)
    for columns in (0, 1, 31, 64, 70):
        compiled.check(N=columns)


def test_kernel_that_weights_and_inputs_share(compile_program):
    p = Program(M="[0, 64] from arg0[0]")
    x, y, w = p.argument(["M", 64]), p.argument([64, 64]), p.weight([64, 64])
    p.give(p.matmul(x, y, ["M", 64]), p.matmul(x, w, ["M", 64]))
    compiled = compile_program(p)
    for rows in (0, 1, 9):
        compiled.check(M=rows)


def test_narrow_elements(compile_program):
    p = Program(M="[0, 64] from arg0[0]")
    x, w = p.argument(["M", 24], "f16"), p.weight([24, 40], "f16")
    p.give(p.matmul(x, w, ["M", 40]))
    compiled = compile_program(p)
    for rows in (0, 1, 5, 17):
        compiled.check(M=rows, tolerance=4e-3)

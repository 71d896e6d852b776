"""Ops on constants, folded, give what the interpreter computes, which here is compared with numpy."""

import numpy as np
from program import Program


def test_tables(compile_program):
    p = Program(S="[0, 64] from arg0[0]")
    x = p.argument(["S", 4])
    table = p.emit("constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : {result}", [2, 4], "f32",
                   lambda shape: np.arange(1, 9, dtype=np.float32).reshape(2, 4))
    columns = p.mul(p.transpose(table, [1, 0]), p.constant(0.5))
    sums = p.reduce("sum", columns, [1], keep=False)
    p.give(p.add(p.mul(x, sums), p.matmul(x, p.matmul(columns, table, [4, 4]), ["S", 4])),
           p.emit(f"broadcast {sums.name} : {sums.type} to {{result}}", [3, 4], "f32",
                  lambda a, shape: np.broadcast_to(a, shape), [sums]))
    compiled = compile_program(p)
    for size in (0, 1, 2, 61):
        compiled.check(S=size)

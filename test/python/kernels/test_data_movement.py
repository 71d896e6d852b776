import numpy as np
from program import Program

SIZES = ((2, 3, 4), (1, 1, 1), (2, 1, 0), (0, 3, 2), (3, 17, 5))


def concatenate(p, operands, axis, dims):
    names, types = (", ".join(getattr(o, field) for o in operands) for field in ("name", "type"))
    return p.emit(f"concat {axis} ({names}) : ({types}) -> {{result}}", dims, operands[0].element,
                  lambda *a: np.concatenate(a[:-1], axis), operands)


def slice_of(p, operand, offsets, steps, dims, compute):
    return p.op("slice", [operand], dims, lambda a, shape: compute(a, shape),
                attributes=f"[{', '.join(f'{offset}::{step}' for offset, step in zip(offsets, steps))}] ")


def test_concat_and_slices(compile_program):
    p = Program(B="[0, 64] from arg0[0]", S="[1, 64] from arg0[1]", P="[0, 64] from arg1[1]")
    x, y = p.argument(["B", "S", 4]), p.argument(["B", "P", 4])
    both = concatenate(p, [y, x], 1, ["B", "S + P", 4])
    p.give(both, slice_of(p, p.exp(both), [0, "P", 1], [1, 1, 2], ["B", "S", 2],
                          lambda a, shape: a[:, a.shape[1] - shape[1]:, 1::2]),
           slice_of(p, both, [0, "S + P - 1", 0], [1, -1, 1], ["B", "S + P", 4], lambda a, shape: a[:, ::-1]),
           p.reshape(both, ["B * (S + P)", 4]), p.reshape(both, ["B", "S + P", 2, 1, 2]))
    compiled = compile_program(p)
    for b, s, k in SIZES:
        compiled.check(B=b, S=s, P=k)


def test_results_own_their_memory(compile_program):
    p = Program(S="[0, 64] from arg0[0]")
    x = p.argument(["S", 4])
    y = p.exp(x)
    p.give(x, x, y, p.reshape(y, ["S", 2, 2]), p.constant(2.5), y)
    compiled = compile_program(p)
    for s in (0, 1, 9):
        compiled.check(S=s)


def test_padding(compile_program):
    p = Program(S="[0, 64] from arg0[0]", N="[3, 64] from arg1[0]")
    x, y, value = p.argument(["S", 3]), p.argument(["N"]), p.argument([])

    def pad(operand, mode, low, dims, compute, *extra):
        text = f"pad {mode} {operand.name} " + "".join(f"value {e.name} " for e in extra) + f"low {low} : "
        types = ", ".join(o.type for o in (operand, *extra))
        return p.emit(f"{text}({types}) -> {{result}}", dims, "f32", compute, [operand, *extra])

    p.give(pad(x, "constant", [1, -1], ["S + 3", 4],
               lambda a, v, shape: np.pad(a[:, 1:], ((1, 2), (0, 2)), constant_values=v), value))
    for mode in ("reflect", "edge", "wrap"):
        p.give(pad(y, mode, [2], ["N + 4"], lambda a, shape, mode=mode: np.pad(a, 2, mode=mode)))
    compiled = compile_program(p)
    for s, n in ((2, 3), (0, 4), (1, 20)):
        compiled.check(S=s, N=n)


def test_made_data(compile_program):
    p = Program(S="[0, 64] from arg0[0]")
    x = p.argument(["S", 4])
    start, delta = p.constant(3, "i64"), p.constant(-2, "i64")
    count = p.op("iota", [start, delta], ["S"], lambda a, d, shape: a + d * np.arange(shape[0]))
    sizes = p.emit("dim_values [S, S * 4, 7] : {result}", [3], "i64", lambda a, shape: np.array([len(a), a.size, 7]), [x])
    p.give(count, sizes,
           p.emit("full value(2.5 : f32) : {result}", ["S", 2], "f32", lambda shape: np.full(shape, 2.5, np.float32)),
           p.emit(f"tile {x.name} : {x.type} to {{result}}", ["S * 2", 12], "f32",
                  lambda a, shape: np.tile(a, (2, 3)), [x]),
           p.op("trilu", [x], ["S", 4], lambda a, shape: np.tril(a)),
           p.op("trilu", [x], ["S", 4], lambda a, shape: np.triu(a), attributes="upper "))
    compiled = compile_program(p)
    for s in (0, 1, 4, 9):
        compiled.check(S=s)


def test_pieces_without_copies(compile_program):
    """What lies in one piece is written, or read, where it belongs; results and what has several places are copied."""
    p = Program(M="[0, 64] from arg0[0]", N="[0, 64] from arg1[0]")
    x, y, w = p.argument(["M", 6]), p.argument(["N", 6]), p.argument([9, 6])
    a, weights = p.exp(x), slice_of(p, w, [3, 0], [1, 1], [6, 6], lambda a, shape: a[3:])
    b = p.matmul(y, weights, ["N", 6])
    both = concatenate(p, [a, b], 0, ["M + N", 6])
    inner = concatenate(p, [p.matmul(both, weights, ["M + N", 6]), p.reduce("sum", x, [0])], 0, ["M + N + 1", 6])
    more = concatenate(p, [inner, a, p.exp(b)], 0, ["2 * M + 2 * N + 1", 6])
    rows = slice_of(p, more, ["M", 0], [1, 1], ["N", 6], lambda a, shape: a[(len(a) - 1) // 2 - shape[0]:][:shape[0]])
    p.give(more, both, p.matmul(rows, weights, ["N", 6]), rows, p.matmul(weights, weights, [6, 6]))
    compiled = compile_program(p)
    for m, n in ((2, 3), (1, 1), (0, 0), (0, 5), (7, 0), (13, 61)):
        compiled.check(M=m, N=n)

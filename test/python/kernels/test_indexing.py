import numpy as np
from program import Program


def any_index(generator, shape):
    return generator.integers(-3, 3, shape)


def test_gathers(compile_program):
    p = Program(S="[0, 64] from arg1[0]", N="[3, 64] from arg0[0]")
    table, i, j = p.argument(["N", 4, "N"]), p.argument(["S", 2], "i64", any_index), p.argument(["S", 2], "i32", any_index)
    p.give(p.op("gather", [table, i], ["S", 2, 4, "N"], lambda t, i, shape: np.take(t, i, 0), attributes="axis 0 "),
           p.op("gather", [table, j], ["N", 4, "S", 2], lambda t, i, shape: np.take(t, i, 2), attributes="axis -1 "),
           p.op("gather", [table, p.constant(-1, "i64")], ["N", "N"], lambda t, i, shape: t[:, -1], attributes="axis 1 "),
           p.op("gather_nd", [table, i], ["S", "N"], lambda t, i, shape: t[i[:, 0], i[:, 1]]))
    compiled = compile_program(p)
    for s, n in ((5, 3), (1, 4), (0, 7), (33, 20)):
        compiled.check(S=s, N=n)


def test_gather_elements(compile_program):
    p = Program(S="[0, 64] from arg1[1]", N="[3, 64] from arg0[0]")
    table, i = p.argument(["N", "S"]), p.argument([5, "S"], "i64", any_index)
    p.give(p.op("gather_elements", [table, i], [5, "S"], lambda t, i, shape: np.take_along_axis(t, i, 0),
                attributes="axis 0 "))
    compiled = compile_program(p)
    for s, n in ((5, 3), (1, 4), (0, 7)):
        compiled.check(S=s, N=n)


def test_scatter(compile_program):
    def scatter(data, i, updates, shape):
        data = data.copy()
        for place, update in zip(i[:, 0], updates):
            data[place] = update
        return data

    p = Program(S="[0, 64] from arg1[0]", N="[3, 64] from arg0[0]")
    data, i = p.argument(["N", 4]), p.argument(["S", 1], "i64", any_index)
    p.give(p.op("scatter_nd", [data, i, p.argument(["S", 4])], ["N", 4], scatter), data)
    compiled = compile_program(p)
    for s, n in ((5, 3), (1, 4), (0, 7), (33, 20)):
        compiled.check(S=s, N=n)


def test_indices_out_of_bounds(compile_program):
    p = Program(S="[0, 64] from arg0[0]", N="[0, 64] from arg1[0]")
    i, table = p.argument(["S"], "i64"), p.argument(["N", 2])
    p.give(p.op("gather", [table, i], ["S", 2], lambda t, i, shape: np.take(t, i, 0), attributes="axis 0 "))
    p.lines[-1] += ' loc("/emb/Gather")'
    compiled = compile_program(p)
    rows = np.zeros((3, 2), np.float32)
    for bad in (3, -4, 2**40):
        done, _ = compiled.run([np.array([0, bad, 1]), rows])
        assert done.returncode == 1
        assert "/emb/Gather" in done.stderr and str(bad) in done.stderr and "3" in done.stderr
    done, _ = compiled.run([np.array([0]), rows[:0]])
    assert done.returncode == 1 and "/emb/Gather" in done.stderr
    done, outputs = compiled.run([np.array([], np.int64), rows[:0]])
    assert done.returncode == 0 and outputs[0].shape == (0, 2)

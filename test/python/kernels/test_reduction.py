import numpy as np
from program import Program

SIZES = ((2, 5), (1, 1), (0, 4), (3, 0), (4, 37))


def test_kinds_and_axes(compile_program):
    p = Program(B="[0, 64] from arg0[0]", S="[0, 64] from arg0[1]")
    x = p.argument(["B", "S", 4])
    for kind in ("sum", "mean", "max", "min", "prod"):
        for axes, keep in (([2], True), ([1], False), ([0, 2], True), ([-3], False), ([0, 1, 2], False)):
            p.give(p.reduce(kind, x, axes, keep))
    compiled = compile_program(p)
    for b, s in SIZES:
        compiled.check(B=b, S=s)


def test_places(compile_program):
    p = Program(B="[0, 64] from arg0[0]", S="[1, 64] from arg0[1]")
    x = p.argument(["B", "S"], make=lambda g, shape: g.choice([0, 1, 2, 3, np.nan], shape, p=[0.3, 0.2, 0.2, 0.25, 0.05]))
    for kind, last, find in (("max", "", np.argmax), ("min", "", np.argmin),
                             ("max", "last ", lambda a, axis: a.shape[1] - 1 - np.argmax(a[:, ::-1], axis))):
        p.give(p.op(f"arg_reduce {kind}", [x], ["B"], lambda a, shape, find=find: find(a, 1), "i64", f"axis 1 {last}"))
    compiled = compile_program(p)
    for b, s in ((2, 5), (1, 1), (0, 4), (4, 37)):
        compiled.check(B=b, S=s)


def test_running_sums(compile_program):
    p = Program(B="[0, 64] from arg0[0]", S="[0, 64] from arg0[1]")
    x, i = p.argument(["B", "S", 2]), p.argument(["S"], "i64")

    def running(exclusive, reverse):
        def compute(a, shape):
            a = a[:, ::-1] if reverse else a
            sums = np.cumsum(a, 1) - (a if exclusive else 0)
            return sums[:, ::-1] if reverse else sums

        return compute

    for exclusive in ("", "exclusive "):
        for reverse in ("", "reverse "):
            p.give(p.op("cumsum", [x], x.dims, running(exclusive, reverse), attributes=f"axis 1 {exclusive}{reverse}"))
    p.give(p.op("cumsum", [i], i.dims, lambda a, shape: np.cumsum(a), attributes="axis 0 "))
    compiled = compile_program(p)
    for b, s in SIZES:
        compiled.check(B=b, S=s)

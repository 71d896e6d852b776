"""Attention as one kernel: what scores, softmax and products give one after another, also where no number comes out."""

import numpy as np
import pytest
from program import Program

from test_data_movement import concatenate
from test_fusion import softmax

TOLERANCE = {"f32": 2e-4, "f64": 1e-12}

# Around the tiles of rows and columns and the blocks of keys.
QUERIES, KEYS = (1, 2, 3, 11, 12, 13, 25, 70), (1, 2, 15, 16, 17, 31, 33, 64, 70, 127, 128, 129, 300)


def broadcast(p, operand, dims):
    return p.emit(f"broadcast {operand.name} : {operand.type} to {{result}}", dims, operand.element,
                  np.broadcast_to, [operand])


def shared(p, x, heads, group):
    """What `group` heads share, repeated for each of them."""
    batch, _, length, width = x.dims
    apart = p.reshape(x, [batch, heads, 1, length, width])
    return p.reshape(broadcast(p, apart, [batch, heads, group, length, width]), [batch, heads * group, length, width])


def attend(p, query, key, value, change=lambda scores: scores, weigh=lambda weights: weights):
    batch, heads, queries, _ = query.dims
    keys, width = value.dims[-2:]
    scores = p.matmul(query, p.transpose(key, (0, 1, 3, 2)), [batch, heads, queries, keys])
    weights = weigh(softmax(p, change(scores)))
    return p.transpose(p.matmul(weights, value, [batch, heads, queries, width]), (0, 2, 1, 3))


@pytest.fixture
def compile_attention(compile_program, tool, tmp_path):
    """Compiles a program of which one kernel is an attention."""
    def compile_it(program):
        source = tmp_path / "attention.mlir"
        source.write_text(str(program))
        done = tool("dyn-opt", source, "--dyn-pipeline=to=kernels")
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("launch @attention") == 1, str(program)
        return compile_program(program)
    return compile_it


def random_sizes(count, seed):
    generator = np.random.default_rng(seed)
    return [{name: int(size) for name, size in zip("BSTDE", generator.integers(0, 71, 5))} | {"B": int(generator.integers(0, 4))}
            for _ in range(count)]


@pytest.mark.parametrize("element", TOLERANCE)
def test_every_dim_dynamic(compile_attention, element):
    p = Program(B="[0, 9] from arg0[0]", S="[0, ?] from arg0[2]", T="[0, ?] from arg1[2]", D="[0, ?] from arg0[3]",
                E="[0, ?] from arg2[3]")
    query, key, value = (p.argument(["B", 2, *dims], element) for dims in (["S", "D"], ["T", "D"], ["T", "E"]))
    p.give(attend(p, query, key, value))
    compiled = compile_attention(p)
    for sizes in [*random_sizes(25, 1), *({"B": 1, "S": s, "T": t, "D": 8, "E": 5} for s in (1, 13) for t in KEYS),
                  *({"B": 2, "S": s, "T": 40, "D": 3, "E": 33} for s in (*QUERIES, 193)),
                  *({"B": 2, "S": 1, "T": t, "D": d, "E": e} for t in (1, 31, 129) for d in (0, 1, 15, 16, 17, 64, 70) for e in (32, 33, 64)),
                  {"B": 1, "S": 5, "T": 0, "D": 4, "E": 4}, {"B": 1, "S": 1, "T": 0, "D": 20, "E": 32}, {"B": 1, "S": 5, "T": 7, "D": 0, "E": 4},
                  {"B": 1, "S": 5, "T": 7, "D": 4, "E": 0}, {"B": 1, "S": 3, "T": 150, "D": 4, "E": 1024}]:
        compiled.check(tolerance=TOLERANCE[element], **sizes)


def test_batches_that_may_be_repeated(compile_attention):
    """One set of queries for all keys and values, or the other way round: which one, sizes tell."""
    p = Program(A="[0, ?] from arg0[0]", B="[0, ?] from arg1[0]", S="[0, ?] from arg0[2]", T="[0, ?] from arg1[2]")
    query, key, value = p.argument(["A", 2, "S", 8]), p.argument(["B", "T", 2, 8]), p.argument(["B", 2, "T", 33])
    p.require("A == B or A == 1 or B == 1", "matmul: batch dims")
    scores = p.matmul(query, p.transpose(key, (0, 2, 3, 1)), ["bcast(A, B)", 2, "S", "T"])
    p.give(p.matmul(softmax(p, scores), value, ["bcast(A, B)", 2, "S", 33]))
    compiled = compile_attention(p)
    for number, (a, b) in enumerate(((1, 3), (3, 1), (3, 3), (1, 1), (0, 1), (1, 0), (0, 0))):
        for s, t in ((1, 31), (13, 129), (2, 0)) if number < 3 else ((5, 7),):
            compiled.check(A=a, B=b, S=s, T=t)


@pytest.mark.parametrize("group", [1, 3])
def test_cache_and_shared_heads(compile_attention, group):
    """Keys and values behind those of earlier steps, each for several heads; scale and causal mask."""
    p = Program(B="[0, 9] from arg0[0]", S="[0, ?] from arg0[1]", P="[0, ?] from arg3[2]")
    heads, width = 2, 16
    query = p.transpose(p.argument(["B", "S", heads * group, width]), (0, 2, 1, 3))
    key, value = (p.transpose(p.argument(["B", "S", heads, width]), (0, 2, 1, 3)) for _ in range(2))
    key, value = (concatenate(p, [p.argument(["B", heads, "P", width]), x], 2, ["B", heads, "P + S", width]) for x in (key, value))
    mask = p.argument(["B", 1, "S", "P + S"], make=lambda g, shape: np.triu(np.full(shape, -np.inf), shape[-1] - shape[-2] + 1))

    def change(scores):
        return p.add(p.mul(scores, p.constant(0.25)), mask)

    p.give(attend(p, query, shared(p, key, heads, group), shared(p, value, heads, group), change), key, value)
    compiled = compile_attention(p)
    for b, s, past in ((1, 1, 0), (2, 1, 31), (1, 1, 256), (3, 5, 11), (1, 70, 70), (2, 17, 128), (0, 3, 2), (2, 0, 5), (1, 33, 0)):
        compiled.check(B=b, S=s, P=past)


@pytest.mark.parametrize("element", TOLERANCE)
@pytest.mark.parametrize("is_safe", [False, True])
def test_rows_without_numbers(compile_attention, is_safe, element):
    """Rows that are masked whole, at first, or at last; scores that are infinite or no number."""
    p = Program(B="[0, 9] from arg0[0]", S="[0, ?] from arg0[2]", T="[0, ?] from arg1[2]")
    query, key, value = (p.argument(["B", 2, length, 8], element) for length in "STT")

    def spoil(generator, shape):
        mask = np.where(generator.random(shape) < 0.7, 0, -np.inf)
        for row in range(shape[2]):
            at = mask[:, :, row, :]
            kind = row % 7
            if kind == 0:
                at[...] = -np.inf
            elif kind == 1:
                at[..., : max(shape[3] - 1, 0)] = -np.inf
            elif kind == 2:
                at[..., 1:] = -np.inf
            elif kind == 3 and shape[3]:
                at[..., int(generator.integers(shape[3]))] = np.inf
            elif kind == 4 and shape[3]:
                at[..., int(generator.integers(shape[3]))] = np.nan
        return mask

    mask = p.argument(["B", 1, "S", "T"], element, make=spoil)

    def weigh(weights):
        if not is_safe:
            return weights
        is_nan = p.elementwise("is_nan", weights, compute=np.isnan, element="i1")
        return p.op("select", [is_nan, p.constant(0.0, element), weights], weights.dims, lambda c, a, b, shape: np.where(c, a, b), element)

    p.give(attend(p, query, key, value, lambda scores: p.add(scores, mask), weigh))
    compiled = compile_attention(p)
    for b, s, t in ((1, 7, 1), (2, 14, 5), (1, 70, 64), (1, 21, 129), (2, 15, 300), (1, 4, 0), (0, 2, 2)):
        compiled.check(tolerance=TOLERANCE[element], B=b, S=s, T=t)


def test_boolean_mask_and_one_head(compile_attention):
    """Where a mask says no, a large negative number; queries, keys and values of rank 2."""
    p = Program(S="[0, ?] from arg0[0]", T="[0, ?] from arg1[0]")
    query, key, value = p.argument(["S", 12]), p.argument(["T", 12]), p.argument(["T", 20])
    allowed = p.argument(["S", "T"], "i1")
    scores = p.matmul(query, p.transpose(key, (1, 0)), ["S", "T"])
    scores = p.op("select", [allowed, scores, p.constant(-1e9)], ["S", "T"], lambda c, a, b, shape: np.where(c, a, b), "f32")
    p.give(p.mul(p.matmul(softmax(p, scores), value, ["S", 20]), p.constant(3.0)))
    compiled = compile_attention(p)
    for s, t in ((1, 1), (5, 17), (12, 16), (13, 33), (70, 70), (2, 257), (0, 3), (3, 0)):
        compiled.check(S=s, T=t)


def test_keys_in_columns(compile_attention):
    """Keys that lie with the length last, and values whose columns are not contiguous."""
    p = Program(B="[0, 9] from arg0[0]", S="[0, ?] from arg0[1]", T="[0, ?] from arg1[2]")
    query, key, value = p.argument(["B", "S", 6]), p.argument(["B", 6, "T"]), p.argument(["B", 40, "T"])
    weights = softmax(p, p.matmul(query, key, ["B", "S", "T"]))
    p.give(p.matmul(weights, p.transpose(value, (0, 2, 1)), ["B", "S", 40]))
    compiled = compile_attention(p)
    for b, s, t in ((1, 1, 1), (2, 5, 31), (3, 13, 64), (1, 30, 130), (0, 1, 1), (2, 0, 4), (2, 4, 0)):
        compiled.check(B=b, S=s, T=t)

"""Attention of sequences whose tokens stand behind each other, which onnxruntime has no CPU kernel for: with padding it
computes the same by other operators."""

import numpy as np
import pytest

from contrib_cases import contrib
from models import build, open_runners, run_onnxruntime
from zoo.runners import largest_difference

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

BATCHES = [((3, 1, 5), 5), ((1,), 1), ((2, 7, 1), 7), ((4, 4), 4), ((2, 3), 9)]
PLACES = "int32[B, S] o, int32[C] l"


def place_tokens(lengths, longest):
    """Which places have tokens, and the operands that say so."""
    here = np.arange(longest) < np.array(lengths, int).reshape(-1, 1)
    offsets = np.concatenate([np.flatnonzero(here), np.flatnonzero(~here)]).reshape(here.shape)
    return here, {"o": offsets.astype(np.int32), "l": np.cumsum([0, *lengths]).astype(np.int32)}


def draw(*dims, seed=0):
    return np.random.default_rng(seed).standard_normal(dims, np.float32)


def compare(packed, padded, make_inputs, tokens):
    """`make_inputs` gives what both models have in common; `tokens` are inputs with padding in one of them."""
    packed, padded = build(packed), build(padded)
    runners = open_runners(packed)
    for lengths, longest in BATCHES:
        here, places = place_tokens(lengths, longest)
        common = make_inputs(longest)
        wide = {name: draw(len(lengths), longest, width, seed=number) for number, (name, width) in enumerate(tokens.items())}
        expected = run_onnxruntime(padded, {**common, **wide, "n": np.array(lengths, np.int32)})[0][here]
        for runner in runners:
            (ours,) = runner.run({**common, **places, **{name: value[here] for name, value in wide.items()}})
            assert (ours.shape, ours.dtype) == (expected.shape, expected.dtype)
            assert largest_difference(ours, expected) < 1e-5


@pytest.mark.parametrize("attributes, width", [("num_heads = 3", 36), ("num_heads = 3, scale = 0.3", 36),
                                               ("num_heads = 2, qkv_hidden_sizes = [8, 8, 6]", 22)])
@pytest.mark.parametrize("has_bias", [False, True])
def test_projections_are_part_of_the_operator(attributes, width, has_bias):
    heads = 3 if width == 36 else 2
    common = f"float[8, {width}] w, float[{width}] b" + (f", float[1, {heads}, S, S] a" if has_bias else "")
    given = {"w": draw(8, width) / 4, "b": draw(width)}
    compare(contrib(f"float[T, 8] x, {common}, {PLACES}", "y", f"y = com.microsoft.PackedAttention<{attributes}>(x, w, b, o, l{', a' * has_bias})"),
            contrib(f"float[B, S, 8] x, {common}, int32[B] n", "y", "y = com.microsoft.Attention"
                    f"<{attributes}>(x, w, b, n{', , a' * has_bias})"),
            lambda longest: {**given, "a": draw(1, heads, longest, longest)} if has_bias else given, {"x": 8})


@pytest.mark.parametrize("operands", ["q, k, v, , o, l", "q, k, v, b, o, l", "q, k, v, b, o, l, a"])
def test_multi_head_attention(operands):
    has_bias, has_scores = "b" in operands, "a" in operands
    common = "float[28] b, float[1, 2, S, S] a" if has_scores else "float[28] b"
    compare(contrib(f"float[T, 8] q, float[T, 8] k, float[T, 12] v, {common}, {PLACES}", "y",
                    f"y = com.microsoft.PackedMultiHeadAttention<num_heads = 2>({operands})"),
            contrib(f"float[B, S, 8] q, float[B, S, 8] k, float[B, S, 12] v, {common}, int32[B] n", "y", "y = com.microsoft.MultiHeadAttention"
                    f"<num_heads = 2>(q, k, v, {'b' if has_bias else ''}, n{', a' * has_scores})"),
            lambda longest: {"b": draw(28), **({"a": draw(1, 2, longest, longest)} if has_scores else {})}, {"q": 8, "k": 8, "v": 12})


@pytest.mark.parametrize("bias", ["", "b"])
def test_operands_behind_each_other(bias):
    compare(contrib(f"float[T, 24] x, float[24] b, {PLACES}", "y", "d = Constant<value = int64[4] {-1, 2, 3, 4}>() p = Reshape(x, d) "
                    f"y = com.microsoft.PackedMultiHeadAttention<num_heads = 2>(p, , , {bias}, o, l)"),
            contrib("float[B, S, 24] x, float[24] b, int32[B] n", "y", "d = Constant<value = int64[5] {0, 0, 2, 3, 4}>() p = Reshape(x, d) "
                    "f = Constant<value = int64[3] {0, 0, -1}>() i = Constant<value = int64 {0}>() j = Constant<value = int64 {1}>() "
                    "l = Constant<value = int64 {2}>() qs = Gather<axis = 3>(p, i) ks = Gather<axis = 3>(p, j) vs = Gather<axis = 3>(p, l) "
                    "q = Reshape(qs, f) k = Reshape(ks, f) v = Reshape(vs, f) "
                    f"y = com.microsoft.MultiHeadAttention<num_heads = 2>(q, k, v, {bias}, n)"), lambda longest: {"b": draw(24)}, {"x": 24})


@pytest.mark.parametrize("lengths, longest", [((0, 3, 0), 4), ((0, 0), 2), ((), 3), ((), 0), ((0,), 0)])
def test_sequences_without_tokens(lengths, longest):
    model = build(contrib(f"float[T, 8] q, {PLACES}", "y", "y = com.microsoft.PackedMultiHeadAttention<num_heads = 2>(q, q, q, , o, l)"))
    here, places = place_tokens(lengths, longest)
    tokens = draw(int(here.sum()), 8)
    for runner in open_runners(model):
        (ours,) = runner.run({"q": tokens, **places})
        assert ours.shape == tokens.shape
        heads = tokens.reshape(-1, 2, 4).transpose(1, 0, 2)
        scores = np.exp(heads @ heads.swapaxes(1, 2) / 2)
        expected = (scores / scores.sum(2, keepdims=True) @ heads).transpose(1, 0, 2).reshape(tokens.shape)
        assert largest_difference(ours, expected) < 1e-5


def test_halves():
    here, places = place_tokens((3, 1, 5), 5)
    tokens = draw(int(here.sum()), 8).astype(np.float16)
    results = []
    for kind in ("float16", "float"):
        model = build(contrib(f"{kind}[T, 8] q, {PLACES}", "y", "y = com.microsoft.PackedMultiHeadAttention<num_heads = 2>(q, q, q, , o, l)"))
        given = {"q": tokens if kind == "float16" else tokens.astype(np.float32), **places}
        results += [runner.run(given)[0] for runner in open_runners(model)]
    for result in results[:2]:
        assert result.dtype == np.float16
        np.testing.assert_allclose(result, results[2], rtol=2e-3, atol=5e-3)


def test_sizes_follow_from_the_tokens():
    model = build(contrib(f"float[T, H] x, float[H, 36] w, float[36] b, {PLACES}", "y",
                          "y = com.microsoft.PackedAttention<num_heads = 3>(x, w, b, o, l)"))
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == ("T", "12")
    assert {"B == max(C - 1, 0)", "T <= B * S"} <= {guard.predicate for guard in shapes.guards}


@pytest.mark.parametrize("operands, message", [("q, k, , , o, l", "queries of rank 2"), ("q, , , , o, l", "queries of rank 2 without keys"),
                                               ("q, k, v, , o", "operand 5 is missing")])
def test_what_is_refused(operands, message):
    model = build(contrib(f"float[T, 8] q, float[T, 8] k, float[T, 8] v, {PLACES}", "y",
                          f"y = com.microsoft.PackedMultiHeadAttention<num_heads = 2>({operands})"))
    with pytest.raises(dyn.CompileError, match=f"PackedMultiHeadAttention/y.*{message}"):
        dyn.compile(model, threads=1)

"""Attention with caches that have room for more places, and with those of other sequences that are searched beside."""

import numpy as np
import pytest

from contrib_cases import contrib
from models import build, open_runners, run_onnxruntime
from zoo.runners import largest_difference

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

CACHE = "float[B, 3, M, 4] pk, float[B, 3, M, 4] pv, int32[1] l"
NEW = "float[B, S, 12] q, float[B, S, 12] k, float[B, S, 12] v, " + CACHE
BEAMS = ", int32[1] w, int32[G, W, L] c"
DECODE = "com.microsoft.DecoderMaskedMultiHeadAttention<num_heads = 3, past_present_share_buffer = 1>"


def make(inputs, outputs, body):
    model = build(contrib(inputs, outputs, body))
    for output in model.graph.output:
        output.type.tensor_type.elem_type = 1  # onnxruntime can't infer that of scores
    return model


def split(x):
    return x.reshape(*x.shape[:2], 3, -1).transpose(0, 2, 1, 3)


def random_inputs(batch, new, room, used, seed=0):
    generator = np.random.default_rng(seed)
    draw = lambda *dims: generator.standard_normal(dims, np.float32)
    return {**{name: draw(batch, new, 12) for name in "qkv"}, "pk": draw(batch, 3, room, 4), "pv": draw(batch, 3, room, 4),
            "l": np.array([used], np.int32)}


def compare(model, inputs):
    expected = run_onnxruntime(model, inputs)
    for runner in open_runners(model):
        for ours, theirs in zip(runner.run(inputs), expected, strict=True):
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
            assert largest_difference(ours, theirs) < 1e-5


@pytest.mark.parametrize("batch, room, used", [(2, 6, 3), (2, 6, 0), (1, 1, 0), (3, 6, 5), (1, 17, 16)])
def test_one_place_behind_those_in_use(batch, room, used):
    compare(make(NEW.replace("S", "1"), "y, nk, nv", f"y, nk, nv = {DECODE}(q, k, v, , , pk, pv, l)"),
            random_inputs(batch, 1, room, used))


@pytest.mark.parametrize("used, origins", [(3, 6), (0, 6), (5, 6)])
def test_places_of_other_beams(used, origins):
    model = make(NEW.replace("S", "1") + BEAMS, "y, nk, nv", f"y, nk, nv = {DECODE}(q, k, v, , , pk, pv, l, w, c)")
    inputs = random_inputs(4, 1, 6, used)
    beams = np.random.default_rng(1).integers(0, 2, (2, 2, origins), np.int32)
    compare(model, {**inputs, "w": np.array([2], np.int32), "c": beams})


@pytest.mark.parametrize("new, used", [(1, 3), (2, 3), (3, 0), (1, 5)])
def test_multi_head_attention_with_room(new, used):
    model = make(NEW + ", int32[G, W, L] c", "y, nk, nv", "y, nk, nv = com.microsoft.MultiHeadAttention<num_heads = 3>"
                 "(q, k, v, , , , pk, pv, l, c)")
    beams = np.random.default_rng(1).integers(0, 2, (2, 2, 6), np.int32)
    compare(model, {**random_inputs(4, new, 6, used), "c": beams})


def test_a_cache_of_bytes_begins_with_a_prompt():
    """onnxruntime needs a cache before it."""
    model = build(contrib("float[B, S, 32] q, float[B, S, 16] k, float[B, S, 16] v, int32[B] l, int32 t, float[1] s", "y, nk, nv", "y, nk, nv = "
                          'com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2, kv_cache_bit_width = 8, k_quant_type = "PER_TENSOR", '
                          'v_quant_type = "PER_TENSOR">(q, k, v, , , l, t, , , , , , s, s)'))
    draw = np.random.default_rng(0).standard_normal
    inputs = {"q": draw((2, 3, 32), np.float32), "k": draw((2, 3, 16), np.float32), "v": draw((2, 3, 16), np.float32),
              "l": np.array([2, 2], np.int32), "t": np.array(3, np.int32), "s": np.array([0.0125], np.float32)}
    for runner in open_runners(model):
        for cache, name in zip(runner.run(inputs)[1:], "kv", strict=True):
            codes = np.clip(np.rint(inputs[name] / inputs["s"]), -128, 127).astype(np.int8)
            np.testing.assert_array_equal(cache, codes.reshape(2, 3, 2, 8).transpose(0, 2, 1, 3))


def test_scores_are_a_result():
    masked = make("float[B, S, 12] q, float[B, S, 12] k, float[B, S, 12] v, int32[B, S] m", "y, nk, nv, s",
                  "y, nk, nv, s = com.microsoft.MultiHeadAttention<num_heads = 3, unidirectional = 1, mask_filter_value = -2.0>(q, k, v, , m)")
    inputs = {name: random_inputs(2, 3, 1, 0)[name] for name in "qkv"}
    compare(masked, {**inputs, "m": np.array([[1, 0, 1], [1, 1, 0]], np.int32)})
    grouped = make("float[B, S, 32] q, float[B, S, 16] k, float[B, S, 16] v, int32[B] l, int32 t", "y, nk, nv, s", "y, nk, nv, s = "
                   "com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2, qk_output = 2>(q, k, v, , , l, t)")
    draw = np.random.default_rng(0).standard_normal
    compare(grouped, {"q": draw((1, 3, 32), np.float32), "k": draw((1, 3, 16), np.float32), "v": draw((1, 3, 16), np.float32),
                      "l": np.array([2], np.int32), "t": np.array(3, np.int32)})
    compare(make(NEW.replace("S", "1"), "y, nk, nv, s", f"y, nk, nv, s = {DECODE}(q, k, v, , , pk, pv, l)".replace("1>", "1, output_qk = 1>")),
            random_inputs(2, 1, 6, 3))


@pytest.mark.parametrize("used", [6, 7, -1, -2])
def test_numbers_of_places_that_there_is_no_room_for(used):
    model = make(NEW.replace("S", "1"), "y, nk, nv", f"y, nk, nv = {DECODE}(q, k, v, , , pk, pv, l)")
    for runner in open_runners(model):
        with pytest.raises(dyn.Error, match="DecoderMaskedMultiHeadAttention/y"):
            runner.run(random_inputs(2, 1, 6, used))


def test_operands_behind_each_other():
    """onnxruntime has that for CUDA devices."""
    inputs = random_inputs(2, 1, 6, 3)
    parted = make(NEW.replace("S", "1"), "y, nk, nv", f"y, nk, nv = {DECODE}(q, k, v, , , pk, pv, l)")
    packed = make("float[B, 1, 36] x, " + CACHE, "y, nk, nv", f"y, nk, nv = {DECODE}(x, , , , , pk, pv, l)")
    together = {"x": np.concatenate([inputs[name] for name in "qkv"], 2), **{name: inputs[name] for name in ("pk", "pv", "l")}}
    for runner in open_runners(packed):
        for ours, theirs in zip(runner.run(together), run_onnxruntime(parted, inputs), strict=True):
            assert largest_difference(ours, theirs) < 1e-5


@pytest.mark.parametrize("operator, new", [("DecoderMaskedSelfAttention", 1), ("Attention", 1), ("Attention", 3)])
def test_projections_are_part_of_the_operator(operator, new):
    """onnxruntime has these for CUDA devices; on the CPU it runs them in two."""
    is_masked = operator != "Attention"
    operands = "x, w, b, , p, , l" if is_masked or new else ""
    model = make(f"float[B, S, 8] x, float[8, 36] w, float[36] b, float[2, B, 3, M, 4] p, int32[1] l".replace("S", "1" if is_masked else "S"),
                 "y, n", f"y, n = com.microsoft.{operator}<num_heads = 3, past_present_share_buffer = 1>({operands})")
    parted = make("float[B, S, 8] x, float[8, 36] w, float[36] b, " + CACHE, "y, n", "m = MatMul(x, w) a = Add(m, b) "
                  "d = Constant<value = int64[3] {12, 12, 12}>() q, k, v = Split<axis = 2>(a, d) y, nk, nv = com.microsoft.MultiHeadAttention"
                  "<num_heads = 3>(q, k, v, , , , pk, pv, l) z = Constant<value = int64[1] {0}>() nku = Unsqueeze(nk, z) nvu = Unsqueeze(nv, z) "
                  "n = Concat<axis = 0>(nku, nvu)")
    generator = np.random.default_rng(0)
    for batch, used in [(2, 2), (1, 0)]:
        caches = random_inputs(batch, new, 6, used)
        common = {"x": generator.standard_normal((batch, new, 8), np.float32), "w": generator.standard_normal((8, 36), np.float32) / 4,
                  "b": generator.standard_normal(36, np.float32), "l": caches["l"]}
        expected = run_onnxruntime(parted, {**common, "pk": caches["pk"], "pv": caches["pv"]})
        for runner in open_runners(model):
            for ours, theirs in zip(runner.run({**common, "p": np.stack([caches["pk"], caches["pv"]])}), expected, strict=True):
                assert ours.shape == theirs.shape
                assert largest_difference(ours, theirs) < 1e-5


def test_caches_that_end_with_what_is_in_use():
    model = make("float[B, 1, 12] q, float[B, 1, 12] k, float[B, 1, 12] v, float[B, 3, M, 4] pk, float[B, 3, M, 4] pv", "y, nk, nv",
                 "y, nk, nv = com.microsoft.DecoderMaskedMultiHeadAttention<num_heads = 3>(q, k, v, , , pk, pv)")
    same = make("float[B, 1, 12] q, float[B, 1, 12] k, float[B, 1, 12] v, float[B, 3, M, 4] pk, float[B, 3, M, 4] pv", "y, nk, nv",
                "y, nk, nv = com.microsoft.MultiHeadAttention<num_heads = 3>(q, k, v, , , , pk, pv)")
    inputs = random_inputs(2, 1, 5, 0)
    del inputs["l"]
    for runner in open_runners(model):
        for ours, theirs in zip(runner.run(inputs), run_onnxruntime(same, inputs), strict=True):
            assert largest_difference(ours, theirs) < 1e-5
    assert dyn.shapes(model).outputs["nk"].dims == ("B", "3", "M + 1", "4")


def test_sizes_follow_from_how_many_places_are_in_use():
    model = make(NEW.replace("S", "1") + ", int32[B, T] m", "y, nk, nv", f"y, nk, nv = {DECODE}(q, k, v, m, , pk, pv, l)")
    shapes = dyn.shapes(model)
    assert shapes.outputs["nk"].dims == ("B", "3", "M", "4")
    assert shapes.outputs["y"].dims == ("B", "1", "12")


@pytest.mark.parametrize("operands, attributes, message", [
    ("q, k, v, , , pk, pv", "past_present_share_buffer = 1", r"operand 7 \(past_sequence_length\) is missing"),
    ("q, k, v, , , pk", "num_heads = 3", "operand 6 is missing"),
    ("q, k, , , , pk, pv, l", "past_present_share_buffer = 1", "operand 2 is missing"),
    ("q, pk, pv, , , , , l", "past_present_share_buffer = 1", "no results 1 and 2"),
    ("q, k, v, , , pk, pv, , , c", "num_heads = 3", "cache_indirection needs caches"),
])
def test_what_is_refused(operands, attributes, message):
    heads = "" if "num_heads" in attributes else "num_heads = 3, "
    model = make(NEW.replace("S", "1") + BEAMS, "y, nk, nv",
                 f"y, nk, nv = com.microsoft.DecoderMaskedMultiHeadAttention<{heads}{attributes}>({operands})")
    with pytest.raises(dyn.CompileError, match=f"DecoderMaskedMultiHeadAttention/y.*{message}"):
        dyn.compile(model, threads=1)


def test_several_new_places_are_refused():
    model = make(NEW, "y, nk, nv", f"y, nk, nv = {DECODE}(q, k, v, , , pk, pv, l)")
    for runner in open_runners(model):
        with pytest.raises(dyn.Error, match="S == 1|DecoderMasked"):
            runner.run(random_inputs(2, 2, 6, 3))

"""Attention to blocks of places that a layout chooses.

onnxruntime's kernel writes into the caches that it is given, so that runs bind them as results too. Of a batch it reads
wrong places unless all sequences have the same length; those are compared with the definition.
"""

import numpy as np
import onnxruntime
import pytest

from contrib_cases import contrib
from models import build, open_runners
from zoo.runners import largest_difference

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

HEADS, GROUPS, WIDTH, BLOCK, ROOM = 4, 2, 16, 16, 64
CACHES = "float[B, 2, M, 16] pk, float[B, 2, M, 16] pv, int32[L, R] r, int32[L, Z] c, int32[1] t, int32[B] l"
PARTED = "float[B, S, 64] q, float[B, S, 32] k, float[B, S, 32] v, " + CACHES
ATTRIBUTES = "num_heads = 4, kv_num_heads = 2, sparse_block_size = 16"


def make(inputs, operands, attributes=""):
    return build(contrib(inputs, "y, nk, nv", f"y, nk, nv = com.microsoft.SparseAttention<{ATTRIBUTES}{attributes}>({operands})"))


def make_layouts(count):
    """All blocks up to the own one but some."""
    layouts = np.tril(np.ones((count, 4, 4), bool))
    layouts[0, 2, 1] = layouts[0, 3, 0] = False
    if count > 1:
        layouts[1, 2, 0] = layouts[1, 3, 1] = layouts[1, 1, 0] = False
    return layouts


def compress(layouts):
    """Where rows end, and the columns in them, with -1 behind the last row."""
    ends = np.concatenate([np.zeros((len(layouts), 1), int), layouts.sum(2).cumsum(1)], 1)
    columns = np.full((len(layouts), ends.max()), -1)
    for row, layout in zip(columns, layouts):
        row[:layout.sum()] = np.nonzero(layout)[1]
    return ends.astype(np.int32), columns.astype(np.int32)


def random_inputs(new, lengths, total, layouts, seed=0):
    generator = np.random.default_rng(seed)
    draw = lambda *dims: generator.standard_normal(dims, np.float32)
    batch = len(lengths)
    ends, columns = compress(layouts)
    return {"q": draw(batch, new, 64), "k": draw(batch, new, 32), "v": draw(batch, new, 32), "pk": draw(batch, 2, ROOM, WIDTH),
            "pv": draw(batch, 2, ROOM, WIDTH), "r": ends, "c": columns, "t": np.array([total], np.int32), "l": np.array(lengths, np.int32)}


def run_onnxruntime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(value.copy()) for name, value in inputs.items()}
    for name, value in values.items():
        binding.bind_ortvalue_input(name, value)
    binding.bind_output("y")
    binding.bind_ortvalue_output("nk", values["pk"])
    binding.bind_ortvalue_output("nv", values["pv"])
    session.run_with_iobinding(binding)
    return binding.copy_outputs_to_cpu()


def compare(model, inputs, expected):
    for runner in open_runners(model):
        for ours, theirs in zip(runner.run(inputs), expected, strict=True):
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
            assert largest_difference(ours, theirs) < 1e-5


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("new, lengths, total", [(1, [1], 1), (3, [3], 3), (40, [40], 40), (64, [64], 64), (5, [50], 50),
                                                 (1, [64], 64), (1, [50, 50], 50), (40, [40, 40], 40)])
def test_computes_what_onnxruntime_does(new, lengths, total, count):
    model = make(PARTED, "q, k, v, pk, pv, r, c, t, l")
    inputs = random_inputs(new, lengths, total, make_layouts(count))
    compare(model, inputs, run_onnxruntime(model, inputs))


@pytest.mark.parametrize("attributes", [", do_rotary = 1", ", do_rotary = 1, rotary_interleaved = 1, scale = 0.3"])
def test_rotates_places(attributes):
    model = make(PARTED + ", float[64, 8] cos, float[64, 8] sin", "q, k, v, pk, pv, r, c, t, l, cos, sin", attributes)
    generator = np.random.default_rng(1)
    tables = {name: generator.standard_normal((64, 8), np.float32) for name in ("cos", "sin")}
    for new, total in [(3, 3), (1, 50)]:
        inputs = {**random_inputs(new, [total], total, make_layouts(2)), **tables}
        compare(model, inputs, run_onnxruntime(model, inputs))


def test_operands_behind_each_other():
    packed = make("float[B, S, 128] x, " + CACHES, "x, , , pk, pv, r, c, t, l")
    inputs = random_inputs(3, [40], 40, make_layouts(2))
    expected = run_onnxruntime(make(PARTED, "q, k, v, pk, pv, r, c, t, l"), inputs)
    together = np.concatenate([inputs.pop(name) for name in "qkv"], 2)
    compare(packed, {"x": together, **inputs}, expected)


def define(inputs, layouts):
    """The result and the caches by the operator's definition."""
    batch, new = inputs["q"].shape[:2]
    split = lambda x: x.reshape(batch, new, x.shape[2] // WIDTH, WIDTH)
    q, caches = split(inputs["q"]), [inputs[name].copy() for name in ("pk", "pv")]
    result = np.zeros_like(q)
    for b, length in enumerate(inputs["l"]):
        past = 0 if inputs["t"][0] == new else length - new
        for cache, fresh in zip(caches, (inputs["k"], inputs["v"])):
            cache[b, :, past:past + new] = split(fresh)[b].transpose(1, 0, 2)
        for n in range(HEADS):
            keys, values = (cache[b, n // (HEADS // GROUPS)] for cache in caches)
            for s in range(new):
                place = past + s
                counts = layouts[n % len(layouts), place // BLOCK, np.arange(place + 1) // BLOCK]
                scores = keys[:place + 1][counts] @ q[b, s, n] / np.sqrt(WIDTH)
                weights = np.exp(scores - scores.max())
                result[b, s, n] = weights / weights.sum() @ values[:place + 1][counts]
    return [result.reshape(inputs["q"].shape), *caches]


@pytest.mark.parametrize("new, lengths, total", [(1, [50, 40], 50), (3, [40, 35, 3], 40), (40, [40, 40], 40), (2, [], 2)])
def test_sequences_of_different_lengths(new, lengths, total):
    layouts = make_layouts(2)
    inputs = random_inputs(new, lengths, total, layouts)
    compare(make(PARTED, "q, k, v, pk, pv, r, c, t, l"), inputs, define(inputs, layouts))


def test_halves():
    layouts = make_layouts(2)
    model = make(PARTED.replace("float[", "float16["), "q, k, v, pk, pv, r, c, t, l")
    for new, total in [(3, 40), (40, 40)]:
        inputs = random_inputs(new, [total], total, layouts)
        inputs = {name: np.asarray(value, np.float16) if value.dtype == np.float32 else value for name, value in inputs.items()}
        expected = define({name: np.asarray(value, np.float32) if value.dtype == np.float16 else value for name, value in inputs.items()}, layouts)
        for runner in open_runners(model):
            for ours, theirs in zip(runner.run(inputs), expected, strict=True):
                assert ours.dtype == np.float16
                np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=5e-3)


def test_more_places_than_there_is_room_for():
    model = make(PARTED, "q, k, v, pk, pv, r, c, t, l")
    inputs = random_inputs(1, [65], 65, make_layouts(1))
    for runner in open_runners(model):
        with pytest.raises(dyn.Error):
            runner.run(inputs)


@pytest.mark.parametrize("operands, attributes, message", [
    ("q, k, , pk, pv, r, c, t, l", "", "keys need values"), ("q, k, v, pk, pv, r, c, t", "", "operand 8 is missing"),
    ("q, k, v, pk, pv, r, c, t, l", ", do_rotary = 1", r"operand 9 \(cos_cache\)")])
def test_what_is_refused(operands, attributes, message):
    with pytest.raises(dyn.CompileError, match=f"SparseAttention/y.*{message}"):
        dyn.compile(make(PARTED, operands, attributes), threads=1)
